"""The types that are passed along, in the order of the flow: ChatThread, Question, Scope, Retrieval, QueryPlan, ResultTable, Answer, Reply."""

from __future__ import annotations

import json
from hashlib import blake2b
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

Value = str | int | float | bool | None
ColumnType = Literal["text", "code", "integer", "decimal", "money", "percent", "boolean", "date", "datetime", "time"]
NUMERIC_TYPES: frozenset[str] = frozenset({"integer", "decimal", "money", "percent"})
TEMPORAL_TYPES: frozenset[str] = frozenset({"date", "datetime", "time"})
TEXT_TYPES: frozenset[str] = frozenset({"text", "code"})


class Frozen(BaseModel):
    """The base of every type here: unchangeable, and no field that it does not know."""

    model_config = ConfigDict(frozen=True, extra="forbid")


# ---- who asks, and what


class Turn(Frozen):
    """One message of a thread."""

    who: Literal["asker", "bot", "other"]
    text: str


class Chosen(Frozen):
    """What a person meant by a phrase, said when it was asked back or corrected in a receipt."""

    phrase: str
    column: str
    term: str


class ChatThread(Frozen):
    """Who asks, where, and what was said so far, oldest first; the question itself is not among the turns."""

    asker: str = ""
    email: str = ""
    groups: tuple[str, ...] = ()
    platform: Literal["terminal", "slack", "teams"] = "terminal"
    workspace: str = ""
    channel: str = ""
    thread: str = ""
    turns: tuple[Turn, ...] = ()
    chosen: tuple[Chosen, ...] = ()  # by the asker, or approved for all
    locale: str = ""
    time_zone: str = ""


class Question(Frozen):
    """One self-contained question, and what was carried over from the thread to make it so; language is the asker's, which the reply is in."""

    text: str
    language: str = "en"
    carried: tuple[str, ...] = ()


class Slice(Frozen):
    """The part of a table that somebody may see: all columns but the hidden ones and, where a column is named, the rows that hold its value.

    A slice is built as a table of its own: what it leaves out is not in its files.
    """

    hidden: tuple[str, ...] = ()
    column: str = ""
    value: str = ""  # folded


WHOLE = Slice()


class Scope(Frozen):
    """What an asker may see: for the tables that may be named at all, the slice of each. It is part of every key of what is remembered."""

    everything: bool = False
    slices: dict[str, Slice] = Field(default_factory=dict)  # by the table's name in the catalog

    @property
    def key(self) -> str:
        """Equal for scopes that show the same, and for no others."""
        return blake2b(json.dumps(self.model_dump(), sort_keys=True).encode(), digest_size=12).hexdigest()

    def slice_of(self, table: str) -> Slice | None:
        """The part of the table that may be seen; None where it may not be named."""
        return WHOLE if self.everything else self.slices.get(table)

    def meet(self, other: Scope) -> Scope:
        """What both may see; a table of which they see different rows is seen by neither."""
        if self.everything or other.everything:
            return other if self.everything else self
        both = {}
        for table, mine in self.slices.items():
            theirs = other.slices.get(table)
            if theirs is None or (mine.column and theirs.column and (mine.column, mine.value) != (theirs.column, theirs.value)):
                continue
            rows = mine if mine.column else theirs
            both[table] = Slice(hidden=tuple(sorted({*mine.hidden, *theirs.hidden})), column=rows.column, value=rows.value)
        return Scope(slices=both)


EVERYTHING = Scope(everything=True)


# ---- what was found for it

How = Literal["exact", "spelling", "near", "meant", "synonym", "part", "number", "date", "name"]


class Term(Frozen):
    """A distinct value of a column (a class of spellings that fold to the same), in the source's commonest spelling, with the rows that hold it."""

    column: str
    text: str
    rows: int


class Match(Frozen):
    """A term that a phrase of the question may mean; score is 0 to 1."""

    phrase: str
    term: Term
    how: How
    score: float


class Retrieval(Frozen):
    """Candidate tables and, for the phrases of the question, the terms that they may mean."""

    tables: tuple[str, ...]
    matches: tuple[Match, ...] = ()
    rows: tuple[tuple[Value, ...], ...] = ()
    non_matches: tuple[tuple[Value, ...], ...] = ()


# ---- the plan: what a language model fills in too, so its descriptions are prompt

Operator = Literal[
    "is", "is_not", "less", "at_most", "more", "at_least", "starts_with", "ends_with", "contains", "not_contains", "words",
    "has", "has_all", "has_none", "blank", "not_blank", "open", "closed",
]  # fmt: skip
Function = Literal["count", "count_distinct", "sum", "average", "min", "max"]


class Comparison(Frozen):
    """One test of one column."""

    column: str = Field(description="A column's name, exactly as in the schema.")
    op: Operator = Field(
        description="has, has_all and has_none are for list columns; words means that every word of the value occurs in the cell; blank and "
        "not_blank take no values; open and closed are for opening hours, with values such as Fri, Sat 18:00-24:00, Tue 18:30."
    )
    values: tuple[Value, ...] = Field(default=(), description="Terms of the column, spelled as given; several values mean any of them.")


class Clause(Frozen):
    """Comparisons of which one must hold."""

    any_of: tuple[Comparison, ...] = Field(description="At least one of these must hold.")


class Measure(Frozen):
    """A figure computed over the rows or over each group."""

    function: Function
    column: str | None = Field(default=None, description="Empty for a count of rows.")


class Having(Frozen):
    """A test of a measure, over groups."""

    measure: Measure
    op: Literal["is", "is_not", "less", "at_most", "more", "at_least"]
    value: int | float


class Sort(Frozen):
    """An order: by a column or by a measure."""

    by: str | Measure
    descending: bool = False


class TablePlan(Frozen):
    """Rows, groups or figures of one table."""

    kind: Literal["table"] = "table"
    table: str
    where: tuple[Clause, ...] = Field(default=(), description="All of these must hold.")
    group_by: tuple[str, ...] = ()
    measures: tuple[Measure, ...] = ()
    having: tuple[Having, ...] = ()
    sort: tuple[Sort, ...] = ()
    limit: int | None = Field(default=None, ge=1)
    select: tuple[str, ...] = Field(default=(), description="The columns that were asked for; empty when the rows themselves were.")
    distinct: bool = False


class SqlPlan(Frozen):
    """One read-only SELECT, for what a table plan cannot say."""

    kind: Literal["sql"] = "sql"
    sql: str


class Reading(Frozen):
    """One way to understand the question, with the number of rows that it would give."""

    label: str
    question: str
    plan: TablePlan
    rows: int


class ClarifyPlan(Frozen):
    """Two to five readings to choose from, or a question back where there is none to offer."""

    kind: Literal["clarify"] = "clarify"
    reason: str
    phrase: str = ""
    readings: tuple[Reading, ...] = ()


class NoAnswerPlan(Frozen):
    """Why the tables do not tell."""

    kind: Literal["no_answer"] = "no_answer"
    reason: Literal["empty_question", "not_a_question", "not_in_table", "words_without_a_place", "no_table", "plan_failed"]
    words: tuple[str, ...] = ()


QueryPlan = Annotated[TablePlan | SqlPlan | ClarifyPlan | NoAnswerPlan, Field(discriminator="kind")]


# ---- the answer

Role = Literal["answer", "key", "condition"]


class ResultColumn(Frozen):
    """A shown column: its name as in the source, its type, and why it is shown."""

    name: str
    type: ColumnType
    role: Role


class ResultTable(Frozen):
    """Every row that the plan gives; columns are there even when rows are not."""

    columns: tuple[ResultColumn, ...]
    rows: tuple[tuple[Value, ...], ...]
    row_ids: tuple[int, ...] | None  # 1 is the first data row of the source; None for grouped or counted rows
    total: int
    cut: bool = False  # more rows match than `rows` holds
    version: str = ""
    loaded_at: str = ""  # ISO 8601, UTC
    reads: tuple[tuple[str, str], ...] = ()  # (table, column) that a written query read, the column empty for the table itself


class Candidate(Frozen):
    """Another term that the same phrase may mean."""

    column: str
    term: str
    rows: int


class Binding(Frozen):
    """A line of the receipt: these words of the question became this condition."""

    phrase: str
    column: str
    op: Operator | Literal["table", "column", "measure", "sort", "limit"]
    terms: tuple[Value, ...] = ()
    how: How = "exact"
    candidates: tuple[Candidate, ...] = ()


class Confidence(Frozen):
    """0 to 1, and why it is not 1."""

    value: float
    reasons: tuple[str, ...] = ()


class Freshness(Frozen):
    """Which data was asked: the source, when it was last changed and when it was read (ISO 8601, UTC).

    stale_since: since when the source is refused or cannot be read, so that older data is asked; empty where all is well.
    """

    source: str
    changed_at: str = ""
    loaded_at: str = ""
    version: str = ""
    stale_since: str = ""


class Answer(Frozen):
    """One part of a reply: what was asked, what came of it, and how it was understood."""

    kind: Literal["answer", "clarify", "no_answer", "failure"]
    question: str
    headline: str
    language: str = "en"
    result: ResultTable | None = None
    bindings: tuple[Binding, ...] = ()
    unused: tuple[str, ...] = ()
    plan: QueryPlan | None = None
    sql: str = ""
    freshness: Freshness | None = None
    confidence: Confidence = Confidence(value=0.0)
    message: str = ""
    explanation: str = ""  # why nothing was found, and what is near
    notes: tuple[str, ...] = ()  # what else the asker is to know, such as that no model could be reached


class Spent(Frozen):
    """What a question took of language models: calls, tokens (of what was read those that were cached), seconds, and money in the currency of the bills."""

    calls: int = 0
    tokens_read: int = 0
    tokens_cached: int = 0
    tokens_written: int = 0
    seconds: float = 0.0
    cost: float = 0.0

    @property
    def tokens(self) -> int:
        """Read and written."""
        return self.tokens_read + self.tokens_written


class Reply(Frozen):
    """What a surface renders: one or more parts; who planned it, and what that took of models."""

    parts: tuple[Answer, ...]
    planner: Literal["offline", "model"] = "offline"
    spent: Spent = Spent()

    @property
    def kind(self) -> str:
        """The first part's kind tells replies apart."""
        return self.parts[0].kind

    def to_json(self) -> dict[str, Any]:
        """The stable form for programs: the first part at the top, and `parts` where there are several."""
        parts = [_part_json(part) for part in self.parts]
        told = {"planner": self.planner, "model": self.spent.model_dump()}
        return parts[0] | told if len(parts) == 1 else {**parts[0], **told, "parts": parts}


def _part_json(part: Answer) -> dict[str, Any]:
    result = part.result
    return {
        "kind": part.kind,
        "question": part.question,
        "headline": part.headline,
        "columns": [column.model_dump() for column in result.columns] if result else [],
        "rows": [list(row) for row in result.rows] if result else [],
        "row_ids": list(result.row_ids) if result and result.row_ids is not None else None,
        "total": result.total if result else None,
        "bindings": [binding.model_dump(mode="json") for binding in part.bindings],
        "unused": list(part.unused),
        "plan": part.plan.model_dump(mode="json", exclude_defaults=True) | {"kind": part.plan.kind} if part.plan else None,
        "sql": part.sql,
        "freshness": part.freshness.model_dump() if part.freshness else None,
        "confidence": part.confidence.model_dump(mode="json"),
        **({"message": part.message} if part.message else {}),
        **({"explanation": part.explanation} if part.explanation else {}),
        **({"notes": list(part.notes)} if part.notes else {}),
    }
