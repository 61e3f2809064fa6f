"""Opening hours: what cells say, which columns hold them, what questions ask, and what meets it."""

from __future__ import annotations

from datetime import datetime
from itertools import groupby
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.hours import Span, When, asked, is_hours, meets, meets_all, parse

DAY = 1440
LETTERS = "MTWRFSU"  # Monday to Sunday
WEDNESDAY = datetime(2026, 12, 2, 14, 35)


def shown(spans: tuple[Span, ...] | None) -> str | None:
    """Spans in short: days with the same times together, "MTW 8:00-16:00"."""
    if spans is None:
        return None
    times = {
        day: " ".join(f"{span.start // 60}:{span.start % 60:02}-{span.end // 60}:{span.end % 60:02}" for span in of_day)
        for day, of_day in groupby(spans, lambda span: span.day)
    }
    same: dict[str, str] = {}
    for day, text in times.items():
        same[text] = same.get(text, "") + LETTERS[day]
    return "; ".join(f"{days} {text}" for text, days in same.items())


# ---- cells


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("Sun-Thu 08:00-16:00; Fri 08:00-12:00", "MTWRU 8:00-16:00; F 8:00-12:00"),
        ("Mon, Wed 08:00-13:00", "MW 8:00-13:00"),
        ("Sun-Thu 09:00-13:00, 16:00-19:00; Fri 09:00-13:00", "MTWRU 9:00-13:00 16:00-19:00; F 9:00-13:00"),
        ("24/7", "MTWRFSU 0:00-24:00"),
        ("open 24 hours", "MTWRFSU 0:00-24:00"),
        ("Mon-Fri 24 hours", "MTWRF 0:00-24:00"),
        ("Mo-Fr 9-5", "MTWRF 9:00-17:00"),
        ("Mon to Fri 9am - 5.30pm", "MTWRF 9:00-17:30"),
        ("Mon-Fri 8:30 AM to 5 p.m.", "MTWRF 8:30-17:00"),
        ("Mon-Fri 1-5pm", "MTWRF 13:00-17:00"),
        ("Mon 9-12, 1-5", "M 9:00-12:00 13:00-17:00"),
        ("Mon-Fri 9:00-5:00", "MTWRF 9:00-17:00"),
        ("Monday-Friday: 9.00–17.00, Saturday closed", "MTWRF 9:00-17:00"),
        ("daily 10-22", "MTWRFSU 10:00-22:00"),
        ("weekdays 8-16, weekends 10-14", "MTWRF 8:00-16:00; SU 10:00-14:00"),
        ("Fri-Mon 9-17", "MFSU 9:00-17:00"),
        ("Sat 10am-noon", "S 10:00-12:00"),
        ("Sat 8pm-midnight", "S 20:00-24:00"),
        ("Sun 22:00-02:00", "U 22:00-26:00"),
        ("9-5 Mon-Fri, 10-2 Sat", "MTWRF 9:00-17:00; S 10:00-14:00"),
        ("closed Sat; Sun-Thu 9-12", "MTWRU 9:00-12:00"),
        ("Mon-Thu 8-16, Fri by appointment", "MTWR 8:00-16:00"),
        ("Mon-Thu 8-16, otherwise closed", "MTWR 8:00-16:00"),
        ("Monday 9:00-17:00\nTuesday 9:00-17:00\nWednesday Closed", "MT 9:00-17:00"),
        ("Mon-Fri 0900-1700", "MTWRF 9:00-17:00"),
        ("9am-5pm", "MTWRFSU 9:00-17:00"),
        ("Sun-Thu 9-13; Sun, Tue 16-19", "MWR 9:00-13:00; TU 9:00-13:00 16:00-19:00"),  # they add up
        ("daily 10-22; Fri 10-14", "MTWRSU 10:00-22:00; F 10:00-14:00"),  # they overlap: the later holds
        # OpenStreetMap
        ("Mo-Fr 08:00-18:00; Sa 09:00-13:00; PH off", "MTWRF 8:00-18:00; S 9:00-13:00"),
        ("Mo-Fr 08:00-18:00; We off", "MTRF 8:00-18:00"),
        ('Mo-Fr 08:00-12:00 || "by appointment"', "MTWRF 8:00-12:00"),
        # Hebrew, Russian, Spanish
        ("א׳-ה׳ 08:00-16:00, ו 08:00-12:00", "MTWRU 8:00-16:00; F 8:00-12:00"),
        ("ימים א' עד ה' 08:00-16:00, יום ו' 08:00-12:00", "MTWRU 8:00-16:00; F 8:00-12:00"),
        ("ראשון ושלישי 9:00-12:00; שישי 8:00-11:00; שבת סגור", "TU 9:00-12:00; F 8:00-11:00"),
        ("ימים ב' ו-ד' 8:00-12:00", "MW 8:00-12:00"),
        ("א-ה 8:00-16:00, ו-ש 9:00-12:00", "MTWRU 8:00-16:00; FS 9:00-12:00"),
        ("בימים א-ה בין 8:00 ל-16:00", "MTWRU 8:00-16:00"),
        ("Пн-Пт 9:00-18:00, сб 10:00-14:00, вс - выходной", "MTWRF 9:00-18:00; S 10:00-14:00"),
        ("с понедельника по пятницу с 9 до 18", "MTWRF 9:00-18:00"),
        ("пн-пт 8:00-17:00, сб-вс выходные", "MTWRF 8:00-17:00"),
        ("круглосуточно", "MTWRFSU 0:00-24:00"),
        ("Lun-Vie 9:00-17:00; sábado 10:00-14:00; domingo cerrado", "MTWRF 9:00-17:00; S 10:00-14:00"),
        ("lunes a viernes de 9 a 14 y de 17 a 20", "MTWRF 9:00-14:00 17:00-20:00"),
        ("las 24 horas", "MTWRFSU 0:00-24:00"),
    ],
)
def test_a_cell_says_its_spans(text: str, said: str) -> None:
    assert shown(parse(text)) == said


@pytest.mark.parametrize(
    "text",
    [
        "By appointment",
        "closed",
        "on request",
        '"by appointment"',
        "PH off",
        "Closed permanently",
        "בתיאום מראש",
        "по записи",
        "con cita previa",
    ],
)
def test_no_fixed_hours_are_no_spans(text: str) -> None:
    assert parse(text) == ()


@pytest.mark.parametrize(
    "text",
    [
        "", " ", "Open", "Monday", "Mon 08:00", "08:00", "3-2", "21:19", "1.25-3.50", "12.05.2024", "2024-05-06", "12-10-2024", "B12-3", "09-8123456",
        "Mon-Fri 9-17 except Wednesday", "Mon-Fri 09:00-17:00, closed for lunch 12:00-13:00", "Mon 25:00-27:00", "Mon 9:75-10:00",
        "Jun-Aug Mo-Fr 10:00-12:00", "Mo[1] 10:00-12:00", "sunrise-sunset", "Mon-Fri 9-17 " * 40,
    ],
)  # fmt: skip
def test_what_cannot_be_parsed_is_none(text: str) -> None:
    assert parse(text) is None


@given(st.text(max_size=60) | st.text(alphabet="MonTueFr א-ה0123456789:;, -–closed", max_size=40))
def test_any_text_gives_spans_of_a_week_or_nothing(text: str) -> None:
    for span in parse(text) or ():
        assert 0 <= span.day < 7
        assert 0 <= span.start < span.end <= span.start + DAY


NAMES = {
    "Mon Tue Wed Thu Fri Sat Sun": "{} {:02}:{:02}-{:02}:{:02}",
    "Mo Tu We Th Fr Sa Su": "{} {:02}:{:02}-{:02}:{:02}",
    "Monday Tuesday Wednesday Thursday Friday Saturday Sunday": "{}: {:02}.{:02} – {:02}.{:02}",
    "ב׳ ג׳ ד׳ ה׳ ו׳ ש׳ א׳": "{} {:02}:{:02}-{:02}:{:02}",
    "שני שלישי רביעי חמישי שישי שבת ראשון": "יום {} {:02}:{:02} עד {:02}:{:02}",
    "пн вт ср чт пт сб вс": "{} {:02}:{:02}—{:02}:{:02}",
    "lunes martes miércoles jueves viernes sábado domingo": "{} de {:02}:{:02} a {:02}:{:02}",
}


@st.composite
def weeks(draw: st.DrawFn) -> list[Span]:
    """Spans with a gap between any two, in quarters of an hour; the last of a day may pass midnight into a day that has none.

    What is said of the next day replaces what passes into it, where days are divided as in the notation of OpenStreetMap.
    """
    spans = []
    days = draw(st.sets(st.integers(0, 6), min_size=1))
    for day in sorted(days):
        hours = sorted(draw(st.sets(st.integers(6 * 4 + 1, 23 * 4), min_size=2, max_size=4)))
        times = [quarter * 15 for quarter in hours[: len(hours) // 2 * 2]]
        if (day + 1) % 7 not in days and draw(st.booleans()):
            times[-1] = DAY + 15 * draw(st.integers(1, 23))
        spans += [Span(day, start, end) for start, end in zip(times[::2], times[1::2], strict=True)]
    return spans


@given(weeks(), st.sampled_from(list(NAMES)), st.sampled_from(["; ", "\n", " | "]))
def test_written_hours_are_read_back(spans: list[Span], names: str, separator: str) -> None:
    days = []
    for day, of_day in groupby(spans, lambda span: span.day):
        first, *more = of_day
        clock = [divmod(minutes % DAY, 60) for minutes in (first.start, first.end)]
        text = NAMES[names].format(names.split()[day], *clock[0], *clock[1])
        for span in more:
            text += f", {span.start // 60:02}:{span.start % 60:02}-{span.end % DAY // 60:02}:{span.end % 60:02}"
        days.append(text)
    assert parse(separator.join(days)) == tuple(spans)


@given(st.integers(0, 6), st.integers(0, 6), st.integers(0, 23), st.integers(1, 12))
def test_ranges_of_days_and_the_twelve_hour_clock_are_read_back(first: int, last: int, start: int, hours: int) -> None:
    def clock(hour: int) -> str:
        return f"{(hour - 1) % 12 + 1}{'am' if hour % 24 < 12 else 'pm'}"

    names = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"]
    spans = parse(f"{names[first]}-{names[last]} {clock(start)} to {clock(start + hours)}")
    days = {(first + more) % 7 for more in range((last - first) % 7 + 1)} if first != last else {first}
    opened = {(day * DAY + start * 60 + minute) % (7 * DAY) for day in days for minute in range(hours * 60)}
    assert spans is not None
    assert {(span.day * DAY + minute) % (7 * DAY) for span in spans for minute in range(span.start, span.end)} == opened


# ---- columns


@pytest.mark.parametrize(
    "texts",
    [
        ["Sun-Thu 08:00-16:00", "24/7", "By appointment", "Mon, Wed 08:00-13:00", ""],
        ["Mo-Fr 9-5", "call us", "Sat 10-14"],
        ["א-ה 8:00-16:00", "סגור"],
        ["24/7"],
    ],
)
def test_columns_of_hours(texts: list[str]) -> None:
    assert is_hours(texts)


@pytest.mark.parametrize(
    "texts",
    [
        [], ["", " "], ["closed", "on request"], ["open", "closed"], ["Monday", "Tue"], ["2024-05-06", "2024-06-07"], ["12.05.2024"], ["08:00", "16:30"],
        ["3-2", "1-0", "2-2"], ["Mon 08:00", "Tue 09:30"], ["A-1", "B-2"], ["08:00-09:00", "09:00-10:00"], ["1990-1994", "0900-1000"], ["12", "24"],
        ["Haifa", "24/7", "Sunday market", "Monday club"],
    ],
)  # fmt: skip
def test_other_columns(texts: list[str]) -> None:
    assert not is_hours(texts)


# ---- questions


def asks(text: str, language: str = "en", now: datetime = WEDNESDAY) -> list[tuple[str, int | None, int | None]]:
    return [("".join(LETTERS[day] for day in sorted(when.days)), when.start, when.end) for when in asked(text, language, now)]


EACH = list(LETTERS)


@pytest.mark.parametrize(
    ("language", "question", "phrase", "expected"),
    [
        ("en", "which clinics are open on Friday?", "open on Friday", [("F", None, None)]),
        ("en", "pharmacies open Friday evening in Haifa", "open Friday evening", [("F", 1020, 1320)]),
        ("en", "who is open on Saturday night", "open on Saturday night", [("S", 1080, 1440)]),
        ("en", "what is open at 18:30 on Tuesday", "open at 18:30 on Tuesday", [("T", 1110, 1110)]),
        ("en", "labs open now", "open now", [("W", 875, 875)]),
        ("en", "open today", "open today", [("W", None, None)]),
        ("en", "clinics open tomorrow morning", "open tomorrow morning", [("R", 360, 720)]),
        ("en", "clinics open at weekends", "open at weekends", [("SU", None, None)]),
        ("en", "open on weekdays until 20:00", "open on weekdays until 20:00", [("MTWRF", 1199, 1200)]),
        ("en", "which are open after 18:00 near Haifa", "open after 18:00", [("MTWRFSU", 1080, 1440)]),
        ("en", "open before 8", "open before 8", [("MTWRFSU", 0, 480)]),
        ("en", "open after 6", "open after 6", [("MTWRFSU", 1080, 1440)]),
        ("en", "pharmacies open 24/7", "open 24/7", [(day, 0, 1440) for day in EACH]),
        ("en", "which have Friday hours", "Friday hours", [("F", None, None)]),
        ("en", "clinics with evening hours", "evening hours", [("MTWRFSU", 1020, 1320)]),
        ("en", "which clinic opens on Sundays", "opens on Sundays", [("U", None, None)]),
        ("en", "open Monday to Wednesday from 9 to 5", "open Monday to Wednesday from 9 to 5", [(day, 540, 1020) for day in "MTW"]),
        ("en", "open on Saturday and Sunday", "open on Saturday and Sunday", [("S", None, None), ("U", None, None)]),
        ("en", "open on Saturday or Sunday", "open on Saturday or Sunday", [("SU", None, None)]),
        ("en", "open at 8 in the evening", "open at 8 in the evening", [("MTWRFSU", 1200, 1200)]),
        ("en", "open tonight", "open tonight", [("W", 1080, 1440)]),
        ("en", "open every day", "open every day", [(day, None, None) for day in EACH]),
        ("he", "אילו מרפאות פתוחות ביום שישי?", "פתוחות ביום שישי", [("F", None, None)]),
        ("he", "מי פתוח ב-18:30 ביום ג׳", "פתוח ב-18:30 ביום ג׳", [("T", 1110, 1110)]),
        ("he", "מרפאות שפתוחות בשישי בבוקר", "שפתוחות בשישי בבוקר", [("F", 360, 720)]),
        ("he", "פתוח בסופ״ש", "פתוח בסופ״ש", [("FS", None, None)]),
        ("he", "פתוח במוצאי שבת", "פתוח במוצאי שבת", [("S", 1080, 1440)]),
        ("ru", "какие аптеки работают в субботу вечером", "работают в субботу вечером", [("S", 1020, 1320)]),
        ("ru", "открыты по выходным", "открыты по выходным", [("SU", None, None)]),
        ("ru", "открыты в будни до 20:00", "открыты в будни до 20:00", [("MTWRF", 1199, 1200)]),
        ("ru", "открыты сейчас", "открыты сейчас", [("W", 875, 875)]),
        ("es", "¿Qué farmacias están abiertas el sábado por la noche?", "abiertas el sábado por la noche", [("S", 1080, 1440)]),
        ("es", "abierto mañana por la mañana", "abierto mañana por la mañana", [("R", 360, 720)]),
        ("es", "abren después de las 18:00", "abren después de las 18:00", [("MTWRFSU", 1080, 1440)]),
    ],
)
def test_a_question_asks_for_times(language: str, question: str, phrase: str, expected: list[tuple[str, int | None, int | None]]) -> None:
    assert asks(question, language) == expected
    assert {question[slice(*when.phrase)] for when in asked(question, language, WEDNESDAY)} == {phrase}


@pytest.mark.parametrize(
    "question",
    [
        "", "open", "which clinics are open", "clinics in Haifa on Friday", "is Sunday Clinic open in Haifa", "open clinics with at least 5 doctors",
        "open at 8 pharmacies", "clinics opened after 2010", "what are the opening hours of Willow Clinic", "open 5 days", "Sunday hourglass",
    ],
)  # fmt: skip
def test_other_questions_ask_for_no_time(question: str) -> None:
    assert asked(question, "en", WEDNESDAY) == []


def test_the_word_open_may_stand_apart() -> None:
    question = "which pharmacies are open in Haifa on Saturday night?"
    (when,) = asked(question, "en", WEDNESDAY)
    assert question[slice(*when.phrase)] == "on Saturday night"
    assert when.elsewhere is not None
    assert question[slice(*when.elsewhere)] == "open"


def test_the_weekend_is_that_of_the_askers_zone() -> None:
    assert asks("open at weekends", "en", WEDNESDAY.replace(tzinfo=ZoneInfo("Asia/Jerusalem"))) == [("FS", None, None)]
    assert asks("open at weekends", "en", WEDNESDAY.replace(tzinfo=ZoneInfo("Europe/Madrid"))) == [("SU", None, None)]


def test_a_language_without_words_is_asked_in_english() -> None:
    assert asks("open on Friday", "fr") == [("F", None, None)]


def test_clauses_have_their_own_words() -> None:
    question = "open Friday evening or Saturday morning"
    first, second = asked(question, "en", WEDNESDAY)
    assert (question[slice(*first.phrase)], question[slice(*second.phrase)]) == ("open Friday evening", "or Saturday morning")
    assert (first.alternative, second.alternative) == (False, True)


# ---- meeting


@pytest.mark.parametrize(
    ("cell", "question", "met"),
    [
        ("Sun-Thu 08:00-16:00; Fri 08:00-12:00", "open on Friday", True),
        ("Sun-Thu 08:00-16:00; Fri 08:00-12:00", "open on Friday evening", False),
        ("Sun-Thu 08:00-16:00", "open on Saturday", False),
        ("Sun-Thu 08:00-16:00", "closed on Saturday", True),
        ("Sun-Thu 08:00-16:00", "not open on Sundays", False),
        ("By appointment", "open on Monday", False),
        ("24/7", "open 24/7", True),
        ("Mon-Sat 24 hours", "open 24/7", False),
        ("24/7", "open from 20:00 to 04:00 on Sunday", True),
        ("Tue 09:00-18:30", "open at 18:30 on Tuesday", False),  # it closes then
        ("Tue 09:00-18:30", "open until 18:30 on Tuesday", True),
        ("Tue 09:00-18:30", "open on Tuesday after 18:30", False),
        ("Tue 09:00-18:30", "open at 9 on Tuesday", True),
        ("Mon-Fri 9-13, 16-19", "open between 12 and 17", False),
        ("Mon 9-13, Tue 16-19", "open on Monday and Tuesday", True),
        ("Mon 9-13, Tue 16-19", "open on Monday to Wednesday", False),
        ("Fri 20:00-02:00", "open at 1:30 am on Saturday", True),
        ("Fri 20:00-02:00", "open on Saturday", False),
        ("Sun 22:00-02:00", "open at 01:00 on Monday", True),
        ("Sat 8-12", "open Friday evening or Saturday morning", True),
        ("Fri 8-12", "open Friday evening or Saturday morning", False),
        ("Fri 17-20", "open Friday morning or evening", True),
        ("Wed 14:00-15:00", "open now", True),
        ("Wed 15:00-16:00", "open now", False),
    ],
)
def test_cells_meet_questions(cell: str, question: str, met: bool) -> None:
    spans = parse(cell)
    whens = asked(question, "en", WEDNESDAY)
    assert spans is not None and whens
    assert meets_all(spans, whens) is met


@given(weeks(), st.integers(0, 6), st.integers(0, DAY - 1), st.integers(1, DAY))
def test_meeting_is_what_minute_by_minute_says(spans: list[Span], day: int, start: int, length: int) -> None:
    opened = {(span.day * DAY + minute) % (7 * DAY) for span in spans for minute in range(span.start, span.end)}
    asked_of = [(day * DAY + minute) % (7 * DAY) for minute in range(start, start + length)]
    when = When(frozenset({day}), start, start + length, (0, 0))
    assert meets(spans, when) == any(minute in opened for minute in asked_of)
    assert meets(spans, When(when.days, start, start + length, (0, 0), whole=True)) == all(minute in opened for minute in asked_of)
    assert meets(spans, When(when.days, start, start, (0, 0))) == (asked_of[0] in opened)
    assert meets(spans, When(when.days, start, start, (0, 0), closed=True)) != meets(spans, When(when.days, start, start, (0, 0)))
