// examples: what the page offers to run, the harmless and the hostile.

const CITIES = ["Oslo", "Roma", "Lagos", "Quito", "Osaka", "Perth"];

// The same table each time: a little generator instead of a large literal.
function salesCsv() {
	const lines = ["date,city,product,units,price"];
	let state = 7;
	const next = (limit) => {
		state = (state * 48271) % 2147483647;
		return state % limit;
	};
	for (let day = 0; day < 360; day++) {
		const date = new Date(Date.UTC(2026, 0, 1 + day)).toISOString().slice(0, 10);
		const city = CITIES[next(CITIES.length)];
		const season = 10 + Math.round(6 * Math.sin(day / 57));
		lines.push(
			`${date},${city},${["tea", "coffee", "cocoa"][next(3)]},${season + next(9)},${(2 + next(700) / 100).toFixed(2)}`,
		);
	}
	return lines.join("\n") + "\n";
}

const sales = () => [{name: "sales.csv", text: salesCsv()}];

export const examples = [
	{
		id: "statistics",
		name: "Statistics",
		files: sales,
		code: `import pandas as pd

sales = pd.read_csv("sales.csv", parse_dates=["date"])
sales["revenue"] = sales["units"] * sales["price"]
first, last = sales["date"].min(), sales["date"].max()
print(f"{len(sales)} rows, {first:%d %b} to {last:%d %b %Y}")

by_city = sales.groupby("city").agg(
    orders=("units", "size"),
    units=("units", "sum"),
    revenue=("revenue", "sum"),
    mean_price=("price", "mean"),
).round(2)
by_city.to_csv("by_city.csv")
by_city.sort_values("revenue", ascending=False)
`,
	},
	{
		id: "chart",
		name: "Chart",
		files: sales,
		code: `import matplotlib.pyplot as plt
import pandas as pd

sales = pd.read_csv("sales.csv", parse_dates=["date"])
sales["revenue"] = sales["units"] * sales["price"]
sales["month"] = sales["date"].dt.month
monthly = sales.pivot_table(
    index="month", columns="product",
    values="revenue", aggfunc="sum")

ax = monthly.plot(figsize=(8, 4), marker="o")
ax.set(title="Revenue by month", xlabel="month", ylabel="revenue")
ax.grid(alpha=0.3)
plt.show()
`,
	},
	{
		id: "loop",
		name: "Endless loop",
		limits: {wall_ms: 2000},
		code: `# No one ends this but brig: see the verdict, and what it used.
import time

n = 0
start = time.monotonic()
print("counting …", flush=True)
while True:
    n += 1
    if n % 2_000_000 == 0:
        passed = time.monotonic() - start
        print(f"{n:>12,} after {passed:.1f} s", flush=True)
`,
	},
	{
		id: "import",
		name: "Import attack",
		code: `# What an attacker's import buys: nothing to read, nothing to
# start, and then the kernel's filter.
import ctypes, os, subprocess

for path in ("/root", "/etc/shadow", "/proc/self/maps"):
    print(f"{path}: {os.path.exists(path)}")
try:
    subprocess.run(["/bin/sh", "-c", "id"])
except OSError as fault:
    print("a shell:", type(fault).__name__, "·", fault)

libc = ctypes.CDLL(None, use_errno=True)
print("ptrace, by way of ctypes …", flush=True)
libc.ptrace(16, os.getppid(), 0, 0)
print("never reached")
`,
	},
	{
		id: "network",
		name: "Network attempt",
		code: `# There is no network in a cell, and no switch for one.
import urllib.request

print("asking for a page …")
urllib.request.urlopen("http://192.0.2.1/", timeout=3)
`,
	},
	{
		id: "memory",
		name: "Memory bomb",
		limits: {memory_bytes: 256 * 1024 * 1024},
		code: `# Takes 16 MiB at a time until the cgroup's limit is met.
blocks = []
while True:
    blocks.append(b"x" * (16 << 20))
    print(f"{16 * len(blocks):>5} MiB", flush=True)
`,
	},
	{
		id: "hostile",
		name: "Hostile output",
		code: `# Text that would like to be more than text: all of it is shown,
# none of it acts.
import pandas as pd

print("<script>document.title = 'owned'</script>")
print("<img src=x onerror=alert(1)>")
print("\\x1b[31mred?\\x1b[0m \\x1b]0;a title\\x07 \\x08\\x08 back")
print("user\\u202Egnp.exe \\u2066isolated\\u2069 zero\\u200Bwidth")
with open("<img src=x onerror=alert(1)>.txt", "w") as file:
    file.write("a hostile name")
pd.DataFrame({
    "<b>bold</b>":
        ["<script>alert(1)</script>", "\\u202Eabc", "=1+1"],
    "n": [2**70, 1, -1],
})
`,
	},
];
