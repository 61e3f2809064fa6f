"""Columns of numbers, money and percentages."""

from __future__ import annotations

from collections import Counter

from engine.read.codes import digits_are_codes, named_as_code
from engine.read.kind import Kind, Texts, enough, promising
from engine.read.numbers import Number, number_of
from engine.types import ColumnType, Value


def as_numbers(column: Texts, keys: list[str], present: list[int], decimal: str, day_first: bool, given: bool) -> Kind | None:
    """A column of whole numbers, decimals, money or percentages; codes are none."""
    if not given and not promising(column, present, _figures):
        return None
    stripped = {i: column.texts[i].strip() for i in present}
    if not given:
        digits = [text for text in stripped.values() if text.isdigit()]
        if digits and enough(column, [i for i in present if stripped[i].isdigit()], [i for i in present if not stripped[i].isdigit()]):
            if digits_are_codes(digits, column.name):
                return None
        elif not promising(column, present, number_of) or (
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
    if not given and not enough(column, list(numbers), misfits):
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
