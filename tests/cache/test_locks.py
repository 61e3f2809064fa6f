"""Locks between open files: in one process they keep each other out as between two."""

from __future__ import annotations

from pathlib import Path

import pytest

from cache.locks import claim, share, wait_for


@pytest.fixture
def file(tmp_path: Path) -> Path:
    (tmp_path / "file").touch()
    return tmp_path / "file"


def test_many_share_and_none_claims(file: Path) -> None:
    one, other = share(file), share(file)
    assert one and other and claim(file) is None
    one.close()
    assert claim(file) is None
    other.close()
    assert claim(file)


def test_one_claims_and_none_shares(file: Path) -> None:
    lock = wait_for(file)
    assert share(file) is None and claim(file) is None
    lock.close()
    lock.close()
    assert share(file)


def test_waiting_is_said_only_where_one_waits(tmp_path: Path) -> None:
    said: list[str] = []
    lock = wait_for(tmp_path / "file", lambda: said.append("waiting"))
    assert said == []

    def let_go() -> None:
        said.append("waiting")
        lock.close()

    wait_for(tmp_path / "file", let_go).close()
    assert said == ["waiting"]


def test_a_lock_knows_that_its_file_was_replaced(file: Path) -> None:
    lock = share(file)
    assert lock and lock.is_on(file)
    file.unlink()
    assert not lock.is_on(file)
    file.touch()
    assert not lock.is_on(file)


def test_a_missing_file_is_not_made_by_sharing_or_claiming(tmp_path: Path) -> None:
    for take in (share, claim):
        with pytest.raises(FileNotFoundError):
            take(tmp_path / "missing")
