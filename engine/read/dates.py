"""Dates and times as people write them, in figures and in words of a dozen languages."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import date
from functools import lru_cache

_MONTHS = """
january jan ene janv enero janvier januar gennaio gen janeiro januari styczeń
  stycznia leden ledna január ocak січень січня январь января янв янв ינואר ינו
february feb février févr fév febrero februar febbraio fevereiro fev februari luty
  lutego únor února február şubat лютий лютого февраль февраля фев פברואר פבר
march mar mars marzo märz mrz marz março maart mrt marzec
  marca březen března március mart березень березня март марта мар מרץ מרס
april apr avril avr abril abr aprile kwiecień kwietnia duben
  dubna április nisan квітень квітня апрель апреля апр אפריל אפר
may mai mayo maggio mag maio mei maj maja
  květen května május mayıs травень травня май мая מאי
june jun juin junio giugno giu junho juni czerwiec czerwca
  červen června június haziran червень червня июнь июня июн יוני
july jul juil juillet julio luglio lug julho juli lipiec
  lipca červenec července július temmuz липень липня июль июля июл יולי
august aug août agosto ago ago augustus augusti sierpień sierpnia
  srpen srpna augusztus ağustos серпень серпня август августа авг אוגוסט אוג
september sep sept septembre septiembre settembre set setembro wrzesień września
  září szeptember eylül вересень вересня сентябрь сентября сен сент ספטמבר ספט
october oct octobre octubre oktober okt ottobre ott outubro out październik
  października říjen října október ekim жовтень жовтня октябрь октября окт אוקטובר אוק
november nov novembre noviembre novembro listopad listopada
  listopadu kasım ноябрь ноября ноя нояб נובמבר נוב
december dec décembre déc diciembre dic dezember dez dicembre dezembro grudzień
  grudnia prosinec prosince aralık грудень грудня декабрь декабря дек דצמבר דצמ
"""
# one month a paragraph, which begins at the margin
_NUMBER = {word: number for number, part in enumerate(re.split(r"\n(?! )", _MONTHS.strip()), 1) for word in part.split()}
_NUMBER |= {"ב" + word: number for word, number in _NUMBER.items() if "א" <= word[0] <= "ת"}
_OFFSET = r"(?:z|utc|gmt|[+-]\d\d(?::?\d\d)?)?"
_TIME = rf"(?P<hour>\d{{1,2}}):(?P<minute>\d\d)(?::(?P<second>\d\d)(?:[.,]\d{{1,9}})?)?\s?(?P<half>[ap]\.?m\.?)?\s?{_OFFSET}"
_DAY = r"(?P<day>\d{1,2})(?:st|nd|rd|th|er|º|ª)?"
_WEEKDAY = r"(?:(?P<weekday>[^\W\d_]{2,12})[., ]+)?"
_DAYS = """
mon tue wed thu fri sat sun mo di mi do fr sa so die mit don fre sam son lun mar mer jeu ven dim mié mie jue vie sáb sab dom gio seg ter
qua qui sex
maa din woe zat zon пон вто сре чет пят суб вос пн вт ср чт пт сб вс pon wto śro czw pią sob nie
"""
_WEEKDAYS = frozenset(_DAYS.split())
_WORD = r"(?P<word>[^\W\d_]{3,12})"
_YEAR = r"(?P<year>\d{4}|'?\d\d)"
_SHAPES = [
    re.compile(rf"{_WEEKDAY}{_DAY}\.?[ -]?(?:of |de )?{_WORD}\.?,?[ -]?(?:de |del )?,?{_YEAR}(?: ?г\.?)?(?:[ ,]*(?:at )?{_TIME})?"),
    re.compile(rf"{_WEEKDAY}{_WORD}\.?[ -]?{_DAY}(?:, ?|[ -])(?P<year>\d{{4}}|'\d\d)(?:[ ,]*(?:at )?{_TIME})?"),
    re.compile(rf"(?P<year>\d{{4}})[ ,-]+{_WORD}\.?[ -]{_DAY}(?:[ ,]*{_TIME})?"),
    re.compile(rf"(?P<year>\d{{4}})年(?P<month>\d{{1,2}})月(?P<day>\d{{1,2}})日(?: ?{_TIME})?"),
    re.compile(rf"{_WEEKDAY}{_WORD}\.?[ -]?{_DAY} (?P<year>\d{{4}})(?:[ ,]*(?:at )?{_TIME})?"),
]
_ISO = re.compile(rf"(?P<year>\d{{4}})(?P<sep>[-/.])(?P<month>\d{{1,2}})(?P=sep)(?P<day>\d{{1,2}})(?:[t ,]+{_TIME})?")
_NUMERIC = re.compile(rf"(?P<first>\d{{1,2}})(?P<sep>[-/.])(?P<then>\d{{1,2}})(?P=sep)(?P<year>\d{{4}}|\d\d)(?: ?г\.?)?(?:[t ,]+{_TIME})?")
_COMPACT = re.compile(
    r"(?P<year>(?:1[5-9]|2[01])\d\d)(?P<month>\d\d)(?P<day>\d\d)(?:[t ]?(?P<hour>\d\d)(?P<minute>\d\d)(?P<second>\d\d)?z?)?"
)
_CLOCK = re.compile(_TIME)
_TIGHT = re.compile(r"\s*([/.:-])\s*|\s+(,)")
_NOTE = re.compile(r"\s*(?:\[\s*\w{1,4}\s*\]|[*†‡]+)$")
_PIVOT = 50  # two digits: up to 49 the century is 2000


@dataclass(frozen=True, slots=True)
class Moment:
    """A date, or a date and a time, in ISO form.

    order: "dm" or "md" where the figures prove it, "?" where both readings are dates and differ, "" where there is no question.
    """

    iso: str
    timed: bool = False
    order: str = ""
    short_year: bool = False


def moment_of(text: str, day_first: bool = True) -> Moment | None:
    """The date that a text is, or None; day_first: how a spelling that proves nothing (1/2/2024) is read.

    An offset from UTC is left off: the date and time are those of the place where they were written.
    >>> moment_of("november 23 , 2008").iso
    '2008-11-23'
    """
    if not 6 <= len(text) <= 48 or not any(c.isdigit() for c in text):
        return None
    plain = _TIGHT.sub(lambda m: m[1] or m[2], _NOTE.sub("", " ".join(text.lower().split())))
    found = _ISO.fullmatch(plain) or _COMPACT.fullmatch(plain)
    if found:
        return _moment(found, int(found["year"]), int(found["month"]), int(found["day"]))
    found = _NUMERIC.fullmatch(plain)
    if found:
        return _by_order(found, day_first)
    if not any(c.isalpha() for c in plain):
        return None
    for shape in _SHAPES:
        found = shape.fullmatch(plain)
        if found:
            groups = found.groupdict()
            weekday = groups.get("weekday") or ""
            if weekday and weekday[:3] not in _WEEKDAYS and weekday != "יום":
                continue
            month = int(groups["month"]) if groups.get("month") else _NUMBER.get(groups["word"], 0)
            year = groups["year"].lstrip("'")
            if month:
                return _moment(found, _full(year), month, int(groups["day"]), short=len(year) == 2)
    return None


def _by_order(found: re.Match[str], day_first: bool) -> Moment | None:
    first, then, year = int(found["first"]), int(found["then"]), found["year"]
    if len(year) == 2 and found["sep"] == "." and not (len(found["first"]) == 2 and len(found["then"]) == 2):
        return None  # 1.2.10 is a version or a section
    if first > 12:
        order, day, month = "dm", first, then
    elif then > 12:
        order, day, month = "md", then, first
    else:
        order = "?" if first != then else ""
        day, month = (first, then) if day_first or found["sep"] == "." else (then, first)
        if found["sep"] == ".":
            order = ""  # with points the day comes first everywhere
    return _moment(found, _full(year), month, day, order, len(year) == 2)


def _full(year: str) -> int:
    number = int(year)
    return number if len(year) == 4 else number + (2000 if number < _PIVOT else 1900)


def _moment(found: re.Match[str], year: int, month: int, day: int, order: str = "", short: bool = False) -> Moment | None:
    try:
        iso = date(year, month, day).isoformat()
    except ValueError:
        return None
    groups = found.groupdict()
    if groups.get("hour") is None:
        return Moment(iso, False, order, short)
    clock = _clock(groups)
    return Moment(f"{iso}T{clock}", True, order, short) if clock else None


def _clock(groups: dict[str, str | None]) -> str | None:
    hour, minute, second = (int(groups.get(part) or 0) for part in ("hour", "minute", "second"))
    half = groups.get("half")
    if half:
        if not 1 <= hour <= 12:
            return None
        hour = hour % 12 + (12 if half[0] == "p" else 0)
    if hour > 23 or minute > 59 or second > 59:
        return None
    return f"{hour:02}:{minute:02}:{second:02}"


@lru_cache(maxsize=10_000)
def time_of(text: str) -> str | None:
    """The time of day that a text is, as 08:00:00, or None."""
    plain = " ".join(text.lower().split())
    found = _CLOCK.fullmatch(re.sub(r"\s*:\s*", ":", plain)) if ":" in plain else None
    if found:
        return _clock(found.groupdict())
    bare = re.fullmatch(r"(?P<hour>\d{1,2})\s?(?P<half>[ap]\.?m\.?)", plain)
    return _clock({**bare.groupdict(), "minute": "0"}) if bare else None
