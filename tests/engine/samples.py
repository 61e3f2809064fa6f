"""Small tables to ask, as the text of their files, and their rows read in plain Python to count against."""

from __future__ import annotations

import csv
from collections.abc import Callable
from io import StringIO

PROVIDERS = """\
code,name,specialty,languages,city,district,phone,fee,rating,joined,wheelchair access,notes
00412,Dana Levin,Cardiology; Sports medicine,English; Hebrew,Norwick,North,020-555-0101,$120.00,4.5,2015-03-01,Yes,rings twice
00413,Ömer Çelik,Dermatology,Turkish; English,Norwick,North,020-555-0102,$80.00,4.1,2018-07-15,No,
00977,Anna Weiss,Cardiology,German; English,Norwick,North,,$150.00,3.9,2011-01-20,Yes,new building
01004,Anna Weiss,Nutrition,German,Easton,South,020-555-0104,$60.00,4.8,2020-10-05,Yes,
01010,José Núñez,Dermatology; Nutrition,Spanish; English,Easton,South,020-555-0105,$95.50,4.4,2019-02-11,No,
01011,יעל כהן,Neurology,Hebrew; English,Easton,South,020-555-0106,$200.00,4.9,2009-09-09,Yes,
01012,Ruth O'Hara,Podiatry,English,Saint-Lô,South,020-555-0107,$45.00,3.2,2022-12-01,No,"ground floor, ramp"
02020,Peter Brandt,Cardiology; Neurology,German,Saint-Lô,South,,$110.00,4.0,2016-05-30,Yes,
02021,Mara Quinn,Podiatry; Sports medicine,English; Irish,Saint-Lô,South,020-555-0109,$55.00,4.6,2021-06-18,No,
02022,Igor Antonov,Neurology,Russian; English,Felham,North,020-555-0110,$175.00,4.2,2013-11-23,Yes,
03001,Лев Орлов,Dermatology,Russian,Felham,North,020-555-0111,$70.00,3.7,2017-04-04,No,
03002,Sofia Marin,Nutrition,Spanish; English,Felham,North,,$65.00,4.3,2023-01-09,Yes,
03003,Grace Lindqvist,Cardiology,English; Swedish,Tarnby,West,020-555-0113,$130.00,4.7,2014-08-27,Yes,
03004,Hugo Lindqvist,Podiatry,Swedish,Tarnby,West,020-555-0114,$50.00,3.5,2020-10-05,No,
03005,Noor Haddad,Dermatology,Arabic; English,Tarnby,West,020-555-0115,$85.00,4.0,2012-02-29,No,
03006,Tomas Berg,Sports medicine,Swedish; English,Tarnby,West,020-555-0116,$90.00,4.4,2018-09-12,Yes,
03007,Eve Abara,Neurology; Nutrition,English,Oxmoor,West,020-555-0117,$160.00,4.1,2010-06-06,Yes,
03008,Carl Moss,Cardiology,English,Oxmoor,West,020-555-0118,$140.00,3.8,2019-12-31,No,
03009,Ida Falk,Podiatry,Swedish; English,Oxmoor,West,020-555-0119,$48.00,4.5,2021-03-14,Yes,
03010,Ben Yardley,Dermatology,English; French,Oxmoor,West,020-555-0120,$75.00,4.2,2016-10-10,No,
"""

FILMS = """\
title,director,genre,country,released,minutes,gross
The Glass Orchard,Lena Fors,Drama,Sweden,1998-02-13,112,"$1,200,000"
Paper Lanterns,Kenji Abe,Drama,Japan,2004-06-25,98,"$3,400,000"
Night Ferry,Lena Fors,Thriller,Sweden,2004-11-05,121,"$5,150,000"
Salt Road,Amina Diallo,Documentary,Senegal,2011-03-18,84,"$240,000"
The Ninth Clock,Paul Iver,Thriller,Canada,2011-09-30,133,"$9,800,000"
Copper Sky,Paul Iver,Western,Canada,1987-05-22,141,"$2,750,000"
Amélie's Garden,Claire Roy,Comedy,France,2001-04-25,104,"$7,600,000"
Three Bakers,Claire Roy,Comedy,France,2015-08-14,95,"$4,100,000"
River of Stones,Kenji Abe,Drama,Japan,2015-01-30,150,"$1,900,000"
Blue Harvest Moon,Dora Katz,Drama,Canada,2019-10-11,109,"$650,000"
The Quiet Engine,Dora Katz,Documentary,Canada,2020-02-07,77,"$90,000"
Lighthouse Keepers,Lena Fors,Drama,Sweden,2020-12-18,126,"$2,050,000"
"""

STOCK = """\
sku,product,category,warehouse,quantity,unit price,last counted
A-001,Hex bolt M8,Fasteners,Depot 1,1200,0.15,2024-01-15
A-002,Hex bolt M10,Fasteners,Depot 1,0,0.22,2024-01-15
A-003,Wing nut M8,Fasteners,Depot 2,340,0.18,2024-02-02
B-001,Garden hose 20m,Garden,Depot 2,15,24.90,2024-02-02
B-002,Steel rake,Garden,Depot 3,42,18.50,2023-11-30
B-003,Pruning shears,Garden,Depot 3,42,21.00,
C-001,LED bulb 9W,Lighting,Depot 1,560,3.20,2024-03-09
C-002,Desk lamp,Lighting,Depot 2,7,39.00,2024-03-09
C-003,Flood light 50W,Lighting,Depot 3,,54.75,2023-12-12
"""

Row = dict[str, str]


def rows_of(text: str) -> list[Row]:
    """The rows of a file's text, every cell as it is written."""
    return list(csv.DictReader(StringIO(text)))


def numbers(text: str, holds: Callable[[Row], bool]) -> list[int]:
    """The numbers of the rows that a plain filter finds; the first is 1."""
    return [number for number, row in enumerate(rows_of(text), 1) if holds(row)]


def items(cell: str) -> list[str]:
    """The items of a list cell."""
    return [item.strip() for item in cell.split(";") if item.strip()]
