"""Who may call: tokens that are not Teams' own, not for this bot, not in time or for another address are refused."""

from __future__ import annotations

import asyncio
import base64
import json
import time
from collections.abc import Awaitable, Callable
from typing import Any

import aiohttp
import jwt
import pytest
from cryptography.hazmat.primitives.asymmetric import rsa

from bot.teams.settings import TeamsSettings, is_loopback, teams_settings
from bot.teams.token import TokenCheck, Unauthorized
from tests.teams.standin import APP_ID, Teams, serve


def checking(work: Callable[[Teams, TokenCheck], Awaitable[None]], clock: Callable[[], float] = time.monotonic) -> None:
    """Runs the work with the keys served and a check that fetches them."""

    async def run() -> None:
        teams = Teams()
        runner, teams.url = await serve(teams.app())
        async with aiohttp.ClientSession() as http:

            async def fetch(url: str) -> dict[str, Any]:
                async with http.get(url) as response:
                    return await response.json()  # type: ignore[no-any-return]

            try:
                await work(teams, TokenCheck(APP_ID, fetch, open_id=f"{teams.url}/openid", clock=clock))
            finally:
                await runner.cleanup()

    asyncio.run(run())


def test_a_token_of_teams_passes_and_its_keys_are_fetched_once() -> None:
    async def work(teams: Teams, check: TokenCheck) -> None:
        for _ in range(3):
            claims = await check.claims(f"Bearer {teams.token()}", "msteams", teams.url)
            assert claims["aud"] == APP_ID
        assert teams.key_fetches == 1

    checking(work)


def unsigned(teams: Teams) -> str:
    parts = [base64.urlsafe_b64encode(json.dumps(part).encode()).decode().rstrip("=") for part in ({"alg": "none", "kid": teams.kid},)]
    return f"{parts[0]}.{teams.token().split('.')[1]}."


def by_shared_secret(teams: Teams) -> str:
    return jwt.encode({"iss": "https://api.botframework.com", "aud": APP_ID}, "k" * 40, algorithm="HS256", headers={"kid": teams.kid})


STRANGER = rsa.generate_private_key(public_exponent=65537, key_size=2048)
REFUSED: dict[str, Callable[[Teams], str]] = {
    "another audience": lambda teams: teams.token(aud="another bot"),
    "no audience": lambda teams: teams.token(aud=None),
    "expired": lambda teams: teams.token(exp=int(time.time()) - 3600),
    "without an end": lambda teams: teams.token(exp=None),
    "not yet": lambda teams: teams.token(nbf=int(time.time()) + 3600),
    "another issuer": lambda teams: teams.token(iss="https://sts.windows.net/x/"),
    "another service URL": lambda teams: teams.token(serviceurl="https://evil.example/"),
    "no service URL": lambda teams: teams.token(serviceurl=None),
    "another key under a known name": lambda teams: teams.token(key=STRANGER),
    "a key that is not known": lambda teams: teams.token(key=STRANGER, kid="mine"),
    "unsigned": unsigned,
    "signed by a shared secret": by_shared_secret,
    "no token": lambda teams: "",
    "no JWT": lambda teams: "a.b.c",
}


@pytest.mark.parametrize("why", REFUSED)
def test_what_is_refused(why: str) -> None:
    async def work(teams: Teams, check: TokenCheck) -> None:
        with pytest.raises(Unauthorized):
            await check.claims(f"Bearer {REFUSED[why](teams)}", "msteams", teams.url)

    checking(work)


def test_a_key_is_for_the_channels_that_endorse_it() -> None:
    async def work(teams: Teams, check: TokenCheck) -> None:
        with pytest.raises(Unauthorized):
            await check.claims(f"Bearer {teams.token()}", "directline", teams.url)

    checking(work)


def test_a_new_key_is_found_but_made_up_ones_do_not_cause_a_fetch_each() -> None:
    now = [0.0]

    async def work(teams: Teams, check: TokenCheck) -> None:
        await check.claims(f"Bearer {teams.token()}", "msteams", teams.url)
        for at in range(5):
            with pytest.raises(Unauthorized):
                await check.claims(f"Bearer {teams.token(kid=f'made up {at}')}", "msteams", teams.url)
        assert teams.key_fetches == 1
        teams.kid = "the next key"
        now[0] = 120.0
        await check.claims(f"Bearer {teams.token()}", "msteams", teams.url)
        assert teams.key_fetches == 2

    checking(work, clock=lambda: now[0])


@pytest.mark.parametrize(
    ("environ", "host", "said"),
    [
        ({}, "127.0.0.1", "MICROSOFT_APP_ID and MICROSOFT_APP_PASSWORD are not set"),
        ({"MICROSOFT_APP_ID": ""}, "0.0.0.0", "the host must be 127.0.0.1"),
        ({"MICROSOFT_APP_ID": "x"}, "0.0.0.0", "MICROSOFT_APP_PASSWORD is not set"),
    ],
)
def test_without_its_settings_teams_is_not_started_and_says_why(environ: dict[str, str], host: str, said: str) -> None:
    found = teams_settings(environ, host)
    assert isinstance(found, str) and said in found


def test_settings_come_from_the_environment() -> None:
    full = {"MICROSOFT_APP_ID": " x ", "MICROSOFT_APP_PASSWORD": "y", "MICROSOFT_APP_TENANT_ID": "z"}
    assert teams_settings(full, "0.0.0.0") == TeamsSettings(app_id="x", password="y", tenant="z")
    local = teams_settings({"MICROSOFT_APP_ID": ""}, "127.0.0.1")
    assert isinstance(local, TeamsSettings) and local.local


@pytest.mark.parametrize("host", ["127.0.0.1", "127.9.9.9", "localhost", "::1", "[::1]", "LOCALHOST"])
def test_loopback(host: str) -> None:
    assert is_loopback(host)


@pytest.mark.parametrize("host", ["", "0.0.0.0", "::", "10.0.0.1", "127.0.0.1.evil.example", "localhost.evil.example", "127.0.0.999"])
def test_no_loopback(host: str) -> None:
    assert not is_loopback(host)
