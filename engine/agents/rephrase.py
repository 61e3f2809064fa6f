"""The agent that makes a message whole: one typed call, for what cannot be told without a model; it may take words along and add none."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from pydantic import BeforeValidator

from engine.agents.form import listed
from engine.agents.strict import Form, checked_form
from engine.fold import fold, stem, words_of
from engine.language import language_of
from engine.message import Message
from engine.prompt import as_data
from engine.prompts import instructions
from engine.types import Question

if TYPE_CHECKING:
    from engine.agents.planner import Work

TRIES = 2


class RephraseForm(Form):
    """The base of the reply."""

    follows_on: bool
    question: str
    carried: Annotated[tuple[str, ...], BeforeValidator(listed)] = ()


def rephrase_with_model(work: Work, text: str, earlier: list[str]) -> Question:
    """The message as one question; earlier are the asker's own messages, the oldest first. Raises ModelError."""
    said = {"earlier": earlier, "message": text}
    messages = [Message(role="system", content=instructions("rephrase")), Message(role="user", content=as_data(said))]
    made = work.ask(messages, _form(text, earlier), tries=TRIES, small=True)
    language = language_of(text).code
    if not made.follows_on:
        return Question(text=text, language=language)
    return Question(text=made.question, language=language, carried=made.carried)


def _form(text: str, earlier: list[str]) -> type[RephraseForm]:
    before = [fold(message) for message in earlier]
    known = {stem(word.folded) for message in (text, *earlier) for word in words_of(message)}

    said = {word.folded for message in (text, *earlier) for word in words_of(message)}
    language = language_of(text)
    denying = {word for word in language.functions if language.does(word, "negation") and not language.does(word, "and")}

    def check(form: RephraseForm) -> None:
        if not form.follows_on:
            if form.carried:
                raise ValueError("A question that stands alone takes nothing along: carried is empty.")
            return
        for phrase in form.carried:
            if not fold(phrase) or not any(fold(phrase) in message for message in before):
                raise ValueError(f'"{phrase}" does not stand in the earlier messages; carried words are copied from them.')
        if not form.question.strip() or not form.carried:
            raise ValueError("A question that follows on says what it takes along.")
        kept = {word.folded for word in words_of(form.question)}
        left = [
            word.text for word in words_of(text) if (any(map(str.isdigit, word.text)) or word.folded in denying) and word.folded not in kept
        ]
        if left:
            raise ValueError(f"The message says {', '.join(left)}, and the question does not; leave nothing of it out.")
        functions = language_of(form.question).functions
        new = [word.text for word in words_of(form.question) if stem(word.folded) not in known and word.folded not in functions]
        if not new and (denied := [word.text for word in words_of(form.question) if word.folded in denying and word.folded not in said]):
            new = denied
        if new:
            raise ValueError(f"Neither the message nor the earlier ones say {', '.join(new)}; add nothing.")

    return checked_form(RephraseForm, "rephrase", {}, check)
