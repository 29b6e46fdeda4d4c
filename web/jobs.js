// jobs: the audit log, live, for roles that may read it.
import {getJson} from "./api.js";
import {byId, debounce, el, fill} from "./dom.js";
import {closeDetail, openDetail} from "./job.js";
import {clock, duration, oneLine, plural} from "./text.js";
import {chip, outcomes, word} from "./verdict.js";

const PAGE = 50;
const OFTEN_MS = 2000;

let role = null,
	timer = 0,
	turn = 0;
let calls = [],
	older = false,
	shownAs = "";
let open = ""; // the id of the call that is shown

function query(before) {
	const values = {
		outcome: byId("filter-outcome").value,
		role: byId("filter-role").value.trim(),
		since: byId("filter-since").value,
		text: byId("filter-text").value.trim(),
		before,
		limit: PAGE,
	};
	return Object.entries(values)
		.filter(([, value]) => value)
		.map(([name, value]) => `${name}=${encodeURIComponent(value)}`)
		.join("&");
}

const keyOf = (call) => call.id || String(call.seq);

function row(call) {
	const key = keyOf(call);
	const wall = call.usage?.wall_ms;
	return el(
		"tr",
		{class: key === open ? "open" : null},
		el(
			"td",
			{class: "time"},
			el(
				"a",
				{
					href: `#/jobs/${encodeURIComponent(key)}`,
					"aria-current": key === open ? "true" : null,
					"aria-label": `${clock(call.time)}, ${call.tool}, ${call.outcome}`,
				},
				clock(call.time),
			),
		),
		el("td", {}, chip(call.outcome)),
		el(
			"td",
			{class: "who"},
			oneLine(call.role || "nobody", 24),
			call.token ? el("span", {class: "muted"}, ` ${oneLine(call.token, 24)}`) : null,
		),
		el("td", {class: "tool muted"}, call.tool === "run_sandboxed" ? "run" : oneLine((call.tool ?? "").replace(/^session_/, ""), 24)),
		el("td", {class: "num wall"}, wall === undefined ? "" : duration(wall)),
		el("td", {class: "code mono"}, oneLine((call.code_head ?? "").trimStart(), 120)),
	);
}

function draw() {
	// Nothing is touched where nothing changed: focus and selection stay.
	const state = JSON.stringify([calls.map((call) => [call.seq, call.outcome]), open, older]);
	if (state === shownAs) return;
	shownAs = state;
	const held = document.activeElement?.closest?.("#job-list tr a")?.getAttribute("href");
	const scroll = byId("job-list").scrollTop;
	fill(
		byId("job-list"),
		calls.length === 0
			? el(
					"div",
					{class: "empty"},
					el("p", {class: "empty-title"}, "No call matches"),
					el("p", {class: "muted"}, "Widen the filters, or run something."),
				)
			: el(
					"table",
					{class: calls.every((call) => clock(call.time).length === 8) ? "calls today" : "calls"},
					el("caption", {class: "visually-hidden"}, "Calls, the latest first"),
					el(
						"thead",
						{},
						el(
							"tr",
							{},
							["Time", "Outcome", "Role, token", "Tool", "Wall", "Code"].map((name, at) =>
								el(
									"th",
									{
										scope: "col",
										class:
											[
												at === 4 ? "num" : null,
												["time", "", "who", "tool", "wall", "code"][at],
											]
												.filter(Boolean)
												.join(" ") || null,
									},
									name,
								),
							),
						),
					),
					el("tbody", {}, calls.map(row)),
				),
		older ? el("button", {type: "button", class: "quiet more", onclick: more}, "Older calls") : null,
	);
	byId("job-list").scrollTop = scroll;
	if (held)
		byId("job-list")
			.querySelector(`a[href="${CSS.escape(held)}"]`)
			?.focus();
}

function say(fault) {
	shownAs = "";
	fill(
		byId("job-list"),
		el(
			"div",
			{class: "empty"},
			el("p", {class: "empty-title"}, "The log cannot be shown"),
			el("p", {class: "muted"}, fault),
		),
	);
}

// The newest page; what was paged in behind it stays.
async function load() {
	const mine = ++turn;
	try {
		const {calls: fresh} = await getJson(`/v1/audit?${query()}`);
		if (mine !== turn) return;
		const last = fresh.at(-1)?.seq ?? 0;
		const behind = fresh.length === PAGE ? calls.filter((call) => call.seq < last) : [];
		if (!behind.length) older = fresh.length === PAGE;
		calls = [...fresh, ...behind];
		draw();
	} catch (fault) {
		// Others read the log at this moment: what is shown stays until the next turn.
		const passing = fault.status === 503 && calls.length > 0;
		if (mine === turn && !passing) say(fault.message);
	}
}

async function more() {
	try {
		const {calls: next} = await getJson(`/v1/audit?${query(calls.at(-1).seq)}`);
		older = next.length === PAGE;
		calls = [...calls, ...next];
		draw();
	} catch (fault) {
		say(fault.message);
	}
}

async function verify() {
	const chain = byId("chain");
	fill(chain, el("span", {class: "muted"}, "Checking the chain …"));
	try {
		const verdict = await getJson("/v1/audit/verify");
		const words = verdict.good
			? `${plural(verdict.rows, "row")}, chain intact`
			: oneLine(verdict.fault, 200);
		fill(
			chain,
			el(
				"span",
				{class: `outcome ${verdict.good ? "good" : "bad"}`},
				el("span", {class: "dot", "aria-hidden": "true"}),
				words,
			),
			el(
				"span",
				{class: "muted head-hash"},
				"head ",
				el("code", {title: verdict.head}, verdict.head.slice(0, 12)),
			),
			el("button", {type: "button", class: "quiet small", onclick: verify}, "Check again"),
		);
	} catch (fault) {
		fill(chain, el("span", {class: "bad-text"}, fault.message));
	}
}

async function tick() {
	clearTimeout(timer);
	if (byId("jobs-live").checked && !document.hidden) await load();
	clearTimeout(timer);
	if (!byId("room-jobs").hidden) timer = setTimeout(tick, OFTEN_MS);
}

export function setRole(value) {
	role = value;
	calls = [];
	shownAs = "";
	if (!byId("room-jobs").hidden) enter(open);
}

export function enter(id = "") {
	open = id;
	const may = role?.audit === true;
	byId("filters").hidden = !may;
	byId("chain").hidden = !may;
	clearTimeout(timer);
	if (!may) {
		closeDetail();
		say(
			role
				? `The role ${oneLine(role.role, 40)} does not read the audit log here: that takes audit = yes in its section of the configuration. On the host, as root or the server's own user, brig audit list shows it.`
				: "It takes a token of a role that may read the audit log.",
		);
		return;
	}
	if (!byId("chain").firstChild) void verify();
	draw();
	if (id)
		void openDetail(id, () => {
			location.hash = "#/jobs";
		});
	else closeDetail();
	byId("jobs").classList.toggle("with-detail", Boolean(id));
	void load();
	timer = setTimeout(tick, OFTEN_MS);
}

export function leave() {
	clearTimeout(timer);
	turn++;
}

export function begin() {
	fill(
		byId("filter-outcome"),
		el("option", {value: ""}, "any"),
		outcomes.map((outcome) => el("option", {value: outcome}, word(outcome))),
	);
	const changed = () => {
		calls = [];
		void load();
	};
	byId("filters").addEventListener("submit", (event) => event.preventDefault());
	for (const id of ["filter-outcome", "filter-since"]) byId(id).addEventListener("change", changed);
	for (const id of ["filter-role", "filter-text"])
		byId(id).addEventListener("input", debounce(changed, 250));
	document.addEventListener("keydown", (event) => {
		if (event.key === "Escape" && open && !byId("room-jobs").hidden) location.hash = "#/jobs";
	});
}
