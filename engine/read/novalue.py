"""How tables say that there is no value."""

from __future__ import annotations

# These mean it in any column.
ALWAYS = frozenset(
    [
        "n/a",
        "#n/a",
        "#na",
        "n.a.",
        "n.a",
        "n/d",
        "n.d.",
        "#null!",
        "#ref!",
        "#div/0!",
        "#value!",
        "#name?",
        "#num!",
        "null",
        "<null>",
        "(null)",
        "[null]",
        "\\n",
        "nan",
        "<na>",
        "<n/a>",
        "(blank)",
        "[blank]",
        "not_available",
        "-",
        "--",
        "---",
        "----",
        "–",
        "—",
        "——",
        "―",
        "−",
        "…",
        "...",
        "..",
        ".",
        "?",
        "??",
        "???",
        "н/д",
        "k.a.",
        "k.a",
    ]
) | {
    "not available",
    "not applicable",
    "no data",
    "no value",
    "not known",
    "not specified",
    "not provided",
    "нет данных",
    "לא ידוע",
    "אין נתונים",
    "",
}
# These only in a column of numbers, dates or yes and no; in a column of text they may be terms.
AMONG_TYPED = ALWAYS | frozenset(["na", "none", "nil", "unknown", "tba", "tbd", "tbc", "missing", "blank", "empty", "x", "xx", "*", "**", "***", "****", "*****", "******", "/", "//", "_", "nd", "ns", "s/d", "unk", "keine", "aucun", "нет", "אין", "不明", "無", "无"]) | {
    "to be announced", "to be determined", "not recorded", "not reported", "not stated", "not found", "unspecified", "undefined", "withheld", "suppressed",
    "n / a", "n. a.", "s.o.", "без данных",
}  # fmt: skip
_SIGNS = frozenset(["-", "–", "—", "+", "x", "✓", "✔", "✗", "✘", "●", "○", "*", ".", "?"])


def key(text: str) -> str:
    """The form in which spellings of "no value" are compared."""
    return " ".join(text.lower().split())


def always(keys: set[str], more: frozenset[str]) -> frozenset[str]:
    """Those of these texts (by key) that say "no value" in a column of text; where a column consists of signs, a dash is one of them."""
    found = (keys & ALWAYS) | (keys & more)
    rest = keys - found
    if rest and rest <= _SIGNS:
        found = frozenset(found) - _SIGNS
    return frozenset(found)
