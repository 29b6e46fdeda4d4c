// receipt: which layers of isolation the service saw on the very cell that ran.
import {el, fill} from "./dom.js";
import {oneLine, visible} from "./text.js";

const LABELS = {
	uid: "A user of its own",
	caps: "No capability",
	nnp: "No new privileges",
	pidns: "Process namespace",
	root: "A root of its own",
	image: "Image read-only",
	work: "Work folder bounded",
	dev: "Five devices",
	proc: "No /proc",
	net: "No network",
	ipc: "IPC, names, cgroup apart",
	seccomp: "System call filter",
	landlock: "Landlock",
	memory: "Memory limit",
	pids: "Process limit",
	cpu: "CPU share",
	rlimits: "Resource limits",
	dump: "Not traceable",
	fds: "Descriptors counted",
	tty: "No terminal",
	keyring: "Keyring of its own",
	speculation: "Speculation",
};

const TONES = {on: "good", "not offered": "idle"};

function layer([id, {state, detail}]) {
	const tone = TONES[state] ?? "bad";
	return el(
		"li",
		{class: `layer ${tone}`},
		el("span", {class: "dot", "aria-hidden": "true"}),
		el(
			"span",
			{class: "layer-name"},
			LABELS[id] ?? visible(id),
			state === "on"
				? el("span", {class: "visually-hidden"}, ", on")
				: el("span", {class: "layer-state"}, visible(state)),
		),
		el("code", {class: "layer-detail"}, oneLine(detail ?? "", 120)),
	);
}

export const heldWords = (receipt) => {
	const layers = Object.values(receipt.layers);
	return `${layers.filter((one) => one.state === "on").length}/${layers.length}`;
};

// Fills the aside; `onClose` takes it away.
export function showReceipt(aside, receipt, onClose) {
	const layers = Object.entries(receipt.layers);
	const off = layers.filter(([, one]) => one.state !== "on");
	fill(
		aside,
		el(
			"header",
			{class: "pane-head"},
			el("h2", {}, "Receipt"),
			el("span", {class: "spring"}),
			el(
				"button",
				{type: "button", class: "small", "aria-label": "Close the receipt", onclick: onClose},
				"Close",
			),
		),
		el(
			"div",
			{class: "receipt-body", tabindex: "0", role: "group", "aria-label": "Layers"},
			el(
				"p",
				{class: "receipt-sum"},
				el("strong", {class: "num"}, heldWords(receipt).replace("/", " of "), " layers"),
				" held on this very cell",
				off.length ? `; ${off.map(([id, one]) => `${id}: ${visible(one.state)}`).join(", ")}.` : ".",
			),
			el("ul", {class: "layers"}, layers.map(layer)),
			el(
				"dl",
				{class: "facts"},
				el("dt", {}, "Image"),
				el("dd", {}, el("code", {}, oneLine(receipt.image ?? "", 40))),
				el("dt", {}, "Kernel"),
				el("dd", {}, el("code", {}, oneLine(receipt.kernel ?? "", 40))),
				el("dt", {}, "cgroup"),
				el("dd", {}, el("code", {}, oneLine(receipt.cgroup ?? "", 20))),
			),
		),
	);
	aside.hidden = false;
}
