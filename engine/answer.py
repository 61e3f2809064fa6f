"""Puts into words what came of a plan: headline, receipt, why nothing was found."""

from __future__ import annotations

from engine.execute import count_rows, execute
from engine.fold import key
from engine.language import Language
from engine.letters import likeness
from engine.plan.condition import Condition
from engine.plan.decide import Decision
from engine.settings import printable
from engine.table import OpenTable
from engine.types import (
    Answer,
    Binding,
    Candidate,
    ClarifyPlan,
    Clause,
    Confidence,
    Measure,
    NoAnswerPlan,
    Question,
    ResultTable,
    Sort,
    SqlPlan,
    TablePlan,
    Value,
)

_MOST_WORDS = 8  # of those without a place, in a message

MOST_NEAR = 300  # terms that are looked through for the nearest


def answer(question: Question, decision: Decision, result: ResultTable, sql: str, language: Language) -> Answer:
    """The answer of a plan that ran."""
    plan, table = decision.plan, decision.table
    assert isinstance(plan, (TablePlan, SqlPlan)) and table is not None
    return Answer(
        kind="answer",
        question=question.text,
        headline=headline(plan, result, table, language),
        language=language.code,
        result=result,
        bindings=bindings(question.text, decision),
        unused=decision.unused,
        plan=plan,
        sql=sql,
        freshness=table.freshness,
        confidence=Confidence(value=decision.confidence, reasons=decision.reasons),
        explanation=explain_empty(plan, table, decision, language) if isinstance(plan, TablePlan) and _empty(plan, result) else "",
    )


def _empty(plan: TablePlan, result: ResultTable) -> bool:
    figure = bool(plan.measures) and not plan.group_by
    return not result.total or (figure and result.rows[0][0] in (0, None) and bool(plan.where))


def clarify(question: Question, decision: Decision, language: Language) -> Answer:
    """The question back, with its readings."""
    plan = decision.plan
    assert isinstance(plan, ClarifyPlan)
    text = language.sentences["which_meaning"].format(phrase=plan.phrase)
    return _unanswered("clarify", question, decision, language, text)


def no_answer(question: Question, decision: Decision, language: Language) -> Answer:
    """Why there is no answer."""
    plan = decision.plan
    reason = plan.reason if isinstance(plan, NoAnswerPlan) else "not_in_table"
    said = list(dict.fromkeys(plan.words)) if isinstance(plan, NoAnswerPlan) else []
    words = ", ".join(f"“{printable(word, 40)}”" for word in said[:_MOST_WORDS]) + (" …" if len(said) > _MOST_WORDS else "")
    facts = decision.table.facts if decision.table else None
    example = (facts.nouns[-1] if facts.nouns else facts.naming) if facts else ""
    text = language.sentences[reason].format(words=words or "…", example=example)
    return _unanswered("no_answer", question, decision, language, text)


def failed(question: Question, decision: Decision, language: Language) -> Answer:
    """That no plan could be made, and how often it was tried."""
    text = language.sentences["plan_failed"]
    made = _unanswered("failure", question, decision, language, text)
    return made.model_copy(update={"confidence": Confidence(value=0.0, reasons=decision.reasons)})


def _unanswered(kind: str, question: Question, decision: Decision, language: Language, text: str) -> Answer:
    return Answer(
        kind=kind,  # type: ignore[arg-type]
        question=question.text,
        headline=text,
        language=language.code,
        bindings=bindings(question.text, decision),
        unused=decision.unused,
        plan=decision.plan,
        freshness=decision.table.freshness if decision.table else None,
        message=text,
    )


def headline(plan: TablePlan | SqlPlan, result: ResultTable, table: OpenTable, language: Language) -> str:
    """What was asked and how much came of it, in one line."""
    if isinstance(plan, SqlPlan):
        return _headline_of_select(result, table, language)
    what = ", ".join(
        _said(comparison.op, comparison.column, comparison.values) for clause in plan.where for comparison in clause.any_of[:4]
    )
    what = what or (table.facts.nouns[-1] if table.facts.nouns else table.name)
    sentences = language.sentences
    if plan.measures and not plan.group_by and len(plan.measures) == 1:
        return sentences["figure"].format(what=what, figure=_figure(result.rows[0][0]))
    if plan.group_by:
        return sentences["groups"].format(what=", ".join(plan.group_by) + (f" ({what})" if plan.where else ""), total=f"{result.total:,}")
    if not result.total:
        return sentences["nothing"].format(what=what)
    return sentences["row" if result.total == 1 else "rows"].format(what=what, total=f"{result.total:,}")


def _headline_of_select(result: ResultTable, table: OpenTable, language: Language) -> str:
    what = ", ".join(column.name for column in result.columns[:4])
    if result.total == 1 and len(result.columns) == 1:
        return language.sentences["figure"].format(what=what, figure=_figure(result.rows[0][0]))
    if not result.total:
        return language.sentences["nothing"].format(what=what or table.name)
    return language.sentences["row" if result.total == 1 else "rows"].format(what=what, total=f"{result.total:,}")


def _figure(value: Value) -> str:
    if isinstance(value, float):
        return f"{value:,.4g}" if abs(value) < 1000 else f"{value:,.2f}"
    return f"{value:,}" if isinstance(value, int) else str(value) if value is not None else "-"


_SIGN = {
    "is_not": "≠ ",
    "has_none": "≠ ",
    "less": "< ",
    "at_most": "≤ ",
    "more": "> ",
    "at_least": "≥ ",
    "starts_with": "",
    "not_contains": "≠ ",
}


def _said(op: str, column: str, values: tuple[Value, ...]) -> str:
    if op in ("blank", "not_blank"):
        return f"{column} {'= ∅' if op == 'blank' else '≠ ∅'}"
    text = " / ".join(_figure(value) if isinstance(value, float) else str(value) for value in values[:6])
    if values in (("yes",), ("no",)):
        return f"{column} = {text}"
    sign = _SIGN.get(op, "")
    return f"{column} {sign}{text}" if sign else f"{text}…" if op == "starts_with" else text


def bindings(text: str, decision: Decision) -> tuple[Binding, ...]:
    """The receipt: which words became which condition, with the other candidates."""
    reading = decision.reading
    if decision.receipt is not None or reading is None:
        return decision.receipt or ()

    def phrase(start: int, end: int) -> str:
        return text[reading.tokens[start].word.start : reading.tokens[end - 1].word.end]

    lines = [
        (condition.start, _binding(phrase(condition.start, condition.end), condition))
        for condition in decision.conditions or reading.parsed.conditions
    ]
    for start, end, column, what in reading.parsed.said:
        lines.append((start, Binding(phrase=phrase(start, end), column=column, op=what)))  # type: ignore[arg-type]
    return tuple(line for _, line in sorted(lines, key=lambda line: line[0]))


def _binding(phrase: str, condition: Condition) -> Binding:
    made = condition.comparison()
    others = tuple(Candidate(column=option.column.name, term=str(option.value), rows=option.rows) for option in condition.options[1:6])
    return Binding(phrase=phrase, column=made.column, op=made.op, terms=made.values, how=condition.how, candidates=others)


def explain_empty(plan: TablePlan, table: OpenTable, decision: Decision, language: Language) -> str:
    """Which condition emptied the result, and how many rows there are without it."""
    if not plan.where:
        return ""
    sentences = language.sentences
    for clause in plan.where:
        alone = plan.model_copy(update={"where": (clause,)})
        if not count_rows(alone, table):
            return sentences["no_such_rows"].format(condition=_clause(clause))
    counts = [
        (count_rows(plan.model_copy(update={"where": tuple(c for c in plan.where if c is not clause)}), table), clause)
        for clause in plan.where
    ]
    most, emptying = max(counts, key=lambda counted: counted[0])
    if not most:
        return ""
    near = near_terms_with_rows(plan, emptying, table)
    rows = sentences["row" if most == 1 else "rows"].format(what="", total=f"{most:,}").strip(": ")
    without = sentences["without"].format(phrase=_clause(emptying), rows=rows)
    nearest = f" {sentences['near'].format(terms=', '.join(near))}" if near else ""
    return f"{sentences['empties'].format(condition=_clause(emptying))} {without}{nearest}"


def near_terms_with_rows(plan: TablePlan, clause: Clause, table: OpenTable, limit: int = 3) -> list[str]:
    """The terms of a condition's column that go with the rest of the plan, those spelled most alike first and then the commonest."""
    comparison = clause.any_of[0]
    column = table.facts.column(comparison.column)
    if len(clause.any_of) > 1 or comparison.op not in ("is", "has", "starts_with", "words") or not column.textual:
        return []
    count = Measure(function="count")
    rest = TablePlan(
        table=plan.table,
        where=tuple(one for one in plan.where if one is not clause),
        group_by=(column.name,),
        measures=(count,),
        sort=(Sort(by=count, descending=True),),
        limit=MOST_NEAR,
    )
    result, _ = execute(rest, table)
    asked = key(str(comparison.values[0]))
    found = [(str(term), int(rows or 0)) for term, rows in result.rows if term is not None]
    found.sort(key=lambda one: (-round(likeness(asked, key(one[0])), 1), -one[1]))
    return [f"{term} ({rows:,})" for term, rows in found[:limit]]


def _clause(clause: Clause) -> str:
    return " / ".join(_tested(c.op, c.column, c.values[:5]) for c in clause.any_of)


def _tested(op: str, column: str, values: tuple[Value, ...]) -> str:
    if op in ("blank", "not_blank"):
        return _said(op, column, values)
    return f"{column} {_SIGN.get(op, '= ')}{' / '.join(map(str, values))}"
