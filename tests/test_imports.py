"""The four packages and the direction between them, which libraries belong to one place, and what starting costs."""

from __future__ import annotations

import ast
import importlib.util
import json
import subprocess
import sys
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
LAYERS = ("cache", "engine", "jobs", "bot")  # each may import itself and what stands before it
MODULES = sorted(path for layer in LAYERS for path in (ROOT / layer).rglob("*.py"))
# a library that is imported in one place only, and how many modules of that place may do it
OWNED = {
    "lancedb": ("engine", 1),
    "diskcache": ("cache", None),
    "slack_bolt": ("bot", None),
    "botbuilder": ("bot", None),
    "apscheduler": ("jobs", None),
    "openai": ("engine", 1),
    "instructor": ("engine", 1),
}


def imported(path: Path) -> Iterator[str]:
    """The modules that a file imports, inside functions as well."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (name.name for name in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path} imports relatively; the house names the package"
            yield node.module or ""


def test_there_is_something_to_check() -> None:
    assert {path.relative_to(ROOT).parts[0] for path in MODULES} == set(LAYERS)


@pytest.mark.parametrize("path", MODULES, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_imports_go_downwards(path: Path) -> None:
    layer = path.relative_to(ROOT).parts[0]
    above = set(LAYERS[LAYERS.index(layer) + 1 :])
    assert not {name for name in imported(path) if name.split(".")[0] in above}


@pytest.mark.parametrize("library", OWNED)
def test_a_library_has_one_owner(library: str) -> None:
    owner, most = OWNED[library]
    users = defaultdict(set)
    for path in MODULES:
        if any(name.split(".")[0] == library for name in imported(path)):
            users[path.relative_to(ROOT).parts[0]].add(path)
    assert set(users) <= {owner}
    assert most is None or len(users[owner]) <= most


@pytest.mark.parametrize("name", LAYERS)
def test_the_names_are_ours(name: str) -> None:
    found = importlib.util.find_spec(name)
    assert found is not None and found.origin is not None
    assert Path(found.origin).resolve() == ROOT / name / "__init__.py"


def loaded_by(statement: str) -> set[str]:
    """The packages that a fresh Python has loaded after a statement."""
    code = f"{statement}\nimport json, sys\nprint(json.dumps(sorted({{name.split('.')[0] for name in sys.modules}})))"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    return set(json.loads(done.stdout))


def test_the_command_starts_light() -> None:
    heavy = {"pydantic", "numpy", "rich", "lancedb", "pyarrow", "wordllama", "diskcache", "sqlite3", "xlsxwriter", "sqlalchemy"}
    assert not loaded_by("import bot.cli") & heavy


def test_answering_imports_nothing_that_takes_seconds() -> None:
    heavy = {"lancedb", "pyarrow", "wordllama", "pandas", "openpyxl", "xlsxwriter", "sqlalchemy"}
    assert not loaded_by("import bot.answering") & heavy
