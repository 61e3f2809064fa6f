"""One try of a model at a query: turned into a plan, checked, run; what is wrong is said so that the model can repair it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Final

from engine.agents.doubts import doubts_of
from engine.agents.form import Action, AskBack, Beyond, Condition, Figures, NotInTable, Retype, Rows, Select
from engine.agents.literals import Literals
from engine.agents.plan_of import clauses, plan_of
from engine.agents.words import QuestionWords
from engine.agreed import check_types
from engine.check import check, named_columns
from engine.embedder import Embedder
from engine.errors import ExecutionError, PlanError
from engine.execute import SECONDS, count_rows, execute
from engine.fold import fold, words_of
from engine.language import Language
from engine.plan.decide import Decision
from engine.settings import printable
from engine.table import OpenTable
from engine.types import (
    Binding,
    Candidate,
    ClarifyPlan,
    Comparison,
    How,
    Match,
    NoAnswerPlan,
    Operator,
    Reading,
    ResultTable,
    SqlPlan,
    TablePlan,
)

SURE: Final = 0.9
REPAIRED: Final = 0.75
EMPTY: Final = 0.6  # a plan that gives nothing may be right, and may be of the wrong terms
DOUBTFUL: Final = 0.4
_MUCH: Final = 0.5  # share of them that a model may say to say nothing without being asked again
_FEW: Final = 0.34  # share of the content words that a best plan may leave without a place

_UNSAID: Final = "…"  # in the place of words of the question, where nothing tells which they were


@dataclass(slots=True)
class Attempts:
    """The tries at one question over one table, or over several at once; `said` is what was wrong with each."""

    text: str
    language: Language
    tables: Sequence[OpenTable]
    embedder: Embedder
    now: datetime
    matches: Sequence[Match] = ()
    strict: bool = True  # whether what is doubtful comes back
    seconds: Callable[[], float] = lambda: SECONDS  # that running one try may take
    retypes: bool = True  # whether the table may be made again with other types
    said: list[str] = field(default_factory=list)
    best: Decision | None = None
    good: Decision | None = None
    _told: set[str] = field(default_factory=set)
    _words: QuestionWords | None = None
    _literals: Literals | None = None

    @property
    def table(self) -> OpenTable:
        """The table, or the first of several."""
        return self.tables[0]

    @property
    def words(self) -> QuestionWords:
        """The question's words, over the first table."""
        self._words = self._words or QuestionWords(self.text, self.language, self.table, self.now)
        return self._words

    def literals(self, table: OpenTable) -> Literals:
        """What turns values into terms of a table."""
        if table is self.table:
            self._literals = self._literals or Literals(table, self.language, self.embedder, self.matches)
            return self._literals
        return Literals(table, self.language, self.embedder, ())

    def take(self, action: Action | Select) -> None:
        """Keeps what the action decides as `good`; raises ValueError with all that is wrong, and keeps a plan that runs as `best`."""
        if isinstance(action, Beyond):
            return
        if isinstance(action, Retype):
            self._check_types(action)
            return
        try:
            decided, doubts = self._decided(action)
        except ExecutionError as error:
            raise self._wrong([error.detail or str(error)]) from None
        except PlanError as error:
            raise self._wrong(str(error).split("\n")) from None
        if doubts and self.strict:
            if isinstance(decided.plan, (TablePlan, SqlPlan)) and self._may_stand(decided):
                self.best = replace(
                    decided, confidence=min(decided.confidence, DOUBTFUL), reasons=_with(decided.reasons, "its first plan did not fit")
                )
            raise self._wrong(doubts)
        self.good = decided

    def _check_types(self, action: Retype) -> None:
        if not self.retypes:
            raise self._wrong(["The types of the table are settled; ask it as it is."])
        try:
            check_types(self.table, {column.name: column.type for column in action.columns})
        except PlanError as error:
            raise self._wrong([str(error)]) from None
        if not action.columns:
            raise self._wrong(["create_sql_table names the columns whose types are to change."])

    def _wrong(self, said: Sequence[str]) -> ValueError:
        self.said.append(" ".join(said))
        return ValueError(self.said[-1])

    def _may_stand(self, decided: Decision) -> bool:
        """Whether a plan that leaves words without a place is better than none: few of them, no name or figure, and no condition that nobody asked for."""
        if any(not self.words.places(line.phrase) for line in decided.receipt or ()):
            return False
        return self._few(decided.unused)

    def _few(self, lost: Sequence[str]) -> bool:
        places = frozenset().union(*map(self.words.places, lost))
        content = len(self.words.lost((), ())) or 1
        return not self.words.names(places) and len(lost) <= max(1, _FEW * content)

    # ---- kinds

    def _decided(self, action: Rows | Figures | AskBack | NotInTable | Select) -> tuple[Decision, list[str]]:
        if isinstance(action, NotInTable):
            return self._not_told(self._spoken(action.words)), []
        if isinstance(action, AskBack):
            return self._asked_back(action), []
        if isinstance(action, Select):
            return self._selected(action)
        return self._planned(action)

    def _planned(self, action: Rows | Figures) -> tuple[Decision, list[str]]:
        if self.strict:
            action = self._asked_apart(action)
        tests = self._tests(action.conditions)
        plan = plan_of(action, tests, self.table.name)
        self._only_sent(plan)
        check(plan, self.table.facts)
        result, _ = execute(plan, self.table, min(SECONDS, self.seconds()))
        columns = {*plan.select, *plan.group_by, *(test.column for test in tests), *_measured(action)}
        lost, quiet, doubts = self._doubts(action, tests, columns)
        if told := self._spoken(one.words for one in action.unused if one.why == "not_in_table"):
            return self._not_told(told), []
        doubts += self._overlooked(action.conditions, tests)
        once = [*doubts_of(action, tests, self.words), *self._passed_over(quiet), *self._nothing(tests, plan, result)]
        doubts += [doubt for doubt in once if doubt not in self._told]
        self._told |= {*once}
        lines = tuple(self._binding(test, made) for test, made in zip(action.conditions, tests, strict=True))
        decided = self._decision(plan, self.table, lines, lost)
        if once:
            decided = replace(decided, confidence=min(decided.confidence, EMPTY), reasons=_with(decided.reasons, "the wording leaves room"))
        return replace(decided, unused=(*decided.unused, *quiet)), doubts

    def _spoken(self, said: Iterable[str]) -> list[str]:
        """What a model calls words of the question, as they stand there; what does not stand there is not among them."""
        return list(dict.fromkeys(phrase for words in said if (phrase := self.words.phrase(self.words.places(words)))))

    def _passed_over(self, quiet: Sequence[str]) -> list[str]:
        """A doubt where words are said to say nothing that terms were found for, or that are much of the question."""
        content = len(self.words.lost((), ())) or 1
        places = frozenset().union(*map(self.words.places, quiet))
        hints = "".join(
            self._meanings(quiet, [match for match in self.matches if match.score >= SURE and self.words.places(match.phrase) <= places])
        )
        if not hints and len(quiet) <= max(1, _MUCH * content):
            return []
        named = ", ".join(f'"{word}"' for word in quiet)
        return [f"{named} may say something.{hints} Use it, or say the same again if it is right."]

    def _only_sent(self, plan: TablePlan) -> None:
        """Raises PlanError for a column that a model is not shown: for it there is none."""
        sent = {column.name for column in self.table.facts.columns if column.sent}
        if unknown := [name for name in named_columns(plan) if name not in sent]:
            raise PlanError(f'There is no column "{printable(unknown[0])}".')

    def _nothing(self, tests: Sequence[Comparison], plan: TablePlan, result: ResultTable) -> Iterator[str]:
        """That no row meets all conditions, and without which one some would; it may be right and mostly is not."""
        if result.total or not tests:
            return
        without = [plan.model_copy(update={"where": tuple(one for one in plan.where if one is not clause)}) for clause in plan.where]
        counts = [(count_rows(rest, self.table), clause.any_of[0].column) for rest, clause in zip(without, plan.where, strict=True)]
        rows, column = max(counts, default=(0, ""))
        hint = f' Without the one on "{column}" there are {rows}.' if rows and len(plan.where) > 1 else ""
        yield f"No row meets all of these conditions.{hint} Change that, or say the same again if it is right."

    def _overlooked(self, conditions: Sequence[Condition], tests: Sequence[Comparison]) -> Iterator[str]:
        """A term that stands word for word in the question and became something else."""
        meant = {(test.column, fold(str(value))) for test in tests for value in test.values}
        for test in conditions:
            values = " ".join(fold(str(value)) for value in test.values)
            exact = self.words.exact(self.words.places(test.words))
            if not exact or fold(test.words) in values or any((column, fold(term)) in meant for _, column, term in exact):
                continue
            sent = [one for one in exact if self.table.facts.column(one[1]).sent]
            if sent:
                phrase, column, term = sent[0]
                yield f'"{phrase}" is the value "{term}" of "{column}"; a condition takes the column that has the value.'

    def _asked_apart(self, action: Rows | Figures) -> Rows | Figures:
        """The action without conditions that only name what is asked for: those of no value, of a column's name, or of a value that nothing says."""
        asked = [test for test in action.conditions if test.op not in ("blank", "not_blank") and not self._is_said(test)]
        conditions = tuple(test for test in action.conditions if test not in asked)
        if isinstance(action, Figures):
            return action.model_copy(update={"conditions": conditions}) if asked else action
        columns = list(dict.fromkeys((*action.columns, *(name for test in asked for name in self._named(test)))))
        named = set(self.words.columns().values()) - {test.column for test in conditions}
        if wanted := [column for column in columns if column in named]:  # the others were not asked for
            columns = wanted
        return action.model_copy(update={"conditions": conditions, "columns": tuple(columns)})

    def _is_said(self, test: Condition) -> bool:
        """Whether a value of the condition stands in the question, was found for its words, or its words are more than names of columns."""
        if not test.values:
            return False
        if test.op in ("open", "closed") or any(one.name == test.column and one.type == "boolean" for one in self.table.facts.columns):
            return True  # its words are the column's name, or a day
        spoken, places = fold(self.text), self.words.places(test.words)
        for value in test.values:
            folded = fold(f"{value:g}" if isinstance(value, float) else str(value))
            if folded in self._column_names:
                continue
            if folded in spoken or any(
                match.term.column == test.column
                and fold(match.term.text) == folded
                and (at := self.words.places(match.phrase)) & places
                and not at <= self.words.naming()  # what is only near to a column's name
                for match in self.matches
            ):
                return True
        return bool(places) and not places <= self.words.naming()

    @property
    def _column_names(self) -> dict[str, str]:
        return {fold(column.name): column.name for column in self.table.facts.columns if column.sent}

    def _named(self, test: Condition) -> list[str]:
        """The columns that a condition names where it says what is asked for."""
        by_value = [self._column_names[fold(str(value))] for value in test.values if fold(str(value)) in self._column_names]
        named = self.words.columns()
        by_words = [column for phrase, column in named.items() if self.words.places(phrase) & self.words.places(test.words)]
        return by_value or by_words or ([test.column] if not test.values else [])

    def _tests(self, conditions: Sequence[Condition]) -> list[Comparison]:
        """The conditions on the table's terms; raises PlanError with a line for each that is wrong."""
        made, wrong = [], []
        for test in conditions:
            try:
                made.append(self.literals(self.table).comparison(test, lenient=bool(self.said)))
            except PlanError as error:
                wrong.append(str(error))
        if wrong:
            raise PlanError("\n".join(wrong))
        return made

    def _doubts(self, action: Rows | Figures, tests: Sequence[Comparison], columns: set[str]) -> tuple[list[str], list[str], list[str]]:
        """The words that have no place, those that are said to say nothing, and sentences about the former and about conditions that nobody asked for."""
        doubts, used = [], set[int]()
        for test, made in zip(action.conditions, tests, strict=True):
            places = self.words.places(test.words)
            used |= places | self._found_at(made, places)
            if not places or self.words.hollow(places):
                doubts.append(
                    f'"{test.words}" does not stand in the question: words are copied from it, and a condition that nobody asked for is left out.'
                )
        if action.limit is not None:
            used |= self.words.number(action.limit)
        without = set(self.words.lost(used, columns))
        for one in action.unused:
            places = self.words.places(one.words)
            if one.why == "says_nothing" and self.words.names(places):
                doubts.append(f'"{one.words}" is a name or a figure, which says something: use it, or say that it is not_in_table.')
            else:
                used |= places
        lost = self.words.lost(used, columns)
        if lost:
            named = ", ".join(f'"{word}"' for word in lost)
            hints = "".join(self._meanings(lost, self.matches))
            doubts.append(
                f"These words of the question are used by nothing: {named}.{hints} Use them, or list them under unused and say why."
            )
        return lost, sorted(without - set(lost), key=self.text.find), doubts

    def _meanings(self, lost: Sequence[str], matches: Sequence[Match]) -> Iterator[str]:
        """What was found for phrases that hold words without a place, the best for each phrase."""
        without, told = frozenset().union(*map(self.words.places, lost)), set[str]()
        for match in matches:
            if match.phrase not in told and len(told) < 3 and self.words.places(match.phrase) & without:
                told.add(match.phrase)
                yield f' "{match.phrase}" may be {match.term.column} = "{match.term.text}".'

    def _found_at(self, test: Comparison, places: frozenset[int]) -> frozenset[int]:
        """Where the phrases stand that the terms of a test were found for, of those that its words touch: "Le Zion" belongs to "Rishon"."""
        terms = {str(value) for value in test.values}
        found = [self.words.places(one.phrase) for one in self.matches if one.term.column == test.column and one.term.text in terms]
        return frozenset().union(*(phrase for phrase in found if phrase & places))

    def _selected(self, action: Select) -> tuple[Decision, list[str]]:
        from engine.select.check import check_select  # which reads a grammar, and only written queries need it
        from engine.select.execute import execute_select

        checked = check_select(action.sql, self.tables, sent=True)
        by_name = {table.name: table for table in self.tables}
        lines, wrong, used, unsaid = [], [], set[int](), False
        for literal in checked.literals:
            table = by_name.get(literal.table)
            if table is None or not literal.whole:
                continue
            column = table.facts.column(literal.column)
            try:
                term = (
                    self.literals(table)
                    .comparison(Condition(words=literal.text, column=column.name, op="is", values=(literal.text,)))
                    .values[0]
                )
            except PlanError as error:
                wrong.append(str(error))
                continue
            if fold(str(term)) != fold(literal.text):
                wrong.append(f'"{literal.text}" is no value of "{column.name}"; "{term}" is.')
            places = self.words.places(literal.text) or self._meant(column.name, str(term))
            used |= places
            unsaid = unsaid or not places
            if literal.denied is not None:
                op: Operator = "is_not" if literal.denied else "is"
                lines.append(Binding(phrase=self.words.phrase(places) or _UNSAID, column=column.name, op=op, terms=(term,)))
        if wrong:
            raise PlanError("\n".join(wrong))
        execute_select(checked, self.tables, min(SECONDS, self.seconds()))
        if told := self._spoken(one.words for one in action.unused if one.why == "not_in_table"):
            return self._not_told(told), []
        table = next(iter(checked.tables.values()), self.table)
        decided = self._decision(SqlPlan(sql=action.sql), table, tuple(lines), [])
        left, doubts = self._left_by(action, used, {column for _, column in checked.reads})
        if unsaid:  # a term that no word is known to mean may well be what the words without a place mean
            left = []
        if unsaid or left:
            decided = replace(
                decided,
                confidence=min(decided.confidence, EMPTY if left else REPAIRED),
                reasons=_with(decided.reasons, "the wording leaves room"),
            )
        return replace(decided, unused=tuple(left)), doubts

    def _meant(self, column: str, term: str) -> frozenset[int]:
        """Where the phrase stands that a term was found for, the likeliest."""
        found = [match for match in self.matches if match.term.column == column and match.term.text == term and match.score >= REPAIRED]
        return self.words.places(max(found, key=lambda match: match.score).phrase) if found else frozenset()

    def _left_by(self, action: Select, used: set[int], columns: set[str]) -> tuple[list[str], list[str]]:
        """The words that a query leaves without a place, where they are many; and a sentence about names and figures among them."""
        for word in words_of(action.sql):
            used |= self.words.places(word.text)
        passed = frozenset().union(*(self.words.places(one.words) for one in action.unused))
        passed = frozenset(place for place in passed if not self.words.names([place]))
        lost = self.words.lost(used, columns)
        named = [word for word in self.words.lost(used | passed, columns) if self.words.names(self.words.places(word))]
        if named:
            return lost, [
                f"These words of the question are used by nothing: {', '.join(map(_quoted, named))}. Use them, or list them under unused as not_in_table."
            ]
        content = len(self.words.lost((), ())) or 1
        return (lost if len(lost) > max(1, _MUCH * content) else []), []

    def _asked_back(self, action: AskBack) -> Decision:
        if not 2 <= len(action.meanings) <= 5:
            raise PlanError("ask_back needs two to five meanings; where there is one, use rows or figures.")
        rest, meanings = self._tests(action.conditions), self._tests(action.meanings)
        phrase = self.words.phrase(self.words.places(action.meanings[0].words))
        places = self.words.places(phrase)
        if not phrase or not all(self.words.places(test.words) & places for test in action.meanings):
            raise PlanError("The words of the meanings are copied from the question, and are the same words for all of them.")
        used = places.union(*(self.words.places(test.words) for test in (*action.conditions, *action.meanings)))
        lost = self.words.lost(used, {test.column for test in (*rest, *meanings)})
        if lost and not self._few(lost):
            raise PlanError(
                f"These words of the question are used by nothing: {', '.join(map(_quoted, lost))}. Every meaning needs their conditions."
            )
        exact = {(column, fold(term)) for _, column, term in self.words.exact(self.words.places(phrase))}
        plain = [made for made in meanings if any((made.column, fold(str(value))) in exact for value in made.values)]
        if len(plain) == 1 and self.said and self.strict:
            meant = action.meanings[meanings.index(plain[0])]
            return self._planned(Rows(conditions=(*action.conditions, meant), match=action.match))[0]
        if len(plain) == 1:
            raise PlanError(f'"{phrase}" stands word for word in "{plain[0].column}", so that it means that; use rows or figures with it.')
        readings = []
        for made in meanings:
            plan = TablePlan(table=self.table.name, where=(*clauses(rest, action.match == "any"), *clauses([made], False)))
            check(plan, self.table.facts)
            label = f"{made.column} = {' / '.join(map(str, made.values))}"
            readings.append(Reading(label=label, question=self.text, plan=plan, rows=count_rows(plan, self.table)))
        if len({reading.plan for reading in readings if reading.rows}) < 2:
            raise PlanError("Only one of the meanings has rows; use rows or figures with that one.")
        lines = tuple(self._binding(test, made) for test, made in zip(action.conditions, rest, strict=True))
        offered = tuple(reading for reading in readings if reading.rows)
        return Decision(ClarifyPlan(reason="ambiguous", phrase=phrase, readings=offered), self.table, unused=tuple(lost), receipt=lines)

    def _not_told(self, words: Sequence[str]) -> Decision:
        reason = NoAnswerPlan(reason="words_without_a_place", words=tuple(words)) if words else NoAnswerPlan(reason="not_in_table")
        return Decision(reason, self.table, unused=tuple(words))

    def _decision(self, plan: TablePlan | SqlPlan, table: OpenTable, lines: tuple[Binding, ...], lost: Sequence[str]) -> Decision:
        reasons = ["planned by a model"]
        confidence = REPAIRED if self.said else SURE
        if self.said:
            reasons.append("its first plan did not fit")
        if lost:
            confidence = DOUBTFUL
            reasons.append("not used: " + ", ".join(lost))
        return Decision(plan, table, unused=tuple(lost), reasons=tuple(reasons), confidence=confidence, receipt=lines, planner="model")

    # ---- the receipt

    def _binding(self, test: Condition, made: Comparison) -> Binding:
        phrase = self.words.phrase(self.words.places(test.words)) or test.words
        others = tuple(self._others(test, made))
        return Binding(phrase=phrase, column=made.column, op=made.op, terms=made.values, how=self._how(phrase, made), candidates=others)

    def _how(self, phrase: str, made: Comparison) -> How:
        folded = fold(phrase)
        if any(fold(str(value)) in folded for value in made.values):
            return "exact"
        terms = {str(value) for value in made.values}
        found = [match for match in self.matches if match.term.column == made.column and match.term.text in terms]
        return max(found, key=lambda match: match.score).how if found else "meant"

    def _others(self, test: Condition, made: Comparison) -> Iterator[Candidate]:
        words, taken = self.words.places(test.words), {(made.column, str(value)) for value in made.values}
        for match in self.matches:
            if words & self.words.places(match.phrase) and (match.term.column, match.term.text) not in taken and len(taken) < 6:
                taken.add((match.term.column, match.term.text))
                yield Candidate(column=match.term.column, term=match.term.text, rows=match.term.rows)


def _quoted(word: str) -> str:
    return f'"{printable(word, 60)}"'


def _with(reasons: tuple[str, ...], reason: str) -> tuple[str, ...]:
    return reasons if reason in reasons else (*reasons, reason)


def _measured(action: Rows | Figures) -> Iterator[str]:
    yield from (order.column for order in action.sort if order.column)
    if isinstance(action, Figures):
        yield from (figure.column for figure in action.figures if figure.column)
        yield from (limit.column for limit in action.having if limit.column)
