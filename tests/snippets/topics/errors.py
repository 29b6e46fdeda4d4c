# %% division by zero
def ratio(a, b):
    return a / b

print("before")
ratio(1, 0)

# %% name error with a suggestion
total = 3
print(totl)

# %% key error
prices = {"tea": 3}
prices["cofee"]

# %% type error
"a" + 1

# %% attribute error
[1, 2].push(3)

# %% index error in a loop
rows = [[1, 2], [3]]
for row in rows:
    print(row[1])

# %% syntax error
print("hi")
if True
    print("x")

# %% indentation error
def f():
return 1

# %% unclosed bracket
values = [1, 2, 3
print(values)

# %% value error from a library
import numpy as np

np.zeros((2, 3)) @ np.zeros((2, 3))

# %% own exception
class PaymentError(Exception):
    def __init__(self, code, detail):
        super().__init__(f"{code}: {detail}")
        self.code = code

raise PaymentError(402, "card declined")

# %% chained exception
def load(text):
    try:
        return int(text)
    except ValueError as e:
        raise RuntimeError("cannot load") from e

load("abc")

# %% exception group
def check(values):
    faults = [ValueError(f"bad {v}") for v in values if v < 0]
    if faults:
        raise ExceptionGroup("checks failed", faults)

check([1, -2, -3])

# %% assertion
x = 2
assert x == 3, f"x is {x}"

# %% exit with a status
import sys

print("leaving")
sys.exit(3)

# %% exit without a status
print("fine")
exit()

# %% exit with a message
import sys

sys.exit("no data")

# %% input without anyone
name = input("Your name? ")

# %% error inside a lambda in pandas
import pandas as pd

df = pd.DataFrame({"a": [1, 0, 2]})
df["b"] = df["a"].apply(lambda v: 10 // v)

# %% error in an awaited coroutine
import asyncio

async def bad():
    await asyncio.sleep(0)
    raise LookupError("inside")

await bad()

# %% error in a worker
from concurrent.futures import ThreadPoolExecutor

def work(x):
    return 1 / x

with ThreadPoolExecutor() as ex:
    print(list(ex.map(work, [1, 0])))

# %% repr that fails is an error
class Odd:
    def __str__(self):
        raise ValueError("no text")

print(Odd())

# %% generator already running
def g():
    yield next(it)

it = g()
next(it)

# %% unbound local
count = 0

def bump():
    count += 1

bump()

# %% keyboard interrupt raised
raise KeyboardInterrupt

# %% singular matrix
import numpy as np

np.linalg.inv(np.array([[1.0, 2.0], [2.0, 4.0]]))

# %% merge on a column that is not there
import pandas as pd

pd.DataFrame({"a": [1]}).merge(pd.DataFrame({"b": [1]}), on="a")
