"""Each language file keeps the keys of the English one; whoever adds a language or a phrase is told here what is wrong with it."""

from __future__ import annotations

import re
import string
import tomllib
from pathlib import Path
from typing import Any

import pytest

from engine.fold import key
from engine.language import LONGEST_PHRASE, codes, language, language_of

FOLDER = Path(__file__).parents[3] / "engine" / "language"
READ: dict[str, dict[str, Any]] = {code: tomllib.loads((FOLDER / f"{code}.toml").read_text(encoding="utf-8")) for code in codes()}
ENGLISH = READ["en"]
OTHERS = [code for code in codes() if code != "en"]
PHRASES = ("words", "compare", "superlative")  # lists of phrases by kind
ABOUT = ("compare_about", "superlative_about")  # what a phrase measures
LETTERS = {"he": re.compile(r"[א-ת]"), "ru": re.compile(r"[а-яё]"), "es": re.compile(r"[a-záéíóúüñ]"), "en": re.compile(r"[a-z]")}
CONTENT = {
    "en": [
        "doctor", "city", "price", "open", "closed", "phone", "hotel", "north", "employee", "age",
    ],
    "he": [
        "רופא", "רופאים", "עיר", "מחיר", "פתוח", "סגור", "טלפון", "בית", "שעות", "דואר", "שנה", "אוכל", "יום", "ראשון", "חיים",
        "מורה", "גן", "מקומות", "מדריך",
    ],
    "ru": [
        "врач", "врачи", "город", "цена", "открыт", "закрыт", "телефон", "больница", "год", "стоит", "человек", "мир", "лет",
        "дом", "возраст", "мест", "позиция",
    ],
    "es": [
        "médico", "médicos", "ciudad", "precio", "abierto", "cerrado", "teléfono", "estado", "cuenta", "vía", "año", "cuesta",
        "vale", "edad", "completado",
        "público", "consulta", "sede", "debe",
    ],
}  # fmt: skip
SILENT = ("stop", "link", "place", "verb", "and", "or", "ask", "row", "filled")  # a word that only these take can be left unsaid
SAID = [
    ("he", "כמה", "count"), ("he", "באיזה", "which"), ("he", "אילו", "which"), ("he", "איפה", "where"), ("he", "היכן", "where"),
    ("he", "מתי", "when"), ("he", "מי", "who"), ("he", "שאין", "negation"), ("he", "אינן", "negation"), ("he", "ללא", "negation"),
    ("he", "שיש", "link"), ("he", "או", "or"), ("he", "לכל", "each"), ("he", "ריקה", "blank"), ("he", "שמתחיל ב", "starts_with"),
    ("he", "ממוין לפי", "sort"), ("he", "הממוצעת", "average"), ("he", "סה״כ", "sum"), ("he", "בין", "compare"),
    ("he", "הכי הרבה", "superlative"), ("he", "הגבוהה ביותר", "superlative"),
    ("ru", "сколько", "count"), ("ru", "каких", "which"), ("ru", "какую", "which"), ("ru", "кому", "who"), ("ru", "чьих", "whose"),
    ("ru", "где", "where"), ("ru", "когда", "when"), ("ru", "не", "negation"), ("ru", "кроме", "negation"),
    ("ru", "без", "negation"), ("ru", "или", "or"), ("ru", "каждому", "each"), ("ru", "не указан", "blank"),
    ("ru", "начинающихся на", "starts_with"), ("ru", "отсортированные по", "sort"), ("ru", "среднюю", "average"),
    ("ru", "итого", "sum"), ("ru", "между", "compare"), ("ru", "больше всего", "superlative"),
    ("ru", "самых дорогих", "superlative"),
    ("es", "cuántas", "count"), ("es", "¿Cuáles?", "which"), ("es", "quiénes", "who"), ("es", "dónde", "where"),
    ("es", "cuándo", "when"), ("es", "sin", "negation"), ("es", "ninguna", "negation"), ("es", "salvo", "negation"),
    ("es", "u", "or"), ("es", "cada", "each"), ("es", "vacías", "blank"), ("es", "que empiezan por", "starts_with"),
    ("es", "ordenadas por", "sort"), ("es", "promedio", "average"), ("es", "en total", "sum"), ("es", "entre", "compare"),
    ("es", "la mayor cantidad de", "superlative"), ("es", "más baratas", "superlative"), ("es", "muéstreme", "ask"),
]  # fmt: skip
QUESTIONS = {
    "en": [
        "Which doctors are in Haifa?", "how many hotels have a pool", "show me all open branches", "cities starting with San",
    ],
    "he": [
        "אילו רופאים יש בתל אביב?", "כמה בתי מלון יש בחיפה", "מי עובד במחלקת שיווק", "איפה אפשר לקבל חיסון?",
        "מתי הוקם הסניף ברמלה", "מה הטלפון של Dr. Levi", "תראי לי את כל החנויות הפתוחות", "סניפים ללא חניה",
        "מה המחיר הממוצע לכל עיר", "הסניף הכי גדול", "ערים שמתחילות באות ב", "עובדים שאין להם מייל",
    ],
    "ru": [
        "Какие врачи есть в Хайфе?", "сколько отелей с бассейном", "кто работает в отделе продаж", "где можно сделать прививку",
        "когда открыт филиал", "телефон Dr. Levi в каком городе", "покажите все открытые магазины", "филиалы без парковки",
        "средняя цена по городам", "самый дорогой отель", "города, начинающиеся на букву Б", "у кого не указан email",
    ],
    "es": [
        "¿Qué médicos hay en Madrid?", "cuántos hoteles tienen piscina", "quién trabaja en ventas", "¿dónde puedo vacunarme?",
        "cuándo abrió la sucursal de Lima", "muéstrame todas las tiendas abiertas", "sucursales sin aparcamiento",
        "precio promedio por ciudad", "el hotel más caro", "ciudades que empiezan por San", "empleados que no tienen correo",
        "lista de proveedores ordenados por nombre",
    ],
}  # fmt: skip


def phrase_lists(code: str) -> list[tuple[str, list[str]]]:
    return [(f"{part}.{kind}", phrases) for part in PHRASES for kind, phrases in READ[code][part].items()]


def placeholders(sentence: str) -> set[str]:
    return {name for _, name, _, _ in string.Formatter().parse(sentence) if name is not None}


@pytest.mark.parametrize("code", OTHERS)
def test_every_language_has_the_parts_and_kinds_of_english(code: str) -> None:
    assert set(READ[code]) == set(ENGLISH)
    for part in (*PHRASES, "sentences"):
        assert set(READ[code][part]) == set(ENGLISH[part]), part


@pytest.mark.parametrize("code", OTHERS)
def test_sentences_have_the_placeholders_of_english(code: str) -> None:
    for name, sentence in READ[code]["sentences"].items():
        assert sentence.strip(), name
        assert placeholders(sentence) == placeholders(ENGLISH["sentences"][name]), name


@pytest.mark.parametrize("code", OTHERS)
def test_sentences_are_in_the_language(code: str) -> None:
    for name, sentence in READ[code]["sentences"].items():
        said = re.sub(r"\{\w+\}", "", sentence).lower()
        assert name == "figure" or LETTERS[code].search(said), name


@pytest.mark.parametrize("code", codes())
def test_lists_are_filled_and_say_nothing_twice(code: str) -> None:
    for name, phrases in [*phrase_lists(code), *((f"forms.{word}", others) for word, others in READ[code]["forms"].items())]:
        assert phrases, name
        assert all(phrase.strip() for phrase in phrases), name
        assert len(phrases) == len(set(phrases)), name


@pytest.mark.parametrize("code", codes())
def test_phrases_are_no_longer_than_what_is_looked_up(code: str) -> None:
    assert not [phrase for phrase in language(code).functions if len(phrase.split()) > LONGEST_PHRASE]


@pytest.mark.parametrize("code", codes())
def test_details_begin_with_an_order_and_stand_as_columns_are_looked_up(code: str) -> None:
    orders = {"compare_about": set(READ[code]["compare"]), "superlative_about": {"max", "min"}}
    for part in ABOUT:
        for phrase, (order, *measured) in READ[code][part].items():
            assert order in orders[part], phrase
            assert measured and all(word == key(word) and " " not in word for word in measured), phrase


@pytest.mark.parametrize("code", [code for code in OTHERS if READ[code]["script"] != "latin"])
def test_details_name_columns_in_english_and_in_the_language(code: str) -> None:
    for part in ABOUT:
        for phrase, (_, *measured) in READ[code][part].items():
            assert any(word.isascii() for word in measured), phrase
            assert any(LETTERS[code].search(word) for word in measured), phrase


@pytest.mark.parametrize("code", OTHERS)
def test_everything_that_english_measures_is_measured(code: str) -> None:
    for part in ABOUT:
        wanted = {(order, measured[0]) for order, *measured in ENGLISH[part].values()}
        assert wanted <= {(order, word) for order, *measured in READ[code][part].values() for word in measured}, part


@pytest.mark.parametrize("code", codes())
def test_no_content_word_is_swallowed(code: str) -> None:
    functions = language(code).functions
    for word in CONTENT[code]:
        assert not [f.kind for f in functions.get(key(word), ()) if f.kind in SILENT], word


@pytest.mark.parametrize("code", codes())
def test_no_number_or_month_is_swallowed(code: str) -> None:
    read = language(code)
    for word in (*read.numbers, *(month for month in read.months if len(month) > 3)):
        assert not read.does(word, "stop"), word


@pytest.mark.parametrize("code", OTHERS)
def test_numbers_are_those_of_english(code: str) -> None:
    assert set(language("en").numbers.values()) <= set(language(code).numbers.values())


@pytest.mark.parametrize("code", codes())
def test_months_are_twelve_and_no_name_is_of_two(code: str) -> None:
    names = READ[code]["months"]["names"]
    assert [bool(month) for month in names] == [True] * 12
    assert len(language(code).months) == len({(key(name), number) for number, month in enumerate(names) for name in month})


@pytest.mark.parametrize(("code", "phrase", "kind"), SAID)
def test_usual_forms_do_what_they_should(code: str, phrase: str, kind: str) -> None:
    assert language(code).does(key(phrase), kind)


@pytest.mark.parametrize(
    ("code", "word"), [("en", "delete"), ("he", "תמחקי"), ("ru", "удалите"), ("es", "borra"), ("es", "elimine"), ("ru", "забронируй")]
)
def test_orders_are_told_from_questions(code: str, word: str) -> None:
    assert key(word) in language(code).commands
    assert not language(code).does(key(word), "ask")


@pytest.mark.parametrize("code", codes())
def test_no_order_begins_a_question(code: str) -> None:
    read = language(code)
    asking = {
        phrase.split()[0]
        for phrase in read.functions
        if any(read.does(phrase, kind) for kind in ("ask", "which", "count", "who", "where", "when"))
    }
    assert not asking & read.commands


@pytest.mark.parametrize(("code", "question"), [(code, question) for code, questions in QUESTIONS.items() for question in questions])
def test_questions_are_taken_for_their_language(code: str, question: str) -> None:
    assert language_of(question).code == code
