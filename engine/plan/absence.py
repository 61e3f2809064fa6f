"""What is empty, what is there, what is denied: "no phone", "with a balcony", "not in"."""

from __future__ import annotations

from itertools import pairwise

from engine.build.facts import ColumnFacts
from engine.plan.condition import Condition, Reader
from engine.plan.joins import joined_by
from engine.plan.nodes import Node
from engine.types import Operator


def read_blanks(reader: Reader) -> None:
    for node in reader.nodes:
        if node.does("negation"):
            target = reader.nodes.right(node.place, 2)
            if target is not None and target.kind == "column" and not target.used:
                following = reader.nodes.row[target.place + 1] if target.place + 1 < len(reader.nodes.row) else None
                if following is not None and following.kind == "value" and not reader.nodes.broken_between(target.place, following.place):
                    continue
                filled = next((n for n in reader.nodes.row[target.place + 1 : target.place + 4] if n.does("filled", "blank")), None)
                ties = [filled] if filled is not None else []
                column = target.columns[0]
                said_no = column.type == "boolean" and column.distinct > 1 and not ties
                denied: Operator = "is" if said_no else "blank"
                if column.numeric and not ties:
                    add_none_of(reader, column, node, target)
                    continue
                reader.add(
                    Condition(column, denied, ["no"] if said_no else [], node.mention.start, target.mention.end, place=target.place),
                    node,
                    target,
                    *ties,
                )
        elif node.does("blank", "filled"):
            behind = reader.nodes.row[node.place + 1] if node.place + 1 < len(reader.nodes.row) else None
            close = behind is not None and behind.kind == "column" and not behind.used  # "with blank notes"
            target = behind if close else reader.nodes.left(node.place, 3) or reader.nodes.right(node.place, 2)
            if target is None or target.kind != "column" or target.used:
                target = reader.nodes.right(node.place, 2)
            if target is not None and target.kind == "column" and not target.used:
                op: Operator = "blank" if node.mention.does("blank") else "not_blank"
                reader.add(Condition(target.columns[0], op, [], node.mention.start, target.mention.end, place=target.place), node, target)


def add_none_of(reader: Reader, column: ColumnFacts, node: Node, target: Node) -> None:
    """ "no red cards": none counted, or, where cells are empty, nothing filled in."""
    op: Operator = "blank" if column.empty else "is"
    reader.add(Condition(column, op, [] if column.empty else [0], node.mention.start, target.mention.end, place=target.place), node, target)


def read_owned(reader: Reader) -> None:
    """ "courses with prerequisites": a column behind "with" or "have" is filled in, a number more than none."""
    for node in reader.nodes:
        if node.kind != "column" or node.used or node.columns[0].type == "boolean" or reader.asked_for(node):
            continue
        place = node.place - 1
        while place >= 0 and reader.key(reader.nodes.row[place]) in ("a", "an", "any", "some"):
            place -= 1
        having = reader.nodes.row[place] if place >= 0 else None
        before = reader.nodes.row[place - 1] if place >= 1 else None
        if having is None or not having.does("having") or (before is not None and before.kind == "function"):
            continue
        behind = reader.nodes.right(node.place, 1)
        if behind is not None and behind.kind in ("value", "number", "date"):
            continue
        column = node.columns[0]
        op: Operator = "more" if column.numeric else "not_blank"
        reader.add(Condition(column, op, [0] if column.numeric else [], node.mention.start, node.mention.end, place=node.place), node)


def read_marks(reader: Reader) -> None:
    """ "rooms with a balcony": a column of yes and no, tied to the rows or to another condition, is one."""
    if not reader.nodes.row:
        return
    first = reader.nodes.row[0]
    if first.kind == "function" and first.mention.does("yes_no") and not first.mention.does("ask"):
        return  # "does X have a balcony"
    for node in reader.nodes:
        if node.kind != "column" or node.used or node.columns[0].type != "boolean":
            continue
        behind = reader.nodes.row[node.place + 1] if node.place + 1 < len(reader.nodes.row) else None
        if describes_rows(reader, node, behind):
            reader.add(Condition(node.columns[0], "is", ["yes"], node.mention.start, node.mention.end, place=node.place), node)
            continue
        if reader.asked_for(node):
            continue
        before = reader.nodes.left(node.place, 3)
        held = before is None or before.kind == "noun" or (before.kind == "value" and before.options[0].column.name != reader.facts.naming)
        between = reader.nodes.row[before.place + 1 if before else 0 : node.place]
        ties = [tie for tie in between if tie.mention.does("link") and not tie.mention.does("place", "ask", "stop")]
        owned = any(tie.mention.does_only("stop") and not tie.mention.does("link") for tie in between[1:])  # "with their balcony"
        if held and ties and not owned:
            reader.add(Condition(node.columns[0], "is", ["yes"], node.mention.start, node.mention.end, place=node.place), node, ties[-1])


def describes_rows(reader: Reader, node: Node, behind: Node | None) -> bool:
    """Whether a column of yes and no describes the rows: "remote staff", "who is on call", "how many are remote"."""
    if behind is not None and (
        behind.kind in ("noun", "value") or (behind.kind == "column" and behind.columns[0].name == reader.facts.naming)
    ):
        return True
    if behind is not None and not behind.mention.does("place", "and", "or"):
        return False
    for before in reversed(reader.nodes.row[: node.place]):
        if before.kind != "function":
            return False
        if before.mention.does("who", "which", "count"):
            return True
    return False


def read_negations(reader: Reader) -> None:
    for node in reader.nodes:
        if not node.does("negation"):
            continue
        following = [condition for condition in reader.found if condition.start >= node.mention.end]
        if not following or not reaches(reader, node, following[0]):
            before = [condition for condition in reader.found if condition.end <= node.mention.start]
            if before and not following:
                continue
            reader.trouble += 0.8
            continue
        node.used, node.as_what = True, "condition"
        first = following[0]
        first.negative = True
        for one, other in pairwise(following):  # "not in A or B"
            if not joined_by(reader, one, other, "or") or one.column.name != other.column.name:
                break
            other.negative = True
        if not first.deniable:
            reader.trouble += 2.0


def reaches(reader: Reader, node: Node, condition: Condition) -> bool:
    """Whether only ties stand between a negation and a condition."""
    between = [n for n in reader.nodes if node.mention.end <= n.mention.start and n.mention.end <= condition.start]
    return all(
        reader.nodes.tying(n) or n.does("different") or n.kind == "noun" or (n.kind == "unknown" and len(between) <= 2) for n in between
    )
