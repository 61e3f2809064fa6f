"""Teams on loopback, as strict as the real thing: the connector, the keys that its tokens are signed with, tokens for the bot, OneDrive."""

from __future__ import annotations

import asyncio
import itertools
import json
import secrets
import time
from collections import defaultdict
from dataclasses import dataclass, field
from typing import Any

import aiohttp
import jwt
import requests
from aiohttp import web
from botframework.connector.auth import AppCredentials
from cryptography.hazmat.primitives.asymmetric import rsa

from tests.teams.card_check import elements, message_problems

ISSUER = "https://api.botframework.com"
APP_ID, SECRET, TENANT = "00000000-0000-4000-8000-000000000001", "a client secret", "11111111-0000-4000-8000-000000000002"
BOT = {"id": f"28:{APP_ID}", "name": "Almanac"}
ANSWER_SECONDS = 5.0
REGULARS = ("Dana", "ann", "ben")  # who is in every conversation that nothing else is said of


class Credentials(AppCredentials):  # type: ignore[misc]
    """The bot's token from the stand-in's token endpoint, by id and secret, kept until it is told to be renewed."""

    def __init__(self, url: str, secret: str = SECRET) -> None:
        super().__init__(app_id=APP_ID)
        self._url, self._secret, self._token = url, secret, ""

    def get_access_token(self, force_refresh: bool = False) -> str:
        """The token; raises PermissionError where the secret is wrong."""
        if not self._token or force_refresh:
            found = requests.post(f"{self._url}/token", data={"client_id": APP_ID, "client_secret": self._secret}, timeout=5)
            if found.status_code != 200:
                raise PermissionError("no token")
            self._token = found.json()["access_token"]
        return self._token


@dataclass
class Posted:
    """One call of the connector that it took: "post", "reply" or "update"."""

    how: str
    conversation: str
    id: str
    activity: dict[str, Any]

    @property
    def card(self) -> dict[str, Any]:
        """The message's card."""
        return self.activity["attachments"][0]["content"]  # type: ignore[no-any-return]


@dataclass
class Teams:
    """The stand-in: `said` is what the bot posted; what it refused stands in `refused` with the reason."""

    bot: str = ""  # the bot's address
    url: str = ""
    said: list[Posted] = field(default_factory=list)
    refused: list[str] = field(default_factory=list)
    files: dict[str, bytes] = field(default_factory=dict)
    conversations: set[str] = field(default_factory=set)
    gone: set[str] = field(default_factory=set)  # conversations that the bot was removed from
    strangers: set[str] = field(default_factory=set)  # people for whom the bot is not installed
    down: bool = False  # no message is taken
    fail: list[tuple[int, dict[str, str]]] = field(default_factory=list)  # statuses of the next calls that say something, each with headers
    people: dict[str, dict[str, Any]] = field(default_factory=dict)  # what is not as it is with everybody: email, userRole, tenantId ...
    members: dict[str, list[str]] = field(
        default_factory=dict
    )  # by conversation; the regulars and whoever wrote there where it is not said
    most_a_page: int = 500
    roster_fail: list[tuple[int, dict[str, str]]] = field(default_factory=list)  # as `fail`, for calls that ask for people
    roster_down: bool = False  # nobody is told of
    asked: list[tuple[str, str]] = field(default_factory=list)  # ("member", id) and ("members", conversation): the calls for people
    seconds: list[float] = field(default_factory=list)  # that the bot took to answer requests
    key: rsa.RSAPrivateKey = field(default_factory=lambda: rsa.generate_private_key(public_exponent=65537, key_size=2048))
    kid: str = "a key"
    tokens: set[str] = field(default_factory=set)
    key_fetches: int = 0

    def __post_init__(self) -> None:
        self._numbers = itertools.count(1)
        self._changed = asyncio.Condition()
        self._ids: dict[str, set[str]] = defaultdict(set)
        self._been: dict[str, dict[str, None]] = defaultdict(dict)
        self._following: dict[str, tuple[str, int]] = {}

    # ---- what it serves

    def app(self) -> web.Application:
        """The endpoints: keys, tokens, the connector, uploads."""
        app = web.Application()
        app.router.add_get("/openid", self._openid)
        app.router.add_get("/keys", self._keys)
        app.router.add_post("/token", self._token)
        app.router.add_post("/v3/conversations", self._create)
        app.router.add_get("/v3/conversations/{conversation}/members/{member}", self._member)
        app.router.add_get("/v3/conversations/{conversation}/pagedmembers", self._members)
        app.router.add_post("/v3/conversations/{conversation}/activities", self._post)
        app.router.add_post("/v3/conversations/{conversation}/activities/{activity}", self._post)
        app.router.add_put("/v3/conversations/{conversation}/activities/{activity}", self._post)
        app.router.add_put("/upload/{name}", self._upload)
        return app

    async def _openid(self, request: web.Request) -> web.Response:
        return web.json_response({"issuer": ISSUER, "jwks_uri": f"{self.url}/keys", "id_token_signing_alg_values_supported": ["RS256"]})

    async def _keys(self, request: web.Request) -> web.Response:
        self.key_fetches += 1
        key = json.loads(jwt.algorithms.RSAAlgorithm.to_jwk(self.key.public_key()))
        return web.json_response({"keys": [key | {"kid": self.kid, "use": "sig", "endorsements": ["msteams"]}]})

    async def _token(self, request: web.Request) -> web.Response:
        form = await request.post()
        if (form.get("client_id"), form.get("client_secret")) != (APP_ID, SECRET):
            return web.json_response({"error": "invalid_client"}, status=401)
        token = secrets.token_hex(16)
        self.tokens.add(token)
        return web.json_response({"token_type": "Bearer", "expires_in": 3600, "access_token": token})

    async def _create(self, request: web.Request) -> web.Response:
        """A chat with one person, where the bot is installed for them."""
        if request.headers.get("Authorization", "").removeprefix("Bearer ") not in self.tokens:
            return self._refuse(401, "a call without a token of this bot")
        asked = await request.json()
        members = [member["id"] for member in asked.get("members", [])]
        if (
            len(members) != 1
            or asked.get("isGroup")
            or asked.get("tenantID", asked.get("tenantId")) != TENANT
            or asked.get("bot", {}).get("id") != BOT["id"]
        ):
            return self._refuse(400, "no chat of one person with this bot")
        if members[0] in self.strangers:
            return self._refuse(403, "the bot is not installed for this person")
        name = f"personal of {members[0]}"
        self.conversations.add(name)
        return web.json_response({"id": name}, status=201)

    async def _post(self, request: web.Request) -> web.Response:
        raw = await request.read()
        conversation = request.match_info["conversation"]
        if self.down:
            return self._refuse(503, "out of order")
        if self.fail and json.loads(raw).get("type") != "typing":  # whether a sign of work is said depends on how long it takes
            status, headers = self.fail.pop(0)
            return self._refuse(status, "as told", headers)
        if request.headers.get("Authorization", "").removeprefix("Bearer ") not in self.tokens:
            return self._refuse(401, "a call without a token of this bot")
        if conversation in self.gone:
            return self._refuse(403, "BotNotInConversationRoster")
        if conversation not in self.conversations:
            return self._refuse(404, f"no conversation {conversation}")
        activity = json.loads(raw)
        if problems := message_problems(activity, len(raw)):
            return self._refuse(400, "; ".join(problems))
        told = request.match_info.get("activity", "")
        if request.method == "PUT":
            if told not in self._ids[conversation]:
                return self._refuse(404, f"no message {told} to replace")
            how, number = "update", told
        else:
            how, number = ("reply" if told else "post"), f"m{next(self._numbers)}"
        self._ids[conversation].add(number)
        async with self._changed:
            self.said.append(Posted(how, conversation, number, activity))
            self._changed.notify_all()
        return web.json_response({"id": number}, status=201 if how != "update" else 200)

    def account(self, person: str) -> dict[str, Any]:
        """A person as a roster has them."""
        plain = {"id": f"29:{person}", "name": person, "objectId": f"aad-{person}", "email": "", "tenantId": TENANT, "userRole": "user"}
        principal = {"userPrincipalName": f"{person}@example.com", "givenName": person, "surname": "X"}
        return {name: value for name, value in (plain | principal | self.people.get(person, {})).items() if value is not None}

    def in_conversation(self, conversation: str) -> list[str]:
        """Who is in a conversation, by name; a thread has those of its channel."""
        return self.members.get(conversation) or list(dict.fromkeys((*REGULARS, *self._been[conversation])))

    def _no_roster(self, request: web.Request) -> web.Response | None:
        """Why a roster is not told."""
        conversation = request.match_info["conversation"]
        if self.roster_down:
            return self._refuse(503, "out of order")
        if self.roster_fail:
            status, headers = self.roster_fail.pop(0)
            return self._refuse(status, "as told", headers)
        if request.headers.get("Authorization", "").removeprefix("Bearer ") not in self.tokens:
            return self._refuse(401, "a call without a token of this bot")
        if conversation in self.gone:
            return self._refuse(403, "BotNotInConversationRoster")
        if conversation not in {name.partition(";")[0] for name in self.conversations}:
            return self._refuse(404, f"no roster of {conversation}")  # a thread has none of its own
        return None

    async def _member(self, request: web.Request) -> web.Response:
        conversation, member = request.match_info["conversation"], request.match_info["member"]
        self.asked.append(("member", member))
        if refused := self._no_roster(request):
            return refused
        for account in map(self.account, self.in_conversation(conversation)):
            if member in (account["id"], account.get("objectId")):
                account["aadObjectId"] = account.pop("objectId", None)
                return web.json_response(account)
        return self._refuse(404, f"MemberNotFoundInConversation {member}")

    async def _members(self, request: web.Request) -> web.Response:
        conversation, size = request.match_info["conversation"], request.query.get("pageSize", "200")
        self.asked.append(("members", conversation))
        if refused := self._no_roster(request):
            return refused
        if not size.isdecimal() or not 50 <= int(size) <= 500:
            return self._refuse(400, f"a page of {size}")
        token, start = request.query.get("continuationToken"), 0
        if token is not None:
            if self._following.get(token, ("", 0))[0] != conversation:
                return self._refuse(400, "a token of another list")
            start = self._following[token][1]
        found = self.in_conversation(conversation)
        end = start + min(int(size), self.most_a_page)
        page: dict[str, Any] = {"members": [self.account(person) for person in found[start:end]]}
        if end < len(found):
            page["continuationToken"] = f"{next(self._numbers)}+/="
            self._following[page["continuationToken"]] = (conversation, end)
        return web.json_response(page)

    def _refuse(self, status: int, why: str, headers: dict[str, str] | None = None) -> web.Response:
        self.refused.append(f"{status} {why}")
        return web.json_response({"error": {"code": "Refused", "message": why}}, status=status, headers=headers)

    async def _upload(self, request: web.Request) -> web.Response:
        data = await request.read()
        if request.headers.get("Content-Range") != f"bytes 0-{len(data) - 1}/{len(data)}":
            return web.Response(status=416)
        self.files[request.match_info["name"]] = data
        return web.Response(status=201)

    # ---- what it sends

    def token(self, **changes: Any) -> str:
        """A token as Teams signs it; changes replace claims, None takes one away; `key` and `kid` replace what it is signed with."""
        key, kid = changes.pop("key", self.key), changes.pop("kid", self.kid)
        now = int(time.time())
        claims = {"iss": ISSUER, "aud": APP_ID, "serviceurl": self.url, "nbf": now - 10, "exp": now + 3600} | changes
        claims = {name: value for name, value in claims.items() if value is not None}
        return jwt.encode(claims, key, algorithm="RS256", headers={"kid": kid})

    def activity(
        self, text: str | None = None, *, kind: str = "message", conversation: str = "personal", person: str = "Dana", **more: Any
    ) -> dict[str, Any]:
        """An activity as Teams sends it; a conversation with ";messageid=" in its name is a thread of a channel."""
        channel = ";messageid=" in conversation
        self.conversations |= {conversation, conversation.partition(";")[0]}  # in a channel a new thread can be begun
        self._been[conversation.partition(";")[0]][person] = None
        made: dict[str, Any] = {
            "type": kind,
            "id": f"a{next(self._numbers)}",
            "timestamp": "2026-11-30T08:00:00.000Z",
            "localTimezone": "Asia/Jerusalem",
            "locale": "en-US",
            "channelId": "msteams",
            "serviceUrl": self.url,
            "from": {"id": f"29:{person}", "name": person, "aadObjectId": f"aad-{person}"},
            "recipient": BOT,
            "conversation": {"id": conversation, "tenantId": TENANT, "conversationType": "channel" if channel else "personal"},
            "channelData": {"tenant": {"id": TENANT}},
        }
        if text is not None:
            made |= {"text": text, "textFormat": "plain"}
        return made | more

    async def send(self, activity: dict[str, Any], token: str | None = None, headers: dict[str, str] | None = None) -> tuple[int, Any]:
        """Posts an activity to the bot: status and the reply's JSON, None where it has none. Fails where the bot takes longer than Teams waits."""
        sent = {"Authorization": f"Bearer {self.token() if token is None else token}"} if headers is None else headers
        began = time.monotonic()
        timeout = aiohttp.ClientTimeout(total=ANSWER_SECONDS)
        async with aiohttp.ClientSession(timeout=timeout) as http, http.post(self.bot, json=activity, headers=sent) as response:
            raw = await response.read()
        self.seconds.append(time.monotonic() - began)
        return response.status, json.loads(raw) if raw else None

    async def press(self, posted: Posted, title: str, *, choose: str = "", person: str = "Dana", **more: Any) -> tuple[int, Any]:
        """Presses the button of that title on a message's latest card; choose is the title of a choice of the menu beside it."""
        button = next(e for e in elements(posted.card) if e["type"] == "Action.Execute" and e["title"] == title)
        data = dict(button["data"])
        for menu in elements(posted.card):
            if menu["type"] == "Input.ChoiceSet":
                data[menu["id"]] = next((c["value"] for c in menu["choices"] if c["title"] == choose), "")
        return await self.press_data(posted, data, person=person, **more)

    async def press_data(self, posted: Posted, data: dict[str, Any], *, person: str = "Dana", **more: Any) -> tuple[int, Any]:
        """Sends the data of a button as Teams does for Action.Execute."""
        value = {"action": {"type": "Action.Execute", "verb": "almanac", "data": data}, "trigger": "manual"}
        name = "adaptiveCard/action"
        where = posted.conversation
        if "@thread" in where and ";messageid=" not in where:
            where = f"{where};messageid={posted.id}"  # what begins a thread stands in it
        sent = self.activity(kind="invoke", conversation=where, person=person, name=name, value=value, replyToId=posted.id)
        return await self.send(sent | more)

    async def until(self, count: int, seconds: float = 10.0) -> list[Posted]:
        """Waits until the bot has posted so many messages (signs of work are not counted), and gives them."""
        async with self._changed:
            await asyncio.wait_for(self._changed.wait_for(lambda: len(self.messages) >= count), seconds)
        return self.messages

    @property
    def standing(self) -> list[Posted]:
        """The messages as they stand now: an update has taken the place of what was there."""
        latest: dict[str, Posted] = {}
        for posted in self.messages:
            latest[posted.id] = posted
        return list(latest.values())

    async def accept(self, posted: Posted, *, action: str = "accept", person: str = "Dana", **upload: Any) -> int:
        """Takes or declines a file that was offered."""
        attachment = posted.activity["attachments"][0]
        name = attachment["name"]
        told = {
            "uploadUrl": f"{self.url}/upload/{name}",
            "contentUrl": f"{self.url}/file/{name}",
            "name": name,
            "uniqueId": "u",
            "fileType": "x",
        }
        value: dict[str, Any] = {"type": "fileUpload", "action": action, "context": attachment["content"]["acceptContext"]}
        if action == "accept":
            value["uploadInfo"] = told | upload
        conversation = posted.conversation
        sent = self.activity(
            kind="invoke", conversation=conversation, person=person, name="fileConsent/invoke", value=value, replyToId=posted.id
        )
        status, _ = await self.send(sent)
        return status

    @property
    def messages(self) -> list[Posted]:
        """What was posted, without signs of work."""
        return [posted for posted in self.said if posted.activity["type"] == "message"]


async def serve(app: web.Application) -> tuple[web.AppRunner, str]:
    """An application on a free port of loopback, and its address."""
    runner = web.AppRunner(app)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    host, port = runner.addresses[0][:2]
    return runner, f"http://{host}:{port}"
