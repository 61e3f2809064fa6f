"""Embeddings by an endpoint: what it is sent, what is remembered, and one sentence for all that may go wrong, at a stand-in on loopback."""

from __future__ import annotations

import json
import logging
import socket
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from zlib import crc32

import numpy as np
import pytest

from cache.hints import Hints
from cache.versions import Store
from engine.ask import ask
from engine.catalog import catalog_of, load_catalog
from engine.embed_centre import UNRELATED
from engine.embed_endpoint import EndpointEmbedder, endpoint_from_settings
from engine.embed_request import TRIES, Endpoint
from engine.errors import EmbeddingError, UsageError
from engine.language import language_of
from engine.retrieve import nearest_examples, retrieve
from engine.tables import open_tables
from engine.types import EVERYTHING, ChatThread
from tests.engine.samples import FILMS

KEY = "sk-very-secret-0123"


def numbers_of(text: str, dimensions: int) -> list[float]:
    """Numbers that depend on the text alone, not of length 1."""
    drawn = np.random.default_rng(crc32(text.encode())).normal(size=dimensions)
    return [float(number) for number in drawn]


@dataclass
class Played:
    """What the stand-in does next: a status, headers, a body (None: a right one), a wait before it."""

    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    body: bytes | None = None
    wait: float = 0.0


class StandIn(ThreadingHTTPServer):
    """An endpoint that checks what it is sent, keeps it, and plays what it is told to."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Answers)
        self.asked: list[list[str]] = []
        self.complaints: list[str] = []
        self.next: list[Played] = []
        self.always: Played | None = None
        self.dimensions = 8
        self.most = 2048
        self.shape: Callable[[list[dict[str, Any]]], object] = lambda data: {"object": "list", "data": data[::-1]}

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}/v1"

    @property
    def texts(self) -> list[str]:
        return [text for batch in self.asked for text in batch]


class Answers(BaseHTTPRequestHandler):
    """One request of the stand-in."""

    server: StandIn

    def do_POST(self) -> None:
        server = self.server
        said = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        if self.path != "/v1/embeddings" or self.headers["Authorization"] != f"Bearer {KEY}" or "json" not in self.headers["Content-Type"]:
            server.complaints.append(f"{self.path} {self.headers['Authorization']}")
        if (
            set(said) != {"model", "input", "encoding_format"}
            or said["model"] not in ("small", "large")
            or said["encoding_format"] != "float"
        ):
            server.complaints.append(str(said))
        if not all(text.strip() for text in said["input"]):
            server.complaints.append("a blank text")
        server.asked.append(said["input"])
        played = server.always or (server.next.pop(0) if server.next else Played())
        if played.status == 200 and played.body is None and len(said["input"]) > server.most:
            played = Played(413)
        time.sleep(played.wait)
        data = [{"index": n, "embedding": numbers_of(text, server.dimensions)} for n, text in enumerate(said["input"])]
        body = json.dumps(server.shape(data)).encode() if played.body is None else played.body
        try:
            self.send_response(played.status)
            for name, value in {"Content-Length": str(len(body)), **played.headers}.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(body)
        except OSError:
            pass  # whoever asked has given up

    def log_message(self, *_: object) -> None:
        """Nothing is said."""


@pytest.fixture
def server() -> Iterator[StandIn]:
    with StandIn() as standing:
        thread = threading.Thread(target=standing.serve_forever, kwargs={"poll_interval": 0.02})
        thread.start()
        yield standing
        standing.shutdown()
        thread.join()
        assert standing.complaints == []


@dataclass
class Waits:
    """Takes the pauses between tries, and does not wait."""

    seconds: list[float] = field(default_factory=list)

    def __call__(self, seconds: float) -> None:
        self.seconds.append(seconds)


def embedder(server: StandIn, folder: Path, **other: Any) -> EndpointEmbedder:
    return EndpointEmbedder(replace(Endpoint(server.address, KEY, "small", pause=lambda _: None), **other), Hints(folder, "embeddings"))


def refusal(embedder: EndpointEmbedder) -> str:
    with pytest.raises(EmbeddingError) as caught:
        embedder.embed(["chemist"])
    said = str(caught.value)
    assert KEY not in said and said.endswith(".") and "\n" not in said
    assert caught.value.__context__ is None or caught.value.__suppress_context__
    return said


# ---- what it is asked, and what comes of it


def test_the_dimensions_are_found_and_remembered(server: StandIn, tmp_path: Path) -> None:
    server.dimensions = 12
    first = embedder(server, tmp_path)
    assert first.dimensions == 12
    assert first.name.startswith("small@") and first.name.endswith("-12")
    assert len(server.asked) == 1
    assert embedder(server, tmp_path).name == first.name
    assert len(server.asked) == 1


def test_vectors_are_in_the_order_of_the_phrases(server: StandIn, tmp_path: Path) -> None:
    phrases = ["chemist", "", "dentist", "chemist", " \n", "half a pair \ud83d"]
    vectors = embedder(server, tmp_path).embed(phrases)
    assert vectors.shape == (6, 8) and vectors.dtype == np.float32
    assert np.linalg.norm(vectors, axis=1) == pytest.approx([1, 0, 1, 1, 0, 1], abs=1e-5)
    assert np.array_equal(vectors[0], vectors[3])
    raw = np.array([numbers_of(text, 8) for text in ("chemist", "dentist", *UNRELATED)])
    raw /= np.linalg.norm(raw, axis=1, keepdims=True)
    expected = raw[:2] - raw[2:].mean(axis=0)
    expected /= np.linalg.norm(expected, axis=1, keepdims=True)
    assert np.allclose(vectors[[0, 2]], expected, atol=1e-5)
    assert server.texts.count("chemist") == 1


def test_texts_go_in_batches(server: StandIn, tmp_path: Path) -> None:
    one = embedder(server, tmp_path)
    one.embed(["first"])
    server.asked.clear()
    one.embed([f"term {n}" for n in range(600)])
    assert [len(batch) for batch in server.asked] == [256, 256, 88]
    server.asked.clear()
    one.embed([f"{n} " + "long" * 2000 for n in range(80)])
    assert max(sum(map(len, batch)) for batch in server.asked) <= 150_000
    assert {len(text) for text in server.texts} == {4000}


def test_an_endpoint_that_takes_fewer_gets_fewer(server: StandIn, tmp_path: Path) -> None:
    server.most = 32
    vectors = embedder(server, tmp_path).embed([f"term {n}" for n in range(100)])
    assert np.linalg.norm(vectors, axis=1) == pytest.approx(np.ones(100), abs=1e-5)


def test_nothing_is_asked_twice(server: StandIn, tmp_path: Path) -> None:
    vectors = embedder(server, tmp_path).embed(["chemist", "dentist"])
    count = len(server.asked)
    again = embedder(server, tmp_path)
    assert np.array_equal(again.embed(["dentist", "chemist"]), vectors[::-1])
    assert len(server.asked) == count
    again.embed(["dentist", "nurse"])
    assert server.asked[count:] == [["nurse"]]
    other = embedder(server, tmp_path, model="large")
    other.embed(["chemist"])
    assert server.texts.count("chemist") == 2
    assert other.name != again.name


def test_what_is_remembered_badly_is_asked_anew(server: StandIn, tmp_path: Path) -> None:
    one = embedder(server, tmp_path)
    vectors = one.embed(["chemist"])
    hints = Hints(tmp_path, "embeddings")
    for broken in ("AAAA", "not base64!", 7, ["x"]):
        hints.set(one._key("text", "chemist"), broken)  # type: ignore[arg-type]
        asked = len(server.asked)
        assert np.array_equal(one.embed(["chemist"]), vectors)
        assert len(server.asked) == asked + 1


def test_a_table_is_built_and_asked_with_it(server: StandIn, tmp_path: Path) -> None:
    (tmp_path / "films.csv").write_text(FILMS, encoding="utf-8")
    said, store = catalog_of(str(tmp_path / "films.csv")), Store(tmp_path / "built")
    for _ in range(2):
        (table,) = open_tables(said, store, embedder=embedder(server, tmp_path))
        table.close()
    asked = len(server.asked)
    server.dimensions = 16
    (built,) = open_tables(said, store, embedder=embedder(server, tmp_path / "elsewhere"))
    assert built.version != table.version
    assert len(server.asked) > asked
    built.close()


@pytest.mark.parametrize("whole", [False, True])
def test_values_that_are_not_sent_are_in_no_request(server: StandIn, tmp_path: Path, whole: bool) -> None:
    (tmp_path / "doctors.csv").write_text(
        "name,city,type,nickname\n"
        + "".join(f"Person{n} Family{n},Town{n % 4},Clinic,{('Bubblegum', 'Marzipan', 'Licorice')[n % 3]}\n" for n in range(30)),
        encoding="utf-8",
    )
    rule = "send_to_model = false\n" if whole else "[tables.doctors.columns.nickname]\nsend_to_model = false\n"
    (tmp_path / "almanac.toml").write_text(f'[tables.doctors]\nsource = "doctors.csv"\n{rule}', encoding="utf-8")
    one = embedder(server, tmp_path)
    (table,) = open_tables(load_catalog(tmp_path / "almanac.toml"), Store(tmp_path / "built"), embedder=one)
    try:
        for text in (
            "doctors called Bubblegum",
            "which doctors are named marzipan?",
            "docters licorise",
            "person7 family7",
            "medics in Town2",
        ):
            ask(text, ChatThread(), EVERYTHING, tables=[table], embedder=one, now=datetime.now(UTC))
            retrieve(text, language_of(text), table, one, datetime.now(UTC))
            nearest_examples(text, table, one)
    finally:
        table.close()
    sent = " ".join(text for batch in server.asked for text in batch).casefold()
    assert "medics" in sent, "what is no value is sent"
    for secret in ("bubblegum", "marzipan", "licorice", *(("person7", "family7", "town2") if whole else ())):
        assert secret not in sent
    if not whole:
        assert "person7" in sent


@pytest.mark.parametrize(
    "text",
    [
        "gizmos born 1967-02-03", "gizmos of 3 February 1967", "gizmos with 052-7123407", "gizmos with 05271 23407", "gizmos at 91,240",
        "gizmos near 91240 gronk", "gizmos about xylophones",
    ],
)  # fmt: skip
def test_a_figure_that_is_not_sent_is_not_sent_however_it_is_written(server: StandIn, tmp_path: Path, text: str) -> None:
    notes = "a long text about the odd xylophone affair that goes on and on until nobody who reads it remembers how it began"
    lines = [f"Person{n},Town{n % 4},{91234 + n},{1960 + n}-02-03,05271234{n:02},{notes} {n}\n" for n in range(30)]
    (tmp_path / "staff.csv").write_text("name,city,salary,born,phone,notes\n" + "".join(lines), encoding="utf-8")
    rules = "".join(f"[tables.staff.columns.{name}]\nsend_to_model = false\n" for name in ("salary", "born", "phone", "notes"))
    (tmp_path / "almanac.toml").write_text(f'[tables.staff]\nsource = "staff.csv"\n{rules}', encoding="utf-8")
    one = embedder(server, tmp_path)
    (table,) = open_tables(load_catalog(tmp_path / "almanac.toml"), Store(tmp_path / "built"), embedder=one)
    server.asked.clear()
    try:
        ask(text, ChatThread(), EVERYTHING, tables=[table], embedder=one, now=datetime.now(UTC))
        retrieve(text, language_of(text), table, one, datetime.now(UTC))
    finally:
        table.close()
    sent = " ".join(phrase for batch in server.asked for phrase in batch).casefold()
    assert "gizmos" in sent, "what is no value is sent"
    assert not any(letter.isdecimal() for letter in sent) and "xylophone" not in sent


def test_what_one_table_does_not_send_is_not_sent_for_another(server: StandIn, tmp_path: Path) -> None:
    lines = [f"Person{n},Town{n % 4},{('Bubblegum', 'Marzipan')[n % 2]}\n" for n in range(12)]
    (tmp_path / "doctors.csv").write_text("name,city,nickname\n" + "".join(lines), encoding="utf-8")
    (tmp_path / "shops.csv").write_text("shop,street\n" + "".join(f"Shop{n},Street{n % 3}\n" for n in range(12)), encoding="utf-8")
    said = '[tables.shops]\nsource = "shops.csv"\n[tables.doctors]\nsource = "doctors.csv"\n'
    (tmp_path / "almanac.toml").write_text(f"{said}[tables.doctors.columns.nickname]\nsend_to_model = false\n", encoding="utf-8")
    one = embedder(server, tmp_path)
    tables = open_tables(load_catalog(tmp_path / "almanac.toml"), Store(tmp_path / "built"), embedder=one)
    try:
        for text in ("shops called Bubblegum", "emporia near marzipan"):
            ask(text, ChatThread(), EVERYTHING, tables=tables, embedder=one, now=datetime.now(UTC))
    finally:
        for table in tables:
            table.close()
    sent = " ".join(text for batch in server.asked for text in batch).casefold()
    assert "emporia" in sent, "what is no value is sent"
    assert "bubblegum" not in sent and "marzipan" not in sent


# ---- what goes wrong


@pytest.mark.parametrize("status", [429, 500, 502, 503, 504])
def test_it_is_tried_again(server: StandIn, tmp_path: Path, status: int) -> None:
    waits = Waits()
    one = embedder(server, tmp_path, pause=waits)
    server.next = [Played(status), Played(status)]
    assert one.dimensions == 8
    assert waits.seconds == [0.5, 1.0]


def test_it_waits_as_long_as_it_is_told(server: StandIn, tmp_path: Path) -> None:
    waits = Waits()
    one = embedder(server, tmp_path, pause=waits)
    soon = format_datetime(datetime.now(UTC) + timedelta(seconds=8), usegmt=True)
    told = ("3", "0.25", soon, "soon", "nan", "-4", "Mon, 99 Foo 2026")
    server.next = [Played(429, {"Retry-After": value}) for value in told[:4]]
    assert one.dimensions == 8
    assert waits.seconds[:2] == [3.0, 0.25]
    assert 0 < waits.seconds[2] <= 8
    assert waits.seconds[3] == 4.0
    server.next = [Played(429, {"Retry-After": value}) for value in told[4:]]
    one.embed(["chemist"])
    assert waits.seconds[4:] == [0.5, 0.0, 2.0]


def test_it_does_not_wait_for_ever(server: StandIn, tmp_path: Path) -> None:
    waits = Waits()
    server.always = Played(429, {"Retry-After": "86400"})
    assert "takes no more for now (429)" in refusal(embedder(server, tmp_path, pause=waits))
    assert waits.seconds == [] and len(server.asked) == 1


@pytest.mark.parametrize(
    ("status", "tries", "says"),
    [
        (400, 1, 'refused the request (400); check that "small"'),
        (401, 1, "refuses the key; set OPENAI_API_KEY"),
        (403, 1, "refuses the key; set OPENAI_API_KEY"),
        (404, 1, 'There is no model "small"'),
        (301, 1, "sends to another address (301)"),
        (413, 1, "refused the request (413)"),
        (429, TRIES, "takes no more for now (429)"),
        (500, TRIES, "failed (500) each time"),
        (503, TRIES, "failed (503) each time"),
    ],
)
def test_a_refusal_is_one_sentence(server: StandIn, tmp_path: Path, status: int, tries: int, says: str) -> None:
    body = json.dumps({"error": {"message": f"Incorrect API key provided: {KEY}"}}).encode()
    server.always = Played(status, {"Location": server.address + "/elsewhere"}, body)
    assert says in refusal(embedder(server, tmp_path))
    assert len(server.asked) == tries


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"<html>Welcome</html>",
        b"\xff\xfe",
        b"[" * 100_000,
        b"[]",
        b'{"error": "no"}',
        b'{"data": {}}',
        b'{"data": []}',
        b'{"data": [{"index": 0}]}',
        b'{"data": [{"index": 1, "embedding": [1.0]}]}',
        b'{"data": [{"index": 0, "embedding": []}]}',
        b'{"data": [{"index": 0, "embedding": "AACAPw=="}]}',
        b'{"data": [{"index": 0, "embedding": [1, null]}]}',
        b'{"data": [{"index": 0, "embedding": [1, true]}]}',
        b'{"data": [{"index": 0, "embedding": [1, NaN]}]}',
        b'{"data": [{"index": 0, "embedding": [1, 1e999]}]}',
        b'{"data": [{"index": 0, "embedding": [1, 1' + b"0" * 400 + b"]}]}",
        b'{"data": [{"index": 0, "embedding": [1]}, {"index": 0, "embedding": [1]}]}',
    ],
    ids=lambda body: body[:50].decode(errors="replace"),
)
def test_a_reply_that_is_none(server: StandIn, tmp_path: Path, body: bytes) -> None:
    server.always = Played(body=body)
    assert "is no embedding endpoint as OpenAI's is" in refusal(embedder(server, tmp_path))


def test_vectors_of_unlike_dimensions(server: StandIn, tmp_path: Path) -> None:
    one = embedder(server, tmp_path)
    assert one.dimensions == 8
    server.shape = lambda data: {"data": [data[0] | {"embedding": [1.0]}, *data[1:]]}
    with pytest.raises(EmbeddingError, match="or a broken one"):
        one.embed(["chemist", "dentist"])


def test_another_dimension_than_before(server: StandIn, tmp_path: Path) -> None:
    one = embedder(server, tmp_path)
    assert one.dimensions == 8
    server.dimensions = 5
    assert "now gives 5 numbers a text where it gave 8" in refusal(one)
    assert embedder(server, tmp_path).dimensions == 5


def test_an_endpoint_that_is_slow(server: StandIn, tmp_path: Path) -> None:
    server.always = Played(wait=0.4)
    assert "did not answer in time" in refusal(embedder(server, tmp_path, reply=0.05))
    assert len(server.asked) == TRIES


def test_nobody_is_there(server: StandIn, tmp_path: Path) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))  # and does not listen
        waits = Waits()
        away = embedder(server, tmp_path, address=f"http://127.0.0.1:{taken.getsockname()[1]}/v1", pause=waits)
        assert "could not be reached" in refusal(away)
    assert len(waits.seconds) == TRIES - 1


def test_what_is_not_read_to_the_end(server: StandIn, tmp_path: Path) -> None:
    server.next = [Played(headers={"Content-Length": "100000"}, body=b'{"data"')]
    assert embedder(server, tmp_path, reply=1.0).dimensions == 8
    assert len(server.asked) == 2


# ---- the key, and the settings


def test_the_key_stays_where_it_is(
    server: StandIn, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    netrc = tmp_path / "netrc"
    netrc.write_text("machine 127.0.0.1 login other password word\n", encoding="utf-8")
    monkeypatch.setenv("NETRC", str(netrc))  # which requests would rather send
    caplog.set_level(logging.DEBUG)
    one = embedder(server, tmp_path / "data")
    one.embed(["chemist"])
    server.always = Played(401)
    with pytest.raises(EmbeddingError):
        one.embed(["dentist"])
    assert "embedded" in caplog.text
    assert KEY not in caplog.text + "".join(str(vars(record)) for record in caplog.records)
    kept = [path for path in (tmp_path / "data").rglob("*") if path.is_file()]
    assert kept
    assert all(KEY.encode() not in path.read_bytes() for path in kept)
    assert KEY not in repr(one._endpoint)


def test_it_is_set_up_from_the_environment(server: StandIn, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_BASE_URL", server.address + "/")
    monkeypatch.setenv("OPENAI_API_KEY", f" {KEY}\n")
    monkeypatch.setenv("ALMANAC_EMBEDDING_MODEL", "small")
    assert endpoint_from_settings(tmp_path).dimensions == 8
    assert (tmp_path / "embeddings").is_dir()


@pytest.mark.parametrize(
    ("address", "key", "says"),
    [
        ("", "", "needs OPENAI_API_KEY"),
        ("", "key with blanks", "OPENAI_API_KEY holds what no key holds"),
        ("", "ключ", "OPENAI_API_KEY holds what no key holds"),
        ("example.org/v1", "k", 'OPENAI_BASE_URL is "example.org/v1"; it has to be an address'),
        ("ftp://me:hidden@example.org?key=hidden", "k", 'OPENAI_BASE_URL is "example.org"; it has to be'),
        ("http://[half", "k", "it has to be an address"),
        ("http://host:99999/v1", "k", "it has to be an address"),
        ("https://me:hidden@example.org/v1", "k", "holds more than an address"),
        ("https://example.org/v1?key=hidden", "k", "holds more than an address"),
    ],
)
def test_settings_that_cannot_be_right(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, address: str, key: str, says: str) -> None:
    monkeypatch.setenv("OPENAI_BASE_URL", address)
    monkeypatch.setenv("OPENAI_API_KEY", key)
    with pytest.raises(UsageError) as caught:
        endpoint_from_settings(tmp_path)
    assert says in str(caught.value)
    assert "hidden" not in str(caught.value)
