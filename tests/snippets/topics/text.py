# %% word count
#% with article.txt
import re
from collections import Counter

text = open("article.txt", encoding="utf-8").read().lower()
words = re.findall(r"[a-z']+", text)
Counter(words).most_common(8)

# %% sentences and readability
#% with article.txt
import re

text = open("article.txt").read()
sentences = [s for s in re.split(r"(?<=[.!?])\s+", text) if s]
print(len(sentences), max(len(s.split()) for s in sentences))
for s in sentences[:3]:
    print("-", " ".join(s.split()))

# %% find mail and dates
#% with article.txt
import re

text = open("article.txt").read()
print(re.findall(r"[\w.]+@[\w.]+\.\w+", text))
print(re.findall(r"\b(\d{1,2}) (March|June) (\d{4})\b", text))
re.search(r"\+\d[\d ]+", text).group().strip()

# %% named groups and substitution
import re

def swap(m):
    return f"{m['y']}-{int(m['m']):02}-{int(m['d']):02}"

re.sub(r"(?P<d>\d+)\.(?P<m>\d+)\.(?P<y>\d{4})", swap, "von 3.4.2024 bis 12.11.2025")

# %% verbose pattern and lookaround
import re

number = re.compile(r"""
    (?<![\w.])           # not inside a word
    [-+]? \d+ (?:\.\d+)? # digits
    (?:e[-+]?\d+)?       # exponent
    (?!\w)
""", re.VERBOSE | re.IGNORECASE)
number.findall("a1 -2.5 3e10 x4 7.")

# %% bad pattern
import re

re.compile("(unclosed")

# %% formatting numbers
for v in (0, 1234567.891, -0.000123, 1e21):
    print(f"{v:>16,.2f} | {v:<12.3e} | {v:+.4g} | {v:%}")
f"{255:#x} {255:08b} {255:o} {3.14159:.3f} {'mid':*^9} {1_000_000:_}"

# %% f-string expressions
from datetime import date

name, d = "Zoë", date(2024, 7, 4)
width = 12
print(f"{name!r:>{width}} {name!a} {d:%d/%m/%Y} {1 + 1 = }")
f"{'nested ' + f'{name.upper()}'}"

# %% old style formatting
print("%s has %d items costing %.2f (%5.1f%%)" % ("cart", 3, 59.5, 12.345))
"{0}-{1}-{0} {key:>6}".format("a", "b", key="k")

# %% template and textwrap
import textwrap
from string import Template

print(Template("Dear $name, you owe $$${amount}").substitute(name="Bo", amount=5))
print(textwrap.fill("the quick brown fox jumps over the lazy dog " * 2, 30, initial_indent="* "))
print(textwrap.dedent("""
    a
      b
"""))

# %% unicode normal forms
import unicodedata

a, b = "é", "e\u0301"
print(a == b, unicodedata.normalize("NFC", b) == a, len(b))
print([unicodedata.name(c) for c in "ß€字😀"])
"".join(c for c in unicodedata.normalize("NFD", "Ångström čaj") if not unicodedata.combining(c))

# %% emoji and families
s = "👩‍👩‍👧 hi 🇳🇴"
print(len(s), s.encode("utf-8")[:4], s[::-1][-3:] == s[:3][::-1])
s

# %% case and alphabets
print("straße".upper(), "İ".lower().encode(), "ΣΑΣ".lower(), "ǆ".title())
"groß".casefold() == "GROSS".casefold()

# %% right to left and cjk columns
rows = [("שלום", 1), ("مرحبا", 22), ("你好世界", 333)]
for word, n in rows:
    print(word, n, sep="\t")
rows

# %% bytes and encodings
text = "naïve – 10 €"
for enc in ("utf-8", "utf-16-le", "cp1252", "ascii"):
    try:
        print(enc, text.encode(enc))
    except UnicodeEncodeError as e:
        print(enc, e.reason, e.start)
b"\xff\xfe".decode("utf-8", "replace")

# %% lone surrogate printed
print("a\ud800b")

# %% control characters
print("tab\there\rcarriage\x07bell \x1b[31mred\x1b[0m")
"\x00\x01"

# %% diff of two texts
import difflib

a = "one\ntwo\nthree\n".splitlines(True)
b = "one\n2\nthree\nfour\n".splitlines(True)
print("".join(difflib.unified_diff(a, b, "old", "new")))
difflib.get_close_matches("appel", ["apple", "ape", "maple"])

# %% edit distance
from functools import lru_cache

def distance(a, b):
    @lru_cache(None)
    def d(i, j):
        if not i or not j:
            return i + j
        return min(d(i - 1, j) + 1, d(i, j - 1) + 1, d(i - 1, j - 1) + (a[i - 1] != b[j - 1]))
    return d(len(a), len(b))

distance("kitten", "sitting"), distance("Saturday", "Sunday")

# %% caesar and anagrams
from collections import defaultdict
from string import ascii_lowercase as abc

shift = str.maketrans(abc, abc[3:] + abc[:3])
print("attack at dawn".translate(shift))
groups = defaultdict(list)
for w in "listen silent enlist google elgoog abc".split():
    groups["".join(sorted(w))].append(w)
[g for g in groups.values() if len(g) > 1]

# %% tabulate
from tabulate import tabulate

rows = [["Ada", 36, 1.5], ["Grace", 85, None], ["李", 7, 22.25]]
for fmt in ("github", "grid", "latex"):
    print(tabulate(rows, headers=["name", "age", "x"], tablefmt=fmt, floatfmt=".2f"))

# %% parse a small grammar
import ast
import operator as op

OPS = {ast.Add: op.add, ast.Sub: op.sub, ast.Mult: op.mul, ast.Div: op.truediv, ast.USub: op.neg}

def ev(node):
    match node:
        case ast.Constant(value=v):
            return v
        case ast.BinOp(left=a, op=o, right=b):
            return OPS[type(o)](ev(a), ev(b))
        case ast.UnaryOp(op=o, operand=a):
            return OPS[type(o)](ev(a))
    raise ValueError(ast.dump(node))

ev(ast.parse("-(2 + 3) * 4 / 5", mode="eval").body)

# %% tokens of a program
import io
import tokenize

code = "x = 1 + foo('a')\n"
[(tokenize.tok_name[t.type], t.string) for t in tokenize.generate_tokens(io.StringIO(code).readline)][:8]

# %% slugs and ordinals
import re

def slug(s):
    return re.sub(r"[^a-z0-9]+", "-", s.lower()).strip("-")

def ordinal(n):
    return f"{n}{'th' if 10 < n % 100 < 14 else {1: 'st', 2: 'nd', 3: 'rd'}.get(n % 10, 'th')}"

print(slug("  Hello, World! It's 2024 "), [ordinal(n) for n in (1, 2, 3, 11, 22, 113)])

# %% roman numerals
def roman(n):
    out = ""
    for v, s in zip((1000, 900, 500, 400, 100, 90, 50, 40, 10, 9, 5, 4, 1),
                    "M CM D CD C XC L XL X IX V IV I".split()):
        out += s * (n // v)
        n %= v
    return out

{n: roman(n) for n in (4, 1994, 2024)}

# %% quoted string value
'He said "it\'s"\n'

# %% long text value
"lorem ipsum " * 400

# %% pretty print
from pprint import pformat, pprint

data = {"users": [{"name": "n" * 20, "roles": ["admin", "editor", "viewer"] * 2} for _ in range(2)]}
pprint(data, width=60)
pformat([1, 2], indent=4)

# %% html escape and urls
import html
from urllib.parse import parse_qs, quote, urlencode, urlparse

u = urlparse("https://example.com:8080/p/a?q=x%20y&z=1&z=2#frag")
print(u.hostname, u.port, parse_qs(u.query), quote("a b/ü"), urlencode({"k": "v w"}))
html.escape("<a & 'b'>"), html.unescape("&eacute;&#x20ac;")
