"""Commands of the chats: serving them, and what is uploaded to install the bot."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from bot.commands.common import PATH, chosen_catalog, with_tables
from bot.say import say
from engine.errors import UsageError

if TYPE_CHECKING:
    from jobs.alert import Alert


@click.command()
@with_tables
@click.option("--host", default="127.0.0.1", show_default=True, help="The address to listen at.")
@click.option("--port", default=8080, show_default=True, type=click.IntRange(1, 65535), help="The port to listen at.")
@click.option("--read-only-notice", "notice", metavar="TEXT", help="Answer everything with TEXT, and look nothing up.")
@click.option("--no-jobs", is_flag=True, help="Refresh no table; what other processes refresh is opened all the same.")
def serve(table: str | None, catalog: Path | None, host: str, port: int, notice: str | None, no_jobs: bool) -> None:
    """Answer in Slack and Teams, those of them whose settings are there, and keep the tables fresh."""
    from bot.answering import library_of, planner_of
    from bot.chat.alerts import alert_sentence, post_alert
    from bot.chat.asking import asking_of
    from bot.chat.settings import limit_settings, state_url
    from bot.chat.state import State
    from bot.serve import serve as serve_chats
    from engine.rights import Rights
    from engine.settings import warm_seconds
    from engine.warm import warming
    from jobs.fresh import Fresh
    from jobs.scheduler import Scheduler

    if notice is not None and not notice.strip():
        raise UsageError("--read-only-notice is empty; it must say what people are to be told.")
    chosen = chosen_catalog(table, catalog)
    seconds = 0.0 if notice else warm_seconds()
    planner = None if notice else planner_of(chosen)
    if planner and limit_settings().spend and not any(planner.budget.price):
        raise UsageError(
            "ALMANAC_MODEL_SPEND_A_DAY limits what models cost, and what they cost is not told; set ALMANAC_MODEL_PRICE as well."
        )
    state = State(state_url())
    rights = Rights(chosen)
    refreshes = not (notice or no_jobs)

    def tell(alert: Alert) -> None:
        say(alert_sentence(alert))
        post_alert(state, alert)

    with library_of(chosen, *rights.likely(), only_built=True, opens=not notice) as library, warming(library, rights.likely(), seconds):
        scheduler = Scheduler(state.database)
        fresh = Fresh(library, scheduler.ledger, rights.likely(), tell, scheduler.stopping)
        for job in () if notice else (fresh.noticing(), *(fresh.jobs() if refreshes else ())):
            scheduler.add(job)
        told = "" if notice is None else notice.strip()
        tables = chosen.tables if refreshes else ()
        serve_chats(state, asking_of(library, rights, planner), host, port, say, notice=told, scheduler=scheduler, tables=tables)


@click.group()
def manifest() -> None:
    """Write what is uploaded to Slack or Teams to install the bot."""


@manifest.command("slack")
@click.option("--url", default="", metavar="URL", help="The https address that Slack reaches `almanac serve` at; none for Socket Mode.")
def manifest_slack(url: str) -> None:
    """Print the manifest of the Slack app."""
    from bot.slack.manifest import manifest as slack_manifest

    click.echo(slack_manifest(url), nl=False)


@manifest.command("teams")
@click.option("--app-id", required=True, metavar="ID", help="The application id of the bot's registration.")
@click.option("--domain", required=True, metavar="DOMAIN", help="The domain that `almanac serve` is reached at.")
@click.option("--out", required=True, type=PATH, metavar="FILE.zip", help="Where to write the package.")
def manifest_teams(app_id: str, domain: str, out: Path) -> None:
    """Write the package of the Teams app."""
    from bot.teams.manifest import write_package

    write_package(app_id, domain, out)
    say(f'Wrote "{out}"; upload it in Teams under Apps, Manage your apps.')
