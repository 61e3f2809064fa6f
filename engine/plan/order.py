"""Orders and limits: "top 5", "the oldest", "most common", "sorted by"."""

from __future__ import annotations

from engine.build.facts import ColumnFacts
from engine.fold import stem
from engine.plan.draft import Draft
from engine.plan.nodes import Node
from engine.types import Measure, Sort


def read_limit(draft: Draft) -> None:
    """ "top 5", "the 3 highest", "which 5 cities have the most": a small number before what is ranked."""
    ranked = any(node.does("superlative", "top", "common", "rare") for node in draft.nodes)
    for node in draft.nodes:
        number = node.number
        if number is None or not number.is_integer() or not 1 <= number <= 1000 or node.used:
            continue
        if draft.nodes.tokens[node.mention.start].word.folded.startswith("0"):
            continue  # a code
        before = draft.nodes.row[node.place - 1] if node.place else None
        after = draft.nodes.row[node.place + 1] if node.place + 1 < len(draft.nodes.row) else None
        if before is not None and before.does("top"):
            before.used = True
            draft.ranked = before.mention.does("superlative")
            set_limit(draft, node, int(number))
        elif (
            ranked
            and after is not None
            and (
                after.does("superlative", "common", "rare")
                or ((before is None or before.does("ask", "which", "stop", "superlative")) and after.kind in ("column", "noun", "unknown"))
            )
        ):
            set_limit(draft, node, int(number))
        if draft.limit is not None:
            return


def set_limit(draft: Draft, node: Node, number: int) -> None:
    node.used, node.as_what = True, "limit"
    draft.limit = number
    draft.said.append((node.mention.start, node.mention.end, "", "limit"))


def read_sorting(draft: Draft) -> None:
    for node in draft.nodes:
        if not node.does("sort", "ascending", "descending"):
            continue
        target = draft.nodes.right(node.place, 3)
        while target is not None and target.does("ascending", "descending"):
            target = draft.nodes.right(target.place, 3)
        if target is None or target.kind != "column" or target.used:
            behind = draft.nodes.left(node.place, 1)
            target = behind if behind is not None and behind.kind == "column" and behind.as_what == "sort" else target
        if target is None or target.kind != "column":
            if node.does("ascending", "descending") and draft.sort:
                draft.sort[-1] = Sort(by=draft.sort[-1].by, descending=node.mention.does("descending"))
                node.used = True
            continue
        if target.as_what != "sort":
            target.used, target.as_what = True, "sort"
            draft.sort.append(Sort(by=target.columns[0].name, descending=node.mention.does("descending")))
        elif node.mention.does("descending"):
            draft.sort[-1] = Sort(by=draft.sort[-1].by, descending=True)
        node.used = True


def read_superlatives(draft: Draft) -> None:
    for node in draft.nodes:
        if node.does("common", "rare"):
            rank_commonest(draft, node)
        elif node.does("superlative"):
            read_superlative(draft, node)


def rank_commonest(draft: Draft, node: Node) -> None:
    target = next(
        (
            other
            for other in (draft.nodes.right(node.place, 2), draft.nodes.left(node.place, 4))
            if other and other.kind == "column" and not other.used
        ),
        None,
    )
    if target is None:
        draft.trouble += 1.0
        return
    node.used = target.used = True
    target.as_what = "group"
    rank_groups(draft, [target.columns[0].name], not node.mention.does("rare"))


def rank_by_count(draft: Draft, node: Node, count: Node) -> None:
    """ "top 2 cities by number of films": the column before is grouped."""
    before = draft.nodes.left(node.place, 2)
    if before is not None and before.kind == "column" and not before.used:
        node.used = count.used = before.used = True
        before.as_what = "group"
        rank_groups(draft, [before.columns[0].name], True)


def rank_groups(draft: Draft, columns: list[str], descending: bool) -> None:
    if any(draft.facts.column(name).distinct >= draft.facts.rows > 3 for name in columns):
        draft.trouble += 1.5  # each value stands in one row: there is nothing to rank
    draft.group += columns
    count = Measure(function="count")
    draft.sort.append(Sort(by=count, descending=descending))
    draft.limit = draft.limit or 1


def read_superlative(draft: Draft, node: Node) -> None:
    orders = [function.detail for function in node.mention.functions if function.kind == "superlative"]
    target = draft.nodes.right(node.place, 2)
    before = draft.nodes.row[node.place - 1] if node.place else None
    if (
        (target is None or target.kind != "column")
        and before is not None
        and before.kind == "column"
        and draft.nodes.language.adjectives_follow
    ):
        target = before  # "precio más alto"
    named = target if target is not None and target.kind == "column" and not target.used else None
    if named is not None:
        if draft.sort and isinstance(draft.sort[-1].by, str):  # "the 5 largest by seats"
            node.used = True
            draft.sort[-1] = Sort(by=draft.sort[-1].by, descending=not any(o[0] in ("min", "fewest") for o in orders))
            return
        measurable = next((column for column in named.columns if column.numeric or column.temporal), None)
        if measurable is not None:
            order = next((o[0] for o in orders if o[0] in ("max", "min")), "max" if orders[0][0] == "most" else "min")
            node.used = named.used = True
            rank_by(draft, named, measurable, order == "max", node)
            return
    if any(order[0] in ("most", "fewest") for order in orders):
        descending = any(order[0] == "most" for order in orders)
        subject = ranked_subject(draft, node)
        figures = [column for column in subject.columns[:1] if column.numeric] if subject is not None else []
        if subject is not None and figures and (target is None or target.kind != "noun"):  # "who earns the most"
            node.used = subject.used = True
            order_rows(draft, figures[0], descending, node)
            return
        if subject is not None and not subject.columns[0].temporal:
            node.used = subject.used = True
            subject.as_what = "group"
            if target is not None and (target.kind == "noun" or (target.kind == "unknown" and not draft.facts.declared)):
                target.used = True  # where nobody can know what a row is called, this may be it
            rank_groups(draft, [subject.columns[0].name], descending)
            return
    for detail in orders:
        if len(detail) > 1 and is_by_attribute(draft, node, detail):
            return
    if is_best_group(draft, node, orders):
        return
    draft.trouble += 1.0


def is_best_group(draft: Draft, node: Node, orders: list[tuple[str, ...]]) -> bool:
    """ "the category with the highest total quantity": the column before is grouped, and ranked by the figure."""
    figure = draft.nodes.right(node.place, 1)
    named = draft.nodes.right(figure.place, 1) if figure is not None and figure.does("sum", "average") else None
    order = next((detail[0] for detail in orders if detail[0] in ("max", "min")), None)
    subject = next((other for other in draft.nodes if other.kind == "column" and not other.used and other.place < node.place), None)
    column = next((c for c in named.columns if c.numeric), None) if named is not None and not named.used else None
    if figure is None or named is None or column is None or order is None or subject is None:
        return False
    measure = Measure(function="sum" if figure.does("sum") else "average", column=column.name)
    for used in (node, figure, named, subject):
        used.used = True
    subject.as_what = "group"
    draft.group.append(subject.columns[0].name)
    draft.measures.append(measure)
    draft.sort.append(Sort(by=measure, descending=order == "max"))
    draft.limit = draft.limit or 1
    draft.said.append((node.mention.start, named.mention.end, column.name, "measure"))
    return True


def is_by_attribute(draft: Draft, node: Node, detail: tuple[str, ...]) -> bool:
    """ "the oldest": the column that the superlative itself names."""
    order = "max"
    for word in detail:
        if word in ("max", "min"):
            order = word
            continue
        for column in draft.facts.columns:
            if (column.numeric or column.temporal) and stem(word) in {stem(w) for w in column.key.split()}:
                node.used = True
                order_rows(draft, column, order == "max", node)
                return True
    dates = [column for column in draft.facts.columns if column.temporal]
    if "date" in detail and len(dates) == 1:
        node.used = True
        order = next(word for word in reversed(detail[: detail.index("date")]) if word in ("max", "min"))
        order_rows(draft, dates[0], order == "max", node)
        return True
    return False


def ranked_subject(draft: Draft, node: Node) -> Node | None:
    """The column whose values are ranked by how many rows they have: named after the question word, before the superlative."""
    for other in draft.nodes:
        if other.kind == "column" and not other.used and other.place < node.place:
            return other
    return next((other for other in draft.nodes if other.kind == "column" and not other.used), None)


def rank_by(draft: Draft, named: Node, column: ColumnFacts, descending: bool, node: Node) -> None:
    """ "the highest X": the figure itself where nothing else is asked for, else the rows with it."""
    others = [other for other in draft.nodes if other.kind == "column" and not other.used and other.place < node.place]
    grouped = bool(draft.group)
    behind = draft.nodes.row[named.place + 1] if named.place + 1 < len(draft.nodes.row) else None
    rows_asked = any(other.kind == "noun" and not other.used and (other.place < node.place or other is behind) for other in draft.nodes)
    who = any(other.does("who", "where", "when", "whose") for other in draft.nodes)
    who = who or any(is_which_one(draft, other) for other in draft.nodes.row[: node.place])
    for other in draft.nodes.row[named.place + 1 :]:  # "the best rated Indian restaurant" is one of them
        if other.kind == "function" and not other.mention.does("stop"):
            break
        rows_asked = rows_asked or other.kind == "noun"
    unknown_subject = any(other.kind == "unknown" and other.place < node.place for other in draft.nodes)
    draft.said.append((node.mention.start, named.mention.end, column.name, "sort"))
    if draft.limit is None and not others and not rows_asked and not who and not unknown_subject and is_leading(draft, node):
        draft.measures.append(Measure(function="max" if descending else "min", column=column.name))
        return
    if grouped and not others:
        draft.measures.append(Measure(function="max" if descending else "min", column=column.name))
        return
    order_rows(draft, column, descending, node, said=False)


def is_which_one(draft: Draft, node: Node) -> bool:
    """ "which one": the rows themselves."""
    return node.kind == "function" and node.mention.does("row") and node.place > 0 and draft.nodes.row[node.place - 1].mention.does("which")


def is_leading(draft: Draft, node: Node) -> bool:
    """Whether only question words stand before."""
    return all(other.kind == "function" for other in draft.nodes.row[: node.place]) or any(
        other.does("ask", "which") for other in draft.nodes.row[max(0, node.place - 3) : node.place]
    )


def order_rows(draft: Draft, column: ColumnFacts, descending: bool, node: Node, said: bool = True) -> None:
    draft.sort.append(Sort(by=column.name, descending=descending))
    draft.limit = draft.limit or 1
    if said:
        draft.said.append((node.mention.start, node.mention.end, column.name, "sort"))
