"""Tables of Markdown from the figures."""
from . import peers, works

WAYS = [
    ("brig-socket", "brig, the service's socket"),
    ("brig-http", "brig, HTTP keep-alive"),
    ("brig-run", "`brig run`, a service runs"),
    ("brig-run-alone", "`brig run`, no service"),
    *[(peer.name, peer.title) for peer in peers.peers("/")],
    ("pyodide-cold", "Pyodide in node, cold"),
    ("pyodide-warm", "Pyodide in node, warm"),
]


def grid(heads, rows):
    lines = ["| " + " | ".join(heads) + " |",
             "| " + " | ".join(["---"] + ["---:"] * (len(heads) - 1)) + " |"]
    lines += ["| " + " | ".join(str(cell) for cell in row) + " |" for row in rows]
    return "\n".join(lines)


def number(value):
    """Three digits that count."""
    if value is None:
        return "–"
    if value >= 100:
        return f"{value:,.0f}"
    if value >= 10:
        return f"{value:.1f}"
    return f"{value:.2f}" if value >= 0.1 or value == 0 else f"{value:.3f}"


def ms(figures, key="p50_us"):
    if not isinstance(figures, dict) or key not in figures:
        return "–"
    return number(figures[key] / 1000)


def mib(value):
    return "–" if value is None else number(value / 2**20)


def budgets(found):
    rows = []
    for line in found["budgets"]:
        met = {None: "not measured", True: "met", False: "**not met**"}[line["met"]]
        peer = f"{number(line['ratio'])} × {line['peer']}" if line["ratio"] and line["peer"] else ""
        what = line["what"] + (f" ({line['note']})" if line["note"] else "")
        rows.append([what, f"{line['budget']} {line['unit']}",
                     f"{number(line['measured'])} {line['unit']}", met, peer])
    return grid(["budget", "", "measured", "", "beside its peer"], rows)


def failures(found):
    """Why a figure is missing, a line each."""
    reasons = {}
    for work in works.WORKS:
        for name, title in WAYS:
            figures = found["alone"].get(work.name, {}).get(name)
            if isinstance(figures, dict) and "failed" in figures:
                reasons.setdefault((title, figures["failed"]), []).append(work.title)
    return [f"- {title}: {reason} ({', '.join(of)})" for (title, reason), of in reasons.items()]


def alone(found, key="p50_us"):
    heads = ["ms, " + {"p50_us": "median", "p99_us": "99th percentile"}[key]]
    rows = [[title, *[ms(found["alone"][work.name].get(name), key) for work in works.WORKS]]
            for name, title in WAYS]
    return grid(heads + [work.title for work in works.WORKS], rows)
