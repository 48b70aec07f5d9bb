"""The suggestions on the first page."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class StarterText:
    """`label` is shown, `message` is sent."""

    label: str
    message: str


ENGLISH = (
    StarterText(
        "Think it through",
        "A bat and a ball cost 1.10 together, and the bat costs 1.00 more than the "
        "ball. What does the ball cost? Explain how you know.",
    ),
    StarterText("Ask the weather", "What is the weather in Oslo, and what should I wear today?"),
    StarterText("Search the web", "What is new in space exploration this month? Name your sources."),
    StarterText("Calculate exactly", "What is 23*19? And what is 15 % of 1,299?"),
)

CHINESE = (
    StarterText("想一想", "球拍和球一共 1.10 元，球拍比球贵 1.00 元。球多少钱？请说明理由。"),
    StarterText("问天气", "北京今天天气怎么样？出门该穿什么？"),
    StarterText("搜索网页", "这个月航天领域有什么新闻？请注明来源。"),
    StarterText("精确计算", "23*19 等于多少？1,299 的 15% 是多少？"),
)
