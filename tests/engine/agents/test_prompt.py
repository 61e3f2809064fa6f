"""What a prompt costs, and how much of it a provider has read before; measured on the wire."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import ExitStack, closing
from dataclasses import replace
from pathlib import Path
from statistics import median
from typing import Any

import pytest

from cache.versions import Store
from engine.agents.choose import ChooseForm
from engine.agents.form import QueryForm, SelectForm
from engine.agents.parts import ALL, HEAD, NAMES
from engine.agents.rephrase import RephraseForm
from engine.agents.strict import Form, checked_form
from engine.catalog import load_catalog
from engine.tables import open_tables
from tests.engine.agents.playing import Asked, World, rows
from tests.engine.conftest import NOW, Opened
from tests.model.strict import COMMON, check_strict

EXAMPLES = Path(__file__).resolve().parents[3] / "examples"
QUESTIONS = {
    "service_book": [
        "which chemists are in Haifa?",
        "where can I get my blood checked in Netanya",
        "how many dentists per city",
        "who is Dr. Kinneret Nassar",
        "places where a deaf person can manage in Ashdod",
        "women's doctors in Tel Aviv open on Friday",
        "which clinics were last looked through before 2026",
        "אילו בתי מרקחת פתוחים בשבת בחיפה",
    ],
    "pharmacies": [
        "pharmacies in Newmarket",
        "which Boots shops have no phone",
        "the most northern pharmacy",
        "how many pharmacies are in each town",
    ],
}
TOKENS, SAME = 2_500, 0.6


@pytest.fixture(scope="module")
def examples(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, World]]:
    """The catalogs that come along."""
    folder = tmp_path_factory.mktemp("examples")
    with ExitStack() as held:
        worlds = {}
        for name in QUESTIONS:
            tables = open_tables(load_catalog(EXAMPLES / name / "almanac.toml"), Store(folder / name))
            for table in tables:
                held.enter_context(closing(table))
            worlds[name] = World(tables, folder / name)
        yield worlds


def tokens_said(came: Asked) -> int:
    """Of the messages; the form, which holds a model to its shape and is not read by all, is beside them."""
    return sum(len(json.dumps(message, ensure_ascii=False).encode()) for message in came.endpoint.asked[0].messages) // 4


def test_prompts_are_short_and_begin_alike(examples: dict[str, World]) -> None:
    said = []
    for name, questions in QUESTIONS.items():
        came = [examples[name](text, rows(), kind="model") for text in questions]
        said += [tokens_said(one) for one in came]
        prompts = [one.endpoint.prompts()[0].encode() for one in came]
        for number, prompt in enumerate(prompts[1:], 1):
            same = next(at for at, (a, b) in enumerate(zip(prompts[number - 1], prompt, strict=False)) if a != b)
            assert same >= SAME * len(prompt), questions[number]
    assert len(said) == 12 and median(said) <= TOKENS, sorted(said)


def test_the_question_comes_last(asking: World) -> None:
    came = asking("aching feet in Tarnby", rows(), kind="model")
    assert [message["role"] for message in came.endpoint.asked[0].messages] == ["system", "assistant", "tool", "user"]
    found = json.loads(came.told(0))
    assert list(found)[-1] == "question" and list(found)[:3] == ["today", "terms", "rows"]
    assert found["terms"]["Tarnby"] == ["city = Tarnby"]
    assert len(found["rows"]["similar"]) == 5 and len(found["rows"]["not_matching"]) == 3
    city = found["rows"]["columns"].index("city")
    assert "Tarnby" not in [row[city] for row in found["rows"]["not_matching"]]


def test_the_day_is_told_where_a_column_holds_times(asking: World, opened: Opened, tmp_path: Path) -> None:
    told = json.loads(asking("aching feet in Tarnby", rows(), kind="model").told(0))
    assert told["today"] == f"{NOW:%a %Y-%m-%d}"
    timeless = World(opened("who,fee\nAda,5\nBo,7\n", "fees.csv").tables, tmp_path)
    assert "today" not in json.loads(timeless("somebody like Ruritanians", rows(), kind="model").told(0))


@pytest.mark.parametrize("name", NAMES)
def test_a_part_that_is_left_out_is_in_no_request(examples: dict[str, World], name: str) -> None:
    text = "dentists in Rehovot with an elevator that are kind"
    (whole, less) = (examples["service_book"](text, rows(), kind="model", parts=parts) for parts in (ALL, _without(name)))
    assert [has(part, whole) for part in NAMES] == [True] * len(NAMES)
    assert {part for part in NAMES if not has(part, less)} == {name}


def _without(name: str) -> Any:
    return replace(ALL, **{name: False})


def has(name: str, came: Asked) -> bool:
    """Whether a part stands in the first request."""
    found = json.loads(came.told(0))
    if name == "history":
        return "Nahariya" in str(came.endpoint.asked[0].messages[2]) or "sample" in str(came.endpoint.asked[0].messages[2])
    if name in ("rows", "negatives"):
        return {"rows": "similar", "negatives": "not_matching"}[name] in found.get("rows", {})
    return {"terms": "terms", "examples": "worked_examples"}[name] in found


def test_the_baseline_shows_the_first_rows_and_nothing_else(examples: dict[str, World]) -> None:
    came = examples["service_book"]("kind dentists in Rehovot", rows(), kind="model", parts=HEAD)
    assert json.loads(came.told(0)) == {"question": "kind dentists in Rehovot"}
    assert came.endpoint.holding("Willow Imaging Beer Sheva") and not came.endpoint.holding("Nahariya")
    assert came.calls == 1, "and nothing is repaired"


@pytest.mark.parametrize("base", [QueryForm, SelectForm, ChooseForm, RephraseForm])
@pytest.mark.parametrize("count", [0, 1, 14, 83, 200, 201, 2_000])
def test_every_form_is_one_that_all_endpoints_take(base: type[Form], count: int) -> None:
    names = [f'column {number} "of" the {{survey}}\n' for number in range(count)]
    made = checked_form(base, "query_sql_table", {"columns": names, "tables": names}, lambda form: None)
    check_strict(made.model_json_schema(), COMMON)


def test_long_names_are_not_in_the_form() -> None:
    names = [f"{number} " + "of what was asked " * 30 for number in range(100)]
    schema = checked_form(QueryForm, "query_sql_table", {"columns": names}, lambda form: None).model_json_schema()
    check_strict(schema, COMMON)
    assert names[0] not in json.dumps(schema)


def test_a_model_may_choose_among_the_columns_only(asking: World) -> None:
    came = asking("aching feet in Tarnby", rows(), kind="model")
    columns = [column.name for column in asking.tables[0].facts.columns]
    assert came.endpoint.asked[0].schema["$defs"]["columns"] == {"type": "string", "enum": columns}
