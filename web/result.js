// result: what a job gave back, as one reads it.
import {dataUrl, saveDataUrl, saveFile} from "./download.js";
import {el, fill} from "./dom.js";
import {meters} from "./meters.js";
import {heldWords} from "./receipt.js";
import {tableElement} from "./table.js";
import {bytes, oneLine, plural, visible} from "./text.js";
import {chip, sentence} from "./verdict.js";

const PICTURES = ["image/png", "image/jpeg", "image/svg+xml"];
const VALUE_SHOWN = 64 * 1024;

export function verdictElement(result, onReceipt) {
	return el(
		"div",
		{class: "verdict"},
		el(
			"div",
			{class: "verdict-line"},
			chip(result.outcome),
			el("span", {class: "verdict-words"}, sentence(result)),
			result.receipt
				? el(
						"button",
						{
							type: "button",
							class: "small",
							id: "receipt-open",
							"aria-controls": "receipt",
							"aria-expanded": "false",
							onclick: onReceipt,
						},
						"Receipt ",
						el("span", {class: "muted num"}, heldWords(result.receipt)),
					)
				: null,
		),
		result.hint ? el("p", {class: "hint"}, visible(result.hint)) : null,
		result.usage ? meters(result.usage, result.limits, result.stdout_bytes + result.stderr_bytes) : null,
	);
}

const part = (title, ...content) => el("section", {class: "part"}, el("h2", {}, title), content);

export function errorElement(error, onLine) {
	if (!error) return null;
	return el(
		"section",
		{class: "part fault"},
		el(
			"h2",
			{},
			visible(error.type),
			error.line
				? el(
						"button",
						{type: "button", class: "small", onclick: () => onLine(error.line)},
						`Line ${error.line}`,
					)
				: null,
		),
		el(
			"pre",
			{class: "traceback", tabindex: "0", role: "group", "aria-label": "Traceback"},
			visible(error.traceback || `${error.type}: ${error.message}`),
		),
	);
}

function valueElement(value) {
	if (!value) return null;
	if (value.table) return part("Value", tableElement(value.table, "Value"));
	return part(
		"Value",
		el(
			"pre",
			{class: "value", tabindex: "0", role: "group", "aria-label": "Value"},
			visible((value.text ?? "").slice(0, VALUE_SHOWN)),
		),
	);
}

function chartElement(chart, number) {
	const name = chart.title ? oneLine(chart.title, 120) : `Chart ${number}`;
	if (!PICTURES.includes(chart.mime)) return null;
	// An <img> runs no script, whatever its SVG holds.
	const image = el("img", {
		alt: oneLine(chart.alt || name, 400),
		width: chart.width || null,
		height: chart.height || null,
	});
	const note = el("p", {class: "note", hidden: true});
	const ending = {"image/png": "png", "image/jpeg": "jpg", "image/svg+xml": "svg"}[chart.mime];
	const fileName = `${chart.title || `chart-${number}`}.${ending}`;
	const save = el(
		"button",
		{
			type: "button",
			class: "small",
			"aria-label": `Save ${name}`,
			onclick: () => saveDataUrl(image.src, fileName),
			disabled: true,
		},
		"Save",
	);
	const address = chart.data_base64
		? Promise.resolve(`data:${chart.mime};base64,${chart.data_base64}`)
		: dataUrl(chart.url, chart.mime);
	address.then(
		(text) => {
			image.src = text;
			save.disabled = false;
		},
		(fault) => {
			note.hidden = false;
			note.textContent = `The chart could not be loaded: ${fault.message}`;
		},
	);
	return el("figure", {class: "chart"}, image, note, el("figcaption", {}, el("span", {}, name), save));
}

function fileElement(file) {
	const state = el("span", {class: "bad-text", role: "alert"});
	const save = async () => {
		state.textContent = "";
		try {
			await saveFile(file.url, file.name);
		} catch (fault) {
			state.textContent = fault.message;
		}
	};
	return el(
		"li",
		{},
		el("span", {class: "file-name mono"}, oneLine(file.name, 160)),
		el("span", {class: "muted num"}, bytes(file.bytes)),
		el("span", {class: "spring"}),
		state,
		file.url
			? el(
					"button",
					{
						type: "button",
						class: "small",
						"aria-label": `Download ${oneLine(file.name, 80)}`,
						onclick: save,
					},
					"Download",
				)
			: null,
	);
}

function filesElement(files, skipped) {
	if (!files.length && !skipped.length) return null;
	return part(
		"Files",
		el(
			"ul",
			{class: "files"},
			files.map(fileElement),
			skipped.map((one) =>
				el(
					"li",
					{class: "muted"},
					el("span", {class: "file-name mono"}, oneLine(one.name, 160)),
					el("span", {}, `left out: ${visible(one.why)}`),
				),
			),
		),
	);
}

// The one rendering that stands alone: notes are told there.
function modelElement(text) {
	if (!text) return null;
	return el(
		"details",
		{class: "part for-model"},
		el("summary", {}, "What a model is given"),
		el(
			"pre",
			{class: "given", tabindex: "0", role: "group", "aria-label": "What a model is given"},
			visible(text),
		),
	);
}

// Everything below the verdict; `output` is the stream's element.
export function resultElements(result, output, onLine) {
	const quiet =
		!result.error &&
		!result.result &&
		!result.tables.length &&
		!result.charts.length &&
		!result.files.length;
	return [
		errorElement(result.error, onLine),
		output.empty ? null : part("Output", output.element),
		result.tables.map((table, at) =>
			part(
				at ? `Table ${at + 1}` : "Table",
				tableElement(table, visible(table.name ?? `Table ${at + 1}`)),
			),
		),
		valueElement(result.result),
		result.charts.length
			? part(
					result.charts.length > 1 ? "Charts" : "Chart",
					result.charts.map((chart, at) => chartElement(chart, at + 1)),
				)
			: null,
		filesElement(result.files, result.skipped ?? []),
		output.empty && quiet && result.outcome === "ok"
			? el("p", {class: "note"}, "The program printed nothing and its last line has no value.")
			: null,
		modelElement(result.text),
	];
}

export function summary(result) {
	const words = [sentence(result)];
	if (result.tables.length || result.result?.table)
		words.push(plural(result.tables.length + (result.result?.table ? 1 : 0), "table"));
	if (result.charts.length) words.push(plural(result.charts.length, "chart"));
	if (result.files.length) words.push(plural(result.files.length, "file"));
	return words.join(" ");
}

export function problemElement(problem) {
	return el(
		"div",
		{class: "verdict"},
		el(
			"div",
			{class: "verdict-line"},
			chip(problem.status === 0 ? "interrupted" : "rejected"),
			el("span", {class: "verdict-words"}, visible(problem.message)),
		),
		problem.retryAfter ? el("p", {class: "hint"}, `Try again in ${problem.retryAfter} s.`) : null,
	);
}

export const emptyElement = (pane) =>
	fill(
		pane,
		el(
			"div",
			{class: "empty"},
			el("p", {class: "empty-title"}, "Nothing has run yet"),
			el(
				"p",
				{class: "muted"},
				"Pick an example or write Python. Each run gets a jail of its own, and a receipt that says which layers held.",
			),
		),
	);
