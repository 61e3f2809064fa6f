"""What is asked for: the columns behind a question word, the column that "who" and "when" mean, what "does X have Y" looks at."""

from __future__ import annotations

from engine.fold import stem
from engine.plan.condition import Condition
from engine.plan.draft import Draft
from engine.plan.nodes import Node
from engine.types import Measure

_ASKING = ("ask", "which", "who", "where", "when", "count", "how_much", "place_to")
_PERSONS = (
    *("name", "person", "player", "who", "employee", "member", "contact", "manager", "staff", "owner"),
    *("driver", "winner", "champion", "writer", "director"),
)
_PLACES = ("location", "place", "venue", "address", "city", "town", "where", "site", "stadium", "country")


def read_slots(draft: Draft) -> None:
    """Columns behind a question word, up to what ties them to their conditions; at the very start no question word is needed."""
    asking, filled = True, False
    for node in draft.nodes:
        if node.kind == "function" and not node.used and node.mention.does(*_ASKING):
            asking, filled = True, False
            continue
        if not asking:
            continue
        if node.kind == "column" and not node.used:
            draft.ask(node)
            filled = True
        elif node.kind == "function" and node.mention.does("different"):
            draft.distinct = True
            node.used = True
        elif node.kind == "function" and (filled or is_after_noun(draft, node)) and node.mention.does("yes_no"):
            asking = False
        elif (
            (
                node.kind == "function"
                and (node.mention.does("and") or node.mention.does("stop", "name_of", "superlative", "average", "sum"))
            )
            or (node.kind == "function" and node.mention.does("link") and not filled)
            or node.kind in ("noun",)
            or (node.used and node.as_what != "condition")
        ):
            continue
        else:
            asking = False


def is_after_noun(draft: Draft, node: Node) -> bool:
    """ "which tickets are closed": what follows is said of the rows."""
    return node.place > 0 and draft.nodes.row[node.place - 1].kind == "noun"


def is_inspected(draft: Draft, conditions: list[Condition]) -> bool:
    """ "Does X allow Y": the column of Y is shown, and not filtered on."""
    first = draft.nodes.row[0] if draft.nodes.row else None
    if first is None or not first.mention.does("yes_no") or first.kind != "function" or draft.counting or draft.measures:
        return False
    if (
        len(draft.nodes.row) > 1
        and draft.nodes.row[0].mention.does("link")
        and draft.nodes.tokens[0].word.folded in ("is", "are", "was", "were")
    ):
        second = draft.nodes.tokens[1].word.folded if len(draft.nodes.tokens) > 1 else ""
        if second == "there":
            return False
    subject = next((c for c in conditions if c.column.name == draft.facts.naming or c.column.kind == "code"), None)
    if subject is None:
        return False
    looked_at = [c for c in conditions if c is not subject and c.start > subject.start and not draft.is_placed(c)]
    for condition in looked_at:
        conditions.remove(condition)
        draft.select.append(condition.column.name)
        draft.said.append((condition.start, condition.end, condition.column.name, "column"))
    return bool(looked_at)


def read_question_words(draft: Draft, conditions: list[Condition]) -> None:
    """Who, where, when, how long: a column of that kind where none was named."""
    if draft.group and not draft.measures and not draft.having and (not draft.sort or any(node.does("counts") for node in draft.nodes)):
        draft.measures.append(Measure(function="count"))
    if draft.having and not draft.group:
        draft.group, draft.select = (draft.select or [draft.facts.naming]), []
    if draft.group:
        draft.select = []
        draft.distinct = False
    if draft.select or draft.measures or draft.group:
        return
    ask_by_question_word(draft, conditions)
    if not draft.select:
        for node in draft.nodes:  # "Brazil's population and life expectancy"
            if node.kind == "column" and not node.used and not draft.is_naming(node):
                draft.ask(node)


def ask_by_question_word(draft: Draft, conditions: list[Condition]) -> None:
    for kind, words in (("who", _PERSONS), ("whose", _PERSONS), ("where", _PLACES), ("when", ())):
        if not any(node.does(kind) for node in draft.nodes):
            continue
        taken = {condition.column.name for condition in conditions}
        mentioned = [
            n
            for n in draft.nodes
            if n.kind == "column" and not n.used and not draft.is_naming(n) and (kind != "when" or draft.is_dated(n.columns[0]))
        ]
        if mentioned and kind != "whose":
            draft.ask(mentioned[0])
            return
        if kind == "when":
            found = [c for c in draft.facts.columns if draft.is_dated(c) and c.name not in taken]
            found.sort(key=lambda column: not column.temporal)
        else:
            found = [
                c
                for word in words
                for c in draft.facts.columns
                if word in {stem(w) for w in c.key.split()} | set(c.key.split()) and c.name not in taken
            ]
            if kind == "where" and draft.facts.declared:
                found = []
        if found and kind != "whose":
            draft.select.append(found[0].name)
        elif kind == "when":
            draft.trouble += 2.0


def is_answered(draft: Draft) -> bool:
    for node in draft.asked:
        before = draft.nodes.row[node.place - 1] if node.place else None
        while (
            before is not None
            and before.place
            and before.kind == "function"
            and before.mention.does_only("stop", "link", "yes_no", "place", "compare")
        ):
            before = draft.nodes.row[before.place - 1]
        if before is not None and before.kind == "function" and before.mention.does("ask", "which", "who", "when", "where"):
            return True
    return False
