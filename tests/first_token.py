"""How much sooner a second question on a table is begun to be answered: `OPENAI_BASE_URL=... python -m tests.first_token MODEL`.

Asks a real endpoint two questions on one table, tells the seconds to the first token of each and what their prompts have in common, and the plans.
Exits with 1 where the second is not five times sooner, or less than 60 % of its prompt is the same.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
import time
from collections.abc import Sequence
from contextlib import closing
from datetime import datetime
from pathlib import Path
from typing import Any

from cache.hints import Hints
from cache.versions import Store
from engine.agents.found import gather
from engine.agents.parts import ALL
from engine.agents.planner import ModelPlanner
from engine.agents.words import QuestionWords
from engine.ask import ask
from engine.budget import Budget
from engine.catalog import load_catalog
from engine.embed import default_embedder
from engine.endpoints import OPENAI
from engine.errors import AlmanacError
from engine.language import language_of
from engine.message import Message
from engine.model import ModelEndpoint
from engine.prompt import messages_for
from engine.table import OpenTable
from engine.tables import open_tables
from engine.types import EVERYTHING, ChatThread

EXAMPLE = Path(__file__).resolve().parent.parent / "examples" / "service_book" / "almanac.toml"
QUESTIONS = ("which pharmacies are in Haifa?", "how many clinics in Netanya have an elevator?")
SOONER, SAME = 5.0, 0.6
PATIENT = Budget(seconds=900.0)  # a model on a machine of one's own


def first_token(messages: Sequence[Message], endpoint: ModelEndpoint) -> float:
    """Seconds from the request to the first token of its reply."""
    began = time.perf_counter()
    said: Any = [message.wire() for message in messages]
    with (
        endpoint.client() as client,
        client.chat.completions.create(model=endpoint.model, messages=said, temperature=0, max_tokens=1, stream=True) as stream,
    ):
        for part in stream:
            if part.choices and part.choices[0].delta.content:
                break
        return time.perf_counter() - began


def tokens(messages: Sequence[Message], endpoint: ModelEndpoint) -> int:
    """How many tokens the prompt has, as the endpoint counts them; 0 where it does not."""
    said: Any = [message.wire() for message in messages]
    with endpoint.client() as client:
        done = client.chat.completions.create(model=endpoint.model, messages=said, temperature=0, max_tokens=1)
    return done.usage.prompt_tokens if done.usage else 0


def common(one: Sequence[Message], other: Sequence[Message]) -> tuple[int, int]:
    """The characters at the beginning that both prompts have, and all of the second."""
    first, second = (json.dumps([message.wire() for message in messages], ensure_ascii=False) for messages in (one, other))
    differs = (place for place, (a, b) in enumerate(zip(first, second, strict=False)) if a != b)
    return next(differs, min(len(first), len(second))), len(second)


def main() -> int:
    """Runs from the command line."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("model")
    options.add_argument("--catalog", type=Path, default=EXAMPLE)
    options.add_argument("--questions", nargs=2, default=QUESTIONS, metavar="QUESTION")
    options.add_argument("--no-plans", action="store_true", help="only the first tokens")
    given = options.parse_args()
    endpoint = ModelEndpoint(given.model, os.environ.get("OPENAI_BASE_URL", OPENAI), os.environ.get("OPENAI_API_KEY", ""))
    with tempfile.TemporaryDirectory() as folder:
        (table, *others) = open_tables(load_catalog(given.catalog), Store(Path(folder)))
        now = datetime.now().astimezone()
        with closing(Hints(Path(folder), "histories")) as hints:
            words = [QuestionWords(question, language_of(question), table, now) for question in given.questions]
            found = [gather(each, table, default_embedder(), now, ALL) for each in words]
            prompts = [messages_for([table], text, hints, part) for text, part in zip(given.questions, found, strict=True)]
            told = measure(prompts, given.questions, endpoint)
            if not given.no_plans:
                show_plans(given.questions, table, ModelPlanner(endpoint, endpoint, hints, kind="model", budget=PATIENT, alone=True), now)
        for one in (table, *others):
            one.close()
        return told


def measure(prompts: list[list[Message]], questions: Sequence[str], endpoint: ModelEndpoint) -> int:
    """Asks and tells; the exit status."""
    # Loads the model, and leaves no beginning in its memory that the prompts have too.
    first_token([Message(role="user", content="Good morning.")], endpoint)
    cold, warm = (first_token(prompt, endpoint) for prompt in prompts)
    same, whole = common(*prompts)
    for question, prompt, seconds in zip(questions, prompts, (cold, warm), strict=True):
        print(f"{seconds:8.2f} s to the first token of a prompt of {tokens(prompt, endpoint)} tokens: {question}")
    print(f"{cold / warm:8.1f} times sooner (at least {SOONER:.0f})")
    print(f"{same / whole:8.1%} of the second prompt is the same, {same} of {whole} characters (at least {SAME:.0%})")
    return 0 if cold / warm >= SOONER and same / whole >= SAME else 1


def show_plans(questions: Sequence[str], table: OpenTable, planner: ModelPlanner, now: datetime) -> None:
    """The plan of each question, with the seconds that it took."""
    for question in questions:
        began = time.perf_counter()
        try:
            asked = ask(question, ChatThread(), EVERYTHING, tables=[table], embedder=default_embedder(), now=now, planner=planner)
            plan = asked.parts[0].plan
            shown = plan.model_dump_json(exclude_defaults=True) if plan else asked.parts[0].message
        except AlmanacError as error:
            shown = str(error)
        print(f"{time.perf_counter() - began:8.2f} s for the plan of {question}\n{'':11}{shown}")


if __name__ == "__main__":
    sys.exit(main())
