"""Writes weather.csv: ten years of monthly weather at twelve places, 1,440 rows.

The figures are invented, the same on every run: a yearly wave, a little warming, noise and, as in
any real table, some readings that are missing. Standard library only.

    brig run examples/make_data.py --out DIR
"""

import csv
import math
import random

PLACES = (  # name, country, latitude, mean of the year in °C, half the yearly swing, mm of rain
    ("Tromsø", "Norway", 69.6, 3.1, 8.0, 88),
    ("Reykjavík", "Iceland", 64.1, 5.0, 5.6, 73),
    ("Łódź", "Poland", 51.8, 9.1, 10.7, 49),
    ("Besançon", "France", 47.2, 11.3, 9.1, 96),
    ("Zürich", "Switzerland", 47.4, 9.9, 9.4, 94),
    ("Târgu Mureș", "Romania", 46.5, 9.8, 11.8, 50),
    ("Málaga", "Spain", 36.7, 18.8, 6.9, 44),
    ("Αθήνα", "Greece", 38.0, 18.6, 9.3, 33),
    ("札幌", "Japan", 43.1, 9.2, 13.2, 93),
    ("Пермь", "Russia", 58.0, 2.9, 16.6, 53),
    ("São Paulo", "Brazil", -23.5, 19.8, 3.3, 121),
    ("Ōtepoti", "New Zealand", -45.9, 11.0, 4.4, 62),
)
YEARS = range(2015, 2025)


def row(rng, place, year, month):
    name, country, latitude, mean, swing, rain = place
    summer = math.cos((month - (7.2 if latitude > 0 else 1.2)) / 12 * 2 * math.pi)
    warming = 0.04 * (year - YEARS.start)
    temperature = mean + swing * summer + warming + rng.gauss(0, 0.9)
    rain_mm = rain * math.exp(rng.gauss(-0.08, 0.4))
    sun_of_year = 140 + 1.5 * (52 - abs(latitude))
    sun_hours = max(0.0, sun_of_year + 2 * abs(latitude) * summer + rng.gauss(0, 18))
    return {
        "place": name,
        "country": country,
        "month": f"{year}-{month:02}-01",
        "temperature_c": reading(rng, f"{temperature:.1f}"),
        "rain_mm": reading(rng, f"{rain_mm:.0f}"),
        "sun_hours": reading(rng, f"{sun_hours:.0f}"),
    }


def reading(rng, text):
    """One reading in forty never arrived; some stations write a word for that."""
    if rng.random() > 1 / 40:
        return text
    return "" if rng.random() < 0.7 else "n/a"


def main():
    rng = random.Random(42)
    rows = [row(rng, place, year, month)
            for place in PLACES for year in YEARS for month in range(1, 13)]
    with open("weather.csv", "w", newline="", encoding="utf-8") as f:
        writer = csv.DictWriter(f, fieldnames=rows[0])
        writer.writeheader()
        writer.writerows(rows)
    print(f"weather.csv: {len(rows):,} rows, {len(PLACES)} places, "
          f"{YEARS.start} to {YEARS.stop - 1}")


main()
