"""Tags that models and chat templates put into text: thinking, tool calls in a model's own notation, ends of turn."""

import re
from enum import Enum, auto

from llm.think_tags import TAGS


class Tag(Enum):
    """What a tag means."""

    CALL = auto()
    """A tool call in the model's own notation begins."""
    STOP = auto()
    """A token of the chat template: the model's turn is over, whatever follows."""
    THINK = auto()
    """Thinking begins. Our own client has taken it out before; with any other LLM it may be in the text."""
    UNTHINK = auto()
    ANSWER = auto()
    """The answer begins."""
    UNANSWER = auto()
    OPENER = auto()
    """A token of the chat template that says no more than that the model begins to speak."""


_TAGS: dict[Tag, str] = {
    Tag.CALL: "<tool_call> <tool_calls> <toolcall> <functioncall> <function_call> <function_calls> <tool_use> <tool> "
    "<action> <minimax:tool_call> <seed:tool_call> <antml:function_calls> <antml:invoke_name= <xai:function_call_name= "
    "<function= <function_name= <function_call_name= <tool_call_name= <invoke_name= <invoke> <dsml|invoke_name= "
    "<dsml|tool_calls> <dsml|function_calls> <|dsml|tool_calls> <|dsml|function_calls> <|dsml|invoke_name= "
    "<|tool_call_begin|> <|tool_calls_begin|> <|tool_calls_section_begin|> <|tool_call|> <|python_tag|> "
    "<|python_start|> <|action_start|> <|start_action|> <|channel|> [tool_calls]",
    Tag.STOP: "<|im_end|> <|im_start|> <|eot_id|> <|eom_id|> <|end|> <|call|> <|eot|> <|end_of_text|> <|endoftext|> "
    "<|end_of_sentence|> <|begin_of_sentence|> <|eos|> <|return|> <|end_response|> <|end_of_solution|> <|user|> "
    "<|end_of_turn|> <|end_of_turn_token|> <|system|> <|observation|> <|start_header_id|> </s> <end_of_turn> "
    "<start_of_turn> <eos> [inst] [/inst]",
    Tag.THINK: "<thought> <thoughts> ◁think▷",
    Tag.UNTHINK: "</thought> </thoughts> ◁/think▷",
    Tag.ANSWER: "<answer> <final_answer>",
    Tag.UNANSWER: "</answer> </final_answer>",
    Tag.OPENER: "<|assistant|> <|start_response|> <|begin_of_solution|>",
}
_MEANINGS = {opening.lower(): Tag.THINK for opening, _ in TAGS} | {closing.lower(): Tag.UNTHINK for _, closing in TAGS}
_MEANINGS |= {text: tag for tag, texts in _TAGS.items() for text in texts.split()}
_CALL_BEGINNINGS = {text[:size] for text, tag in _MEANINGS.items() if tag is Tag.CALL for size in range(4, len(text))}
_PREFIXES = {text[:size] for text in _MEANINGS for size in range(1, len(text))}
_FOLDED = str.maketrans({"｜": "|", "‖": "|", "∣": "|", "▁": "_", " ": "_"})
_MAX_TAG = 40
_TAG_END = re.compile(r"[>=\]]")


def tag_of(text: str) -> Tag | None:
    """What a tag means, or None if it is just text. The look-alikes of `|` and `_` in template tokens count as such."""
    return _MEANINGS.get(_folded(text))


def may_become_tag(text: str) -> bool:
    """Whether more text could turn `text`, which begins with a bracket, into a tag."""
    return len(text) < _MAX_TAG and _folded(text) in _PREFIXES


def begins_call(text: str) -> bool:
    """Whether the first thing in `text` is a tag that opens a call."""
    return any(tag_of(text[: end.end()]) is Tag.CALL for end in _TAG_END.finditer(text, 0, _MAX_TAG))


def is_cut_call(text: str) -> bool:
    """Whether `text` is enough of a tag that opens a call to tell it from other text."""
    return _folded(text) in _CALL_BEGINNINGS


def _folded(text: str) -> str:
    return text.translate(_FOLDED).lower().replace("||", "|")
