"""What a person sees on a terminal and what goes down a pipe."""

from __future__ import annotations

import io
import re

import pytest

from bot.terminal import FIRST_ROWS, plain_lines, print_reply
from engine.types import Reply
from tests.bot.replies import answered, clarifying, table

STYLES = re.compile(r"\x1b\[[0-9;]*m")


class Screen(io.StringIO):
    """A terminal as far as anyone can tell."""

    def isatty(self) -> bool:
        return True


def on_screen(reply: Reply, monkeypatch: pytest.MonkeyPatch, *, columns: int = 100, every_row: bool = False) -> str:
    monkeypatch.setenv("COLUMNS", str(columns))
    monkeypatch.setenv("LINES", "5000")  # so that nothing is paged
    monkeypatch.setenv("TERM", "xterm-256color")
    screen = Screen()
    print_reply(reply, screen, every_row=every_row)
    return STYLES.sub("", screen.getvalue())


def test_a_pipe_gets_every_row_on_a_line() -> None:
    rows = [(f"Shop {n}", "Ash") for n in range(1500)]
    out = io.StringIO()
    print_reply(answered(table(*rows), headline="1,500 pharmacies"), out)
    written = out.getvalue().splitlines()
    assert written[:3] == ["1,500 pharmacies", "name\ttown", "Shop 0\tAsh"]
    assert written[1501] == "Shop 1499\tAsh"
    assert written[1502:] == [
        "Understood as:",
        "  chemists → type = Pharmacy (also: name = Chemist Street, 1 row)",
        "Data: pharmacies.csv, changed 2026-09-01 08:30 UTC, read 2026-09-02 09:00 UTC",
    ]


def test_a_pipe_gets_no_colour_and_no_cell_in_two_lines() -> None:
    written = plain_lines(answered(table(("a\tb\nc", "\x1b[31mred"))))
    assert "a\\tb\\nc\t\\x1b[31mred" in written


def test_a_screen_shows_the_first_rows_and_the_true_total(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = [(f"Shop {n}", "Ash") for n in range(1500)]
    seen = on_screen(answered(table(*rows)), monkeypatch)
    assert f"{FIRST_ROWS} of 1,500 shown" in seen
    assert f"Shop {FIRST_ROWS - 1}" in seen
    assert f"Shop {FIRST_ROWS}" not in seen
    everything = on_screen(answered(table(*rows)), monkeypatch, every_row=True)
    assert "Shop 1499" in everything
    assert "shown" not in everything


def test_cells_are_text_and_nothing_else(monkeypatch: pytest.MonkeyPatch) -> None:
    seen = on_screen(answered(table(("[bold]x[/bold] :smile:", "\x1b]0;title\x07\x9b2J"), ("two\nlines", "x"))), monkeypatch)
    assert "[bold]x[/bold] :smile:" in seen
    assert "\\x1b]0;title\\x07\\x9b2J" in seen
    assert "\x1b]" not in seen
    assert "\x9b" not in seen
    assert "two " in seen


def test_a_name_with_markup_is_a_name(monkeypatch: pytest.MonkeyPatch) -> None:
    seen = on_screen(answered(table(("a", "b"), names="[red]name[/red] town"), headline="[blink]2[/blink]"), monkeypatch)
    assert "[red]name[/red]" in seen
    assert "[blink]2[/blink]" in seen


def test_right_to_left_cells_keep_their_places(monkeypatch: pytest.MonkeyPatch) -> None:
    seen = on_screen(answered(table(("בית מרקחת", "Haifa")), language="he", headline="בית מרקחת אחד"), monkeypatch)
    line = next(line for line in seen.splitlines() if "Haifa" in line)
    assert line.index("\u2068בית מרקחת\u2069") < line.index("Haifa")
    assert "הובן כך" in seen
    assert "\u2068" not in "".join(plain_lines(answered(table(("בית מרקחת", "Haifa")), language="he")))


def test_columns_stay_in_line_beside_wide_and_right_to_left_cells(monkeypatch: pytest.MonkeyPatch) -> None:
    from rich.cells import cell_len

    seen = on_screen(answered(table(("בית", "HERE"), ("中文", "HERE"), ("abcdef", "HERE"))), monkeypatch)
    places = {cell_len(line[: line.index("HERE")].translate({0x2068: None, 0x2069: None})) for line in seen.splitlines() if "HERE" in line}
    assert len(places) == 1


def test_many_columns_become_records(monkeypatch: pytest.MonkeyPatch) -> None:
    names = " ".join(f"column{n}" for n in range(20))
    seen = on_screen(answered(table(tuple(f"value{n}" for n in range(20)), names=names)), monkeypatch, columns=80)
    assert re.search(r"^column0 +value0 *$", seen, re.MULTILINE)
    assert re.search(r"^column19 +value19 *$", seen, re.MULTILINE)


@pytest.mark.parametrize("columns", [20, 40, 80, 200])
def test_no_value_is_lost_on_a_narrow_screen(monkeypatch: pytest.MonkeyPatch, columns: int) -> None:
    result = table(("Lords Pharmacy", 1234567890), names="name figure", types="text integer")
    seen = on_screen(answered(result), monkeypatch, columns=columns)
    assert "1234567890" in seen
    assert "Lords" in seen
    assert "…" not in seen.split("Understood")[0]


def test_readings_are_offered_with_their_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    for text in (on_screen(clarifying(), monkeypatch), "\n".join(plain_lines(clarifying()))):
        assert "Which do you mean?" in text
        assert "1. town = Ash (4 rows)" in text
        assert "2. name = Ash (1 row)" in text


def test_parts_are_told_apart() -> None:
    one = answered(table(("a", "b"))).parts[0]
    written = plain_lines(Reply(parts=(one, one)))
    assert "Part 1 of 2" in written
    assert "Part 2 of 2" in written
