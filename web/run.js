// run: the room where one tries it. One job at a time, from the editor to its result.
import {cancel, Problem, run as runJob} from "./api.js";
import {announce, byId, el, fill} from "./dom.js";
import {createEditor} from "./editor.js";
import {examples} from "./examples.js";
import {bodyOf, setFiles, watchInputs} from "./inputs.js";
import {showReceipt} from "./receipt.js";
import {emptyElement, problemElement, resultElements, summary, verdictElement} from "./result.js";
import {Output} from "./stream.js";
import {duration, oneLine} from "./text.js";
import {chip} from "./verdict.js";

const STOP_WAIT_MS = 4000; // for the result of a job that was stopped

let editor, defaults, ceiling;
let job = null; // {id, abort, stopped}

const MIB = 1024 * 1024;
const fields = [
	["limit-wall", "wall_ms", 1000],
	["limit-cpu", "cpu_ms", 1000],
	["limit-memory", "memory_bytes", MIB],
];

function limitsFromForm() {
	const limits = {};
	for (const [id, name, unit] of fields) {
		const value = Number(byId(id).value);
		if (value > 0) limits[name] = Math.round(value * unit);
	}
	return limits;
}

function limitsToForm(limits = {}) {
	for (const [id, name, unit] of fields) byId(id).value = limits[name] ? limits[name] / unit : "";
	showLimits();
}

function showLimits() {
	const set = limitsFromForm();
	const wall = set.wall_ms ?? defaults?.wall_ms ?? 30000;
	const memory = set.memory_bytes ?? defaults?.memory_bytes ?? 512 * MIB;
	byId("limits-text").textContent = `${duration(wall)} · ${Math.round(memory / MIB)} MiB`;
}

// What the role gives, once it is known.
export function setRole(role) {
	defaults = role?.limits;
	ceiling = role?.limits_max;
	for (const [id, name, unit] of fields) {
		if (defaults) byId(id).placeholder = String(defaults[name] / unit);
		if (ceiling) byId(id).title = `at most ${ceiling[name] / unit} for this role`;
	}
	const may = !role || role.tools.includes("run_sandboxed");
	byId("run").disabled = !may || job !== null;
	showLimits();
}

function takeExample(example) {
	setFiles(example.files?.() ?? []);
	limitsToForm(example.limits);
	editor.set(example.code);
	for (const button of byId("examples").children)
		button.setAttribute("aria-pressed", String(button.dataset.id === example.id));
}

function closeReceipt() {
	byId("receipt").hidden = true;
	byId("workspace").classList.remove("with-receipt");
	const button = byId("receipt-open");
	button?.setAttribute("aria-expanded", "false");
	button?.focus();
}

function openReceipt(receipt) {
	if (!byId("receipt").hidden) {
		closeReceipt();
		return;
	}
	showReceipt(byId("receipt"), receipt, closeReceipt);
	byId("workspace").classList.add("with-receipt");
	byId("receipt-open").setAttribute("aria-expanded", "true");
}

// The clock of a job that runs.
function startClock(output) {
	const started = performance.now();
	const words = el("span", {class: "num"}, "0 ms");
	const pane = byId("result");
	fill(
		pane,
		el(
			"div",
			{class: "verdict"},
			el(
				"div",
				{class: "verdict-line"},
				chip("running"),
				el("span", {class: "verdict-words"}, "Running for ", words, "."),
			),
		),
		el("section", {class: "part"}, output.element),
	);
	const timer = setInterval(() => {
		words.textContent = duration(Math.floor((performance.now() - started) / 100) * 100);
	}, 100);
	return () => clearInterval(timer);
}

function setBusy(busy) {
	byId("run").disabled = busy;
	byId("stop").disabled = !busy;
	byId("result-pane").setAttribute("aria-busy", String(busy));
	byId("result-pane").scrollTop = 0;
}

function showResult(result, output) {
	output.finish(result);
	fill(
		byId("result"),
		verdictElement(result, () => openReceipt(result.receipt)),
		resultElements(result, output, (line) => editor.mark(line, errorLine(result.error))),
	);
	if (result.error?.line) editor.mark(result.error.line, errorLine(result.error));
	announce(summary(result));
}

const errorLine = (error) => oneLine(`${error.type}: ${error.message}`, 300);

async function start() {
	if (job || byId("run").disabled) return;
	const output = new Output();
	const mine = (job = {id: "", abort: new AbortController(), stopped: false});
	const hadFocus = document.activeElement === byId("run");
	closeReceiptQuietly();
	editor.clearMark();
	setBusy(true);
	if (hadFocus) byId("stop").focus();
	announce("Running");
	const stopClock = startClock(output);
	try {
		const body = await bodyOf({code: editor.get(), receipt: true, limits: limitsFromForm()});
		const result = await runJob(
			body,
			{
				job: (id) => {
					mine.id = id;
					if (mine.stopped) void askToStop(mine);
				},
				output: (stream, data) => output.add(stream, data),
			},
			mine.abort.signal,
		);
		showResult(result, output);
	} catch (fault) {
		output.flush();
		const problem =
			fault.name === "AbortError"
				? new Problem(0, "stopped; its connection was closed, which ends it")
				: fault;
		fill(
			byId("result"),
			problemElement(problem),
			output.empty ? null : el("section", {class: "part"}, output.element),
		);
		announce(problem.message);
	} finally {
		stopClock();
		const stopHadFocus = document.activeElement === byId("stop");
		job = null;
		setBusy(false);
		if (stopHadFocus) byId("run").focus();
	}
}

function closeReceiptQuietly() {
	byId("receipt").hidden = true;
	byId("workspace").classList.remove("with-receipt");
}

// Asks for the job's end and still waits for its result, which says what it had done; if none
// comes, closes the connection, which ends it too.
async function askToStop(mine) {
	setTimeout(() => mine.abort.abort(), STOP_WAIT_MS);
	try {
		await cancel(mine.id);
	} catch {
		mine.abort.abort();
	}
}

function stop() {
	if (!job || job.stopped) return;
	job.stopped = true;
	byId("stop").disabled = true;
	byId("run").focus();
	if (job.id) void askToStop(job);
}

export function begin() {
	if (/Mac|iPhone|iPad/.test(navigator.platform)) byId("run-key").textContent = "⌘ ⏎";
	editor = createEditor(byId("editor"), {label: "Python code", onRun: start});
	fill(
		byId("examples"),
		examples.map((example) =>
			el(
				"button",
				{
					type: "button",
					class: "chip-button",
					"data-id": example.id,
					"aria-pressed": "false",
					onclick: () => takeExample(example),
				},
				example.name,
			),
		),
	);
	byId("run").addEventListener("click", start);
	byId("stop").addEventListener("click", stop);
	for (const [id] of fields) byId(id).addEventListener("input", showLimits);
	watchInputs(byId("code-pane"), (fault) => fill(byId("result"), problemElement(new Problem(413, fault))));
	takeExample(examples[0]);
	emptyElement(byId("result"));
}

export const enter = () => {};
export const leave = () => {};
