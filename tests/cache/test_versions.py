"""One version in service for each key, in one process."""

from __future__ import annotations

import json
import logging
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from cache.errors import StoreError
from cache.folders import safe_name
from cache.locks import wait_for
from cache.versions import Store
from tests.cache.builder import KEY, build, fill, is_whole


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return tmp_path / safe_name(KEY)


def entries(home: Path) -> list[str]:
    return sorted(path.name.split("-")[0] for path in home.iterdir())


def no_build(folder: Path) -> None:
    raise AssertionError("built again")


def test_nothing_is_in_service_before_the_first_build(tmp_path: Path) -> None:
    assert Store(tmp_path / "none").current(KEY) is None
    assert list(tmp_path.iterdir()) == []


def test_what_was_built_is_in_service_with_its_facts(tmp_path: Path, home: Path) -> None:
    with build(str(tmp_path), "1") as built, Store(tmp_path).current(KEY) or no_build(tmp_path) as held:
        assert (held.folder, held.version, held.facts, held.built_at) == (built.folder, "1", {"rows": "1"}, built.built_at)
        assert is_whole(held)
    assert home.stat().st_mode & 0o777 == held.folder.stat().st_mode & 0o777 == 0o700


def test_the_version_that_is_there_is_not_built_again(tmp_path: Path) -> None:
    build(str(tmp_path), "1").close()
    with Store(tmp_path).build(KEY, "1", no_build, {}) as held:
        assert is_whole(held)


def test_facts_may_be_added_while_building(tmp_path: Path) -> None:
    facts = {}
    Store(tmp_path).build(KEY, "1", lambda folder: facts.update(rows=3), facts).close()
    held = Store(tmp_path).current(KEY)
    assert held is not None and held.facts == {"rows": 3}


def test_a_held_version_outlives_the_switch_and_goes_when_let_go(tmp_path: Path, home: Path) -> None:
    old = build(str(tmp_path), "1")
    with build(str(tmp_path), "2") as new:
        assert is_whole(old) and is_whole(new)
        assert entries(home) == ["build.lock", "manifest.json", "version", "version"]
        old.close()
        Store(tmp_path).sweep(KEY)
        assert not old.folder.exists() and is_whole(new)
    assert entries(home) == ["build.lock", "manifest.json", "version"]


def test_sweeping_keeps_what_is_in_service_though_no_one_holds_it(tmp_path: Path) -> None:
    build(str(tmp_path), "1").close()
    Store(tmp_path).sweep(KEY)
    held = Store(tmp_path).current(KEY)
    assert held is not None and is_whole(held)


def test_sweeping_leaves_a_builder_alone(tmp_path: Path, home: Path) -> None:
    build(str(tmp_path), "1").close()
    (home / "making-0").mkdir()
    lock = wait_for(home / "build.lock")
    Store(tmp_path).sweep(KEY)
    assert (home / "making-0").is_dir()
    lock.close()
    Store(tmp_path).sweep(KEY)
    assert not (home / "making-0").exists()


def test_sweeping_a_key_that_was_never_built_makes_nothing(tmp_path: Path) -> None:
    Store(tmp_path).sweep(KEY)
    assert list(tmp_path.iterdir()) == []


def test_what_was_built_in_place_of_a_damaged_version_stays(tmp_path: Path) -> None:
    with build(str(tmp_path), "1") as damaged:
        build(str(tmp_path), "2").close()
        Store(tmp_path).drop(KEY, damaged)
    held = Store(tmp_path).current(KEY)
    assert held is not None and held.version == "2"
    Store(tmp_path).drop(KEY, held)
    held.close()
    assert Store(tmp_path).current(KEY) is None


def test_a_dropped_version_is_built_anew(tmp_path: Path, home: Path) -> None:
    build(str(tmp_path), "1").close()
    Store(tmp_path).drop(KEY)
    assert Store(tmp_path).current(KEY) is None
    assert entries(home) == ["build.lock"]
    with build(str(tmp_path), "1") as held:
        assert is_whole(held)


@pytest.mark.parametrize("failure", [ValueError("the source is odd"), FileNotFoundError(2, "x", "/elsewhere.csv"), KeyboardInterrupt()])
def test_a_build_that_fails_leaves_the_old_version_and_nothing_else(tmp_path: Path, home: Path, failure: BaseException) -> None:
    build(str(tmp_path), "1").close()

    def make(folder: Path) -> None:
        fill(folder, "2")
        raise failure

    with pytest.raises(type(failure)) as raised:
        Store(tmp_path).build(KEY, "2", make, {})
    assert raised.value is failure
    held = Store(tmp_path).current(KEY)
    assert held is not None and held.version == "1" and is_whole(held)
    assert entries(home) == ["build.lock", "manifest.json", "version"]


def test_facts_that_are_not_json_leave_the_old_version(tmp_path: Path, home: Path) -> None:
    build(str(tmp_path), "1").close()
    with pytest.raises(TypeError):
        Store(tmp_path).build(KEY, "2", lambda folder: fill(folder, "2"), {"rows": object()})  # type: ignore[dict-item]
    held = Store(tmp_path).current(KEY)
    assert held is not None and is_whole(held)
    assert entries(home) == ["build.lock", "manifest.json", "version"]


def cut(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-10])


def change(**fields: object) -> Callable[[Path], None]:
    def apply(path: Path) -> None:
        path.write_text(json.dumps(json.loads(path.read_text()) | fields))

    return apply


def point_elsewhere(path: Path) -> None:
    change(folder=f"../{path.parent.name}/{json.loads(path.read_text())['folder']}")(path)


@pytest.mark.parametrize(
    "damage",
    [
        cut,
        lambda path: path.write_bytes(b"\x80\x00"),
        lambda path: path.write_bytes(b""),
        lambda path: path.write_text("[]"),
        lambda path: path.write_text("[" * 200_000),
        change(format=99),
        change(key="another"),
        change(files=["rows.sqlite"]),
        change(facts=None),
        change(folder="version-missing"),
        change(more=1),
        point_elsewhere,
        lambda path: cut(next(path.parent.glob("version-*/terms/1.txt"))),
        lambda path: next(path.parent.glob("version-*/rows.sqlite")).unlink(),
        lambda path: next(path.parent.glob("version-*/held")).unlink(),
        lambda path: next(path.parent.glob("version-*")).rename(path.parent / "moved"),
    ],
)
def test_what_is_damaged_is_not_there_and_is_built_anew(
    tmp_path: Path, home: Path, damage: Callable[[Path], None], caplog: pytest.LogCaptureFixture
) -> None:
    build(str(tmp_path), "1").close()
    damage(home / "manifest.json")
    with caplog.at_level(logging.WARNING):
        assert Store(tmp_path).current(KEY) is None
    assert len(caplog.records) == 1 and str(home) in caplog.text
    with build(str(tmp_path), "1") as held:
        assert is_whole(held)
    assert entries(home) == ["build.lock", "manifest.json", "version"]


def test_a_removed_folder_is_built_anew(tmp_path: Path, home: Path, caplog: pytest.LogCaptureFixture) -> None:
    root = tmp_path / "data"
    held = build(str(root), "1")
    root.rename(tmp_path / "away")
    assert Store(root).current(KEY) is None
    assert caplog.records == []
    with build(str(root), "1") as again:
        assert is_whole(again)
    held.close()


def test_a_folder_removed_while_waiting_for_its_builder_is_made_again(tmp_path: Path) -> None:
    root = tmp_path / "data"
    build(str(root), "1").close()
    lock = wait_for(root / safe_name(KEY) / "build.lock")

    def remove_all() -> None:
        root.rename(tmp_path / "away")
        lock.close()

    with Store(root).build(KEY, "2", lambda folder: fill(folder, "2"), {"rows": "2"}, waiting=remove_all) as held:
        assert is_whole(held) and held.folder.is_relative_to(root)


def test_a_folder_removed_during_the_build_is_said(tmp_path: Path) -> None:
    root = tmp_path / "data"
    with pytest.raises(StoreError, match="was removed while it was in use"):
        Store(root).build(KEY, "1", lambda folder: root.rename(tmp_path / "away") and None, {})
    assert not root.exists()


def test_keys_are_any_text_and_share_nothing(tmp_path: Path) -> None:
    keys = ["", "a", "A", "../../etc/passwd", "https://x/y?z=1", "https://x/y?z=2", "x" * 5000, "בתי מרקחת", "a\nb", "\udcff", "a\0b", "."]
    for number, key in enumerate(keys):
        Store(tmp_path).build(key, str(number), lambda folder: None, {}).close()
    found = [Store(tmp_path).current(key) for key in keys]
    assert [held and held.version for held in found] == [str(number) for number in range(len(keys))]
    assert len(list(tmp_path.iterdir())) == len(keys)


def test_what_is_stored_holds_no_secret_of_its_key(tmp_path: Path) -> None:
    Store(tmp_path).build("https://me:secret@example.org/list.csv?token=secret", "1", lambda folder: None, {}).close()
    (home,) = tmp_path.iterdir()
    assert home.name.startswith("list.csv-")
    assert "secret" not in home.name + (home / "manifest.json").read_text()


def test_eight_threads_build_once(tmp_path: Path) -> None:
    builds: list[int] = []
    whole: list[bool] = []
    together = threading.Barrier(8)

    def make(folder: Path) -> None:
        builds.append(1)
        fill(folder, "1")

    def ask() -> None:
        together.wait()
        with Store(tmp_path).build(KEY, "1", make, {"rows": "1"}) as held:
            whole.append(is_whole(held))

    threads = [threading.Thread(target=ask) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert (builds, whole) == ([1], [True] * 8)


def test_files_are_let_go_with_what_holds_them(tmp_path: Path) -> None:
    old = build(str(tmp_path), "1").folder  # nothing refers to what was held
    build(str(tmp_path), "2").close()
    assert not old.exists()
