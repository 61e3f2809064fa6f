"""Commands about questions that are asked again and again."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

import click

from bot.commands.common import print_json, speak_utf8
from bot.say import say
from engine.errors import UsageError

if TYPE_CHECKING:
    from bot.chat.schedules import Schedule, Schedules
    from bot.chat.state import State


@click.group("schedule")
def schedule() -> None:
    """Ask a question again at its times, and say the answer in a channel."""


@schedule.command("add")
@click.argument("when")
@click.argument("question")
@click.option(
    "--to", "place", required=True, metavar="PLATFORM:CHANNEL", help="Where the answer is said: slack:C0123, teams:19:abc@thread.tacv2."
)
@click.option("--as", "user", required=True, metavar="USER", help="Under whose rights: the platform's id, or an e-mail that asked there.")
@click.option("--zone", default="", metavar="ZONE", help="The time zone of WHEN, such as Asia/Jerusalem; else this machine's.")
def add(when: str, question: str, place: str, user: str, zone: str) -> None:
    """Ask QUESTION WHEN: "every Sunday 08:00", "weekdays 9:00", "every 2 hours", "on the 1st of the month 06:00", a cron."""
    from bot.chat.reach import person_named, place_named, to_channel
    from bot.chat.schedules import Schedule
    from bot.chat.sentences import heard_language, refusal
    from jobs.clock import local_zone
    from jobs.when import read_when

    read = read_when(when, zone or local_zone())
    if wrong := refusal(question, "en"):
        raise UsageError(wrong)
    plain = " ".join(question.split())
    with _opened() as (state, schedules):
        where = place_named(state, place)
        maker = person_named(state, where, user)
        made = schedules.add(Schedule(to_channel(where, maker), maker, plain, heard_language(plain), read))
    click.echo(made.id)
    say(f"The next time is {made.next_text}.")


@schedule.command("list")
@click.option("--json", "as_json", is_flag=True, help="The same as JSON, and nothing else, on standard output.")
def list_all(as_json: bool) -> None:
    """Tell what is scheduled, and how it went."""
    with _opened() as (_, schedules):
        found = schedules.all()
    if as_json:
        print_json({"schedules": [_told(one) for one in found]})
        return
    speak_utf8()
    for one in found:
        from bot.escape import one_line

        told = _told(one)
        state = f"paused ({one.paused})" if one.paused else f"next {one.next_text}"
        last = f", last {told['outcome']}" if one.outcome else ""
        click.echo(one_line(f"{one.id}  {one.when.text}  {state}{last}  to {told['to']} as {told['maker']}: {one.question}"))


@schedule.command("edit")
@click.argument("name", metavar="ID")
@click.option("--when", "when", default="", metavar="WHEN", help="Other times.")
@click.option("--zone", default="", metavar="ZONE", help="Another time zone.")
@click.option("--to", "place", default="", metavar="PLATFORM:CHANNEL", help="Another channel of the same workspace.")
def edit(name: str, when: str, zone: str, place: str) -> None:
    """Change when or where ID is asked; it runs again if it was paused."""
    from bot.chat.reach import place_named, to_channel
    from jobs.when import read_when

    if not (when or zone or place):
        raise UsageError("Nothing is to be changed; name --when, --zone or --to.")
    with _opened() as (state, schedules):
        one = _named(schedules, name)
        read = read_when(when or one.when.text, zone or one.when.zone)
        where = to_channel(place_named(state, place), one.maker) if place else one.place
        if (where.platform, where.workspace) != (one.place.platform, one.place.workspace):
            raise UsageError("A schedule stays in its workspace, where its maker is; add another for the other one.")
        changed = schedules.change(one, read, where)
    say(f"The next time is {changed.next_text}.")


@schedule.command("remove")
@click.argument("name", metavar="ID")
def remove(name: str) -> None:
    """Ask ID no more, and forget it."""
    with _opened() as (_, schedules):
        schedules.remove(_named(schedules, name).id)
    say(f"Removed {name}.")


@schedule.command("pause")
@click.argument("name", metavar="ID")
def pause(name: str) -> None:
    """Let ID rest until it is resumed."""
    with _opened() as (_, schedules):
        schedules.pause(_named(schedules, name).id)
    say(f"Paused {name}.")


@schedule.command("resume")
@click.argument("name", metavar="ID")
def resume(name: str) -> None:
    """Ask ID again from its next time on."""
    with _opened() as (_, schedules):
        running = schedules.resume(_named(schedules, name))
    say(f"The next time is {running.next_text}.")


@contextmanager
def _opened() -> Iterator[tuple[State, Schedules]]:
    """The state database and what is scheduled in it, for as long as they are needed."""
    from bot.chat.schedules import Schedules
    from bot.chat.settings import state_url
    from bot.chat.state import State

    state = State(state_url())
    try:
        yield state, Schedules(state)
    finally:
        state.close()


def _named(schedules: Schedules, name: str) -> Schedule:
    found = schedules.get(name)
    if found is None:
        raise UsageError("There is no schedule of that id; `almanac schedule list` tells them.")
    return found


def _told(one: Schedule) -> dict[str, object]:
    """The stable form for programs; times are ISO 8601 in the schedule's zone."""
    return {
        "id": one.id,
        "question": one.question,
        "when": one.when.text,
        "zone": one.when.zone,
        "to": f"{one.place.platform}:{one.place.channel}",
        "workspace": one.place.workspace,
        "maker": one.maker.id,
        "next": None if one.paused else one.when.local(one.next_at).isoformat(timespec="minutes"),
        "last": one.when.local(one.last_at).isoformat(timespec="minutes") if one.last_at else None,
        "outcome": one.outcome,
        "failures": one.failures,
        "paused": one.paused,
    }
