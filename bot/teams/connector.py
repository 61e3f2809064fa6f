"""What is said in Teams and asked of it: messages, their replacement, the sign of work, members; each by continuing the conversation."""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import Awaitable, Callable
from typing import Any, Final, TypeVar

from botbuilder.core import BotAdapter, BotFrameworkAdapter, BotFrameworkAdapterSettings, TurnContext
from botbuilder.schema import Activity, ActivityTypes, Attachment, ChannelAccount, ConversationParameters, ConversationReference
from botframework.connector.auth import AppCredentials, ClaimsIdentity, MicrosoftAppCredentials
from msrest.exceptions import ClientException, HttpOperationError

from bot.chat.types import TryLater, Undeliverable
from bot.teams.settings import TeamsSettings

log = logging.getLogger(__name__)

CARD: Final = "application/vnd.microsoft.card.adaptive"
_NEVER: Final = frozenset(
    {400, 401, 403, 404, 405, 410, 413}
)  # asking again changes nothing: no such conversation, the bot removed, no right
_SECONDS: Final = 15  # for one call
_MEMBERS: Final = 500  # on a page, the most that Teams gives
T = TypeVar("T")


class Missing(Undeliverable):
    """Teams knows no such conversation, message or member."""


class Connector:
    """Speaks to the service URL that an address names, with a token of this bot's registration."""

    def __init__(self, settings: TeamsSettings, credentials: AppCredentials | None = None) -> None:
        if credentials is None and not settings.local:
            credentials = MicrosoftAppCredentials(settings.app_id, settings.password, channel_auth_tenant=settings.tenant or None)
        self._credentials = credentials
        self._adapter = BotFrameworkAdapter(
            BotFrameworkAdapterSettings(settings.app_id, settings.password, app_credentials=None if settings.local else credentials)
        )
        self._identity = ClaimsIdentity({} if settings.local else {"aud": settings.app_id, "appid": settings.app_id}, True)

    async def say(self, address: str, attachment: dict[str, Any], summary: str) -> str:
        """Posts a message with one attachment in the conversation of an address, and gives its id; raises TryLater or Undeliverable."""
        activity = _message(attachment, summary)

        async def send(turn: TurnContext) -> str:
            response = await turn.send_activity(activity)
            return (response.id or "") if response else ""

        return await self._in(address, send)

    async def replace(self, address: str, message: str, attachment: dict[str, Any], summary: str) -> None:
        """Puts another attachment in the place of a message; raises TryLater or Undeliverable."""
        activity = _message(attachment, summary)
        activity.id = message

        async def update(turn: TurnContext) -> str:
            await turn.update_activity(activity)
            return message

        await self._in(address, update)

    async def alone_with_user(self, address: str) -> str:
        """The address of the bot's chat with the user of another address alone; raises Undeliverable where they have none."""
        held = json.loads(address)
        conversation = held.get("conversation") or {}
        members = [ChannelAccount(id=(held.get("user") or {}).get("id"))]
        tenant = conversation.get("tenantId")
        wanted = ConversationParameters(
            bot=ChannelAccount(id=(held.get("bot") or {}).get("id")),
            members=members,
            is_group=False,
            tenant_id=tenant,
            channel_data={"tenant": {"id": tenant}},
        )

        async def open_chat(turn: TurnContext) -> str:
            response = await _conversations(turn).create_conversation(wanted)
            return response.id or ""

        opened = await self._in(address, open_chat)
        alone = {"id": opened, "tenantId": tenant, "conversationType": "personal"}
        return json.dumps(held | {"conversation": alone, "activityId": None}, ensure_ascii=False)

    async def member(self, address: str, conversation: str, member: str) -> dict[str, Any]:
        """A member of a conversation as its roster has them, by either of their ids; raises TryLater or Undeliverable."""

        async def ask(turn: TurnContext) -> dict[str, Any]:
            return _member(await _conversations(turn).get_conversation_member(conversation, member))

        return await self._in(address, ask)

    async def members(self, address: str, conversation: str, following: str = "") -> tuple[list[dict[str, Any]], str]:
        """A page of a conversation's roster, and where the next begins, empty after the last; raises TryLater or Undeliverable."""

        async def ask(turn: TurnContext) -> tuple[list[dict[str, Any]], str]:
            page = await _conversations(turn).get_conversation_paged_members(conversation, _MEMBERS, following or None)
            return [_member(found) for found in page.members or ()], page.continuation_token or ""

        return await self._in(address, ask)

    async def typing(self, address: str) -> None:
        """Shows for a few seconds that the bot is at work; where that fails nothing is lost."""

        async def send(turn: TurnContext) -> str:
            await turn.send_activity(Activity(type=ActivityTypes.typing))
            return ""

        try:
            await self._in(address, send)
        except (TryLater, Undeliverable):
            log.info("typing was refused")

    async def _in(self, address: str, work: Callable[[TurnContext], Awaitable[T]]) -> T:
        reference = ConversationReference.deserialize(json.loads(address))
        gave: list[T] = []

        async def turn(context: TurnContext) -> None:
            client = context.turn_state[BotAdapter.BOT_CONNECTOR_CLIENT_KEY]
            client.config.retry_policy.retries = 0  # the outbox tries again, and can tell how often
            client.config.connection.timeout = _SECONDS
            context.activity.id = reference.activity_id  # what is replied to; the adapter has made up another
            gave.append(await work(context))

        try:
            if self._credentials is not None:
                await asyncio.to_thread(self._credentials.get_access_token)  # it may ask the network, and would do so on the event loop
            await self._adapter.continue_conversation(reference, turn, claims_identity=self._identity)
        except HttpOperationError as error:
            raise _refused(error) from error
        except PermissionError as error:
            log.error("Teams gives this bot no token: its id, secret or tenant is wrong")
            raise Undeliverable from error
        except (ClientException, OSError) as error:
            raise TryLater from error
        return gave[0]


def _conversations(turn: TurnContext) -> Any:
    return turn.turn_state[BotAdapter.BOT_CONNECTOR_CLIENT_KEY].conversations


def _member(account: ChannelAccount) -> dict[str, Any]:
    """What a roster has of a member under its own names, most of which the schema of all channels does not know."""
    return {"id": account.id, "name": account.name, "aadObjectId": account.aad_object_id} | (account.additional_properties or {})


def _message(attachment: dict[str, Any], summary: str) -> Activity:
    return Activity(
        type=ActivityTypes.message,
        summary=summary,
        attachments=[
            Attachment(
                content_type=attachment["contentType"],
                content=attachment.get("content"),
                content_url=attachment.get("contentUrl"),
                name=attachment.get("name"),
            )
        ],
    )


def _refused(error: HttpOperationError) -> TryLater | Undeliverable:
    response = error.response
    status = getattr(response, "status_code", 0)
    log.warning("Teams refused a call", extra={"status": status})
    if status == 404:
        return Missing()
    if status in _NEVER:
        return Undeliverable()
    wait = getattr(response, "headers", {}).get("Retry-After", "")
    return TryLater(float(wait) if wait.isdigit() else None)
