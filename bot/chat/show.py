"""Makes what is shown of a reply: its page, its buttons and menus, its receipt, how it was got."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from bot.chat.sentences import say
from bot.chat.state import Kept
from bot.chat.types import PAGE_ROWS, Asker, Button, Choice, Menu, Place, Shown, View
from bot.chat.values import Command, signed
from bot.receipt import counted, freshness_line, reason_lines, receipt_lines, unused_line, words_of
from engine.types import Answer, Binding, ClarifyPlan, Reply, TablePlan

_NO_TEST = frozenset({"table", "column", "measure", "sort", "limit"})
_LONGEST_LABEL = 75  # characters, of a choice in the platforms' menus


class Show:
    """Makes Shown of replies; the secret signs the buttons."""

    def __init__(self, secret: str) -> None:
        self._secret = secret

    def answer(self, kept: Kept, page: int = 1) -> Shown:
        """The reply at a page, with all that can be done with it; a page beyond the last is the last."""
        shown = Shown(
            kept.id,
            kept.reply,
            "answer",
            kept.place,
            kept.asker,
            kept.language,
            page_rows=PAGE_ROWS,
            carried=kept.carried,
            private=kept.place.private,
            scope=kept.scope,
            schedule=kept.schedule,
        )
        shown = replace(shown, page=min(max(page, 1), shown.pages))
        return replace(shown, buttons=tuple(self._buttons(shown)), menus=tuple(self._readings(shown)))

    def receipt(self, kept: Kept, asker: Asker) -> Shown:
        """How the question was understood, and what else each of its words may mean."""
        lines: list[str] = []
        for part in kept.reply.parts:
            lines += [*receipt_lines(part), *filter(None, [unused_line(part), freshness_line(part)])]
        read = any(part.bindings for part in kept.reply.parts)
        lines = [say(kept.language, "receipt"), *([] if read else [say(kept.language, "no_receipt")]), *lines]
        shown = self.lines(kept, asker, "receipt", lines)
        return replace(shown, menus=tuple(self._candidates(kept)))

    def how(self, kept: Kept, asker: Asker) -> Shown:
        """The plan in words and the query itself."""
        lines, code = [say(kept.language, "how")], []
        for part in kept.reply.parts:
            if isinstance(part.plan, TablePlan):
                lines += _plan_lines(part.plan, kept.language)
            if part.sql:
                lines += _trust_lines(part, kept)
                code.append(part.sql)
        if not code:
            lines.append(say(kept.language, "no_how"))
        return replace(self.lines(kept, asker, "how", lines), code=";\n".join(code))

    def more(self, shown: Shown, asker: Asker) -> Shown:
        """What is said to an asker alone who may see more than the others in the place: that there is more, and a button for it."""
        said = notice(shown.place, asker, shown.language, say(shown.language, "more"), shown.reply_id)
        return replace(said, private=True, buttons=(self._button(shown, "more", "", "button_more"),))

    def lines(self, kept: Kept, asker: Asker, view: View, lines: Sequence[str]) -> Shown:
        """Sentences about a reply, for one person."""
        return Shown(kept.id, kept.reply, view, kept.place, asker, kept.language, lines=tuple(lines), private=True, scope=kept.scope)

    # ---- what can be done

    def value(self, action: str, reply: str, argument: str = "") -> str:
        """The value of a button."""
        return signed(Command(action, reply, argument), self._secret)

    def _button(self, shown: Shown, action: str, argument: str, key: str) -> Button:
        return Button(say(shown.language, key), self.value(action, shown.reply_id, argument), action=action)

    def _buttons(self, shown: Shown) -> list[Button]:
        made: list[Button] = []
        if shown.page > 1:
            made.append(self._button(shown, "page", str(shown.page - 1), "previous"))
        if shown.page < shown.pages:
            made.append(self._button(shown, "page", str(shown.page + 1), "next"))
        if not any(part.kind == "answer" for part in shown.reply.parts):
            return made
        made.append(self._button(shown, "receipt", "", "button_receipt"))
        made.append(self._button(shown, "how", "", "button_how"))
        if any(part.result and part.result.total for part in shown.reply.parts):
            made.append(self._button(shown, "file", "csv", "button_csv"))
            made.append(self._button(shown, "file", "xlsx", "button_xlsx"))
        if shown.place.private and shown.place.platform == "slack":
            made.append(self._button(shown, "share", "", "button_share"))
        if shown.schedule:
            made.append(Button(say(shown.language, "button_stop"), self.value("stop", shown.schedule), action="stop"))
        elif shown.place.platform != "terminal":
            made.append(self._button(shown, "schedule", "", "button_schedule"))
        made.append(self._button(shown, "judge", "up", "button_up"))
        made.append(self._button(shown, "judge", "down", "button_down"))
        return made

    def _readings(self, shown: Shown) -> list[Menu]:
        menus: list[Menu] = []
        for number, part in enumerate(shown.reply.parts):
            if isinstance(part.plan, ClarifyPlan) and part.plan.readings:
                words = words_of(part.language)
                choices = [
                    Choice(
                        _label(shown.language, reading.label, counted(reading.rows, words)),
                        self.value("pick", shown.reply_id, f"{number}-{at}"),
                    )
                    for at, reading in enumerate(part.plan.readings)
                ]
                menus.append(Menu(say(shown.language, "which"), tuple(choices), "pick"))
        return menus

    def _candidates(self, kept: Kept) -> list[Menu]:
        menus: list[Menu] = []
        for number, part in enumerate(kept.reply.parts):
            words = words_of(part.language)
            for at, binding in enumerate(part.bindings):
                if not binding.candidates or binding.op in _NO_TEST:
                    continue
                choices = [
                    Choice(
                        _label(kept.language, f"{other.column} = {other.term}", counted(other.rows, words)),
                        self.value("correct", kept.id, f"{number}-{at}-{which}"),
                    )
                    for which, other in enumerate(binding.candidates)
                ]
                menus.append(Menu(_asked(binding, kept.language), tuple(choices), "correct"))
        return menus


def notice(place: Place, asker: Asker, language: str, sentence: str, reply_id: str, kind: str = "no_answer", question: str = "") -> Shown:
    """One sentence and nothing else; kind is that of the reply: no_answer or failure."""
    answer = Answer(kind=kind, question=question, headline=sentence, message=sentence, language=language)  # type: ignore[arg-type]
    return Shown(
        reply_id, Reply(parts=(answer,)), "notice", place, asker, language, lines=tuple(sentence.splitlines()), private=place.private
    )


def _asked(binding: Binding, language: str) -> str:
    term = ", ".join(map(str, binding.terms))
    return say(language, "correct", phrase=binding.phrase, column=binding.column, term=term)


def _label(language: str, label: str, rows: str) -> str:
    room = _LONGEST_LABEL - len(say(language, "choice", label="", rows=rows))
    return say(language, "choice", label=label if len(label) <= room else label[: room - 1] + "…", rows=rows)


def _plan_lines(plan: TablePlan, language: str) -> list[str]:
    words = words_of(language)
    lines = [say(language, "how_plan", table=plan.table)]
    for clause in plan.where:
        tests = (f"{c.column} {words.ops[c.op]} {' / '.join(map(str, c.values))}".rstrip() for c in clause.any_of)
        lines.append(" ∨ ".join(tests))
    lines += [f"{words.ops['sort']} {sort.by if isinstance(sort.by, str) else sort.by.function}" for sort in plan.sort]
    if plan.group_by:
        lines.append(f"∑ {', '.join(plan.group_by)}")
    if plan.limit:
        lines.append(f"{words.ops['limit']} {plan.limit}")
    return lines


def _trust_lines(part: Answer, kept: Kept) -> list[str]:
    """Who planned it, how sure it is and why no surer, and how fresh the data is."""
    who = words_of(kept.language).texts[f"planner_{kept.reply.planner}"]
    sure = say(kept.language, "confidence", percent=round(100 * part.confidence.value))
    return [line for line in (who, sure, *reason_lines(part), freshness_line(part)) if line]
