"""What the rows must hold: comparisons with numbers and dates, terms, beginnings, blanks, what is denied, and what stands in an "or"."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import groupby, pairwise

from engine.build.facts import ColumnFacts, TableFacts
from engine.fold import fold, stem
from engine.hours import written
from engine.plan.mentions import Option, Token
from engine.plan.nodes import Node, Nodes
from engine.types import Clause, Comparison, How, Operator, Value

DOMINANT = 2.5  # a term of one column is meant rather than the same in another that holds it so many times less
_AFTER_DATES = {"after": "more", "before": "less", "since": "at_least", "until": "at_most"}
_NEGATED: dict[str, Operator] = {
    "is": "is_not", "has": "has_none", "less": "at_least", "more": "at_most", "at_least": "less", "at_most": "more", "blank": "not_blank", "not_blank": "blank",
    "contains": "not_contains", "open": "closed", "closed": "open",
}  # fmt: skip


@dataclass(slots=True)
class Condition:
    """One test on its way into the plan; start and end are the tokens that say it."""

    column: ColumnFacts
    op: Operator
    values: list[Value]
    start: int
    end: int
    how: How = "exact"
    options: list[Option] = field(default_factory=list)  # the readings, the chosen one first
    negative: bool = False
    joined: bool = False  # with the one before it by "or"
    ambiguous: bool = False
    place: int = 0  # of its main node

    def comparison(self) -> Comparison:
        """The test as the plan has it."""
        op = _NEGATED.get(self.op, self.op) if self.negative else self.op
        return Comparison(column=self.column.name, op=op, values=tuple(self.values))

    @property
    def deniable(self) -> bool:
        """Whether a plan can say its opposite in one test."""
        return self.op in _NEGATED


def figure(number: float | None) -> int | float | None:
    """A number as it is written: whole without a point."""
    return int(number) if number is not None and number.is_integer() else number


class Conditions:
    """Reads the conditions of a row of nodes; `trouble` sums up what speaks against the reading."""

    def __init__(self, nodes: Nodes, facts: TableFacts) -> None:
        self.nodes = nodes
        self.facts = facts
        self.found: list[Condition] = []
        self.trouble = 0.0

    def read(self) -> list[Condition]:
        """All conditions, in the order of the question."""
        self._hours()
        self._comparisons()
        self._ranges()
        self._beginnings()
        self._terms()
        self._blanks()
        self._marks()
        self._owned()
        self.found.sort(key=lambda condition: condition.start)
        self._negations()
        self._alternatives()
        return self.found

    def _add(self, condition: Condition, *nodes: Node) -> None:
        for node in nodes:
            node.used = True
            node.as_what = node.as_what or "condition"
            condition.start = min(condition.start, node.mention.start)
            condition.end = max(condition.end, node.mention.end)
        self.found.append(condition)

    # ---- opening hours

    def _hours(self) -> None:
        column = next((column for column in self.facts.columns if column.hours), None)
        for node in self.nodes:
            if column is None or node.kind != "hours":
                continue
            beside = self.nodes.left(node.place, 2)
            named = [beside] if beside is not None and beside.kind == "column" and beside.columns[0].name == column.name else []
            for (*_, closed, alternative), whens in groupby(
                node.mention.whens, lambda w: (w.start, w.end, w.whole, w.closed, w.alternative)
            ):
                op: Operator = "closed" if closed else "open"
                time = written(list(whens))
                condition = Condition(column, op, [time], node.mention.start, node.mention.end, joined=alternative, place=node.place)
                self._add(condition, node, *(other for other in named if not self._asked_for(other)))

    # ---- comparisons

    def _comparisons(self) -> None:
        for node in self.nodes:
            if not node.does("compare"):
                continue
            for function in node.mention.functions:
                if function.kind == "compare" and function.detail[0] == "between" and self._between(node):
                    break
            else:
                first = self.nodes.tokens[node.mention.start].word
                trailing = any(self.nodes.language.does(form, kind) for form in (first.folded,) for kind in ("or", "and"))
                trailing = trailing and node.mention.end - node.mention.start > 1
                literal = self.nodes.left(node.place, 1) if trailing else self.nodes.right(node.place, 2)
                if literal is not None and literal.kind == "column" and not trailing and not literal.used:
                    literal = self.nodes.right(literal.place, 1)  # "above floor 4"
                if literal is None or literal.used or (literal.number is None and literal.dates is None):
                    continue
                self._compare(node, literal)

    def _between(self, node: Node) -> bool:
        low = self.nodes.right(node.place, 2)
        if low is None or low.used:
            return False
        joining = self.nodes.row[low.place + 1] if low.place + 1 < len(self.nodes.row) else None
        high = self.nodes.right(joining.place, 1) if joining is not None and joining.kind == "function" else None
        if joining is None or high is None or not joining.mention.does("and", "compare"):
            return False
        for side in ("number", "dates"):
            if getattr(low, side) is not None and getattr(high, side) is not None:
                column = self._measured(node, high, side == "dates")
                if column is None:
                    return False
                bounds = self._bounds(column, low, "at_least")[1], self._bounds(column, high, "at_most")[1]
                start, end = node.mention.start, high.mention.end
                self._add(Condition(column, "at_least", [bounds[0]], start, end, "number", place=node.place), node, low, joining, high)
                self._add(Condition(column, "at_most", [bounds[1]], start, end, "number", place=node.place), node)
                return True
        return False

    def _compare(self, node: Node, literal: Node) -> None:
        details = [f.detail for f in node.mention.functions if f.kind == "compare" and f.detail[0] not in ("to", "between")]
        details.sort(key=len, reverse=True)
        if not details:
            return
        for detail in details:  # a comparison that says what it measures comes first
            column = self._measured(node, literal, literal.dates is not None, detail[1:])
            if column is not None:
                break
        if column is None:
            if detail[0] in ("since", "until", "to", "between"):
                return  # "from", "by", "to" are mostly no comparison
            self.trouble += 2.0
            return
        op, value = self._bounds(column, literal, _AFTER_DATES.get(detail[0], detail[0]))
        how: How = "date" if column.temporal else "number"
        self._add(Condition(column, op, [value], node.mention.start, literal.mention.end, how, place=node.place), node, literal)

    def _bounds(self, column: ColumnFacts, literal: Node, op: str) -> tuple[Operator, Value]:
        """The operator and the value in the column's terms; a year or month is its first or last day."""
        if not column.temporal:
            return op, figure(literal.number)  # type: ignore[return-value]
        first, last = literal.dates or (f"{int(literal.number or 0):04d}-01-01", f"{int(literal.number or 0):04d}-12-31")
        value = last if op in ("more", "at_most") else first
        if column.type == "datetime":
            value += "T23:59:59" if op in ("more", "at_most") else "T00:00:00"
        return op, value  # type: ignore[return-value]

    def _measured(self, node: Node, literal: Node, dated: bool, about: tuple[str, ...] = ()) -> ColumnFacts | None:
        """The column that a comparison is about: named beside it, said by the comparison itself, or the only one that fits."""
        fits = [c for c in self.facts.columns if c.temporal or (c.numeric and dated is False)]
        if dated:
            fits = [c for c in self.facts.columns if c.temporal]
        if literal.number is not None and not dated and not (1000 <= literal.number <= 2999):
            fits = [c for c in fits if not c.temporal]
        after = self.nodes.row[literal.place + 1] if literal.place + 1 < len(self.nodes.row) else None
        before = self.nodes.left(node.place, 3)
        between = [other for other in self.nodes.row[node.place + 1 : literal.place] if other.kind == "column"]
        for candidate in (*between, after, before, self.nodes.right(literal.place, 1)):
            if candidate is None or candidate.kind != "column" or candidate.used:
                continue
            if candidate is not before and self.nodes.broken_between(literal.place, candidate.place):
                continue
            for column in candidate.columns:
                if column in fits:
                    if candidate is before and self._asked_for(candidate):
                        break
                    candidate.used, candidate.as_what = True, "condition"
                    return column
        for word in about:
            for column in fits:
                if stem(word) in column.key.split() or stem(word) in [stem(w) for w in column.key.split()]:
                    return column
        if about:
            return None
        named = [
            column
            for other in self.nodes
            if other.kind == "column" and not self._asked_for(other)
            for column in other.columns[:1]
            if column in fits
        ]
        if len({column.name for column in named}) == 1:
            for other in self.nodes:
                if other.kind == "column" and other.columns[0].name == named[0].name:
                    other.used, other.as_what = True, "condition"
            return named[0]
        compared = [condition.column for condition in self.found if condition.column in fits and condition.how in ("number", "date")]
        if compared:
            return compared[-1]
        if dated or (literal.number is not None and 1000 <= literal.number <= 2999):
            years = [c for c in fits if c.temporal] or [c for c in fits if c.numeric and {"year", "season", "date"} & set(c.key.split())]
            return years[0] if len(years) == 1 else None
        numeric = [c for c in fits if c.numeric]
        return numeric[0] if len(numeric) == 1 else None

    def _asked_for(self, node: Node) -> bool:
        """Whether a column stands right behind a question word: what is asked for is no condition."""
        for before in reversed(self.nodes.row[: node.place]):
            if before.kind != "function":
                return False
            if before.mention.does("ask", "which", "count", "who", "where", "when"):
                return True
            if not before.mention.does("stop", "link", "superlative", "different"):
                return False
        return False

    def _ranges(self) -> None:
        """ "size 5-9" and "size 250+", beside a column of numbers."""
        for node in self.nodes:
            if node.number is None or node.used or any(option.column.textual for option in node.options):
                continue
            column = next((c for other in self._beside(node) if not other.used for c in other.columns if c.numeric), None)
            behind = self.nodes.row[node.place + 1] if node.place + 1 < len(self.nodes.row) else None
            after = self.nodes.tokens[node.mention.end - 1].after
            named = next((other for other in self._beside(node) if column in other.columns), None)
            if column is None or named is None:
                continue
            low = Condition(column, "at_least", [figure(node.number)], node.mention.start, node.mention.end, "number", place=node.place)
            if after in ("-", "–", "—") and behind is not None and behind.number is not None and behind.number >= node.number:
                self._add(low, node, named)
                high: list[Value] = [figure(behind.number)]
                self._add(Condition(column, "at_most", high, behind.mention.start, behind.mention.end, "number", place=node.place), behind)
            elif after.startswith("+"):
                self._add(low, node, named)

    # ---- beginnings, endings, parts

    def _beginnings(self) -> None:
        for kind in ("starts_with", "ends_with", "contains"):
            for node in self.nodes:
                if not node.does(kind):
                    continue
                values, used = self._spelled_out(node)
                column_node = self.nodes.left(node.place, 3)
                if not values or column_node is None or column_node.kind != "column":
                    continue
                column = column_node.columns[0]
                column_node.used, column_node.as_what = True, "condition"
                op: Operator = kind
                condition = Condition(column, op, list(values), column_node.mention.start, used[-1].mention.end, "part", place=node.place)
                self._add(condition, node, *used)

    def _spelled_out(self, node: Node) -> tuple[list[str], list[Node]]:
        """The texts after "starting with": words, quotations or codes, joined by commas and "or"."""
        values: list[str] = []
        used: list[Node] = []
        last = self.nodes.row[-1]
        if last.place == node.place + 1 and last.kind in ("function", "noun", "column"):
            return [fold(self._written(last))], [last]  # "starting with An": what else should stand there
        for other in self.nodes.row[node.place + 1 :]:
            part = self.nodes.tokens[other.mention.start : other.mention.end]
            if other.kind == "function" and not part[0].quote and not self._glue(part[-1]):
                if other.mention.does("or", "and") and values:
                    used.append(other)
                    continue
                if not values and other.mention.does("stop", "link"):
                    continue
                break
            if other.kind in ("column", "noun") and not part[0].quote:
                break
            text = self._written(other)
            sticks = bool(used) and bool(self._glue(self.nodes.tokens[used[-1].mention.end - 1]))
            joins = values and used and used[-1].kind != "function" and not self.nodes.broken_between(used[-1].place, other.place)
            if joins or sticks:
                values[-1] += (self._glue(self.nodes.tokens[used[-1].mention.end - 1]) or " ") + text
            else:
                values.append(text)
            used.append(other)
        while used and used[-1].kind == "function" and not self.nodes.tokens[used[-1].mention.start].quote:
            used.pop()
        return [fold(value) for value in values], used

    def _written(self, node: Node) -> str:
        """The words of a node with what stands between them without a blank: "A-01"."""
        tokens = self.nodes.tokens[node.mention.start : node.mention.end]
        return tokens[0].word.text + "".join((self._glue(one) or " ") + other.word.text for one, other in pairwise(tokens))

    def _glue(self, token: Token) -> str:
        """What joins a word to the next one without a blank; empty where a blank stands between."""
        if token.index + 1 == len(self.nodes.tokens):
            return ""
        apart = self.nodes.tokens[token.index + 1].word.start - token.word.end
        return token.after if apart == len(token.after) else ""

    # ---- terms

    def _terms(self) -> None:
        for node in self.nodes:
            if node.used or (node.kind != "value" and node.kind not in ("number", "date")):
                continue
            if node.kind == "value":
                self._term(node)
            else:
                self._literal(node)

    def _beside(self, node: Node) -> list[Node]:
        """Column nodes beside a value, the nearest first: right behind, right before, before over ties, behind over ties."""
        row = self.nodes.row
        close = [
            row[p]
            for p in ((node.place + 1, node.place - 1) if node.number is not None else (node.place - 1, node.place + 1))
            if 0 <= p < len(row)
        ]
        near = [found for found in (self.nodes.left(node.place, 4), self.nodes.right(node.place, 4)) if found is not None]
        seen: dict[int, Node] = {}
        for other in (*close, *near):
            if (
                other.kind == "column"
                and (not other.used or other.as_what == "condition")
                and not self.nodes.broken_between(min(other.place, node.place), max(other.place, node.place))
            ):
                seen.setdefault(other.place, other)
        return list(seen.values())

    def _term(self, node: Node) -> None:
        options = list(node.options)
        chosen: Option | None = None
        qualifier: Node | None = None
        for beside in self._beside(node):
            match = next((o for column in beside.columns for o in options if o.column.name == column.name and o.quality > 0.5), None)
            if match is not None:
                chosen, qualifier = match, beside
                break
        if chosen is None and node.number is not None and self._number_of_column(node):
            return
        if chosen is None and self._belied(node):
            self.trouble += 1.2
        ambiguous = False
        if chosen is None:
            best = max(option.quality for option in options)
            close = [option for option in options if option.quality >= best - 0.12]
            before = self.nodes.row[node.place - 1] if node.place else None
            if before is not None and before.mention.does("place"):  # "in Paris" is nobody's name
                close = [option for option in close if "name" not in option.column.key.split()] or close
            chosen, ambiguous = self._narrowest(close)
            if ambiguous and node.number is not None:
                years = [o for o in close if {"year", "season", "date"} & set(o.column.key.split())] if 1000 <= node.number <= 2999 else []
                if len(years) == 1:
                    chosen, ambiguous = years[0], False
        ordered = [chosen, *(option for option in options if option is not chosen)]
        value: Value = chosen.value if not chosen.column.numeric else figure(node.number)
        condition = Condition(
            chosen.column,
            chosen.op,
            [value],
            node.mention.start,
            node.mention.end,
            chosen.how,
            ordered,
            ambiguous=ambiguous,
            place=node.place,
        )
        if chosen.column.temporal:
            condition.values = [chosen.folded]
        self.trouble += 1.2 if ambiguous and node.number is not None else 0.0
        self._add(condition, node, *([qualifier] if qualifier else []))

    def _belied(self, node: Node) -> bool:
        """Whether a column right before a term, or before "by" or "to", is none that holds it: "assigned to" somebody who only requested."""
        before = self.nodes.row[node.place - 1] if node.place else None
        if before is not None and before.kind == "function" and self._key(before) in ("by", "to") and before.place:
            before = self.nodes.row[before.place - 1]
        return (
            before is not None and before.kind == "column" and not before.used and before.columns[0].textual and not self._asked_for(before)
        )

    def _key(self, node: Node) -> str:
        return " ".join(token.word.folded for token in self.nodes.tokens[node.mention.start : node.mention.end])

    def _narrowest(self, close: list[Option]) -> tuple[Option, bool]:
        """The option that is meant, and whether that is open: the column that determines the others, a whole term before a part, the naming column last."""
        if len(close) == 1:
            return close[0], False
        sure = [option for option in close if option.how in ("exact", "spelling", "number", "date", "part")]
        if sure and len(sure) < len(close):
            return self._narrowest(sure)
        for option in close:
            others = [o for o in close if o is not option and o.column.name != option.column.name and o.how != "part"]
            if others and all(other.column.name in option.column.determines for other in others):
                return option, False
        whole = [option for option in close if option.how != "part"]
        if whole and len(whole) < len(close):
            return self._narrowest(whole)
        same = {option.column.name for option in close}
        if len(same) == 1:
            return close[0], len(close) > 1 and close[0].quality - close[1].quality < {"near": 0.03, "meant": 0.06}.get(close[0].how, 0.0)
        equal = [option for option in close if option.rows == close[0].rows]
        if len(equal) == len(close):  # one word for the same rows, as far as can be told
            plain = [option for option in close if option.column.list_separator is None]
            return (plain or close)[0], False
        categories = [option for option in close if option.column.kind == "category"]
        if categories and len(categories) < len(close):
            return self._narrowest(categories)
        naming = [option for option in close if option.column.name == self.facts.naming]
        if naming and len(naming) < len(close):
            return naming[0], False
        ranked = sorted(close, key=lambda option: -option.rows)
        if ranked[0].rows >= DOMINANT * ranked[1].rows and not ranked[0].column.numeric:
            return ranked[0], False
        keys = [option for option in close if option.column.name in self.facts.keys]
        if keys and len(keys) < len(close):
            return self._narrowest(keys)
        return max(close, key=lambda option: (option.quality, option.rows)), True

    def _number_of_column(self, node: Node) -> bool:
        """A number beside a numeric column that does not hold it: a condition that nothing meets."""
        row = self.nodes.row
        before = row[node.place - 1] if node.place else None
        if before is not None and before.kind == "column" and not before.used and before.columns[0].numeric and not node.options:
            self._add(
                Condition(before.columns[0], "is", [figure(node.number)], node.mention.start, node.mention.end, "number", place=node.place),
                node,
                before,
            )
            return True
        return False

    def _literal(self, node: Node) -> None:
        """A number or date that is no term: of the column beside it, or for a year the one column of dates."""
        beside = [other for other in self._beside(node) if not other.used and not self._asked_for(other)]
        if node.dates is not None:
            columns = [c for other in beside for c in other.columns if c.temporal] or [c for c in self.facts.columns if c.temporal]
            if columns and (beside or len(columns) == 1):
                self._within(columns[0], node, [other for other in beside if columns[0] in other.columns][:1])
                return
            self.trouble += 2.0
            return
        assert node.number is not None
        for other in beside:
            for column in other.columns:
                if column.numeric and abs(other.place - node.place) <= 2:
                    self._add(
                        Condition(column, "is", [figure(node.number)], node.mention.start, node.mention.end, "number", place=node.place),
                        node,
                        other,
                    )
                    return
        if 1000 <= node.number <= 2999 and node.number.is_integer():
            temporal = [c for other in beside for c in other.columns if c.temporal] or [
                c for c in self.facts.columns if c.temporal and c.type != "time"
            ]
            if len(temporal) == 1 or (temporal and beside):
                self._within(temporal[0], node, [other for other in beside if temporal[0] in other.columns][:1])

    def _within(self, column: ColumnFacts, node: Node, qualifiers: list[Node]) -> None:
        low, high = self._bounds(column, node, "at_least")[1], self._bounds(column, node, "at_most")[1]
        if low == high:
            self._add(Condition(column, "is", [low], node.mention.start, node.mention.end, "date", place=node.place), node, *qualifiers)
            return
        self._add(Condition(column, "at_least", [low], node.mention.start, node.mention.end, "date", place=node.place), node, *qualifiers)
        self._add(Condition(column, "at_most", [high], node.mention.start, node.mention.end, "date", place=node.place), node)

    # ---- blanks, negation, or

    def _blanks(self) -> None:
        for node in self.nodes:
            if node.does("negation"):
                target = self.nodes.right(node.place, 2)
                if target is not None and target.kind == "column" and not target.used:
                    following = self.nodes.row[target.place + 1] if target.place + 1 < len(self.nodes.row) else None
                    if following is not None and following.kind == "value" and not self.nodes.broken_between(target.place, following.place):
                        continue
                    filled = next((n for n in self.nodes.row[target.place + 1 : target.place + 4] if n.does("filled", "blank")), None)
                    ties = [filled] if filled is not None else []
                    column = target.columns[0]
                    said_no = column.type == "boolean" and column.distinct > 1 and not ties
                    denied: Operator = "is" if said_no else "blank"
                    if column.numeric and not ties:
                        self._none_of(column, node, target)
                        continue
                    self._add(
                        Condition(column, denied, ["no"] if said_no else [], node.mention.start, target.mention.end, place=target.place),
                        node,
                        target,
                        *ties,
                    )
            elif node.does("blank", "filled"):
                behind = self.nodes.row[node.place + 1] if node.place + 1 < len(self.nodes.row) else None
                close = behind is not None and behind.kind == "column" and not behind.used  # "with blank notes"
                target = behind if close else self.nodes.left(node.place, 3) or self.nodes.right(node.place, 2)
                if target is None or target.kind != "column" or target.used:
                    target = self.nodes.right(node.place, 2)
                if target is not None and target.kind == "column" and not target.used:
                    op: Operator = "blank" if node.mention.does("blank") else "not_blank"
                    self._add(
                        Condition(target.columns[0], op, [], node.mention.start, target.mention.end, place=target.place), node, target
                    )

    def _none_of(self, column: ColumnFacts, node: Node, target: Node) -> None:
        """ "no red cards": none counted, or, where cells are empty, nothing filled in."""
        op: Operator = "blank" if column.empty else "is"
        self._add(
            Condition(column, op, [] if column.empty else [0], node.mention.start, target.mention.end, place=target.place), node, target
        )

    def _owned(self) -> None:
        """ "courses with prerequisites": a column behind "with" or "have" is filled in, a number more than none."""
        for node in self.nodes:
            if node.kind != "column" or node.used or node.columns[0].type == "boolean" or self._asked_for(node):
                continue
            place = node.place - 1
            while place >= 0 and self._key(self.nodes.row[place]) in ("a", "an", "any", "some"):
                place -= 1
            having = self.nodes.row[place] if place >= 0 else None
            before = self.nodes.row[place - 1] if place >= 1 else None
            if having is None or not having.does("having") or (before is not None and before.kind == "function"):
                continue
            behind = self.nodes.right(node.place, 1)
            if behind is not None and behind.kind in ("value", "number", "date"):
                continue
            column = node.columns[0]
            op: Operator = "more" if column.numeric else "not_blank"
            self._add(Condition(column, op, [0] if column.numeric else [], node.mention.start, node.mention.end, place=node.place), node)

    def _marks(self) -> None:
        """ "rooms with a balcony": a column of yes and no, tied to the rows or to another condition, is one."""
        if not self.nodes.row:
            return
        first = self.nodes.row[0]
        if first.kind == "function" and first.mention.does("yes_no") and not first.mention.does("ask"):
            return  # "does X have a balcony"
        for node in self.nodes:
            if node.kind != "column" or node.used or node.columns[0].type != "boolean":
                continue
            behind = self.nodes.row[node.place + 1] if node.place + 1 < len(self.nodes.row) else None
            if self._described(node, behind):
                self._add(Condition(node.columns[0], "is", ["yes"], node.mention.start, node.mention.end, place=node.place), node)
                continue
            if self._asked_for(node):
                continue
            before = self.nodes.left(node.place, 3)
            held = (
                before is None or before.kind == "noun" or (before.kind == "value" and before.options[0].column.name != self.facts.naming)
            )
            between = self.nodes.row[before.place + 1 if before else 0 : node.place]
            ties = [tie for tie in between if tie.mention.does("link") and not tie.mention.does("place", "ask", "stop")]
            owned = any(tie.mention.does_only("stop") and not tie.mention.does("link") for tie in between[1:])  # "with their balcony"
            if held and ties and not owned:
                self._add(Condition(node.columns[0], "is", ["yes"], node.mention.start, node.mention.end, place=node.place), node, ties[-1])

    def _described(self, node: Node, behind: Node | None) -> bool:
        """Whether a column of yes and no describes the rows: "remote staff", "who is on call", "how many are remote"."""
        if behind is not None and (
            behind.kind in ("noun", "value") or (behind.kind == "column" and behind.columns[0].name == self.facts.naming)
        ):
            return True
        before = self.nodes.left(node.place, 3)
        last = behind is None or behind.mention.does("place", "and", "or")
        return last and before is not None and before.does("who", "which", "count")

    def _negations(self) -> None:
        for node in self.nodes:
            if not node.does("negation"):
                continue
            following = [condition for condition in self.found if condition.start >= node.mention.end]
            if not following or not self._reaches(node, following[0]):
                before = [condition for condition in self.found if condition.end <= node.mention.start]
                if before and not following:
                    continue
                self.trouble += 0.8
                continue
            node.used, node.as_what = True, "condition"
            first = following[0]
            first.negative = True
            for one, other in pairwise(following):  # "not in A or B"
                if not self._joined_by(one, other, "or") or one.column.name != other.column.name:
                    break
                other.negative = True
            if not first.deniable:
                self.trouble += 2.0

    def _reaches(self, node: Node, condition: Condition) -> bool:
        """Whether only ties stand between a negation and a condition."""
        between = [n for n in self.nodes if node.mention.end <= n.mention.start and n.mention.end <= condition.start]
        return all(
            self.nodes.tying(n) or n.does("different") or n.kind == "noun" or (n.kind == "unknown" and len(between) <= 2) for n in between
        )

    def _joined_by(self, one: Condition, other: Condition, kind: str) -> bool:
        between = [n for n in self.nodes if one.end <= n.mention.start and n.mention.end <= other.start]
        return any(n.mention.does(kind) for n in between)

    def _alternatives(self) -> None:
        self._halves()
        for one, other in pairwise(self.found):
            between = [n for n in self.nodes if one.end <= n.mention.start and n.mention.end <= other.start]
            only_ties = all(n.kind == "function" for n in between)
            if any(n.mention.does("or") for n in between) and one.negative == other.negative:
                other.joined = True
                for n in between:
                    n.used = n.used or n.mention.does("or")
            elif (
                only_ties
                and not one.negative
                and not other.negative
                and one.column.name == other.column.name
                and one.op == other.op == "is"
            ):
                other.joined = True  # "in A and B": one row is in one place
        joined = False
        for place in range(len(self.found) - 1, 0, -1):  # "A, B or C"
            condition, before = self.found[place], self.found[place - 1]
            joined = condition.joined or (joined and self._comma(before, condition))
            if joined and not condition.joined and before.column.name == condition.column.name:
                condition.joined = True

    def _halves(self) -> None:
        """Two conditions on one column with nothing between: two halves of a name, or of lists ("kidney dialysis") one thing said twice."""
        for one, other in list(pairwise(self.found)):
            touching = one.end == other.start and one.column.name == other.column.name and not self._comma(one, other)
            if not touching or one not in self.found or other not in self.found:
                continue
            if one.column.list_separator is None:
                self.trouble += 1.0 if {one.how, other.how} & {"part", "near"} else 0.0
            elif one.options and other.options and abs(one.options[0].quality - other.options[0].quality) > 0.04:
                self.found.remove(min(one, other, key=lambda condition: condition.options[0].quality))

    def _comma(self, one: Condition, other: Condition) -> bool:
        between = [n for n in self.nodes if one.end <= n.mention.start and n.mention.end <= other.start]
        return not between and "," in self.nodes.tokens[one.end - 1].after


def clauses(conditions: list[Condition]) -> tuple[Clause, ...]:
    """The conditions as the plan's clauses: joined ones in one, same tests of one column with several values."""
    groups: list[list[Condition]] = []
    for condition in conditions:
        if condition.joined and groups and not condition.negative:
            groups[-1].append(condition)
        else:
            groups.append([condition])
    result = []
    for group in groups:
        comparisons: list[Comparison] = []
        for condition in group:
            made = condition.comparison()
            for place, known in enumerate(comparisons):
                if known.column == made.column and known.op == made.op and made.op in ("is", "has", "starts_with", "words"):
                    comparisons[place] = known.model_copy(update={"values": tuple(dict.fromkeys((*known.values, *made.values)))})
                    break
            else:
                comparisons.append(made)
        result.append(Clause(any_of=tuple(comparisons)))
    return tuple(dict.fromkeys(result))
