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

    llm_prices: str = Field(
        default="", description="Price of a million input, cached and output tokens: then each answer tells its cost."
    )

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

    chat_titles: Literal["model", "words"] = Field(
        default="model", description="Who names a chat: the model, where that is cheap, or its first words."
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
    run_python: Literal["auto", "off"] = Field(
        default="auto", description="Whether the model may run Python, where it can be confined."
    )
    mcp_config: Path | None = Field(
        default=None, description="JSON file that names MCP servers, whose tools the model may use."
    )

    # Places
    thinkglass_data: Path = Field(
        default=Path("~/.local/share/thinkglass"), description="Folder for all that the app writes; created private."
    )
    thinkglass_cache: Path = Field(
        default=Path("~/.cache/thinkglass"), description="Folder for the built-in model's weights; may be deleted."
    )

    # People and their chats
    auth: Literal["none", "password", "oauth", "header"] = Field(
        default="none",
        description="Who may chat: each browser for itself, people with a password, a provider's, or a proxy's.",
    )
    auth_users_file: Path | None = Field(
        default=None, description="File of names and password hashes; by default people.txt in THINKGLASS_DATA."
    )
    auth_header: str = Field(
        default="X-Forwarded-User", description="With AUTH=header: where the proxy puts the name of who is logged in."
    )
    trusted_network: bool = Field(
        default=False,
        description="Lets everybody in who can reach the address it listens on, when that is not only this computer.",
    )
    chainlit_auth_secret: SecretStr | None = Field(
        default=None, description="Signs the login cookies; by default a key is made in THINKGLASS_DATA."
    )
    database_url: SecretStr | None = Field(
        default=None, description="Where chats are kept: postgresql://…; by default SQLite in THINKGLASS_DATA."
    )
    files_s3_bucket: str | None = Field(
        default=None, description="Bucket for the files of chats; by default a folder in THINKGLASS_DATA."
    )
    files_s3_endpoint: HttpUrl | None = Field(
        default=None, description="Where the bucket is, if it is not Amazon's: MinIO and others that speak S3."
    )
    files_s3_region: str | None = Field(
        default=None, description="Region of the bucket; by default what boto3 finds in its own settings."
    )

    # How much one person may have; 0 is without a limit
    max_running_turns: int = Field(default=3, ge=0, description="Answers that are written for one person at a time.")
    max_messages_per_minute: int = Field(default=30, ge=0, description="Messages of one person within a minute.")
    max_tokens_per_day: int = Field(
        default=0, ge=0, description="Tokens of one person, read and written, from midnight to midnight UTC."
    )

    # For operators
    shutdown_patience: float = Field(
        default=20, ge=0, description="Seconds that running answers get when the server ends; then they are cut off."
    )
    log_format: Literal["text", "json"] = Field(default="text", description="Log lines for people or for machines.")
    metrics_token: SecretStr | None = Field(
        default=None, description="Whoever knows it may read /metrics; by default only this computer may."
    )
    otel_exporter_otlp_endpoint: HttpUrl | None = Field(
        default=None, description="Where traces of turns go, without what was said; by default nowhere."
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

    @property
    def tool_values(self) -> dict[str, Any]:
        """What the tools need to know, by the names that they have for it."""
        return {
            "tavily_api_key": secret(self.tavily_api_key),
            "tavily_api_base": str(self.tavily_api_base),
            "openweather_api_key": secret(self.openweather_api_key),
            "openweather_api_base": str(self.openweather_api_base),
            "open_meteo_api_base": str(self.open_meteo_api_base),
            "open_meteo_geocoding_api_base": str(self.open_meteo_geocoding_api_base),
            "timeout_s": self.tool_timeout,
        }

    @property
    def client_values(self) -> dict[str, Any]:
        """What every client of a model is told, and no chat changes."""
        return self.model_dump(include={"idle_timeout", "connect_timeout", "max_retries"})

    @property
    def local_values(self) -> dict[str, Any]:
        """What finding or starting a model on this computer needs to know."""
        values = self.model_dump(include={"local_model", "local_model_path"})
        return {**values, "cache_folder": self.thinkglass_cache}

    @property
    def auth_values(self) -> dict[str, Any]:
        """What logging in needs to know, by the names that it has for it."""
        return {
            "mode": self.auth,
            "secret": secret(self.chainlit_auth_secret),
            "data_folder": self.thinkglass_data,
            "people_file": self.people_file,
            "header": self.auth_header,
            "is_network_trusted": self.trusted_network,
        }

    @property
    def history_values(self) -> dict[str, Any]:
        """What keeping chats needs to know, by the names that it has for it."""
        endpoint = str(self.files_s3_endpoint) if self.files_s3_endpoint else None
        bucket = {"name": self.files_s3_bucket, "endpoint": endpoint, "region": self.files_s3_region}
        return {
            "database_url": secret(self.database_url),
            "data_folder": self.thinkglass_data,
            "bucket": bucket if self.files_s3_bucket else None,
        }

    @property
    def quota_values(self) -> dict[str, int]:
        """How much one person may have."""
        return self.model_dump(include={"max_running_turns", "max_messages_per_minute", "max_tokens_per_day"})

    @property
    def otlp_endpoint(self) -> str | None:
        """Where traces go."""
        return str(self.otel_exporter_otlp_endpoint) if self.otel_exporter_otlp_endpoint else None

    @property
    def people_file(self) -> Path:
        """Names and password hashes."""
        return self.auth_users_file or self.thinkglass_data / "people.txt"

    @field_validator("thinkglass_data", "thinkglass_cache", "local_model_path", "auth_users_file", "mcp_config")
    @classmethod
    def _expanded(cls, path: Path | None) -> Path | None:
        return path.expanduser() if path else None

    @field_validator("local_model_path", "mcp_config")
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

    @field_validator("files_s3_endpoint", "files_s3_region")
    @classmethod
    def _has_its_bucket(cls, where: Any, info: ValidationInfo) -> Any:
        if where and not info.data.get("files_s3_bucket"):
            raise ValueError("it needs FILES_S3_BUCKET, the bucket that is there")
        return where


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
