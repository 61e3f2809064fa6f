"""The values of a model's conditions as terms of their columns; one that is none comes back with the nearest terms."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, datetime, time
from typing import Final

from engine.agents.form import Condition
from engine.build.facts import ColumnFacts
from engine.embed_discreet import discreet
from engine.embedder import Embedder
from engine.errors import PlanError
from engine.execute import count_rows
from engine.fold import fold, key, stems
from engine.language import Language
from engine.letters import likeness
from engine.plan.literals import dates, numbers
from engine.settings import printable
from engine.table import FoundTerm, OpenTable
from engine.types import Clause, Comparison, Match, Operator, TablePlan, Value

MOST_NEAR: Final = 5
_EQUAL: Final = frozenset({"is", "is_not", "has", "has_all", "has_none"})
_PARTS: Final = frozenset({"starts_with", "ends_with", "contains", "words"})
_AS_LIST: Final[dict[str, Operator]] = {"is": "has", "is_not": "has_none", "contains": "has", "words": "has", "not_contains": "has_none"}
_AS_ONE: Final[dict[str, Operator]] = {"has": "is", "has_all": "is", "has_none": "is_not"}
_TRUE: Final = {"yes", "true", "1", "y"}
_FALSE: Final = {"no", "false", "0", "n"}


class Literals:
    """Of the questions over one table."""

    def __init__(self, table: OpenTable, language: Language, embedder: Embedder, matches: Sequence[Match]) -> None:
        self._table = table
        self._language = language
        self._embedder = embedder
        self._matches = matches

    def comparison(self, test: Condition, lenient: bool = False) -> Comparison:
        """The condition on the table's own terms; raises PlanError, which says to a model what would be right.

        lenient: a value that stands in one other column only is taken to mean that column, for a model that was told and says the same again.
        """
        try:
            column = self._table.facts.column(test.column)
            if not column.sent:
                raise KeyError  # what a model is not shown it cannot try the values of
        except KeyError:
            raise PlanError(f'There is no column "{printable(test.column)}".') from None
        op = test.op
        if column.list_separator is not None:
            op = _AS_LIST.get(op, op)
        else:
            op = _AS_ONE.get(op, op)
        if op in ("blank", "not_blank"):
            return Comparison(column=column.name, op=op)
        if lenient and op in _EQUAL and (other := self._elsewhere(test, column)) is not None:
            return self.comparison(test.model_copy(update={"column": other}))
        values = tuple(dict.fromkeys(value for given in test.values for value in self._values(given, column, op)))
        if not values:
            raise PlanError(f'The condition on "{column.name}" has no value.')
        made = Comparison(column=column.name, op=op, values=values)
        if op in _PARTS and column.textual and not self._rows(made):
            raise PlanError(f'No "{column.name}" {op.replace("_", " ")} {_quoted(values)}.{self._nearest(str(values[0]), column)}')
        return made

    def _elsewhere(self, test: Condition, column: ColumnFacts) -> str | None:
        """The one other column that has all of these values, where the named one has none of them."""
        having = [{term.column.name for term in self._table.terms_folded([fold(str(value))]) if term.column.sent} for value in test.values]
        common = set.intersection(*having) if having else set[str]()
        return next(iter(common)) if len(common) == 1 and not any(column.name in names for names in having) else None

    def _values(self, given: str | int | float | bool, column: ColumnFacts, op: Operator) -> list[Value]:
        if op in ("open", "closed"):
            return [str(given)]
        if column.type == "boolean":
            word = fold(str(given))
            if word not in _TRUE | _FALSE:
                raise PlanError(f'"{column.name}" is yes or no, and not {_quoted([given])}.')
            return ["yes" if word in _TRUE else "no"]
        if column.numeric:
            return [self._number(given, column)]
        if column.temporal:
            return [self._time(str(given), column, op)]
        if op in _EQUAL and column.end_term > column.first_term:
            return [self._term(str(given), column)]
        return [str(given)]

    def _number(self, given: str | int | float | bool, column: ColumnFacts) -> int | float:
        if isinstance(given, (int, float)) and not isinstance(given, bool):
            return given
        found = list(numbers(str(given)))
        if len(found) != 1:
            raise PlanError(
                f'"{column.name}" holds numbers, and {_quoted([given])} is none; the highest and the lowest are figures (max, min), '
                "or rows sorted with limit 1."
            )
        value = found[0].value
        return int(value) if value.is_integer() else value

    def _time(self, given: str, column: ColumnFacts, op: Operator) -> str:
        if (written := _written(given.strip(), column.type, op)) is not None:
            return written
        spans = dates(given, self._language) if column.type != "time" else []
        if len(spans) == 1 and (spans[0].first == spans[0].last or op in ("less", "at_least", "more", "at_most")):
            return spans[0].last if op in ("more", "at_most") else spans[0].first
        such = {"time": "18:30", "datetime": "2026-11-30T18:30"}.get(column.type, "2026-11-30")
        raise PlanError(f'"{column.name}" holds values such as {such}; {_quoted([given])} must be written so.')

    def _term(self, given: str, column: ColumnFacts) -> str:
        """The term that is this, or that differs from it in endings and spaces only."""
        same = [term for term in self._table.terms_folded([fold(given)]) if term.column.name == column.name]
        words = key(given)
        same = same or [term for term in self._table.terms_with_keys([words]) if term.column.name == column.name]
        if not same:
            alike = [term for term in self._table.terms_with_stems([stems(words)]) if term.column.name == column.name]
            alike = alike or [term for term in self._table.terms_joined([words.replace(" ", "")]) if term.column.name == column.name]
            same = alike if len(alike) == 1 else []
        if same:
            return max(same, key=lambda term: term.rows).text
        others = sorted({term.column.name for term in self._table.terms_folded([fold(given)]) if term.column.sent})
        if others:
            hint = f" It is a value of {', '.join(map(_named, others))}."
        elif any(fold(known.name) == fold(given) for known in self._table.facts.sent):
            hint = ' It is a column: what is asked for goes into "columns".'
        else:
            hint = self._nearest(given, column)
        raise PlanError(f'{_quoted([given])} is no value of "{column.name}".{hint}')

    def _nearest(self, given: str, column: ColumnFacts) -> str:
        terms = list(dict.fromkeys([*self._matched(column), *(term.text for term in self._near(given, column))]))[:MOST_NEAR]
        return f" The nearest are {', '.join(map(_named, terms))}." if terms else ""

    def _matched(self, column: ColumnFacts) -> list[str]:
        return [match.term.text for match in self._matches if match.term.column == column.name][:2]

    def _near(self, given: str, column: ColumnFacts) -> list[FoundTerm]:
        from engine.lance import joint_vectors, near_terms  # seconds to import

        embedder = discreet(self._embedder, self._table)
        near = near_terms(self._table.index, joint_vectors([key(given) or given], [True], embedder), 60)[0]
        terms = [term for term in self._table.terms_with_ids(one.id for one in near) if term.column.name == column.name]
        return sorted(terms, key=lambda term: -likeness(key(given), term.key))[:MOST_NEAR]

    def _rows(self, test: Comparison) -> int:
        return count_rows(TablePlan(table=self._table.name, where=(Clause(any_of=(test,)),)), self._table)


def _written(given: str, kind: str, op: Operator) -> str | None:
    """A time or date as such a column holds it; None where it is none. "After" a day, of a column that holds hours, is after its end."""
    try:
        if kind == "time":
            return time.fromisoformat(given).replace(tzinfo=None).isoformat("seconds") if ":" in given else None
        if len(given) == len("2026-11-30"):
            day = date.fromisoformat(given).isoformat()
            return f"{day}T23:59:59" if kind == "datetime" and op in ("more", "at_most") else day
        moment = datetime.fromisoformat(given).replace(tzinfo=None)
    except ValueError:
        return None
    if kind == "datetime":
        return moment.isoformat(timespec="seconds")
    return moment.date().isoformat() if moment.time() == time() else None


def _quoted(values: Sequence[object]) -> str:
    return " or ".join(f'"{printable(str(value), 60)}"' for value in values[:3])


def _named(name: str) -> str:
    return f'"{printable(name, 60)}"'
