"""What a prompt is made of: all parts, all but some, or the first rows alone, so that what each is worth can be measured."""

from __future__ import annotations

from dataclasses import dataclass, fields


@dataclass(frozen=True, slots=True)
class Parts:
    """What is shown beside the question; checks: whether a plan that does not fit comes back to the model; head: the first five rows and nothing else."""

    terms: bool = True
    rows: bool = True
    negatives: bool = True
    examples: bool = True
    history: bool = True
    checks: bool = True
    head: bool = False


ALL = Parts()
HEAD = Parts(terms=False, rows=False, negatives=False, examples=False, history=False, checks=False, head=True)
NAMES = tuple(field.name for field in fields(Parts) if field.name not in ("checks", "head"))
