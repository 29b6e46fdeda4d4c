# %% csv with the csv module
#% with sales.csv
import csv
from collections import defaultdict

totals = defaultdict(int)
with open("sales.csv", newline="", encoding="utf-8") as f:
    for row in csv.DictReader(f):
        totals[row["customer"]] += int(row["units"])
for name, n in sorted(totals.items(), key=lambda kv: (-kv[1], kv[0])):
    print(f"{name:<10}{n:>5}")

# %% csv dialects
import csv
import io

text = "name;note\n'Smith; J';'said ''hi'''\nLi;plain\n"
dialect = csv.Sniffer().sniff("a;b\n1;2\n3;4\n")
print(repr(dialect.delimiter))
list(csv.reader(io.StringIO(text), delimiter=";", quotechar="'"))

# %% csv written
import csv

rows = [{"id": 1, "text": 'a "quoted", comma'}, {"id": 2, "text": "line\nbreak"}]
with open("out.csv", "w", newline="") as f:
    w = csv.DictWriter(f, fieldnames=["id", "text"], quoting=csv.QUOTE_NONNUMERIC)
    w.writeheader()
    w.writerows(rows)
print(open("out.csv", newline="").read())

# %% pandas csv options
import io

import pandas as pd

text = "# comment\nid|amount|when\n1|1.234,50|03.01.2024\n2|n/a|04.01.2024\n"
df = pd.read_csv(io.StringIO(text), sep="|", comment="#", decimal=",", thousands=".",
                 na_values=["n/a"], parse_dates=["when"], dayfirst=True)
print(df.dtypes)
df

# %% other encodings
with open("latin.csv", "w", encoding="cp1252") as f:
    f.write("naïve;café;€\n")
import pandas as pd

print(open("latin.csv", "rb").read())
pd.read_csv("latin.csv", sep=";", encoding="cp1252", header=None).iloc[0].tolist()

# %% wrong encoding
with open("l.txt", "wb") as f:
    f.write("é".encode("latin-1"))
open("l.txt", encoding="utf-8").read()

# %% ragged csv
import io

import pandas as pd

pd.read_csv(io.StringIO("a,b\n1,2\n3,4,5\n"))

# %% chunks of a large file
import pandas as pd

with open("big.csv", "w") as f:
    f.write("k,v\n")
    for i in range(20_000):
        f.write(f"{i % 7},{i}\n")
total = sum(chunk.groupby("k")["v"].sum() for chunk in pd.read_csv("big.csv", chunksize=5000))
total

# %% json round trip
import json

data = {"name": "Zoë", "tags": ["a", None, True], "n": 1e-7, "nested": {"k": [1, 2, {"x": "y"}]}}
text = json.dumps(data, ensure_ascii=False, indent=2, sort_keys=True)
with open("data.json", "w", encoding="utf-8") as f:
    f.write(text)
print(text)
json.loads(text) == data

# %% json lines
import json

import pandas as pd

with open("log.jsonl", "w") as f:
    for i in range(3):
        f.write(json.dumps({"i": i, "ok": i != 1}) + "\n")
pd.read_json("log.jsonl", lines=True)

# %% json with dates and decimals
import json
from datetime import date
from decimal import Decimal

def default(o):
    if isinstance(o, date):
        return o.isoformat()
    if isinstance(o, Decimal):
        return str(o)
    raise TypeError(o)

json.dumps({"d": date(2024, 1, 2), "m": Decimal("1.10"), "big": 2**70}, default=default)

# %% broken json
import json

json.loads('{"a": 1,}')

# %% walk a nested document
#% with weather.json
import json

def walk(node, path=""):
    if isinstance(node, dict):
        for k, v in node.items():
            yield from walk(v, f"{path}.{k}")
    elif isinstance(node, list):
        for i, v in enumerate(node[:2]):
            yield from walk(v, f"{path}[{i}]")
    else:
        yield path, node

with open("weather.json", encoding="utf-8") as f:
    for path, value in walk(json.load(f)):
        print(path, "=", value)

# %% xml with namespaces
#% with books.xml
import xml.etree.ElementTree as ET

root = ET.parse("books.xml").getroot()
ns = {"dc": "http://purl.org/dc/elements/1.1/"}
[(b.get("id"), b.find("dc:title", ns).text, float(b.findtext("price"))) for b in root.iter("book")]

# %% lxml and xpath
#% with books.xml
from lxml import etree

tree = etree.parse("books.xml")
print(tree.xpath("//book[year>2000]/author/text()"))
print(tree.xpath("string(//book[@lang='ja']/*[local-name()='title'])"))
tree.xpath("count(//book[price/@currency='EUR'])")

# %% xml built
import xml.etree.ElementTree as ET

root = ET.Element("orders", version="1")
for i, name in enumerate(["Ana & Co", "<Bo>"], 1):
    o = ET.SubElement(root, "order", id=str(i))
    ET.SubElement(o, "name").text = name
ET.indent(root)
ET.ElementTree(root).write("orders.xml", encoding="utf-8", xml_declaration=True)
print(open("orders.xml").read())

# %% pandas reads xml
#% with books.xml
import pandas as pd

pd.read_xml("books.xml", xpath="//book")

# %% broken xml
import xml.etree.ElementTree as ET

ET.fromstring("<a><b></a>")

# %% html tables and links
from bs4 import BeautifulSoup

html = """<html><body><h1>Shop</h1><table><tr><th>Item</th><th>Price</th></tr>
<tr><td>Tea</td><td>&pound;3</td></tr><tr><td>Jam</td><td>£2.50</td></tr></table>
<a href="/next?p=2&amp;s=x">next</a></body></html>"""
soup = BeautifulSoup(html, "lxml")
print(soup.h1.get_text(), soup.a["href"])
[[td.get_text() for td in tr.find_all("td")] for tr in soup.find_all("tr")[1:]]

# %% pandas reads html
import io

import pandas as pd

html = "<table><tr><th>a</th><th>b</th></tr><tr><td>1</td><td>x</td></tr></table>"
pd.read_html(io.StringIO(html))[0]

# %% yaml
import yaml

doc = yaml.safe_load("""
server:
  port: 8080
  hosts: [a.example, b.example]
  started: 2024-05-01
flags: {debug: off, level: ~}
""")
print(yaml.safe_dump(doc, sort_keys=False))
doc

# %% toml and ini
import configparser
import tomllib

print(tomllib.loads('title = "x"\n[owner]\nborn = 1979-05-27\nn = [1, 2]'))
cp = configparser.ConfigParser()
cp.read_string("[db]\nhost = localhost\nport = 5432\n")
cp["db"].getint("port"), dict(cp["db"])

# %% zip files
import zipfile

with zipfile.ZipFile("bundle.zip", "w", zipfile.ZIP_DEFLATED) as z:
    z.writestr("a.txt", "alpha " * 100)
    z.writestr("dir/b.txt", "β")
with zipfile.ZipFile("bundle.zip") as z:
    for info in z.infolist():
        print(info.filename, info.file_size, info.compress_size)
    print(z.read("dir/b.txt").decode(), z.testzip())

# %% tar and gzip
import gzip
import io
import tarfile

with tarfile.open("t.tar.gz", "w:gz") as t:
    info = tarfile.TarInfo("x/hello.txt")
    info.size = 5
    t.addfile(info, io.BytesIO(b"hello"))
with tarfile.open("t.tar.gz") as t:
    print(t.getnames(), t.extractfile("x/hello.txt").read())
with gzip.open("n.gz", "wt") as f:
    f.write("42\n" * 10)
gzip.open("n.gz", "rt").read().count("42")

# %% sqlite in a file
#% with sales.csv
import sqlite3

import pandas as pd

con = sqlite3.connect("shop.db")
pd.read_csv("sales.csv").to_sql("sales", con, index=False)
query = """
select region, product, sum(units) as units,
       rank() over (partition by region order by sum(units) desc) as place
from sales group by region, product order by region, place
"""
pd.read_sql(query, con)

# %% sqlite in memory
import sqlite3

con = sqlite3.connect(":memory:")
con.row_factory = sqlite3.Row
con.executescript("create table t(id integer primary key, name text, v real);")
con.executemany("insert into t(name, v) values (?, ?)", [("a", 1.5), ("b", None), ("ç", 3)])
con.commit()
[dict(r) for r in con.execute("select *, coalesce(v, 0) * 2 as w from t where id > ?", (0,))]

# %% sqlite error
import sqlite3

sqlite3.connect(":memory:").execute("select * from missing")

# %% paths
from pathlib import Path

base = Path("project")
(base / "src").mkdir(parents=True)
(base / "src" / "main.py").write_text("print('hi')\n")
(base / "README.md").write_text("# Hi\n")
for p in sorted(base.rglob("*")):
    print(p.as_posix(), p.is_dir())
Path.cwd(), (base / "src" / "main.py").suffix

# %% glob and os.walk
import glob
import os

for n in ("a.txt", "b.csv", "c.txt"):
    open(n, "w").write(n)
print(sorted(glob.glob("*.txt")), os.path.getsize("b.csv"), sorted(os.listdir(".")))
os.rename("a.txt", "z.txt")
os.remove("c.txt")
sorted(os.listdir("/mnt/data"))

# %% temporary files
import os
import tempfile

with tempfile.TemporaryDirectory() as d:
    path = os.path.join(d, "x")
    with open(path, "w") as f:
        f.write("hi")
    print(os.path.exists(path), open(path).read())
print(os.path.exists(d))

# %% pickle of an own class
import pickle
from dataclasses import dataclass

@dataclass
class Point:
    x: int
    y: int

with open("p.pkl", "wb") as f:
    pickle.dump([Point(1, 2), {"k": (1, 2)}], f)
with open("p.pkl", "rb") as f:
    print(pickle.load(f))

# %% binary structures
import struct

with open("bin.dat", "wb") as f:
    for i in range(3):
        f.write(struct.pack("<Hd", i, i / 2))
with open("bin.dat", "rb") as f:
    print([struct.unpack("<Hd", chunk) for chunk in iter(lambda: f.read(10), b"")])

# %% hashes and base64
import base64
import hashlib

data = "pässword".encode()
print(hashlib.sha256(data).hexdigest())
print(hashlib.md5(data).hexdigest(), base64.urlsafe_b64encode(data).decode())
hashlib.blake2b(data, digest_size=8).digest()

# %% numpy files
import numpy as np

np.save("a.npy", np.arange(6).reshape(2, 3))
np.savez("b.npz", x=np.ones(2), y=np.eye(2))
np.savetxt("c.txt", [[1.5, 2], [3, 4]], fmt="%.2f", delimiter=",")
print(np.load("a.npy"), sorted(np.load("b.npz").files))
np.loadtxt("c.txt", delimiter=",")

# %% files in folders
import os

os.makedirs("out/charts", exist_ok=True)
for i in range(3):
    with open(f"out/charts/{i}.txt", "w") as f:
        f.write(str(i))
open("out/empty", "w").close()

# %% missing file
import pandas as pd

pd.read_csv("does_not_exist.csv")

# %% log analysis
#% with app.log
import re
from collections import Counter

pattern = re.compile(r"^(\S+ \S+) \[(\w+)\] (\w+): (.*)$")
levels, slow = Counter(), []
with open("app.log") as f:
    for line in f:
        when, level, part, message = pattern.match(line).groups()
        levels[level, part] += 1
        if m := re.search(r"took (\d+)ms", message):
            slow.append(int(m[1]))
print(levels.most_common(3))
max(slow), len(slow)

# %% input is read only
#% with app.log
with open("app.log", "a") as f:
    f.write("more\n")

# %% csv to markdown report
#% with sales.csv
import pandas as pd

df = pd.read_csv("sales.csv")
table = df.groupby("region", as_index=False)["units"].sum()
with open("report.md", "w") as f:
    f.write("# Units\n\n" + table.to_markdown(index=False) + "\n")
print(open("report.md").read())
