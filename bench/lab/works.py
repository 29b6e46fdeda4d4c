"""The work that is measured, as brig gets it and as a plain Python gets it, and its data."""
import json
import os
import random

PRINT = "print(6*7)"
# The import is what brig chooses a data cell by; there it is a look at sys.modules.
PRINT_DATA = "import pandas\nprint(6*7)"

GROUP = """import pandas as pd
sales = pd.read_csv("/mnt/data/sales.csv")
sales.groupby("region").agg(units=("units", "sum"), price=("price", "mean"))
"""

CHART = """import matplotlib.pyplot as plt
plt.plot([1, 4, 9, 16, 25])
plt.title("Squares")
plt.show()
"""

# The same work for a Python that shows nothing by itself: the table as text, the picture as bytes.
GROUP_PLAIN = GROUP.replace("sales.groupby", "print(sales.groupby").rstrip() + ".to_string())\n"

CHART_PLAIN = """import matplotlib
matplotlib.use("Agg")
import io
import matplotlib.pyplot as plt
plt.plot([1, 4, 9, 16, 25])
plt.title("Squares")
picture = io.BytesIO()
plt.savefig(picture)
print(len(picture.getvalue()))
"""

REGIONS = ["north", "south", "east", "west", "centre"]
SMALL_ROWS, LARGE_ROWS = 1000, 1_000_000


class Work:
    """One job: its code, its input, and what an answer must hold."""

    def __init__(self, name, title, code, plain, expect, rows=0):
        self.name, self.title = name, title
        self.code, self.plain, self.expect, self.rows = code, plain, expect, rows

    @property
    def needs_data(self):
        return "import" in self.code


WORKS = [
    Work("print", "`print(6*7)`", PRINT, PRINT, "42"),
    Work("print-data", "`import pandas; print(6*7)`", PRINT_DATA, PRINT_DATA, "42"),
    Work("group", "pandas group-by, 1,000 rows", GROUP, GROUP_PLAIN, "north", SMALL_ROWS),
    Work("chart", "a chart", CHART, CHART_PLAIN, ""),
    Work("group-million", "pandas group-by, 10⁶ rows", GROUP, GROUP_PLAIN, "north", LARGE_ROWS),
]


def named(*names):
    return [work for work in WORKS if work.name in names]


def write_sales(path, rows):
    """The same rows each time; 1,000 are 25 KB."""
    if os.path.exists(path):
        return
    chance = random.Random(rows)
    with open(path + ".new", "w", encoding="ascii") as out:
        out.write("region,units,price\n")
        for _ in range(rows):
            region = REGIONS[chance.randrange(len(REGIONS))]
            out.write(f"{region},{chance.randrange(1, 100)},{chance.random() * 100:.4f}\n")
    os.rename(path + ".new", path)


def data_folder(folder, work):
    """A folder that holds the work's sales.csv, or None."""
    if not work.rows:
        return None
    path = os.path.join(folder, f"rows-{work.rows}")
    os.makedirs(path, exist_ok=True)
    write_sales(os.path.join(path, "sales.csv"), work.rows)
    return path


def json_body(folder, work):
    """The body of POST /v1/run, its input inline. Returns the path."""
    request = {"code": work.code}
    data = data_folder(folder, work)
    if data:
        with open(os.path.join(data, "sales.csv"), encoding="ascii") as source:
            request["files"] = [{"name": "sales.csv", "content": source.read()}]
    path = os.path.join(folder, f"{work.name}.json")
    with open(path, "w", encoding="utf-8") as out:
        json.dump(request, out)
    return path


def form_body(folder, work):
    """The same as multipart/form-data, for what is too large for JSON."""
    path = os.path.join(folder, f"{work.name}.form")
    head = 'Content-Disposition: form-data; name='
    with open(path, "wb") as out:
        out.write(f'--edge\r\n{head}"code"\r\n\r\n{work.code}\r\n--edge\r\n'
                  f'{head}"file"; filename="sales.csv"\r\n\r\n'.encode())
        with open(os.path.join(data_folder(folder, work), "sales.csv"), "rb") as source:
            out.write(source.read())
        out.write(b"\r\n--edge--\r\n")
    return path, "multipart/form-data; boundary=edge"
