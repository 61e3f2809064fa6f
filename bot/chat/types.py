"""What passes between a surface and the handler, with nothing of a platform's own in it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Literal, Protocol

from engine.types import Reply, Turn, Value

Platform = Literal["slack", "teams", "terminal"]
View = Literal["answer", "receipt", "how", "file", "thanks", "notice", "form"]
Style = Literal["", "primary", "danger"]
PAGE_ROWS = 10  # on a page of an answer, unless a surface has room for another number


@dataclass(frozen=True, slots=True)
class Place:
    """Where something is said; address is what the surface needs to say more there later, which nobody else reads.

    workspace: Slack's team id, Teams' tenant id. channel: the conversation. thread: empty where the channel has none.
    private: that only the asker sees what is said.
    """

    platform: Platform
    workspace: str = ""
    channel: str = ""
    thread: str = ""
    private: bool = False
    address: str = field(default="", compare=False)


@dataclass(frozen=True, slots=True)
class Asker:
    """Who writes or presses; the id is the platform's.

    groups: ids of the platform's own groups that the person is in. outsider: a guest, or somebody of another organisation.
    gone: whose account is closed.
    """

    id: str
    name: str = ""
    email: str = ""
    groups: tuple[str, ...] = ()
    outsider: bool = False
    gone: bool = False


@dataclass(frozen=True, slots=True)
class Incoming:
    """One message to the bot, without its mention.

    keys: whatever tells a redelivery (event id, channel and ts, activity id); one of them seen before is enough.
    locale: "he-IL", as the platform has it. time_zone: an IANA name.
    earlier: what the platform gave of the thread, oldest first, without this message; used where nothing is remembered of it.
    """

    place: Place
    asker: Asker
    text: str
    keys: tuple[str, ...]
    locale: str = ""
    time_zone: str = ""
    earlier: tuple[Turn, ...] = ()


@dataclass(frozen=True, slots=True)
class Taken:
    """A message that the state database holds under an id, to be answered; or a sentence for the person, where it could not be kept."""

    incoming: Incoming
    question: str = ""
    incident: str = ""


@dataclass(frozen=True, slots=True)
class Press:
    """A button pressed or a choice made: value is that of the Button or Choice, as the platform gave it back.

    when, target: what was written in a form beside it, and the place that was chosen there.
    """

    place: Place
    asker: Asker
    value: str
    keys: tuple[str, ...] = ()
    locale: str = ""
    time_zone: str = ""
    when: str = ""
    target: Place | None = None


@dataclass(frozen=True, slots=True)
class Button:
    """Something to press; the value is signed, at most 75 characters, and safe anywhere; action tells what it does ("page", "how", ...)."""

    label: str
    value: str
    style: Style = ""
    action: str = ""


@dataclass(frozen=True, slots=True)
class Choice:
    """One line of a menu; the value is signed as a button's."""

    label: str
    value: str


@dataclass(frozen=True, slots=True)
class Menu:
    """Choices under a label: the other candidates of a binding ("correct"), or the readings of a clarification ("pick")."""

    label: str
    choices: tuple[Choice, ...]
    action: str = ""


@dataclass(frozen=True, slots=True)
class Shown:
    """What a surface renders.

    view: "answer" renders the reply (of any kind) at this page; the others render `lines` and nothing of the reply's rows. "form" asks for
    when a question is to be asked again: `when` stands in it already, and its one button sends it.
    lines: sentences; in an answer they stand above it. code: the query, to be set as code, empty but in "how".
    page: the first is 1; a page holds page_rows rows of each part's result.
    carried: the question as it was made whole, where it went on from the thread; else empty. language: of labels and sentences.
    replaces: it takes the place of the message whose button was pressed; otherwise it is a message of its own.
    private: only `asker` is to see it; where a platform cannot do that in the place, it is said to them elsewhere.
    aside: what is said to the asker alone beside it. scope: the key of the scope that it was made under. schedule: the one that asked for it.
    """

    reply_id: str
    reply: Reply
    view: View
    place: Place
    asker: Asker
    language: str = "en"
    page: int = 1
    page_rows: int = PAGE_ROWS
    buttons: tuple[Button, ...] = ()
    menus: tuple[Menu, ...] = ()
    lines: tuple[str, ...] = ()
    code: str = ""
    carried: tuple[str, ...] = ()
    replaces: bool = False
    private: bool = False
    aside: Shown | None = None
    scope: str = ""
    when: str = ""
    schedule: str = ""

    @property
    def pages(self) -> int:
        """How many pages there are; 1 where there are no rows."""
        longest = max((len(part.result.rows) for part in self.reply.parts if part.result), default=0)
        return max(1, -(-longest // self.page_rows))

    def rows(self, part: int = 0) -> tuple[tuple[Value, ...], ...]:
        """The rows of a part that stand on this page."""
        result = self.reply.parts[part].result
        return result.rows[(self.page - 1) * self.page_rows : self.page * self.page_rows] if result else ()

    def span(self, part: int = 0) -> tuple[int, int, int]:
        """The number of the first and the last row on this page, and of all rows: (21, 40, 509); (0, 0, 0) where there are none."""
        result, here = self.reply.parts[part].result, len(self.rows(part))
        first = (self.page - 1) * self.page_rows + 1 if here else 0
        return (first, first + here - 1 if here else 0, result.total if result else 0)


@dataclass(frozen=True, slots=True)
class RowsFile:
    """All rows of a reply as a file, under the rights of whoever asked for it; for_all: whether everybody in the place may have it."""

    name: str
    content: bytes
    for_all: bool


@dataclass(frozen=True, slots=True)
class OutboxEntry:
    """A reply that has still to be said in its place; tries counts those that failed."""

    id: str
    place: Place
    asker: Asker
    shown: Shown
    tries: int = 0


Deliver = Callable[[OutboxEntry], Awaitable[None]]  # what a surface's register() gives: says an entry in its place, or raises what follows


class People(Protocol):
    """Who is who on a platform, as a surface can tell it; both raise UnknownPeopleError where the platform does not answer."""

    async def identify(self, place: Place, asker: Asker) -> Asker:
        """The same person with name, e-mail, groups, and whether they are an outsider."""
        ...

    async def audience(self, place: Place) -> tuple[Asker, ...] | None:
        """Everybody, but bots, who sees what is said in a place; None where they are too many to be told one by one, and may be anybody."""
        ...


class UnknownPeopleError(Exception):
    """A platform does not say who somebody is, or who is in a place; then nothing is shown to them."""


class NobodyError(UnknownPeopleError):
    """A platform says that there is nobody of that id."""


class TryLater(Exception):
    """A surface raises it from `deliver` where the platform refuses for now; seconds is when to try again, None to leave that to the outbox."""

    def __init__(self, seconds: float | None = None) -> None:
        super().__init__(seconds)
        self.seconds = seconds


class Undeliverable(Exception):
    """A surface raises it from `deliver` where the reply can never be said: the channel is gone, the bot was removed, the token revoked."""
