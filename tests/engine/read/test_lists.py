from __future__ import annotations

import pytest

from engine.read.lists import items, list_separator

LISTS: list[tuple[list[str], str]] = [
    (["Cardiology; ENT", "ENT", "ENT; Pediatrics", "Cardiology"], "; "),
    (["red|blue", "blue|green", "red"], "|"),
    (["Clark\nMarathon", "Adams", "Adams\nClark", "Marathon"], "\n"),
    (["Ramp, Elevator", "Elevator", "Braille signage, Ramp", "Elevator, Ramp", "Ramp", "Elevator, Braille signage"], ", "),
    (["guard / forward", "forward", "forward / center", "center / forward", "guard", "forward / guard"], " / "),
]
TEXTS: list[list[str]] = [
    ["Haifa, Israel", "Tel Aviv, Israel", "Paris, France", "Lyon, France", "Nice, France", "Acre, Israel"],
    ["Closed on Fridays, call first", "Open late, ring the bell", "Use the side door, please", "By appointment"],
    ["Smith, John", "Smith, Anna", "Jones, John", "Jones, Anna", "Brown, John"],
    ["Sun-Thu 08:00-20:00; Fri 08:00-13:00", "Sun-Thu 08:00-16:00", "Sun-Thu 08:00-20:00", "Fri 08:00-13:00"],
    ["Mon, Wed 08:00-13:00", "Mon 08:00-13:00", "Tue, Wed 08:00-13:00", "Wed, Mon 08:00-13:00", "Wed 08:00-13:00"],
    ["1/2", "2/3", "3/1", "2/1", "1/3"],
    ["https://a.example/x", "https://a.example/y", "https://b.example/x", "https://b.example/y"],
    ["November 3, 2008", "November 4, 2008", "December 3, 2008", "December 4, 2008"],
    ["Apple Inc.", "Pear Ltd.", "Fig"],
    [],
]


@pytest.mark.parametrize(("texts", "separator"), LISTS)
def test_is_a_list(texts: list[str], separator: str) -> None:
    assert list_separator(texts) == separator


@pytest.mark.parametrize("texts", TEXTS)
def test_is_no_list(texts: list[str]) -> None:
    assert list_separator(texts) is None


def test_items_are_without_blanks_and_none_is_empty() -> None:
    assert items("Cardiology;ENT ; ; Pediatrics;", "; ") == ["Cardiology", "ENT", "Pediatrics"]
    assert items("a\nb", "\n") == ["a", "b"]
