# %% resample to weeks
import numpy as np
import pandas as pd

index = pd.date_range("2024-01-01", periods=30, freq="D")
s = pd.Series(np.arange(30), index=index, name="visits")
s.resample("W").agg(["sum", "mean"])

# %% monthly revenue
#% with sales.csv
import pandas as pd

df = pd.read_csv("sales.csv", parse_dates=["date"])
df["revenue"] = df["units"] * df["price"]
monthly = df.set_index("date")["revenue"].resample("ME").sum()
print(monthly.round(1).head())
monthly.pct_change().round(3).tail(5)

# %% quarters as periods
#% with sales.csv
import pandas as pd

df = pd.read_csv("sales.csv", parse_dates=["date"])
df.groupby([df["date"].dt.to_period("Q"), "product"])["units"].sum().unstack(fill_value=0)

# %% time zones across a change of clocks
import pandas as pd

index = pd.date_range("2024-03-30 22:00", periods=6, freq="2h", tz="Europe/Berlin")
df = pd.DataFrame({"n": range(6)}, index=index)
df["utc"] = df.index.tz_convert("UTC")
df["new_york"] = df.index.tz_convert("America/New_York").strftime("%H:%M %Z")
df

# %% ambiguous hour
import pandas as pd

stamps = pd.to_datetime(["2024-10-27 01:30", "2024-10-27 02:30", "2024-10-27 02:30"])
stamps.tz_localize("Europe/Paris", ambiguous=[True, True, False]).tz_convert("UTC").tolist()

# %% ambiguous hour without a choice
import pandas as pd

pd.DatetimeIndex(["2024-10-27 02:30"]).tz_localize("Europe/Paris")

# %% zoneinfo
from datetime import datetime
from zoneinfo import ZoneInfo

meeting = datetime(2024, 11, 3, 14, 0, tzinfo=ZoneInfo("Europe/London"))
for zone in ("America/Los_Angeles", "Asia/Kolkata", "Australia/Sydney"):
    print(zone, meeting.astimezone(ZoneInfo(zone)).isoformat())
meeting

# %% all zones known
import zoneinfo

zones = zoneinfo.available_timezones()
print("Asia/Kathmandu" in zones, "America/Argentina/Ushuaia" in zones, len(zones) > 500)
zoneinfo.ZoneInfo("Mars/Olympus")

# %% business days
import numpy as np
import pandas as pd

days = pd.bdate_range("2024-12-20", "2025-01-03")
holidays = ["2024-12-25", "2024-12-26", "2025-01-01"]
print(len(days), np.busday_count("2024-12-20", "2025-01-04", holidays=holidays))
pd.tseries.offsets.CustomBusinessDay(holidays=holidays) + pd.Timestamp("2024-12-24")

# %% rolling window by time
import pandas as pd

stamps = pd.to_datetime(["2024-01-01", "2024-01-02", "2024-01-05", "2024-01-06", "2024-01-20"])
s = pd.Series([1, 2, 3, 4, 5], index=stamps)
s.rolling("7D").sum()

# %% upsample and fill
import pandas as pd

s = pd.Series([10.0, 20.0, 15.0], index=pd.date_range("2024-01-01", periods=3, freq="MS"))
s.resample("W-MON").interpolate().round(2).head(6)

# %% gaps in a log
#% with weather.json
import json

import pandas as pd

with open("weather.json", encoding="utf-8") as f:
    data = json.load(f)
df = pd.DataFrame(data["readings"])
df["at"] = pd.to_datetime(df["at"])
df = df.set_index("at")
print(data["station"]["name"], df.index.tz, df["temp"].isna().sum())
df["temp"].interpolate().resample("D").agg(["min", "max", "mean"]).round(2)

# %% nested column
#% with weather.json
import json

import pandas as pd

with open("/mnt/data/weather.json", encoding="utf-8") as f:
    readings = json.load(f)["readings"]
flat = pd.json_normalize(readings)
flat.groupby("wind.dir")["wind.kmh"].agg(["count", "median"]).sort_index()

# %% decomposition by hand
import numpy as np
import pandas as pd

t = np.arange(36)
s = pd.Series(50 + 0.5 * t + 5 * np.sin(2 * np.pi * t / 12),
              index=pd.period_range("2021-01", periods=36, freq="M"))
trend = s.rolling(12, center=True).mean()
season = (s - trend).groupby(s.index.month).mean()
(season - season.mean()).round(3)

# %% seasonal decompose
import numpy as np
import pandas as pd
from statsmodels.tsa.seasonal import seasonal_decompose

t = np.arange(48)
s = pd.Series(100 + t + 10 * np.cos(2 * np.pi * t / 12),
              index=pd.date_range("2020-01-01", periods=48, freq="MS"))
r = seasonal_decompose(s, model="additive", period=12)
print(r.seasonal.head(12).round(3).tolist())
r.trend.dropna().head(3)

# %% autocorrelation
import numpy as np
from statsmodels.tsa.stattools import acf, adfuller

rng = np.random.default_rng(11)
walk = rng.normal(size=300).cumsum()
print(acf(walk, nlags=4).round(3))
stat, p, *_ = adfuller(np.diff(walk))
print(p < 0.01, round(stat, 2))

# %% exponential smoothing
import pandas as pd
from statsmodels.tsa.holtwinters import SimpleExpSmoothing

s = pd.Series([3, 5, 9, 20, 12, 17, 22, 23, 51, 41.0])
fit = SimpleExpSmoothing(s, initialization_method="estimated").fit(smoothing_level=0.3)
fit.forecast(3).round(3)

# %% arima forecast
import numpy as np
import pandas as pd
from statsmodels.tsa.arima.model import ARIMA

rng = np.random.default_rng(0)
e = rng.normal(size=200)
x = np.zeros(200)
for i in range(1, 200):
    x[i] = 0.7 * x[i - 1] + e[i]
fit = ARIMA(x, order=(1, 0, 0)).fit()
print(fit.params.round(2), fit.forecast(2).round(2))

# %% age in years
from datetime import date

def age(born, today=date(2024, 2, 28)):
    return today.year - born.year - ((today.month, today.day) < (born.month, born.day))

[age(date(2000, 2, 29)), age(date(1990, 2, 28)), age(date(1990, 3, 1))]

# %% iso weeks
from datetime import date, timedelta

for d in (date(2020, 12, 31), date(2021, 1, 3), date(2021, 1, 4)):
    print(d, d.isocalendar(), d.strftime("%G-W%V-%u"), d.strftime("%A"))
date(2024, 3, 1) - timedelta(days=1)

# %% parse many formats
import pandas as pd
from dateutil import parser, relativedelta

for text in ("2024-05-01T10:00:00+02:00", "May 1, 2024", "1/5/24", "20240501"):
    print(text, "->", parser.parse(text, dayfirst=True).isoformat())
parser.parse("2024-01-31") + relativedelta.relativedelta(months=1)

# %% bad date
from datetime import datetime

datetime.strptime("31/02/2024", "%d/%m/%Y")

# %% durations
from datetime import timedelta

d = timedelta(hours=25, minutes=61, seconds=1.5)
print(d, d.total_seconds(), divmod(d, timedelta(hours=1)))
d

# %% calendar of a month
import calendar

print(calendar.TextCalendar(calendar.MONDAY).formatmonth(2024, 2))
calendar.isleap(1900), calendar.monthrange(2023, 2)

# %% timestamps as a table
import pandas as pd

df = pd.DataFrame({
    "start": pd.to_datetime(["2024-01-01 10:00", "2024-01-02 11:30", None]),
    "end": pd.to_datetime(["2024-01-01 12:15", "2024-01-05 09:00", "2024-01-06"]),
})
df["hours"] = (df["end"] - df["start"]).dt.total_seconds() / 3600
df["length"] = df["end"] - df["start"]
df

# %% cumulative year to date
#% with sales.csv
import pandas as pd

df = pd.read_csv("sales.csv", parse_dates=["date"])
df["ytd"] = df.groupby(df["date"].dt.year)["units"].cumsum()
df.groupby(df["date"].dt.year)["ytd"].last()

# %% epoch conversions
import pandas as pd

s = pd.Series([0, 1_700_000_000, 2_000_000_000])
out = pd.to_datetime(s, unit="s", utc=True)
print(out.dt.tz_convert("Asia/Tokyo").dt.strftime("%Y-%m-%d %H:%M").tolist())
out.astype("int64").tolist()
