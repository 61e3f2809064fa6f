"""What is shown stays within Slack's limits whatever the rows hold, and blocks and text say the same."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.chat.types import Asker, Button, Choice, Menu, Place, Shown
from bot.slack.escape import literal, mrkdwn, plain
from bot.slack.render import to_blocks, to_text
from engine.types import Answer, Binding, Confidence, Freshness, Reply, ResultColumn, ResultTable, TablePlan, Value
from tests.slack.blocks_check import MOST_TEXT_OF_UPDATE, mentions, texts_of, wrong_with

HOSTILE = (
    "<!channel> <@U1> <#C1> <http://evil.example|here> <mailto:a@b.c> <!subteam^S1> *b* _i_ ~s~ `c` :tada: & > quote\n> q\x1b[2J\u202e"
)


def result(rows: int, columns: int, cell: Value, total: int = 0) -> ResultTable:
    """A result whose cells are all the same."""
    roles = ("answer", "key", "condition")
    named = tuple(ResultColumn(name=f"column {at}", type="text", role=roles[at % 3]) for at in range(columns))
    return ResultTable(columns=named, rows=((cell,) * columns,) * rows, row_ids=None, total=total or rows)


def part(table: ResultTable | None, headline: str = "a headline", **more: object) -> Answer:
    """An answer with its receipt."""
    binding = Binding(phrase="chemists", column="type", op="is", terms=("Pharmacy",))
    return Answer.model_validate(
        {
            "kind": "answer", "question": "q", "headline": headline, "result": table, "bindings": (binding,), "plan": TablePlan(table="t"),
            "freshness": Freshness(source="s.csv", loaded_at="2026-09-02T09:00:00+00:00"), "confidence": Confidence(value=1), **more,
        }
    )  # fmt: skip


def showing(*parts: Answer, **more: object) -> Shown:
    """An answer as it is shown."""
    shown = Shown("r", Reply(parts=parts), "answer", Place("slack", "T", "C"), Asker("U"))
    return replace(shown, **more)  # type: ignore[arg-type]


def buttons(count: int, label: str = "a button") -> tuple[Button, ...]:
    return tuple(Button(label, f"act.{number}", action="act") for number in range(count))


def menus(count: int, choices: int, label: str, action: str = "correct") -> tuple[Menu, ...]:
    return tuple(Menu(label, tuple(Choice(label, f"v{at}.{n}") for n in range(choices)), action) for at in range(count))


@pytest.mark.parametrize("cell", ["", "x", "x" * 40_000, "<" * 3000, "&" * 3000, "ש" * 3000, "😀" * 3000, HOSTILE * 50, None, 1.5, True])
@pytest.mark.parametrize(("rows", "columns"), [(0, 3), (1, 1), (10, 5), (10, 20), (10, 60), (100, 20)])
def test_every_page_fits(cell: Value, rows: int, columns: int) -> None:
    shown = showing(part(result(rows, columns, cell)), page_rows=rows or 1, buttons=buttons(9))
    assert wrong_with(to_blocks(shown)) == ""
    assert 1 <= len(to_text(shown)) <= MOST_TEXT_OF_UPDATE


@pytest.mark.parametrize("text", ["x" * 40_000, "<&>" * 9000, HOSTILE * 90, "\n" * 5000, "", " ", "*", "word " * 4000])
def test_everything_that_is_said_fits(text: str) -> None:
    many = part(result(10, 20, text), headline=text, explanation=text, unused=(text,), message=text, notes=(text,))
    for shown in (
        showing(*[many] * 12, lines=(text,) * 40, carried=(text,) * 9, buttons=buttons(60, text), menus=menus(30, 40, text)),
        showing(many, view="how", lines=(text,) * 80, code=text),
        showing(many, view="notice", lines=(text,)),
        showing(many, menus=menus(3, 5, text, "pick")),
    ):
        assert wrong_with(to_blocks(shown)) == ""
        assert 1 <= len(to_text(shown)) <= MOST_TEXT_OF_UPDATE


@settings(max_examples=60, deadline=None)
@given(st.text(max_size=400), st.integers(1, 12), st.integers(1, 30))
def test_any_text_fits_and_mentions_nobody(text: str, rows: int, columns: int) -> None:
    shown = showing(part(result(rows, columns, text), headline=text), lines=(text,), buttons=buttons(2), menus=menus(1, 2, text or "…"))
    blocks = to_blocks(shown)
    assert wrong_with(blocks) == ""
    assert not [found for said in (*texts_of(blocks), to_text(shown)) for found in mentions(said)]


def test_hostile_text_is_read_as_it_stands_and_does_nothing() -> None:
    shown = showing(part(result(2, 3, HOSTILE), headline=HOSTILE))
    for said in (*texts_of(to_blocks(shown)), to_text(shown)):
        assert mentions(said) == [] and "\x1b" not in said and "\u202e" not in said
    headline = to_blocks(shown)[0]["text"]
    assert headline["type"] == "mrkdwn" and headline["verbatim"] is True
    inner = headline["text"]
    assert "&lt;!channel&gt;" in inner and "*b*" not in inner and "_i_" not in inner and "~s~" not in inner and "`c`" not in inner
    assert ":tada:" not in inner


def test_words_with_lines_below_and_times_are_left_as_they_are() -> None:
    assert mrkdwn("snake_case_name 10:30:45 a - b") == "snake_case_name 10:30:45 a - b"
    assert literal("a < b, 3 > 2 & <b>") == "a < b, 3 > 2 & <b>"


def test_the_count_says_what_is_shown() -> None:
    shown = showing(part(result(45, 3, "x", total=509)), page=2, page_rows=20)
    for said in ("\n".join(texts_of(to_blocks(shown))), to_text(shown)):
        assert "Rows 21-40 of 509" in said
    table = next(block for block in to_blocks(shown) if block["type"] == "table")
    assert len(table["rows"]) == 21
    assert to_text(shown).count("x | x | x") == 20


def test_blocks_and_text_say_the_same() -> None:
    rows = tuple((f"name {number}", number) for number in range(7))
    columns = (ResultColumn(name="name", type="text", role="answer"), ResultColumn(name="beds", type="integer", role="key"))
    shown = showing(
        part(ResultTable(columns=columns, rows=rows, row_ids=None, total=7), explanation="Why."), lines=("Before.",), carried=("in Haifa",)
    )
    text = to_text(shown)
    for said in texts_of(to_blocks(shown)):
        assert said.strip("*") in text
    assert next(block for block in to_blocks(shown) if block["type"] == "table")["column_settings"][1]["align"] == "right"


def test_more_columns_than_a_table_holds_are_told() -> None:
    shown = showing(part(result(2, 35, "x")))
    table = next(block for block in to_blocks(shown) if block["type"] == "table")
    names = [cell["text"] for cell in table["rows"][0]]
    assert len(names) == 20 and {f"column {at}" for at in range(0, 35, 3)} <= set(names)  # what was asked comes first
    assert "20 of 35" in to_text(shown)


def test_a_long_cell_is_cut_no_more_than_it_must_be() -> None:
    rows = (("short", "y" * 1200),)
    columns = (ResultColumn(name="a", type="text", role="answer"), ResultColumn(name="b", type="text", role="key"))
    shown = showing(part(ResultTable(columns=columns, rows=rows, row_ids=None, total=1)))
    assert "y" * 1200 in list(texts_of(to_blocks(shown)))


@pytest.mark.parametrize(
    ("sent", "read"),
    [
        ("<@U0BOT> hello", "hello"),
        ("<@U0BOT>: hello <@U0BOT>", "hello @U0BOT"),
        ("in <#C1|general>, <@U2|ann>, <!here>", "in #general, @ann,"),
        ("<https://a.example/x|A> <https://b.example> <mailto:a@b.c|a@b.c>", "A https://b.example a@b.c"),
        ("a &lt;b&gt; &amp;amp; c", "a <b> &amp; c"),
        ("<!date^1392734382^{date}|a day>", "a day"),
        ("", ""),
    ],
)
def test_a_message_is_read_as_its_writer_saw_it(sent: str, read: str) -> None:
    assert plain(sent, "U0BOT") == read
