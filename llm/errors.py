"""What can go wrong between us and a model, as a tree of exceptions. Knows no library and no page.

Each class is one thing that happened. Its `template` is the sentence for the person, with a remedy; a translation
fills its own template for the class's name with the same `facts`. `detail` is for the log. No key is in either.
"""

from typing import ClassVar

DEFAULT_WAIT_S = 30
"""What to advise when an endpoint asks for patience and does not say for how long."""


class LLMError(Exception):
    """The model's reply did not come, or did not come whole.

    `facts` fill the template: `host` and `model` are always there, each class names the others.
    `partial` is the reply as far as it had come (a `ChatResponse`), or None.
    """

    template: ClassVar[str] = "{host} could not answer. Please try again."
    is_retryable: ClassVar[bool] = False
    """Whether the same request may succeed a moment later."""

    def __init__(self, detail: str = "", **facts: object) -> None:
        super().__init__(detail)
        self.detail = detail
        self.facts: dict[str, object] = {"host": "the model's server", "model": "the model", **facts}
        self.partial: object | None = None

    @property
    def user_message(self) -> str:
        """The sentence for the person, in English."""
        return self.template.format_map(self.facts)

    def __str__(self) -> str:
        return f"{self.user_message} [{self.detail}]" if self.detail else self.user_message


class KeyRefused(LLMError):
    """HTTP 401 or 403."""

    template = "{host} does not accept the key. Check the key, and that it is meant for this address."


class KeyMissing(KeyRefused):
    """HTTP 401 or 403, and no key is set."""

    template = "{host} asks for a key, and none is set. Set one and start again."


class NoBalance(LLMError):
    """HTTP 402, or another code with the same words."""

    template = "The account at {host} has no balance left. Top it up there, or use another key."


class RateLimited(LLMError):
    """HTTP 429. `seconds` is what the endpoint asked for, or `DEFAULT_WAIT_S`."""

    template = "Too many requests at {host} just now. Wait {seconds} seconds and try again."
    is_retryable = True

    @property
    def retry_after(self) -> float | None:
        """Seconds that the endpoint asked to wait, or None if it did not say."""
        seconds = self.facts.get("retry_after")
        return float(seconds) if isinstance(seconds, int | float) else None


class ServerBusy(RateLimited):
    """HTTP 503 and its kin, or finish reason `insufficient_system_resource`: no capacity at this moment."""

    template = "{host} is overloaded. Wait {seconds} seconds and try again."


class ServerFailed(LLMError):
    """HTTP 5xx, or an error in the middle of the reply."""

    template = "{host} had a problem of its own. Try again; if it stays, look at its status page."
    is_retryable = True


class ModelUnknown(LLMError):
    """HTTP 404, or 400 with words about the model."""

    template = "{host} has no model named {model}. Check the model's name in the settings."


class ModelRetired(ModelUnknown):
    """The model id was withdrawn by its maker. `successor` is the id to use."""

    template = "{model} has been retired. Use {successor} instead."


class ModelNotNamed(LLMError):
    """No model is set, and the endpoint lists none. `address` is where we asked."""

    template = (
        "LLM_MODEL is not set, and no list of models is found at {address}. Check the address (most end in /v1), or "
        "set LLM_MODEL to the model to ask for, and start again."
    )


class WrongAddress(LLMError):
    """Something answers there, but not a chat endpoint. `address` is where we asked."""

    template = "No chat model answers at {address}. Check the address; most end in /v1."


class RequestRefused(LLMError):
    """HTTP 400, 422 and the other 4xx that no class of its own has. `reason` is the endpoint's, shortened."""

    template = "{host} refused the request: {reason}. Start a new chat, or change the settings it names."


class ContextTooLong(RequestRefused):
    """The conversation is longer than the model can read. `limit` in tokens; `tokens` asked for, or None."""

    template = "This chat is longer than the {limit} tokens that {model} can read. Start a new chat, or ask for less."


class RequestTooLarge(RequestRefused):
    """HTTP 413."""

    template = "The message is too large for {host}. Send less text, or smaller files."


class Unreachable(LLMError):
    """No connection. `address` is where we asked."""

    template = "{address} can't be reached. Check the address, your connection, and that the server runs."
    is_retryable = True


class StreamCut(LLMError):
    """The connection ended before the reply did."""

    template = "The connection to {host} broke off before the answer was complete. Ask again to go on."
    is_retryable = True


class UnreadableReply(LLMError):
    """HTTP 200, but what came is no reply: garbage, or no choices."""

    template = "{host} sent something that is not a reply. Try again; if it stays, check the address and the model."
    is_retryable = True


class Stalled(LLMError):
    """Not one byte for `seconds`."""

    template = "{host} has sent nothing for {seconds} seconds, so the answer was given up. Try again."


class Filtered(LLMError):
    """Finish reason `content_filter`, or a refusal of the question in such words."""

    template = "{host} held the answer, or the rest of it, back by its content filter. Ask in other words."


class OutOfTokens(LLMError):
    """Finish reason `length`: the limit of tokens cut the answer or a tool call."""

    template = "The answer reached the limit of tokens and was cut. Ask to go on, or raise the limit."


class ThinkingOutOfTokens(OutOfTokens):
    """Finish reason `length`, and all of it went into thinking."""

    template = "The model used up its tokens by thinking and wrote no answer. Raise the limit, or let it think less."
