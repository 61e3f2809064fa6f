"""Beginnings, endings and parts of texts: "starting with SW1", "containing north"."""

from __future__ import annotations

from itertools import pairwise

from engine.fold import fold
from engine.plan.condition import Condition, Reader
from engine.plan.mentions import Token
from engine.plan.nodes import Node
from engine.types import Operator


def read_beginnings(reader: Reader) -> None:
    for kind in ("starts_with", "ends_with", "contains"):
        for node in reader.nodes:
            if not node.does(kind):
                continue
            values, used = spelled_out(reader, node)
            column_node = reader.nodes.left(node.place, 3)
            if not values or column_node is None or column_node.kind != "column":
                continue
            column = column_node.columns[0]
            column_node.used, column_node.as_what = True, "condition"
            op: Operator = kind
            condition = Condition(column, op, list(values), column_node.mention.start, used[-1].mention.end, "part", place=node.place)
            reader.add(condition, node, *used)


def spelled_out(reader: Reader, node: Node) -> tuple[list[str], list[Node]]:
    """The texts after "starting with": words, quotations or codes, joined by commas and "or"."""
    values: list[str] = []
    used: list[Node] = []
    last = reader.nodes.row[-1]
    if last.place == node.place + 1 and last.kind in ("function", "noun", "column"):
        return [fold(as_written(reader, last))], [last]  # "starting with An": what else should stand there
    for other in reader.nodes.row[node.place + 1 :]:
        part = reader.nodes.tokens[other.mention.start : other.mention.end]
        if other.kind == "function" and not part[0].quote and not glue(reader, part[-1]):
            if other.mention.does("or", "and") and values:
                used.append(other)
                continue
            if not values and other.mention.does("stop", "link"):
                continue
            break
        if other.kind in ("column", "noun") and not part[0].quote:
            break
        text = as_written(reader, other)
        sticks = bool(used) and bool(glue(reader, reader.nodes.tokens[used[-1].mention.end - 1]))
        joins = values and used and used[-1].kind != "function" and not reader.nodes.broken_between(used[-1].place, other.place)
        if joins or sticks:
            values[-1] += (glue(reader, reader.nodes.tokens[used[-1].mention.end - 1]) or " ") + text
        else:
            values.append(text)
        used.append(other)
    while used and used[-1].kind == "function" and not reader.nodes.tokens[used[-1].mention.start].quote:
        used.pop()
    return [fold(value) for value in values], used


def as_written(reader: Reader, node: Node) -> str:
    """The words of a node with what stands between them without a blank: "A-01"."""
    tokens = reader.nodes.tokens[node.mention.start : node.mention.end]
    return tokens[0].word.text + "".join((glue(reader, one) or " ") + other.word.text for one, other in pairwise(tokens))


def glue(reader: Reader, token: Token) -> str:
    """What joins a word to the next one without a blank; empty where a blank stands between."""
    if token.index + 1 == len(reader.nodes.tokens):
        return ""
    apart = reader.nodes.tokens[token.index + 1].word.start - token.word.end
    return token.after if apart == len(token.after) else ""
