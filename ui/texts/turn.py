"""The words of a turn on the page."""

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class SummaryWords:
    """The line below a finished turn, and the table behind it. The pairs are for one and for many."""

    rounds: tuple[str, str]
    tools: tuple[str, str]
    time: str
    tokens: str
    thinking: str
    tools_row: str
    asked: str
    waiting: str
    writing: str
    reading: str
    cached: str
    cost: str
    unknown: str


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnWords:
    """How a turn is told of. Names in braces are filled in where the text is used."""

    waiting: str
    stalled: str
    thinking: str
    thought_for: str
    thought_moment: str
    thought_cut: str
    seconds: str
    minutes: str
    stopped: str
    interrupted: str
    interrupted_sometime: str
    elsewhere: str
    unanswered: Mapping[str, str]
    gave_up: str
    failed: str
    unexpected: str
    retrying: Mapping[str, str]
    too_long: str
    empty: str
    summary: SummaryWords


ENGLISH = TurnWords(
    waiting="Waiting for the model…",
    stalled="No word from the model for {duration}",
    thinking="Thinking…",
    thought_for="Thought for {duration}",
    thought_moment="Thought for a moment",
    thought_cut="Thought until it was cut off",
    seconds="{seconds} s",
    minutes="{minutes} min {seconds} s",
    stopped="Stopped after {duration}",
    interrupted="Interrupted after {duration}: the server was restarted",
    interrupted_sometime="Interrupted: the server was restarted",
    elsewhere="This answer is still being written in another window. Load the page again to see more of it.",
    unanswered={
        "stopped": "You stopped this before there was an answer.",
        "interrupted": "The server was restarted before there was an answer.",
    },
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
    summary=SummaryWords(
        rounds=("{count} round", "{count} rounds"),
        tools=("{count} tool", "{count} tools"),
        time="Time",
        tokens="Tokens",
        thinking="Thinking",
        tools_row="Tools",
        asked="Waiting for you",
        waiting="Waiting",
        writing="Writing",
        reading="Read",
        cached="From the cache",
        cost="Cost",
        unknown="—",
    ),
)

CHINESE = TurnWords(
    waiting="正在等待模型…",
    stalled="模型已有 {duration} 没有回应",
    thinking="思考中…",
    thought_for="思考了 {duration}",
    thought_moment="思考了片刻",
    thought_cut="思考到一半被中断",
    seconds="{seconds} 秒",
    minutes="{minutes} 分 {seconds} 秒",
    stopped="已停止，用时 {duration}",
    interrupted="用时 {duration} 后中断：服务器重新启动了",
    interrupted_sometime="已中断：服务器重新启动了",
    elsewhere="这个回答还在另一个窗口里书写。重新加载页面可以看到更多。",
    unanswered={
        "stopped": "还没有得到回答，你就停止了。",
        "interrupted": "还没有得到回答，服务器就重新启动了。",
    },
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
    summary=SummaryWords(
        rounds=("{count} 轮", "{count} 轮"),
        tools=("{count} 次工具调用", "{count} 次工具调用"),
        time="用时",
        tokens="词元",
        thinking="思考",
        tools_row="工具",
        asked="等你回答",
        waiting="等待",
        writing="书写",
        reading="读入",
        cached="其中缓存",
        cost="费用",
        unknown="—",
    ),
)
