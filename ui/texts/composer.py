"""The words around the message box: pickers, settings, and what can be done with an answer."""

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ChoiceWords:
    """`name` is what the button shows, `description` what the list adds."""

    name: str
    description: str


@dataclass(frozen=True, slots=True)
class SettingWords:
    """A setting's label, what it does in a sentence, and the names of its choices, if it has any."""

    label: str
    description: str
    choices: Mapping[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class ComposerWords:
    """Words in braces are filled in where the text is used."""

    model: str
    effort: str
    efforts: Mapping[str, ChoiceWords]
    settings: Mapping[str, SettingWords]
    leave_to_model: str
    bad_number: str
    try_again: str
    go_on: str
    please_go_on: str
    without_thinking: str
    more_effort: str
    export: str
    export_failed: str
    no_longer_known: str


ENGLISH = ComposerWords(
    model="Model",
    effort="Thinking",
    efforts={
        "auto": ChoiceWords("Thinking: auto", "As much as the model likes"),
        "off": ChoiceWords("Thinking: off", "Answers at once"),
        "on": ChoiceWords("Thinking: on", "Thinks before it answers"),
        "low": ChoiceWords("Thinking: low", "Quick, for simple questions"),
        "high": ChoiceWords("Thinking: high", "Thorough, takes longer"),
        "max": ChoiceWords("Thinking: max", "As thorough as it can, takes longest"),
    },
    settings={
        "thinking_shown": SettingWords(
            "Thinking on the page",
            "Whether the model's thinking stays open, folds when it is done, or is not shown.",
            {"open": "Keep it open", "fold": "Fold it when done", "hide": "Hide it"},
        ),
        "temperature": SettingWords(
            "Temperature",
            "From 0 (always the likeliest word) to 2 (full of surprises). Many models ignore it while they think.",
            {},
        ),
        "max_tokens": SettingWords(
            "Longest answer", "The most tokens of one reply, thinking included. A word is one or two tokens.", {}
        ),
        "max_rounds": SettingWords(
            "Most rounds", "How often the model may be asked in one turn: once for each use of tools. From 1 to 50.", {}
        ),
        "consent": SettingWords(
            "Ask before a tool acts",
            "When you are asked before a tool changes something, runs code or sends something out.",
            {
                "none": "Never ask",
                "risky": "Ask once text from outside has come in",
                "all": "Always ask",
            },
        ),
    },
    leave_to_model="as the model likes",
    bad_number="{label}: “{value}” is not a number from {least} to {most}. The setting stays as it was.",
    try_again="Try again",
    go_on="Go on",
    please_go_on="Please go on where you broke off.",
    without_thinking="Without thinking",
    more_effort="Think harder",
    export="Save",
    export_failed="This answer could not be saved.",
    no_longer_known="The app no longer knows this message. Please send it anew.",
)

CHINESE = ComposerWords(
    model="模型",
    effort="思考",
    efforts={
        "auto": ChoiceWords("思考：自动", "由模型决定"),
        "off": ChoiceWords("思考：关闭", "直接回答"),
        "on": ChoiceWords("思考：开启", "先思考再回答"),
        "low": ChoiceWords("思考：少", "较快，适合简单的问题"),
        "high": ChoiceWords("思考：多", "更周到，需要更久"),
        "max": ChoiceWords("思考：最多", "尽可能周到，需要最久"),
    },
    settings={
        "thinking_shown": SettingWords(
            "页面上的思考过程",
            "模型的思考过程一直展开、完成后收起，还是不显示。",
            {"open": "一直展开", "fold": "完成后收起", "hide": "不显示"},
        ),
        "temperature": SettingWords("温度", "从 0（总选最可能的词）到 2（充满意外）。许多模型在思考时会忽略它。", {}),
        "max_tokens": SettingWords("最长回答", "一次回复最多多少个词元，包括思考。一个汉字大约是一个词元。", {}),
        "max_rounds": SettingWords("最多轮数", "一个问题最多请求模型多少次，每使用一次工具算一次。从 1 到 50。", {}),
        "consent": SettingWords(
            "工具行动前询问",
            "工具要修改内容、运行代码或向外发送时，何时先问你。",
            {"none": "从不询问", "risky": "读到外部文字之后询问", "all": "每次都询问"},
        ),
    },
    leave_to_model="由模型决定",
    bad_number="{label}：“{value}”不是 {least} 到 {most} 之间的数。此项设置保持不变。",
    try_again="重试",
    go_on="继续",
    please_go_on="请从中断的地方继续。",
    without_thinking="不思考直接答",
    more_effort="想得更多",
    export="保存",
    export_failed="这个回答没能保存。",
    no_longer_known="应用已经不认识这条消息了。请重新发送。",
)
