# %% line
import matplotlib.pyplot as plt
import numpy as np

x = np.linspace(0, 2 * np.pi, 60)
plt.figure(figsize=(8, 5))
plt.plot(x, np.sin(x), label="sin")
plt.plot(x, np.cos(x), "--", label="cos")
plt.title("Sine and cosine")
plt.xlabel("angle (rad)")
plt.ylabel("value")
plt.legend()
plt.grid(True)
plt.show()

# %% line never shown
import matplotlib.pyplot as plt

plt.plot([1, 4, 9, 16])
plt.title("Squares")

# %% many points
import matplotlib.pyplot as plt
import numpy as np

rng = np.random.default_rng(1)
plt.plot(rng.normal(size=5000).cumsum(), lw=0.7)
plt.title("Random walk")
plt.ylabel("position")
plt.show()

# %% scatter with colours
import matplotlib.pyplot as plt
import numpy as np

rng = np.random.default_rng(0)
x, y, c = rng.random((3, 80))
points = plt.scatter(x, y, c=c, s=200 * c, cmap="viridis", alpha=0.7)
plt.colorbar(points, label="intensity")
plt.title("Scatter")
plt.xlabel("x")
plt.ylabel("y")
plt.show()

# %% bars with labels
import matplotlib.pyplot as plt

fruit, count = ["apples", "pears", "plums", "figs"], [23, 17, 35, 9]
bars = plt.bar(fruit, count, color="steelblue")
plt.bar_label(bars)
plt.title("Fruit sold")
plt.ylabel("boxes")
plt.show()

# %% horizontal bars
import matplotlib.pyplot as plt

langs = {"Python": 45.3, "JavaScript": 38.1, "C": 19.2, "Fortran": 1.1}
fig, ax = plt.subplots(figsize=(7, 3))
ax.barh(list(langs), list(langs.values()))
ax.invert_yaxis()
ax.set_xlabel("share (%)")
ax.set_title("Languages")
fig.tight_layout()
plt.show()

# %% grouped bars
import matplotlib.pyplot as plt
import numpy as np

labels = ["Q1", "Q2", "Q3", "Q4"]
a, b = [20, 34, 30, 35], [25, 32, 34, 20]
x, w = np.arange(4), 0.35
fig, ax = plt.subplots()
ax.bar(x - w / 2, a, w, label="2022")
ax.bar(x + w / 2, b, w, label="2023")
ax.set_xticks(x, labels)
ax.legend(title="year")
ax.set_title("Sales by quarter")
plt.show()

# %% stacked bars
import matplotlib.pyplot as plt
import numpy as np

days = ["Mon", "Tue", "Wed"]
parts = {"rail": [5, 3, 4], "road": [2, 6, 1], "air": [1, 1, 2]}
bottom = np.zeros(3)
for name, values in parts.items():
    plt.bar(days, values, bottom=bottom, label=name)
    bottom += values
plt.legend()
plt.title("Freight")
plt.show()

# %% histogram
import matplotlib.pyplot as plt
import numpy as np

rng = np.random.default_rng(12)
plt.hist(rng.normal(100, 15, 1000), bins=30, edgecolor="black")
plt.axvline(100, color="red", ls="--", label="mean")
plt.title("Distribution of scores")
plt.xlabel("score")
plt.ylabel("people")
plt.legend();

# %% two histograms
import matplotlib.pyplot as plt
import numpy as np

rng = np.random.default_rng(2)
fig, ax = plt.subplots()
ax.hist([rng.normal(0, 1, 300), rng.normal(1, 1.5, 300)], bins=15, label=["control", "treated"])
ax.legend()
ax.set_title("Control and treated")
plt.show()

# %% pie
import matplotlib.pyplot as plt

plt.pie([45, 30, 15, 10], labels=["rent", "food", "fun", "other"], autopct="%1.0f%%", startangle=90)
plt.title("Budget")
plt.axis("equal")
plt.show()

# %% doughnut
import matplotlib.pyplot as plt

fig, ax = plt.subplots()
ax.pie([3, 2, 1], labels=["a", "b", "c"], wedgeprops={"width": 0.4}, explode=(0.1, 0, 0))
ax.set_title("Ring")
plt.show()

# %% box plot
import matplotlib.pyplot as plt
import numpy as np

rng = np.random.default_rng(3)
plt.boxplot([rng.normal(m, 1, 60) for m in (0, 1, 3)], tick_labels=["low", "mid", "high"])
plt.title("Response by dose")
plt.ylabel("response")
plt.show()

# %% violins
import matplotlib.pyplot as plt
import numpy as np

rng = np.random.default_rng(4)
fig, ax = plt.subplots()
ax.violinplot([rng.normal(0, s, 100) for s in (1, 2, 3)], showmedians=True)
ax.set_title("Spread")
plt.show()

# %% heat map with numbers
import matplotlib.pyplot as plt
import numpy as np

m = np.array([[1.0, 0.8, 0.1], [0.8, 1.0, -0.3], [0.1, -0.3, 1.0]])
names = ["age", "income", "height"]
fig, ax = plt.subplots()
im = ax.imshow(m, cmap="coolwarm", vmin=-1, vmax=1)
ax.set_xticks(range(3), names, rotation=45)
ax.set_yticks(range(3), names)
for i in range(3):
    for j in range(3):
        ax.text(j, i, f"{m[i, j]:.1f}", ha="center", va="center")
fig.colorbar(im)
ax.set_title("Correlation")
plt.show()

# %% area
import matplotlib.pyplot as plt

years = [2019, 2020, 2021, 2022]
plt.stackplot(years, [1, 2, 3, 4], [2, 2, 3, 3], labels=["solar", "wind"])
plt.legend(loc="upper left")
plt.title("Energy")
plt.show()

# %% band around a line
import matplotlib.pyplot as plt
import numpy as np

x = np.arange(20)
y = x**1.5
plt.plot(x, y, label="model")
plt.fill_between(x, y * 0.8, y * 1.2, alpha=0.3, label="±20 %")
plt.legend()
plt.title("Forecast")
plt.show()

# %% error bars
import matplotlib.pyplot as plt

plt.errorbar([1, 2, 3], [2.0, 4.1, 5.9], yerr=[0.2, 0.3, 0.25], fmt="o-", capsize=4)
plt.title("Measured")
plt.xlabel("run")
plt.show()

# %% stems and steps
import matplotlib.pyplot as plt

fig, (a, b) = plt.subplots(1, 2, figsize=(9, 3))
a.stem([0, 1, 2, 3], [1, 3, 2, 5])
a.set_title("Stem")
b.step([0, 1, 2, 3], [1, 3, 2, 5], where="mid")
b.set_title("Step")
plt.show()

# %% contours
import matplotlib.pyplot as plt
import numpy as np

x, y = np.meshgrid(np.linspace(-2, 2, 50), np.linspace(-2, 2, 50))
filled = plt.contourf(x, y, x * np.exp(-(x**2) - y**2), 12, cmap="RdBu")
plt.colorbar(filled)
plt.title("Contours")
plt.show()

# %% hexbin
import matplotlib.pyplot as plt
import numpy as np

rng = np.random.default_rng(5)
plt.hexbin(*rng.normal(size=(2, 4000)), gridsize=25)
plt.colorbar(label="count")
plt.title("Density")
plt.show()

# %% vector field
import matplotlib.pyplot as plt
import numpy as np

x, y = np.meshgrid(np.arange(-2, 3), np.arange(-2, 3))
plt.quiver(x, y, -y, x)
plt.title("Rotation")
plt.show()

# %% polar
import matplotlib.pyplot as plt
import numpy as np

theta = np.linspace(0, 2 * np.pi, 100)
ax = plt.subplot(projection="polar")
ax.plot(theta, 1 + np.cos(theta))
ax.set_title("Cardioid")
plt.show()

# %% surface
import matplotlib.pyplot as plt
import numpy as np

x, y = np.meshgrid(np.linspace(-3, 3, 30), np.linspace(-3, 3, 30))
fig = plt.figure()
ax = fig.add_subplot(projection="3d")
ax.plot_surface(x, y, np.sin(np.hypot(x, y)), cmap="viridis")
ax.set_zlabel("height")
ax.set_title("Ripple")
plt.show()

# %% scatter in space
import matplotlib.pyplot as plt
import numpy as np

rng = np.random.default_rng(6)
fig, ax = plt.subplots(subplot_kw={"projection": "3d"})
ax.scatter(*rng.random((3, 40)))
ax.set_title("Cloud")
plt.show()

# %% grid of four
import matplotlib.pyplot as plt
import numpy as np

rng = np.random.default_rng(7)
fig, axes = plt.subplots(2, 2, figsize=(10, 8))
axes[0, 0].plot(rng.random(10))
axes[0, 0].set_title("Line")
axes[0, 1].hist(rng.normal(size=200), bins=12)
axes[0, 1].set_title("Histogram")
axes[1, 0].scatter(*rng.random((2, 30)))
axes[1, 0].set_title("Scatter")
axes[1, 1].bar(["x", "y", "z"], [3, 1, 2])
axes[1, 1].set_title("Bars")
fig.suptitle("Overview")
plt.tight_layout()
plt.show()

# %% two axes
import matplotlib.pyplot as plt

fig, left = plt.subplots()
left.bar(["J", "F", "M"], [60, 45, 80], color="lightblue")
left.set_ylabel("rain (mm)")
right = left.twinx()
right.plot(["J", "F", "M"], [2, 4, 9], "r-o")
right.set_ylabel("temperature (°C)")
left.set_title("Climate")
plt.show()

# %% log axes
import matplotlib.pyplot as plt

plt.loglog([1, 10, 100, 1000], [2, 30, 500, 9000], marker="s")
plt.title("Power law")
plt.xlabel("size")
plt.show()

# %% dates on the axis
import matplotlib.dates as mdates
import matplotlib.pyplot as plt
import pandas as pd

days = pd.date_range("2024-01-01", periods=120)
fig, ax = plt.subplots(figsize=(10, 4))
ax.plot(days, [i % 17 + i / 10 for i in range(120)])
ax.xaxis.set_major_formatter(mdates.DateFormatter("%d %b %Y"))
ax.set_title("Daily visits")
plt.show()

# %% several figures in order
import matplotlib.pyplot as plt

for name in ("first", "second", "third"):
    plt.figure()
    plt.plot([1, 2, 3])
    plt.title(name)
    plt.show()

# %% shown and left open
import matplotlib.pyplot as plt

plt.plot([1, 2])
plt.title("shown")
plt.show()
fig, ax = plt.subplots()
ax.bar([1, 2], [3, 4])
ax.set_title("left open")

# %% save and show
import matplotlib.pyplot as plt

fig, ax = plt.subplots(figsize=(4, 3))
ax.plot([0, 1, 2], [3, 1, 2])
ax.set_title("Saved")
fig.savefig("plot.png", dpi=80)
fig.savefig("plot.pdf")
plt.show()

# %% saved and closed
import matplotlib.pyplot as plt

for i in range(2):
    fig, ax = plt.subplots()
    ax.plot([i, i + 1])
    fig.savefig(f"out_{i}.svg")
    plt.close(fig)
print("saved 2 files")

# %% pandas line
import numpy as np
import pandas as pd

rng = np.random.default_rng(8)
df = pd.DataFrame(rng.normal(size=(50, 3)).cumsum(axis=0), columns=["A", "B", "C"])
df.plot(title="Three walks", figsize=(8, 4))

# %% pandas bars
#% with sales.csv
import matplotlib.pyplot as plt
import pandas as pd

df = pd.read_csv("sales.csv")
ax = df.groupby("product")["units"].sum().sort_values().plot(kind="barh", color="teal")
ax.set_title("Units by product")
ax.set_xlabel("units")
plt.tight_layout()
plt.show()

# %% pandas time series with a period index
import pandas as pd

s = pd.Series([3, 5, 4, 8, 9, 7], index=pd.date_range("2024-01-31", periods=6, freq="ME"))
s.plot(title="Monthly", marker="o")

# %% pandas box and histogram
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

rng = np.random.default_rng(9)
df = pd.DataFrame({"a": rng.normal(size=100), "b": rng.normal(2, 3, 100)})
df.plot.box(title="Boxes")
plt.show()
df.hist(bins=10)
plt.suptitle("Columns")
plt.show()

# %% pandas scatter and pie
import matplotlib.pyplot as plt
import pandas as pd

df = pd.DataFrame({"h": [150, 160, 170, 180], "w": [50, 58, 70, 82]})
df.plot.scatter(x="h", y="w", title="Height and weight")
plt.show()
pd.Series([2, 3, 5], index=["x", "y", "z"]).plot.pie(title="Parts", ylabel="")
plt.show()

# %% seaborn box plot
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import seaborn as sns

rng = np.random.default_rng(10)
df = pd.DataFrame({"day": np.repeat(["Thu", "Fri", "Sat"], 30), "bill": rng.gamma(5, 4, 90)})
sns.boxplot(data=df, x="day", y="bill")
plt.title("Bills")
plt.show()

# %% seaborn heat map
import matplotlib.pyplot as plt
import numpy as np
import seaborn as sns

sns.heatmap(np.arange(12).reshape(3, 4), annot=True, fmt="d", cmap="Blues")
plt.title("Counts")
plt.show()

# %% seaborn regression and density
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import seaborn as sns

sns.set_theme(style="whitegrid")
rng = np.random.default_rng(11)
df = pd.DataFrame({"x": rng.normal(size=60)})
df["y"] = df["x"] * 2 + rng.normal(size=60)
sns.regplot(data=df, x="x", y="y", ci=None)
plt.title("Regression")
plt.show()
sns.kdeplot(df["x"], fill=True)
plt.title("Density of x")
plt.show()

# %% seaborn facets
import numpy as np
import pandas as pd
import seaborn as sns

rng = np.random.default_rng(12)
df = pd.DataFrame({"v": rng.normal(size=80), "g": np.tile(["p", "q"], 40)})
grid = sns.displot(df, x="v", col="g", bins=8)
grid.figure.suptitle("Facets", y=1.02)

# %% seaborn bars and counts
import matplotlib.pyplot as plt
import pandas as pd
import seaborn as sns

df = pd.DataFrame({"k": list("aabbbc"), "v": [1, 3, 2, 2, 5, 4], "h": list("xyxyxy")})
sns.countplot(data=df, x="k")
plt.title("Counts by k")
plt.show()
sns.barplot(data=df, x="k", y="v", errorbar=None)
plt.title("Means by k")
plt.show()

# %% glyphs of many scripts
import matplotlib.pyplot as plt

plt.bar(["東京", "Москва", "القاهرة", "Αθήνα", "서울"], [5, 4, 3, 2, 1])
plt.title("人口 – население – 😀")
plt.ylabel("Größe (Mio.)")
plt.show()

# %% formula in a title
import matplotlib.pyplot as plt

plt.plot([0, 1, 2], [0, 1, 4])
plt.title(r"$y = x^2 + \frac{\alpha}{\sqrt{2\pi}}$")
plt.annotate("peak", xy=(2, 4), xytext=(1, 3), arrowprops={"arrowstyle": "->"})
plt.show()

# %% long labels
import matplotlib.pyplot as plt

names = [f"Department of {n}" for n in ("Agriculture", "Transportation", "Education", "Health")]
plt.bar(names, [4, 3, 2, 1])
plt.title("Budget by department")
plt.ylabel("billions")
plt.show()

# %% a style and a gui backend that is not there
import matplotlib

matplotlib.use("TkAgg")
import matplotlib.pyplot as plt

plt.style.use("ggplot")
plt.plot([3, 1, 2])
plt.title("ggplot style")
plt.show()

# %% object interface without pyplot
from matplotlib.figure import Figure

fig = Figure(figsize=(4, 3))
ax = fig.subplots()
ax.plot([1, 2, 3], [1, 4, 9])
ax.set_title("No pyplot")
fig

# %% reference lines and spans
import matplotlib.pyplot as plt

fig, ax = plt.subplots()
ax.plot([0, 5, 10], [1, 8, 3])
ax.axhline(5, ls=":")
ax.axvspan(2, 4, alpha=0.2)
ax.set_ylim(0, 10)
ax.set_title("Spans")
plt.show()

# %% candles drawn by hand
import matplotlib.pyplot as plt

rows = [(10, 12, 9, 11), (11, 13, 10, 10.5), (10.5, 11, 8, 9)]
fig, ax = plt.subplots()
for i, (o, h, lo, c) in enumerate(rows):
    ax.vlines(i, lo, h, color="k")
    ax.bar(i, abs(c - o), bottom=min(o, c), width=0.5, color="g" if c >= o else "r")
ax.set_title("Candles")
plt.show()

# %% regression line over points
import matplotlib.pyplot as plt
import numpy as np

x = np.array([1, 2, 3, 4, 5.0])
y = np.array([2.2, 4.1, 6.2, 7.9, 10.1])
slope, intercept = np.polyfit(x, y, 1)
plt.scatter(x, y, label="data")
plt.plot(x, slope * x + intercept, color="red", label=f"y={slope:.2f}x+{intercept:.2f}")
plt.legend()
plt.title("Fit")
plt.show()
print(f"{slope:.3f} {intercept:.3f}")

# %% qq plot
import matplotlib.pyplot as plt
import numpy as np
from scipy import stats

rng = np.random.default_rng(13)
stats.probplot(rng.normal(size=100), plot=plt)
plt.title("QQ")
plt.show()

# %% dendrogram
import matplotlib.pyplot as plt
import numpy as np
from scipy.cluster.hierarchy import dendrogram, linkage

pts = np.array([[0, 0], [1, 0], [5, 5], [6, 5], [10, 10]])
dendrogram(linkage(pts, "average"), labels=list("abcde"))
plt.title("Tree")
plt.show()

# %% nothing drawn is no chart
import matplotlib.pyplot as plt

fig = plt.figure()
plt.close(fig)
print("nothing")

# %% chart then error
import matplotlib.pyplot as plt

plt.plot([1, 2, 3])
plt.title("before the error")
plt.show()
1 / 0

# %% animation saved as frames
import matplotlib.pyplot as plt
from matplotlib.animation import FuncAnimation, PillowWriter

fig, ax = plt.subplots(figsize=(3, 2))
(line,) = ax.plot([], [])
ax.set_xlim(0, 5)
ax.set_ylim(0, 5)

def update(i):
    line.set_data(range(i + 1), range(i + 1))
    return (line,)

FuncAnimation(fig, update, frames=4).save("anim.gif", writer=PillowWriter(fps=2))
plt.close(fig)

from PIL import Image

with Image.open("anim.gif") as im:
    print(im.n_frames, im.size)

# %% uneven grid
import matplotlib.pyplot as plt
from matplotlib.gridspec import GridSpec

fig = plt.figure(figsize=(8, 5), layout="constrained")
gs = GridSpec(2, 2, figure=fig)
top = fig.add_subplot(gs[0, :])
top.plot([1, 3, 2])
top.set_title("wide")
fig.add_subplot(gs[1, 0]).bar([1, 2], [2, 1])
fig.add_subplot(gs[1, 1]).barh([1, 2], [2, 1])
fig.suptitle("Layout")
plt.show()

# %% table drawn in a figure
import matplotlib.pyplot as plt

fig, ax = plt.subplots()
ax.axis("off")
ax.table(cellText=[["1", "2"], ["3", "4"]], colLabels=["a", "b"], loc="center")
ax.set_title("Drawn table")
plt.show()
