"""Asks a file of cases, each of its own table or of a catalog, and writes the replies for scoring."""

from __future__ import annotations

import json
import logging
import time
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from dataclasses import replace as changed
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from bot.answering import Answering, answers_from, library_of, planner_of
from bot.escape import json_text
from bot.failure import failure
from bot.progress import ProgressBar
from bot.target import checked_file, read_for, replace
from bot.thread import turns_of
from cache.counts import counted
from engine.catalog import Catalog, catalog_of
from engine.errors import AlmanacError, DamageError, UsageError
from engine.library import Library
from engine.planners import Kind
from engine.types import EVERYTHING, ChatThread, Reply

if TYPE_CHECKING:
    from engine.agents.planner import ModelPlanner

log = logging.getLogger(__name__)
Case = dict[str, Any]
Asked = tuple[Reply, float, Mapping[str, Any]]  # with the seconds that it took, and what was found remembered


@dataclass(frozen=True, slots=True)
class Planning:
    """Who plans the cases: without a model, by one alone, or as people are served; without: parts of the prompt that are left out.

    head: the first rows in the prompt and nothing else, to compare with.
    """

    kind: Kind = "offline"
    without: tuple[str, ...] = ()
    head: bool = False

    def planner(self, library: Library) -> ModelPlanner | None:
        """The planner over these tables; raises UsageError and ModelError."""
        planner = planner_of(library.catalog, self.kind)
        if planner is None:
            return None
        from engine.agents.parts import ALL, HEAD

        parts = HEAD if self.head else changed(ALL, **dict.fromkeys(self.without, False))
        return changed(planner, parts=parts, alone=self.kind == "model", replies=None)


OFFLINE: Final = Planning()


@dataclass(frozen=True, slots=True)
class Tally:
    """What became of the cases."""

    cases: int
    answered: int
    failed: int


def evaluate_cases(
    path: Path,
    root: Path,
    out: Path,
    *,
    catalog: Catalog | None = None,
    field: str = "question",
    first: int | None = None,
    planning: Planning = OFFLINE,
) -> Tally:
    """Writes one JSON line for each case, in their order: the reply, and id, seconds, llm_calls and tokens.

    first: only so many of the cases. planning: who plans.

    A case is asked of the catalog, or without one of its own `table_file` or `db` (an SQLite database, all its tables), relative to root.
    What goes wrong with one case is its reply, of kind failure. Earlier results are replaced, and nothing that is read. Raises UsageError for
    unreadable cases, a root that is not there and an unwritable file of results.
    """
    cases = _read(path, field)[:first]
    if not root.is_dir():
        raise UsageError(f'There is no folder "{root}"; --root names the one that the paths of the cases are relative to.')
    groups: dict[str, list[int]] = defaultdict(list)
    for at, case in enumerate(cases):
        groups["" if catalog else _source(case, root, path)].append(at)
    asked_of = {source: catalog or catalog_of(source) for source in groups}
    checked_file(out, [path, *(file for each in asked_of.values() for file in read_for(each))], "--out")
    results: dict[int, Asked] = {}
    with ProgressBar() as bar:
        bar.report(path.name, 0, len(cases))
        for source, places in groups.items():
            for at, asked in _ask_group(asked_of[source], [(at, cases[at]) for at in places], field, planning):
                results[at] = asked
                bar.report(path.name, len(results), len(cases))
    _write(out, "".join(_line(case, *results[at]) for at, case in enumerate(cases)))
    kinds = [reply.kind for reply, *_ in results.values()]
    return Tally(cases=len(cases), answered=kinds.count("answer"), failed=kinds.count("failure"))


def _ask_group(catalog: Catalog, cases: list[tuple[int, Case]], field: str, planning: Planning) -> Iterator[tuple[int, Asked]]:
    """Opens the tables once for all the cases that ask them."""
    waiting = list(cases)
    try:
        with library_of(catalog) as library:
            # the planner is measured, and not what it was asked before
            answer = answers_from(library, planning.planner(library), remembering=False)
            while waiting:
                at, case = waiting[0]
                asked = _ask(case, case[field], answer)
                del waiting[0]
                yield at, asked
    except UsageError:
        raise  # a setting is wrong, and no case
    except AlmanacError as error:
        yield from ((at, (failure(case[field], str(error)), 0.0, {})) for at, case in waiting)
    except Exception:
        log.exception("the tables of %d cases could not be opened", len(waiting))
        yield from ((at, (failure(case[field], "The table could not be opened."), 0.0, {})) for at, case in waiting)


def _ask(case: Case, question: str, answer: Answering) -> Asked:
    start = time.perf_counter()
    try:
        with counted() as counts:
            reply = answer(question, ChatThread(turns=turns_of(case.get("thread") or [], str(case["id"]))), EVERYTHING)
        return reply, time.perf_counter() - start, counts.to_json()
    except DamageError:
        raise  # of no case, but of the tables, which are built anew
    except AlmanacError as error:
        reply = failure(question, str(error))
    except Exception:
        log.exception("a case failed: %s", question)
        reply = failure(question, "The question could not be answered.")
    return reply, time.perf_counter() - start, {}


def _line(case: Case, reply: Reply, seconds: float, counts: Mapping[str, Any]) -> str:
    more = {"seconds": round(seconds, 6), "llm_calls": reply.spent.calls, "tokens": reply.spent.tokens, "cache": counts}
    return json_text({"id": case["id"], **reply.to_json(), **more}) + "\n"


def _source(case: Case, root: Path, path: Path) -> str:
    named = case.get("table_file") or case.get("db")
    if not isinstance(named, str):
        raise UsageError(f'Case {case["id"]} of "{path}" names neither "table_file" nor "db"; name a catalog with --catalog.')
    return str(root / named)


def _read(path: Path, field: str) -> list[Case]:
    try:
        lines = path.read_text(encoding="utf-8-sig").split("\n")
    except (OSError, ValueError):
        raise UsageError(f'The cases "{path}" cannot be read; they must be a file of JSON lines in UTF-8.') from None
    cases = []
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        try:
            case = json.loads(line)
        except (ValueError, RecursionError):
            case = None
        if not isinstance(case, dict) or "id" not in case:
            raise UsageError(f'Line {number} of "{path}" is no case; a case is a JSON object with an "id".')
        asked = case.get(field)
        if isinstance(asked, list) and asked:
            asked = asked[0]  # several wordings of one question; a case has one reply
        if isinstance(asked, str):
            cases.append({**case, field: asked})  # a set may have a field, such as another wording, for some of its cases only
    if not cases:
        raise UsageError(f'No case of "{path}" has a text in the field "{field}".')
    return cases


def _write(out: Path, text: str) -> None:
    def write(temporary: Path) -> None:
        temporary.write_text(text, encoding="utf-8")

    try:
        replace(out, write)
    except OSError:
        raise UsageError(f'The results cannot be written as "{out}"; name a file in a folder that you may write in.') from None
