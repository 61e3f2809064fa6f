"""Replies made by hand, for what renders them."""

from __future__ import annotations

from engine.types import (
    Answer,
    Binding,
    Candidate,
    ClarifyPlan,
    ColumnType,
    Confidence,
    Freshness,
    Reading,
    Reply,
    ResultColumn,
    ResultTable,
    Role,
    TablePlan,
    Value,
)


def table(*rows: tuple[Value, ...], names: str = "name town", types: str = "", total: int | None = None, cut: bool = False) -> ResultTable:
    """A result with these columns, the first of which is the answer."""
    split = names.split()
    kinds: list[ColumnType] = types.split() if types else ["text"] * len(split)  # type: ignore[assignment]
    roles: list[Role] = ["answer", *["key"] * (len(split) - 1)]  # type: ignore[list-item]
    columns = tuple(ResultColumn(name=name, type=kind, role=role) for name, kind, role in zip(split, kinds, roles, strict=True))
    found = len(rows) if total is None else total
    return ResultTable(columns=columns, rows=rows, row_ids=tuple(range(1, len(rows) + 1)), total=found, cut=cut)


def answered(result: ResultTable, *, language: str = "en", headline: str = "2 pharmacies", unused: tuple[str, ...] = ()) -> Reply:
    """A reply with one part that is an answer, its receipt and its freshness."""
    other = Candidate(column="name", term="Chemist Street", rows=1)
    return Reply(
        parts=(
            Answer(
                kind="answer",
                question="chemists in town",
                headline=headline,
                language=language,
                result=result,
                bindings=(Binding(phrase="chemists", column="type", op="is", terms=("Pharmacy",), how="synonym", candidates=(other,)),),
                unused=unused,
                plan=TablePlan(table="pharmacies"),
                freshness=Freshness(source="pharmacies.csv", changed_at="2026-09-01T08:30:00+00:00", loaded_at="2026-09-02T09:00:00+00:00"),
                confidence=Confidence(value=0.9),
            ),
        )
    )


def clarifying() -> Reply:
    """A reply that asks back."""
    plan = TablePlan(table="pharmacies")
    town = Reading(label="town = Ash", question="in the town Ash", plan=plan, rows=4)
    name = Reading(label="name = Ash", question="named Ash", plan=plan, rows=1)
    asked = ClarifyPlan(reason="ambiguous", phrase="ash", readings=(town, name))
    said = "Ash fits two columns."
    return Reply(parts=(Answer(kind="clarify", question="ash", headline=said, plan=asked, message=said),))
