"""The labels of a ReAct reply, in the languages and spellings that models use. Words only, no state."""

import re
from enum import StrEnum


class Label(StrEnum):
    """What a labelled line of a reply holds."""

    THOUGHT = "thought"
    ACTION = "action"
    INPUT = "input"
    ANSWER = "answer"
    OBSERVATION = "observation"
    ROLE = "role"
    """`User:` and the like: the model has begun to write the other side of the conversation."""


_WORDS: dict[Label, str] = {
    Label.THOUGHT: "thought thoughts 思考 想法 思路 思维 考え 생각 gedanke gedanken pensamiento pensamento pensée "
    "pensiero мысль",
    Label.ACTION: "action actions 行动 行動 动作 動作 执行动作 アクション 행동 aktion acción ação azione действие",
    Label.INPUT: "action_input actions_input action_inputs input action_arguments action_args action_parameters "
    "arguments args parameters params tool_input input_parameters 行动输入 行動輸入 动作输入 動作輸入 行动参数 "
    "动作参数 動作參數 工具输入 工具参数 输入 輸入 输入参数 参数 參數 アクション入力 行動入力 入力 행동_입력 입력 "
    "aktionseingabe eingabe entrada_de_acción entrada entrada_da_ação entrée entrée_de_l'action input_azione ввод",
    Label.ANSWER: "answer final_answer 回答 答 答案 答复 答覆 最终答案 最終答案 最终回答 最終回答 回复 最终回复 답변 "
    "최종_답변 antwort endgültige_antwort respuesta respuesta_final resposta resposta_final réponse réponse_finale "
    "risposta risposta_finale ответ окончательный_ответ",
    Label.OBSERVATION: "observation observations 观察 觀察 观察结果 觀察結果 观测 観察 관찰 beobachtung observación "
    "observação osservazione наблюдение",
    Label.ROLE: "user human 用户 用戶 使用者",
}
_WEAK_WORDS = "tool tool_name function 工具 工具名称"


_SQUEEZED = str.maketrans("", "", " _-")


def key_of(word: str) -> str:
    """A word as labels are compared: without case, blanks, hyphens and underscores."""
    return word.translate(_SQUEEZED).casefold()


LABELS = {key_of(word): label for label, words in _WORDS.items() for word in words.split()}
WEAK_LABELS = {key_of(word): Label.ACTION for word in _WEAK_WORDS.split()}
"""Everyday words that announce an action only if the name of a tool follows."""

_PREFIXES = {word[:size] for word in {**LABELS, **WEAK_LABELS} for size in range(len(word) + 1)}
_INLINE_PREFIXES = {
    word[:size]
    for word, label in LABELS.items()
    if label in {Label.ACTION, Label.ANSWER}
    for size in range(len(word) + 1)
}
_INLINE_INITIALS = {prefix for prefix in _INLINE_PREFIXES if len(prefix) < 2} | {"*", " "}

_BLANK = r"[ \t\u00a0\u200b\u3000\ufeff]"
_INDENT = rf"{_BLANK}{{0,8}}+(?:>{{1,3}}+[ \t]{{0,3}}+|(?:[\-*+•\#]{{1,6}}+|\d{{1,2}}+[.)、])[ \t]{{1,3}}+)?+"
_OPEN = r"[*_`\"'\[【<「(]{0,4}+"
_CLOSE = r"[*_`\"'\]】>」)]{0,4}+"
_WORD = r"[^\W\d_](?:[^\W\d_]|[ _'\-](?=[^\W\d_])){0,28}+"
_NUMBER = r"(?:[ \t]?\#?\d{1,2}+)?"

LABEL_LINE = (
    rf"(?P<indent>{_INDENT})(?P<before>{_OPEN})(?P<word>{_WORD}){_NUMBER}(?P<after>{_CLOSE})"
    r"(?:[ \t]?(?P<colon>[:：])(?P<tail>[*_`]{1,3}+)?|(?<=[\]】])(?=[ \t]{0,3}[^ \t:：])|[ \t]{0,3}(?=\n))"
)
"""What follows a line break where a label may stand: `Action:`, `- **Action 1**：`, `【行动】`, `### Action`."""

INLINE_LABEL = r"\*{0,2}(?P<inline>(?:final[ _]?)?[^\W\d_]{2,12}+)\*{0,2}[ ]?[:：]\*{0,2}"
"""What may be a label in the middle of a line, for models that write all on one."""

_UNDECIDED_LINE = re.compile(
    rf"\n(?:{_BLANK}{{0,8}}+(?:[>\-*+•#]{{1,6}}+|\d{{1,2}}+[.)、]?)?+|{_INDENT})"
    rf"{_OPEN}(?P<word>[^\W\d_][^\W\d]{{0,15}}(?:[ _'\-][^\W\d_]{{0,15}}){{0,3}})?{_NUMBER}{_CLOSE}"
    r"[ \t]{0,3}[:：]?[*_`]{0,3}"
)
_MAX_LABEL_LINE = 64
MAX_INLINE_LABEL = 24
"""The longest label with its marks that counts in the middle of a line."""


def may_become_label(line: str) -> bool:
    """Whether more text could turn `line` (a line break and what follows it so far) into a labelled line."""
    if len(line) > _MAX_LABEL_LINE:
        return False
    found = _UNDECIDED_LINE.fullmatch(line)
    return found is not None and key_of(found["word"] or "") in _PREFIXES


def may_become_inline_label(text: str) -> bool:
    """The same for `text` in the middle of a line."""
    if text[:1].lower() not in _INLINE_INITIALS or len(text) > MAX_INLINE_LABEL:
        return False
    return key_of(text.strip("* ")) in _INLINE_PREFIXES


def leaves_emphasis_open(before: str, after: str) -> bool:
    """Whether the emphasis that opens before a label's word is still open at its colon, as in `**Answer:** yes`."""
    return any(mark in before and mark not in after for mark in "*_")
