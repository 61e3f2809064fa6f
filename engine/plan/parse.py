"""Reads one cover of a question as a plan: what is asked for, which rows, which figure, in which order."""

from __future__ import annotations

from dataclasses import dataclass, field

from engine.build.facts import ColumnFacts, TableFacts
from engine.fold import stem
from engine.plan.condition import Condition, clauses
from engine.plan.conditions import read_conditions
from engine.plan.nodes import Node, Nodes
from engine.types import Having, Measure, Sort, TablePlan

_ASKING = ("ask", "which", "who", "where", "when", "count", "how_much", "place_to")
_PERSONS = (
    "name",
    "person",
    "player",
    "who",
    "employee",
    "member",
    "contact",
    "manager",
    "staff",
    "owner",
    "driver",
    "winner",
    "champion",
    "writer",
    "director",
)
_BOUNDS = ("more", "less", "at_least", "at_most")
_PLACES = ("location", "place", "venue", "address", "city", "town", "where", "site", "stadium", "country")


@dataclass(slots=True)
class Parsed:
    """A plan with what made it; trouble speaks against the reading, left are words (token indexes) that it does not use."""

    plan: TablePlan
    conditions: list[Condition]
    trouble: float
    left: list[int] = field(default_factory=list)
    said: list[tuple[int, int, str, str]] = field(default_factory=list)  # (start, end, column, what): for the receipt
    inspected: bool = False
    asked: bool = False  # a question word is followed by the column that it asks for


class Parser:
    """Reads a row of nodes as a plan over one table."""

    def __init__(self, nodes: Nodes, facts: TableFacts) -> None:
        self.nodes = nodes
        self.facts = facts
        self.trouble = 0.0
        self.asked: list[Node] = []
        self.select: list[str] = []
        self.group: list[str] = []
        self.measures: list[Measure] = []
        self.having: list[Having] = []
        self.sort: list[Sort] = []
        self.limit: int | None = None
        self.ranked = False  # "top 3" wants an order, "first 3" takes what comes
        self.distinct = False
        self.said: list[tuple[int, int, str, str]] = []

    def parse(self) -> Parsed:
        """The plan."""
        self._limits()
        self.counting = any(node.does("count") for node in self.nodes)
        conditions, trouble = read_conditions(self.nodes, self.facts)
        self.trouble += trouble
        self._having(conditions)
        self._sorting()
        self._grouping()
        self._superlatives()
        self._aggregates()
        self._slots()
        inspected = self._inspect(conditions)
        self._count(conditions)
        self._kinds_of_question(conditions)
        self._stray(conditions)
        plan = TablePlan(
            table=self.facts.name,
            where=clauses(conditions),
            group_by=tuple(dict.fromkeys(self.group)),
            measures=tuple(dict.fromkeys(self.measures)),
            having=tuple(self.having),
            sort=tuple(self.sort),
            limit=self.limit,
            select=tuple(dict.fromkeys(self.select)),
            distinct=self.distinct,
        )
        left = [node.mention.start for node in self.nodes if node.kind == "unknown" and not node.used]
        return Parsed(plan, conditions, self.trouble, left, self.said, inspected, self._answered())

    def _answered(self) -> bool:
        for node in self.asked:
            before = self.nodes.row[node.place - 1] if node.place else None
            while (
                before is not None
                and before.place
                and before.kind == "function"
                and before.mention.does_only("stop", "link", "yes_no", "place", "compare")
            ):
                before = self.nodes.row[before.place - 1]
            if before is not None and before.kind == "function" and before.mention.does("ask", "which", "who", "when", "where"):
                return True
        return False

    # ---- how many rows are wanted

    def _limits(self) -> None:
        """ "top 5", "the 3 highest", "which 5 cities have the most": a small number before what is ranked."""
        ranked = any(node.does("superlative", "top", "common", "rare") for node in self.nodes)
        for node in self.nodes:
            number = node.number
            if number is None or not number.is_integer() or not 1 <= number <= 1000 or node.used:
                continue
            if self.nodes.tokens[node.mention.start].word.folded.startswith("0"):
                continue  # a code
            before = self.nodes.row[node.place - 1] if node.place else None
            after = self.nodes.row[node.place + 1] if node.place + 1 < len(self.nodes.row) else None
            if before is not None and before.does("top"):
                before.used = True
                self.ranked = before.mention.does("superlative")
                self._limit(node, int(number))
            elif (
                ranked
                and after is not None
                and (
                    after.does("superlative", "common", "rare")
                    or (
                        (before is None or before.does("ask", "which", "stop", "superlative"))
                        and after.kind in ("column", "noun", "unknown")
                    )
                )
            ):
                self._limit(node, int(number))
            if self.limit is not None:
                return

    def _limit(self, node: Node, number: int) -> None:
        node.used, node.as_what = True, "limit"
        self.limit = number
        self.said.append((node.mention.start, node.mention.end, "", "limit"))

    # ---- groups and orders

    def _having(self, conditions: list[Condition]) -> None:
        """ "with at least two paragraphs": a comparison of a number with rows that no column takes."""
        for node in self.nodes:
            if not node.does("compare") or node.used:
                continue
            (literal,) = [self.nodes.right(node.place, 1)]
            if literal is None or literal.used or literal.number is None:
                continue
            counted = self.nodes.right(literal.place, 1)
            if counted is not None and counted.kind in ("noun",) and node.detail("compare")[0] in ("more", "less", "at_least", "at_most"):
                self.having.append(Having(measure=Measure(function="count"), op=node.detail("compare")[0], value=literal.number))  # type: ignore[arg-type]
                for used in (node, literal, counted):
                    used.used, used.as_what = True, "having"
                self.trouble = max(0.0, self.trouble - 2.0)

    def _sorting(self) -> None:
        for node in self.nodes:
            if not node.does("sort", "ascending", "descending"):
                continue
            target = self.nodes.right(node.place, 3)
            while target is not None and target.does("ascending", "descending"):
                target = self.nodes.right(target.place, 3)
            if target is None or target.kind != "column" or target.used:
                behind = self.nodes.left(node.place, 1)
                target = behind if behind is not None and behind.kind == "column" and behind.as_what == "sort" else target
            if target is None or target.kind != "column":
                if node.does("ascending", "descending") and self.sort:
                    self.sort[-1] = Sort(by=self.sort[-1].by, descending=node.mention.does("descending"))
                    node.used = True
                continue
            if target.as_what != "sort":
                target.used, target.as_what = True, "sort"
                self.sort.append(Sort(by=target.columns[0].name, descending=node.mention.does("descending")))
            elif node.mention.does("descending"):
                self.sort[-1] = Sort(by=self.sort[-1].by, descending=True)
            node.used = True

    def _grouping(self) -> None:
        for node in self.nodes:
            if not node.does("each"):
                continue
            target = self.nodes.right(node.place, 2)
            if target is None or target.kind != "column" or target.used:
                if self.limit is not None and target is not None and target.does("count"):
                    self._by_count(node, target)
                continue
            if not self._figured() and not (node.mention.does_only("each") and self._rows_before(node)):
                continue  # "each" or "by" without a figure is no grouping; "films per country" are counted
            column = target.columns[0]
            target.used = node.used = True
            if self.limit is not None and (column.numeric or column.temporal) and not node.mention.does_only("each"):
                target.as_what = "sort"  # "top 3 films by gross"
                self._order_rows(column, True, node)
                continue
            target.as_what = "group"
            self.group.append(column.name)
            self.said.append((node.mention.start, target.mention.end, column.name, "column"))
            for other in self._coordinated(target):  # "per team and office"
                other.used, other.as_what = True, "group"
                self.group.append(other.columns[0].name)

    def _rows_before(self, node: Node) -> bool:
        before = self.nodes.left(node.place, 2)
        return before is not None and before.kind == "noun"

    def _figured(self) -> bool:
        return any(
            node.mention.does("count", "average", "sum", "minimum", "maximum", "superlative")
            for node in self.nodes
            if node.kind == "function"
        )

    # ---- most, highest, latest

    def _superlatives(self) -> None:
        for node in self.nodes:
            if node.does("common", "rare"):
                self._most_common(node)
            elif node.does("superlative"):
                self._superlative(node)

    def _most_common(self, node: Node) -> None:
        target = next(
            (
                other
                for other in (self.nodes.right(node.place, 2), self.nodes.left(node.place, 4))
                if other and other.kind == "column" and not other.used
            ),
            None,
        )
        if target is None:
            self.trouble += 1.0
            return
        node.used = target.used = True
        target.as_what = "group"
        self._rank_groups([target.columns[0].name], not node.mention.does("rare"))

    def _by_count(self, node: Node, count: Node) -> None:
        """ "top 2 cities by number of films": the column before is grouped."""
        before = self.nodes.left(node.place, 2)
        if before is not None and before.kind == "column" and not before.used:
            node.used = count.used = before.used = True
            before.as_what = "group"
            self._rank_groups([before.columns[0].name], True)

    def _rank_groups(self, columns: list[str], descending: bool) -> None:
        if any(self.facts.column(name).distinct >= self.facts.rows > 3 for name in columns):
            self.trouble += 1.5  # each value stands in one row: there is nothing to rank
        self.group += columns
        count = Measure(function="count")
        self.sort.append(Sort(by=count, descending=descending))
        self.limit = self.limit or 1

    def _superlative(self, node: Node) -> None:
        orders = [function.detail for function in node.mention.functions if function.kind == "superlative"]
        target = self.nodes.right(node.place, 2)
        before = self.nodes.row[node.place - 1] if node.place else None
        if (
            (target is None or target.kind != "column")
            and before is not None
            and before.kind == "column"
            and self.nodes.language.adjectives_follow
        ):
            target = before  # "precio más alto"
        named = target if target is not None and target.kind == "column" and not target.used else None
        if named is not None:
            if self.sort and isinstance(self.sort[-1].by, str):  # "the 5 largest by seats"
                node.used = True
                self.sort[-1] = Sort(by=self.sort[-1].by, descending=not any(o[0] in ("min", "fewest") for o in orders))
                return
            measurable = next((column for column in named.columns if column.numeric or column.temporal), None)
            if measurable is not None:
                order = next((o[0] for o in orders if o[0] in ("max", "min")), "max" if orders[0][0] == "most" else "min")
                node.used = named.used = True
                self._rank(named, measurable, order == "max", node)
                return
        if any(order[0] in ("most", "fewest") for order in orders):
            descending = any(order[0] == "most" for order in orders)
            subject = self._subject(node)
            figures = [column for column in subject.columns[:1] if column.numeric] if subject is not None else []
            if subject is not None and figures and (target is None or target.kind != "noun"):  # "who earns the most"
                node.used = subject.used = True
                self._order_rows(figures[0], descending, node)
                return
            if subject is not None and not subject.columns[0].temporal:
                node.used = subject.used = True
                subject.as_what = "group"
                if target is not None and (target.kind == "noun" or (target.kind == "unknown" and not self.facts.declared)):
                    target.used = True  # where nobody can know what a row is called, this may be it
                self._rank_groups([subject.columns[0].name], descending)
                return
        for detail in orders:
            if len(detail) > 1 and self._by_attribute(node, detail):
                return
        if self._best_group(node, orders):
            return
        self.trouble += 1.0

    def _best_group(self, node: Node, orders: list[tuple[str, ...]]) -> bool:
        """ "the category with the highest total quantity": the column before is grouped, and ranked by the figure."""
        figure = self.nodes.right(node.place, 1)
        named = self.nodes.right(figure.place, 1) if figure is not None and figure.does("sum", "average") else None
        order = next((detail[0] for detail in orders if detail[0] in ("max", "min")), None)
        subject = next((other for other in self.nodes if other.kind == "column" and not other.used and other.place < node.place), None)
        column = next((c for c in named.columns if c.numeric), None) if named is not None and not named.used else None
        if figure is None or named is None or column is None or order is None or subject is None:
            return False
        measure = Measure(function="sum" if figure.does("sum") else "average", column=column.name)
        for used in (node, figure, named, subject):
            used.used = True
        subject.as_what = "group"
        self.group.append(subject.columns[0].name)
        self.measures.append(measure)
        self.sort.append(Sort(by=measure, descending=order == "max"))
        self.limit = self.limit or 1
        self.said.append((node.mention.start, named.mention.end, column.name, "measure"))
        return True

    def _by_attribute(self, node: Node, detail: tuple[str, ...]) -> bool:
        """ "the oldest": the column that the superlative itself names."""
        order = "max"
        for word in detail:
            if word in ("max", "min"):
                order = word
                continue
            for column in self.facts.columns:
                if (column.numeric or column.temporal) and stem(word) in {stem(w) for w in column.key.split()}:
                    node.used = True
                    self._order_rows(column, order == "max", node)
                    return True
        dates = [column for column in self.facts.columns if column.temporal]
        if "date" in detail and len(dates) == 1:
            node.used = True
            order = next(word for word in reversed(detail[: detail.index("date")]) if word in ("max", "min"))
            self._order_rows(dates[0], order == "max", node)
            return True
        return False

    def _subject(self, node: Node) -> Node | None:
        """The column whose values are ranked by how many rows they have: named after the question word, before the superlative."""
        for other in self.nodes:
            if other.kind == "column" and not other.used and other.place < node.place:
                return other
        return next((other for other in self.nodes if other.kind == "column" and not other.used), None)

    def _rank(self, named: Node, column: ColumnFacts, descending: bool, node: Node) -> None:
        """ "the highest X": the figure itself where nothing else is asked for, else the rows with it."""
        others = [other for other in self.nodes if other.kind == "column" and not other.used and other.place < node.place]
        grouped = bool(self.group)
        behind = self.nodes.row[named.place + 1] if named.place + 1 < len(self.nodes.row) else None
        rows_asked = any(other.kind == "noun" and not other.used and (other.place < node.place or other is behind) for other in self.nodes)
        who = any(other.does("who", "where", "when", "whose") for other in self.nodes)
        who = who or any(self._is_one(other) for other in self.nodes.row[: node.place])
        for other in self.nodes.row[named.place + 1 :]:  # "the best rated Indian restaurant" is one of them
            if other.kind == "function" and not other.mention.does("stop"):
                break
            rows_asked = rows_asked or other.kind == "noun"
        unknown_subject = any(other.kind == "unknown" and other.place < node.place for other in self.nodes)
        self.said.append((node.mention.start, named.mention.end, column.name, "sort"))
        if self.limit is None and not others and not rows_asked and not who and not unknown_subject and self._leads(node):
            self.measures.append(Measure(function="max" if descending else "min", column=column.name))
            return
        if grouped and not others:
            self.measures.append(Measure(function="max" if descending else "min", column=column.name))
            return
        self._order_rows(column, descending, node, said=False)

    def _is_one(self, node: Node) -> bool:
        """ "which one": the rows themselves."""
        return (
            node.kind == "function" and node.mention.does("row") and node.place > 0 and self.nodes.row[node.place - 1].mention.does("which")
        )

    def _leads(self, node: Node) -> bool:
        """Whether only question words stand before."""
        return all(other.kind == "function" for other in self.nodes.row[: node.place]) or any(
            other.does("ask", "which") for other in self.nodes.row[max(0, node.place - 3) : node.place]
        )

    def _order_rows(self, column: ColumnFacts, descending: bool, node: Node, said: bool = True) -> None:
        self.sort.append(Sort(by=column.name, descending=descending))
        self.limit = self.limit or 1
        if said:
            self.said.append((node.mention.start, node.mention.end, column.name, "sort"))

    # ---- averages and sums

    def _aggregates(self) -> None:
        for node in self.nodes:
            kind = next((k for k in ("average", "sum", "minimum", "maximum") if node.does(k)), None)
            if kind is None:
                continue
            target, column = self._averaged(node, kind)
            if target is None or column is None:
                continue
            node.used = target.used = True
            target.as_what = "measure"
            function = {"average": "average", "sum": "sum", "minimum": "min", "maximum": "max"}[kind]
            self.measures.append(Measure(function=function, column=column.name))  # type: ignore[arg-type]
            self.said.append((node.mention.start, target.mention.end, column.name, "measure"))
            for other in self._coordinated(target):  # "average price and quantity"
                if other.columns[0].numeric:
                    other.used, other.as_what = True, "measure"
                    self.measures.append(Measure(function=function, column=other.columns[0].name))  # type: ignore[arg-type]

    def _coordinated(self, node: Node) -> list[Node]:
        """The columns that follow one by "and"."""
        found = []
        place = node.place
        while place + 2 < len(self.nodes.row):
            joining, other = self.nodes.row[place + 1 : place + 3]
            if not (joining.kind == "function" and joining.mention.does("and") and other.kind == "column" and not other.used):
                break
            found.append(other)
            place = other.place
        return found

    def _averaged(self, node: Node, kind: str) -> tuple[Node | None, ColumnFacts | None]:
        """The column that an average or sum is of: behind it, or, as adjectives stand in some languages, right before it."""
        before = self.nodes.row[node.place - 1] if node.place else None
        for target in (self.nodes.right(node.place, 3), before):
            if target is not None and target.kind == "column" and not target.used:
                column = next((c for c in target.columns if c.numeric or (c.temporal and kind in ("minimum", "maximum"))), None)
                if column is not None:
                    return target, column
        return None, None

    # ---- what is asked for

    def _slots(self) -> None:
        """Columns behind a question word, up to what ties them to their conditions; at the very start no question word is needed."""
        asking, filled = True, False
        for node in self.nodes:
            if node.kind == "function" and not node.used and node.mention.does(*_ASKING):
                asking, filled = True, False
                continue
            if not asking:
                continue
            if node.kind == "column" and not node.used:
                self._ask(node)
                filled = True
            elif node.kind == "function" and node.mention.does("different"):
                self.distinct = True
                node.used = True
            elif node.kind == "function" and (filled or self._after_noun(node)) and node.mention.does("yes_no"):
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

    def _after_noun(self, node: Node) -> bool:
        """ "which tickets are closed": what follows is said of the rows."""
        return node.place > 0 and self.nodes.row[node.place - 1].kind == "noun"

    def _ask(self, node: Node) -> None:
        node.used, node.as_what = True, "asked"
        self.asked.append(node)
        self.select.append(node.columns[0].name)
        self.said.append((node.mention.start, node.mention.end, node.columns[0].name, "column"))

    def _is_naming(self, node: Node) -> bool:
        return node.columns[0].name == self.facts.naming

    def _inspect(self, conditions: list[Condition]) -> bool:
        """ "Does X allow Y": the column of Y is shown, and not filtered on."""
        first = self.nodes.row[0] if self.nodes.row else None
        if first is None or not first.mention.does("yes_no") or first.kind != "function" or self.counting or self.measures:
            return False
        if (
            len(self.nodes.row) > 1
            and self.nodes.row[0].mention.does("link")
            and self.nodes.tokens[0].word.folded in ("is", "are", "was", "were")
        ):
            second = self.nodes.tokens[1].word.folded if len(self.nodes.tokens) > 1 else ""
            if second == "there":
                return False
        subject = next((c for c in conditions if c.column.name == self.facts.naming or c.column.kind == "code"), None)
        if subject is None:
            return False
        looked_at = [c for c in conditions if c is not subject and c.start > subject.start and not self._placed(c)]
        for condition in looked_at:
            conditions.remove(condition)
            self.select.append(condition.column.name)
            self.said.append((condition.start, condition.end, condition.column.name, "column"))
        return bool(looked_at)

    def _placed(self, condition: Condition) -> bool:
        before = self.nodes.row[condition.place - 1] if condition.place else None
        return before is not None and before.kind == "function" and before.mention.does("place")

    def _count(self, conditions: list[Condition]) -> None:
        node = next((n for n in self.nodes if n.does("count")), None)
        if node is None:
            return
        if node.place and self.nodes.row[node.place - 1].kind == "column":
            self.trouble += 1.0  # "phone number of" counts nothing
        node.used = True
        said = self.nodes.tokens[node.mention.start : node.mention.end]
        several = self.distinct or any(self.nodes.language.does(token.word.folded, "different") for token in said)
        behind = [a for a in self.asked if a.place > node.place and all(n.kind != "value" for n in self.nodes.between(node.place, a.place))]
        counted = (
            behind[0]
            if behind
            and all(
                self.nodes.tying(n) or n.kind == "noun" or n.mention.does("different") or n.as_what == "asked"
                for n in self.nodes.between(node.place, behind[0].place)
            )
            else None
        )
        if counted is None:
            self.measures.append(Measure(function="count"))
            if self.asked and not self.group:  # "list each language and the number of channels"
                self.group = [asked.columns[0].name for asked in self.asked]
            self.select = []
            return
        column = counted.columns[0]
        if column.numeric and not several and not self.group and not self._id_like(column):
            summed = next((n for n in self.nodes if n.does("sum")), None)
            if summed is not None or any(condition.joined for condition in conditions):
                self._sum(column, summed)
            return  # "how many points": the figure stands in the column
        self.select = [name for name in self.select if name != column.name]
        whole = (column.name == self.facts.naming and not several) or self.group
        further = [a for a in self.asked if a is not counted and a.place > counted.place] if several else []
        self.measures.append(Measure(function="count") if whole else Measure(function="count_distinct", column=column.name))
        for other in further:
            self.measures.append(Measure(function="count_distinct", column=other.columns[0].name))
            self.select = [name for name in self.select if name != other.columns[0].name]
        if self.select and not self.group:
            self.group, self.select = list(self.select), []
        self.distinct = False

    def _sum(self, column: ColumnFacts, summed: Node | None) -> None:
        """ "how many points have A and B together"."""
        if summed is not None:
            summed.used = True
        self.select = [name for name in self.select if name != column.name]
        self.measures.append(Measure(function="sum", column=column.name))

    def _id_like(self, column: ColumnFacts) -> bool:
        return column.distinct == self.facts.rows and bool({"id", "code", "nr", "no"} & set(column.key.split()))

    def _kinds_of_question(self, conditions: list[Condition]) -> None:
        """Who, where, when, how long: a column of that kind where none was named."""
        if self.group and not self.measures and not self.having and (not self.sort or any(node.does("counts") for node in self.nodes)):
            self.measures.append(Measure(function="count"))
        if self.having and not self.group:
            self.group, self.select = (self.select or [self.facts.naming]), []
        if self.group:
            self.select = []
            self.distinct = False
        if self.select or self.measures or self.group:
            return
        self._by_question_word(conditions)
        if not self.select:
            for node in self.nodes:  # "Brazil's population and life expectancy"
                if node.kind == "column" and not node.used and not self._is_naming(node):
                    self._ask(node)

    def _by_question_word(self, conditions: list[Condition]) -> None:
        for kind, words in (("who", _PERSONS), ("whose", _PERSONS), ("where", _PLACES), ("when", ())):
            if not any(node.does(kind) for node in self.nodes):
                continue
            taken = {condition.column.name for condition in conditions}
            mentioned = [
                n
                for n in self.nodes
                if n.kind == "column" and not n.used and not self._is_naming(n) and (kind != "when" or self._dated(n.columns[0]))
            ]
            if mentioned and kind != "whose":
                self._ask(mentioned[0])
                return
            if kind == "when":
                found = [c for c in self.facts.columns if self._dated(c) and c.name not in taken]
                found.sort(key=lambda column: not column.temporal)
            else:
                found = [
                    c
                    for word in words
                    for c in self.facts.columns
                    if word in {stem(w) for w in c.key.split()} | set(c.key.split()) and c.name not in taken
                ]
                if kind == "where" and self.facts.declared:
                    found = []
            if found and kind != "whose":
                self.select.append(found[0].name)
            elif kind == "when":
                self.trouble += 2.0

    def _unheard(self, node: Node) -> bool:
        """Whether a word that should order, compare or average did nothing."""
        if node.mention.does("superlative", "common", "rare", "starts_with", "ends_with"):
            return True
        if node.mention.does("compare"):
            behind = self.nodes.right(node.place, 1)
            figure = (
                behind is not None
                and behind.number is not None
                and any(f.detail[0] in _BOUNDS for f in node.mention.functions if f.kind == "compare")
            )
            return figure or not node.mention.does("link", "stop", "place", "and")
        if node.mention.does_only("top"):
            return True
        if node.mention.does_only("sum"):
            return not self.measures
        return node.mention.does("average") and all(m.function in ("count", "count_distinct") for m in self.measures)

    def _dated(self, column: ColumnFacts) -> bool:
        return column.temporal or bool({"date", "year", "season", "time"} & set(column.key.split()))

    def _stray(self, conditions: list[Condition]) -> None:
        """Columns that are only mentioned speak a little against the reading; function words that found nothing to do, more."""
        if self.limit is not None and not self.sort and len(self.asked) == 1 and self.asked[0].columns[0].numeric:
            self.sort.append(Sort(by=self.asked[0].columns[0].name, descending=True))  # "top 5 salaries"
        if self.ranked and not self.sort:
            self.trouble += 1.0
        if self.group and any(isinstance(sort.by, str) and sort.by not in self.group for sort in self.sort):
            self.trouble += 1.5  # the cheapest of each: more than one plan
        if len(self.select) == 1 and not (conditions or self.sort or self.limit) and self.facts.column(self.select[0]).kind == "category":
            self.distinct = self.facts.column(self.select[0]).list_separator is None  # "list of departments"
        for node in self.nodes:
            if node.used:
                continue
            if node.kind == "column":
                self.trouble += 0.05 if self._is_naming(node) else 0.3
            elif node.kind == "number":
                self.trouble += 1.5
            elif node.kind == "date":
                self.trouble += 2.0
            elif node.kind == "function" and node.mention.does("negation") and not node.mention.does("link", "stop"):
                self.trouble += 1.5
            elif node.kind == "function" and self._unheard(node):
                self.trouble += 1.0
            elif node.kind == "function" and node.mention.does("how_much") and not (self.select or self.measures):
                self.trouble += 1.5
