"""Which encoding a file's bytes are in."""

from __future__ import annotations

import codecs
import hashlib
import re
from dataclasses import dataclass
from pathlib import Path

import chardet

from engine.errors import SourceError
from engine.read.options import is_encoding

_CHUNK = 1 << 20
_SAMPLE = 1 << 16
_MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
# Names under which detection reports a page, each with the page that Windows writes and that holds all of its letters.
_WIDER = {
    "iso8859-1": "cp1252", "iso8859-9": "cp1254", "iso8859-8": "cp1255", "iso8859-11": "cp874", "tis-620": "cp874", "ascii": "utf-8",
    "gb2312": "gbk",
}  # fmt: skip
# Pages that hold another's letters and few more: the plainer name is reported where it suffices.
_PLAINER = {"cp932": "shift_jis", "cp950": "big5", "gb18030": "gbk", "cp949": "euc_kr", "big5hkscs": "big5"}
_WESTERN = {"cp1252", "iso8859-1", "iso8859-15"}
_LATIN = _WESTERN | {
    "cp1250", "cp1254", "cp1257", "cp437", "cp850", "cp852", "cp858", "cp863", "hp-roman8", "iso8859-2", "iso8859-3", "iso8859-4",
    "iso8859-9", "iso8859-10", "iso8859-13", "iso8859-14", "iso8859-16", "mac-latin2", "mac-roman",
}  # fmt: skip
_WESTERN_TEXT = re.compile(r"[\x00-\x7fàâäçéèêëîïôöùûüÿñáíóúãõßæøåœìòÀÂÄÇÉÈÊËÎÏÔÖÙÛÜÑÁÍÓÚÃÕÆØÅŒÌÒ°£€–—’‘“”„«»½¼¾§®©™…•´·\xa0º¡¿²³]*")
_FOREIGN = re.compile(r"[\u0370-\u05ff\u0621-\u064a]+")
_TWO_SCRIPTS = re.compile(r"[a-zA-Z][\u0370-\u05ff\u0621-\u064a]+|[\u0370-\u05ff\u0621-\u064a]+[a-zA-Z]")
_SYMBOL_IN_WORD = re.compile(r"[^\W\d_][º¡¿²³£°½¼¾§][^\W\d_]")


@dataclass(frozen=True, slots=True)
class Encoding:
    """A Python codec, and the lines that only another page makes sense of (they are read as Windows-1252 there)."""

    name: str
    digest: bytes
    strays: tuple[int, ...] = ()

    @property
    def errors(self) -> str:
        """What the codec does with a byte that it cannot read."""
        return _STRAY if self.strays else "strict"


_STRAY = "almanac-stray-bytes"


def _as_western(error: UnicodeError) -> tuple[str, int]:
    if not isinstance(error, UnicodeDecodeError):
        raise error
    return error.object[error.start : error.end].decode("cp1252", "replace"), error.end


codecs.register_error(_STRAY, _as_western)


def encoding_of(path: Path, shown: str, given: str | None = None) -> Encoding:
    """The encoding of a text file, and a digest of its bytes; every byte is looked at.

    given: what the catalog says; it is verified. Raises SourceError for bytes that are no text.
    """
    with path.open("rb") as file:
        head = file.read(_SAMPLE)
    digest = digest_of(path)
    if given:
        return _given(path, shown, given, digest)
    for mark, name in _MARKS:
        if head.startswith(mark):
            return _given(path, shown, name, digest)
    if wide := _without_mark(head):
        return _given(path, shown, wide, digest)
    if b"\0" in head:
        raise SourceError(f"{shown} holds binary data and not a table; a CSV, spreadsheet, Parquet or JSON lines file is expected.")
    if b"\x1b$" in head:
        return Encoding("iso2022_jp", digest)
    if _decodes(path, "utf-8") is None:
        return Encoding("utf-8", digest)
    strays = _strays(path)
    if strays:
        return Encoding("utf-8", digest, strays)
    return Encoding(_page(path), digest)


def digest_of(path: Path) -> bytes:
    """A digest of a file's bytes."""
    digest = hashlib.blake2b(digest_size=16)
    with path.open("rb") as file:
        while chunk := file.read(_CHUNK):
            digest.update(chunk)
    return digest.digest()


def _given(path: Path, shown: str, name: str, digest: bytes) -> Encoding:
    if not is_encoding(name):
        raise SourceError(
            f'{shown}: there is no encoding of texts called "{name}"; utf-8, cp1252 or shift_jis, for instance, would be one.'
        )
    bad = _decodes(path, name)
    if bad is not None:
        raise SourceError(f"{shown}, line {bad}: these bytes are not {name}.")
    return Encoding(name, digest)


def _decodes(path: Path, name: str) -> int | None:
    """None where the whole file is in this encoding, else the line of the first byte that is not."""
    decoder = codecs.getincrementaldecoder(name)()
    line = 1
    with path.open("rb") as file:
        while chunk := file.read(_CHUNK):
            try:
                line += decoder.decode(chunk).count("\n")
            except UnicodeDecodeError as error:
                return line + error.object[: error.start].count(b"\n")
            except UnicodeError:
                return line
    try:
        decoder.decode(b"", final=True)
    except UnicodeError:
        return line
    return None


def _without_mark(head: bytes) -> str | None:
    """UTF-16 that carries no mark: every second byte of its Latin text and line ends is zero."""
    even, odd = head[0::2].count(0), head[1::2].count(0)
    half = max(1, len(head) // 2)
    if odd / half > 0.2 and even / half < 0.02:
        return "utf-16-le"
    if even / half > 0.2 and odd / half < 0.02:
        return "utf-16-be"
    return None


def _strays(path: Path) -> tuple[int, ...]:
    """Lines with bytes that are not UTF-8, where nearly all others that are not ASCII are."""
    good, bad = 0, []
    with path.open("rb") as file:
        for number, line in enumerate(file, 1):
            if line.isascii():
                continue
            try:
                line.decode("utf-8")
                good += 1
            except UnicodeDecodeError:
                bad.append(number)
                if len(bad) > 20 and good < len(bad):
                    return ()
    return tuple(bad) if len(bad) * 10 <= good else ()


def _page(path: Path) -> str:
    """The page of a file that is not Unicode, by its lines that hold more than ASCII."""
    sample = _telling_lines(path)
    found = [(_codec(str(each["encoding"])), float(each["confidence"] or 0)) for each in chardet.detect_all(sample) if each["encoding"]]
    names = _ordered(found, sample)
    for name in names:
        if name != "ascii" and _decodes(path, name) is None:
            plain = _PLAINER.get(name)
            return plain if plain and _decodes(path, plain) is None else name
    return "latin-1" if _decodes(path, "cp1252") is not None else "cp1252"


def _telling_lines(path: Path) -> bytes:
    """Different lines with bytes beyond ASCII, up to 64 KiB; the first lines as well where these are few, as they carry the rest of the
    language.
    """
    lines: dict[bytes, None] = {}
    size = 0
    with path.open("rb") as file:
        head = file.read(4096)
        file.seek(0)
        for line in file:
            if not line.isascii() and line not in lines:
                lines[line[:4096]] = None
                size += len(line)
                if size > _SAMPLE:
                    break
    sample = b"".join(lines)
    return sample if size > 400 else head + sample


def _codec(name: str) -> str:
    try:
        return codecs.lookup(name).name
    except LookupError:
        return "cp1252"


def _ordered(found: list[tuple[str, float]], sample: bytes) -> list[str]:
    """Candidates, best first; Windows-1252 before its relatives where the text reads as Western European and no relative is clearly
    better.
    """
    if not found:
        return ["cp1252"]
    best, score = found[0]
    western = max((each for name, each in found if name in _WESTERN), default=0.0)
    names = [_WIDER.get(name, name) for name, _ in found]
    as_best = sample.decode(names[0], "ignore")
    mixed = 2 * len(_TWO_SCRIPTS.findall(as_best)) > len(_FOREIGN.findall(as_best)) > 0  # "Cafι": no one writes so
    if mixed or (best in _LATIN and western >= score / 2):
        text = sample.decode("cp1252", "ignore")
        if best in _WESTERN or (_WESTERN_TEXT.fullmatch(text) and not _SYMBOL_IN_WORD.search(text)):
            euro = b"\xa4" in sample and not re.search(rb"[\x80-\x9f]", sample)
            return ["iso8859-15" if euro else "cp1252", *names]
    return names
