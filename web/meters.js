// meters: how much of each limit was used.
import {el} from "./dom.js";
import {bytes, duration} from "./text.js";

function meter({label, used, limit, format}) {
	const share = limit ? Math.min(1, used / limit) : 0;
	const level = share >= 0.995 ? "full" : share >= 0.8 ? "high" : "";
	const bar = el("span", {class: `bar-fill ${level}`});
	// Set by property: the page's policy allows no style attribute.
	bar.style.inlineSize = `${Math.max(share * 100, used > 0 ? 1 : 0)}%`;
	return el(
		"div",
		{
			class: "meter",
			role: "meter",
			"aria-label": label,
			"aria-valuemin": "0",
			"aria-valuemax": String(limit),
			"aria-valuenow": String(Math.min(used, limit)),
			"aria-valuetext": `${format(used)} of ${format(limit)}`,
		},
		el(
			"span",
			{class: "meter-line"},
			el("span", {class: "meter-label"}, label),
			el("span", {class: "num"}, format(used)),
		),
		el("span", {class: "bar-track"}, bar),
		el("span", {class: "meter-limit num"}, `of ${format(limit)}`),
	);
}

export function meters(usage, limits, outputBytes) {
	const all = [
		{label: "Wall", used: usage.wall_ms, limit: limits.wall_ms, format: duration},
		{label: "CPU", used: usage.cpu_ms, limit: limits.cpu_ms, format: duration},
		{label: "Memory", used: usage.memory_peak_bytes, limit: limits.memory_bytes, format: bytes},
	];
	if (limits.processes)
		all.push({label: "Processes", used: usage.processes_peak, limit: limits.processes, format: String});
	if (outputBytes !== undefined && limits.output_bytes)
		all.push({label: "Output", used: outputBytes, limit: limits.output_bytes, format: bytes});
	return el("div", {class: "meters"}, all.map(meter));
}
