"""What the tries at one question stand on: its words, the tables, and what was found for it."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field

from engine.agents.form import Condition
from engine.agents.literals import Literals
from engine.agents.words import QuestionWords
from engine.embedder import Embedder
from engine.errors import PlanError
from engine.language import Language
from engine.table import OpenTable
from engine.types import Comparison, Match


@dataclass(slots=True)
class Ground:
    """One question over one table, or over several at once; words are over the first, and so are matches, the best first."""

    words: QuestionWords
    language: Language
    tables: Sequence[OpenTable]
    embedder: Embedder
    matches: Sequence[Match] = ()
    _literals: dict[str, Literals] = field(default_factory=dict)  # by the table's name

    @property
    def text(self) -> str:
        """The question."""
        return self.words.text

    @property
    def table(self) -> OpenTable:
        """The table, or the first of several."""
        return self.tables[0]

    def literals(self, table: OpenTable) -> Literals:
        """What turns values into terms of a table."""
        if table.name not in self._literals:
            matches = self.matches if table is self.table else ()
            self._literals[table.name] = Literals(table, self.language, self.embedder, matches)
        return self._literals[table.name]

    def tests(self, conditions: Sequence[Condition], lenient: bool) -> list[Comparison]:
        """The conditions on the table's terms; raises PlanError with a line for each that is wrong."""
        made, wrong = [], []
        for condition in conditions:
            try:
                made.append(self.literals(self.table).comparison(condition, lenient))
            except PlanError as error:
                wrong.append(str(error))
        if wrong:
            raise PlanError("\n".join(wrong))
        return made

    def found(self, column: str, terms: Collection[str]) -> list[Match]:
        """The matches of these terms of a column, the best first."""
        return [match for match in self.matches if match.term.column == column and match.term.text in terms]

    def spoken(self, said: Iterable[str]) -> list[str]:
        """What a model calls words of the question, as they stand there; what does not stand there is not among them."""
        return list(dict.fromkeys(phrase for words in said if (phrase := self.words.phrase(self.words.places(words)))))
