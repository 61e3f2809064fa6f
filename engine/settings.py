"""Every environment variable that Almanac reads, and what is said to the log."""

from __future__ import annotations

import json
import logging
import os
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from engine.errors import UsageError

if TYPE_CHECKING:
    from engine.spend import Budget

VARIABLES: Final[dict[str, str]] = {
    "ALMANAC_CATALOG": "the catalog file, where no --catalog is given; without it, almanac.toml in the current folder",
    "ALMANAC_DATA": "the folder for built tables and the log; without it, the user's cache folder",
    "ALMANAC_CACHE": "whether what may be lost is remembered, such as the plans of questions: on (the default) or off",
    "ALMANAC_LOG": "what is written to standard error: off (the default), error, warning, info or debug, each line a JSON object",
    "ALMANAC_EMBEDDER": "what finds terms by their meaning: bundled (the default), multilingual (an extra) or endpoint (OPENAI_BASE_URL)",
    "ALMANAC_EMBEDDING_MODEL": "the model that the endpoint is asked for; without it, text-embedding-3-small",
    "OPENAI_API_KEY": "the key of OpenAI or of whoever answers at OPENAI_BASE_URL",
    "OPENAI_BASE_URL": "the address of an endpoint that is compatible with OpenAI's (https://.../v1); without it, OpenAI's own",
    "ALMANAC_MODEL": "the language model that plans what cannot be planned without one, as the endpoint calls it; without it, none is asked",
    "ALMANAC_SMALL_MODEL": "a cheaper model that chooses tables and makes questions of a thread whole; without it, ALMANAC_MODEL",
    "ALMANAC_PLANNER": "auto (the default): a model is asked only what is not covered without one; offline: never; model: always",
    "ALMANAC_MODEL_MODE": "how the form of a reply is asked for: json_schema (the default, strict), tools or json",
    "ALMANAC_MODEL_SECONDS": "how many seconds of a model's time a question may take; without it, 20",
    "ALMANAC_MODEL_CALLS": "how many calls of a model a question may take; without it, 8",
    "ALMANAC_MODEL_TOKENS": "how many tokens, read and written, a question may take; without it, 40000",
    "ALMANAC_MODEL_PRICE": "what a million tokens cost, read and written, in the currency of the bills, such as 0.40 1.60; without it, nothing",
    "ALMANAC_STATE": "the database of conversations and of what is still to be said, as SQLAlchemy writes addresses; without it, SQLite in ALMANAC_DATA",
    "ALMANAC_SECRET": "what the values of buttons are signed with; without it, a secret that is made once and kept in ALMANAC_STATE",
    "ALMANAC_KEEP_DAYS": "how many days conversations and replies are kept; without it, 30",
    "ALMANAC_AUDIT_DAYS": "how many days the entries of the audit are kept; without it, 365",
    "ALMANAC_WARM_SECONDS": "how many seconds `almanac serve` may spend on loading what is asked most when it starts, 0 for none; without it, 30",
    "ALMANAC_UNUSED_DAYS": "how many days a built table that no catalog in use names is kept after it was last asked; without it, 30",
    "ALMANAC_QUESTIONS_A_MINUTE": "how many questions a person may ask in a minute, 0 for any number; without it, 30",
    "ALMANAC_WORKSPACE_QUESTIONS_A_MINUTE": "how many questions all people of a workspace may ask in a minute, 0 for any number; without it, 1000",
    "ALMANAC_ROWS_EXPORTED_A_DAY": "how many rows a person may take away as files in 24 hours, 0 for any number; without it, 200000",
    "ALMANAC_MODEL_SPEND_A_DAY": "what a workspace may spend on models in 24 hours, in the currency of its bills, 0 for any amount; without it, any",
    "SLACK_BOT_TOKEN": "the bot's token (xoxb-...); with it Slack is served",
    "SLACK_SIGNING_SECRET": "what Slack signs its requests with, where it sends them over HTTP",
    "SLACK_APP_TOKEN": "the app-level token (xapp-...); with it Slack is reached over a socket (Socket Mode) and needs no address",
    "SLACK_API_URL": "another address of Slack's Web API",
    "MICROSOFT_APP_ID": "the bot's application id; with it Teams is served",
    "MICROSOFT_APP_PASSWORD": "the client secret of that application",
    "MICROSOFT_APP_TENANT_ID": "the tenant of a single-tenant bot",
}
CATALOG_NAME: Final = "almanac.toml"
LOG_NAME: Final = "almanac.log"
_OFF: Final = logging.CRITICAL + 1
_LEVELS: Final = {"off": _OFF, "error": logging.ERROR, "warning": logging.WARNING, "info": logging.INFO, "debug": logging.DEBUG}
_ORDINARY: Final = frozenset(vars(logging.makeLogRecord({}))) | {"message", "asctime", "taskName"}


def setting(name: str) -> str:
    """The value of one of VARIABLES without surrounding blanks, empty where it is not set; raises KeyError for a name that is not there."""
    if name not in VARIABLES:
        raise KeyError(name)
    return os.environ.get(name, "").strip()


def given() -> dict[str, str]:
    """Those of VARIABLES that are set, empty ones among them."""
    return {name: os.environ[name] for name in VARIABLES if name in os.environ}


def catalog_path() -> Path | None:
    """The catalog that is used when none is named: ALMANAC_CATALOG, else ./almanac.toml where there is one, else None; raises UsageError."""
    if named := os.environ.get("ALMANAC_CATALOG", "").strip():
        return _expanded("ALMANAC_CATALOG", named)
    return Path(CATALOG_NAME) if os.path.exists(CATALOG_NAME) else None  # which for pathlib is an error in a closed folder


def data_folder() -> Path:
    """Where built tables lie: ALMANAC_DATA, else "almanac" in the user's cache folder; it need not exist yet. Raises UsageError."""
    if named := os.environ.get("ALMANAC_DATA", "").strip():
        folder = _expanded("ALMANAC_DATA", named)
        try:
            return folder.absolute()
        except OSError:  # where the current folder is gone
            raise UsageError(
                f'ALMANAC_DATA is "{printable(named)}" in a folder that is not there any more; name it by its whole path.'
            ) from None
    from platformdirs import user_cache_path  # read only where no folder is named

    folder = user_cache_path("almanac", appauthor=False)
    if not folder.is_absolute():
        raise UsageError("There is no home folder to keep built tables in; set ALMANAC_DATA to a folder.")
    return folder


def warm_seconds() -> float:
    """ALMANAC_WARM_SECONDS, 30 where it is not set; raises UsageError where it is no number, or below 0."""
    return _number("ALMANAC_WARM_SECONDS", 30, 86_400, "a number of seconds such as 30, or 0 for none")


def unused_days() -> float:
    """ALMANAC_UNUSED_DAYS, 30 where it is not set; raises UsageError where it is no number, or below 1."""
    days = _number("ALMANAC_UNUSED_DAYS", 30, 100_000, "a number of days from 1 on, such as 30")
    if days < 1:
        raise UsageError("ALMANAC_UNUSED_DAYS must be a number of days from 1 on, such as 30.")
    return days


def model_budget() -> Budget:
    """What a question may take of a model: ALMANAC_MODEL_CALLS, _TOKENS, _SECONDS, and what that costs, _PRICE; raises UsageError."""
    from engine.spend import Budget  # pydantic, which starting the command must not wait for

    usual = Budget()
    price = setting("ALMANAC_MODEL_PRICE").split() or ["0", "0"]
    try:
        read, written = map(float, price)
        if not (0 <= read < 1e9 and 0 <= written < 1e9):
            raise ValueError
    except ValueError:
        raise UsageError("ALMANAC_MODEL_PRICE must be two numbers, for a million tokens read and written, such as 0.40 1.60.") from None
    return Budget(
        calls=int(_number("ALMANAC_MODEL_CALLS", usual.calls, 1000, "a number of calls such as 8")),
        tokens=int(_number("ALMANAC_MODEL_TOKENS", usual.tokens, 10_000_000, "a number of tokens such as 40000")),
        seconds=_number("ALMANAC_MODEL_SECONDS", usual.seconds, 3600, "a number of seconds such as 20"),
        price=(read, written),
    )


def _number(variable: str, usual: float, most: float, right: str) -> float:
    try:
        number = float(setting(variable) or usual)
    except ValueError:
        number = -1.0
    if not 0 <= number <= most:
        raise UsageError(f"{variable} must be {right}.")
    return number


def _expanded(variable: str, named: str) -> Path:
    """The path that a setting names, with the user's home (~) written out."""
    text = os.path.expanduser(named)
    if text.startswith("~"):
        raise UsageError(
            f'{variable} is "{printable(named)}", and "{printable(named.split("/")[0])}" is no home folder here; name it by its whole path.'
        )
    return Path(text)


def remembers() -> bool:
    """Whether what may be lost is remembered (ALMANAC_CACHE); raises UsageError for a word that is neither on nor off."""
    word = setting("ALMANAC_CACHE").casefold() or "on"
    if word not in ("on", "off"):
        raise UsageError(f'ALMANAC_CACHE is "{printable(word)}"; it can be on or off.')
    return word == "on"


def log_level() -> int:
    """The level of ALMANAC_LOG as logging's number; raises UsageError for a word that is no level."""
    word = os.environ.get("ALMANAC_LOG", "off").strip().casefold() or "off"
    if word not in _LEVELS:
        raise UsageError(f'ALMANAC_LOG is "{printable(word)}"; it can be {", ".join(_LEVELS)}.')
    return _LEVELS[word]


def printable(text: str, limit: int = 80) -> str:
    """The text as it may stand inside a message: one line, no control characters, cut to the limit."""
    shown = "".join(c if c.isprintable() else " " for c in text).strip()
    return shown if len(shown) <= limit else shown[: limit - 1] + "…"


class JsonLines(logging.Formatter):
    """One JSON object a line: time (ISO 8601, UTC), level, logger, event, what was passed as `extra`, and the traceback."""

    def format(self, record: logging.LogRecord) -> str:
        """The record as one line."""
        line: dict[str, Any] = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "logger": record.name,
            "event": record.getMessage(),
            **{key: value for key, value in vars(record).items() if key not in _ORDINARY},
        }
        if record.exc_info:
            line["traceback"] = self.formatException(record.exc_info)
        return json.dumps(line, ensure_ascii=False, default=str)


class _Quiet(logging.StreamHandler[Any]):
    """Standard error that may be closed by whoever reads it."""

    def handleError(self, record: logging.LogRecord) -> None:
        """A log line that cannot be written is no reason to stop."""


def start_logging() -> None:
    """Sends the log to standard error at the level of ALMANAC_LOG; libraries are heard from "warning" on at most."""
    level = log_level()
    handler = _Quiet(sys.stderr)
    handler.setFormatter(JsonLines())
    root = logging.getLogger()
    root.handlers = [handler]
    root.setLevel(max(level, logging.WARNING))
    for ours in ("engine", "cache", "jobs", "bot"):
        logging.getLogger(ours).setLevel(level)


def log_incident(incident: str, error: BaseException) -> Path | None:
    """Keeps an unexpected error under its incident id in the log file of the data folder; gives that file, None where it cannot be."""
    record = logging.LogRecord("bot", logging.ERROR, "", 0, "incident", (), (type(error), error, error.__traceback__))
    record.incident = incident
    logger = logging.getLogger("bot")
    if logger.isEnabledFor(logging.ERROR):
        logger.handle(record)
    try:
        folder = data_folder()
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        path = folder / LOG_NAME
        with open(path, "a", encoding="utf-8", errors="backslashreplace", opener=lambda name, flags: os.open(name, flags, 0o600)) as log:
            log.write(JsonLines().format(record) + "\n")
    except Exception:  # noqa: BLE001 - whoever tells of one failure must not be stopped by another
        return None
    return path
