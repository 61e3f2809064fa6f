"""A reply on the terminal: for a person in colour and cut to the screen, for a pipe every row on a line of its own."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TextIO

from rich import box
from rich.cells import cell_len
from rich.console import Console
from rich.table import Table
from rich.text import Text

from bot.escape import isolated, lines, one_line
from bot.receipt import Words, counted, freshness_line, note_lines, receipt_lines, shown_line, shown_value, unused_line, words_of
from engine.types import NUMERIC_TYPES, Answer, ClarifyPlan, Reply, ResultTable, Value

FIRST_ROWS = 20  # shown on a terminal unless all are asked for
_NARROWEST = 9  # cells of the screen that a column needs to be readable beside others


def print_reply(reply: Reply, out: TextIO, *, every_row: bool = False, asked: str = "") -> None:
    """Writes a reply: on a terminal in colour, paged where every row is asked for; elsewhere headline, tab-separated rows and receipt.

    asked: the question as it was asked, so that another that was made of it is told.
    """
    if not out.isatty():
        out.write("\n".join(plain_lines(reply, asked)) + "\n")
        return
    console = Console(file=out, highlight=False, markup=False, emoji=False)
    rows = sum(len(part.result.rows) for part in reply.parts if part.result)
    if every_row and rows > console.height:
        with console.pager():
            _print(reply, console, every_row, asked)
    else:
        _print(reply, console, every_row, asked)


def plain_lines(reply: Reply, asked: str = "") -> list[str]:
    """The reply without colour or width, every row in it; cells are divided by tabs."""
    written: list[str] = []
    for number, part in enumerate(reply.parts, start=1):
        words = words_of(part.language)
        if len(reply.parts) > 1:
            written.append(words.say("part", number=number, parts=len(reply.parts)))
        written += [one_line(text) for text in (*_whole(part, asked), part.headline, part.explanation, *note_lines(part)) if text]
        if part.result and part.result.rows:
            written.append("\t".join(one_line(column.name) for column in part.result.columns))
            written += ["\t".join(one_line(shown_value(value, words)) for value in row) for row in part.result.rows]
        written += [one_line(text) for text in _after(part, len(part.result.rows) if part.result else 0, reply.planner)]
    return written


def _print(reply: Reply, console: Console, every_row: bool, asked: str) -> None:
    for number, part in enumerate(reply.parts, start=1):
        words = words_of(part.language)
        if len(reply.parts) > 1:
            console.print(Text(words.say("part", number=number, parts=len(reply.parts)), style="dim"))
        for text in _whole(part, asked):
            console.print(Text(isolated(one_line(text)), style="dim"))
        console.print(Text(isolated(one_line(part.headline)), style="bold" if part.kind == "answer" else "bold yellow"))
        if part.explanation:
            console.print(Text(isolated(lines(part.explanation))))
        for text in note_lines(part):
            console.print(Text(isolated(one_line(text))))
        shown = 0
        if part.result and part.result.rows:
            rows = part.result.rows if every_row else part.result.rows[:FIRST_ROWS]
            shown = len(rows)
            print_rows(part.result, rows, words, console)
        for text in _after(part, shown, reply.planner):
            console.print(Text(isolated(one_line(text)), style="dim"))


def _whole(part: Answer, asked: str) -> list[str]:
    """The question that was made of what was asked in a thread, where it is another."""
    made = part.kind != "failure" and asked and " ".join(asked.split()) != " ".join(part.question.split())
    return [words_of(part.language).say("understood", question=part.question)] if made else []


def _after(part: Answer, shown: int, planner: str) -> list[str]:
    """What follows the rows: how many of how many, the readings to choose from, the receipt, unused words, who planned, freshness."""
    words = words_of(part.language)
    said = [shown_line(part, shown)] if part.result and part.result.rows else []
    if isinstance(part.plan, ClarifyPlan) and part.plan.readings:
        said.append(words.texts["readings"])
        said += [f"  {at}. {reading.label} ({counted(reading.rows, words)})" for at, reading in enumerate(part.plan.readings, start=1)]
    if receipt := receipt_lines(part):
        said += [f"{words.texts['answered_by']}:", *(f"  {line}" for line in receipt)]
    by_model = words.texts["planner_model"] if planner == "model" else ""
    return [text for text in (*said, unused_line(part), by_model, freshness_line(part)) if text]


def print_rows(result: ResultTable, rows: Sequence[tuple[Value, ...]], words: Words, console: Console) -> None:
    """Rows as a table, or as records where the screen has no room for one."""
    texts = [[isolated(lines(shown_value(value, words))) for value in row] for row in rows]
    names = [isolated(one_line(column.name)) for column in result.columns]
    if len(names) * (_NARROWEST + 2) > console.width:
        _print_records(names, texts, console)
        return
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False)
    for name, column in zip(names, result.columns, strict=True):
        figure = column.type in NUMERIC_TYPES
        style = "" if column.role == "answer" else "dim" if column.role == "condition" else None
        table.add_column(Text(name), justify="right" if figure else "left", no_wrap=figure, overflow="fold", style=style or "")
    for row in texts:
        table.add_row(*(Text(text) for text in row))
    console.print(table)
    console.print()


def _print_records(names: Sequence[str], texts: Sequence[Sequence[str]], console: Console) -> None:
    """Each row as lines of "name  value": for more columns than the screen has room for."""
    width = min(max(cell_len(name) for name in names), console.width // 3)
    for row in texts:
        grid = Table.grid(padding=(0, 2))
        grid.add_column(width=width, overflow="fold", style="dim")
        grid.add_column(overflow="fold")
        for name, text in zip(names, row, strict=True):
            if text:
                grid.add_row(Text(name), Text(text))
        console.print(grid)
        console.print()
