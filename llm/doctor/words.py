"""A diagnosis in words, one plain line a fact: English here; a translation fills `Words` of its own."""

from dataclasses import dataclass

from llm.doctor.examination import HIDDEN, IN_LIST, IN_TAGS, NONE_SEEN, Diagnosis


@dataclass(frozen=True, slots=True, kw_only=True)
class Words:
    """The lines of one language. Names in braces are filled in."""

    endpoint: str
    endpoint_of: str
    model: str
    no_model: str
    key: str
    no_key: str
    reachable: str
    answers_after: str
    unreachable: str
    thinking_in_field: str
    thinking_in_tags: str
    thinking_in_list: str
    thinking_hidden: str
    no_thinking: str
    tool_calls: str
    no_tool_calls: str
    usage: str
    no_usage: str
    works: str


ENGLISH = Words(
    endpoint="Endpoint: {address}",
    endpoint_of="Endpoint: {address} ({server})",
    model="Model: {model}",
    no_model="Model: none is set",
    key="Key: set",
    no_key="Key: none set",
    reachable="Reachable: yes",
    answers_after="Reachable: yes, the first token came after {seconds} s",
    unreachable="Reachable: no",
    thinking_in_field="Thinking: arrives in the field {field}",
    thinking_in_tags="Thinking: arrives in tags within the text",
    thinking_in_list="Thinking: arrives among the parts of the content",
    thinking_hidden="Thinking: happens, but the server does not show it",
    no_thinking="Thinking: none seen",
    tool_calls="Native tool calls: seen",
    no_tool_calls="Native tool calls: not seen (tools work without them)",
    usage="Token counts: reported",
    no_usage="Token counts: not reported",
    works="The connection works.",
)


def facts(diagnosis: Diagnosis, words: Words = ENGLISH) -> list[str]:
    """At most seven lines; what is not known has none. What is wrong, if anything, is in the diagnosis' error."""
    lines = (
        _endpoint(diagnosis, words),
        words.model.format(model=diagnosis.model) if diagnosis.model else words.no_model,
        _either(diagnosis.has_key, words.key, otherwise=words.no_key),
        _reachable(diagnosis, words),
        _thinking(diagnosis.thinking, words),
        _either(diagnosis.calls_tools, words.tool_calls, otherwise=words.no_tool_calls),
        _either(diagnosis.reports_usage, words.usage, otherwise=words.no_usage),
    )
    return [line for line in lines if line]


def _endpoint(diagnosis: Diagnosis, words: Words) -> str:
    is_named = diagnosis.server not in diagnosis.address  # else the server is its host's name
    template = words.endpoint_of if is_named else words.endpoint
    return template.format(address=diagnosis.address, server=diagnosis.server)


def _either(claim: bool | None, yes: str, *, otherwise: str) -> str:
    return "" if claim is None else yes if claim else otherwise


def _reachable(diagnosis: Diagnosis, words: Words) -> str:
    if diagnosis.first_token_s is not None:
        return words.answers_after.format(seconds=f"{max(0.1, diagnosis.first_token_s):.1f}")
    return words.reachable if diagnosis.is_reachable else words.unreachable


def _thinking(place: str | None, words: Words) -> str:
    lines = {
        None: "",
        IN_TAGS: words.thinking_in_tags,
        IN_LIST: words.thinking_in_list,
        HIDDEN: words.thinking_hidden,
        NONE_SEEN: words.no_thinking,
    }
    return lines[place] if place in lines else words.thinking_in_field.format(field=place)
