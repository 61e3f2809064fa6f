"""A draft is a catalog that loads, and its questions work."""

from __future__ import annotations

import shlex
from pathlib import Path

import pytest

from bot.answering import answers_from, library_of
from bot.draft import QUESTIONS, draft
from engine.catalog import load_catalog
from engine.types import EVERYTHING, ChatThread

EXAMPLES = Path(__file__).resolve().parent.parent.parent / "examples"
NASTY = 'na"me = x,a.b,"line\nbreak",\x1b[31mred\n"""quoted"" #1",7,x,y\nplain,8,x,z\nother,9,w,z\n'


def drafted(source: Path, folder: Path) -> tuple[Path, list[str]]:
    made = draft(str(source), folder)
    path = folder / "almanac.toml"
    path.write_text(made.text, encoding="utf-8")
    return path, made.questions


@pytest.mark.parametrize("sample", ["service_book/service_book_sample.csv", "pharmacies/england_pharmacies.csv"])
def test_five_questions_work_on_the_draft(sample: str, tmp_path: Path) -> None:
    path, questions = drafted(EXAMPLES / sample, tmp_path)
    assert len(questions) == len(set(questions)) == QUESTIONS
    with library_of(load_catalog(path)) as library:
        answer = answers_from(library)
        for question in questions:
            reply = answer(question, ChatThread(), EVERYTHING)
            assert (reply.kind, reply.parts[0].unused) == ("answer", ()), question
            assert reply.parts[0].result is not None
            assert reply.parts[0].result.total > 0


@pytest.mark.parametrize("name", ["shops.csv", "no toml \" ' # [x].csv", "עברית.csv"])
def test_names_are_text(name: str, tmp_path: Path) -> None:
    (tmp_path / name).write_text(NASTY, encoding="utf-8")
    path, _ = drafted(tmp_path / name, tmp_path)
    assert "\x1b" not in path.read_text(encoding="utf-8")
    (entry,) = load_catalog(path).tables
    assert entry.source == name
    with library_of(load_catalog(path)) as library:
        assert library.under(EVERYTHING)[0].facts.rows == 3


def test_a_source_elsewhere_is_named_from_the_draft(tmp_path: Path) -> None:
    (tmp_path / "data").mkdir()
    (tmp_path / "catalogs").mkdir()
    (tmp_path / "data" / "shops.csv").write_text("name,town\nCorner,Ash\nMill,Oak\n")
    path, _ = drafted(tmp_path / "data" / "shops.csv", tmp_path / "catalogs")
    assert load_catalog(path).tables[0].source == "../data/shops.csv"


def test_the_questions_can_be_typed_as_they_are_printed(tmp_path: Path) -> None:
    (tmp_path / "shops.csv").write_text('name,town\nAnn\'s "Corner",Ash\nMill $HOME,Oak\n')
    made = draft(str(tmp_path / "shops.csv"), tmp_path)
    assert [shlex.split(command)[-1] for command in made.commands(Path("almanac.toml"))] == made.questions
    assert shlex.split(made.commands(Path("a b.toml"))[0])[:4] == ["almanac", "ask", "--catalog", "a b.toml"]
