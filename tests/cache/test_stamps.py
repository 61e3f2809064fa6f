"""A stamp changes with its file."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from cache.stamps import stamp


@pytest.fixture
def source(tmp_path: Path) -> Path:
    (tmp_path / "source.csv").write_text("name\nA\n")
    return tmp_path / "source.csv"


def test_an_unchanged_file_keeps_its_stamp(source: Path) -> None:
    first = stamp(source)
    assert first is not None and source.read_text() and stamp(source) == first


def test_a_change_of_the_same_size_at_once_changes_it(source: Path) -> None:
    for letter in "BCD":
        first = stamp(source)
        source.write_text(f"name\n{letter}\n")
        assert stamp(source) != first


def test_a_change_whose_time_is_set_back_changes_it(source: Path) -> None:
    first, was = stamp(source), source.stat()
    source.write_text("name\nB\n")
    os.utime(source, ns=(was.st_atime_ns, was.st_mtime_ns))
    assert source.stat().st_mtime_ns == was.st_mtime_ns
    assert stamp(source) != first


def test_a_change_of_mode_is_none_where_only_writing_counts(source: Path) -> None:
    first, whole = stamp(source, written=True), stamp(source)
    source.chmod(0o600)
    assert stamp(source, written=True) == first
    assert stamp(source) != whole
    source.write_text("name\nB\n")
    assert stamp(source, written=True) != first


def test_another_file_moved_in_its_place_changes_it(source: Path) -> None:
    first = stamp(source)
    other = source.with_name("other.csv")
    other.write_text("name\nB\n")
    other.replace(source)
    assert stamp(source) != first


def test_a_missing_file_has_none(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        stamp(tmp_path / "missing.csv")
