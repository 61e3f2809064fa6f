"""Whether a request comes from Microsoft's Bot Connector: its token's signature, issuer, audience, time and service URL."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Mapping
from typing import Any, Final

import jwt

from engine.errors import AlmanacError

ISSUER: Final = "https://api.botframework.com"
OPEN_ID: Final = "https://login.botframework.com/v1/.well-known/openidconfiguration"
_ALGORITHMS: Final = ["RS256", "RS384", "RS512"]
_LEEWAY: Final = 300  # seconds that clocks may differ
_KEYS_LAST: Final = 24 * 3600.0  # seconds
_ASK_AGAIN: Final = 60.0  # seconds between two looks for a key that is not known, so that made-up keys cost one look a minute

Fetch = Callable[[str], Awaitable[Mapping[str, Any]]]


class Unauthorized(AlmanacError):
    """A request that does not come from Teams, or not to this bot."""


class TokenCheck:
    """Checks tokens against the keys that the OpenID document leads to; the keys are fetched when first needed and then daily."""

    def __init__(self, app_id: str, fetch: Fetch, *, open_id: str = OPEN_ID, clock: Callable[[], float] = time.monotonic) -> None:
        self._app_id = app_id
        self._fetch = fetch
        self._open_id = open_id
        self._clock = clock
        self._keys: dict[str, Mapping[str, Any]] = {}
        self._fetched: float | None = None
        self._fetching = asyncio.Lock()

    async def claims(self, header: str, channel: str, service_url: str) -> dict[str, Any]:
        """The token's claims; raises Unauthorized unless it is signed for this bot, this channel and this service URL, and in time."""
        scheme, _, token = header.partition(" ")
        if scheme.casefold() != "bearer" or not token:
            raise Unauthorized("The request carries no token; only Microsoft Teams may call here.")
        try:
            kid = jwt.get_unverified_header(token).get("kid")
        except jwt.InvalidTokenError:
            raise Unauthorized("The request's token cannot be read; only Microsoft Teams may call here.") from None
        key = await self._key(kid) if isinstance(kid, str) else None
        if key is None:
            raise Unauthorized("The request's token is not signed by a key of Microsoft Teams.")
        endorsed = key.get("endorsements")
        if endorsed and channel not in endorsed:
            raise Unauthorized("The key of the request's token is not meant for this channel.")
        try:
            claims: dict[str, Any] = jwt.decode(
                token,
                jwt.PyJWK(dict(key), algorithm="RS256").key,
                algorithms=_ALGORITHMS,
                audience=self._app_id,
                issuer=ISSUER,
                leeway=_LEEWAY,
                options={"require": ["exp", "iss", "aud"]},
            )
        except jwt.PyJWTError:
            raise Unauthorized("The request's token is not valid for this bot, or no longer.") from None
        if not service_url or claims.get("serviceurl") != service_url:
            raise Unauthorized("The request's token is for another service URL than the activity's.")
        return claims

    async def _key(self, kid: str) -> Mapping[str, Any] | None:
        async with self._fetching:
            age = None if self._fetched is None else self._clock() - self._fetched
            if age is None or age > _KEYS_LAST or (kid not in self._keys and age > _ASK_AGAIN):
                document = await self._fetch(self._open_id)
                keys = (await self._fetch(str(document["jwks_uri"])))["keys"]
                self._keys = {str(key["kid"]): key for key in keys if key.get("kid")}
                self._fetched = self._clock()
        return self._keys.get(kid)
