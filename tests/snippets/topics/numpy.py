# %% arrays as values
import numpy as np

a = np.arange(12).reshape(3, 4)
print(a.sum(axis=0), a.mean(), a[1:, ::2])
a

# %% broadcasting
import numpy as np

x = np.array([[1], [2], [3]]) * np.array([10, 20])
print(x.shape, x.dtype)
x - x.mean(axis=0)

# %% linear system
import numpy as np

A = np.array([[3, 2, -1], [2, -2, 4], [-1, 0.5, -1]])
b = np.array([1, -2, 0])
x = np.linalg.solve(A, b)
print(x.round(6), np.allclose(A @ x, b), round(np.linalg.det(A), 6))

# %% eigenvalues
import numpy as np

w, v = np.linalg.eigh(np.array([[2.0, 1], [1, 2]]))
print(w, np.abs(v).round(4))

# %% svd and rank
import numpy as np

m = np.array([[1, 2], [2, 4], [3, 6.0]])
u, s, vt = np.linalg.svd(m, full_matrices=False)
print(s.round(6), np.linalg.matrix_rank(m), np.linalg.cond(np.eye(2)))

# %% least squares and qr
import numpy as np

X = np.c_[np.ones(5), np.arange(5)]
beta, *_ = np.linalg.lstsq(X, np.array([1, 3, 5, 7, 9.0]), rcond=None)
q, r = np.linalg.qr(X)
print(beta.round(6), np.allclose(q @ r, X), np.linalg.norm(X).round(4))

# %% dtypes and overflow
import numpy as np

with np.errstate(all="ignore"):
    print(np.int8(127) + np.int8(1), np.uint8([250]) + np.uint8([10]), np.float32(1) / 3)
    print(np.array([1.0, -1, 0]) / 0)
np.array([1, 2], dtype="int16")

# %% scalars as values
import numpy as np

np.float64(2) / 3

# %% small floats
import numpy as np

np.array([0.1, 0.2], dtype="float32") + np.float32(0.1)

# %% boolean masks
import numpy as np

a = np.array([5, -3, 8, 0, -1])
a[a < 0] = 0
print(np.where(a > 4, "big", "small"), np.count_nonzero(a), a.argmax())
a > 0

# %% structured arrays
import numpy as np

people = np.array([("Ana", 30, 1.6), ("Bo", 25, 1.8)],
                  dtype=[("name", "U10"), ("age", "i4"), ("h", "f8")])
print(np.sort(people, order="age")["name"], people["h"].mean())
people

# %% datetime arrays
import numpy as np

d = np.array(["2024-02-28", "2024-03-01"], dtype="datetime64[D]")
print(np.diff(d), d.astype("datetime64[M]"), np.is_busday(d))
d

# %% complex arrays
import numpy as np

np.exp(1j * np.pi * np.array([0, 0.5, 1])).round(3)

# %% text arrays
import numpy as np

s = np.array(["b", "å", "字"])
print(np.char.upper(s), s.dtype, np.unique(["x", "y", "x"], return_counts=True))
s

# %% einsum and outer
import numpy as np

a, b = np.arange(6).reshape(2, 3), np.arange(12).reshape(3, 4)
print(np.einsum("ij,jk->ik", a, b))
np.outer([1, 2], [3, 4, 5])

# %% percentiles with gaps
import numpy as np

a = np.array([1, np.nan, 3, 4, np.inf])
print(np.nanmean(a[:4]), np.isnan(a), np.nanpercentile(a[:4], [25, 50]))
a

# %% polynomials
import numpy as np

p = np.polynomial.Polynomial([6, -5, 1])
print(p, p.roots(), p.deriv()(2))
np.poly1d([1, 0, -1])

# %% fourier
import numpy as np

x = np.sin(2 * np.pi * np.arange(16) * 3 / 16)
np.argmax(np.abs(np.fft.rfft(x))), np.fft.ifft(np.fft.fft(x)).real.round(3)[:4]

# %% seeded generator
import numpy as np

rng = np.random.default_rng(2024)
print(rng.integers(0, 10, 5), rng.normal(size=2).round(4), rng.choice(list("abc"), 3))
rng.permutation(6)

# %% legacy seed
import numpy as np

np.random.seed(0)
print(np.random.rand(3), np.random.randint(1, 7, 5))
np.random.shuffle(a := list(range(6)))
a

# %% large array is abbreviated
import numpy as np

np.arange(100_000).reshape(1000, 100)

# %% sparse matrices
import numpy as np
from scipy import sparse

m = sparse.random(50, 50, density=0.02, random_state=1, format="csr")
print(m.shape, m.nnz, round(m.sum(), 4))
sparse.eye(3).toarray()

# %% sliding windows and strides
import numpy as np

w = np.lib.stride_tricks.sliding_window_view(np.arange(7), 3)
print(np.convolve([1, 2, 3], [1, 1]), w.mean(axis=1))
w.shape

# %% masked array
import numpy as np

m = np.ma.masked_greater([1, 5, 9], 6)
print(m, m.mean())
m.filled(-1)

# %% empty and zero dimensions
import numpy as np

print(np.array([]), np.array(5).shape, np.empty((0, 3)).shape)
np.array(5)
