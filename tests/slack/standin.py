"""Slack on loopback, as strict as the real thing: its Web API, what it posts to an app, response addresses, uploads and Socket Mode."""

from __future__ import annotations

import asyncio
import hashlib
import hmac
import itertools
import json
import time
from collections import defaultdict
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlencode

import aiohttp
from aiohttp import web

from tests.slack import blocks_check as check
from tests.slack.views import Modal, Views, answered, submission
from tests.slack.workspace import BOT_USER as BOT_USER
from tests.slack.workspace import TEAM as TEAM
from tests.slack.workspace import Workspace

BOT_ID, APP = "B0BOT", "A0APP"
BOT_TOKEN, APP_TOKEN, SECRET = "xoxb-stand-in", "xapp-stand-in", "a signing secret"
# what each method needs of a token; those that read messages or members by the kind of channel
SCOPES = {
    "auth.test": (),
    "chat.postMessage": ("chat:write",),
    "chat.postEphemeral": ("chat:write",),
    "chat.update": ("chat:write",),
    "chat.delete": ("chat:write",),
    "users.info": ("users:read",),
    "users.list": ("users:read",),
    "usergroups.list": ("usergroups:read",),
    "conversations.members": (),
    "conversations.open": ("im:write",),
    "conversations.replies": (),
    "conversations.history": (),
    "files.getUploadURLExternal": ("files:write",),
    "files.completeUploadExternal": ("files:write",),
    "apps.connections.open": ("connections:write",),
    "views.open": (),
    "views.update": (),
}
HISTORY = {"C": "channels:history", "G": "groups:history", "D": "im:history", "M": "mpim:history"}
READ = {"C": "channels:read", "G": "groups:read", "D": "im:read", "M": "mpim:read"}
BY_CHANNEL = {"conversations.replies": HISTORY, "conversations.history": HISTORY, "conversations.members": READ}
# these read no JSON
FORM_ONLY = {"users.info", "users.list", "files.getUploadURLExternal", *BY_CHANNEL}
RESPONSES = 5  # that one response address takes


@dataclass
class Fault:
    """What goes wrong with the next call of a method: a status (429 with Retry-After, 500), an error, or a lost response.

    lost: "after" does what was asked and breaks the connection, "before" breaks it first.
    """

    status: int = 200
    retry_after: float | None = None
    error: str = ""
    lost: str = ""


@dataclass
class Posted:
    """A message as a reader of Slack has it now, and every form that it had before."""

    ts: str
    channel: str
    thread: str
    text: str
    blocks: list[dict[str, Any]]
    only_for: str = ""
    user: str = BOT_USER
    metadata: dict[str, Any] = field(default_factory=dict)
    versions: list[tuple[str, list[dict[str, Any]]]] = field(default_factory=list)
    files: list[tuple[str, bytes]] = field(default_factory=list)


class Slack(Workspace):
    """One workspace with one app. `address` is for SLACK_API_URL; `app` is where the app listens."""

    def __init__(self) -> None:
        super().__init__()
        self.tokens: dict[str, set[str]] = {BOT_TOKEN: set(), APP_TOKEN: {"connections:write"}}
        self.revoked: set[str] = set()
        self.deleted_channels: set[str] = set()
        self.not_in: set[str] = set()
        self.messages: list[Posted] = []
        self.calls: list[tuple[str, dict[str, Any]]] = []
        self.refused: list[tuple[str, str]] = []
        self.used_scopes: set[str] = set()
        self.faults: dict[str, list[Fault]] = defaultdict(list)
        self.broken: set[str] = set()  # methods that answer 503 until they are taken out
        self.waiting_until: dict[str, float] = {}  # by method: when Retry-After has passed
        self.called_too_soon: list[str] = []
        self.responses: dict[str, dict[str, Any]] = {}  # by response address: where it says things, and how often it may yet
        self.views = Views()
        self.last_answer = ""  # the body of the app's last response
        self.uploads: dict[str, tuple[str, bytes]] = {}
        self.sockets: list[web.WebSocketResponse] = []
        self.envelopes: dict[str, asyncio.Future[dict[str, Any]]] = {}
        self.app = ""
        self.address = ""
        self.redeliver_after = 3.0
        self.sent: list[tuple[int, float]] = []  # status and seconds of each delivery to the app
        self._numbers = itertools.count(1)
        self._runner: web.AppRunner | None = None
        self._session: aiohttp.ClientSession | None = None
        self._origin = ""

    async def __aenter__(self) -> Slack:
        application = web.Application(client_max_size=1 << 26)
        application.router.add_route("*", "/api/{method}", self._api)
        application.router.add_post("/response/{key}", self._response)
        application.router.add_post("/upload/{key}", self._upload)
        application.router.add_get("/socket", self._socket)
        self._runner = web.AppRunner(application, access_log=None)
        await self._runner.setup()
        site = web.TCPSite(self._runner, "127.0.0.1", 0)
        await site.start()
        self._origin = f"http://127.0.0.1:{self._runner.addresses[0][1]}"
        self.address = f"{self._origin}/api/"
        self._session = aiohttp.ClientSession()
        return self

    async def __aexit__(self, *_: object) -> None:
        assert self._session and self._runner
        await self._session.close()
        for socket in self.sockets:
            await socket.close()
        await self._runner.cleanup()

    # ---- what the app calls

    async def _api(self, request: web.Request) -> web.StreamResponse:
        method = request.match_info["method"]
        if request.content_type == "application/json":
            arguments = await request.json()
            if method in FORM_ONLY and arguments:
                return web.json_response(_no("invalid_arguments"))
        else:
            arguments = dict(await request.post()) | dict(request.query)
            for key in ("blocks", "metadata", "files"):
                if isinstance(arguments.get(key), str):
                    arguments[key] = json.loads(arguments[key])
        self.calls.append((method, arguments))
        if time.monotonic() < self.waiting_until.get(method, 0):
            self.called_too_soon.append(method)
            return web.json_response({"ok": False, "error": "ratelimited"}, status=429, headers={"Retry-After": "1"})
        fault = self.faults[method].pop(0) if self.faults[method] else Fault()
        if fault.retry_after is not None:
            self.waiting_until[method] = time.monotonic() + fault.retry_after
            headers = {"Retry-After": str(int(fault.retry_after))}
            return web.json_response({"ok": False, "error": "ratelimited"}, status=429, headers=headers)
        if method in self.broken:
            return web.Response(status=503, text="upstream error")
        if fault.lost == "before":
            assert request.transport
            request.transport.abort()
            return web.Response()
        if fault.status != 200:
            return web.Response(status=fault.status, text="upstream error")
        answer = {"ok": False, "error": fault.error} if fault.error else self._call(method, arguments, self._token(request, arguments))
        if not answer["ok"]:
            self.refused.append((method, answer["error"] + (f": {answer['why']}" if "why" in answer else "")))
        if fault.lost == "after":
            assert request.transport
            request.transport.abort()
        return web.json_response(answer)

    @staticmethod
    def _token(request: web.Request, arguments: dict[str, Any]) -> str:
        return request.headers.get("Authorization", "").removeprefix("Bearer ") or str(arguments.get("token", ""))

    def _call(self, method: str, arguments: dict[str, Any], token: str) -> dict[str, Any]:
        if method not in SCOPES:
            return _no("unknown_method")
        if token in self.revoked:
            return _no("token_revoked")
        if token not in self.tokens:
            return _no("invalid_auth" if token else "not_authed")
        needed = set(SCOPES[method])
        if method in BY_CHANNEL:
            needed = {BY_CHANNEL[method][str(arguments.get("channel", "C"))[0]]}
        if missing := needed - self.tokens[token]:
            return _no("missing_scope", needed=",".join(missing))
        self.used_scopes |= needed
        channel = str(arguments.get("channel") or arguments.get("channel_id") or "")
        if channel in self.deleted_channels:
            return _no("channel_not_found")
        if channel in self.not_in and method != "conversations.members":
            return _no("not_in_channel")
        does: Callable[[dict[str, Any]], dict[str, Any]] = getattr(self, "_" + method.replace(".", "_"))
        return does(arguments)

    def _auth_test(self, _: dict[str, Any]) -> dict[str, Any]:
        return {"ok": True, "url": "https://team.slack.com/", "team_id": TEAM, "user_id": BOT_USER, "bot_id": BOT_ID, "user": "almanac"}

    def _message_wrong(self, arguments: dict[str, Any], most_text: int = 0) -> dict[str, Any] | None:
        if not arguments.get("text") and not arguments.get("blocks"):
            return _no("no_text")
        if len(arguments.get("text", "")) > (most_text or check.MOST_TEXT):
            return _no("msg_too_long")
        if arguments.get("blocks") is not None and (why := check.wrong_with(arguments["blocks"])):
            return _no("invalid_blocks", why=why)
        return None

    def _say(self, arguments: dict[str, Any], only_for: str = "") -> Posted:
        posted = Posted(
            ts=self.new_ts(),
            channel=arguments["channel"],
            thread=arguments.get("thread_ts") or "",
            text=arguments.get("text", ""),
            blocks=arguments.get("blocks") or [],
            only_for=only_for,
            metadata=arguments.get("metadata") or {},
        )
        self.messages.append(posted)
        return posted

    def _chat_postMessage(self, arguments: dict[str, Any]) -> dict[str, Any]:
        if not arguments.get("channel"):
            return _no("channel_not_found")
        if (wrong := self._message_wrong(arguments)) is not None:
            return wrong
        posted = self._say(arguments)
        return {"ok": True, "channel": posted.channel, "ts": posted.ts, "message": _seen(posted)}

    def _chat_postEphemeral(self, arguments: dict[str, Any]) -> dict[str, Any]:
        if "metadata" in arguments:
            return _no("invalid_arguments")
        if (wrong := self._message_wrong(arguments)) is not None:
            return wrong
        return {"ok": True, "message_ts": self._say(arguments, only_for=arguments["user"]).ts}

    def _find(self, arguments: dict[str, Any]) -> Posted | None:
        mine = (m for m in self.messages if not m.only_for and m.user == BOT_USER)
        return next((m for m in mine if (m.channel, m.ts) == (arguments["channel"], arguments["ts"])), None)

    def _chat_update(self, arguments: dict[str, Any]) -> dict[str, Any]:
        if (wrong := self._message_wrong(arguments, check.MOST_TEXT_OF_UPDATE)) is not None:
            return wrong
        if (posted := self._find(arguments)) is None:
            return _no("message_not_found")
        posted.versions.append((posted.text, posted.blocks))
        posted.text, posted.blocks = arguments.get("text", ""), arguments.get("blocks") or []
        posted.metadata = arguments.get("metadata") or posted.metadata
        return {"ok": True, "channel": posted.channel, "ts": posted.ts, "text": posted.text}

    def _chat_delete(self, arguments: dict[str, Any]) -> dict[str, Any]:
        if (posted := self._find(arguments)) is None:
            return _no("message_not_found")
        self.messages.remove(posted)
        return {"ok": True, "channel": posted.channel, "ts": posted.ts}

    def _users_info(self, arguments: dict[str, Any]) -> dict[str, Any]:
        user = arguments["user"]
        if user in self.strangers:
            return _no("user_not_found")
        found = self.user(user, self._emails())
        if arguments.get("include_locale") != "true":
            found.pop("locale", None)
        return {"ok": True, "user": found}

    def _emails(self) -> bool:
        """Whether the bot may see addresses."""
        may = "users:read.email" in self.tokens[BOT_TOKEN]
        self.used_scopes |= {"users:read.email"} if may else set()
        return may

    def _users_list(self, arguments: dict[str, Any]) -> dict[str, Any]:
        return self.paged("everybody", self.everybody(self._emails()), arguments)

    def _usergroups_list(self, arguments: dict[str, Any]) -> dict[str, Any]:
        if not self.paid:
            return _no("plan_upgrade_required")
        return {"ok": True, "usergroups": self.groups(arguments.get("include_users") == "true")}

    def _conversations_members(self, arguments: dict[str, Any]) -> dict[str, Any]:
        channel = str(arguments.get("channel") or "")
        if not channel or (channel in self.not_in and channel[0] != "C"):  # a public channel tells everybody
            return _no("channel_not_found")
        return self.paged(channel, self.in_channel(channel), arguments)

    def _conversations_open(self, arguments: dict[str, Any]) -> dict[str, Any]:
        return {"ok": True, "channel": {"id": "D" + str(arguments["users"])[1:]}}

    def _conversations_replies(self, arguments: dict[str, Any]) -> dict[str, Any]:
        channel, ts = arguments["channel"], arguments["ts"]
        found = [m for m in self.messages if m.channel == channel and not m.only_for and ts in (m.thread, m.ts)]
        return self._page(found, arguments) if found else _no("thread_not_found")

    def _conversations_history(self, arguments: dict[str, Any]) -> dict[str, Any]:
        found = [m for m in self.messages if m.channel == arguments["channel"] and not m.only_for and not m.thread]
        return self._page(found[::-1], arguments)

    @staticmethod
    def _page(found: list[Posted], arguments: dict[str, Any]) -> dict[str, Any]:
        oldest = str(arguments.get("oldest") or "")
        found = [m for m in found if m.ts > oldest or m.ts == arguments.get("ts")]  # the first of a thread is always there
        most, start = int(arguments.get("limit", 1000)), int(arguments.get("cursor") or 0)
        more = start + most < len(found)
        seen = [_seen(m, bool(arguments.get("include_all_metadata"))) for m in found[start : start + most]]
        return {"ok": True, "messages": seen, "has_more": more, "response_metadata": {"next_cursor": str(start + most) if more else ""}}

    def _files_getUploadURLExternal(self, arguments: dict[str, Any]) -> dict[str, Any]:
        if int(arguments["length"]) < 1 or not arguments["filename"]:
            return _no("invalid_arguments")
        key = f"F{next(self._numbers)}"
        self.uploads[key] = (arguments["filename"], b"")
        return {"ok": True, "upload_url": f"{self._origin}/upload/{key}", "file_id": key}

    def _files_completeUploadExternal(self, arguments: dict[str, Any]) -> dict[str, Any]:
        files = [self.uploads[item["id"]] for item in arguments["files"]]
        said = {"channel": arguments["channel_id"], "thread_ts": arguments.get("thread_ts"), "text": arguments.get("initial_comment", "")}
        self._say(said).files = files
        return {"ok": True, "files": [{"id": item["id"]} for item in arguments["files"]]}

    def _views_open(self, arguments: dict[str, Any]) -> dict[str, Any]:
        return self.views.opened(arguments)

    def _views_update(self, arguments: dict[str, Any]) -> dict[str, Any]:
        return self.views.updated(arguments)

    def _apps_connections_open(self, _: dict[str, Any]) -> dict[str, Any]:
        return {"ok": True, "url": self._origin.replace("http", "ws") + "/socket"}

    async def _upload(self, request: web.Request) -> web.Response:
        name, _ = self.uploads[request.match_info["key"]]
        if request.content_type.startswith("multipart/"):
            form = await request.post()
            part = next(iter(form.values()))
            assert isinstance(part, web.FileField)
            content = part.file.read()
        else:
            content = await request.read()
        self.uploads[request.match_info["key"]] = (name, content)
        return web.Response(text="OK")

    async def _response(self, request: web.Request) -> web.Response:
        """A response address: five uses within thirty minutes, in the channel or for one person."""
        where = self.responses.get(request.match_info["key"])
        said = await request.json()
        self.calls.append(("response_url", said))
        if where is None or where["left"] < 1:
            return web.json_response({"ok": False, "error": "used_url"}, status=404)
        where["left"] -= 1
        if said.get("delete_original"):
            self.messages = [m for m in self.messages if m.ts != where["ts"]]
            return web.Response(text="ok")
        if (wrong := self._message_wrong(said)) is not None:
            self.refused.append(("response_url", str(wrong)))
            return web.json_response(wrong, status=400)
        old = next((m for m in self.messages if m.ts == where["ts"]), None) if said.get("replace_original") else None
        if old is not None:
            old.versions.append((old.text, old.blocks))
            old.text, old.blocks = said.get("text", ""), said.get("blocks") or []
        else:
            only_for = "" if said.get("response_type") == "in_channel" else where["user"]
            posted = self._say({**said, "channel": where["channel"]}, only_for=only_for)
            where["ts"] = where["ts"] or posted.ts
        return web.Response(text="ok")

    # ---- what Slack sends to the app

    def new_ts(self) -> str:
        """The time of a message, which is its name in its channel."""
        return f"{1_700_000_000 + next(self._numbers)}.000100"

    def response_address(self, channel: str, user: str, ts: str = "") -> str:
        """A new address for what is said in answer to a command or a press."""
        key = f"r{next(self._numbers)}"
        self.responses[key] = {"channel": channel, "user": user, "left": RESPONSES, "ts": ts}
        return f"{self._origin}/response/{key}"

    def write(self, text: str, *, user: str = "U1", channel: str = "C1", thread: str = "") -> Posted:
        """A person's message, as the channel has it; no event is sent."""
        said = Posted(ts=self.new_ts(), channel=channel, thread=thread, text=text, blocks=[], user=user)
        self.came(user, channel)
        self.messages.append(said)
        return said

    def event(self, kind: str, said: Posted, *, team: str = TEAM, number: int = 0) -> dict[str, Any]:
        """The envelope of an event about a message."""
        inner: dict[str, Any] = {"type": kind, "user": said.user, "text": said.text, "ts": said.ts, "channel": said.channel}
        inner |= {"event_ts": said.ts, "team": team} | ({"thread_ts": said.thread} if said.thread else {})
        if kind == "message":
            inner["channel_type"] = {"D": "im", "G": "group", "M": "mpim"}.get(said.channel[0], "channel")
        envelope = {"type": "event_callback", "token": "x", "team_id": team, "api_app_id": APP, "event": inner, "authorizations": []}
        envelope["authorizations"] = [{"team_id": team, "user_id": BOT_USER, "is_bot": True, "is_enterprise_install": False}]
        return envelope | {"event_id": f"Ev{number or next(self._numbers)}", "event_time": 1_700_000_000}

    async def ask(self, text: str, *, user: str = "U1", channel: str = "C1", thread: str = "") -> Posted:
        """A person asks: by a mention in a channel, plainly in a direct message; the event is delivered until it is acknowledged."""
        direct = channel[0] == "D"
        said = self.write(text if direct else f"<@{BOT_USER}> {text}", user=user, channel=channel, thread=thread)
        await self.deliver(self.event("message" if direct else "app_mention", said))
        return said

    async def deliver(self, envelope: dict[str, Any], tries: int = 4) -> int:
        """Sends an event, again after a status that is none of 200 or after three seconds without one; gives the last status."""
        status = 0
        for at in range(tries):
            headers = {"X-Slack-Retry-Num": str(at), "X-Slack-Retry-Reason": "http_timeout"} if at else {}
            status = await self.send(json.dumps(envelope), "application/json", headers=headers)
            if status == 200:
                break
        return status

    async def command(self, text: str, *, user: str = "U1", channel: str = "C1", team: str = TEAM) -> int:
        """A person writes /lookup."""
        self.came(user, channel)
        fields = {
            "command": "/lookup", "text": text, "user_id": user, "user_name": user, "channel_id": channel, "team_id": team, "team_domain": "t",
            "channel_name": "general", "api_app_id": APP, "token": "x", "trigger_id": self.views.trigger(next(self._numbers), user),
            "response_url": self.response_address(channel, user),
        }  # fmt: skip
        return await self.send(urlencode(fields), "application/x-www-form-urlencoded")

    def press_payload(
        self, posted: Posted, element: dict[str, Any], *, option: int = 0, user: str = "U1", team: str = TEAM
    ) -> dict[str, Any]:
        """What Slack sends when somebody presses a button or chooses from a menu of a message."""
        self.came(user, posted.channel)
        action: dict[str, Any] = {"type": element["type"], "action_id": element["action_id"], "block_id": "b", "action_ts": self.new_ts()}
        if element["type"] == "button":
            action |= {"value": element["value"], "text": element["text"]}
        else:
            action["selected_option"] = element["options"][option]
        message = {"type": "message", "ts": posted.ts, "text": posted.text, "user": BOT_USER} | (
            {"thread_ts": posted.thread} if posted.thread else {}
        )
        container = {"type": "message", "message_ts": posted.ts, "channel_id": posted.channel, "is_ephemeral": bool(posted.only_for)}
        container |= {"thread_ts": posted.thread} if posted.thread else {}
        payload = {
            "type": "block_actions", "team": {"id": team, "domain": "t"}, "user": {"id": user, "username": user, "team_id": team}, "api_app_id": APP,
            "token": "x", "container": container, "trigger_id": self.views.trigger(next(self._numbers), user), "channel": {"id": posted.channel, "name": "general"},
            "actions": [action], "response_url": self.response_address(posted.channel, user, posted.ts),
        }  # fmt: skip
        return payload if posted.only_for else payload | {"message": message}

    async def press(self, posted: Posted, element: dict[str, Any], *, option: int = 0, user: str = "U1") -> int:
        """Somebody presses."""
        return await self.send_press(self.press_payload(posted, element, option=option, user=user))

    async def submit(self, modal: Modal, **written: str) -> int:
        """A person sends a modal with what they wrote and chose; Slack waits three seconds for the answer, and obeys it."""
        status = await self.send_press(submission(modal, written, TEAM, APP))
        if status == 200 and (wrong := answered(modal, json.loads(self.last_answer or "null"))):
            self.refused.append(("view_submission", wrong))
        return status

    async def submit_by_socket(self, modal: Modal, **written: str) -> dict[str, str]:
        """The same over a socket; what is said to be wrong at which field."""
        acknowledged = await self.send_by_socket("interactive", submission(modal, written, TEAM, APP))
        if wrong := answered(modal, acknowledged.get("payload")):
            self.refused.append(("view_submission", wrong))
        return modal.errors

    async def send_press(self, payload: dict[str, Any]) -> int:
        """Sends a press as it is; Slack does not deliver presses again."""
        return await self.send(urlencode({"payload": json.dumps(payload)}), "application/x-www-form-urlencoded")

    async def send(
        self, body: str, content_type: str, *, secret: str = SECRET, at: float | None = None, headers: dict[str, str] | None = None
    ) -> int:
        """Posts a signed request to the app; the status, 0 where none came in time."""
        assert self._session
        stamp = str(int(time.time() if at is None else at))
        signature = "v0=" + hmac.new(secret.encode(), f"v0:{stamp}:{body}".encode(), hashlib.sha256).hexdigest()
        signed = {"Content-Type": content_type, "X-Slack-Request-Timestamp": stamp, "X-Slack-Signature": signature, **(headers or {})}
        began = time.monotonic()
        status = 0
        try:
            timeout = aiohttp.ClientTimeout(total=self.redeliver_after)
            async with self._session.post(self.app, data=body.encode(), headers=signed, timeout=timeout) as response:
                self.last_answer = await response.text()
                status = response.status
        except (TimeoutError, aiohttp.ClientError):
            pass
        self.sent.append((status, time.monotonic() - began))
        return status

    # ---- Socket Mode

    async def _socket(self, request: web.Request) -> web.WebSocketResponse:
        socket = web.WebSocketResponse()
        await socket.prepare(request)
        self.sockets.append(socket)
        await socket.send_json({"type": "hello", "num_connections": 1, "connection_info": {"app_id": APP}})
        async for message in socket:
            if message.type == aiohttp.WSMsgType.TEXT and message.data.startswith("{"):
                acknowledged = json.loads(message.data)
                waiting = self.envelopes.get(acknowledged.get("envelope_id", ""))
                if waiting and not waiting.done():
                    waiting.set_result(acknowledged)
        return socket

    async def send_by_socket(self, kind: str, payload: dict[str, Any]) -> dict[str, Any]:
        """Sends an envelope of events_api, slash_commands or interactive to the latest connection; its acknowledgement."""
        name = f"e{next(self._numbers)}"
        self.envelopes[name] = asyncio.get_running_loop().create_future()
        await self.sockets[-1].send_json(
            {"type": kind, "envelope_id": name, "payload": payload, "accepts_response_payload": kind != "events_api"}
        )
        return await asyncio.wait_for(self.envelopes[name], self.redeliver_after)

    # ---- what tests ask

    def from_bot(self) -> list[Posted]:
        """The app's messages, oldest first."""
        return [m for m in self.messages if m.user == BOT_USER]

    async def until(self, done: Callable[[], bool], seconds: float = 10.0) -> None:
        """Waits for something to be so; fails where it does not come."""
        await _until(done, seconds)


async def _until(done: Callable[[], bool | Awaitable[bool]], seconds: float) -> None:
    async with asyncio.timeout(seconds):
        while not done():
            await asyncio.sleep(0.01)


def elements_of(posted: Posted) -> list[dict[str, Any]]:
    """The buttons and menus of a message."""
    found = [element for block in posted.blocks if block["type"] == "actions" for element in block["elements"]]
    return found + [block["accessory"] for block in posted.blocks if block.get("accessory")]


def _seen(posted: Posted, metadata: bool = False) -> dict[str, Any]:
    seen: dict[str, Any] = {"type": "message", "user": posted.user, "text": posted.text, "ts": posted.ts, "blocks": posted.blocks}
    if posted.user == BOT_USER:
        seen |= {"bot_id": BOT_ID, "app_id": APP}
    if metadata and posted.metadata:
        seen["metadata"] = posted.metadata
    return seen | ({"thread_ts": posted.thread} if posted.thread else {})


def _no(error: str, **more: str) -> dict[str, Any]:
    return {"ok": False, "error": error, **more}
