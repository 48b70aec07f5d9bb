"""The words in a saved chat."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class ExportWords:
    """`language` is the tag that the page bears. `file_name` has no ending."""

    language: str
    title: str
    saved_by: str
    question: str
    answer: str
    sources: str
    file_name: str


ENGLISH = ExportWords(
    language="en",
    title="Chat",
    saved_by="Saved from Thinkglass",
    question="Question",
    answer="Answer",
    sources="Sources",
    file_name="chat",
)

CHINESE = ExportWords(
    language="zh-CN",
    title="对话",
    saved_by="由 Thinkglass 保存",
    question="问题",
    answer="回答",
    sources="来源",
    file_name="对话",
)
