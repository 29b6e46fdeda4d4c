// calculate: one line in; a value, its exact value, or the forbidden node under a caret.
import {postJson} from "./api.js";
import {byId, el, fill} from "./dom.js";
import {visible} from "./text.js";

const KEPT = 30;
const SAMPLES = [
	"0.1 + 0.2",
	"123456789 * 987654321",
	"2 ** 0.5 * (3 + 4)",
	"2^10",
	"__import__('os').system('id')",
	"1 / 0",
];

// The expression with the place at fault; `column` counts characters from 1.
function pointed(expr, column) {
	const characters = [...expr];
	const at = Math.min(Math.max(column - 1, 0), characters.length);
	return el(
		"pre",
		{class: "caret-line", tabindex: "0", role: "group", "aria-label": "Expression"},
		visible(characters.slice(0, at).join("")),
		el("span", {class: "caret"}, visible(characters[at] ?? " ")),
		visible(characters.slice(at + 1).join("")),
	);
}

function entry(expr, answer) {
	const {error} = answer;
	if (!error) {
		const value = answer.text ? answer.text.split(" (exactly")[0] : String(answer.value);
		return el(
			"li",
			{class: "calc-entry"},
			el("pre", {class: "calc-expr"}, visible(expr)),
			el(
				"div",
				{class: "calc-value"},
				el("output", {class: "mono num"}, visible(value)),
				answer.exact !== undefined && answer.exact !== value
					? el(
							"span",
							{class: "calc-exact"},
							el("span", {class: "muted"}, "exact "),
							el("span", {class: "mono num"}, visible(answer.exact)),
						)
					: null,
			),
		);
	}
	return el(
		"li",
		{class: "calc-entry refused"},
		error.column ? pointed(expr, error.column) : el("pre", {class: "calc-expr"}, visible(expr)),
		el(
			"div",
			{class: "calc-fault"},
			el("strong", {}, visible(error.type)),
			" ",
			visible(error.message),
			error.column ? el("span", {class: "muted num"}, ` at character ${error.column}`) : null,
		),
		error.hint ? el("p", {class: "hint"}, visible(error.hint)) : null,
	);
}

async function calculate(expr) {
	let shown;
	try {
		shown = entry(expr, await postJson("/v1/calculate", {expr}));
	} catch (fault) {
		shown = el(
			"li",
			{class: "calc-entry refused"},
			el("pre", {class: "calc-expr"}, visible(expr)),
			el("div", {class: "calc-fault"}, visible(fault.message)),
		);
	}
	const log = byId("calc-log");
	log.prepend(shown);
	while (log.children.length > KEPT) log.lastElementChild.remove();
}

export function begin() {
	const input = byId("calc-input");
	byId("calc-form").addEventListener("submit", (event) => {
		event.preventDefault();
		if (input.value.trim()) void calculate(input.value);
		input.select();
	});
	fill(
		byId("calc-samples"),
		SAMPLES.map((sample) =>
			el(
				"button",
				{
					type: "button",
					class: "chip-button mono",
					onclick: () => {
						input.value = sample;
						void calculate(sample);
					},
				},
				sample,
			),
		),
	);
}

export const enter = () => {};
export const leave = () => {};
