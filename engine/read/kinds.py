"""The type of a column, from every distinct text in it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from engine.read import novalue
from engine.read.codes import digits_are_codes, named_as_code, texts_are_codes
from engine.read.dates import Moment, moment_of, time_of
from engine.read.numbers import Number, number_of
from engine.types import ColumnType, Value

_SAMPLE = 600
# what says yes, and what says no
_YES_NO = (
    "yes no", "true false", "y n", "t f", "ja nein", "oui non", "sí no", "si no", "sì no", "sim não", "да нет", "כן לא", "tak nie",
    "ano ne", "wahr falsch", "vrai faux", "verdadero falso",
)  # fmt: skip
_PAIRS = [dict(zip(pair.split(), (True, False), strict=True)) for pair in _YES_NO]


@dataclass(frozen=True, slots=True)
class Texts:
    """The distinct texts of a column, how many rows hold each, and the column's name."""

    name: str
    texts: list[str]
    counts: NDArray[np.int64]
    no_value: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Kind:
    """A column's type, a value for each of its texts (None for "no value" and what does not fit), and what was doubtful.

    decimal and day_first: what the column's own spellings prove, "" and None where they prove nothing.
    doubts: code, sentence and the texts that it concerns.
    """

    type: ColumnType
    values: list[Value]
    misfits: frozenset[int] = frozenset()
    decimal: str = ""
    day_first: bool | None = None
    open: bool = False  # another reading is as good, and the table's other columns may decide
    doubts: list[tuple[str, str, list[int]]] = field(default_factory=list)


def kind_of(column: Texts, decimal: str = ".", day_first: bool = True, given: ColumnType | None = None) -> Kind:
    """The type that all texts but a few fit.

    decimal, day_first: how spellings are read that prove neither convention.
    given: the type that the catalog or the source states; all that does not fit is reported.
    """
    keys = [novalue.key(text) for text in column.texts]
    if given:
        return _given(column, keys, given, decimal, day_first)
    present = [i for i, key in enumerate(keys) if key not in novalue.AMONG_TYPED and key not in column.no_value]
    for attempt in (_boolean, _moments, _clocks, _numbers):
        kind = attempt(column, keys, present, decimal, day_first, False)
        if kind:
            return kind
    return _texts(column, keys)


_Attempt = Callable[[Texts, list[str], list[int], str, bool, bool], Kind | None]


def _given(column: Texts, keys: list[str], given: ColumnType, decimal: str, day_first: bool) -> Kind:
    if given in ("text", "code"):
        kind = _texts(column, keys)
        return Kind(given, kind.values)
    present = [i for i, key in enumerate(keys) if key not in novalue.AMONG_TYPED and key not in column.no_value]
    attempts: dict[str, _Attempt] = {"boolean": _boolean, "date": _moments, "datetime": _moments, "time": _clocks}
    found = attempts.get(given, _numbers)(column, keys, present, decimal, day_first, True)
    if found is None:
        return Kind(given, [None] * len(keys), frozenset(present))
    if found.type == given:
        return found
    return replace(found, type=given, values=[_cast(value, given) for value in found.values])


def _cast(value: Value, to: ColumnType) -> Value:
    if value is None:
        return None
    if to == "date":
        return str(value)[:10]
    if to == "datetime":
        return value if "T" in str(value) else f"{value}T00:00:00"
    if to in ("decimal", "money", "percent"):
        return float(value)
    if to == "integer" and isinstance(value, float):
        return int(value) if value.is_integer() else None
    return value


# ---- what fits, and how much need not


def _enough(column: Texts, fits: Sequence[int], misfits: Sequence[int]) -> bool:
    """Whether so few texts do not fit that they are the exceptions and not the rule."""
    if not misfits:
        return bool(fits)
    rows = int(column.counts[list(fits)].sum()) if fits else 0
    odd = int(column.counts[list(misfits)].sum())
    if len(misfits) <= 2 and rows < 200:
        return rows >= 6 and odd <= max(1, rows // 7)
    return odd <= 0.02 * rows and len(misfits) <= max(3, 0.02 * len(fits))


def _promising(column: Texts, present: list[int], fits: Callable[[str], object]) -> bool:
    """Whether a part of the texts, spread over all of them, mostly fits; only then is each looked at."""
    if not present:
        return False
    looked = present if len(present) <= _SAMPLE else present[:: len(present) // _SAMPLE + 1]
    return 2 * sum(1 for i in looked if fits(column.texts[i])) > len(looked)


def _boolean(column: Texts, keys: list[str], present: list[int], decimal: str, day_first: bool, given: bool) -> Kind | None:
    if not given and len({keys[i] for i in present[:200]}) > 6:
        return None
    everywhere = {i: keys[i] for i in range(len(keys))}  # "нет" may say "no value" elsewhere
    pairs = [*_PAIRS, {"1": True, "0": False}] if given else _PAIRS
    for pair in pairs:
        fits = [i for i, key in everywhere.items() if key in pair]
        found = {everywhere[i] for i in fits}
        misfits = [i for i in present if keys[i] not in pair]
        sure = len(found) == 2 or (len(found) == 1 and found & {"true", "false"})
        if fits and (sure or given) and (given or _enough(column, fits, misfits)):
            return Kind("boolean", [pair.get(key) for key in keys], frozenset(misfits))
    return None


def _moments(column: Texts, keys: list[str], present: list[int], decimal: str, day_first: bool, given: bool) -> Kind | None:
    if not given and not _promising(column, present, moment_of):
        return None
    first = {i: moment_of(column.texts[i]) for i in present}
    orders = Counter(moment.order for moment in first.values() if moment)
    proven: bool | None = None
    if orders["dm"] or orders["md"]:
        proven = orders["dm"] >= orders["md"]
    order = day_first if proven is None else proven
    moments: dict[int, Moment] = {}
    for i in present:
        moment = first[i] if order or not first[i] or first[i].order != "?" else moment_of(column.texts[i], day_first=False)  # type: ignore[union-attr]
        if moment:
            moments[i] = moment
    misfits = [i for i in present if i not in moments]
    if not given and not _enough(column, list(moments), misfits):
        return None
    if not given and all(column.texts[i].strip().isdigit() for i in moments) and misfits and any(keys[i].isdigit() for i in misfits):
        return None  # 20190401 among 98765432: these are numbers
    timed = any(moment.timed and not moment.iso.endswith("T00:00:00") for moment in moments.values())
    values: list[Value] = [None] * len(keys)
    for i, moment in moments.items():
        values[i] = (moment.iso if moment.timed else f"{moment.iso}T00:00:00") if timed else moment.iso[:10]
    doubts = []
    open_ = bool(orders["?"]) and proven is None
    if open_:
        reading = "day, month, year" if order else "month, day, year"
        doubts.append(
            (
                "date_order",
                f"day and month cannot be told apart, and are read as {reading}",
                [i for i in moments if moments[i].order == "?"],
            )
        )
    if orders["dm"] and orders["md"]:
        odd = "md" if order else "dm"
        doubts.append(
            (
                "mixed_dates",
                "day and month stand in the other order than elsewhere in the column",
                [i for i, moment in moments.items() if moment.order == odd],
            )
        )
    if any(moment.short_year for moment in moments.values()):
        doubts.append(("short_year", "years of two digits are read as 1950 to 2049", [i for i in moments if moments[i].short_year]))
    return Kind("datetime" if timed else "date", values, frozenset(misfits), day_first=proven, open=open_, doubts=doubts)


def _clocks(column: Texts, keys: list[str], present: list[int], decimal: str, day_first: bool, given: bool) -> Kind | None:
    if not given and not _promising(column, present, time_of):
        return None
    clocks = {i: clock for i in present if (clock := time_of(column.texts[i]))}
    misfits = [i for i in present if i not in clocks]
    if not given and not _enough(column, list(clocks), misfits):
        return None
    if not given and all(len(keys[i]) < 5 for i in clocks) and not any(c in keys[i] for i in clocks for c in "am"):
        return None  # 2:10, 3:05 and nothing longer: scores, or minutes and seconds
    return Kind("time", [clocks.get(i) for i in range(len(keys))], frozenset(misfits))


def _numbers(column: Texts, keys: list[str], present: list[int], decimal: str, day_first: bool, given: bool) -> Kind | None:
    if not given and not _promising(column, present, _figures):
        return None
    stripped = {i: column.texts[i].strip() for i in present}
    if not given:
        digits = [text for text in stripped.values() if text.isdigit()]
        if digits and _enough(column, [i for i in present if stripped[i].isdigit()], [i for i in present if not stripped[i].isdigit()]):
            if digits_are_codes(digits, column.name):
                return None
        elif not _promising(column, present, number_of) or (
            named_as_code(column.name) and any(text[:1] == "0" and text.isdigit() and len(text) > 1 for text in stripped.values())
        ):
            return None
    numbers: dict[int, Number] = {}
    for i, text in stripped.items():
        number = number_of(text, decimal)
        if number:
            numbers[i] = number
    says = Counter(number.says for number in numbers.values() if number.says)
    proven = says.most_common(1)[0][0] if says else ""
    if proven and proven != decimal:
        for i, number in numbers.items():
            if not number.says:
                numbers[i] = number_of(stripped[i], proven) or number
    odd = [i for i, number in numbers.items() if number.odd]
    if odd and len(odd) * 2 > len(numbers) and not given:
        return None
    misfits = [i for i in present if i not in numbers]
    if not given and not _enough(column, list(numbers), misfits):
        return None
    return _numeric_kind(column, keys, numbers, misfits, proven, odd, says)


def _figures(text: str) -> bool:
    return text.strip().isdigit() or number_of(text) is not None


def _numeric_kind(
    column: Texts, keys: list[str], numbers: dict[int, Number], misfits: list[int], proven: str, odd: list[int], says: Counter[str]
) -> Kind:
    shapes: Counter[str] = Counter()
    for i, number in numbers.items():
        shapes[number.shape] += int(column.counts[i])
    rows = sum(shapes.values())
    kind: ColumnType
    if 2 * shapes["percent"] > rows:
        kind = "percent"
    elif 2 * shapes["money"] > rows:
        kind = "money"
    elif any(isinstance(number.value, float) for number in numbers.values()):
        kind = "decimal"
    else:
        kind = "integer"
    values: list[Value] = [None] * len(keys)
    for i, number in numbers.items():
        values[i] = number.value if kind == "integer" else float(number.value)
    doubts: list[tuple[str, str, list[int]]] = []
    if len(says) > 1:
        less = says.most_common()[-1][0]
        doubts.append(
            (
                "mixed_decimals",
                f'the decimal sign is "{less}" where it is another elsewhere',
                [i for i, n in numbers.items() if n.says == less],
            )
        )
    if odd:
        doubts.append(("odd_groups", "figures are divided into groups that are no thousands", odd))
    currencies = {number.currency.strip(".").lower() for number in numbers.values() if number.currency}
    if kind == "money" and len(currencies) > 1:
        common = Counter(number.currency for number in numbers.values() if number.currency).most_common(1)[0][0]
        rest = [i for i, n in numbers.items() if n.currency and n.currency != common]
        doubts.append(("mixed_currencies", f"the currency is another than {common}", rest))
    if kind not in ("percent", "money"):
        marked = [i for i, n in numbers.items() if n.shape in ("percent", "money")]
        if marked:
            doubts.append(("mixed_units", "a percent or currency sign stands where others have none", marked))
    ambiguous = not proven and any("," in column.texts[i] or "." in column.texts[i] for i in numbers)
    return Kind(kind, values, frozenset(misfits), decimal=proven, open=ambiguous, doubts=doubts)


def _texts(column: Texts, keys: list[str]) -> Kind:
    none = novalue.always(set(keys), column.no_value)
    values: list[Value] = [None if key in none else text.strip() for key, text in zip(keys, column.texts, strict=True)]
    filled = [str(value) for value in values if value is not None]
    code = texts_are_codes(filled, column.name) or digits_are_codes(filled, column.name)
    return Kind("code" if code else "text", values)
