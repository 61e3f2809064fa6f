"""The type of a column, from every distinct text in it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from engine.read import novalue
from engine.read.codes import digits_are_codes, texts_are_codes
from engine.read.kind import Kind, Texts, enough
from engine.read.numeric import as_numbers
from engine.read.temporal import as_clocks, as_moments
from engine.types import ColumnType, Value

# what says yes, and what says no
_YES_NO = (
    "yes no", "true false", "y n", "t f", "ja nein", "oui non", "sí no", "si no", "sì no", "sim não", "да нет", "כן לא", "tak nie",
    "ano ne", "wahr falsch", "vrai faux", "verdadero falso",
)  # fmt: skip
_PAIRS = [dict(zip(pair.split(), (True, False), strict=True)) for pair in _YES_NO]


def kind_of(column: Texts, decimal: str = ".", day_first: bool = True, given: ColumnType | None = None) -> Kind:
    """The type that all texts but a few fit.

    decimal, day_first: how spellings are read that prove neither convention.
    given: the type that the catalog or the source states; all that does not fit is reported.
    """
    keys = [novalue.key(text) for text in column.texts]
    if given:
        return _given(column, keys, given, decimal, day_first)
    present = [i for i, key in enumerate(keys) if key not in novalue.AMONG_TYPED and key not in column.no_value]
    for attempt in (_boolean, as_moments, as_clocks, as_numbers):
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
    attempts: dict[str, _Attempt] = {"boolean": _boolean, "date": as_moments, "datetime": as_moments, "time": as_clocks}
    found = attempts.get(given, as_numbers)(column, keys, present, decimal, day_first, True)
    if found is None:
        return Kind(given, [None] * len(keys), frozenset(present))
    if found.type == given:
        return found
    values = [_cast(value, given) for value in found.values]
    lost = {i for i, (before, after) in enumerate(zip(found.values, values, strict=True)) if before is not None and after is None}
    return replace(found, type=given, values=values, misfits=found.misfits | lost)


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
        if fits and (sure or given) and (given or enough(column, fits, misfits)):
            return Kind("boolean", [pair.get(key) for key in keys], frozenset(misfits))
    return None


def _texts(column: Texts, keys: list[str]) -> Kind:
    none = novalue.always(set(keys), column.no_value)
    values: list[Value] = [None if key in none else text.strip() for key, text in zip(keys, column.texts, strict=True)]
    filled = [str(value) for value in values if value is not None]
    code = texts_are_codes(filled, column.name) or digits_are_codes(filled, column.name)
    return Kind("code" if code else "text", values)
