"""The command as a program runs it: what it prints where, and its exit status."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from bot import __version__

ROOT = Path(__file__).resolve().parent.parent.parent
SHOPS = """code,name,type,town,phone,beds
007,Corner Shop,Pharmacy,Ash,01-100,3
008,Mill Shop,Pharmacy,Oak,01-200,5
009,Old Mill,Clinic,Ash,,12
010,New Mill,Clinic,Elm,01-400,7
011,Third Mill,Clinic,Elm,01-500,9
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "shops.csv").write_text(SHOPS, encoding="utf-8")
    return tmp_path


def almanac(folder: Path, *arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """Runs the command in a folder."""
    env = {**os.environ, "PYTHONPATH": str(ROOT), **environment}
    code = "from bot.cli import main; main()"
    return subprocess.run([sys.executable, "-c", code, *arguments], cwd=folder, env=env, capture_output=True, text=True, timeout=300)


def refused(done: subprocess.CompletedProcess[str], status: int = 2) -> str:
    """What was said of a call that was refused: one line on standard error, and nothing on standard output."""
    assert done.returncode == status, done.stderr
    assert done.stdout == ""
    assert len(done.stderr.splitlines()) == 1, done.stderr
    assert "Traceback" not in done.stderr
    return done.stderr


def test_an_answer(folder: Path) -> None:
    done = almanac(folder, "ask", "--table", "shops.csv", "which shops are in Ash?")
    assert done.returncode == 0, done.stderr
    assert "Corner Shop\t" in done.stdout
    assert "Old Mill\t" in done.stdout
    assert "New Mill" not in done.stdout
    assert "town = Ash" in done.stdout
    assert "shops.csv" in done.stdout.splitlines()[-1]


def test_json_is_alone_on_standard_output(folder: Path) -> None:
    done = almanac(folder, "ask", "--table", "shops.csv", "--json", "how many shops are in Ash?")
    reply = json.loads(done.stdout)
    assert done.returncode == 0
    assert reply["kind"] == "answer"
    assert reply["rows"] == [[2]]
    wanted = "kind question headline columns rows row_ids total bindings unused plan sql freshness confidence"
    assert set(wanted.split()) <= reply.keys()


def test_what_is_not_in_the_table_is_no_answer(folder: Path) -> None:
    done = almanac(folder, "ask", "--table", "shops.csv", "--json", "what is the weather in Paris tomorrow?")
    assert done.returncode == 1, done.stdout
    assert json.loads(done.stdout)["kind"] in ("no_answer", "clarify")


def test_nothing_found_is_an_answer(folder: Path) -> None:
    done = almanac(folder, "ask", "--table", "shops.csv", "--json", "pharmacies in Elm")
    reply = json.loads(done.stdout)
    assert (done.returncode, reply["kind"], reply["total"]) == (0, "answer", 0)


@pytest.mark.parametrize("name", ["answer.csv", "answer.xlsx"])
def test_an_answer_is_saved(folder: Path, name: str) -> None:
    done = almanac(folder, "ask", "--table", "shops.csv", "--save", name, "shops in Ash")
    assert done.returncode == 0, done.stderr
    assert (folder / name).stat().st_size > 20
    assert f'"{name}"' in done.stderr


def test_a_bad_target_is_refused_before_anything_is_built(folder: Path) -> None:
    data = str(folder / "data")
    assert "neither" in refused(almanac(folder, "ask", "--table", "shops.csv", "--save", "answer.doc", "shops in Ash", ALMANAC_DATA=data))
    assert not (folder / "data").exists()


def test_a_catalog_beside_and_one_that_is_named(folder: Path) -> None:
    (folder / "almanac.toml").write_text('[tables.shops]\nsource = "shops.csv"\n')
    assert almanac(folder, "ask", "how many shops are there?").returncode == 0
    (folder / "elsewhere").mkdir()
    assert almanac(folder / "elsewhere", "ask", "how many shops are there?", "--catalog", "../almanac.toml").returncode == 0
    named = almanac(folder / "elsewhere", "ask", "how many shops are there?", ALMANAC_CATALOG=str(folder / "almanac.toml"))
    assert named.returncode == 0


@pytest.mark.parametrize(
    ("question", "said"),
    [("", "empty"), ("?!", "no word"), ("x" * 20_000, "20,000 characters"), ("a\x1bb", "control character"), ("  ", "empty")],
    ids=["empty", "punctuation", "long", "control", "blank"],
)
def test_questions_that_are_none(folder: Path, question: str, said: str) -> None:
    assert said in refused(almanac(folder, "ask", "--table", "shops.csv", question))


SOURCES = {
    "missing.csv": (None, "missing.csv"),
    "empty.csv": (b"", "empty"),
    "binary.csv": (bytes(range(256)) * 40, "binary.csv"),
    "header.csv": (b"name,town\n", "header.csv"),
}


@pytest.mark.parametrize("name", SOURCES)
def test_sources_that_cannot_be_asked(folder: Path, name: str) -> None:
    content, said = SOURCES[name]
    if content is not None:
        (folder / name).write_bytes(content)
    for command in (("ask", "how many rows are there?", "--table"), ("check",), ("init",)):
        if name == "header.csv":  # a table without rows is a table
            continue
        assert said in refused(almanac(folder, *command, name))


def test_a_header_without_rows_has_no_rows(folder: Path) -> None:
    (folder / "header.csv").write_text("name,town\n")
    done = almanac(folder, "ask", "--table", "header.csv", "--json", "how many rows are there?")
    if done.returncode == 2:
        assert "header.csv" in refused(done)
    else:
        assert json.loads(done.stdout)["kind"] in ("answer", "no_answer")


def test_a_wrong_catalog(folder: Path) -> None:
    (folder / "almanac.toml").write_text('[tables.shops]\nsource = "shops.csv"\nkyes = ["name"]\n')
    assert 'did you mean "keys"' in refused(almanac(folder, "ask", "how many shops?"))
    (folder / "almanac.toml").write_text('[tables.shops]\nsource = "shops.csv"\nkeys = ["nmae"]\n')
    assert "nmae" in refused(almanac(folder, "ask", "how many shops?"))


def test_calls_that_are_wrong(folder: Path) -> None:
    assert "no almanac.toml here" in refused(almanac(folder, "ask", "how many shops?"))
    assert "leave one out" in refused(almanac(folder, "ask", "x", "--table", "a", "--catalog", "b"))
    assert "Did you mean 'ask'" in refused(almanac(folder, "aks"))
    assert "--jsno" in refused(almanac(folder, "ask", "--jsno"))
    assert "ALMANAC_LOG" in refused(almanac(folder, "ask", "x", ALMANAC_LOG="loud"))


def test_text_of_the_user_is_text(folder: Path) -> None:
    name = 'it\'s "a"; DROP TABLE x--.csv'
    (folder / name).write_text(SHOPS.replace("name", 'na"me; DROP').replace("Corner Shop", "Robert'); DROP TABLE shops;--"))
    done = almanac(folder, "ask", "--table", name, "--json", "which are in Ash'; DROP TABLE shops; --")
    assert done.returncode in (0, 1), done.stderr
    everything = almanac(folder, "ask", "--table", name, "--json", "how many rows are there?")
    assert json.loads(everything.stdout)["rows"] == [[5]]


def test_a_data_folder_that_cannot_be(folder: Path) -> None:
    (folder / "file").write_text("")
    said = refused(almanac(folder, "ask", "--table", "shops.csv", "how many shops?", ALMANAC_DATA=str(folder / "file" / "data")), 3)
    assert str(folder / "file") in said


def test_what_goes_wrong_unexpectedly_has_an_incident_id(folder: Path) -> None:
    code = "import bot.question\nbot.question.checked_question = lambda text: 1 / 0\nfrom bot.cli import main; main()"
    env = {**os.environ, "PYTHONPATH": str(ROOT), "ALMANAC_DATA": str(folder / "data")}
    done = subprocess.run([sys.executable, "-c", code, "ask", "secret words"], cwd=folder, env=env, capture_output=True, text=True)
    said = refused(done, 3)
    incident = said.split("incident ")[1][:8]
    (line,) = (folder / "data" / "almanac.log").read_text().splitlines()
    assert json.loads(line)["incident"] == incident
    assert "ZeroDivisionError" in json.loads(line)["traceback"]
    assert "division" not in said


def test_a_reader_that_has_enough_is_no_error(folder: Path) -> None:
    (folder / "long.csv").write_text("name,town\n" + "".join(f"Shop {n} of a rather long name,Ash\n" for n in range(20_000)))
    almanac(folder, "index", "--table", "long.csv")
    command = f'"{sys.executable}" -c "from bot.cli import main; main()" ask --table long.csv "shops in Ash" | head -1'
    env = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(["bash", "-c", command], cwd=folder, env=env, capture_output=True, text=True)
    assert done.stderr == ""
    assert len(done.stdout.splitlines()) == 1


@pytest.mark.parametrize("call", ["ask --table shops.csv 'how many shops are there?'", "--version", "--help", "ask --help", ""])
def test_standard_output_that_is_closed_or_full(folder: Path, call: str) -> None:
    env = {**os.environ, "PYTHONPATH": str(ROOT)}
    command = f'"{sys.executable}" -c "from bot.cli import main; main()" {call}'
    for where, status, lines in ((">&-", 141, 0), ("> /dev/full", 3, 1)):
        done = subprocess.run(["bash", "-c", f"{command} {where}"], cwd=folder, env=env, capture_output=True, text=True)
        assert (done.returncode, len(done.stderr.splitlines())) == (status, lines), done.stderr
        assert "disk is full" in done.stderr or not lines


def test_an_answer_that_nobody_hears_goes_nowhere_else(folder: Path) -> None:
    env = {**os.environ, "PYTHONPATH": str(ROOT)}
    command = f'"{sys.executable}" -c "from bot.cli import main; main()" ask --table none.csv x 2>&-'
    done = subprocess.run(["bash", "-c", command], cwd=folder, env=env, capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (2, "")


def test_no_command_is_answered_with_the_help(folder: Path) -> None:
    done = almanac(folder)
    assert (done.returncode, done.stderr) == (2, "")
    assert done.stdout == almanac(folder, "--help").stdout != ""


def test_a_question_that_begins_with_a_dash(folder: Path) -> None:
    assert "almanac ask -- " in refused(almanac(folder, "ask", "--table", "shops.csv", "-5 degrees"))
    assert almanac(folder, "ask", "--table", "shops.csv", "--", "-- how many shops are there?").returncode == 0


def test_what_is_asked_is_not_written_over(folder: Path) -> None:
    asked = ("ask", "--table", "shops.csv", "shops in Ash", "--save")
    assert "is read for this" in refused(almanac(folder, *asked, "shops.csv", "--overwrite"))
    assert (folder / "shops.csv").read_text() == SHOPS
    (folder / "answer.csv").write_text("mine")
    assert "--overwrite" in refused(almanac(folder, *asked, "answer.csv"))
    assert (folder / "answer.csv").read_text() == "mine"
    assert almanac(folder, *asked, "answer.csv", "--overwrite").returncode == 0
    assert "Corner Shop" in (folder / "answer.csv").read_text()


@pytest.mark.parametrize(("start", "stop"), [(0, 100), (8192, 16384)], ids=["seen when opened", "seen when asked"])
def test_a_damaged_table_is_built_anew_and_answers(folder: Path, start: int, stop: int) -> None:
    data = {"ALMANAC_DATA": str(folder / "data")}
    (folder / "many.csv").write_text(SHOPS + "".join(f"{n},Shop {n},Clinic,Town {n % 9},,1\n" for n in range(500)))
    asked = ("ask", "--table", "many.csv", "--json", "which shops are in Ash?")
    assert json.loads(almanac(folder, *asked, **data).stdout)["row_ids"] == [1, 3]
    (path,) = (folder / "data").glob("*/version-*/0/table.sqlite")
    content = bytearray(path.read_bytes())
    content[start:stop] = b"\xff" * (stop - start)
    path.write_bytes(content)
    done = almanac(folder, *asked, **data)
    assert (done.returncode, json.loads(done.stdout)["row_ids"], done.stderr) == (0, [1, 3], "")
    assert path not in set((folder / "data").glob("*/version-*/0/table.sqlite"))


def test_a_home_that_there_is_none_of(folder: Path) -> None:
    said = refused(almanac(folder, "ask", "--table", "shops.csv", "how many shops?", ALMANAC_DATA="~no-such-user/x"))
    assert 'ALMANAC_DATA is "~no-such-user/x"' in said
    assert "ALMANAC_CATALOG" in refused(almanac(folder, "ask", "how many shops?", ALMANAC_CATALOG="~no-such-user/x"))
    assert "There is no file ~no-such-user/x" in refused(almanac(folder, "ask", "--table", "~no-such-user/x", "how many?"))


def test_names_beyond_what_the_locale_can_write(folder: Path) -> None:
    (folder / "магазины.csv").write_text(SHOPS)
    done = almanac(folder, "ask", "--table", "магазины.csv", "--json", "how many shops are there?", LC_ALL="C", PYTHONUTF8="0")
    assert (done.returncode, done.stderr) == (0, "")
    assert json.loads(done.stdout)["rows"] == [[5]]


def test_too_little_memory_is_said(folder: Path) -> None:
    code = (
        "import bot.question\ndef check(text): raise MemoryError\nbot.question.checked_question = check\nfrom bot.cli import main; main()"
    )
    env = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run([sys.executable, "-c", code, "ask", "x"], cwd=folder, env=env, capture_output=True, text=True)
    assert "not enough memory" in refused(done, 3)


def test_check_tells_how_a_file_was_read(folder: Path) -> None:
    done = almanac(folder, "check", "shops.csv", "--json")
    (table,) = json.loads(done.stdout)["tables"]
    assert (done.returncode, table["name"], table["rows"]) == (0, "shops", 5)
    assert [column["name"] for column in table["columns"]] == ["code", "name", "type", "town", "phone", "beds"]
    told = almanac(folder, "check", "shops.csv").stdout
    assert "5 rows" in told
    assert "beds\tinteger\t5\t0" in told


def test_index_builds_once(folder: Path) -> None:
    first, second = (almanac(folder, "index", "--table", "shops.csv") for _ in range(2))
    assert first.returncode == 0, first.stderr
    assert "shops: 5 rows" in first.stdout
    assert second.stdout == first.stdout


def test_version(folder: Path) -> None:
    assert almanac(folder, "--version").stdout == f"almanac {__version__}\n"
