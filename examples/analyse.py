"""What a model might write when it is asked: which places warm, and how do their years look?

    brig run examples/analyse.py --file weather.csv --out DIR

Writes climate.png and by_place.csv; the last expression is the table that comes back.
"""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

weather = pd.read_csv("weather.csv", parse_dates=["month"])
missing = weather[["temperature_c", "rain_mm", "sun_hours"]].isna().sum()
print(f"{len(weather):,} rows, {weather['place'].nunique()} places, "
      f"{missing.sum()} readings missing: "
      + ", ".join(f"{name} {count}" for name, count in missing.items()))

# A missing reading becomes the mean of that place in that month of the year.
weather["season"] = weather["month"].dt.month
weather["year"] = weather["month"].dt.year
usual = weather.groupby(["place", "season"])["temperature_c"].transform("mean")
weather["temperature_c"] = weather["temperature_c"].fillna(usual)

yearly = weather.groupby(["place", "year"])["temperature_c"].mean().unstack()
trend = yearly.apply(lambda row: np.polyfit(yearly.columns, row, 1)[0] * 10, axis=1)
by_place = (
    weather.groupby(["place", "country"])
    .agg(mean_c=("temperature_c", "mean"), coldest_c=("temperature_c", "min"),
         warmest_c=("temperature_c", "max"), rain_mm_a_month=("rain_mm", "mean"),
         sun_hours_a_month=("sun_hours", "mean"))
    .round(1)
    .reset_index()
)
by_place["warming_c_a_decade"] = by_place["place"].map(trend).round(2)
by_place = by_place.sort_values("warming_c_a_decade", ascending=False, ignore_index=True)
by_place.to_csv("by_place.csv", index=False)

figure, (left, right) = plt.subplots(1, 2, figsize=(11, 4.5), layout="constrained")
months = weather.groupby(["place", "season"])["temperature_c"].mean().unstack(0)
for name in by_place["place"]:
    left.plot(months.index, months[name], label=name)
left.set(title="A mean year", xlabel="month", ylabel="temperature in °C", xticks=range(1, 13))
left.legend(fontsize="x-small", ncols=2)
right.barh(by_place["place"], by_place["warming_c_a_decade"])
right.invert_yaxis()
right.set(title="Warming in ten years", xlabel="°C a decade")
figure.savefig("climate.png", dpi=120)
plt.close(figure)

by_place
