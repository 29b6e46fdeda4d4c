# %% load and look
#% with sales.csv
import pandas as pd

df = pd.read_csv("sales.csv")
print(df.shape)
print(df.dtypes)
df.head()

# %% info and missing values
#% with sales.csv
import pandas as pd

df = pd.read_csv("/mnt/data/sales.csv", parse_dates=["date"])
df.info()
missing = df.isna().sum()
print(missing[missing > 0])
print(f"{df.isna().any(axis=1).mean():.1%} of rows have a gap")

# %% describe
#% with sales.csv
import pandas as pd

df = pd.read_csv("sales.csv")
df.describe(include="all")

# %% revenue by region
#% with sales.csv
import pandas as pd

df = pd.read_csv("sales.csv", parse_dates=["date"])
df["price"] = df["price"].fillna(df.groupby("product")["price"].transform("median"))
df["discount"] = df["discount"].fillna(0)
df["revenue"] = (df["units"] * df["price"] * (1 - df["discount"])).round(2)
df.groupby("region")["revenue"].agg(["sum", "mean", "count"]).sort_values("sum", ascending=False)

# %% pivot table with margins
#% with sales.csv
import pandas as pd

df = pd.read_csv("sales.csv")
pd.pivot_table(df, values="units", index="region", columns="product", aggfunc="sum", margins=True)

# %% crosstab in percent
#% with sales.csv
import pandas as pd

df = pd.read_csv("sales.csv")
table = pd.crosstab(df["region"], df["product"], normalize="index").mul(100).round(1)
print(table.to_string())
table

# %% top three per group
#% with sales.csv
import pandas as pd

df = pd.read_csv("sales.csv")
top = (
    df.sort_values(["region", "units", "order_id"], ascending=[True, False, True])
    .groupby("region")
    .head(3)
    .reset_index(drop=True)
)
top[["region", "order_id", "product", "units"]]

# %% inner and outer joins
import pandas as pd

customers = pd.DataFrame({"id": [1, 2, 3, 4], "name": ["Ana", "Bo", "Cy", "Di"]})
orders = pd.DataFrame({"customer": [1, 1, 3, 5], "total": [20.0, 35.5, 12.25, 99.0]})
for how in ("inner", "left", "outer"):
    merged = customers.merge(orders, left_on="id", right_on="customer", how=how, indicator=True)
    print(how, len(merged))
    print(merged)

# %% merge on several keys with suffixes
import pandas as pd

a = pd.DataFrame({"year": [2022, 2022, 2023], "q": [1, 2, 1], "sales": [10, 12, 14]})
b = pd.DataFrame({"year": [2022, 2023, 2023], "q": [2, 1, 2], "sales": [11, 15, 16]})
a.merge(b, on=["year", "q"], how="outer", suffixes=("_plan", "_actual")).sort_values(["year", "q"])

# %% merge asof
import pandas as pd

trades = pd.DataFrame({
    "time": pd.to_datetime(["2024-01-02 09:30:01", "2024-01-02 09:30:04", "2024-01-02 09:30:09"]),
    "qty": [100, 50, 75],
})
quotes = pd.DataFrame({
    "time": pd.to_datetime(["2024-01-02 09:30:00", "2024-01-02 09:30:03", "2024-01-02 09:30:08"]),
    "bid": [99.5, 99.7, 99.6],
})
pd.merge_asof(trades, quotes, on="time", tolerance=pd.Timedelta("2s"))

# %% melt and pivot back
import pandas as pd

wide = pd.DataFrame({"city": ["Oslo", "Rome"], "2021": [5.1, 15.2], "2022": [5.6, 16.0]})
long = wide.melt(id_vars="city", var_name="year", value_name="temp")
print(long)
back = long.pivot(index="city", columns="year", values="temp").reset_index()
back.columns.name = None
back

# %% stack and unstack
import pandas as pd

index = pd.MultiIndex.from_product([["a", "b"], [1, 2, 3]], names=["k", "n"])
s = pd.Series(range(6), index=index, name="v")
print(s.unstack())
s.unstack("k").stack().sort_index()

# %% multi level columns
#% with sales.csv
import pandas as pd

df = pd.read_csv("sales.csv")
df.groupby(["region", "product"]).agg({"units": ["sum", "max"], "price": "mean"}).head(6)

# %% window rank and lag
import pandas as pd

df = pd.DataFrame({
    "team": list("aabbab"),
    "day": [1, 2, 1, 2, 3, 3],
    "points": [10, 15, 7, 7, 12, 20],
}).sort_values(["team", "day"])
g = df.groupby("team")["points"]
df["previous"] = g.shift()
df["running"] = g.cumsum()
df["rank"] = g.rank(method="dense", ascending=False).astype(int)
df["share"] = (df["points"] / g.transform("sum")).round(3)
df

# %% rolling and expanding
import numpy as np
import pandas as pd

s = pd.Series([1, 3, np.nan, 7, 9, 11], name="x")
pd.DataFrame({
    "x": s,
    "mean3": s.rolling(3, min_periods=1).mean(),
    "max": s.expanding().max(),
    "ewm": s.ewm(span=3).mean().round(4),
})

# %% cut and qcut
import pandas as pd

ages = pd.Series([3, 17, 25, 41, 66, 80, 35, 19])
groups = pd.cut(ages, [0, 18, 40, 65, 120], labels=["child", "young", "middle", "senior"])
print(groups.value_counts(sort=False))
pd.qcut(ages, 4, labels=False).tolist()

# %% intervals as an index
import pandas as pd

values = pd.Series([0.5, 1.5, 2.5, 3.5, 3.9])
values.groupby(pd.cut(values, [0, 2, 4]), observed=False).agg(["count", "sum"])

# %% categorical order
import pandas as pd

sizes = pd.Categorical(["M", "S", "L", "S", "M"], categories=["S", "M", "L"], ordered=True)
df = pd.DataFrame({"size": sizes, "n": range(5)})
print(df["size"].min(), df["size"].cat.codes.tolist())
df.sort_values("size", kind="stable")

# %% nullable types
import pandas as pd

df = pd.DataFrame({
    "i": pd.array([1, None, 3], dtype="Int64"),
    "b": pd.array([True, None, False], dtype="boolean"),
    "s": pd.array(["x", None, "z"], dtype="string"),
    "f": pd.array([0.5, None, 2.5], dtype="Float64"),
})
print(df.dtypes.to_dict())
df

# %% big integers stay exact
import pandas as pd

pd.DataFrame({"id": [2**53 + 1, 2**63 - 1], "neg": [-(2**60), -1]})

# %% unsigned and small dtypes
import numpy as np
import pandas as pd

pd.DataFrame({
    "u64": np.array([2**64 - 1, 0], dtype="uint64"),
    "i8": np.array([-128, 127], dtype="int8"),
    "f32": np.array([0.1, 1 / 3], dtype="float32"),
})

# %% infinities and not a number
import numpy as np
import pandas as pd

df = pd.DataFrame({"x": [1.0, np.inf, -np.inf, np.nan]})
df["ok"] = np.isfinite(df["x"])
df

# %% string methods
import pandas as pd

s = pd.Series(["  Ada Lovelace ", "alan TURING", None, "Grace  Hopper"])
clean = s.str.strip().str.replace(r"\s+", " ", regex=True).str.title()
parts = clean.str.split(" ", expand=True).rename(columns={0: "first", 1: "last"})
parts["initials"] = parts["first"].str[0] + parts["last"].str[0]
parts

# %% extract with a regular expression
import pandas as pd

s = pd.Series(["EUR 12.50", "USD 7", "GBP 1,200.00", "free"])
out = s.str.extract(r"(?P<currency>[A-Z]{3})\s(?P<amount>[\d,.]+)")
out["amount"] = pd.to_numeric(out["amount"].str.replace(",", ""))
out

# %% explode lists
import pandas as pd

df = pd.DataFrame({"user": ["u1", "u2", "u3"], "tags": [["a", "b"], [], ["c"]]})
df.explode("tags", ignore_index=True)

# %% one hot
import pandas as pd

df = pd.DataFrame({"color": ["red", "blue", "red"], "size": [1, 2, 3]})
pd.get_dummies(df, columns=["color"], dtype=int)

# %% apply across rows
import pandas as pd

def grade(row):
    if row["score"] >= 90:
        return "A"
    return "B" if row["score"] >= 75 else "C"

df = pd.DataFrame({"name": ["x", "y", "z"], "score": [95, 80, 60]})
df["grade"] = df.apply(grade, axis=1)
print(df.to_markdown(index=False))
df["grade"].value_counts()

# %% query and eval
import pandas as pd

df = pd.DataFrame({"a": range(6), "b": [5, 3, 8, 1, 9, 2]})
limit = 2
df.query("a > @limit and b < 9").eval("c = a * b")

# %% duplicates
import pandas as pd

df = pd.DataFrame({"k": ["a", "a", "b", "b"], "v": [1, 1, 2, 3]})
print(df.duplicated().sum(), df.drop_duplicates(subset="k", keep="last").to_dict("records"))

# %% fill and interpolate
import numpy as np
import pandas as pd

s = pd.Series([1, np.nan, np.nan, 4, np.nan, 6])
pd.DataFrame({"s": s, "ffill": s.ffill(), "linear": s.interpolate(), "mean": s.fillna(s.mean())})

# %% groupby filter and transform
import pandas as pd

df = pd.DataFrame({"g": list("aabbbc"), "x": [1, 2, 3, 4, 5, 6]})
kept = df.groupby("g").filter(lambda part: len(part) > 1)
kept.assign(z=kept.groupby("g")["x"].transform(lambda x: (x - x.mean()) / x.std()).round(4))

# %% groupby apply to a dict of results
#% with sales.csv
import pandas as pd

df = pd.read_csv("sales.csv")
{region: int(part["units"].sum()) for region, part in df.groupby("region")}

# %% long table is cut to head and tail
import pandas as pd

pd.DataFrame({"n": range(1000), "square": [i * i for i in range(1000)]})

# %% wide table
import numpy as np
import pandas as pd

pd.DataFrame(np.arange(60).reshape(2, 30), columns=[f"c{i:02}" for i in range(30)])

# %% long series
import pandas as pd

pd.Series([i / 7 for i in range(300)], name="sevenths")

# %% empty frame
import pandas as pd

df = pd.DataFrame({"a": [1, 2], "b": ["x", "y"]})
df[df["a"] > 5]

# %% wide characters line up
import pandas as pd

df = pd.DataFrame({"名前": ["山田太郎", "Li", "Ōno"], "都市": ["東京", "北京", "Köln"], "n": [1, 22, 333]})
print(df)
df.set_index("名前")

# %% display several tables
import pandas as pd

df = pd.DataFrame({"x": [1, 2, 3]}, index=["a", "b", "c"])
display(df)
print("between")
display(df.T)
display(df["x"])
df.sum()

# %% compare two frames
import pandas as pd

a = pd.DataFrame({"x": [1, 2, 3], "y": list("abc")})
b = a.copy()
b.loc[1, "x"] = 20
b.loc[2, "y"] = "z"
a.compare(b)

# %% correlation matrix
import numpy as np
import pandas as pd

rng = np.random.default_rng(3)
x = rng.normal(size=200)
df = pd.DataFrame({"x": x, "y": 2 * x + rng.normal(size=200), "z": rng.normal(size=200)})
df.corr().round(3)

# %% styled frame shows its data
import pandas as pd

df = pd.DataFrame({"a": [0.1234, 2.5], "b": [1, 2]})
print(df.style.format("{:.2f}").to_latex().splitlines()[0])

# %% copy on write warning free chain
import pandas as pd

df = pd.DataFrame({"a": [1, 2, 3]})
df = df.assign(b=lambda d: d["a"] ** 2).rename(columns=str.upper).set_index("A")
df.loc[2:, "B"].to_dict()

# %% options of the author win
import pandas as pd

pd.set_option("display.precision", 2)
print(pd.DataFrame({"x": [3.14159, 2.71828]}))
with pd.option_context("display.max_rows", 4):
    print(pd.Series(range(10)))

# %% records of a nested dict
import pandas as pd

data = [
    {"id": 1, "user": {"name": "Ana", "geo": {"lat": 1.5}}, "tags": ["x"]},
    {"id": 2, "user": {"name": "Bo"}, "tags": []},
]
pd.json_normalize(data)

# %% missing column
import pandas as pd

df = pd.DataFrame({"alpha": [1]})
df["beta"]
