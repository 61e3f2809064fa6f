"""Who may see what: from a person to a scope, by the rules of the catalog."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import reduce

from engine.catalog import EVERYONE, OUTSIDERS, Catalog, TableEntry
from engine.fold import fold
from engine.staff import Staff, known_as
from engine.types import Frozen, Scope, Slice


class Person(Frozen):
    """Who asks, as a platform knows them: ids (their own, and the e-mail), groups (ids of the platform's own), and whether they are an outsider."""

    ids: tuple[str, ...] = ()
    groups: tuple[str, ...] = ()
    outsider: bool = False


NOBODY_IN_PARTICULAR = Person()


class Rights:
    """The rules of a catalog over its staff; every scope that is not the owner's comes from here."""

    def __init__(self, catalog: Catalog) -> None:
        self._tables = catalog.tables
        self._groups = {name: frozenset(map(known_as, members)) for name, members in catalog.access.groups.items()}
        self._staff = Staff(catalog.access.people, catalog.tables[0].base) if catalog.access.people else None
        self._channels = {entry.name: frozenset(entry.channels) for entry in catalog.tables if entry.channels}

    def scope_of(self, person: Person) -> Scope:
        """What a person may see; raises SourceError where the list of people cannot be read."""
        known = self._staff.record(person.ids) if self._staff else None
        own = {known_as(name) for name in (*person.ids, *person.groups)}
        groups = {name for name, members in self._groups.items() if members & own}
        groups |= {name for name in self._groups if known and fold(name) in known.groups}
        groups.add(OUTSIDERS if person.outsider else EVERYONE)
        attributes = known.attributes if known else {}
        slices = {entry.name: part for entry in self._tables if (part := _slice(entry, groups, attributes)) is not None}
        return Scope(slices=slices)

    def shared(self, people: Sequence[Person] | None) -> Scope:
        """What all of these may see, at least one; None stands for people who cannot be told one by one: a member of no group, and an outsider."""
        some = [NOBODY_IN_PARTICULAR, Person(outsider=True)] if people is None else people
        return reduce(Scope.meet, map(self.scope_of, some))

    def in_channel(self, scope: Scope, channel: str) -> Scope:
        """What of a scope may be said in a channel or group chat."""
        slices = {name: part for name, part in scope.slices.items() if channel in self._channels.get(name, (channel,))}
        return Scope(slices=slices)

    def likely(self) -> Iterable[Scope]:
        """The scopes that will be asked for, each once: of a member of no group, of each group, and of each person on the list."""
        people = [NOBODY_IN_PARTICULAR, *(Person(ids=(member,)) for members in self._groups.values() for member in members)]
        people += [Person(groups=(member,)) for members in self._groups.values() for member in members]
        people += [Person(ids=(name,)) for name in (self._staff.people() if self._staff else ())]
        return {scope.key: scope for scope in map(self.scope_of, people)}.values()


def _slice(entry: TableEntry, groups: set[str], attributes: dict[str, str]) -> Slice | None:
    if not groups & set(entry.see):
        return None
    hidden = tuple(sorted(name for name, about in entry.columns.items() if about.see is not None and not groups & set(about.see)))
    if not entry.partition or groups & set(entry.all_rows):
        return Slice(hidden=hidden)
    column, attribute = entry.partition
    value = attributes.get(fold(attribute), "")
    return Slice(hidden=hidden, column=column, value=value) if value else None
