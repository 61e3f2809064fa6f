"""Conversations by chance in a world of rules: whatever anybody is shown, is checked against what all who see it may see."""

from __future__ import annotations

import asyncio
import json
import logging
import random
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from bot.chat.asking import Asking, asking_of
from bot.chat.handler import Handler
from bot.chat.state import State
from bot.chat.types import Asker, Incoming, Place, Press, Shown
from cache.versions import Store
from engine.embed import default_embedder
from engine.library import Library
from engine.rights import Rights
from tests.rights.world import World, draw, questions

STEPS = 5  # presses after a question, at most


class Known:
    """A platform on which everybody's name is their id, and each channel has its people."""

    def __init__(self, channels: dict[str, list[str]]) -> None:
        self._channels = channels

    async def identify(self, place: Place, asker: Asker) -> Asker:
        """Outsiders have names that say so."""
        return replace(asker, outsider=asker.id.startswith("guest"))

    async def audience(self, place: Place) -> tuple[Asker, ...] | None:
        """The people of the channel."""
        return tuple(Asker(name, outsider=name.startswith("guest")) for name in self._channels[place.channel])


def texts(shown: Shown) -> str:
    """All that is in it, as JSON has it and as people read it."""
    said = [json.dumps(shown.reply.to_json(), ensure_ascii=False), *shown.lines, shown.code, *shown.carried]
    said += [choice.label for menu in shown.menus for choice in menu.choices] + [menu.label for menu in shown.menus]
    return "\n".join(said)


class Leaks(list[str]):
    """What was shown that should not have been; draws counts what was looked at."""

    draws = 0


def play(seed: int, folder: Path, talks: int) -> Leaks:
    """Talks in a world of that seed; the log is looked through as well."""
    chance = random.Random(seed)
    world = draw(chance, folder / "world")
    library = Library(world.catalog, Store(folder / "store"), default_embedder())
    leaks = Leaks()
    try:
        asyncio.run(_talk(world, asking_of(library, Rights(world.catalog)), chance, talks, folder, leaks))
    finally:
        library.close()
    return leaks


async def _talk(world: World, asking: Asking, chance: random.Random, talks: int, folder: Path, leaks: Leaks) -> None:
    channels = {f"C{n}": chance.sample(list(world.people), k=chance.choice((2, 3))) for n in range(4)}
    handler = Handler(State(f"sqlite:///{folder / 'state.sqlite'}"), asking, secret="of the tests", threads=2)
    handler.introduce("slack", Known(channels))
    try:
        for number in range(talks):
            channel = chance.choice(list(channels))
            asker = chance.choice(channels[channel])
            place = Place("slack", "T1", channel, str(number), private=chance.random() < 0.4, address="there")
            own_words: set[str] = set()
            for turn, text in enumerate(questions(world, chance)):
                own_words |= set(text.replace("?", " ").casefold().split())
                shown = await handler.ask(Incoming(place, Asker(asker), text, (f"{number}.{turn}",)))
                shown = _looked_at(world, shown, place, asker, channels[channel], own_words, leaks, f"{asker}: {text}")
                for _ in range(chance.randrange(STEPS)):
                    if shown is None or not (offers := list(_offers(shown))):
                        break
                    presser = asker if shown.private or place.private else chance.choice(channels[channel])
                    press = Press(place, Asker(presser), chance.choice(offers))
                    after = await handler.press(press)
                    if after is not None and after.view == "file":
                        made = await handler.file(press)
                        if not isinstance(made, Shown) and made.name.endswith("csv"):
                            readers = channels[channel] if made.for_all and not place.private else [presser]
                            _check(world, made.content.decode("utf-8-sig"), readers, own_words, leaks, f"file for {readers}: {text}")
                    after = _looked_at(world, after, place, presser, channels[channel], own_words, leaks, f"{presser} presses on {text}")
                    shown = after if after is not None and list(_offers(after)) else shown
    finally:
        handler.close()


def _offers(shown: Shown) -> Iterator[str]:
    yield from (button.value for button in shown.buttons)
    yield from (choice.value for menu in shown.menus for choice in menu.choices)
    if shown.aside:
        yield from (button.value for button in shown.aside.buttons)


def _looked_at(
    world: World, shown: Shown | None, place: Place, reader: str, there: list[str], own: set[str], leaks: Leaks, what: str
) -> Shown | None:
    if shown is not None:
        alone = shown.private or place.private or shown.place.private
        _check(
            world, texts(shown), [reader] if alone else there, own, leaks, f"{what} ({shown.view}, seen by {reader if alone else there})"
        )
        if shown.aside is not None:
            _check(world, texts(shown.aside), [reader], own, leaks, f"{what} (aside)")
    return shown


def _check(world: World, text: str, viewers: list[str], own: set[str], leaks: Leaks, what: str) -> None:
    leaks.draws += 1
    _, hidden = world.words(viewers)
    found = {word for word in hidden - own if word in text.casefold()}
    # a word of one's own question may be told back; misspelt it is another
    if found:
        leaks.append(f"{what}: {sorted(found)}\n{text[:1500]}")
    nobody = not any(world.visible(name) for name in viewers)
    for column in {"private phone", *world.hidden_from}:
        seen = all(column in world.columns(name) for name in viewers)  # also where they see no row
        if not nobody and not seen and f'"{column}"' in text and not set(column.split()) <= own and column not in what:
            leaks.append(f"{what}: the column {column}\n{text[:1500]}")


def quiet() -> None:
    """Logs of the engine are looked at by the tests, and not printed."""
    logging.getLogger("engine").setLevel(logging.INFO)
