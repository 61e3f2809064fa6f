"""What a question asks of opening hours: "open on Friday evening", "open now", "open at 18:30 on Tuesday"."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from datetime import datetime
from itertools import product
from typing import NamedTuple

from engine.hours.cell import clock_range, days_between
from engine.hours.span import DAY, EVERY_DAY, When
from engine.hours.words import FRIDAY, PARTS, SATURDAY, Token, codes, half_day, tokens, words

# Where the weekend is Friday and Saturday (Unicode CLDR, weekData): a question in English from there means those days.
_FRIDAY_ZONES = frozenset({
    "Asia/Jerusalem", "Asia/Tel_Aviv", "Israel", "Asia/Hebron", "Asia/Gaza", "Asia/Riyadh", "Asia/Kuwait", "Asia/Qatar", "Asia/Bahrain", "Asia/Muscat",
    "Asia/Aden", "Asia/Amman", "Asia/Baghdad", "Asia/Damascus", "Africa/Cairo", "Africa/Algiers", "Africa/Tripoli", "Africa/Khartoum",
})  # fmt: skip
_OPENERS = frozenset({"open", "closed", "works"})
_BESIDE = _OPENERS | {"hours", "always"}  # what asks for a time beside it; "24/7" does so alone
_DAYS = frozenset({"days", "letters", "weekdays", "weekends", "every_day", "always"})
_RELATIVE = {"today": 0, "tomorrow": 1, "day_after_tomorrow": 2}
_TODAY_PARTS = {"this_morning": "morning", "this_afternoon": "afternoon", "this_evening": "evening", "tonight": "night"}
_LIMITS = frozenset({"after", "before", "until"})
_BEFORE_HOUR = _LIMITS | {"at", "from", "between"}  # what makes a bare number a time
_TIMES = frozenset({"time", "all_day", "always", "now"}) | PARTS.keys() | _TODAY_PARTS.keys()
_CONTENT = _DAYS | _TIMES | _RELATIVE.keys()
_LINKS = frozenset({"glue", "unit", "and", "or", "to", "comma"})
_LEADING = _LINKS | {"day_word"}
_TRAILING = _LEADING | _BEFORE_HOUR | {"on"}
_KNOWN = _CONTENT | _BESIDE | _TRAILING


class _Stretch(NamedTuple):
    start: int | None = None
    end: int | None = None
    whole: bool = False


@dataclass(slots=True)
class _Clause:
    """Days that must each do (each a set of which any will do) and times that must each do; or else what the clause before says."""

    begin: int
    end: int
    days: list[frozenset[int]] = field(default_factory=list)
    times: list[_Stretch] = field(default_factory=list)
    alternative: bool = False


def asked(text: str, language_code: str, now: datetime) -> list[When]:
    """The times at which a question asks for what is open (or closed), in the order of the text; each must be met, but for alternatives.

    They stand beside a word such as "open", "opens" or "hours", or elsewhere in a question that has "open"; the phrase takes all their
    words. now: the asker's, for "now", "today" and "tomorrow"; its zone tells which days the weekend has.

    >>> [(when.days, when.start, when.end) for when in asked("Who is open at 18:30 on Tuesday?", "en", datetime(2026, 5, 4))]
    [(frozenset({1}), 1110, 1110)]
    """
    languages = dict.fromkeys([language_code if language_code in codes() else "en", "en"])
    read = list(_sensible(text, tokens(text, words(*languages))))
    if not any(token.kind in _BESIDE for token in read):
        return []
    weekend = frozenset({FRIDAY, SATURDAY}) if str(getattr(now.tzinfo, "key", "")) in _FRIDAY_ZONES else None
    if weekend:
        moved = {"weekends": weekend, "weekdays": EVERY_DAY - weekend}
        read = [replace(token, days=moved.get(token.kind, token.days)) for token in read]
    runs = [run for run in map(_trimmed, _runs(read)) if any(token.kind in _CONTENT for token in run)]
    beside = [run for run in runs if any(token.kind in _BESIDE for token in run)]
    if beside:
        return [when for run in beside for when in _whens(run, now, None)]
    opener = next((token for token in read if token.kind in _OPENERS), None)
    if opener is None:
        return []
    apart = [run for run in runs if _stands_alone(run, text)]
    return [when for run in apart for when in _whens(run, now, opener)]


# ---- which words belong together


def _sensible(text: str, read: list[Token]) -> Iterator[Token]:
    """The tokens, with letters that are no days and numbers that are no times as what they are: unknown."""
    before = Token("unknown", 0, 0)
    days = False  # whether letters are days here: "בימים א-ה"
    for at, token in enumerate(read):
        if (token.kind == "letters" and not days) or (token.kind == "time" and token.minutes > DAY):
            token = replace(token, kind="unknown")
        elif token.kind == "time" and token.hour:
            following = read[at + 1] if at + 1 < len(read) else None
            written = text[token.start : token.end]
            counts = following is not None and following.kind == "unknown" and text[token.end : following.start].isspace()  # "8 pharmacies"
            ends = before.kind in ("to", "until", "and") and at > 1 and read[at - 2].kind == "time"
            begins = before.kind in _OPENERS | _DAYS and following is not None and following.kind == "to"
            year = len(written) == 4 and written.isdigit()
            if counts or year or not (before.kind in _BEFORE_HOUR or begins or ends):
                token = replace(token, kind="unknown")
        days = token.kind == "day_word" or (days and token.kind in ("letters", "to", "and", "comma", "or", "until", "glue"))
        if token.kind not in ("glue", "unit") or before.kind not in _BEFORE_HOUR:
            before = token
        yield token


def _runs(read: list[Token]) -> Iterator[list[Token]]:
    """Stretches of words that all speak of days, times and being open; "open on Friday and closed on Saturday" are two."""
    run: list[Token] = []
    for token in read:
        if token.kind not in _KNOWN or (
            token.kind in _OPENERS and any(other.kind in _CONTENT for other in run) and any(other.kind in _OPENERS for other in run)
        ):
            yield run
            run = []
        if token.kind in _KNOWN:
            run.append(token)
    yield run


def _trimmed(run: list[Token]) -> list[Token]:
    begin, end = 0, len(run)
    while begin < end and run[begin].kind in _LEADING and run[begin].end > run[begin].start:
        begin += 1
    while end > begin and run[end - 1].kind in _TRAILING:
        end -= 1
    return run[begin:end]


def _stands_alone(run: list[Token], text: str) -> bool:
    """Whether a run apart from "open" asks about it: "on Friday evening", "tomorrow"; not a day that is part of a name."""
    return (
        run[0].kind in _LIMITS | {"on", "at", "from", "between", "now"} | _RELATIVE.keys() | _TODAY_PARTS.keys()
        or not any(c.isalnum() for c in text[: run[0].start])
        or not any(c.isalnum() for c in text[run[-1].end :])
    )


# ---- what they ask


def _whens(run: list[Token], now: datetime, opener: Token | None) -> Iterator[When]:
    closed = any(token.kind == "closed" for token in run) or (opener is not None and opener.kind == "closed")
    elsewhere = (opener.start, opener.end) if opener else None
    for clause in _clauses(run, now):
        times = clause.times or [_Stretch()]
        days = clause.days or [EVERY_DAY]
        for number, (day, time) in enumerate(product(days, times)):
            alternative = clause.alternative and number == 0
            yield When(day, time.start, time.end, (clause.begin, clause.end), time.whole, closed, alternative, elsewhere)


def _clauses(run: list[Token], now: datetime) -> list[_Clause]:
    clause = _Clause(run[0].start, run[-1].end)
    clauses = [clause]
    parts = [token.kind for token in run if token.kind in PARTS]
    part = parts[0] if len(parts) == 1 else ""  # "open at 8 on Friday evening" is at 20:00
    link = ""  # how the next time is meant
    joined: Token | None = None  # what joins the next day to the one before
    at = 0
    while at < len(run):
        token = run[at]
        days = _days_of(token, now)
        if days is not None:
            if joined is not None and clause.days and clause.times and any(later.kind in _TIMES for later in run[at:]):
                clause = _next(clauses, run, joined, [])  # "Friday evening and Saturday morning"
            at = _add_days(clause, run, at, days, joined)
            joined = None
        if token.kind in _TIMES:
            if joined is not None and joined.kind == "or" and clause.times:
                clause = _next(clauses, run, joined, clause.days)  # "morning or evening": of the same days
            stretch, at = _stretch(run, at, link, part, now)
            clause.times.append(stretch)
            link, joined = "", None
        elif token.kind in _BEFORE_HOUR or token.kind == "to":
            link = "until" if token.kind == "to" else token.kind
        elif token.kind in _DAYS:
            link = ""
        if token.kind in ("and", "or", "comma"):
            joined = token if joined is None or token.kind != "comma" else joined
        at += 1
    return clauses


def _next(clauses: list[_Clause], run: list[Token], joined: Token, days: list[frozenset[int]]) -> _Clause:
    """Begin another clause at the word that joins it to the one before."""
    clauses[-1].end = run[run.index(joined) - 1].end
    clauses.append(_Clause(joined.start, run[-1].end, days, alternative=joined.kind == "or"))
    return clauses[-1]


def _add_days(clause: _Clause, run: list[Token], at: int, days: frozenset[int], joined: Token | None) -> int:
    """Add the days that stand there, a range of them as a whole; the place of the last token is returned."""
    token = run[at]
    if token.kind in ("every_day", "always"):
        clause.days += [frozenset({day}) for day in sorted(EVERY_DAY)]
    elif len(token.days) == 1 and at + 2 < len(run) and run[at + 1].kind in ("to", "until") and len(run[at + 2].days) == 1:
        clause.days += [frozenset({day}) for day in days_between(*days, *run[at + 2].days)]
        return at + 2
    elif clause.days and joined is not None and joined.kind == "or":
        clause.days[-1] |= days
    elif days not in clause.days:
        clause.days.append(days)
    return at


def _days_of(token: Token, now: datetime) -> frozenset[int] | None:
    if token.kind in _RELATIVE:
        return frozenset({(now.weekday() + _RELATIVE[token.kind]) % 7})
    if token.kind == "now" or token.kind in _TODAY_PARTS:
        return frozenset({now.weekday()})
    if token.kind == "always":
        return EVERY_DAY
    return token.days if token.kind in _DAYS or token.days else None


def _stretch(run: list[Token], at: int, link: str, part: str, now: datetime) -> tuple[_Stretch, int]:
    """The stretch of the day that a time or a part of the day asks for, and the place of its last token."""
    token = run[at]
    if token.kind in PARTS or token.kind in _TODAY_PARTS:
        return _Stretch(*PARTS[_TODAY_PARTS.get(token.kind, token.kind)]), at
    if token.kind in ("all_day", "always"):
        return _Stretch(0, DAY, whole=True), at
    if token.kind == "now":
        minute = now.hour * 60 + now.minute
        return _Stretch(minute, minute), at
    between = ("to", "until", "and") if link == "between" else ("to", "until")
    if at + 2 < len(run) and run[at + 1].kind in between and run[at + 2].kind == "time":
        return _Stretch(*clock_range(token, run[at + 2]), whole=True), at + 2
    minutes = _minutes(token, link, part)
    if link == "after":
        return _Stretch(minutes, DAY), at
    if link == "before":
        return _Stretch(0, minutes), at
    if link == "until":  # what closes then is open until then
        return _Stretch(minutes - 1, minutes, whole=True), at
    return _Stretch(minutes, minutes), at


def _minutes(token: Token, link: str, part: str) -> int:
    """A time's minutes; one of the 12-hour clock that does not say which half is in the one in which it is likely to be asked."""
    if token.sure or token.minutes >= DAY // 2:
        return token.minutes
    if part:
        return half_day(token.minutes, part)
    latest_early = {"after": 12, "until": 12, "before": 6}.get(link, 7) if token.hour else 6
    return token.minutes + DAY // 2 if 60 <= token.minutes < latest_early * 60 else token.minutes
