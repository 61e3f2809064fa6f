from __future__ import annotations

import pytest

from engine.read.dates import moment_of, time_of


@pytest.mark.parametrize(
    ("text", "iso"),
    [
        ("2019-04-01", "2019-04-01"),
        ("2019/4/1", "2019-04-01"),
        ("20190401", "2019-04-01"),
        ("13/4/2019", "2019-04-13"),
        ("4/13/19", "2019-04-13"),
        ("01.04.19", "2019-04-01"),
        ("19 / 03 / 1988", "1988-03-19"),
        ("3-Nov-23", "2023-11-03"),
        ("Nov 3, 2023", "2023-11-03"),
        ("november 23 , 2008", "2008-11-23"),
        ("26 october 1973", "1973-10-26"),
        ("Sunday, September 9, 2001", "2001-09-09"),
        ("16th May 2012", "2012-05-16"),
        ("Sept. 5, 1999", "1999-09-05"),
        ("2023年4月1日", "2023-04-01"),
        ("23 ноября 2008 г.", "2008-11-23"),
        ("23 בנובמבר 2008", "2008-11-23"),
        ("23 de noviembre de 2008", "2008-11-23"),
        ("1er janvier 2020", "2020-01-01"),
        ("3. März 2021", "2021-03-03"),
        ("2026-09-01T08:00:00Z", "2026-09-01T08:00:00"),
        ("2026-09-01 08:00:00.123+02:00", "2026-09-01T08:00:00"),
        ("5/19/2006 0:00:00", "2006-05-19T00:00:00"),
        ("5/19/06 3:15 PM", "2006-05-19T15:15:00"),
        ("24.12.2010 08:30", "2010-12-24T08:30:00"),
    ],
)
def test_is_a_date(text: str, iso: str) -> None:
    moment = moment_of(text)
    assert moment is not None
    assert moment.iso == iso


@pytest.mark.parametrize(
    "text",
    [
        "",
        "31/02/2020",
        "1 - 8",
        "2011 - 12",
        "1997",
        "May 5",
        "Haifa 12 2020",
        "before 3 November 2023",
        "12345678",
        "1.2.10",
        "2020-13-01",
        "03-9870585",
    ],
)
def test_is_no_date(text: str) -> None:
    assert moment_of(text) is None


def test_the_column_says_which_comes_first() -> None:
    assert [moment.iso for first in (True, False) if (moment := moment_of("1/2/2024", first))] == ["2024-02-01", "2024-01-02"]


@pytest.mark.parametrize(
    ("text", "clock"),
    [("08:00", "08:00:00"), ("8:00 PM", "20:00:00"), ("12:05 am", "00:05:00"), ("8pm", "20:00:00"), ("20:15:30", "20:15:30")],
)
def test_is_a_time(text: str, clock: str) -> None:
    assert time_of(text) == clock


@pytest.mark.parametrize("text", ["25:00", "8:60", "1:23.456", "13 pm", "8", "3-4"])
def test_is_no_time(text: str) -> None:
    assert time_of(text) is None
