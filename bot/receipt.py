"""The receipt, in the language of the question: how it was understood, what of it was not used, and how fresh the data is."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any, Final

from engine.types import Answer, Binding, Freshness, ResultTable, Value

_SIGNS: Final = {"is": "=", "is_not": "≠", "less": "<", "at_most": "≤", "more": ">", "at_least": "≥"}
DOUBTFUL: Final = 0.5  # confidence below which an answer says so
_WITHOUT_COLUMN: Final = frozenset({"table", "limit"})


@dataclass(frozen=True, slots=True)
class Words:
    """The words around an answer, of one language."""

    texts: dict[str, str]
    ops: dict[str, str]
    reasons: dict[str, str]  # by what the engine calls them

    def say(self, key: str, **fields: object) -> str:
        """The words of this key with their fields filled in; raises KeyError where a field is missing."""
        return self.texts[key].format(**fields)


@cache
def words_of(language: str) -> Words:
    """The words of a language, English where there is no file for it."""
    folder = files("bot") / "language"
    file = folder / f"{language}.toml"
    if not language.isalpha() or not file.is_file():
        file = folder / "en.toml"
    parsed: dict[str, Any] = tomllib.loads(file.read_text(encoding="utf-8"))
    ops = parsed.pop("ops")
    return Words(texts=parsed, ops={**_SIGNS, **ops}, reasons=parsed.pop("reasons"))


def shown_value(value: Value, words: Words) -> str:
    """A value as a reader sees it: nothing for null, a number without a needless fraction, yes and no in words."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return words.texts["yes" if value else "no"]
    if isinstance(value, float):
        return f"{value:.10g}" if abs(value) < 1e15 else repr(value)
    return str(value)


def receipt_lines(answer: Answer) -> list[str]:
    """One line for each binding: "chemists → type = Pharmacy (also: name = Pharmacy Street, 3 rows)"."""
    words = words_of(answer.language)
    return [binding_line(binding, words) for binding in answer.bindings]


def binding_line(binding: Binding, words: Words) -> str:
    """One binding: the asker's words, what they became, and what else they may mean."""
    op = words.ops[binding.op]
    values = ", ".join(shown_value(term, words) for term in binding.terms)
    if binding.op in _WITHOUT_COLUMN:
        became = f"{op} {values or binding.column}"
    elif binding.op in ("column", "measure", "sort"):
        became = f"{op} {binding.column or values}" + (f" ({values})" if values and binding.column else "")
    else:
        became = f"{binding.column} {op} {values}".rstrip()
    others = "; ".join(f"{other.column} = {other.term}, {counted(other.rows, words)}" for other in binding.candidates)
    return f"{binding.phrase} → {became}" + (f" ({words.texts['also']}: {others})" if others else "")


def counted(rows: int, words: Words) -> str:
    """A number of rows in words."""
    return words.texts["one_row"] if rows == 1 else words.say("rows", rows=f"{rows:,}")


def note_lines(answer: Answer) -> list[str]:
    """What the asker is to know before the rows: that the answer may not be what was meant, and the notes."""
    doubtful = answer.kind == "answer" and answer.confidence.value < DOUBTFUL
    return [*([words_of(answer.language).texts["doubtful"]] if doubtful else []), *answer.notes]


def reason_lines(answer: Answer) -> list[str]:
    """Why the answer is no surer than it is, as far as that is for the asker: what went wrong with a model is for the log."""
    known = words_of(answer.language).reasons
    return [known[reason] for reason in answer.confidence.reasons if reason in known]


def unused_line(answer: Answer) -> str:
    """The words of the question that the plan did not use, empty where all were."""
    return f"{words_of(answer.language).texts['not_used']}: {', '.join(answer.unused)}" if answer.unused else ""


def freshness_line(answer: Answer) -> str:
    """Which data was asked, when it last changed and when it was read."""
    if answer.freshness is None:
        return ""
    words = words_of(answer.language)
    freshness: Freshness = answer.freshness
    parts = [freshness.source]
    parts += [words.say("changed", time=_minute(freshness.changed_at))] if freshness.changed_at else []
    parts += [words.say("read", time=_minute(freshness.loaded_at))] if freshness.loaded_at else []
    parts += [words.say("stale", time=_minute(freshness.stale_since))] if freshness.stale_since else []
    return f"{words.texts['data']}: {', '.join(parts)}"


def shown_line(answer: Answer, shown: int) -> str:
    """That fewer rows are shown than there are, empty where all are; both figures are true."""
    result: ResultTable | None = answer.result
    if result is None or shown >= result.total:
        return ""
    key = "cut" if result.cut and shown >= len(result.rows) else "shown"
    return words_of(answer.language).say(key, shown=f"{shown:,}", total=f"{result.total:,}")


def _minute(iso: str) -> str:
    """An ISO time to the minute: "2026-11-30 02:31 UTC"."""
    return f"{iso[:10]} {iso[11:16]} UTC" if len(iso) > 15 else iso
