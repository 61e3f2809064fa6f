"""Names and codes of countries, states, months and weekdays, in all languages, from libraries that keep them."""

from __future__ import annotations

from collections.abc import Iterator

from babel import Locale
from us import states


def code_groups(languages: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], tuple[str, ...]]]:
    """Phrases that name the same, and among them those that are only hints: codes of two letters."""
    locales = [Locale.parse(code) for code in languages]
    for code, name in Locale.parse("en").territories.items():
        if len(code) == 2 and code.isalpha():
            yield (*dict.fromkeys((name, *(locale.territories.get(code, name) for locale in locales))), code), (code,)
    for state in states.STATES_AND_TERRITORIES:
        yield (state.name, state.abbr), (state.abbr,)
    for width, names in (("wide", "months"), ("wide", "days")):
        for number in range(1, 13) if names == "months" else range(7):
            said = [
                str(getattr(locale, names)[form][size][number])
                for locale in locales
                for form in ("format", "stand-alone")
                for size in (width, "abbreviated")
            ]
            yield tuple(dict.fromkeys(word.rstrip(".") for word in said)), ()
