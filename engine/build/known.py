"""The folded and looked-up forms of texts, which the next version of a table need not work out again."""

from __future__ import annotations

from collections.abc import Sequence

from engine.fold import fold, key

Forms = tuple[str, str]


class Known:
    """Forms of texts: those of the version before, and what is asked for now; only the latter is passed on to the version after."""

    def __init__(self, before: dict[str, str | list[str]] | None = None) -> None:
        """before: what `used` gave."""
        self._before = before or {}
        self._now: dict[str, Forms] = {}

    def forms(self, texts: Sequence[str]) -> list[Forms]:
        """For each text its compared form and its looked-up form."""
        return [self._now.get(text) or self._form(text) for text in texts]

    def _form(self, text: str) -> Forms:
        found = self._before.get(text)
        if found is None:
            form = (fold(text), key(text))
        else:
            form = (found, found) if isinstance(found, str) else (found[0], found[1])
        self._now[text] = form
        return form

    def used(self) -> dict[str, str | list[str]]:
        """What was asked for, as JSON: one form where both are the same."""
        return {text: form[0] if form[0] == form[1] else list(form) for text, form in self._now.items()}
