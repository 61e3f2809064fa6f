"""Whatever table is written, in any dialect and encoding that can hold it, is read back the same."""

from __future__ import annotations

import csv
import io
import tempfile
from pathlib import Path

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from engine.read import ReadOptions, read
from engine.read.table import SourceTable
from tests.engine.read.columns import cells_of

ALPHABETS = {
    "utf-8": "abcXYZ éßñ Жд שלום 名前 0123 ,;\t|\"'\\-./\n",
    "utf-8-sig": "abc éß Ж ש 12 ,;\t|\"'\n",
    "utf-16": "abc éß Ж ש 12 ,;\t|\"'\n",
    "cp1251": "абвЖд abc 12 ,;\t|\"'-\n",
    "cp1255": "שלוםאב abc 12 ,;\t|\"'-\n",
    "cp1252": "abcéèàüöß 12 ,;\t|\"'-\n",
    "shift_jis": '名前住所東京ア abc 12 ,;\t|"-\n',
}
NAMES = ["name", "city", "remarks", "amount", "when"]


@st.composite
def written(draw: st.DrawFn) -> tuple[str, str, list[list[str]], list[str], str]:
    """An encoding, a delimiter, rows, names and a line end."""
    encoding = draw(st.sampled_from(sorted(ALPHABETS)))
    width = draw(st.integers(2, 5))
    cell = st.text(ALPHABETS[encoding], max_size=12)
    word = st.text("abcdefgh", min_size=2, max_size=8)
    rows = draw(st.lists(st.lists(cell | word, min_size=width, max_size=width), min_size=1, max_size=12))
    rows = [[draw(word), *row[1:]] for row in rows]  # a row of empty cells at the end is none
    return encoding, draw(st.sampled_from(",;\t|")), rows, NAMES[:width], draw(st.sampled_from(["\n", "\r\n"]))


def _read(data: bytes, options: ReadOptions) -> SourceTable:
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "t.csv").write_bytes(data)
        return read("t.csv", options, base=Path(folder))[0]


def _data(encoding: str, delimiter: str, rows: list[list[str]], end: str, quoting: int) -> bytes:
    text = io.StringIO()
    csv.writer(text, delimiter=delimiter, lineterminator=end, quoting=quoting).writerows(rows)  # type: ignore[arg-type]
    return text.getvalue().encode(encoding)


@settings(max_examples=150, deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow])
@given(written(), st.sampled_from([csv.QUOTE_MINIMAL, csv.QUOTE_ALL]))
def test_what_is_said_is_read_back(case: tuple[str, str, list[list[str]], list[str], str], quoting: int) -> None:
    encoding, delimiter, rows, names, end = case
    options = ReadOptions(encoding=encoding, delimiter=delimiter, quote='"', header_rows=1, skip_rows=0, footer_rows=0)
    table = _read(_data(encoding, delimiter, [names, *rows], end, quoting), options)
    assert [column.name for column in table.columns] == names
    kept = [row for row in rows if row != names]
    assert cells_of(table) == kept


@settings(max_examples=100, deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow])
@given(
    st.sampled_from(["utf-8", "utf-8-sig", "utf-16", "cp1252"]),
    st.sampled_from(",;\t|"),
    st.lists(st.tuples(st.text("abcdefg éü", min_size=1, max_size=9), st.integers(0, 9999), st.booleans()), min_size=3, max_size=20),
    st.sampled_from([csv.QUOTE_MINIMAL, csv.QUOTE_ALL]),
    st.sampled_from(["\n", "\r\n", "\r"]),
)
def test_what_is_not_said_is_found(encoding: str, delimiter: str, people: list[tuple[str, int, bool]], quoting: int, end: str) -> None:
    rows = [[f"Zoë {name}", str(age), "yes" if ok else "no"] for name, age, ok in people]
    table = _read(_data(encoding, delimiter, [["name", "age", "ok"], *rows], end, quoting), ReadOptions())
    assert (table.delimiter, [column.name for column in table.columns]) == (delimiter, ["name", "age", "ok"])
    assert cells_of(table) == rows
    assert table.columns[1].type == "integer"


@settings(max_examples=100, deadline=None, derandomize=True)
@given(st.lists(st.lists(st.text(min_size=0, max_size=20), min_size=1, max_size=6), min_size=1, max_size=15))
def test_no_text_makes_reading_fail_otherwise_than_with_a_sentence(rows: list[list[str]]) -> None:
    from engine.errors import SourceError

    data = "\n".join(",".join(row) for row in rows).encode("utf-8", "replace")
    try:
        table = _read(data, ReadOptions())
    except SourceError as error:
        assert str(error).endswith(".")
        assert "\n" not in str(error)
    else:
        assert all(len(column.codes) == table.rows and len(column.values) == len(column.texts) for column in table.columns)
