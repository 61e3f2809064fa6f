"""Names that are safe, and files that are replaced whole."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cache.folders import files_in, private, remove, safe_name, write


@given(st.text(alphabet=st.characters()))
def test_any_text_makes_one_plain_name(key: str) -> None:
    name = safe_name(key)
    assert Path(name).name == name and name.isascii() and len(name) <= 60 and not name.startswith((".", "-"))


@given(st.text(), st.text())
def test_different_texts_make_different_names(one: str, other: str) -> None:
    assert (safe_name(one) == safe_name(other)) == (one == other)


def test_a_private_folder_is_its_owners_alone(tmp_path: Path) -> None:
    assert private(tmp_path / "a" / "b").stat().st_mode & 0o777 == 0o700


def test_a_file_is_replaced_and_leaves_nothing_beside_it(tmp_path: Path) -> None:
    write(tmp_path / "file", "old")
    with (tmp_path / "file").open() as reader:
        write(tmp_path / "file", "new")
        assert reader.read() == "old"
    assert (tmp_path / "file").read_text() == "new"
    assert (tmp_path / "file").stat().st_mode & 0o777 == 0o600
    assert [path.name for path in tmp_path.iterdir()] == ["file"]


def test_a_file_that_cannot_be_replaced_leaves_nothing_beside_it(tmp_path: Path) -> None:
    (tmp_path / "file").mkdir()
    with pytest.raises(OSError, match="file"):
        write(tmp_path / "file", "text")
    assert [path.name for path in tmp_path.iterdir()] == ["file"]


def test_files_are_listed_by_path_with_their_sizes(tmp_path: Path) -> None:
    (tmp_path / "b").mkdir()
    (tmp_path / "b" / "c").write_text("12")
    (tmp_path / "a").write_text("1")
    assert list(files_in(tmp_path)) == [("a", 1), ("b/c", 2)]


def test_removing_a_link_keeps_what_it_points_to(tmp_path: Path) -> None:
    (tmp_path / "kept").mkdir()
    (tmp_path / "link").symlink_to("kept")
    assert remove(tmp_path / "link") and (tmp_path / "kept").is_dir()
