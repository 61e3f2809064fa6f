from __future__ import annotations

import random

import numpy as np
import pytest

from engine.read.sample import representative
from engine.read.table import SourceColumn, SourceTable


def _column(name: str, texts: list[str], codes: list[int]) -> SourceColumn:
    return SourceColumn(name, "text", texts, list(texts), np.array(codes, dtype=np.int32))


def _table(rows: int, seed: int, rare: float) -> SourceTable:
    """A table with a name that is never twice the same, a common word and a rare one."""
    dice = random.Random(seed)
    marks = [1 if dice.random() < rare else 0 for _ in range(rows)]
    groups = [dice.randrange(8) for _ in range(rows)]
    columns = [
        _column("name", [f"n{n}" for n in range(rows)], list(range(rows))),
        _column("group", [f"g{n}" for n in range(8)], groups),
        _column("mark", ["usual", "rare"], marks),
    ]
    return SourceTable("t", columns, rows, "t")


def _holds(table: SourceTable, text: str, rows: list[int]) -> bool:
    column = table.columns[2]
    return any(column.texts[column.codes[row - 1]] == text for row in rows)


def test_a_value_that_one_row_in_a_hundred_holds_is_nearly_always_there() -> None:
    found = sum(_holds(table, "rare", representative(table, seed=seed)) for seed in range(40) for table in [_table(10_000, seed, 0.01)])
    by_chance = sum(
        _holds(table, "rare", random.Random(seed).sample(range(1, 10_001), 20))
        for seed in range(40)
        for table in [_table(10_000, seed, 0.01)]
    )
    assert found >= 38
    assert by_chance < 20


def test_every_group_is_there() -> None:
    table = _table(5000, 1, 0.01)
    column = table.columns[1]
    assert len({int(column.codes[row - 1]) for row in representative(table)}) == 8


def test_the_seed_decides() -> None:
    table = _table(2000, 1, 0.01)
    assert representative(table, seed=5) == representative(table, seed=5)
    assert representative(table, seed=5) != representative(table, seed=6)


@pytest.mark.parametrize("rows", [0, 1, 20])
def test_a_small_table_is_its_own_sample(rows: int) -> None:
    assert representative(_table(rows, 1, 0.5)) == list(range(1, rows + 1))


def test_spellings_that_fold_to_the_same_are_no_variety() -> None:
    rows = 3000
    spelled = _column("city", ["Haifa", "HAIFA", "haifa ", "Haífa", "Acre"], [n % 4 for n in range(rows - 30)] + [4] * 30)
    table = SourceTable("t", [spelled], rows, "t")
    assert any(row > rows - 30 for row in representative(table))


def test_a_million_rows_are_sampled_by_looking_at_few() -> None:
    class Counted(list[str]):
        looks = 0

        def __getitem__(self, index):  # type: ignore[no-untyped-def]
            Counted.looks += 1
            return super().__getitem__(index)

    rows = 1_000_000
    texts = Counted(f"n{n}" for n in range(rows))
    column = SourceColumn("name", "text", texts, list(texts), np.arange(rows, dtype=np.int32))
    assert len(representative(SourceTable("t", [column], rows, "t"))) == 20
    assert Counted.looks <= 2 * rows // 10
