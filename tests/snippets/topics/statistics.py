# %% standard library summary
import statistics as st

data = [2.5, 3.25, 5.5, 11.5, 11.5]
print(st.mean(data), st.median(data), st.mode(data), round(st.stdev(data), 4))
st.quantiles(data, n=4)

# %% t test
import numpy as np
from scipy import stats

rng = np.random.default_rng(42)
a, b = rng.normal(5.0, 1, 40), rng.normal(5.6, 1, 45)
t, p = stats.ttest_ind(a, b, equal_var=False)
print(f"t = {t:.3f}, p = {p:.4f}")
print("significant" if p < 0.05 else "not significant")

# %% t test result object
from scipy import stats

stats.ttest_1samp([5.1, 4.9, 5.6, 5.8, 5.2], 5.0)

# %% paired and rank tests
from scipy import stats

before = [125, 130, 118, 140, 150, 135]
after = [120, 128, 119, 130, 142, 131]
print(stats.ttest_rel(before, after).pvalue.round(4))
print(stats.wilcoxon(before, after))
stats.mannwhitneyu(before, after).statistic

# %% chi squared
import numpy as np
from scipy.stats import chi2_contingency

table = np.array([[30, 10], [20, 40]])
chi2, p, dof, expected = chi2_contingency(table)
print(round(chi2, 4), f"{p:.2e}", dof)
expected

# %% fisher and odds ratio
from scipy.stats import fisher_exact

odds, p = fisher_exact([[8, 2], [1, 5]])
print(odds, round(p, 5))

# %% anova
from scipy import stats

groups = {"a": [6, 8, 4, 5, 3, 4], "b": [8, 12, 9, 11, 6, 8], "c": [13, 9, 11, 8, 7, 12]}
f, p = stats.f_oneway(*groups.values())
print(f"F={f:.2f} p={p:.4f}")
stats.tukey_hsd(*groups.values()).pvalue.round(4)

# %% normality
import numpy as np
from scipy import stats

rng = np.random.default_rng(1)
for name, x in (("normal", rng.normal(size=100)), ("skewed", rng.exponential(size=100))):
    w, p = stats.shapiro(x)
    print(name, round(w, 3), p > 0.05)

# %% confidence interval
import numpy as np
from scipy import stats

x = np.array([4.2, 4.8, 5.1, 5.5, 4.9, 5.0])
low, high = stats.t.interval(0.95, len(x) - 1, loc=x.mean(), scale=stats.sem(x))
print(f"{x.mean():.3f} [{low:.3f}, {high:.3f}]")

# %% bootstrap
import numpy as np
from scipy.stats import bootstrap

rng = np.random.default_rng(5)
x = rng.gamma(2, 2, size=80)
res = bootstrap((x,), np.median, n_resamples=500, rng=np.random.default_rng(6))
print(np.round([res.confidence_interval.low, res.confidence_interval.high], 4))

# %% distributions
from scipy import stats

print(stats.norm.cdf(1.96).round(6), stats.norm.ppf(0.975).round(6))
print(stats.binom.pmf(3, 10, 0.3).round(6), stats.poisson.sf(4, 2.5).round(6))
stats.norm.interval(0.9)

# %% fit a distribution
import numpy as np
from scipy import stats

data = stats.gamma.rvs(2.0, scale=3.0, size=500, random_state=9)
shape, loc, scale = stats.gamma.fit(data, floc=0)
print(round(shape, 3), loc, round(scale, 3))

# %% linear regression with scipy
from scipy.stats import linregress

linregress([1, 2, 3, 4, 5], [2.1, 3.9, 6.2, 7.8, 10.1])

# %% ols summary
import numpy as np
import pandas as pd
import statsmodels.formula.api as smf

rng = np.random.default_rng(8)
df = pd.DataFrame({"x": rng.normal(size=100), "g": rng.choice(["a", "b"], 100)})
df["y"] = 1 + 2 * df["x"] + (df["g"] == "b") * 0.5 + rng.normal(scale=0.3, size=100)
model = smf.ols("y ~ x + C(g)", data=df).fit()
print(model.params.round(3).to_dict(), round(model.rsquared, 4))
print(model.summary().tables[1])

# %% logit
import numpy as np
import statsmodels.api as sm

rng = np.random.default_rng(2)
x = rng.normal(size=300)
y = (rng.random(300) < 1 / (1 + np.exp(-(0.5 + 1.5 * x)))).astype(int)
fit = sm.Logit(y, sm.add_constant(x)).fit(disp=False)
print(fit.params.round(3), fit.pvalues.round(4) < 0.05)

# %% poisson glm
import numpy as np
import statsmodels.api as sm

rng = np.random.default_rng(4)
x = np.linspace(0, 2, 80)
y = rng.poisson(np.exp(0.3 + 0.8 * x))
fit = sm.GLM(y, sm.add_constant(x), family=sm.families.Poisson()).fit()
fit.conf_int().round(3)

# %% anova table
import pandas as pd
import statsmodels.api as sm
from statsmodels.formula.api import ols

df = pd.DataFrame({"y": [3, 4, 5, 7, 8, 9, 1, 2, 2], "g": list("aaabbbccc")})
sm.stats.anova_lm(ols("y ~ C(g)", df).fit()).round(4)

# %% weighted and rank correlation
import numpy as np
from scipy import stats

x, y = [1, 2, 3, 4, 5, 6], [2, 1, 4, 3, 7, 5]
print(stats.pearsonr(x, y).statistic.round(4), stats.spearmanr(x, y).statistic.round(4))
print(stats.kendalltau(x, y).statistic.round(4), np.average(x, weights=y).round(4))

# %% power of a test
from statsmodels.stats.power import TTestIndPower

n = TTestIndPower().solve_power(effect_size=0.5, alpha=0.05, power=0.8)
print(f"{n:.1f} per group")

# %% multiple comparisons
from statsmodels.stats.multitest import multipletests

reject, adjusted, *_ = multipletests([0.01, 0.04, 0.03, 0.2], method="fdr_bh")
print(reject.tolist(), adjusted.round(4).tolist())

# %% two proportions
from statsmodels.stats.proportion import proportion_confint, proportions_ztest

z, p = proportions_ztest([45, 60], [200, 210])
print(round(z, 4), round(p, 4), [round(v, 4) for v in proportion_confint(45, 200, method="wilson")])

# %% histogram counts
import numpy as np

rng = np.random.default_rng(7)
counts, edges = np.histogram(rng.normal(size=1000), bins=8, range=(-4, 4))
for c, left in zip(counts, edges):
    print(f"{left:+.1f} {'#' * (c // 20)} {c}")

# %% optimise a function
import numpy as np
from scipy.optimize import curve_fit, minimize

x = np.linspace(0, 4, 30)
y = 2.5 * np.exp(-1.3 * x) + 0.5
params, _ = curve_fit(lambda x, a, b, c: a * np.exp(-b * x) + c, x, y, p0=(1, 1, 1))
best = minimize(lambda v: (v[0] - 1) ** 2 + (v[1] + 2) ** 2, [0, 0])
print(params.round(4), best.x.round(4), best.success)

# %% linear programme
from scipy.optimize import linprog

res = linprog([-3, -5], A_ub=[[1, 0], [0, 2], [3, 2]], b_ub=[4, 12, 18])
print(res.status, res.fun, res.x)

# %% integrate and solve
import numpy as np
from scipy.integrate import quad, solve_ivp

print(round(quad(lambda x: np.exp(-x**2), -np.inf, np.inf)[0], 8))
sol = solve_ivp(lambda t, y: -0.5 * y, (0, 4), [2.0], t_eval=[0, 2, 4], rtol=1e-8, atol=1e-10)
sol.y.round(5)

# %% interpolation
import numpy as np
from scipy.interpolate import CubicSpline, interp1d

x = np.array([0, 1, 2, 3.0])
y = x**2
print(float(interp1d(x, y)(1.5)), float(CubicSpline(x, y)(1.5)))

# %% spectrum
import numpy as np
from scipy.signal import find_peaks

fs = 200
t = np.arange(0, 2, 1 / fs)
power = np.abs(np.fft.rfft(np.sin(2 * np.pi * 13 * t) + 0.5 * np.sin(2 * np.pi * 40 * t)))
freqs = np.fft.rfftfreq(len(t), 1 / fs)
freqs[find_peaks(power, height=50)[0]]

# %% clusters in a hierarchy
import numpy as np
from scipy.cluster.hierarchy import fcluster, linkage

pts = np.array([[0, 0], [0, 1], [5, 5], [5, 6], [10, 0]])
fcluster(linkage(pts, "ward"), t=3, criterion="maxclust")

# %% distances
import numpy as np
from scipy.spatial import ConvexHull, cKDTree
from scipy.spatial.distance import cdist

pts = np.array([[0, 0], [3, 0], [3, 4], [0, 4], [1, 1.0]])
print(cdist(pts[:2], pts[2:]))
print(cKDTree(pts).query([2.9, 3.8]), ConvexHull(pts).volume)
