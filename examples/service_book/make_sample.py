"""Writes service_book_sample.csv: 1,000 invented providers, the same ones every time.

python make_sample.py [ROWS] [FILE]
"""

from __future__ import annotations

import csv
import random
import sys
from pathlib import Path

SEED = 20260901
HEADER = (
    "provider_id", "name", "type", "city", "district", "address", "phone", "services", "staff", "opening_hours", "accessibility",
    "remarks", "website", "updated",
)  # fmt: skip
# a city, its district, its dialling code and how many of a hundred providers are there
CITIES = [
    ("Jerusalem", "Jerusalem", "02", 11), ("Beit Shemesh", "Jerusalem", "02", 3), ("Mevaseret Zion", "Jerusalem", "02", 1),
    ("Tel-Aviv-Jaffa", "Tel Aviv", "03", 9), ("Holon", "Tel Aviv", "03", 4), ("Bat Yam", "Tel Aviv", "03", 3),
    ("Herzliya", "Tel Aviv", "09", 3),
    ("Haifa", "Haifa", "04", 8), ("Hadera", "Haifa", "04", 3), ("Kiryat Ata", "Haifa", "04", 2), ("Umm al-Fahm", "Haifa", "04", 2),
    ("Netanya", "Center", "09", 6), ("Rehovot", "Center", "08", 5), ("Kfar Saba", "Center", "09", 4), ("Ra'anana", "Center", "09", 3),
    ("Beer Sheva", "South", "08", 7), ("Ashdod", "South", "08", 6), ("Eilat", "South", "08", 2), ("Dimona", "South", "08", 2),
    ("Nazareth", "North", "04", 4), ("Acre", "North", "04", 3), ("Tiberias", "North", "04", 3),
    ("Safed", "North", "04", 2), ("Afula", "North", "04", 2),
]  # fmt: skip
# a type, how many of a hundred are of it, the word for it in names, and the services to draw from
TYPES = [
    ("Primary-care clinic", 36, "Clinic",
     ("Family Medicine", "Internal Medicine", "Pediatrics", "Nursing", "Laboratory Tests", "Social Work", "Vaccinations")),
    ("Pharmacy", 20, "Pharmacy", ("Medical equipment", "Prescription delivery", "Vaccinations")),
    ("Hospital clinic", 12, "Hospital",
     ("Cardiology", "Neurology", "Oncology", "Otolaryngology", "Urology", "Orthopedics", "Nephrology", "Dialysis")),
    ("Private clinic", 10, "Practice", ("Dermatology", "Ophthalmology", "Orthopedics", "Plastic Surgery", "Acupuncture", "Podiatry")),
    ("Dental clinic", 8, "Dental", ("Dentistry", "Dental Hygiene", "Orthodontics", "Oral Surgery", "Pediatric Dentistry")),
    ("Mental-health clinic", 4, "House", ("Psychiatry", "Clinical Psychology", "Child and Adolescent Psychiatry")),
    ("Imaging institute", 3, "Imaging", ("X-Ray", "MRI", "CT", "Ultrasound", "Mammography", "Bone Density")),
    ("Laboratory", 3, "Laboratory", ("Laboratory Tests",)),
    ("Women's health center", 2, "Women's Center",
     ("Obstetrics and Gynecology", "Fertility and IVF", "High-Risk Pregnancy", "Breast Clinic")),
    ("Child development center", 1, "Child Center", ("Occupational Therapy", "Speech Therapy", "Physiotherapy")),
    ("Urgent-care center", 1, "Urgent Care", ("Emergency Medicine", "X-Ray")),
]  # fmt: skip
FIRST = ("Almond", "Cedar", "Heron", "Juniper", "Lantern", "Meadow", "Olive", "Pomegranate", "Quarry", "Sycamore", "Tamarisk", "Willow")
STREETS = (
    "Almond Grove", "Beacon Street", "Carob Lane", "Fig Tree Road", "Harbour Street", "Market Square", "Old Well Street",
    "Station Road", "Vine Street",
)  # fmt: skip
GIVEN = (
    "Alma", "Bassel", "Carmit", "Dov", "Efrat", "Farid", "Galina", "Hodaya", "Ilan", "Jumana", "Kinneret", "Lev", "Michal",
    "Naim", "Oksana", "Pavel",
)  # fmt: skip
FAMILY = (
    "Abutbul", "Barzilay", "Dagan", "Eshel", "Farah", "Gorelik", "Hazan", "Karmon", "Lipkin", "Nassar", "Ofir", "Rabin", "Sabag",
    "Tsur", "Zamir",
)  # fmt: skip
HOURS = (
    "Sun-Thu 08:00-16:00", "Sun-Thu 08:00-20:00; Fri 08:00-13:00", "Sun-Thu 07:00-19:00; Fri 08:00-12:00", "Sun, Tue, Thu 15:00-19:00",
    "Mon, Wed 08:00-13:00", "Sun-Fri 08:00-14:00; Sat 20:00-23:00", "24/7", "By appointment", "",
)  # fmt: skip
ACCESS = (
    "Elevator", "Wheelchair ramp", "Accessible parking", "Accessible restroom", "Hearing loop", "Braille signage", "Step-free entrance",
    "Service animals welcome",
)  # fmt: skip
REMARKS = (
    "", "", "", "Cash only", "Ring the bell at the side door", "Bring a referral form", "No parking on site",
    "Arabic and Russian spoken",
)  # fmt: skip


def rows(count: int) -> list[tuple[str, ...]]:
    """Invented providers, in no order of anything."""
    draw = random.Random(SEED)
    numbers = draw.sample(range(1, max(90_000, count * 4)), count)
    return [_row(draw, number) for number in numbers]


def _row(draw: random.Random, number: int) -> tuple[str, ...]:
    city, district, code, _ = draw.choices(CITIES, [city[3] for city in CITIES])[0]
    kind, _, word, offered = draw.choices(TYPES, [kind[1] for kind in TYPES])[0]
    services = draw.sample(offered, draw.randint(1, min(3, len(offered))))
    if kind == "Pharmacy":
        services = draw.sample(["Pharmacy", *services], len(services) + 1)
    title = "Pharm." if kind == "Pharmacy" else "Dr."
    staff = [f"{title} {draw.choice(GIVEN)} {draw.choice(FAMILY)}" for _ in range(draw.choice((0, 1, 1, 2, 3)))]
    access = draw.sample(ACCESS, draw.choice((0, 0, 1, 1, 2, 3)))
    return (
        f"{number:06d}",
        f"{draw.choice(FIRST)} {word}" + draw.choice(("", f" {city}", f" {draw.choice(STREETS)}")),
        kind,
        city,
        district,
        f"{draw.randint(1, 180)} {draw.choice(STREETS)}",
        "" if draw.random() < 0.03 else f"{code}-{draw.randint(5_000_000, 9_999_999)}",
        "; ".join(services),
        "; ".join(dict.fromkeys(staff)),
        draw.choice(HOURS),
        ", ".join(access),
        draw.choice(REMARKS),
        f"https://book.example/{number:06d}" if draw.random() < 0.5 else "",
        f"2026-{draw.randint(1, 10):02d}-{draw.randint(1, 28):02d}",
    )


def main() -> None:
    """Writes the file beside this script, or the one that is named."""
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 1000
    path = Path(sys.argv[2]) if len(sys.argv) > 2 else Path(__file__).with_name("service_book_sample.csv")
    with open(path, "w", encoding="utf-8", newline="") as file:
        csv.writer(file, lineterminator="\n").writerows([HEADER, *rows(count)])


if __name__ == "__main__":
    main()
