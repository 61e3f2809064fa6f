"""Who is who in Teams, asked of the stand-in as the surface asks: guests, other tenants, pages, many, and no answer."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import replace

import pytest

from bot.chat.types import Asker, Incoming, UnknownPeopleError
from bot.teams.activity import to_chat_thread
from bot.teams.connector import Connector
from bot.teams.people import MEMBERS_SECONDS, MOST_MEMBERS, PERSON_SECONDS, TeamsPeople
from bot.teams.settings import TeamsSettings
from tests.chat.test_state import Clock
from tests.teams.standin import APP_ID, BOT, SECRET, TENANT, Credentials, Teams, serve

CHANNEL = "19:doctors@thread.tacv2"
Scenario = Callable[[Teams, TeamsPeople, Clock], Awaitable[None]]


def asking(scenario: Scenario, tenant: str = TENANT) -> None:
    """Runs a scenario with the people of a tenant and a clock set by hand."""

    async def all_of_it() -> None:
        teams, clock = Teams(), Clock()
        outside, teams.url = await serve(teams.app())
        settings = TeamsSettings(APP_ID, SECRET, tenant)
        try:
            await scenario(teams, TeamsPeople(Connector(settings, Credentials(teams.url)), tenant, clock), clock)
        finally:
            await outside.cleanup()

    asyncio.run(asyncio.wait_for(all_of_it(), 60))


def heard(teams: Teams, person: str = "Dana", conversation: str = f"{CHANNEL};messageid=17") -> Incoming:
    """A message as the surface takes it, by default in a thread of a channel."""
    return to_chat_thread(teams.activity("hi", person=person, conversation=conversation))


async def audience(teams: Teams, people: TeamsPeople) -> dict[str, Asker]:
    found = await people.audience(heard(teams).place)
    assert found
    return {asker.id: asker for asker in found}


@pytest.mark.parametrize("conversation", ["personal", "19:group@thread.v2", f"{CHANNEL};messageid=17"])
def test_a_person_has_name_and_address_wherever_they_ask(conversation: str) -> None:
    async def scenario(teams: Teams, people: TeamsPeople, clock: Clock) -> None:
        teams.people["Dana"] = {"name": "Dana Levi", "email": "dana@example.com"}
        incoming = heard(teams, conversation=conversation)
        assert await people.identify(incoming.place, incoming.asker) == Asker("aad-Dana", "Dana Levi", "dana@example.com")
        assert teams.asked == [("member", "29:Dana")]

    asking(scenario)


def test_who_is_not_the_one_of_the_place_is_asked_for_by_their_own_id() -> None:
    async def scenario(teams: Teams, people: TeamsPeople, clock: Clock) -> None:
        place = heard(teams).place
        found = await people.identify(place, Asker("aad-ben"))
        assert (found.id, found.name, found.email) == ("aad-ben", "ben", "ben@example.com"), (
            "their principal name where there is no address"
        )
        assert teams.asked == [("member", "aad-ben")]

    asking(scenario)


OUTSIDERS = [
    {"userRole": "guest"},
    {"userRole": "anonymous"},
    {"userRole": None},
    {"tenantId": "22222222-0000-4000-8000-000000000002"},
    {"tenantId": None},
    {"userPrincipalName": "dana_other.example#EXT#@example.onmicrosoft.com"},
]


@pytest.mark.parametrize("tenant", [TENANT, ""], ids=["its own tenant", "that of the place"])
@pytest.mark.parametrize("signs", OUTSIDERS, ids=str)
def test_guests_and_others_are_outsiders_alone_and_in_a_channel(signs: dict[str, object], tenant: str) -> None:
    async def scenario(teams: Teams, people: TeamsPeople, clock: Clock) -> None:
        teams.people["Dana"] = signs
        dana, ben = heard(teams), heard(teams, "ben")
        assert (await people.identify(dana.place, dana.asker)).outsider
        assert not (await people.identify(ben.place, ben.asker)).outsider
        assert {user for user, asker in (await audience(teams, people)).items() if asker.outsider} == {"aad-Dana"}

    asking(scenario, tenant)


@pytest.mark.parametrize(
    ("signs", "believed"), [({"userRole": "guest"}, True), ({"tenantId": "another"}, False), ({"tenantId": None}, False)]
)
def test_an_address_that_another_organisation_wrote_is_nobodys(signs: dict[str, object], believed: bool) -> None:
    async def scenario(teams: Teams, people: TeamsPeople, clock: Clock) -> None:
        teams.people["Dana"] = {**signs, "email": "head@clinic.example"}
        incoming = heard(teams)
        for found in (await people.identify(incoming.place, incoming.asker), (await audience(teams, people))["aad-Dana"]):
            assert found.email == ("head@clinic.example" if believed else "")

    asking(scenario)


def test_without_any_tenant_everybody_is_an_outsider() -> None:
    async def scenario(teams: Teams, people: TeamsPeople, clock: Clock) -> None:
        teams.people["Dana"] = {"tenantId": ""}
        incoming = heard(teams)
        assert (await people.identify(replace(incoming.place, workspace=""), incoming.asker)).outsider

    asking(scenario, "")


def test_an_audience_is_who_is_in_the_channel_of_a_thread_without_bots() -> None:
    async def scenario(teams: Teams, people: TeamsPeople, clock: Clock) -> None:
        teams.members[CHANNEL] = ["Dana", "robot", "ben"]
        teams.people["robot"] = BOT
        assert await people.audience(heard(teams).place) == (
            Asker("aad-Dana", "Dana", "Dana@example.com"),
            Asker("aad-ben", "ben", "ben@example.com"),
        )
        assert teams.asked == [("members", CHANNEL)]

    asking(scenario)


def test_a_chat_with_the_bot_alone_has_no_audience_and_costs_no_call() -> None:
    async def scenario(teams: Teams, people: TeamsPeople, clock: Clock) -> None:
        assert await people.audience(heard(teams, conversation="personal").place) == ()
        assert not teams.asked

    asking(scenario)


def test_pages_are_put_together_and_who_stands_on_two_is_one() -> None:
    async def scenario(teams: Teams, people: TeamsPeople, clock: Clock) -> None:
        crowd = [f"p{number}" for number in range(120)]
        teams.members[CHANNEL] = [*crowd[:60], *crowd[50:]]
        teams.most_a_page = 50
        teams.people["p119"] = {"userRole": "guest"}
        found = await audience(teams, people)
        assert list(found) == [f"aad-{name}" for name in crowd]
        assert [user for user, asker in found.items() if asker.outsider] == ["aad-p119"]
        assert len(teams.asked) == 3

    asking(scenario)


@pytest.mark.parametrize(("many", "told"), [(MOST_MEMBERS, True), (MOST_MEMBERS + 1, False)])
def test_more_than_can_be_told_are_anybody(many: int, told: bool) -> None:
    async def scenario(teams: Teams, people: TeamsPeople, clock: Clock) -> None:
        teams.members[CHANNEL] = [f"p{number}" for number in range(many)]
        found = await people.audience(heard(teams).place)
        assert (len(found) if found is not None else None) == (many if told else None)

    asking(scenario)


def test_each_is_asked_for_once_in_its_time_however_many_wait() -> None:
    async def scenario(teams: Teams, people: TeamsPeople, clock: Clock) -> None:
        async def everyone_asks() -> dict[str, int]:
            told = [heard(teams, conversation=f"{CHANNEL};messageid={number}") for number in range(20)]
            works = [work for each in told for work in (people.audience(each.place), people.identify(each.place, each.asker))]
            await asyncio.gather(*works)
            return {what: sum(kind == what for kind, _ in teams.asked) for what in ("members", "member")}

        await everyone_asks()
        clock.now += MEMBERS_SECONDS - 1
        assert await everyone_asks() == {"members": 1, "member": 1}
        clock.now += 1
        assert await everyone_asks() == {"members": 2, "member": 1}
        clock.now += PERSON_SECONDS - MEMBERS_SECONDS
        assert await everyone_asks() == {"members": 3, "member": 2}

    asking(scenario)


FAULTS: list[tuple[int, dict[str, str]]] = [(429, {"Retry-After": "30"}), (429, {}), (500, {}), (403, {}), (404, {}), (400, {})]


@pytest.mark.parametrize("fault", FAULTS, ids=str)
def test_who_is_not_told_of_is_unknown_to_all_who_wait_and_asked_for_again(fault: tuple[int, dict[str, str]]) -> None:
    async def scenario(teams: Teams, people: TeamsPeople, clock: Clock) -> None:
        incoming = heard(teams)
        teams.roster_fail = [fault]
        refused = await asyncio.gather(*(people.audience(incoming.place) for _ in range(5)), return_exceptions=True)
        assert [type(answer) for answer in refused] == [UnknownPeopleError] * 5
        assert len(teams.asked) == 1
        assert "aad-Dana" in await audience(teams, people)
        teams.roster_fail = [fault]
        with pytest.raises(UnknownPeopleError):
            await people.identify(incoming.place, incoming.asker)
        assert (await people.identify(incoming.place, incoming.asker)).name == "Dana"

    asking(scenario)


def test_a_short_wait_is_waited() -> None:
    async def scenario(teams: Teams, people: TeamsPeople, clock: Clock) -> None:
        teams.roster_fail = [(429, {"Retry-After": "1"})]
        assert "aad-Dana" in await audience(teams, people)
        assert len(teams.asked) == 2

    asking(scenario)


def test_a_page_that_fails_leaves_nobody_known() -> None:
    async def scenario(teams: Teams, people: TeamsPeople, clock: Clock) -> None:
        teams.members[CHANNEL] = [f"p{number}" for number in range(120)]
        teams.most_a_page = 50
        teams.people["p119"] = {"id": "", "objectId": ""}
        with pytest.raises(UnknownPeopleError):
            await people.audience(heard(teams).place)
        assert len(teams.asked) == 3, "half a roster, or one with somebody unnamed, is not who is there"

    asking(scenario)


def test_somebody_who_is_not_in_the_conversation_or_a_conversation_without_the_bot_is_unknown() -> None:
    async def scenario(teams: Teams, people: TeamsPeople, clock: Clock) -> None:
        place = heard(teams).place
        with pytest.raises(UnknownPeopleError):
            await people.identify(place, Asker("aad-nobody"))
        teams.gone.add(CHANNEL)
        with pytest.raises(UnknownPeopleError):
            await people.audience(place)

    asking(scenario)


def test_a_channel_of_nobody_is_no_answer() -> None:
    async def scenario(teams: Teams, people: TeamsPeople, clock: Clock) -> None:
        teams.members[CHANNEL] = ["robot"]
        teams.people["robot"] = BOT
        with pytest.raises(UnknownPeopleError):
            await people.audience(heard(teams).place)

    asking(scenario)


@pytest.mark.parametrize("address", ["", "{}"])
def test_a_place_without_an_address_tells_of_nobody(address: str) -> None:
    async def scenario(teams: Teams, people: TeamsPeople, clock: Clock) -> None:
        place = replace(heard(teams).place, address=address)
        with pytest.raises(UnknownPeopleError):
            await people.audience(place)
        with pytest.raises(UnknownPeopleError):
            await people.identify(place, Asker("aad-Dana"))

    asking(scenario)
