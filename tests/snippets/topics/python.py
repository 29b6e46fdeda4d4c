# %% dataclasses
from dataclasses import asdict, dataclass, field, replace

@dataclass(order=True)
class Item:
    name: str
    price: float = 0.0
    tags: list = field(default_factory=list)

    @property
    def gross(self):
        return round(self.price * 1.2, 2)

items = [Item("tea", 3.5), Item("jam", 2.0, ["sweet"])]
print(sorted(items)[0], asdict(items[1]), replace(items[0], price=4).gross)
items[1]

# %% frozen dataclass
from dataclasses import dataclass

@dataclass(frozen=True)
class P:
    x: int

p = P(1)
print(hash(p) == hash(P(1)))
p.x = 2

# %% enums and flags
from enum import Enum, Flag, auto

class Color(Enum):
    RED = 1
    GREEN = 2

class Perm(Flag):
    R = auto()
    W = auto()

print(Color(2), Color["RED"].value, list(Color), Perm.R | Perm.W)
Color.RED

# %% recursion
import sys

def hanoi(n, a="A", b="B", c="C"):
    return 0 if n == 0 else hanoi(n - 1, a, c, b) + 1 + hanoi(n - 1, c, b, a)

def depth(n):
    return 0 if n == 0 else 1 + depth(n - 1)

print(hanoi(10), depth(900), sys.getrecursionlimit())

# %% recursion with a raised limit
import sys

sys.setrecursionlimit(20_000)

def depth(n):
    return 0 if n == 0 else 1 + depth(n - 1)

depth(15_000)

# %% recursion without end
def f(n):
    return f(n + 1)

f(0)

# %% generators
def fib():
    a, b = 0, 1
    while True:
        yield a
        a, b = b, a + b

def take(n, it):
    return [x for _, x in zip(range(n), it)]

def averager():
    total = count = 0
    mean = None
    while True:
        total += yield mean
        count += 1
        mean = total / count

a = averager()
next(a)
print(take(10, fib()), [a.send(x) for x in (10, 20, 60)])

# %% itertools
import itertools as it

print(list(it.accumulate([1, 2, 3, 4], lambda a, b: a * b)))
print(["".join(p) for p in it.permutations("abc", 2)])
print([(k, len(list(g))) for k, g in it.groupby("aaabbc")])
list(it.batched(range(7), 3)), list(it.pairwise("abcd"))

# %% functools
from functools import cache, partial, reduce, singledispatch

@cache
def ways(n):
    return 1 if n < 2 else ways(n - 1) + ways(n - 2)

@singledispatch
def show(x):
    return f"? {x}"

@show.register
def _(x: int):
    return f"int {x}"

print(ways(60), partial(pow, 2)(10), reduce(lambda a, b: a ^ b, [1, 2, 3]), show(3), show("s"))
ways.cache_info()

# %% decorators and context managers
import functools
from contextlib import contextmanager, suppress

def traced(fn):
    @functools.wraps(fn)
    def inner(*args):
        out = fn(*args)
        print(f"{fn.__name__}{args} -> {out}")
        return out
    return inner

@contextmanager
def section(name):
    print("<", name)
    try:
        yield
    finally:
        print(">", name)

@traced
def add(a, b):
    return a + b

with section("sum"), suppress(ZeroDivisionError):
    add(1, 2)
    1 / 0

# %% pattern matching
def area(shape):
    match shape:
        case {"type": "circle", "r": r}:
            return round(3.14159 * r * r, 2)
        case ["rect", w, h] if w > 0:
            return w * h
        case _:
            return None

[area({"type": "circle", "r": 2}), area(["rect", 2, 3]), area("x")]

# %% classes and dunder methods
class Vec:
    def __init__(self, *xs):
        self.xs = xs

    def __add__(self, other):
        return Vec(*(a + b for a, b in zip(self.xs, other.xs)))

    def __eq__(self, other):
        return self.xs == other.xs

    def __matmul__(self, other):
        return sum(a * b for a, b in zip(self.xs, other.xs))

    def __repr__(self):
        return f"Vec{self.xs}"

print(Vec(1, 2) @ Vec(3, 4), Vec(1) == Vec(1))
Vec(1, 2) + Vec(3, 4)

# %% abstract classes and protocols
from abc import ABC, abstractmethod
from typing import Protocol, runtime_checkable

class Shape(ABC):
    @abstractmethod
    def area(self): ...

@runtime_checkable
class Sized(Protocol):
    def __len__(self): ...

print(isinstance([], Sized), isinstance(3, Sized))
Shape()

# %% metaclass and descriptor
class Positive:
    def __set_name__(self, owner, name):
        self.name = "_" + name

    def __get__(self, obj, kind=None):
        return getattr(obj, self.name)

    def __set__(self, obj, value):
        if value <= 0:
            raise ValueError(f"{self.name[1:]} must be positive, not {value}")
        setattr(obj, self.name, value)

class Order:
    qty = Positive()

o = Order()
o.qty = 3
print(o.qty)
o.qty = -1

# %% await at the top
import asyncio

async def work(i):
    await asyncio.sleep(0.01 * (3 - i))
    return i * i

results = await asyncio.gather(*(work(i) for i in range(3)))
results

# %% asyncio run with a queue
import asyncio

async def producer(q):
    for i in range(4):
        await q.put(i)
    await q.put(None)

async def consumer(q):
    out = []
    while (x := await q.get()) is not None:
        out.append(x * 10)
    return out

async def main():
    q = asyncio.Queue(2)
    async with asyncio.TaskGroup() as tg:
        tg.create_task(producer(q))
        c = tg.create_task(consumer(q))
    return c.result()

print(asyncio.run(main()))

# %% asyncio timeout
import asyncio

async def main():
    try:
        async with asyncio.timeout(0.01):
            await asyncio.sleep(60)
    except TimeoutError:
        return "timed out"

asyncio.run(main())

# %% async generators
import asyncio

async def ticks(n):
    for i in range(n):
        await asyncio.sleep(0)
        yield i

async def main():
    return [x async for x in ticks(5) if x % 2 == 0]

print(asyncio.run(main()))

# %% threads
import threading
from concurrent.futures import ThreadPoolExecutor

lock, total = threading.Lock(), 0

def add(n):
    global total
    for _ in range(n):
        with lock:
            total += 1
    return n

with ThreadPoolExecutor(4) as pool:
    done = list(pool.map(add, [100, 200, 300]))
total, done

# %% process pool
from multiprocessing import Pool

def square(x):
    return x * x

if __name__ == "__main__":
    with Pool(2) as pool:
        print(pool.map(square, range(8)))

# %% process pool executor
from concurrent.futures import ProcessPoolExecutor

def cube(x):
    return x**3

with ProcessPoolExecutor(max_workers=2) as ex:
    print(list(ex.map(cube, [1, 2, 3])))

# %% processes with a queue and shared numbers
import multiprocessing as mp

def worker(q, total, i):
    with total.get_lock():
        total.value += i
    q.put(i * 2)

q, total = mp.Queue(), mp.Value("i", 0)
ps = [mp.Process(target=worker, args=(q, total, i)) for i in range(3)]
for p in ps:
    p.start()
got = sorted(q.get() for _ in ps)
for p in ps:
    p.join()
print(got, total.value, [p.exitcode for p in ps])

# %% shared array
from multiprocessing import Process, shared_memory

import numpy as np

shm = shared_memory.SharedMemory(create=True, size=80)
a = np.ndarray((10,), dtype="float64", buffer=shm.buf)
a[:] = 0

def fill(name):
    other = shared_memory.SharedMemory(name=name)
    np.ndarray((10,), dtype="float64", buffer=other.buf)[:] = 7
    other.close()

p = Process(target=fill, args=(shm.name,))
p.start()
p.join()
print(a.sum())
del a
shm.close()
shm.unlink()

# %% decimal money
from decimal import ROUND_HALF_UP, Decimal, getcontext, localcontext

price = Decimal("19.99")
total = (price * 3 * Decimal("1.19")).quantize(Decimal("0.01"), ROUND_HALF_UP)
with localcontext() as ctx:
    ctx.prec = 50
    third = Decimal(1) / 3
print(total, third, getcontext().prec, Decimal(0.1) == Decimal("0.1"))
total

# %% fractions
from fractions import Fraction as F

x = sum((F(1, n) for n in range(1, 11)), F(0))
print(x, float(x), F("0.125"), F(3.14159).limit_denominator(100))
x

# %% big integers
import math

n = math.factorial(100)
print(len(str(n)), n % 97, math.isqrt(n) ** 2 <= n, pow(3, 10**6, 1_000_007))
2**200

# %% floats as they are
import math

print(0.1 + 0.2, round(2.675, 2), math.fsum([0.1] * 10), math.nextafter(1, 2), 1e308 * 10)
[float("nan"), float("inf"), -0.0, 5e-324]

# %% complex numbers
import cmath

z = 3 + 4j
print(abs(z), z.conjugate(), cmath.sqrt(-1), [round(c, 3) for c in cmath.polar(1j)])
z**2

# %% sets and dicts
a, b = {1, 2, 3}, {2, 3, 4}
print(a & b, a | b, a ^ b, a - b)
d = {"x": 1} | {"y": 2}
{v: k for k, v in d.items()}

# %% dict with mixed keys
{1: "a", (2, 3): [1.5, None], None: {True: b"\x00\xff"}}

# %% named tuples
from collections import ChainMap, Counter, OrderedDict, deque, namedtuple

P = namedtuple("P", "x y")
print(P(1, 2)._replace(y=5), ChainMap({"a": 1}, {"a": 2, "b": 3})["b"], deque(range(5), 3))
[P(1, 2), P(3, 4)]

# %% heaps and bisect
import bisect
import heapq

jobs = [(3, "c"), (1, "a"), (2, "b")]
heapq.heapify(jobs)
print(heapq.heappop(jobs), heapq.nsmallest(2, [5, 1, 4]))
[bisect.bisect([60, 70, 80], s) for s in (59, 60, 85)]

# %% sorting
people = [("Åsa", 30), ("bob", 25), ("Al", 30)]
print(sorted(people, key=lambda p: (-p[1], p[0].casefold())))
sorted(["item10", "item9", "Item1"], key=lambda s: (int("".join(filter(str.isdigit, s)))))

# %% graph search
from collections import deque

grid = ["S.#", ".##", "..E"]

def shortest(grid):
    start = next((r, row.index("S")) for r, row in enumerate(grid) if "S" in row)
    queue, seen = deque([(start, 0)]), {start}
    while queue:
        (r, c), d = queue.popleft()
        if grid[r][c] == "E":
            return d
        for dr, dc in ((1, 0), (-1, 0), (0, 1), (0, -1)):
            n = (r + dr, c + dc)
            if 0 <= n[0] < 3 and 0 <= n[1] < 3 and grid[n[0]][n[1]] != "#" and n not in seen:
                seen.add(n)
                queue.append((n, d + 1))

shortest(grid)

# %% dynamic programming
def knapsack(items, cap):
    best = [0] * (cap + 1)
    for w, v in items:
        for c in range(cap, w - 1, -1):
            best[c] = max(best[c], best[c - w] + v)
    return best[cap]

def lcs(a, b):
    t = [[""] * (len(b) + 1) for _ in range(len(a) + 1)]
    for i, x in enumerate(a):
        for j, y in enumerate(b):
            t[i + 1][j + 1] = t[i][j] + x if x == y else max(t[i][j + 1], t[i + 1][j], key=len)
    return t[-1][-1]

knapsack([(1, 1), (3, 4), (4, 5), (5, 7)], 7), lcs("ABCBDAB", "BDCABA")

# %% backtracking
def queens(n):
    def place(row, cols, d1, d2):
        if row == n:
            return 1
        return sum(place(row + 1, cols | {c}, d1 | {row - c}, d2 | {row + c})
                   for c in range(n) if c not in cols and row - c not in d1 and row + c not in d2)
    return place(0, frozenset(), frozenset(), frozenset())

[queens(n) for n in range(1, 8)]

# %% main guard and arguments
import argparse
import sys

def main(argv=None):
    p = argparse.ArgumentParser(prog="tool")
    p.add_argument("--n", type=int, default=3)
    args = p.parse_args(argv)
    print(args, sys.argv)

if __name__ == "__main__":
    main(["--n", "5"])

# %% script name and globals
print(__name__, __file__, "x" in globals())
x = 1
"x" in globals()

# %% source of an own function
import inspect

def f(a, *, b=2):
    """Adds."""
    return a + b

print(inspect.getsource(f))
inspect.signature(f)

# %% exec and eval
ns = {}
exec("def g(x):\n    return x + 1", ns)
print(ns["g"](1), eval("2 ** 10"), compile("1+1", "<s>", "eval").co_filename)

# %% exception chain handled
try:
    try:
        int("x")
    except ValueError as e:
        raise RuntimeError("bad input") from e
except RuntimeError as e:
    print(repr(e), repr(e.__cause__))

# %% traceback as text
import traceback

def a():
    return b()

def b():
    raise KeyError("k")

try:
    a()
except KeyError:
    print(traceback.format_exc().splitlines()[-1])

# %% warnings caught
import warnings

with warnings.catch_warnings(record=True) as w:
    warnings.simplefilter("always")
    warnings.warn("careful", UserWarning)
    print([str(x.message) for x in w])

# %% logging to stdout
import logging
import sys

logging.basicConfig(stream=sys.stdout, level=logging.INFO, format="%(levelname)s:%(name)s:%(message)s")
logging.getLogger("app").info("started %d", 1)
logging.debug("hidden")

# %% walrus and comprehension
data = [1, 5, 12, 7, 20]
if (n := len(data)) > 3:
    print(n, [y for x in data if (y := x * 2) > 12])
[[i * j for j in range(1, 4)] for i in range(1, 4)]

# %% semicolon keeps quiet
x = [1, 2, 3]
x;

# %% none is not shown
print("done")
None

# %% last line is an assignment
total = sum(range(10))

# %% string as the last value
name = "Ada"
f"Hello, {name}"

# %% system information
import os
import platform
import sys

print(sys.version_info[:2], platform.system(), os.getcwd(), os.path.expanduser("~"))
print(sys.getdefaultencoding(), sys.stdout.encoding, os.cpu_count())

# %% typing at run time
from typing import Annotated, Generic, NamedTuple, TypedDict, TypeVar, get_type_hints

class Row(TypedDict, total=False):
    id: int

class Pair[T]:
    def __init__(self, a: T, b: T):
        self.a, self.b = a, b

type Names = list[str]
print(get_type_hints(Row), Pair(1, 2).b, Names.__value__)

# %% uuid and secrets of known shape
import secrets
import uuid

print(uuid.uuid5(uuid.NAMESPACE_DNS, "example.com"), len(secrets.token_hex(8)))
uuid.UUID(int=5)

# %% weak references and garbage
import gc
import weakref

class Node:
    pass

n = Node()
r = weakref.ref(n)
del n
gc.collect()
print(r())

# %% hash order does not matter
words = {"b", "a", "c"}
sorted(words), len(words)

# %% progress line
import sys

for i in range(3):
    sys.stdout.write(f"\r{i + 1}/3")
    sys.stdout.flush()
print()

# %% much output
for i in range(3000):
    print(i, "x" * 20)
