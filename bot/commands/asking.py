"""Commands that ask: once, in a conversation, or a file of cases."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Final, Literal

import click

from bot.commands.common import AS, FAILED, NOT_ANSWERED, PATH, PLANNER, chosen_catalog, print_json, scope_for, with_tables
from bot.say import say
from engine.errors import AlmanacError, UsageError

if TYPE_CHECKING:
    from engine.planners import Kind
    from engine.types import Reply


PARTS: Final = ("terms", "rows", "negatives", "examples", "history")  # of a prompt


@click.command()
@click.argument("question", nargs=-1)
@with_tables
@click.option("--json", "as_json", is_flag=True, help="The reply as JSON, and nothing else, on standard output.")
@click.option("--thread", "thread", type=PATH, metavar="FILE", help='What was said before, a JSON list of {"who", "text"}.')
@click.option("--save", "save", type=PATH, metavar="FILE", help="Save all rows as FILE.csv or FILE.xlsx as well.")
@click.option("--overwrite", is_flag=True, help="Let --save replace a file that is there; never one that is asked.")
@click.option("--all", "every_row", is_flag=True, help="Show every row on a terminal; a pipe and a file have them anyway.")
@PLANNER
@AS
def ask(
    question: tuple[str, ...],
    table: str | None,
    catalog: Path | None,
    as_json: bool,
    thread: Path | None,
    save: Path | None,
    overwrite: bool,
    every_row: bool,
    kind: Kind | None,
    asker: str | None,
) -> int:
    """Answer QUESTION from the tables."""
    from bot.question import checked_question

    text = checked_question(" ".join(question))
    chosen = chosen_catalog(table, catalog)
    read: list[Path] = []
    if save is not None:
        from bot.save import checked_target
        from bot.target import read_for

        read = [*read_for(chosen), *([thread] if thread else [])]
        checked_target(save, read, overwrite=overwrite)
    from bot.answering import answers_from, library_of, planner_of
    from bot.thread import thread_from_file
    from cache.counts import counted
    from engine.types import ChatThread

    said = thread_from_file(thread) if thread else ChatThread()
    try:
        scope = scope_for(chosen, asker)
        planner = planner_of(chosen, kind)
        with counted() as counts, library_of(chosen, scope) as library:
            reply = answers_from(library, planner)(text, said, scope)
    except AlmanacError as error:
        if as_json and error.status == FAILED:
            from bot.failure import failure

            print_json(failure(text, str(error)).to_json())
        raise
    saved = _save(reply, save, read, overwrite)
    if as_json:
        print_json({**reply.to_json(), "cache": counts.to_json()})
    else:
        from bot.terminal import print_reply

        print_reply(reply, sys.stdout, every_row=every_row, asked=text)
    for path in saved:
        say(f'Saved as "{path}".')
    if save is not None and not saved:
        say("There are no rows to save.")
    return {"answer": 0, "failure": FAILED}.get(reply.kind, NOT_ANSWERED)


def _save(reply: Reply, path: Path | None, read: list[Path], overwrite: bool) -> list[Path]:
    if path is None:
        return []
    from bot.save import save_reply

    return save_reply(reply, path, read, overwrite=overwrite)


@click.command()
@with_tables
@PLANNER
@AS
def chat(table: str | None, catalog: Path | None, kind: Kind | None, asker: str | None) -> None:
    """Talk with the tables on the terminal: go on from what was said, page, correct, download."""
    from bot.answering import library_of, planner_of
    from bot.chat.asking import asking_of
    from bot.chat.terminal import talk

    chosen = chosen_catalog(table, catalog)
    scope = scope_for(chosen, asker)
    planner = planner_of(chosen, kind)
    with library_of(chosen, scope) as library:
        talk(asking_of(library, scope, planner), sys.stdin, sys.stdout)


@click.command("eval")
@click.argument("cases", type=PATH, metavar="CASES.jsonl")
@click.option("--root", type=PATH, required=True, metavar="FOLDER", help="What the paths of the cases are relative to.")
@click.option("--out", type=PATH, required=True, metavar="RESULTS.jsonl", help="Where the results are written.")
@click.option("--catalog", "catalog", type=PATH, metavar="FILE", help="Ask this catalog, and not each case's own table.")
@click.option("--source", "sources", multiple=True, metavar="TABLE=FILE", help="Another source for a table of the catalog.")
@click.option("--field", default="question", show_default=True, help="The field of a case that holds its question.")
@click.option("--first", type=click.IntRange(1), metavar="N", help="Only the first N cases.")
@click.option("--planner", "kind", type=click.Choice(["offline", "model", "auto"]), default="offline", show_default=True, help="Who plans.")
@click.option("--baseline", type=click.Choice(["head"]), help="Show the model the first five rows and nothing else, to compare with.")
@click.option("--without", multiple=True, type=click.Choice(PARTS), help="Leave a part of the prompt out; may be given several times.")
def evaluate(
    cases: Path,
    root: Path,
    out: Path,
    catalog: Path | None,
    sources: tuple[str, ...],
    field: str,
    first: int | None,
    kind: Literal["offline", "model", "auto"],
    baseline: str | None,
    without: tuple[str, ...],
) -> None:
    """Ask each of CASES, one JSON object a line, and write the replies."""
    from bot.evaluate import Planning, evaluate_cases

    if (baseline or without) and kind == "offline":
        raise UsageError("--baseline and --without are of a model's prompt; name who plans with --planner model or --planner auto.")
    if baseline and without:
        raise UsageError("--baseline head shows the first rows only, so that --without has nothing to leave out; give one of them.")
    chosen = None
    if catalog is not None:
        chosen = chosen_catalog(None, catalog)
        for pair in sources:
            name, equals, source = pair.partition("=")
            if not (name and equals and source):
                raise UsageError(f'--source is "{pair}"; it must be TABLE=FILE.')
            chosen = chosen.with_source(name, source)
    elif sources:
        raise UsageError("--source replaces a table of a catalog; name the catalog with --catalog.")
    planning = Planning(kind, without, head=baseline is not None)
    tally = evaluate_cases(cases, root, out, catalog=chosen, field=field, first=first, planning=planning)
    say(f"{tally.cases} cases asked, {tally.answered} answered, {tally.failed} failed; the replies are in {out}.")
