"""The agent that chooses tables: cards five a page, two pages at most, six tables at most taken on; skipped where one table clearly fits."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, Final, Literal

import numpy as np
from pydantic import Field

from engine.agents.form import MOST
from engine.agents.strict import Form, Table, checked_form
from engine.embed_discreet import discreet
from engine.fold import fold, words_of
from engine.language import language_of
from engine.message import Function, Message, ToolCall
from engine.plan.decide import Decision
from engine.plan.offline import Reading, readings
from engine.prompt import as_data
from engine.prompts import instructions
from engine.table import OpenTable
from engine.types import NoAnswerPlan

if TYPE_CHECKING:
    from engine.agents.planner import Work

PAGE: Final = 5
MOST_PAGES: Final = 2
MOST_TABLES: Final = 6
CARD: Final = 700  # characters of one card; five of them and the instructions stay below 2,500 tokens
CLEARLY: Final = 0.75  # how much better than the next the reading of a table must be that is taken without a choice
_TRIES: Final = 2
LONGEST: Final = 1_000  # letters of a search


class Correction(Form):
    """A name of the question as the tables spell it."""

    said: str
    meant: str


class QueryTable(Form):
    """Ask these tables: one where it tells all, several where their rows must be put together."""

    kind: Literal["query_table"] = "query_table"
    tables: tuple[Table, ...] = Field(default=(), max_length=MOST)
    corrections: tuple[Correction, ...] = Field(default=(), max_length=MOST)


class FindTable(Form):
    """See more cards: the next page, or what another search finds."""

    kind: Literal["find_table"] = "find_table"
    query: Annotated[str, Field(max_length=LONGEST)]
    page: int = 2


class NoTable(Form):
    """No table here tells what is asked."""

    kind: Literal["no_table"] = "no_table"
    words: tuple[str, ...] = Field(default=(), max_length=MOST)


class ChooseForm(Form):
    """The base of the choice."""

    action: Annotated[QueryTable | FindTable | NoTable, Field(discriminator="kind")]


@dataclass(frozen=True, slots=True)
class Choice:
    """The tables to ask and the question with its names corrected, (said, meant) each; or what was decided without a query."""

    tables: tuple[OpenTable, ...]
    text: str
    corrections: tuple[tuple[str, str], ...] = ()
    decision: Decision | None = None


def choose_tables(work: Work, text: str) -> Choice:
    """The tables that tell what is asked; raises ModelError where a model would have to be asked and cannot be."""
    tables = [table for table in work.tables if table.facts.sent]
    if len(tables) < 2:
        return Choice(tuple(tables or work.tables[:1]), text)
    if (clear := _clear(work, tables, text)) is not None:
        return Choice((clear,), text)
    messages = [Message(role="system", content=instructions("choose"))]
    query, page, seen = text, 1, list[OpenTable]()
    for number in range(MOST_PAGES):
        shown = _ranked(work, tables, query)[(page - 1) * PAGE : page * PAGE] or tables[:PAGE]
        seen += [table for table in shown if table not in seen]
        messages += _found(query, page, shown, number)
        last = number == MOST_PAGES - 1 or len(seen) == len(tables)
        asked = Message(role="user", content=as_data({"question": text}))
        said = work.ask([*messages, asked], _form(seen, text, last), tries=_TRIES, small=True).action
        if isinstance(said, NoTable):
            return Choice((), text, decision=Decision(NoAnswerPlan(reason="no_table", words=_spoken(said.words, text)), planner="model"))
        if isinstance(said, QueryTable):
            return _chosen(said, seen, text)
        query, page = said.query or text, 2 if said.page > 1 else 1
    return Choice((), text, decision=Decision(NoAnswerPlan(reason="no_table"), planner="model"))


def _chosen(said: QueryTable, seen: Sequence[OpenTable], text: str) -> Choice:
    by_name = {table.name: table for table in seen}
    corrections = tuple((one.said, one.meant) for one in said.corrections if one.said and one.said != one.meant)
    corrected = text
    for written, meant in corrections:
        start, end = _where(written, corrected) or (0, 0)
        corrected = corrected[:start] + meant + corrected[end:] if end else corrected
    return Choice(tuple(by_name[name] for name in dict.fromkeys(said.tables)), corrected, corrections)


def _clear(work: Work, tables: Sequence[OpenTable], text: str) -> OpenTable | None:
    """The table that the offline planner reads the question by wholly, and clearly better than by any other."""
    best = _best(work, tables, text)
    if not best or best[0].lost:
        return None
    if len(best) > 1 and best[0].score - best[1].score < CLEARLY and not best[1].lost:
        return None
    return best[0].table


def _best(work: Work, tables: Sequence[OpenTable], text: str) -> list[Reading]:
    """The best reading of each table, the best first."""
    first: dict[str, Reading] = {}
    for reading in readings(text, language_of(text), tables, work.embedder, work.now, work.chosen):
        first.setdefault(reading.table.name, reading)
    return list(first.values())


def _ranked(work: Work, tables: Sequence[OpenTable], query: str) -> list[OpenTable]:
    """By how many words of the query find no place in a table, then by what its card means."""
    lost = {reading.table.name: len(reading.lost) for reading in _best(work, tables, query)}
    asked = [discreet(work.embedder, table).embed([query])[0] for table in tables]
    meant = [float(np.dot(vector, _card(table)[1])) for vector, table in zip(asked, tables, strict=True)]
    order = sorted(range(len(tables)), key=lambda at: (lost.get(tables[at].name, 1_000) - 2 * meant[at], at))
    return [tables[at] for at in order]


def _card(table: OpenTable) -> tuple[str, Any]:
    from engine.lance import card_of  # seconds to import

    return table.remembered(("card",), lambda: card_of(table.index))


def _found(query: str, page: int, shown: Sequence[OpenTable], number: int) -> list[Message]:
    call = ToolCall(id=f"call_find_{number}", function=Function(name="find_table", arguments=as_data({"query": query, "page": page})))
    cards = {table.name: _card(table)[0][:CARD] for table in shown}
    return [
        Message(role="assistant", content="I look for tables.", tool_calls=(call,)),
        Message(role="tool", tool_call_id=call.id, content=as_data(cards)),
    ]


def _form(seen: Sequence[OpenTable], text: str, last: bool) -> type[ChooseForm]:
    """The form over the tables seen so far; what it says must be among them, and corrections must be of the question and of the tables."""
    names = [table.name for table in seen]

    def check(form: ChooseForm) -> None:
        said = form.action
        if isinstance(said, FindTable) and last:
            raise ValueError("There are no more cards; choose among those that were shown, or say no_table.")
        if isinstance(said, QueryTable):
            unknown = [name for name in said.tables if name not in names]
            if unknown or not said.tables:
                raise ValueError(f"The tables are {', '.join(names)}; choose one, or up to {MOST_TABLES}.")
            if len(set(said.tables)) > MOST_TABLES:
                raise ValueError(f"At most {MOST_TABLES} tables are put together.")
            chosen = [table for table in seen if table.name in said.tables]
            for one in said.corrections:
                if _where(one.said, text) is None:
                    raise ValueError(f'"{one.said}" does not stand in the question.')
                if fold(one.said) != fold(one.meant) and any(_has(table, one.said) for table in chosen):
                    raise ValueError(f'"{one.said}" is a name of these tables as it is; leave it.')
                if not any(_has(table, one.meant) for table in chosen):
                    raise ValueError(f'"{one.meant}" is no name of these tables; leave the words as they are.')

    return checked_form(ChooseForm, "query_table", {"tables": names}, check)


def _where(words: str, text: str) -> tuple[int, int] | None:
    """Where whole words stand in a text, side by side; None where they do not."""
    wanted = [word.folded for word in words_of(words)]
    there = list(words_of(text))
    for at in range(len(there) - len(wanted) + 1):
        if wanted and [word.folded for word in there[at : at + len(wanted)]] == wanted:
            return there[at].start, there[at + len(wanted) - 1].end
    return None


def _spoken(said: Sequence[str], text: str) -> tuple[str, ...]:
    """Of what a model calls words of the question those that are, as they stand there."""
    places = [place for words in said if (place := _where(words, text)) is not None]
    return tuple(dict.fromkeys(text[start:end] for start, end in places))


def _has(table: OpenTable, name: str) -> bool:
    """Whether it is a term of a column that may be sent, or the name of one."""
    terms = table.terms_folded([fold(name)]) or table.terms_with_keys([" ".join(word.folded for word in words_of(name))])
    return any(term.column.sent for term in terms) or any(fold(column.name) == fold(name) for column in table.facts.sent)
