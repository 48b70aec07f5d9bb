"""The words of a turn on the page."""

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnWords:
    """How a turn is told of. Names in braces are filled in where the text is used."""

    thinking: str
    thought_for: str
    thought_moment: str
    seconds: str
    minutes: str
    stopped: str
    gave_up: str
    failed: str
    unexpected: str
    retrying: Mapping[str, str]
    too_long: str
    empty: str


ENGLISH = TurnWords(
    thinking="Thinking…",
    thought_for="Thought for {duration}",
    thought_moment="Thought for a moment",
    seconds="{seconds} s",
    minutes="{minutes} min {seconds} s",
    stopped="Stopped after {duration}",
    gave_up="This is the best answer so far: the model did not come to an end of its own accord.",
    failed="**This did not work.** {sentence}",
    unexpected="Something went wrong in the app itself. What you saw is kept; please try again.",
    retrying={
        "empty": "The reply was empty; asking again",
        "unreadable": "The reply could not be read; asking again",
        "thinking_only": "Only thinking arrived; asking for the answer",
    },
    too_long="This message is too long ({length:,} characters; at most {limit:,}). Please shorten it or split it.",
    empty="The model answered with nothing. Please ask again, perhaps in other words.",
)

CHINESE = TurnWords(
    thinking="思考中…",
    thought_for="思考了 {duration}",
    thought_moment="思考了片刻",
    seconds="{seconds} 秒",
    minutes="{minutes} 分 {seconds} 秒",
    stopped="已停止，用时 {duration}",
    gave_up="以上是目前最好的回答：模型没有自己得出结论。",
    failed="**这次没有成功。** {sentence}",
    unexpected="应用本身出了问题。已显示的内容都保留着，请再试一次。",
    retrying={
        "empty": "回复是空的，正在重新提问",
        "unreadable": "回复无法识别，正在重新提问",
        "thinking_only": "只收到了思考过程，正在请模型作答",
    },
    too_long="这条消息太长了（{length:,} 个字符，最多 {limit:,} 个）。请缩短或分成几条发送。",
    empty="模型没有给出任何内容。请换个说法再问一次。",
)
