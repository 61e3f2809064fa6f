"""The command `almanac`. What is heavy is imported inside the commands, so that each starts with no more than it needs."""

from __future__ import annotations

import secrets
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from bot import __version__
from bot.output import OutputClosedError, OutputError, give_up_output, open_standard_output
from bot.say import say
from engine.errors import AlmanacError, UsageError
from engine.settings import catalog_path, log_incident, start_logging

if TYPE_CHECKING:
    from bot.chat.state import State
    from engine.catalog import Catalog
    from engine.types import Reply, Scope

NOT_ANSWERED: Final = 1
FAILED: Final = 3
INTERRUPTED: Final = 130
_PATH: Final = click.Path(path_type=Path)
_AS: Final = click.option(
    "--as", "asker", metavar="USER", help="Show what this person may see: an e-mail or id that the catalog's rules know; else everything."
)
_CATALOG_HELP: Final = "The catalog; else ALMANAC_CATALOG, else ./almanac.toml."
_NOTHING_TO_ASK: Final = (
    "There is no almanac.toml here; name a table with --table FILE, a catalog with --catalog FILE, or draft one with `almanac init FILE`."
)


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


def _with_tables(command: Callable[..., Any]) -> Callable[..., Any]:
    """The options that say what is asked."""
    command = click.option("--catalog", "catalog", type=_PATH, metavar="FILE", help=_CATALOG_HELP)(command)
    return click.option("--table", "table", metavar="FILE", help="A file, address or database without a catalog.")(command)


@cli.command()
@click.argument("question", nargs=-1)
@_with_tables
@click.option("--json", "as_json", is_flag=True, help="The reply as JSON, and nothing else, on standard output.")
@click.option("--thread", "thread", type=_PATH, metavar="FILE", help='What was said before, a JSON list of {"who", "text"}.')
@click.option("--save", "save", type=_PATH, metavar="FILE", help="Save all rows as FILE.csv or FILE.xlsx as well.")
@click.option("--overwrite", is_flag=True, help="Let --save replace a file that is there; never one that is asked.")
@click.option("--all", "every_row", is_flag=True, help="Show every row on a terminal; a pipe and a file have them anyway.")
@_AS
def ask(
    question: tuple[str, ...],
    table: str | None,
    catalog: Path | None,
    as_json: bool,
    thread: Path | None,
    save: Path | None,
    overwrite: bool,
    every_row: bool,
    asker: str | None,
) -> int:
    """Answer QUESTION from the tables."""
    from bot.question import checked_question

    text = checked_question(" ".join(question))
    chosen = _catalog(table, catalog)
    read: list[Path] = []
    if save is not None:
        from bot.save import checked_target
        from bot.target import read_for

        read = [*read_for(chosen), *([thread] if thread else [])]
        checked_target(save, read, overwrite=overwrite)
    from bot.answering import answers_from, library_of
    from bot.thread import thread_from_file
    from cache.counts import counted
    from engine.types import ChatThread

    said = thread_from_file(thread) if thread else ChatThread()
    try:
        scope = _scope(chosen, asker)
        with counted() as counts, library_of(chosen, scope) as library:
            reply = answers_from(library)(text, said, scope)
    except AlmanacError as error:
        if as_json and error.status == FAILED:
            from bot.failure import failure

            _print_json(failure(text, str(error)).to_json())
        raise
    saved = _save(reply, save, read, overwrite)
    if as_json:
        _print_json({**reply.to_json(), "cache": counts.to_json()})
    else:
        from bot.terminal import print_reply

        print_reply(reply, sys.stdout, every_row=every_row)
    for path in saved:
        say(f'Saved as "{path}".')
    if save is not None and not saved:
        say("There are no rows to save.")
    return {"answer": 0, "failure": FAILED}.get(reply.kind, NOT_ANSWERED)


@cli.command()
@click.argument("source", metavar="FILE")
@click.option("--out", "out", type=_PATH, metavar="FILE", help="Where to write the draft; else ./almanac.toml, - for standard output.")
def init(source: str, out: Path | None) -> None:
    """Draft a catalog for FILE, and print five questions that work."""
    from bot.draft import draft

    made = draft(source, Path.cwd() if out is None or str(out) == "-" else out.absolute().parent)
    target = out or Path("almanac.toml")
    if str(target) == "-":
        click.echo(made.text, nl=False)
        return
    try:
        with open(target, "x", encoding="utf-8") as file:
            file.write(made.text)
    except FileExistsError:
        if out is not None:
            raise UsageError(f'There is already a file "{target}"; name another with --out, or - for standard output.') from None
        say(f'There is already a file "{target}", which was left as it is; this is the draft.')
        click.echo(made.text, nl=False)
        return
    except OSError:
        raise UsageError(f'The draft cannot be written as "{target}"; name a file in a folder that you may write in.') from None
    click.echo(f"Wrote {target}. Look through it, and say there what your people call things. Questions that work:\n")
    for command in made.commands(target):
        click.echo(f"    {command}")


@cli.command()
@click.argument("source", metavar="[FILE]", required=False)
@click.option("--catalog", "catalog", type=_PATH, metavar="FILE", help=_CATALOG_HELP)
@click.option("--json", "as_json", is_flag=True, help="What was read as JSON, and nothing else, on standard output.")
def check(source: str | None, catalog: Path | None, as_json: bool) -> None:
    """Read FILE, or the tables of the catalog, and tell how they were read."""
    from bot.check import print_reports, read_catalog

    tables = read_catalog(_catalog(source, catalog))
    if as_json:
        from engine.read.report import report_json

        _print_json(report_json(tables))
    else:
        print_reports(tables, sys.stdout)


@cli.command()
@_with_tables
def index(table: str | None, catalog: Path | None) -> None:
    """Build what is not built, or whose source has changed, before anyone asks."""
    from bot.progress import ProgressBar
    from cache.versions import Store
    from engine.settings import data_folder
    from jobs.indexing import index_tables

    with ProgressBar() as bar:
        indexed = list(index_tables(_catalog(table, catalog), Store(data_folder()), bar.report))
    for one in indexed:
        click.echo(f"{one.table}: {one.rows:,} rows, read {one.loaded_at}, version {one.version}")


@cli.command("eval")
@click.argument("cases", type=_PATH, metavar="CASES.jsonl")
@click.option("--root", type=_PATH, required=True, metavar="FOLDER", help="What the paths of the cases are relative to.")
@click.option("--out", type=_PATH, required=True, metavar="RESULTS.jsonl", help="Where the results are written.")
@click.option("--catalog", "catalog", type=_PATH, metavar="FILE", help="Ask this catalog, and not each case's own table.")
@click.option("--source", "sources", multiple=True, metavar="TABLE=FILE", help="Another source for a table of the catalog.")
@click.option("--field", default="question", show_default=True, help="The field of a case that holds its question.")
def evaluate(cases: Path, root: Path, out: Path, catalog: Path | None, sources: tuple[str, ...], field: str) -> None:
    """Ask each of CASES, one JSON object a line, and write the replies."""
    from bot.evaluate import evaluate_cases

    chosen = None
    if catalog is not None:
        chosen = _catalog(None, catalog)
        for pair in sources:
            name, equals, source = pair.partition("=")
            if not (name and equals and source):
                raise UsageError(f'--source is "{pair}"; it must be TABLE=FILE.')
            chosen = chosen.with_source(name, source)
    elif sources:
        raise UsageError("--source replaces a table of a catalog; name the catalog with --catalog.")
    tally = evaluate_cases(cases, root, out, catalog=chosen, field=field)
    say(f"{tally.cases} cases asked, {tally.answered} answered, {tally.failed} failed; the replies are in {out}.")


@cli.command()
@_with_tables
@_AS
def chat(table: str | None, catalog: Path | None, asker: str | None) -> None:
    """Talk with the tables on the terminal: go on from what was said, page, correct, download."""
    from bot.answering import library_of
    from bot.chat.asking import asking_of
    from bot.chat.terminal import talk

    chosen = _catalog(table, catalog)
    scope = _scope(chosen, asker)
    with library_of(chosen, scope) as library:
        talk(asking_of(library, scope), sys.stdin, sys.stdout)


@cli.command()
@_with_tables
@click.option("--host", default="127.0.0.1", show_default=True, help="The address to listen at.")
@click.option("--port", default=8080, show_default=True, type=click.IntRange(1, 65535), help="The port to listen at.")
@click.option("--read-only-notice", "notice", metavar="TEXT", help="Answer everything with TEXT, and look nothing up.")
def serve(table: str | None, catalog: Path | None, host: str, port: int, notice: str | None) -> None:
    """Answer in Slack and Teams, those of them whose settings are there."""
    from bot.answering import library_of
    from bot.chat.asking import asking_of
    from bot.chat.settings import state_url
    from bot.chat.state import State
    from bot.serve import serve as serve_chats
    from engine.rights import Rights
    from engine.settings import warm_seconds
    from engine.warm import warming

    if notice is not None and not notice.strip():
        raise UsageError("--read-only-notice is empty; it must say what people are to be told.")
    chosen = _catalog(table, catalog)
    seconds = 0.0 if notice else warm_seconds()
    state = State(state_url())
    rights = Rights(chosen)
    with library_of(chosen, *rights.likely()) as library, warming(library, rights.likely(), seconds):
        serve_chats(state, asking_of(library, rights), host, port, say, notice=(notice or "").strip())


@cli.command()
@click.option("--since", metavar="DATE", help="No entry before this day, or moment: 2026-11-30, 2026-11-30T12:00 (UTC).")
@click.option("--until", metavar="DATE", help="No entry after this day, or from this moment on.")
@click.option("--asker", default="", metavar="ID", help="One person's entries: the platform's id, or the e-mail.")
@click.option("--json", "as_json", is_flag=True, help="Each entry as a JSON object on a line of its own, on standard output.")
@click.option("--save", "save", type=_PATH, metavar="FILE.csv", help="Save the entries as FILE.csv, and print none.")
@click.option("--overwrite", is_flag=True, help="Let --save replace a file that is there.")
def audit(since: str | None, until: str | None, asker: str, as_json: bool, save: Path | None, overwrite: bool) -> None:
    """Tell who asked for what in the chats, oldest first."""
    from bot.audit import checked_csv, moment, print_entries, save_entries

    if as_json and save is not None:
        raise UsageError("--json prints the entries and --save writes them to a file; leave one out.")
    first, last = moment("--since", since), moment("--until", until, end=True)
    if save is not None:
        checked_csv(save, overwrite=overwrite)
    from bot.chat.audit import Audit

    with _state() as state:
        entries = Audit(state).read(first, last, asker.strip())
        if save is not None:
            say(f'Saved {save_entries(entries, save):,} entries as "{save}".')
        else:
            if as_json:
                _speak_utf8()
            print_entries(entries, sys.stdout, as_json=as_json)


@cli.command()
@click.argument("person")
@click.option("--yes", "sure", is_flag=True, help="Do not ask whether it is meant.")
@click.option("--with-audit", is_flag=True, help="Erase the entries of the audit as well, which else stay until their time.")
def erase(person: str, sure: bool, with_audit: bool) -> None:
    """Erase the conversations of PERSON: the platform's id, or the e-mail."""
    whom = person.strip()
    if not whom:
        raise UsageError("Nobody is named; give the platform's id of a person, or the e-mail.")
    if not sure:
        if not sys.stdin.isatty():
            raise UsageError("What is erased cannot be had back; say --yes where nobody can be asked.")
        from bot.escape import one_line

        what = "conversations and audit entries" if with_audit else "conversations"
        click.confirm(f'Erase the {what} of "{one_line(whom)}"? They cannot be had back.', abort=True, err=True)
    from bot.chat.erase import erase as erase_person

    with _state() as state:
        erased = erase_person(state, whom, with_audit=with_audit)
    for what, number in asdict(erased).items():
        click.echo(f"{what}: {number:,}")


@contextmanager
def _state() -> Iterator[State]:
    """The state database, for as long as it is needed."""
    from bot.chat.settings import state_url
    from bot.chat.state import State

    state = State(state_url())
    try:
        yield state
    finally:
        state.close()


@cli.group()
def manifest() -> None:
    """Write what is uploaded to Slack or Teams to install the bot."""


@manifest.command("slack")
@click.option("--url", default="", metavar="URL", help="The https address that Slack reaches `almanac serve` at; none for Socket Mode.")
def manifest_slack(url: str) -> None:
    """Print the manifest of the Slack app."""
    from bot.slack.manifest import manifest as slack_manifest

    click.echo(slack_manifest(url), nl=False)


@manifest.command("teams")
@click.option("--app-id", required=True, metavar="ID", help="The application id of the bot's registration.")
@click.option("--domain", required=True, metavar="DOMAIN", help="The domain that `almanac serve` is reached at.")
@click.option("--out", required=True, type=_PATH, metavar="FILE.zip", help="Where to write the package.")
def manifest_teams(app_id: str, domain: str, out: Path) -> None:
    """Write the package of the Teams app."""
    from bot.teams.manifest import write_package

    write_package(app_id, domain, out)
    say(f'Wrote "{out}"; upload it in Teams under Apps, Manage your apps.')


@cli.group("cache")
def cache_group() -> None:
    """Look after what is kept: built tables, and what is remembered beside them."""


@cache_group.command("stats")
@click.option("--json", "as_json", is_flag=True, help="The same as JSON, and nothing else, on standard output.")
def cache_stats(as_json: bool) -> None:
    """Tell what is kept: how much, how long, and who holds it."""
    from bot.cache import print_stats, stats
    from engine.settings import data_folder

    found = stats(data_folder())
    if as_json:
        _print_json(found)
    else:
        print_stats(found, sys.stdout)


@cache_group.command("clear")
@click.argument("namespace", required=False)
@click.option("--tables", "with_tables", is_flag=True, help="Remove built tables as well, but for those that somebody holds.")
@click.option("--yes", "sure", is_flag=True, help="Do not ask whether it is meant.")
@click.option("--json", "as_json", is_flag=True, help="How much went as JSON, and nothing else, on standard output.")
def cache_clear(namespace: str | None, with_tables: bool, sure: bool, as_json: bool) -> None:
    """Forget what is remembered, or only what NAMESPACE holds; it costs time and nothing else."""
    from bot.cache import checked_namespaces, clear, print_cleared
    from engine.settings import data_folder

    names = checked_namespaces(namespace)
    folder = data_folder()
    if not sure:
        if not sys.stdin.isatty():
            raise UsageError("Nobody can be asked whether it is meant; say --yes.")
        click.confirm(f"Forget {', '.join(names)}{' and remove the built tables' if with_tables else ''}?", abort=True, err=True)
    cleared = clear(folder, names, with_tables=with_tables)
    if as_json:
        _print_json(cleared)
    else:
        print_cleared(cleared, sys.stdout)


@cache_group.command("verify")
@click.option("--repair", is_flag=True, help="Drop what is wrong: it is made anew when it is asked for.")
@click.option("--json", "as_json", is_flag=True, help="What was found as JSON, and nothing else, on standard output.")
def cache_verify(repair: bool, as_json: bool) -> int:
    """Read all that is kept, and tell what is wrong."""
    from bot.cache import print_verified, verify
    from engine.settings import data_folder

    found = verify(data_folder(), repair=repair)
    if as_json:
        _print_json(found)
    else:
        print_verified(found, sys.stdout)
    return FAILED if found["wrong"] else 0


@cache_group.command("warm")
@_with_tables
@click.option("--seconds", type=click.FloatRange(0, 86_400), default=None, help="Begin no table after that; else ALMANAC_WARM_SECONDS.")
@click.option("--json", "as_json", is_flag=True, help="What was loaded as JSON, and nothing else, on standard output.")
def cache_warm(table: str | None, catalog: Path | None, seconds: float | None, as_json: bool) -> int:
    """Build what is not built, and read it once, the tables that are asked most first."""
    from bot.cache import print_warmed, warm_tables
    from engine.settings import warm_seconds

    warmed = warm_tables(_catalog(table, catalog), warm_seconds() if seconds is None else seconds)
    if as_json:
        _print_json({"tables": warmed})
    else:
        print_warmed(warmed, sys.stdout)
    return FAILED if any(one["failure"] for one in warmed) else 0


@cache_group.group("show")
def cache_show() -> None:
    """Show what is kept, as a model is told it."""


@cache_show.command("history")
@click.argument("name", metavar="TABLE")
@_with_tables
def cache_show_history(name: str, table: str | None, catalog: Path | None) -> None:
    """Print the messages that show TABLE being created, one JSON object a line."""
    from bot.cache import history

    _speak_utf8()
    for line in history(_catalog(table, catalog), name):
        click.echo(line)


def _catalog(table: str | None, catalog: Path | None) -> Catalog:
    """What is asked: a source alone, the catalog that is named, or the one that is found."""
    if table is not None and catalog is not None:
        raise UsageError("A file or a catalog can be asked, and both were named; leave one out.")
    from engine.catalog import catalog_of, load_catalog

    if table is not None:
        return catalog_of(table)
    if found := catalog or catalog_path():
        return load_catalog(found)
    raise UsageError(_NOTHING_TO_ASK)


def _scope(catalog: Catalog, asker: str | None) -> Scope:
    """What is shown: everything to whoever holds the files and names nobody, else what the named person may see."""
    from engine.rights import Person, Rights
    from engine.types import EVERYTHING

    return EVERYTHING if asker is None else Rights(catalog).scope_of(Person(ids=(asker,)))


def _save(reply: Reply, path: Path | None, read: list[Path], overwrite: bool) -> list[Path]:
    if path is None:
        return []
    from bot.save import save_reply

    return save_reply(reply, path, read, overwrite=overwrite)


def _print_json(value: Any) -> None:
    from bot.escape import json_text

    _speak_utf8()
    click.echo(json_text(value))


def _speak_utf8() -> None:
    with suppress(AttributeError):
        sys.stdout.reconfigure(encoding="utf-8")  # type: ignore[union-attr]


def _sentence(text: str) -> str:
    line = " ".join(text.split())
    return line if line.endswith((".", "?", "!")) else line + "."
