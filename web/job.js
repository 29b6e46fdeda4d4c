// job: one call of the log: its code, what went in, what came out, its limits, its rows of the chain.
import {cancel, getJson} from "./api.js";
import {byId, el, fill} from "./dom.js";
import {createEditor} from "./editor.js";
import {meters} from "./meters.js";
import {bytes, clock, count, oneLine, visible} from "./text.js";
import {chip} from "./verdict.js";

const AGAIN_MS = 1000; // while it has no end

let turn = 0,
	timer = 0;

const fact = (name, value) =>
	value === undefined || value === "" || value === null ? [] : [el("dt", {}, name), el("dd", {}, value)];
const part = (title, ...content) => el("section", {class: "part"}, el("h3", {}, title), content);
const block = (label, text) =>
	part(
		label,
		el("pre", {class: "output", tabindex: "0", role: "group", "aria-label": label}, visible(text)),
	);

function codeElement(first) {
	const box = el("div", {class: "code-view"});
	const code = visible(first.code ?? "");
	queueMicrotask(() => createEditor(box, {label: "Code of the call", doc: code, readOnly: true}));
	return part(
		first.tool === "calculate" ? "Expression" : "Code",
		box,
		el(
			"p",
			{class: "note"},
			`${bytes(first.code_bytes)}; SHA-256 of the original `,
			el("code", {class: "hash"}, first.code_sha256 ?? ""),
		),
	);
}

function inputsElement(inputs) {
	if (!Array.isArray(inputs) || !inputs.length) return null;
	return part(
		"Inputs",
		el(
			"ul",
			{class: "files"},
			inputs.map((input) =>
				el(
					"li",
					{},
					el("span", {class: "file-name mono"}, oneLine(input.name, 120)),
					el("span", {class: "muted num"}, bytes(input.bytes)),
					el("code", {class: "hash"}, String(input.sha256).slice(0, 16)),
				),
			),
		),
	);
}

// Each row names the hash of the row before it; whether all of them do is for the whole chain to say.
function rowsElement(rows) {
	return part(
		"Rows of the chain",
		el(
			"div",
			{class: "table-scroll", tabindex: "0", role: "group", "aria-label": "Rows of the chain"},
			el(
				"table",
				{},
				el(
					"thead",
					{},
					el(
						"tr",
						{},
						["Row", "Kind", "Time", "Before it", "Its hash"].map((name) =>
							el("th", {scope: "col"}, name),
						),
					),
				),
				el(
					"tbody",
					{},
					rows.map((row) =>
						el(
							"tr",
							{},
							el("td", {class: "num"}, count(row.seq)),
							el("td", {}, visible(row.kind)),
							el("td", {class: "num"}, clock(row.time)),
							el("td", {}, el("code", {title: row.prev}, row.prev.slice(0, 12))),
							el("td", {}, el("code", {title: row.hash}, row.hash.slice(0, 12))),
						),
					),
				),
			),
		),
	);
}

// calculate's error is the object that it answered with.
function errorWords(text) {
	try {
		const {error} = JSON.parse(text);
		const place = error.column ? ` at character ${error.column}` : "";
		return `${error.type}: ${error.message}${place}${error.hint ? "\n" + error.hint : ""}`;
	} catch {
		return text;
	}
}

const outcomeOf = (rows) => rows.find((row) => row.outcome)?.outcome ?? "running";

function draw(rows, onClose) {
	const first = rows[0];
	const end = rows.find((row) => row.outcome) ?? {};
	const outcome = outcomeOf(rows);
	const state = el("span", {class: "bad-text", role: "alert"});
	const stop = el(
		"button",
		{
			type: "button",
			class: "stop small",
			onclick: () =>
				cancel(first.call).catch((fault) => {
					state.textContent = fault.message;
				}),
		},
		"Stop",
	);
	fill(
		byId("job-detail"),
		el(
			"header",
			{class: "pane-head"},
			chip(outcome),
			el(
				"h2",
				{class: "mono job-id", tabindex: "-1", id: "job-title"},
				oneLine(first.call || `row ${first.seq}`, 40),
			),
			el("span", {class: "spring"}),
			state,
			outcome === "running" ? stop : null,
			el(
				"button",
				{type: "button", class: "small", "aria-label": "Close this call", onclick: onClose},
				"Close",
			),
		),
		el(
			"div",
			{class: "detail-body", tabindex: "0", role: "group", "aria-label": "The call's content"},
			el(
				"dl",
				{class: "facts"},
				fact("Began", clock(first.time, true)),
				rows.length > 1 ? fact("Ended", clock(rows.at(-1).time, true)) : null,
				fact("Role", visible(first.role ?? "nobody")),
				fact("Token", first.token && visible(first.token)),
				fact("Door", first.door && visible(first.door)),
				fact("Tool", visible(first.tool ?? "")),
				fact("Session", first.note?.session && oneLine(first.note.session, 64)),
			),
			end.usage && first.limits ? meters(end.usage, first.limits) : null,
			codeElement(first),
			inputsElement(first.inputs),
			first.stdin ? block("Standard input, its start", first.stdin) : null,
			end.error ? block("Error", errorWords(end.error)) : null,
			end.output ? block("Output, its start", end.output) : null,
			rowsElement(rows),
		),
	);
}

export async function openDetail(id, onClose) {
	const mine = ++turn;
	clearTimeout(timer);
	const pane = byId("job-detail");
	pane.hidden = false;
	try {
		const {rows} = await getJson(`/v1/audit/${encodeURIComponent(id)}`);
		if (mine !== turn) return;
		draw(rows, onClose);
		if (pane.dataset.id !== id) byId("job-title").focus({preventScroll: true});
		pane.dataset.id = id;
		if (outcomeOf(rows) === "running")
			timer = setTimeout(() => watch(id, rows.length, onClose, mine), AGAIN_MS);
	} catch (fault) {
		if (mine === turn)
			fill(
				pane,
				el(
					"header",
					{class: "pane-head"},
					el("h2", {}, oneLine(id, 40)),
					el("span", {class: "spring"}),
					el("button", {type: "button", class: "small", onclick: onClose}, "Close"),
				),
				el("p", {class: "empty"}, visible(fault.message)),
			);
	}
}

// Draws again when the call has got an end.
async function watch(id, count, onClose, mine) {
	if (mine !== turn) return;
	const {rows} = await getJson(`/v1/audit/${encodeURIComponent(id)}`).catch(() => ({rows: []}));
	if (mine !== turn) return;
	if (rows.length > count) draw(rows, onClose);
	else timer = setTimeout(() => watch(id, count, onClose, mine), AGAIN_MS);
}

export function closeDetail() {
	turn++;
	clearTimeout(timer);
	byId("job-detail").hidden = true;
	delete byId("job-detail").dataset.id;
	byId("jobs").classList.remove("with-detail");
}
