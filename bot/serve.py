"""One HTTP server for all chats: each surface whose settings are there is started, the others say why they are not."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import AsyncIterator, Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from typing import Final

from aiohttp import web

from bot.chat.alerts import unreachable
from bot.chat.asking import Asking
from bot.chat.audit import Audit
from bot.chat.handler import Handler
from bot.chat.limits import Limits
from bot.chat.outbox import keep_emptying
from bot.chat.sentences import heard_language
from bot.chat.settings import audit_days, keep_days, limit_settings
from bot.chat.state import State
from bot.chat.types import Deliver
from engine.catalog import TableEntry
from engine.errors import UsageError
from engine.settings import given, setting
from engine.types import Scope
from jobs.scheduler import Scheduler

FORGET_EVERY: Final = 3600.0  # seconds
TICK_EVERY: Final = 5.0  # seconds between two looks at what is scheduled
CALLS_AT_ONCE: Final = 32  # of a platform, whose clients wait in threads
log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Surface:
    """A chat: its name, and what starts it or says in one sentence why it is not started."""

    name: str
    start: Callable[[web.Application, Handler, str], Deliver | str]


def application(
    state: State,
    asking: Asking,
    host: str,
    surfaces: Sequence[Surface] | None = None,
    *,
    notice: str = "",
    scheduler: Scheduler | None = None,
    tables: Sequence[TableEntry] = (),
) -> tuple[web.Application, list[str]]:
    """The server's application, and a sentence on each surface; raises UsageError where a setting is wrong.

    With a notice everything is answered with it, and nothing is looked up. It closes the handler and the state when it ends.
    scheduler: its jobs are done as long as it runs. tables: those whose alerts are to be said.
    """
    days, days_of_audit = keep_days(), audit_days()
    handler = Handler(state, asking, secret=setting("ALMANAC_SECRET"), notice=notice, limits=Limits(state, limit_settings()))
    app = web.Application(client_max_size=4 * 1024**2)
    delivers: dict[str, Deliver] = {}
    told: list[str] = []
    for surface in SURFACES if surfaces is None else surfaces:
        started = surface.start(app, handler, host)
        if isinstance(started, str):
            told.append(started)
        else:
            delivers[surface.name.casefold()] = started
            told.append(f"{surface.name} is started.")

    told += unreachable(state, tables, delivers)

    async def health(_: web.Request) -> web.Response:
        return web.json_response({"status": "alive"})

    async def ready(_: web.Request) -> web.Response:
        try:
            tables = 0 if notice else await asyncio.to_thread(_most_tables, asking)
            waiting = await asyncio.to_thread(state.waiting)
        except Exception:  # a probe is answered, whatever is wrong
            log.exception("not ready")
            return web.json_response({"status": "not ready"}, status=503)
        status = 200 if (tables or notice) and delivers else 503
        body = {"status": "ready" if status == 200 else "not ready", "tables": tables, "surfaces": sorted(delivers), "waiting": waiting}
        return web.json_response(body, status=status)

    async def running(_: web.Application) -> AsyncIterator[None]:
        asyncio.get_running_loop().set_default_executor(ThreadPoolExecutor(CALLS_AT_ONCE, thread_name_prefix="calls"))
        await asyncio.to_thread(heard_language, "a word")  # reads all languages, which the first question would wait for
        tasks = [asyncio.create_task(keep_emptying(handler, platform, deliver)) for platform, deliver in delivers.items()]
        tasks.append(asyncio.create_task(_forget(state, days, days_of_audit)))
        if not notice:
            tasks.append(asyncio.create_task(_tick(handler)))
        if scheduler is not None:
            await asyncio.to_thread(scheduler.start)
        yield
        if scheduler is not None:
            await asyncio.to_thread(scheduler.stop)
        for task in tasks:
            task.cancel()
            with suppress(asyncio.CancelledError):
                await task
        await asyncio.to_thread(handler.close)
        state.close()

    app.router.add_get("/health", health)
    app.router.add_get("/ready", ready)
    # before the surfaces', whose work still needs the handler when theirs ends
    app.cleanup_ctx.insert(0, running)
    return app, told


def serve(
    state: State,
    asking: Asking,
    host: str,
    port: int,
    say: Callable[[str], None],
    *,
    notice: str = "",
    scheduler: Scheduler | None = None,
    tables: Sequence[TableEntry] = (),
) -> None:
    """Serves until it is told to stop; raises UsageError where it cannot listen there."""
    app, told = application(state, asking, host, notice=notice, scheduler=scheduler, tables=tables)
    for sentence in told:
        say(sentence)
    say(f"Listening at http://{host}:{port}.")
    try:
        web.run_app(app, host=host, port=port, print=None, access_log=None, handle_signals=True, shutdown_timeout=15.0)
    except OSError:
        raise UsageError(
            f"Nothing can listen at {host}, port {port}; it is taken or not allowed, so name another with --host and --port."
        ) from None


def _most_tables(asking: Asking) -> int:
    """How many tables the first of those who may see any can ask: a member of no group comes first, and may be shown nothing."""
    scopes = [asking.rights] if isinstance(asking.rights, Scope) else asking.rights.likely()
    return next(filter(None, (len(asking.tables(scope)) for scope in scopes)), 0)


async def _forget(state: State, days: float, days_of_audit: float) -> None:
    while True:
        try:
            await asyncio.to_thread(state.forget, days)
            await asyncio.to_thread(Audit(state).forget, days_of_audit)
        except Exception:
            log.exception("what is old could not be forgotten")
        await asyncio.sleep(FORGET_EVERY)


async def _tick(handler: Handler) -> None:
    while True:
        await handler.tick(time.time())
        await asyncio.sleep(TICK_EVERY)


def _start_slack(app: web.Application, handler: Handler, host: str) -> Deliver | str:
    from bot.slack.settings import slack_settings

    settings = slack_settings()
    if isinstance(settings, str):
        return settings
    from bot.slack.surface import register  # slack-bolt, which a server without Slack does not need

    return register(app, handler, settings)


def _start_teams(app: web.Application, handler: Handler, host: str) -> Deliver | str:
    from bot.teams.settings import teams_settings

    settings = teams_settings(given(), host)
    if isinstance(settings, str):
        return settings
    from bot.teams.surface import register

    return register(app, handler, settings)


SURFACES: Final = (Surface("Slack", _start_slack), Surface("Teams", _start_teams))
