# %% dice with random
import random
from collections import Counter

random.seed(7)
rolls = Counter(random.randint(1, 6) + random.randint(1, 6) for _ in range(2000))
for total in sorted(rolls):
    print(f"{total:>2} {rolls[total]:>4} {'*' * (rolls[total] // 20)}")

# %% monte carlo pi
import numpy as np

rng = np.random.default_rng(0)
p = rng.random((200_000, 2))
round(float(4 * (np.hypot(*p.T) <= 1).mean()), 4)

# %% random choices
import random

r = random.Random(42)
print(r.choices(["a", "b"], weights=[3, 1], k=8), r.sample(range(100), 4), round(r.gauss(0, 1), 6))
deck = list(range(5))
r.shuffle(deck)
deck

# %% random walks
import numpy as np

rng = np.random.default_rng(99)
walks = rng.choice([-1, 1], size=(500, 100)).cumsum(axis=1)
print(np.abs(walks[:, -1]).mean().round(3), (walks == 0).any(axis=1).mean())

# %% geometric brownian motion
import numpy as np
import pandas as pd

rng = np.random.default_rng(5)
steps = np.exp((0.05 - 0.5 * 0.2**2) / 252 + 0.2 / np.sqrt(252) * rng.normal(size=(252, 1000)))
final = 100 * steps.prod(axis=0)
pd.Series(final, name="price").describe().round(2)

# %% queue
import heapq
import random

random.seed(3)
t, free, waits = 0.0, [0.0, 0.0], []
for _ in range(500):
    t += random.expovariate(1.5)
    start = max(t, heapq.heappop(free))
    waits.append(start - t)
    heapq.heappush(free, start + random.expovariate(1.0))
print(round(sum(waits) / len(waits), 4), sum(w > 0 for w in waits))

# %% epidemic
import numpy as np
from scipy.integrate import odeint

def sir(y, t, b, g):
    s, i, r = y
    return -b * s * i, b * s * i - g * i, g * i

t = np.linspace(0, 100, 101)
s, i, r = odeint(sir, (0.99, 0.01, 0), t, args=(0.4, 0.1)).T
int(i.argmax()), round(float(i.max()), 4), round(float(r[-1]), 4)

# %% markov chain
import numpy as np

P = np.array([[0.9, 0.1, 0], [0.2, 0.7, 0.1], [0, 0.3, 0.7]])
pi = np.linalg.matrix_power(P, 200)[0]
print(pi.round(4), pi.sum().round(6))

# %% game of life
import numpy as np

g = np.zeros((6, 6), int)
g[1, 2] = g[2, 3] = g[3, 1] = g[3, 2] = g[3, 3] = 1
for _ in range(4):
    n = sum(np.roll(g, (i, j), (0, 1)) for i in (-1, 0, 1) for j in (-1, 0, 1)) - g
    g = ((n == 3) | (g & (n == 2))).astype(int)
print("\n".join("".join(".#"[c] for c in row) for row in g))

# %% loan schedule
from decimal import Decimal as D

rate, n, left = D("0.06") / 12, 12, D(1000)
pay = (left * rate / (1 - (1 + rate) ** -n)).quantize(D("0.01"))
rows = []
for month in range(1, n + 1):
    interest = (left * rate).quantize(D("0.01"))
    principal = min(pay - interest, left)
    left -= principal
    rows.append({"month": month, "interest": interest, "principal": principal, "left": left})
rows[:2] + rows[-1:]

# %% simulated annealing
import math
import random

random.seed(1)
cities = [(random.random(), random.random()) for _ in range(12)]

def length(tour):
    return sum(math.dist(cities[a], cities[b]) for a, b in zip(tour, tour[1:] + tour[:1]))

tour = list(range(12))
best = length(tour)
temp = 1.0
for _ in range(3000):
    i, j = sorted(random.sample(range(12), 2))
    new = tour[:i] + tour[i:j][::-1] + tour[j:]
    d = length(new) - length(tour)
    if d < 0 or random.random() < math.exp(-d / temp):
        tour = new
    temp *= 0.998
    best = min(best, length(tour))
round(best, 6)

# %% bootstrap of a mean
import numpy as np

rng = np.random.default_rng(17)
x = np.array([3.1, 2.7, 4.4, 3.9, 5.0, 2.2])
means = rng.choice(x, (5000, x.size)).mean(axis=1)
np.percentile(means, [2.5, 97.5]).round(4)

# %% elementary automaton
rule, row = 90, [0] * 15 + [1] + [0] * 15
for _ in range(8):
    print("".join(" #"[c] for c in row).rstrip())
    row = [rule >> (4 * a + 2 * b + c) & 1 for a, b, c in zip([0] + row, row, row[1:] + [0])]

# %% mandelbrot in characters
for y in range(-6, 7):
    line = ""
    for x in range(-20, 8):
        z = c = complex(x / 10, y / 5)
        n = 0
        while abs(z) < 2 and n < 20:
            z, n = z * z + c, n + 1
        line += " .:-=+*#%@"[n // 2 - (n == 20)]
    print(line)
