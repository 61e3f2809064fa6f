"""The command `almanac`: what it runs, and what becomes of whatever goes wrong."""

from __future__ import annotations

import secrets
import sys
from collections.abc import Sequence
from contextlib import suppress
from typing import Final

import click

from bot import __version__
from bot.commands.asking import ask, chat, evaluate
from bot.commands.building import check, index, init, refresh
from bot.commands.common import FAILED
from bot.commands.keeping import audit, cache_group, erase, status
from bot.commands.scheduling import schedule
from bot.commands.serving import manifest, serve
from bot.output import OutputClosedError, OutputError, give_up_output, open_standard_output
from bot.say import say
from engine.errors import AlmanacError, UsageError
from engine.settings import log_incident, start_logging

INTERRUPTED: Final = 130


def main() -> None:
    """The entry point: runs a command and leaves with its exit status."""
    open_standard_output()
    sys.exit(run(sys.argv[1:]))


def run(arguments: Sequence[str]) -> int:
    """Runs a command and gives its exit status: 0 done or answered, 1 not answered, 2 the call is wrong, 3 something failed."""
    for stream in (sys.stdout, sys.stderr):
        with suppress(AttributeError):  # a stream that is closed, or stood in for, is left as it is
            stream.reconfigure(errors="backslashreplace")  # type: ignore[union-attr]
    try:
        start_logging()
        status = cli.main(list(arguments) or ["--help"], prog_name="almanac", standalone_mode=False)
        sys.stdout.flush()
        if not arguments:
            return UsageError.status
        return status if isinstance(status, int) else 0
    except click.NoSuchOption as error:
        dash = ' A question that begins with "-" goes after --, as in: almanac ask -- "-5 degrees".' if _is_of(error, "ask") else ""
        say(f"{_sentence(error.format_message())} `almanac --help` tells what there is.{dash}")
        return UsageError.status
    except click.ClickException as error:
        say(f"{_sentence(error.format_message())} `almanac --help` tells what there is.")
        return UsageError.status
    except OutputError as error:
        give_up_output()
        if not isinstance(error, OutputClosedError):
            say(str(error))
        return error.status
    except AlmanacError as error:
        say(str(error))
        return error.status
    except (KeyboardInterrupt, click.Abort):
        return INTERRUPTED
    except MemoryError:
        say("There is not enough memory for this; ask a smaller table, or on a machine with more.")
        return FAILED
    except Exception as error:  # noqa: BLE001 - the one place of the command line that catches everything
        incident = secrets.token_hex(4)
        log = log_incident(incident, error)
        say(f"Something went wrong that should not have (incident {incident}{f', told in {log}' if log else ''}).")
        return FAILED


@click.group(context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(__version__, message="almanac %(version)s")
def cli() -> None:
    """Answers questions from your tables: every row that matches, and how it was found."""


def _is_of(error: click.UsageError, command: str) -> bool:
    return error.ctx is not None and error.ctx.command.name == command


for _command in (ask, audit, cache_group, chat, check, erase, evaluate, index, init, manifest, refresh, schedule, serve, status):
    cli.add_command(_command)


def _sentence(text: str) -> str:
    line = " ".join(text.split())
    return line if line.endswith((".", "?", "!")) else line + "."
