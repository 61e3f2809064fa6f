"""How a source is to be read where its owner says so; whatever is left out is detected."""

from __future__ import annotations

import codecs
from typing import Annotated, Final, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field
from pydantic_core import PydanticCustomError

from engine.types import ColumnType

READING: Final = "2"  # part of every fingerprint: a change in how sources are read makes new versions
# Python has codecs that are no encoding of texts in files: of host names, of escapes in source code.
_OTHER_CODECS = frozenset({"idna", "punycode", "undefined", "unicode_escape", "raw_unicode_escape", "mbcs", "oem"})


def refusal(what: str) -> PydanticCustomError:
    """What a validator raises: the end of a sentence that begins with the key."""
    return PydanticCustomError("catalog", "{what}", {"what": what})


def is_encoding(name: str) -> bool:
    """Whether texts in files can be in an encoding of this name."""
    try:
        return bool("a".encode(name)) and codecs.lookup(name).name.replace("-", "_") not in _OTHER_CODECS
    except (LookupError, ValueError):
        return False


def _one_character(value: str | None) -> str | None:
    if value is not None and len(value) != 1:
        raise refusal('must be one character, such as ";" or a tab; leave it out to have it found')
    return value


def _at_most_one(value: str | None) -> str | None:
    if value is not None and len(value) > 1:
        raise refusal('must be one character, or "" where nothing is quoted')
    return value


OneCharacter = Annotated[str | None, AfterValidator(_one_character)]
AtMostOne = Annotated[str | None, AfterValidator(_at_most_one)]


class ReadOptions(BaseModel):
    """What a catalog says about the reading of one source; None means that it is detected.

    header_rows: rows that make the header, 0 for none; skip_rows and footer_rows: rows before it and after the data. Blank lines are no
    rows.
    quote: "" where nothing is quoted.
    sheet: the one sheet to read; table or query: the one table of a database, or what is asked of it.
    columns: types by column name; lists: separators of list cells by column name, "" where a column holds no lists.
    no_value: spellings of "no value" besides the known ones.
    seconds: for an address or a query; bytes: of a file, and of what a packed one unfolds to.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    encoding: str | None = None
    delimiter: OneCharacter = None
    quote: AtMostOne = None
    header_rows: Annotated[int | None, Field(ge=0, le=50)] = None
    skip_rows: Annotated[int | None, Field(ge=0)] = None
    footer_rows: Annotated[int | None, Field(ge=0)] = None
    sheet: str | None = None
    table: str | None = None
    query: str | None = None
    columns: dict[str, ColumnType] = {}
    lists: dict[str, str] = {}
    no_value: tuple[str, ...] = ()
    decimal: Literal[".", ","] | None = None
    day_first: bool | None = None
    seconds: Annotated[float, Field(gt=0)] = 300.0
    bytes: Annotated[int, Field(gt=0)] = 4_000_000_000

    def type_of(self, column: str) -> ColumnType | None:
        """The type that a column is said to have."""
        return self.columns.get(column)


class AgreedOptions(ReadOptions):
    """The same with types that nobody wrote down: they hold for the columns that are there."""

    agreed: dict[str, ColumnType] = {}

    def type_of(self, column: str) -> ColumnType | None:
        """What the catalog says of a column counts first."""
        return self.columns.get(column) or self.agreed.get(column)
