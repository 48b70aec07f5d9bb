"""Every knob of the app, read once from the environment and `.env`. Nobody else reads the environment."""

import sys
from pathlib import Path
from typing import Any, Literal, NoReturn

from pydantic import Field, HttpUrl, SecretStr, ValidationError, ValidationInfo, field_validator
from pydantic_settings import BaseSettings, SettingsConfigDict


class Settings(BaseSettings):
    """The app's settings. A field's environment variable is its name in capitals; `.env.example` shows them all."""

    model_config = SettingsConfigDict(env_file=".env", env_ignore_empty=True, extra="ignore", frozen=True)

    # The model
    deepseek_api_key: SecretStr | None = Field(default=None, description="Key for DeepSeek's own endpoint.")
    deepseek_api_base: HttpUrl = Field(
        default=HttpUrl("https://api.deepseek.com"), description="DeepSeek's endpoint, or a gateway in front of it."
    )
    llm_api_base: HttpUrl | None = Field(
        default=None, description="Any other OpenAI-compatible endpoint; wins over DeepSeek and the built-in model."
    )
    llm_api_key: SecretStr | None = Field(default=None, description="Key for LLM_API_BASE, if it wants one.")
    llm_model: str | None = Field(
        default=None, description="Model to ask for; by default deepseek-flash on DeepSeek, else the first one listed."
    )
    local_model: Literal["auto", "large", "small", "off"] = Field(
        default="auto",
        description="Built-in model when nothing is set: by free memory, the 1.5B, the 0.5B, or none.",
    )
    local_model_path: Path | None = Field(default=None, description="A GGUF file of your own for the built-in engine.")

    # How it answers
    temperature: float | None = Field(
        default=None, ge=0, le=2, description="Sampling temperature; unset leaves the model's own default."
    )
    max_tokens: int | None = Field(
        default=None, ge=1, description="Most tokens of one reply, thinking included; unset leaves the model's own."
    )
    max_rounds: int = Field(default=12, ge=1, le=50, description="Most calls of the model in one turn.")
    idle_timeout: float = Field(
        default=300, gt=0, description="Seconds without a word from the model before the turn is given up."
    )
    connect_timeout: float = Field(default=10, gt=0, description="Seconds to reach the endpoint.")
    max_retries: int = Field(
        default=3, ge=0, le=10, description="How often a busy or failing endpoint is asked again before anything came."
    )

    # Tools
    tavily_api_key: SecretStr | None = Field(
        default=None, description="Key for web search by Tavily; without it a keyless search is used."
    )
    tavily_api_base: HttpUrl = Field(default=HttpUrl("https://api.tavily.com"), description="Tavily's endpoint.")
    openweather_api_key: SecretStr | None = Field(
        default=None, description="Key for weather by OpenWeather; without it Open-Meteo is used, which needs none."
    )
    openweather_api_base: HttpUrl = Field(
        default=HttpUrl("https://api.openweathermap.org"), description="OpenWeather's endpoint."
    )
    open_meteo_api_base: HttpUrl = Field(
        default=HttpUrl("https://api.open-meteo.com"), description="Open-Meteo's forecast endpoint."
    )
    open_meteo_geocoding_api_base: HttpUrl = Field(
        default=HttpUrl("https://geocoding-api.open-meteo.com"), description="Open-Meteo's place-name endpoint."
    )
    tool_timeout: float = Field(default=30, gt=0, description="Seconds a tool may take.")

    # Places
    thinkglass_data: Path = Field(
        default=Path("~/.local/share/thinkglass"), description="Folder for all that the app writes; created private."
    )
    thinkglass_cache: Path = Field(
        default=Path("~/.cache/thinkglass"), description="Folder for the built-in model's weights; may be deleted."
    )

    # The page
    allowed_origins: str = Field(
        default="",
        description="Other addresses the page is served under, by comma, such as https://chat.example.org.",
    )

    @property
    def endpoint(self) -> tuple[str, str | None, str | None] | None:
        """Address, key and model of the endpoint that is set; None if none is. No model: the first one it lists."""
        if self.llm_api_base:
            return str(self.llm_api_base), secret(self.llm_api_key), self.llm_model
        if self.deepseek_api_key:
            key = secret(self.deepseek_api_key)
            return str(self.deepseek_api_base), key, self.llm_model or "deepseek-flash"
        return None

    @field_validator("thinkglass_data", "thinkglass_cache", "local_model_path")
    @classmethod
    def _expanded(cls, path: Path | None) -> Path | None:
        return path.expanduser() if path else None

    @field_validator("local_model_path")
    @classmethod
    def _existing(cls, path: Path | None) -> Path | None:
        if path and not path.is_file():
            raise ValueError("there is no such file")
        return path

    @field_validator("llm_api_key")
    @classmethod
    def _has_its_endpoint(cls, key: SecretStr | None, info: ValidationInfo) -> SecretStr | None:
        if key and not info.data.get("llm_api_base"):
            raise ValueError("it needs LLM_API_BASE, the endpoint that the key is for")
        return key


def secret(key: SecretStr | None) -> str | None:
    """The key itself, for whoever sends it; never for showing."""
    return key.get_secret_value() if key else None


def load_settings() -> Settings:
    """Read the settings, or end the program with one plain line that names the wrong variable."""
    try:
        return Settings()
    except ValidationError as error:
        _exit_with(error.errors()[0])


def _exit_with(error: Any) -> NoReturn:
    name = str(error["loc"][0]).upper()
    reason = error["msg"].removeprefix("Value error, ").removeprefix("Input ")
    shown = "" if "KEY" in name else f" (it is {str(error['input'])!r})"
    sys.exit(f"{name} is set wrong{shown}: {reason}. The file .env.example says what it takes.")
