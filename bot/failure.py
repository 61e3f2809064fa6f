"""The reply when there is none."""

from __future__ import annotations

from engine.types import Answer, Reply


def failure(question: str, message: str) -> Reply:
    """A reply of kind `failure`; the message is a sentence for the user."""
    return Reply(parts=(Answer(kind="failure", question=question, headline=message, message=message),))
