"""What stands in an "or", and what touches: "A, B or C", two halves of a name."""

from __future__ import annotations

from itertools import pairwise

from engine.plan.condition import Condition, Reader


def joined_by(reader: Reader, one: Condition, other: Condition, kind: str) -> bool:
    between = [n for n in reader.nodes if one.end <= n.mention.start and n.mention.end <= other.start]
    return any(n.mention.does(kind) for n in between)


def join_alternatives(reader: Reader) -> None:
    settle_halves(reader)
    for one, other in pairwise(reader.found):
        between = [n for n in reader.nodes if one.end <= n.mention.start and n.mention.end <= other.start]
        only_ties = all(n.kind == "function" for n in between)
        if any(n.mention.does("or") for n in between) and one.negative == other.negative:
            other.joined = True
            for n in between:
                n.used = n.used or n.mention.does("or")
        elif only_ties and not one.negative and not other.negative and one.column.name == other.column.name and one.op == other.op == "is":
            other.joined = True  # "in A and B": one row is in one place
    joined = False
    for place in range(len(reader.found) - 1, 0, -1):  # "A, B or C"
        condition, before = reader.found[place], reader.found[place - 1]
        joined = condition.joined or (joined and is_comma(reader, before, condition))
        if joined and not condition.joined and before.column.name == condition.column.name:
            condition.joined = True


def settle_halves(reader: Reader) -> None:
    """Two conditions on one column with nothing between: two halves of a name, or of lists ("kidney dialysis") one thing said twice."""
    for one, other in list(pairwise(reader.found)):
        touching = one.end == other.start and one.column.name == other.column.name and not is_comma(reader, one, other)
        if not touching or one not in reader.found or other not in reader.found:
            continue
        if one.column.list_separator is None:
            reader.trouble += 1.0 if {one.how, other.how} & {"part", "near"} else 0.0
        elif one.options and other.options and abs(one.options[0].quality - other.options[0].quality) > 0.04:
            reader.found.remove(min(one, other, key=lambda condition: condition.options[0].quality))


def is_comma(reader: Reader, one: Condition, other: Condition) -> bool:
    between = [n for n in reader.nodes if one.end <= n.mention.start and n.mention.end <= other.start]
    return not between and "," in reader.nodes.tokens[one.end - 1].after
