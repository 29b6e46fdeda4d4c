// health: what /readyz and /metrics say, and what they said over the last minutes.
import {getText, request} from "./api.js";
import {byId, el, fill} from "./dom.js";
import {buckets, byLabel, parseMetrics, quantile, sum} from "./metrics.js";
import {bars, line} from "./plot.js";
import {bytes, count, duration, plural, visible} from "./text.js";
import {outcomes, tone, word} from "./verdict.js";

const OFTEN_MS = 2000;
const KEPT = 90; // three minutes
const STAGES = [
	["job", "Whole job"],
	["queue", "Queue"],
	["run", "In the cell"],
	["collect", "Files and log"],
	["calculate", "Calculate"],
];

let timer = 0,
	base = null,
	watching = false,
	turn = 0;
let past = []; // {outcomes, queue, running} of each poll

const card = (title, value, note, chart) =>
	el(
		"div",
		{class: "card"},
		el("h2", {}, title),
		el("p", {class: "figure num"}, value),
		note ? el("p", {class: "muted"}, note) : null,
		chart,
	);

function remember(samples) {
	past.push({
		outcomes: byLabel(samples, "brig_jobs_total", "outcome"),
		queue: sum(samples, "brig_queue_length") ?? 0,
		running: sum(samples, "brig_jobs_running") ?? 0,
	});
	past = past.slice(-KEPT - 1);
}

// How many jobs ended with each outcome between one poll and the next. A counter that went back
// is that of a dispatcher that was started again.
function outcomeSeries() {
	const steps = past.slice(1).map((now, i) => ({now: now.outcomes, before: past[i].outcomes}));
	const empty = Array(Math.max(0, KEPT - steps.length)).fill(0);
	return outcomes
		.map((outcome) => ({
			name: word(outcome),
			tone: tone(outcome),
			values: [
				...empty,
				...steps.map(({now, before}) => {
					const grown = (now[outcome] ?? 0) - (before[outcome] ?? 0);
					return grown < 0 ? (now[outcome] ?? 0) : grown;
				}),
			],
		}))
		.filter((one) => one.values.some((value) => value > 0));
}

function cellsCard(samples) {
	const states = byLabel(samples, "brig_cells", "state");
	const names = Object.keys(states);
	if (!names.length)
		return card(
			"Services",
			`${count(sum(samples, "brig_services_up") ?? 0)} up`,
			`${plural(sum(samples, "brig_jobs_running") ?? 0, "job")} in cells`,
		);
	const live = (states.running ?? 0) + (states.session ?? 0);
	const rest = names
		.filter((name) => !["parked", "running"].includes(name))
		.map((name) => `${count(states[name])} ${visible(name)}`);
	return el(
		"div",
		{class: "card"},
		el("h2", {}, "Cells"),
		el(
			"dl",
			{class: "pairs"},
			[
				["parked", states.parked ?? 0],
				["live", live],
			].map(([name, value]) =>
				el(
					"div",
					{},
					el("dt", {class: "muted"}, name),
					el("dd", {class: "figure num"}, count(value)),
				),
			),
		),
		el("p", {class: "muted num"}, rest.join(" · ")),
	);
}

function latencyCard(samples) {
	const rows = STAGES.map(([stage, name]) => {
		const all = buckets(samples, "brig_stage_seconds", {stage});
		const recent = buckets(samples, "brig_stage_seconds", {stage}, base?.[stage]);
		const lately = (recent.at(-1)?.[1] ?? 0) > 0;
		const list = lately ? recent : all;
		const most = sum(samples, "brig_stage_seconds_max", {stage});
		const figures = [0.5, 0.95, 0.99].map((share) => quantile(list, share, most));
		return el(
			"tr",
			{},
			el("th", {scope: "row"}, name),
			figures.map((value) =>
				el("td", {class: "num"}, value === undefined ? "–" : duration(value * 1000)),
			),
			el("td", {class: "num muted"}, count(list.at(-1)?.[1] ?? 0)),
		);
	});
	return el(
		"div",
		{class: "card wide"},
		el("h2", {}, "Latency"),
		el(
			"div",
			{class: "table-scroll", tabindex: "0", role: "group", "aria-label": "Latency"},
			el(
				"table",
				{class: "latency"},
				el(
					"thead",
					{},
					el(
						"tr",
						{},
						el("td", {}),
						["p50", "p95", "p99", "calls"].map((name) =>
							el("th", {scope: "col", class: "num"}, name),
						),
					),
				),
				el("tbody", {}, rows),
			),
		),
		el(
			"p",
			{class: "muted"},
			"Read from histograms: a figure is as fine as its bucket. Since the page was opened, where anything ran; else since the start.",
		),
	);
}

function outcomesCard(samples) {
	const series = outcomeSeries();
	const inAll = (values) => values.reduce((a, b) => a + b, 0);
	const legend = series.map((one) =>
		el(
			"li",
			{},
			el("span", {class: `swatch ${one.tone}`, "aria-hidden": "true"}),
			one.name,
			" ",
			el("span", {class: "num muted"}, count(inAll(one.values))),
		),
	);
	const lately = series.reduce((all, one) => all + inAll(one.values), 0);
	const totals = byLabel(samples, "brig_jobs_total", "outcome");
	const before = outcomes
		.filter((outcome) => totals[outcome])
		.map((outcome) => `${word(outcome)} ${count(totals[outcome])}`);
	return el(
		"div",
		{class: "card full"},
		el("h2", {}, "Outcomes"),
		bars(series, `Jobs by outcome over the last ${(KEPT * OFTEN_MS) / 60000} minutes: ${lately} in all`),
		el(
			"p",
			{class: "axis-words muted num"},
			el("span", {}, "3 min ago"),
			lately ? null : el("span", {}, "no job ended in this time"),
			el("span", {}, "now"),
		),
		legend.length ? el("ul", {class: "legend", "aria-label": "In this time"}, legend) : null,
		el(
			"p",
			{class: "muted num outcome-totals"},
			before.length ? `Since the start: ${before.join(" · ")}` : "No job has ended yet.",
		),
	);
}

function draw(samples, ready) {
	const kept = sum(samples, "brig_artifacts_bytes") ?? 0;
	fill(
		byId("health"),
		card("State", ready.word, ready.detail),
		cellsCard(samples),
		card(
			"Running",
			count(sum(samples, "brig_jobs_running") ?? 0),
			null,
			line(
				past.map((one) => one.running),
				"Jobs running, over time",
			),
		),
		card(
			"Queue",
			count(sum(samples, "brig_queue_length") ?? 0),
			null,
			line(
				past.map((one) => one.queue),
				"Jobs waiting, over time",
			),
		),
		outcomesCard(samples),
		latencyCard(samples),
		el(
			"div",
			{class: "card wide"},
			el("h2", {}, "Totals"),
			el(
				"dl",
				{class: "totals"},
				[
					["Jobs", count(sum(samples, "brig_jobs_total") ?? 0)],
					["Ended by brig", count(sum(samples, "brig_kills_total") ?? 0)],
					["Calculations", count(sum(samples, "brig_calculations_total") ?? 0)],
					["Refusals", count(sum(samples, "brig_refusals_total") ?? 0)],
					["Open connections", count(sum(samples, "brig_http_connections") ?? 0)],
					["Files kept", bytes(kept)],
					["Service losses", count(sum(samples, "brig_service_losses_total") ?? 0)],
					["Log failures", count(sum(samples, "brig_audit_failures_total") ?? 0)],
				].map(([name, value]) => el("div", {}, el("dt", {}, name), el("dd", {class: "num"}, value))),
			),
		),
	);
}

async function readiness() {
	try {
		await request("/readyz");
		return {word: "Ready", detail: "Jobs can run."};
	} catch (fault) {
		return {word: fault.status === 503 ? "Not ready" : "Unreachable", detail: fault.message};
	}
}

async function poll() {
	const mine = ++turn;
	clearTimeout(timer);
	if (!document.hidden) {
		try {
			const [ready, text] = await Promise.all([readiness(), getText("/metrics")]);
			if (mine !== turn) return;
			const samples = parseMetrics(text);
			base ??= Object.fromEntries(
				STAGES.map(([stage]) => [stage, buckets(samples, "brig_stage_seconds", {stage})]),
			);
			remember(samples);
			if (!byId("room-health").hidden) draw(samples, ready);
			byId("health-note").textContent = `Every ${OFTEN_MS / 1000} s while this page is open.`;
		} catch (fault) {
			byId("health-note").textContent = fault.message;
			watching = fault.status !== 401;
		}
	}
	if (watching && mine === turn) timer = setTimeout(poll, OFTEN_MS);
}

// It polls behind other rooms too, so that the minutes are whole; a hidden tab rests.
export function setRole(role) {
	if (role && !watching) enter();
}

export function enter() {
	watching = true;
	void poll();
}

export const leave = () => {};
export const begin = () => {};
