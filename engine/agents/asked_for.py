"""What is asked for, apart from what is asked by: small models write the columns that are wanted as conditions, and add others to them."""

from __future__ import annotations

from engine.agents.form import Condition, Figures, Rows
from engine.agents.ground import Ground
from engine.fold import fold


def asked_apart(action: Rows | Figures, ground: Ground) -> Rows | Figures:
    """The action without conditions that only name what is asked for: those of no value, of a column's name, or of a value that nothing says."""
    names = {fold(column.name): column.name for column in ground.table.facts.sent}
    asked = [one for one in action.conditions if one.op not in ("blank", "not_blank") and not _is_said(one, ground, names)]
    conditions = tuple(one for one in action.conditions if one not in asked)
    if isinstance(action, Figures):
        return action.model_copy(update={"conditions": conditions}) if asked else action
    columns = list(dict.fromkeys((*action.columns, *(name for one in asked for name in _named(one, ground, names)))))
    named = set(ground.words.columns().values()) - {one.column for one in conditions}
    if wanted := [column for column in columns if column in named]:  # the others were not asked for
        columns = wanted
    return action.model_copy(update={"conditions": conditions, "columns": tuple(columns)})


def _is_said(condition: Condition, ground: Ground, names: dict[str, str]) -> bool:
    """Whether a value of the condition stands in the question, was found for its words, or its words are more than names of columns."""
    if not condition.values:
        return False
    if condition.op in ("open", "closed") or any(
        one.name == condition.column and one.type == "boolean" for one in ground.table.facts.columns
    ):
        return True  # its words are the column's name, or a day
    spoken, places = fold(ground.text), ground.words.places(condition.words)
    for value in condition.values:
        folded = fold(f"{value:g}" if isinstance(value, float) else str(value))
        if folded not in names and (folded in spoken or _is_found(condition, folded, places, ground)):
            return True
    return bool(places) and not places <= ground.words.naming()


def _is_found(condition: Condition, folded: str, places: frozenset[int], ground: Ground) -> bool:
    """Whether a value was found for words of the condition; what is only near to a column's name was not."""
    return any(
        match.term.column == condition.column
        and fold(match.term.text) == folded
        and (at := ground.words.places(match.phrase)) & places
        and not at <= ground.words.naming()
        for match in ground.matches
    )


def _named(condition: Condition, ground: Ground, names: dict[str, str]) -> list[str]:
    """The columns that a condition names where it says what is asked for."""
    by_value = [names[folded] for value in condition.values if (folded := fold(str(value))) in names]
    places = ground.words.places(condition.words)
    by_words = [column for phrase, column in ground.words.columns().items() if ground.words.places(phrase) & places]
    return by_value or by_words or ([condition.column] if not condition.values else [])
