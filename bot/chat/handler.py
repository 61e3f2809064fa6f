"""The one handler of all surfaces: a message or a press comes in, what is to be shown goes out, and nothing is ever raised."""

from __future__ import annotations

from bot.chat.types import Incoming, OutboxEntry, Press, Shown


class Handler:
    """Answers what surfaces hear, once each.

    A surface acknowledges first, then awaits `ask` or `press`, posts what comes back and calls `posted`; where it cannot post it calls
    `unposted`, and `deliver` of the surface is called later with the OutboxEntry.
    """

    async def ask(self, incoming: Incoming) -> Shown | None:
        """What to show for a message; None where it was heard before."""
        raise NotImplementedError

    async def press(self, press: Press) -> Shown | None:
        """What to show for a press; None where it was handled before. For a download, `view` is "file": get its bytes from `file`."""
        raise NotImplementedError

    async def file(self, press: Press) -> tuple[str, bytes] | Shown:
        """All rows of the reply as a file: its name and bytes, run again under the presser's scope; a notice to show where there is none."""
        raise NotImplementedError

    async def posted(self, shown: Shown, message: str = "") -> None:
        """The surface has posted it, as this message of the platform."""
        raise NotImplementedError

    async def unposted(self, shown: Shown, seconds: float | None = None) -> None:
        """The surface could not post it: it waits in the outbox, at least so many seconds."""
        raise NotImplementedError

    async def undelivered(self, platform: str) -> list[OutboxEntry]:
        """The replies that are due to be tried again on this platform, each given to one process only."""
        raise NotImplementedError
