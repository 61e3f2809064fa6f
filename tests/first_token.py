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
from pathlib import Path
from typing import Any

from cache.hints import Hints
from cache.versions import Store
from engine.catalog import load_catalog
from engine.errors import AlmanacError
from engine.message import Message
from engine.model import OPENAI, ModelEndpoint, plan_from
from engine.prompt import messages_for
from engine.tables import open_tables

EXAMPLE = Path(__file__).resolve().parent.parent / "examples" / "service_book" / "almanac.toml"
QUESTIONS = ("which pharmacies are in Haifa?", "how many clinics in Netanya have an elevator?")
SOONER, SAME = 5.0, 0.6


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
        hints = Hints(Path(folder), "histories")
        prompts = [messages_for(table, question, hints) for question in given.questions]
        for one in (table, *others):
            one.close()
        with closing(hints):
            return measure(prompts, given.questions, endpoint, plans=not given.no_plans)


def measure(prompts: list[list[Message]], questions: Sequence[str], endpoint: ModelEndpoint, plans: bool) -> int:
    """Asks and tells; the exit status."""
    # Loads the model, and leaves no beginning in its memory that the prompts have too.
    first_token([Message(role="user", content="Good morning.")], endpoint)
    cold, warm = (first_token(prompt, endpoint) for prompt in prompts)
    same, whole = common(*prompts)
    for question, prompt, seconds in zip(questions, prompts, (cold, warm), strict=True):
        print(f"{seconds:8.2f} s to the first token of a prompt of {tokens(prompt, endpoint)} tokens: {question}")
    print(f"{cold / warm:8.1f} times sooner (at least {SOONER:.0f})")
    print(f"{same / whole:8.1%} of the second prompt is the same, {same} of {whole} characters (at least {SAME:.0%})")
    for question, prompt in zip(questions, prompts, strict=True) if plans else ():
        began = time.perf_counter()
        try:
            shown = plan_from(prompt, endpoint).model_dump_json(exclude_defaults=True)
        except AlmanacError as error:
            shown = str(error)
        print(f"{time.perf_counter() - began:8.2f} s for the plan of {question}\n{'':11}{shown}")
    return 0 if cold / warm >= SOONER and same / whole >= SAME else 1


if __name__ == "__main__":
    sys.exit(main())
