import json
import logging

from ui.monitoring.logs import TURN_ID, JsonLines


def line(record: logging.LogRecord) -> dict[str, str]:
    """The record as it is written."""
    text = JsonLines().format(record)
    assert "\n" not in text
    found = json.loads(text)
    assert isinstance(found, dict)
    return found


def record(message: str, *args: object, error: Exception | None = None) -> logging.LogRecord:
    info = (type(error), error, error.__traceback__) if error else None
    return logging.LogRecord("ui.session", logging.ERROR, __file__, 1, message, args, info)


def test_a_line_is_one_json_object_with_its_turn() -> None:
    token = TURN_ID.set("t-1")
    try:
        said = line(record("%s took\n%s s", "a tool", 3))
    finally:
        TURN_ID.reset(token)
    assert said["message"] == "a tool took\n3 s"
    assert (said["turn"], said["level"], said["logger"]) == ("t-1", "error", "ui.session")
    assert "turn" not in line(record("later"))


def test_an_exception_is_told_by_kind_and_place_and_never_by_its_words() -> None:
    def fail() -> None:
        raise ValueError("the key is sk-123")

    try:
        fail()
    except ValueError as error:
        said = line(record("it failed", error=error))
    assert said["error"] == "ValueError"
    assert said["where"].startswith("fail:")
    assert "sk-123" not in json.dumps(said)
