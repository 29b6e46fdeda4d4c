# %% solve an equation
from sympy import *

x = symbols("x")
print(solve(x**2 - 5 * x + 6, x))
solve(x**2 + x + 1, x)

# %% derivative and integral
import sympy as sp

x = sp.Symbol("x")
f = sp.exp(-x) * sp.sin(x)
print(sp.diff(f, x))
print(sp.integrate(f, (x, 0, sp.oo)))
sp.integrate(f, x)

# %% limits and series
from sympy import cos, exp, limit, oo, series, sin, symbols

x = symbols("x")
print(limit(sin(x) / x, x, 0), limit((1 + 1 / x) ** x, x, oo))
series(exp(x) * cos(x), x, 0, 6)

# %% simplify and factor
from sympy import apart, expand, factor, simplify, symbols, trigsimp, sin, cos

x, y = symbols("x y")
print(factor(x**4 - 1), expand((x + y) ** 3))
print(trigsimp(sin(x) ** 2 + cos(x) ** 2), simplify((x**2 - 1) / (x - 1)))
apart(1 / (x**2 + 3 * x + 2))

# %% linear system
from sympy import Eq, linsolve, solve, symbols

x, y, z = symbols("x y z")
print(solve([Eq(2 * x + y, 5), Eq(x - y, 1)], [x, y]))
linsolve([x + y + z - 6, x - y, z - 2 * x], x, y, z)

# %% matrices
from sympy import Matrix, Rational

m = Matrix([[2, 1], [1, 3]])
print(m.det(), m.inv(), m.eigenvals())
m.applyfunc(lambda v: v * Rational(1, 2))

# %% differential equation
from sympy import Function, dsolve, symbols

t = symbols("t")
y = Function("y")
dsolve(y(t).diff(t, 2) + 4 * y(t), y(t), ics={y(0): 1, y(t).diff(t).subs(t, 0): 0})

# %% exact numbers
from sympy import Rational, nsimplify, pi, sqrt, N

print(Rational(1, 3) + Rational(1, 6), sqrt(50), N(pi, 40))
nsimplify(0.75)

# %% pretty printing
from sympy import Integral, pprint, sqrt, symbols

x = symbols("x")
pprint(Integral(sqrt(1 / x), x), use_unicode=True)

# %% latex of an expression
import sympy as sp

a, b = sp.symbols("alpha beta")
print(sp.latex(sp.Sum(a**sp.Symbol("k"), (sp.Symbol("k"), 0, sp.oo)) / b))
a / b

# %% number theory
from sympy import factorint, isprime, nextprime, primerange, totient

print(factorint(600851475143), isprime(2**61 - 1), nextprime(1000), totient(100))
list(primerange(50))

# %% sums and products
from sympy import Product, Sum, oo, symbols

k, n = symbols("k n", integer=True, positive=True)
print(Sum(1 / k**2, (k, 1, oo)).doit(), Sum(k, (k, 1, n)).doit().factor())
Product(k, (k, 1, 6)).doit()

# %% substitute and evaluate
import numpy as np
from sympy import lambdify, sin, symbols

x = symbols("x")
f = lambdify(x, x**2 * sin(x), "numpy")
f(np.array([0.0, 1.0, 2.0])).round(6)

# %% inequalities and sets
from sympy import Interval, S, solveset, symbols

x = symbols("x", real=True)
print(solveset(x**2 < 4, x, S.Reals))
Interval(0, 5).intersect(Interval.open(3, 8))

# %% logic
from sympy import symbols
from sympy.logic.boolalg import simplify_logic, to_cnf

a, b, c = symbols("a b c")
print(to_cnf(a | (b & c)), simplify_logic((a & b) | (a & ~b)))

# %% laplace transform
from sympy import exp, laplace_transform, symbols

t, s = symbols("t s", positive=True)
laplace_transform(exp(-2 * t), t, s, noconds=True)

# %% plot of a formula
from sympy import sin, symbols
from sympy.plotting import plot

x = symbols("x")
plot(sin(x) / x, (x, -10, 10), title="sinc", show=False).save("sinc.png")
import os

print(os.path.getsize("sinc.png") > 2000)

# %% mpmath digits
from mpmath import mp, zeta

mp.dps = 30
print(zeta(3), mp.e**mp.pi)
