"""What can go wrong on the way to a built-in model, each with what a person can do about it."""

from llm.errors import LLMError

_CONNECT = (
    "Or connect a model of your own: put its address and key into the file .env (.env.example shows how), or start "
    "Ollama on this machine."
)


class NoModel(LLMError):
    """Nothing is set, nothing runs, and the built-in model is switched off."""

    template = (
        "No model is connected yet. Put the address and key of one into the file .env (.env.example shows how) and "
        "start again; or start Ollama on this machine and ask again; or set LOCAL_MODEL=auto for the built-in one."
    )


class WeightsUnavailable(LLMError):
    """pip could not get a part. Facts: name."""

    template = (
        "The built-in model {name} could not be downloaded. Check the internet connection and ask again; what has "
        f"arrived is kept. {_CONNECT}"
    )


class WeightsDamaged(LLMError):
    """A hash was not the expected one. Facts: name."""

    template = (
        "What was downloaded for the built-in model {name} is not the original, so it was thrown away. Ask again to "
        f"download it anew; if that does not help, the package index that pip uses has a different file. {_CONNECT}"
    )


class NoSpace(LLMError):
    """The disk is too full. Facts: name, needed (such as "1.3 GB"), folder."""

    template = (
        "There is no room for the built-in model {name}: {needed} must be free in {folder}. Make room and ask again, "
        f"or set THINKGLASS_CACHE to a folder elsewhere, or LOCAL_MODEL=small for a smaller model. {_CONNECT}"
    )


class EngineMissing(LLMError):
    """The engine cannot be loaded: not installed, no wheel for this system, or a system library is missing."""

    template = (
        "The engine of the built-in model cannot be loaded on this machine. On Debian and Ubuntu the package libgomp1 "
        f"may be missing; after installing it, ask again. {_CONNECT}"
    )


class EngineFailed(LLMError):
    """The engine's process ended or never got ready."""

    template = (
        f"The built-in model has stopped unexpectedly. Ask again to start it anew. If it happens again, too little "
        f"memory may be free: try LOCAL_MODEL=small. {_CONNECT}"
    )


class ModelFileMissing(LLMError):
    """LOCAL_MODEL_PATH names no GGUF file. Facts: path."""

    template = (
        "LOCAL_MODEL_PATH is set to {path}, which is not a GGUF file that can be read. Correct it or take it out, then "
        "start again."
    )
