"""Who is who in Slack, asked of the stand-in as the surface asks: guests, other organisations, groups, many, and no answer."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Awaitable, Callable

import pytest
from slack_sdk.web.async_client import AsyncWebClient

from bot.chat.types import Asker, Place, UnknownPeopleError
from bot.slack.api import WebApi
from bot.slack.manifest import SCOPES
from bot.slack.people import EVERYBODY_SECONDS, GROUPS_SECONDS, MEMBERS_SECONDS, MOST_MEMBERS, PERSON_SECONDS, SlackPeople
from tests.chat.test_state import Clock
from tests.slack.standin import BOT_TOKEN, BOT_USER, TEAM, Fault, Slack

CHANNEL = Place("slack", TEAM, "C1", "1.0")
ANN = Asker("U1")
Scenario = Callable[[Slack, SlackPeople, Clock], Awaitable[None]]


def asking(scenario: Scenario) -> None:
    """Runs a scenario with the people of a workspace and a clock set by hand."""

    async def all_of_it() -> None:
        clock = Clock()
        async with Slack() as slack:
            slack.tokens[BOT_TOKEN] = set(SCOPES)
            client = AsyncWebClient(BOT_TOKEN, base_url=slack.address, retry_handlers=[])
            await scenario(slack, SlackPeople(WebApi(client), clock), clock)
            assert not slack.called_too_soon

    asyncio.run(asyncio.wait_for(all_of_it(), 60))


def calls(slack: Slack) -> Counter[str]:
    return Counter(method for method, _ in slack.calls)


async def audience(people: SlackPeople, place: Place = CHANNEL) -> dict[str, Asker]:
    found = await people.audience(place)
    assert found
    return {asker.id: asker for asker in found}


def test_a_person_has_name_address_and_groups() -> None:
    async def scenario(slack: Slack, people: SlackPeople, clock: Clock) -> None:
        slack.people["U1"] = {"real_name": "Ann", "email": "ann@example.com"}
        slack.user_groups = {
            "S1": {"users": ["U2", "U1"]},
            "S2": {"users": ["U2"]},
            "S3": {"users": ["U1"], "date_delete": 7},
            "S4": {"users": ["U1"]},
        }
        assert await people.identify(CHANNEL, ANN) == Asker("U1", "Ann", "ann@example.com", ("S1", "S4"), False)
        assert (await people.identify(CHANNEL, Asker("U2"))).groups == ("S1", "S2")
        assert (await people.identify(CHANNEL, Asker("ben"))).groups == ()
        assert calls(slack) == {"users.info": 3, "usergroups.list": 1}

    asking(scenario)


OUTSIDERS = [
    {"is_restricted": True},
    {"is_restricted": True, "is_ultra_restricted": True},
    {"is_stranger": True},
    {"deleted": True},
    {"team_id": "T9OTHER"},
    {"team_id": None},
    {"team_id": "T9OTHER", "enterprise_user": {"teams": ["T8OTHER"]}},
]


@pytest.mark.parametrize("signs", OUTSIDERS, ids=str)
def test_guests_and_others_are_outsiders_alone_and_in_a_channel(signs: dict[str, object]) -> None:
    async def scenario(slack: Slack, people: SlackPeople, clock: Clock) -> None:
        slack.people["U1"] = signs
        assert (await people.identify(CHANNEL, ANN)).outsider
        assert not (await people.identify(CHANNEL, Asker("U2"))).outsider
        assert {user for user, asker in (await audience(people)).items() if asker.outsider} == {"U1"}

    asking(scenario)


@pytest.mark.parametrize(
    ("signs", "believed"), [({"is_restricted": True}, True), ({"team_id": "T9OTHER"}, False), ({"team_id": None}, False)]
)
def test_an_address_that_another_organisation_wrote_is_nobodys(signs: dict[str, object], believed: bool) -> None:
    async def scenario(slack: Slack, people: SlackPeople, clock: Clock) -> None:
        slack.people["U1"] = {**signs, "profile": {"email": "head@clinic.example"}}
        for found in (await people.identify(CHANNEL, ANN), (await audience(people))["U1"]):
            assert found.email == ("head@clinic.example" if believed else "")

    asking(scenario)


def test_a_colleague_of_another_workspace_who_is_in_this_one_too_is_no_outsider() -> None:
    async def scenario(slack: Slack, people: SlackPeople, clock: Clock) -> None:
        slack.people["U1"] = {"team_id": "T9OTHER", "enterprise_user": {"id": "W1", "enterprise_id": "E1", "teams": ["T9OTHER", TEAM]}}
        assert not (await people.identify(CHANNEL, ANN)).outsider

    asking(scenario)


def test_an_audience_has_addresses_and_groups_and_no_bots() -> None:
    async def scenario(slack: Slack, people: SlackPeople, clock: Clock) -> None:
        slack.people |= {"U1": {"real_name": "Ann", "email": "ann@example.com"}, "U7": {"is_bot": True}}
        slack.user_groups = {"S1": {"users": ["U1", "U7"]}}
        slack.members["C1"] = [BOT_USER, "U1", "U7", "USLACKBOT", "U2"]
        assert await people.audience(CHANNEL) == (Asker("U1", "Ann", "ann@example.com", ("S1",)), Asker("U2", "U2"))

    asking(scenario)


def test_people_of_other_organisations_are_in_no_list_and_so_outsiders() -> None:
    async def scenario(slack: Slack, people: SlackPeople, clock: Clock) -> None:
        slack.abroad.add("U8")
        slack.members["C1"] = ["U1", "U8"]
        found = await audience(people)
        assert (found["U1"].outsider, found["U8"].outsider) == (False, True)
        assert (await people.identify(CHANNEL, Asker("U8"))).outsider

    asking(scenario)


def test_what_only_the_asker_sees_has_no_audience_and_costs_no_call() -> None:
    async def scenario(slack: Slack, people: SlackPeople, clock: Clock) -> None:
        assert await people.audience(Place("slack", TEAM, "D1", private=True)) == ()
        assert await people.audience(Place("slack", TEAM, "C1", private=True)) == ()
        assert await people.audience(Place("slack", TEAM, "D1")) is None, "a chat of two others, into which a command's answer is shared"
        assert not slack.calls

    asking(scenario)


@pytest.mark.parametrize("channel", ["C1", "G1", "M1"])
def test_the_manifest_lets_it_see_who_is_in_every_kind_of_channel(channel: str) -> None:
    async def scenario(slack: Slack, people: SlackPeople, clock: Clock) -> None:
        assert {"U1", "U2"} <= set(await audience(people, Place("slack", TEAM, channel)))

    asking(scenario)


def test_pages_of_members_and_of_everybody_are_put_together() -> None:
    async def scenario(slack: Slack, people: SlackPeople, clock: Clock) -> None:
        crowd = [f"U{number}" for number in range(1500)]
        slack.members["C1"] = crowd
        slack.people["U1499"] = {"is_restricted": True}
        found = await audience(people)
        assert list(found) == crowd
        assert [user for user, asker in found.items() if asker.outsider] == ["U1499"]
        assert calls(slack) == {"conversations.members": 2, "users.list": 2, "usergroups.list": 1}

    asking(scenario)


@pytest.mark.parametrize(("many", "told"), [(MOST_MEMBERS, True), (MOST_MEMBERS + 1, False)])
def test_more_than_can_be_told_are_anybody(many: int, told: bool) -> None:
    async def scenario(slack: Slack, people: SlackPeople, clock: Clock) -> None:
        slack.members["C1"] = [f"U{number}" for number in range(many)]
        found = await people.audience(CHANNEL)
        assert (len(found) == many) if found is not None else not told
        assert bool(found) is told
        assert told or "users.list" not in calls(slack)

    asking(scenario)


def test_each_list_is_asked_for_once_in_its_time_however_many_wait() -> None:
    async def scenario(slack: Slack, people: SlackPeople, clock: Clock) -> None:
        async def everyone_asks() -> None:
            await asyncio.gather(*(work for _ in range(20) for work in (people.audience(CHANNEL), people.identify(CHANNEL, ANN))))

        await everyone_asks()
        await everyone_asks()
        assert calls(slack) == {"conversations.members": 1, "users.list": 1, "usergroups.list": 1, "users.info": 1}
        clock.now += MEMBERS_SECONDS - 1
        await everyone_asks()
        assert calls(slack)["conversations.members"] == 1
        clock.now += 1
        await everyone_asks()
        assert calls(slack) == {"conversations.members": 2, "users.list": 1, "usergroups.list": 1, "users.info": 1}
        clock.now += GROUPS_SECONDS - MEMBERS_SECONDS
        await everyone_asks()
        assert calls(slack) == {"conversations.members": 3, "users.list": 1, "usergroups.list": 2, "users.info": 1}
        clock.now += EVERYBODY_SECONDS - GROUPS_SECONDS
        await everyone_asks()
        assert PERSON_SECONDS == EVERYBODY_SECONDS
        assert calls(slack) == {"conversations.members": 4, "users.list": 2, "usergroups.list": 3, "users.info": 2}

    asking(scenario)


def test_who_left_and_who_came_is_seen_a_minute_later() -> None:
    async def scenario(slack: Slack, people: SlackPeople, clock: Clock) -> None:
        slack.people["U5"] = {"is_restricted": True}
        slack.members["C1"] = ["U1", "U2"]
        assert set(await audience(people)) == {"U1", "U2"}
        slack.members["C1"] = ["U1", "U5"]
        clock.now += MEMBERS_SECONDS
        assert {user: asker.outsider for user, asker in (await audience(people)).items()} == {"U1": False, "U5": True}

    asking(scenario)


@pytest.mark.parametrize("method", ["users.info", "usergroups.list"])
@pytest.mark.parametrize(
    "fault", [Fault(retry_after=30), Fault(error="fatal_error"), Fault(error="user_not_visible"), Fault(error="invalid_auth")]
)
def test_a_person_of_whom_slack_does_not_tell_is_unknown_and_asked_for_again(method: str, fault: Fault) -> None:
    async def scenario(slack: Slack, people: SlackPeople, clock: Clock) -> None:
        slack.faults[method] = [fault]
        with pytest.raises(UnknownPeopleError):
            await people.identify(CHANNEL, ANN)
        if fault.retry_after is None:
            assert (await people.identify(CHANNEL, ANN)).name == "U1"
            assert calls(slack)[method] == 2

    asking(scenario)


@pytest.mark.parametrize("method", ["conversations.members", "users.list", "usergroups.list"])
@pytest.mark.parametrize(
    "fault", [Fault(retry_after=30), Fault(error="internal_error"), Fault(error="channel_not_found"), Fault(error="missing_argument")]
)
def test_a_place_of_which_slack_does_not_tell_is_unknown_to_all_who_wait_and_asked_for_again(method: str, fault: Fault) -> None:
    async def scenario(slack: Slack, people: SlackPeople, clock: Clock) -> None:
        slack.faults[method] = [fault]
        refused = await asyncio.gather(*(people.audience(CHANNEL) for _ in range(5)), return_exceptions=True)
        assert [type(answer) for answer in refused] == [UnknownPeopleError] * 5
        assert calls(slack)[method] == 1
        if fault.retry_after is None:
            assert await audience(people)
            assert calls(slack)[method] == 2

    asking(scenario)


def test_slack_out_of_order_is_nobody_known() -> None:
    async def scenario(slack: Slack, people: SlackPeople, clock: Clock) -> None:
        slack.broken |= {"users.info", "conversations.members"}
        with pytest.raises(UnknownPeopleError):
            await people.identify(CHANNEL, ANN)
        with pytest.raises(UnknownPeopleError):
            await people.audience(CHANNEL)
        assert (await people.person("U1", TEAM)).name == "", "a name to render is not worth a refusal"

    asking(scenario)


def test_a_list_that_slack_cuts_short_goes_on_where_it_stood() -> None:
    async def scenario(slack: Slack, people: SlackPeople, clock: Clock) -> None:
        slack.members["C1"] = [f"U{number}" for number in range(2500)]
        slack.faults["users.list"] = [Fault(), Fault(), Fault(error="ratelimited")]
        with pytest.raises(UnknownPeopleError):
            await people.audience(CHANNEL)
        assert calls(slack)["users.list"] == 3
        assert len(await audience(people)) == 2500
        assert calls(slack)["users.list"] == 4, "the third page alone is asked for again"
        assert not any(asker.outsider for asker in (await audience(people)).values())

    asking(scenario)


@pytest.mark.parametrize("missing", [True, False], ids=["without the scope", "without the plan"])
def test_a_workspace_without_user_groups_has_none(missing: bool) -> None:
    async def scenario(slack: Slack, people: SlackPeople, clock: Clock) -> None:
        slack.user_groups = {"S1": {"users": ["U1"]}}
        slack.paid = missing
        slack.tokens[BOT_TOKEN] -= {"usergroups:read"} if missing else set()
        for _ in range(3):
            assert (await people.identify(CHANNEL, ANN)).groups == ()
        assert (await audience(people))["U1"].groups == ()
        assert calls(slack)["usergroups.list"] == 1

    asking(scenario)


@pytest.mark.parametrize("scope", ["users:read", "channels:read"])
def test_without_the_scope_to_see_who_is_there_nobody_is_known_to_be(scope: str) -> None:
    async def scenario(slack: Slack, people: SlackPeople, clock: Clock) -> None:
        slack.tokens[BOT_TOKEN] -= {scope}
        with pytest.raises(UnknownPeopleError):
            await people.audience(CHANNEL)

    asking(scenario)


@pytest.mark.parametrize("channel", ["C1", "G1"])
def test_a_channel_without_the_bot_is_known_where_slack_shows_it(channel: str) -> None:
    async def scenario(slack: Slack, people: SlackPeople, clock: Clock) -> None:
        slack.not_in.add(channel)
        if channel == "C1":
            assert "U1" in await audience(people)
        else:
            with pytest.raises(UnknownPeopleError):
                await people.audience(Place("slack", TEAM, channel))

    asking(scenario)


def test_a_channel_of_nobody_is_no_answer() -> None:
    async def scenario(slack: Slack, people: SlackPeople, clock: Clock) -> None:
        slack.members["C1"] = [BOT_USER]
        with pytest.raises(UnknownPeopleError):
            await people.audience(CHANNEL)

    asking(scenario)
