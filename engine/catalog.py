"""The catalog: what there is to ask, from one TOML file, or from a source alone."""

from __future__ import annotations

import difflib
import re
import tomllib
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Annotated, Any, Final, Literal

from pydantic import BaseModel, BeforeValidator, Field, StrictBool, ValidationError, ValidationInfo, field_validator
from pydantic_core import ErrorDetails

from engine.errors import CatalogError
from engine.read.options import AgreedOptions, ReadOptions, is_encoding, refusal
from engine.read.where import as_text, is_address, is_server
from engine.rhythm import RIGHT, Rhythm, rhythm_of, seconds_of
from engine.settings import printable
from engine.types import WHOLE, ColumnType, Frozen, QueryPlan, Scope, Slice, TablePlan


def _said(value: object) -> object:
    if isinstance(value, str) and not value.strip():
        raise refusal("is empty, and must be a text")
    return value.strip() if isinstance(value, str) else value


def _one_or_more(value: object) -> object:
    return (value,) if isinstance(value, str) else value


def _list_mark(value: object) -> object:
    if (
        value is None or value is False or (isinstance(value, str) and value)
    ):  # a TOML file cannot say None, what another process is told does
        return value
    raise refusal('must be the text that divides the items, such as "; ", or false')


_ROWS: Final = re.compile(r"\s*(?P<column>.+?)\s*=\s*\{\s*asker\.(?P<attribute>[^{}]+?)\s*\}\s*")
_ALERTS: Final = re.compile(r"(?P<platform>slack|teams):(?P<channel>[!-~]{2,300})")
_CHANNELS: Final = {"slack": re.compile(r"[CG][A-Z0-9]{2,}"), "teams": re.compile(r"(19|a):\S+")}
EVERYONE: Final = "everyone"  # in the workspace
OUTSIDERS: Final = "outsiders"  # guests, and people of other organisations
_LARGEST: Final = 10_000_000  # bytes of a catalog: what has no end, such as a device, is not read for ever
Said = Annotated[str, BeforeValidator(_said)]
Texts = Annotated[tuple[Said, ...], BeforeValidator(_one_or_more)]


class ColumnEntry(Frozen):
    """What the owner says about a column.

    synonyms: other names for the column. terms: for a value of the column the other words for it. hours: whether cells are opening hours.
    list: what divides the items of a cell, false where cells are no lists. Where list or type is not said, it is found from the data.
    see: the groups that may see it, where not all who see the table may. send_to_model: whether its values may go to a model's endpoint.
    """

    note: Said | None = None
    synonyms: Texts = ()
    terms: dict[Said, Texts] = Field(default_factory=dict)
    list: Annotated[str | Literal[False] | None, BeforeValidator(_list_mark)] = None
    hours: StrictBool = False
    type: ColumnType | None = None
    see: Texts | None = None
    send_to_model: StrictBool = True

    @field_validator("terms")
    @classmethod
    def _each_word_once(cls, terms: dict[str, tuple[str, ...]]) -> dict[str, tuple[str, ...]]:
        if twice := _said_twice(terms):
            raise refusal(f"gives {_quoted([twice])} to two values, and a word can mean one value of a column")
        return terms


class TableSection(Frozen):
    """What may stand in a section [tables.NAME]: all but the source has a default found from the data.

    source: a path relative to the catalog's file, a glob, an https address or a database's URL. row: the words for a row, one and several.
    keys: the columns that are shown with every row, the first of which names it. read: how to read, where that is not left to be found out.
    see: the groups that may see it. rows: "COLUMN = {asker.ATTRIBUTE}", which rows each of them sees; all_rows: the groups that see all the same.
    channels: the only channels and group chats where it is answered for all to see. send_to_model: whether its values may go to a model's endpoint.
    audit_rows: whether the audit keeps the numbers of the rows that were shown.
    refresh: how often the source is looked at, as engine.rhythm reads it; jitter: by how much that may be put off, so that not all is done at once.
    alerts: the channel that is told when the source cannot be taken any more, as in "slack:C0123".
    """

    source: Said
    description: Said | None = None
    row: Texts = ()
    keys: Texts = ()
    columns: dict[Said, ColumnEntry] = Field(default_factory=dict)
    read: ReadOptions = Field(default_factory=ReadOptions)
    see: Annotated[Texts, Field(min_length=1)] = (EVERYONE,)
    rows: Said | None = None
    all_rows: Texts = ()
    channels: Texts = ()
    send_to_model: StrictBool = True
    audit_rows: StrictBool = False
    refresh: Said | None = None
    jitter: Said | None = None
    alerts: Said | None = None

    @property
    def rhythm(self) -> Rhythm:
        """How often the source is looked at: a file of this machine each ten minutes and all else each hour, where the catalog does not say."""
        if self.refresh is not None:
            return rhythm_of(self.refresh) or Rhythm()
        return Rhythm(seconds=3600.0 if is_address(self.source) or is_server(self.source) else 600.0)

    @property
    def jitter_seconds(self) -> float:
        """By how many seconds at most a refresh is put off: a tenth of the time between two, and a minute at most, where the catalog does not say."""
        if self.jitter is not None:
            return seconds_of(self.jitter) or 0.0
        return min(60.0, self.rhythm.seconds / 10)

    @property
    def alerts_to(self) -> tuple[str, str] | None:
        """The platform and the channel that is told; None where none is."""
        found = _ALERTS.fullmatch(self.alerts or "")
        return (found["platform"], found["channel"]) if found else None

    @property
    def partition(self) -> tuple[str, ...]:
        """The column that divides the rows among askers, and the attribute of an asker that it must equal; empty where nothing does."""
        found = _ROWS.fullmatch(self.rows or "")
        return (found["column"], found["attribute"]) if found else ()

    @field_validator("rows")
    @classmethod
    def _an_equality(cls, rows: str | None) -> str | None:
        if rows is not None and not _ROWS.fullmatch(rows):
            raise refusal(f'is {_quoted([rows])}; it must be one column and one attribute, as in "district = {{asker.district}}"')
        return rows

    @field_validator("refresh")
    @classmethod
    def _a_rhythm(cls, refresh: str | None) -> str | None:
        if refresh is not None and rhythm_of(refresh) is None:
            raise refusal(f"is {_quoted([refresh])}; it must be {RIGHT}")
        return refresh

    @field_validator("jitter")
    @classmethod
    def _a_span(cls, jitter: str | None, info: ValidationInfo) -> str | None:
        if jitter is None or jitter == "0":
            return jitter
        seconds = seconds_of(jitter)
        if seconds is None:
            raise refusal(f'is {_quoted([jitter])}; it must be a span such as "30 seconds", or "0" for none')
        rhythm = rhythm_of(info.data.get("refresh") or "1 hour")
        if rhythm and rhythm.seconds and seconds > rhythm.seconds:
            raise refusal(f"is {_quoted([jitter])}, which is longer than the time between two refreshes; it must be shorter")
        return jitter

    @field_validator("alerts")
    @classmethod
    def _a_channel(cls, alerts: str | None) -> str | None:
        if alerts is not None:
            found = _ALERTS.fullmatch(alerts)
            if not found or not _CHANNELS[found["platform"]].fullmatch(found["channel"]):
                raise refusal(
                    f'is {_quoted([alerts])}; it must be a channel by its id, as in "slack:C0123ABCD" or "teams:19:...@thread.tacv2"'
                )
        return alerts

    @field_validator("keys")
    @classmethod
    def _each_key_once(cls, keys: tuple[str, ...]) -> tuple[str, ...]:
        if len(set(keys)) < len(keys):
            raise refusal("names a column twice")
        return keys

    @field_validator("read")
    @classmethod
    def _a_known_encoding(cls, read: ReadOptions) -> ReadOptions:
        if read.encoding is not None and not is_encoding(read.encoding):
            raise refusal(f"has the encoding {_quoted([read.encoding])}, which is none of texts; utf-8, cp1252 or shift_jis would be one")
        return read

    @field_validator("columns")
    @classmethod
    def _each_name_once(cls, columns: dict[str, ColumnEntry]) -> dict[str, ColumnEntry]:
        if twice := _said_twice({name: entry.synonyms for name, entry in columns.items()}):
            raise refusal(f"gives the name {_quoted([twice])} to two columns, and a name can mean one column")
        return columns


class TableEntry(TableSection):
    """A table of the catalog, with its name and the folder that its source is relative to."""

    name: str
    base: Path
    part: Slice = WHOLE
    agreed: dict[str, ColumnType] = Field(default_factory=dict)  # types of columns that were agreed on; one that is gone is none

    def sliced(self, part: Slice) -> TableEntry:
        """The entry of a part of the table: it says nothing of what is hidden."""
        return self.model_copy(
            update={
                "part": part,
                "keys": tuple(name for name in self.keys if name not in part.hidden),
                "columns": {name: about for name, about in self.columns.items() if name not in part.hidden},
            }
        )

    def options(self) -> ReadOptions:
        """How the source is read: the section `read`, and the types and separators that the columns' own sections say outright."""
        types = {name: entry.type for name, entry in self.columns.items() if entry.type}
        lists = {name: entry.list or "" for name, entry in self.columns.items() if entry.list is not None}
        said = self.read.model_dump() | {"columns": {**types, **self.read.columns}, "lists": {**lists, **self.read.lists}}
        return AgreedOptions(**said, agreed=self.agreed) if self.agreed else ReadOptions(**said)


class Example(Frozen):
    """A worked example: a question, its plan and why the plan is right."""

    question: Said
    plan: QueryPlan
    explanation: Said | None = None


class AccessSection(Frozen):
    """What may stand in the section [access].

    groups: each group that rules may name, with its members: e-mails, ids of people, or ids of a platform's own groups. people: a source with a
    row for each person: a column `person`, `email` or `id`, one of `groups`, and their attributes. endpoints: the only addresses of models that may be called.
    """

    groups: dict[Said, Texts] = Field(default_factory=dict)
    people: Said | None = None
    endpoints: Texts | None = None

    @field_validator("groups")
    @classmethod
    def _none_of_ours(cls, groups: dict[str, tuple[str, ...]]) -> dict[str, tuple[str, ...]]:
        for name in (EVERYONE, OUTSIDERS):
            if name in groups:
                raise refusal(f'has the group "{name}", which is there already and has other members')
        return groups


class CatalogFile(Frozen):
    """What may stand in a catalog's file."""

    tables: Annotated[dict[Said, TableSection], Field(min_length=1)]
    glossary: dict[Said, Said] = Field(default_factory=dict)
    examples: tuple[Example, ...] = ()
    access: AccessSection = Field(default_factory=AccessSection)


class Catalog(Frozen):
    """What there is to ask; the glossary gives for a phrase of the house what it means in the tables' own words.

    file: where it stands; empty where a source is asked alone.
    """

    tables: tuple[TableEntry, ...]
    glossary: dict[str, str] = Field(default_factory=dict)
    examples: tuple[Example, ...] = ()
    access: AccessSection = Field(default_factory=AccessSection)
    file: str = ""

    def under(self, scope: Scope) -> Catalog:
        """The same catalog as far as a scope goes."""
        seen = [(entry, scope.slice_of(entry.name)) for entry in self.tables]
        return self.model_copy(update={"tables": tuple(entry.sliced(part) for entry, part in seen if part is not None)})

    def with_source(self, table: str, source: str) -> Catalog:
        """The same catalog with another source for one table, relative to the current folder; raises CatalogError for an unknown table."""
        if table not in [entry.name for entry in self.tables]:
            raise CatalogError(f"The catalog has no table {_quoted([table])}; it has {_quoted(entry.name for entry in self.tables)}.")
        changed = {"source": source, "base": Path.cwd()}
        return self.model_copy(update={"tables": tuple(e.model_copy(update=changed) if e.name == table else e for e in self.tables)})


def load_catalog(path: Path) -> Catalog:
    """The catalog of a TOML file; raises CatalogError, which names the file, the key and what would be right."""
    file = _quoted([str(path)])
    try:
        with path.open("rb") as opened:
            content = opened.read(_LARGEST + 1)
        if len(content) > _LARGEST:
            raise CatalogError(f"The catalog {file} is larger than {_LARGEST:,} bytes, which no catalog is.")
        text = content.decode("utf-8-sig")
    except FileNotFoundError:
        raise CatalogError(f"There is no catalog {file}; `almanac init FILE` drafts one.") from None
    except UnicodeDecodeError as error:
        raise CatalogError(f"The catalog {file} is not UTF-8 text at byte {error.start + 1}; a catalog is a TOML file in UTF-8.") from None
    except (OSError, ValueError):
        raise CatalogError(f"The catalog {file} cannot be read; it must be a file that you may open.") from None
    try:
        data = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise CatalogError(f"The catalog {file} is not TOML{_place(error)}; a line is [tables.NAME] or key = 'text'.") from None
    except RecursionError:
        raise CatalogError(f"The catalog {file} is nested too deeply for a catalog.") from None
    try:
        parsed = CatalogFile.model_validate(data)
    except ValidationError as error:
        raise CatalogError(f"The catalog {file} is wrong: {_complaint(error.errors(), data)}") from None
    if unknown := _unknown_group(parsed):
        raise CatalogError(f"The catalog {file} is wrong: {unknown}")
    base = path.resolve().parent  # of the file itself, where the path is a link to it
    tables = tuple(TableEntry(name=name, base=base, **_fields(section)) for name, section in parsed.tables.items())
    return Catalog(tables=tables, glossary=parsed.glossary, examples=parsed.examples, access=parsed.access, file=str(path))


def catalog_of(source: str) -> Catalog:
    """A catalog of one table that is known by its source alone, relative to the current folder; raises CatalogError for an empty source."""
    if not source.strip():
        raise CatalogError("The table's source is empty; it must be a file, an address or a database's URL.")
    address = source.split("?")[0] if "://" in source else source
    try:
        base = Path.cwd()
    except OSError:
        raise CatalogError("The current folder is not there any more; go to one that is.") from None
    parts = [re.sub(r"[*?\[\]]+", "", Path(part).stem).strip(" -_") for part in re.split(r"[/\\]", address)]
    name = next((part for part in reversed(parts) if part.strip(".")), "table")
    return Catalog(tables=(TableEntry(name=as_text(name), source=source, base=base),))


def _unknown_group(parsed: CatalogFile) -> str:
    """What is wrong with the first group that a rule names and nobody declares."""
    known = [EVERYONE, OUTSIDERS, *parsed.access.groups]
    for name, table in parsed.tables.items():
        rules: list[tuple[tuple[str, ...], tuple[str, ...]]] = [(("see",), table.see), (("all_rows",), table.all_rows)]
        rules += [(("columns", column, "see"), about.see or ()) for column, about in table.columns.items()]
        for key, groups in rules:
            for group in groups:
                if group not in known:
                    where = printable(_dotted(["tables", name, *key]), 200)
                    return f'"{where}" names the group {_quoted([group])}, which "access.groups" does not have; it has {_quoted(known)}.'
    return ""


# ---- what is wrong, in words

_MISSING: Final = {"source": "the file, address or database to read", "tables": "at least one section [tables.NAME] with its source"}
_KINDS: Final = {
    "string_type": "a text",
    "bool_type": "true or false",
    "int_type": "a whole number",
    "int_parsing": "a whole number",
    "int_from_float": "a whole number",
    "tuple_type": "a list",
    "list_type": "a list",
    "frozen_set_type": "a list",
    "dict_type": "a section of keys",
    "model_type": "a section of keys",
    "dataclass_type": "a section of keys",
}


def _complaint(errors: list[ErrorDetails], data: Mapping[str, Any]) -> str:
    """The first thing that is wrong as the end of a sentence."""
    first, kind = errors[0], errors[0]["type"]
    context = first.get("ctx", {})
    location = first["loc"]
    if location[:1] == ("examples",) and location[2:3] == ("plan",):
        location = location[:3] + location[4:]  # without the kind of plan, which is no key of the file
    keys = [str(part) for part in location if part != "[key]"]
    where = f'"{printable(_dotted(keys), 200)}"'
    if kind in ("extra_forbidden", "unexpected_keyword_argument"):
        known = _known_keys(location[:-1])
        near = difflib.get_close_matches(keys[-1], known, n=1, cutoff=0.6)
        right = f"did you mean {_quoted(near)}?" if near else f"known there are {_quoted(known)}." if known else "leave it out."
        return f"{where} is no key of a catalog; {right}"
    if kind == "missing":
        return f"{where} is missing; it must be {_MISSING.get(keys[-1], 'given')}."
    if kind == "catalog":
        return f"{where} {context['what']}."
    if kind == "literal_error":
        return f"{where} is {_quoted([str(first['input'])])}; it must be {context['expected']!s}."
    if kind == "too_short":
        return f"{where} is empty; it must name at least one."
    if kind in ("greater_than_equal", "greater_than", "less_than_equal"):
        bound = {"greater_than_equal": "at least", "greater_than": "more than", "less_than_equal": "at most"}[kind]
        return f"{where} is {_shown(first['input'])}; it must be {bound} {next(iter(context.values()))}."
    if kind in ("union_tag_invalid", "union_tag_not_found"):
        return f'{where} needs a "kind" that is one of table, sql, clarify and no_answer.'
    return f"{where} is {_shown(first['input'])}; it must be {_KINDS.get(kind, 'a value that fits this key')}."


def _known_keys(location: tuple[int | str, ...]) -> list[str]:
    """The keys that may stand at a place of the file; none for a place deep inside a plan."""
    models: dict[tuple[str, ...], type[BaseModel]] = {
        (): CatalogFile,
        ("tables",): TableSection,
        ("tables", "columns"): ColumnEntry,
        ("tables", "read"): ReadOptions,
        ("examples",): Example,
        ("access",): AccessSection,
        ("examples", "plan"): TablePlan,
    }
    model = models.get(tuple(part for at, part in enumerate(location) if at % 2 == 0 and isinstance(part, str)))
    return list(model.model_fields) if model else []


def _dotted(keys: list[str]) -> str:
    return ".".join(key if re.fullmatch(r"[\w-]+", key) else f"'{key}'" for key in keys)


def _place(error: tomllib.TOMLDecodeError) -> str:
    found = re.search(r"line (\d+), column (\d+)", str(error))
    return f" at line {found[1]}, column {found[2]}" if found else " at its end"


def _shown(value: object) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, dict):
        return "a section of keys"
    return "a list" if isinstance(value, list) else _quoted([str(value)]) if isinstance(value, str) else printable(str(value))


def _quoted(words: Iterable[str]) -> str:
    return ", ".join(f'"{printable(word)}"' for word in words)


def _said_twice(words: Mapping[str, Iterable[str]]) -> str | None:
    """A word that stands under two of the names, or that is another of the names."""
    owner = {name.casefold(): name for name in words}
    for name, others in words.items():
        for word in others:
            if owner.setdefault(word.casefold(), name) != name:
                return word
    return None


def _fields(section: TableSection) -> dict[str, Any]:
    return {name: getattr(section, name) for name in TableSection.model_fields}
