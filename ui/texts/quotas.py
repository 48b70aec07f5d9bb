"""The words for who has reached a limit: what was had, and what to do."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class QuotaWords:
    """The pairs are for one and for many."""

    running: tuple[str, str]
    messages: tuple[str, str]
    tokens: str
    hours: str


ENGLISH = QuotaWords(
    running=(
        "Another answer is still being written for you. Wait until it is done, or stop it, then send this again.",
        "{count} answers are still being written for you. Wait until one is done, or stop one, then send this again.",
    ),
    messages=(
        "You have sent {count} message within a minute. Wait {wait}, then send it again.",
        "You have sent {count} messages within a minute. Wait {wait}, then send it again.",
    ),
    tokens="You have used your {count} tokens for today. There are new ones in {wait}; then send this again.",
    hours="{hours} h {minutes} min",
)

CHINESE = QuotaWords(
    running=(
        "还有一个回答正在为你书写。请等它写完，或将它停止，然后再发送一次。",
        "还有 {count} 个回答正在为你书写。请等其中一个写完，或停止一个，然后再发送一次。",
    ),
    messages=(
        "你在一分钟内发送了 {count} 条消息。请等 {wait}，然后再发送一次。",
        "你在一分钟内发送了 {count} 条消息。请等 {wait}，然后再发送一次。",
    ),
    tokens="你今天的 {count} 个词元已经用完。{wait}后会有新的额度，届时请再发送一次。",
    hours="{hours} 小时 {minutes} 分",
)
