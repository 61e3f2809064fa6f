"""Questions become the plans that they mean: which rows, which figure, which order."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

import pytest

from engine.ask import ask
from engine.embed import default_embedder
from engine.retrieve import nearest_examples
from engine.types import EVERYTHING, ChatThread, Chosen, TablePlan
from tests.engine.conftest import NOW, Asked
from tests.engine.samples import FILMS, PROVIDERS, STOCK, Row, items, numbers, rows_of


def fee(row: Row) -> float:
    return float(row["fee"].strip("$"))


def speaks(row: Row, *languages: str) -> bool:
    return set(languages) <= set(items(row["languages"]))


def does(row: Row, specialty: str) -> bool:
    return specialty in items(row["specialty"])


@pytest.mark.parametrize(
    ("question", "holds"),
    [
        # several columns
        ("which providers are in Norwick", lambda r: r["city"] == "Norwick"),
        ("cardiology providers in Norwick", lambda r: does(r, "Cardiology") and r["city"] == "Norwick"),
        ("which cardiologists are in the West district", lambda r: does(r, "Cardiology") and r["district"] == "West"),
        ("who is in Oxmoor and speaks French", lambda r: r["city"] == "Oxmoor" and speaks(r, "French")),
        ("providers with a fee over 100 who speak German", lambda r: fee(r) > 100 and speaks(r, "German")),
        ("providers named Anna Weiss in Norwick", lambda r: r["name"] == "Anna Weiss" and r["city"] == "Norwick"),
        # or
        ("providers in Norwick or Easton", lambda r: r["city"] in ("Norwick", "Easton")),
        ("dermatology in Tarnby or Oxmoor", lambda r: does(r, "Dermatology") and r["city"] in ("Tarnby", "Oxmoor")),
        ("nutrition or neurology in the south", lambda r: (does(r, "Nutrition") or does(r, "Neurology")) and r["district"] == "South"),
        ("providers with a rating below 3.6 or above 4.7", lambda r: float(r["rating"]) < 3.6 or float(r["rating"]) > 4.7),
        # not
        ("providers not in the North", lambda r: r["district"] != "North"),
        ("providers in Norwick that are not cardiology", lambda r: r["city"] == "Norwick" and not does(r, "Cardiology")),
        ("providers who do not speak English", lambda r: not speaks(r, "English")),
        ("providers without English", lambda r: not speaks(r, "English")),
        ("providers with neither English nor German", lambda r: not speaks(r, "English") and not speaks(r, "German")),
        ("providers who speak German but not English", lambda r: speaks(r, "German") and not speaks(r, "English")),
        # lists
        ("who speaks Hebrew", lambda r: speaks(r, "Hebrew")),
        ("providers who speak both Swedish and English", lambda r: speaks(r, "Swedish", "English")),
        # yes and no
        ("providers with wheelchair access", lambda r: r["wheelchair access"] == "Yes"),
        ("podiatry without wheelchair access", lambda r: does(r, "Podiatry") and r["wheelchair access"] == "No"),
        # blanks
        ("providers with no phone", lambda r: not r["phone"]),
        ("which providers in Felham have no phone", lambda r: r["city"] == "Felham" and not r["phone"]),
        ("providers whose phone is filled in", lambda r: bool(r["phone"])),
        ("providers with blank notes", lambda r: not r["notes"]),
        # beginnings and endings
        ("providers whose name starts with An", lambda r: r["name"].startswith("An")),
        ("codes starting with 030", lambda r: r["code"].startswith("030")),
        ("names ending with Weiss", lambda r: r["name"].endswith("Weiss")),
        # numbers and dates
        ("providers with fee under $60", lambda r: fee(r) < 60),
        ("providers with a rating of at least 4.5", lambda r: float(r["rating"]) >= 4.5),
        ("fee between 100 and 150", lambda r: 100 <= fee(r) <= 150),
        ("providers with fee of $45.00", lambda r: fee(r) == 45),
        ("providers joined after 2020", lambda r: r["joined"] > "2020-12-31"),
        ("providers joined before 2011-06-01", lambda r: r["joined"] < "2011-06-01"),
        ("providers who joined in 2020", lambda r: r["joined"][:4] == "2020"),
        ("providers joined in October 2020", lambda r: r["joined"][:7] == "2020-10"),
        ("providers joined between 2018-01-01 and 2019-02-11", lambda r: "2018-01-01" <= r["joined"] <= "2019-02-11"),
        # codes and names
        ("01004", lambda r: r["code"] == "01004"),
        ("which provider has code 00977", lambda r: r["code"] == "00977"),
        ("who has the phone number 020-555-0110", lambda r: r["phone"] == "020-555-0110"),
        ("omer celik", lambda r: r["name"] == "Ömer Çelik"),
        ("JOSE NUNEZ", lambda r: r["name"] == "José Núñez"),
        ("providers in SAINT LO", lambda r: r["city"] == "Saint-Lô"),
        ("лев ОРЛОВ", lambda r: r["name"] == "Лев Орлов"),
        ("יעל כהן", lambda r: r["name"] == "יעל כהן"),
        ("Lindqvist", lambda r: "Lindqvist" in r["name"]),
        ("providers in Norwic", lambda r: r["city"] == "Norwick"),
        # nothing
        ("neurology providers in Tarnby", lambda r: False),
    ],
)
def test_rows_of_providers(providers: Asked, question: str, holds: Callable[[Row], bool]) -> None:
    assert providers.ids(question) == numbers(PROVIDERS, holds)
    assert providers(question).unused == ()


@pytest.mark.parametrize(
    ("question", "holds"),
    [
        ("films directed by Lena Fors", lambda r: r["director"] == "Lena Fors"),
        ("dramas from Japan", lambda r: r["genre"] == "Drama" and r["country"] == "Japan"),
        ("films that are dramas or comedies", lambda r: r["genre"] in ("Drama", "Comedy")),
        ("films neither from Canada nor Japan", lambda r: r["country"] not in ("Canada", "Japan")),
        ("films released after 2015", lambda r: r["released"] > "2015-12-31"),
        ("films released in November 2004", lambda r: r["released"][:7] == "2004-11"),
        ("films released between 2000 and 2005", lambda r: "2000" <= r["released"] < "2006"),
        ("films longer than 130 minutes", lambda r: int(r["minutes"]) > 130),
        ("films with gross over 5 million", lambda r: float(r["gross"].strip("$").replace(",", "")) > 5e6),
        ("films with at least 100 minutes and less than 110 minutes", lambda r: 100 <= int(r["minutes"]) < 110),
        ('films whose title starts with "The"', lambda r: r["title"].startswith("The")),
        ("titles that end with moon", lambda r: r["title"].lower().endswith("moon")),
        ("amelies garden", lambda r: r["title"] == "Amélie's Garden"),
        ("drama films from Sweden after 2010", lambda r: (r["genre"], r["country"]) == ("Drama", "Sweden") and r["released"] > "2011"),
    ],
)
def test_rows_of_films(films: Asked, question: str, holds: Callable[[Row], bool]) -> None:
    assert films.ids(question) == numbers(FILMS, holds)


@pytest.mark.parametrize(
    ("question", "holds"),
    [
        ("products in Depot 1", lambda r: r["warehouse"] == "Depot 1"),
        ("products with quantity 0", lambda r: r["quantity"] == "0"),
        ("products with no quantity", lambda r: not r["quantity"]),
        ("products with blank last counted", lambda r: not r["last counted"]),
        ("products not in Depot 1 or Depot 2", lambda r: r["warehouse"] == "Depot 3"),
        ("A-003", lambda r: r["sku"] == "A-003"),
        ("sku starting with A", lambda r: r["sku"].startswith("A")),
        ("sku starting with b-00", lambda r: r["sku"].startswith("B-00")),
        ("hex bolts", lambda r: r["product"].startswith("Hex bolt")),
        ("products counted after 1 March 2024", lambda r: r["last counted"] > "2024-03-01"),
    ],
)
def test_rows_of_stock(stock: Asked, question: str, holds: Callable[[Row], bool]) -> None:
    assert stock.ids(question) == numbers(STOCK, holds)


# ---- figures and groups


@pytest.mark.parametrize(
    ("question", "figure"),
    [
        ("how many providers are there", 20),
        ("how many providers in the south", len(numbers(PROVIDERS, lambda r: r["district"] == "South"))),
        ("how many providers are not in the North", len(numbers(PROVIDERS, lambda r: r["district"] != "North"))),
        ("how many cardiologists speak English", len(numbers(PROVIDERS, lambda r: does(r, "Cardiology") and speaks(r, "English")))),
        ("how many different cities", len({r["city"] for r in rows_of(PROVIDERS)})),
        ("how many languages", len({i for r in rows_of(PROVIDERS) for i in items(r["languages"])})),
        ("how many cities have a podiatrist", len({r["city"] for r in rows_of(PROVIDERS) if does(r, "Podiatry")})),
        ("average fee", sum(map(fee, rows_of(PROVIDERS))) / 20),
        ("sum of fee in Norwick", 350.0),
        ("what is the lowest rating", 3.2),
    ],
)
def test_figures(providers: Asked, question: str, figure: float) -> None:
    assert providers.figure(question) == pytest.approx(figure)


COUNTS = Counter(row["city"] for row in rows_of(PROVIDERS))


@pytest.mark.parametrize("question", ["how many providers per city", "number of providers in each city", "providers per city"])
def test_counts_of_groups(providers: Asked, question: str) -> None:
    assert dict(providers.cells(question)) == COUNTS  # type: ignore[arg-type]


def test_figures_of_groups(films: Asked) -> None:
    minutes: dict[str, list[int]] = {}
    for row in rows_of(FILMS):
        minutes.setdefault(row["genre"], []).append(int(row["minutes"]))
    assert dict(films.cells("average minutes per genre")) == {g: pytest.approx(sum(m) / len(m)) for g, m in minutes.items()}  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("question", "groups"),
    [
        ("which district has the most providers", ["West"]),
        ("which city has the fewest providers", ["Easton", "Felham", "Norwick", "Saint-Lô"]),
        ("which language is the most common", ["English"]),
        ("top 2 cities by number of providers", ["Oxmoor", "Tarnby"]),
        ("which 2 cities have the most providers", ["Oxmoor", "Tarnby"]),
        ("cities with more than 3 providers", ["Oxmoor", "Tarnby"]),
    ],
)
def test_first_groups(providers: Asked, question: str, groups: list[str]) -> None:
    assert sorted(str(row[0]) for row in providers.cells(question)) == groups


def test_a_group_ranked_by_its_sum(stock: Asked) -> None:
    (first,) = stock.cells("category with the highest total quantity")
    assert first == ("Fasteners", 1540)


def test_a_column_called_quantity_is_no_count(stock: Asked) -> None:
    part = stock("quantity of C-002")
    assert part.result is not None and 7 in part.result.rows[0]


# ---- order


@pytest.mark.parametrize(
    ("question", "ids"),
    [
        ("the most expensive provider", [6]),
        ("the three cheapest providers", [7, 19, 14]),
        ("top 3 providers by fee", [6, 10, 17]),
        ("which provider has the highest rating", [6]),
        ("highest rated provider", [6]),
    ],
)
def test_first_rows(providers: Asked, question: str, ids: list[int]) -> None:
    assert providers.ids(question) == ids


@pytest.mark.parametrize(("question", "ids"), [("newest film", [12]), ("oldest film", [6]), ("which film has the highest gross", [5])])
def test_first_films(films: Asked, question: str, ids: list[int]) -> None:
    assert films.ids(question) == ids


def test_sorted_rows(films: Asked) -> None:
    minutes = [int(row["minutes"]) for row in rows_of(FILMS)]
    assert films.ids("films sorted by minutes") == sorted(range(1, 13), key=lambda n: (minutes[n - 1], n))
    under = films.ids("films under 100 minutes sorted by gross descending")
    assert under == [8, 2, 4, 11]


# ---- questions after a column


@pytest.mark.parametrize(
    ("question", "row", "asked"),
    [
        ("the phone of Dana Levin", 1, ["phone"]),
        ("what is the phone number of ruth o'hara", 7, ["phone"]),
        ("phone of provider 00412", 1, ["phone"]),
        ("telephone of anna weiss in easton", 4, ["phone"]),
        ("what is the city of יעל כהן", 6, ["city"]),
        ("what is the fee and rating of Tomas Berg", 16, ["fee", "rating"]),
        ("what languages does Igor Antonov speak", 10, ["languages"]),
        ("does Dana Levin have wheelchair access", 1, ["wheelchair access"]),
        ("does Carl Moss have wheelchair access", 18, ["wheelchair access"]),
        ("does Dana Levin speak German", 1, ["languages"]),
        ("does Peter Brandt allow wheelchair access", 8, ["wheelchair access"]),
    ],
)
def test_a_column_that_is_asked_for_is_shown_and_no_condition(providers: Asked, question: str, row: int, asked: list[str]) -> None:
    assert providers.ids(question) == [row]
    part = providers(question)
    assert part.result is not None and isinstance(part.plan, TablePlan)
    assert [column.name for column in part.result.columns if column.role == "answer"] == asked
    conditions = {comparison.column for clause in part.plan.where for comparison in clause.any_of}
    assert not conditions & set(asked)


def test_several_of_one_name_are_all_shown(providers: Asked) -> None:
    assert providers.ids("the fee of Anna Weiss") == [3, 4]


def test_the_words_of_a_table_name_its_column(films: Asked) -> None:
    part = films("who directed Night Ferry")
    assert part.result is not None
    assert [column.name for column in part.result.columns if column.role == "answer"] == ["director"]
    assert films.ids("when was Salt Road released") == [4]


# ---- what the table does not tell


@pytest.mark.parametrize(
    ("question", "words"),
    [
        ("what is the meaning of life", {"meaning", "life"}),
        ("providers in Norwick with a swimming pool", {"swimming", "pool"}),
        ("what is the salary of Dana Levin", {"salary"}),
        ("providers in Nowhereville", {"Nowhereville"}),
        ("podiatry providers with parking", {"parking"}),
        ("qwertyuiop asdfgh", {"qwertyuiop", "asdfgh"}),
    ],
)
def test_half_understood_is_not_answered(providers: Asked, question: str, words: set[str]) -> None:
    part = providers(question)
    assert (part.kind, part.result) == ("no_answer", None)
    assert set(part.unused) == words
    assert all(word in part.message for word in words)


@pytest.mark.parametrize("question", ["the longest film", "longest films from Canada", "top 3 films"])
def test_an_order_that_the_table_does_not_have_is_not_dropped(films: Asked, question: str) -> None:
    assert films(question).kind == "no_answer"


ANSWERED = [
    *("providers in {}Norwick", "{}cardiology providers in Norwick", "providers in Norwick {}", "{}the phone of Dana Levin"),
    *("the phone {}of Dana Levin", "how many {}providers are there", "how many providers per {}city", "{}top 3 providers by fee"),
    *("providers with {}no phone", "which district has the most {}providers", "providers who do not {}speak English", "fee {}over 100"),
]


@pytest.mark.parametrize("question", ANSWERED)
@pytest.mark.parametrize("word", ["blorptastic ", "Zibbledee ", "xq7 "])
def test_a_word_that_means_nothing_here_is_never_passed_over(providers: Asked, question: str, word: str) -> None:
    assert providers(question.format("")).kind == "answer"
    part = providers(question.format(word))
    assert part.kind != "answer"
    assert word.strip() in part.message


@pytest.mark.parametrize("order", ["delete all providers", "update the fee of Dana Levin", "please drop the table"])
def test_orders_are_no_questions(providers: Asked, order: str) -> None:
    assert providers(order).kind == "no_answer"


def test_a_worked_example_answers_the_same_question_of_other_terms(opened: Callable[..., Asked]) -> None:
    catalog = """
[tables.shops]
source = "shops.csv"
row = ["shop", "shops"]

[[examples]]
question = "big shops in Leeds"
plan = { kind = "table", table = "shops", where = [
    { any_of = [{ column = "city", op = "is", values = ["Leeds"] }] }, { any_of = [{ column = "size", op = "more", values = [6] }] }] }
"""
    rows = "name,city,size\nAlpha,Leeds,5\nBeta,York,7\nGamma,Leeds,9\nDelta,York,3\n"
    shops = opened(rows, "shops.csv", catalog)
    assert shops.ids("big shops in York") == [2]
    assert shops("small shops in York").kind == "no_answer"


def test_a_meaning_that_was_chosen_once_is_not_asked_again(opened: Callable[..., Asked]) -> None:
    rows = "name,maker town,shop town\n" + "".join(f"Thing {n},{('Ash', 'Elm')[n % 2]},{('Ash', 'Elm', 'Oak')[n % 3]}\n" for n in range(12))
    things = opened(rows, "things.csv")
    assert things("things of Ash").kind == "clarify"
    chosen = ChatThread(chosen=(Chosen(phrase="ash", column="shop town", term="Ash"),))
    part = ask("things of Ash", chosen, EVERYTHING, tables=things.tables, embedder=default_embedder(), now=NOW).parts[0]
    assert part.kind == "answer"
    assert part.result is not None
    assert part.result.row_ids == tuple(n + 1 for n in range(12) if n % 3 == 0)


def test_the_nearest_worked_examples_are_found(opened: Callable[..., Asked]) -> None:
    catalog = """
[tables.shops]
source = "shops.csv"

[[examples]]
question = "how many shops are there in each city"
plan = { kind = "table", table = "shops", group_by = ["city"], measures = [{ function = "count" }] }

[[examples]]
question = "telephone number of a shop"
plan = { kind = "table", table = "shops", select = ["phone"] }
"""
    shops = opened("name,city,phone\nAlpha,Leeds,0123\nBeta,York,0456\n", "shops.csv", catalog)
    found = nearest_examples("the phone of Alpha", shops.tables[0], default_embedder(), limit=1)
    assert [example.plan.select for example in found] == [("phone",)]
