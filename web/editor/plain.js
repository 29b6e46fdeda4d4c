// The editor where npm was not there when brig was built: a text area with line numbers, of the
// same interface as code.js.

export const kind = "plain";

export function createEditor(parent, {label, doc = "", readOnly = false, onRun = () => {}}) {
	const numbers = document.createElement("div");
	const area = document.createElement("textarea");
	const fault = document.createElement("p");
	let marked = 0;
	numbers.className = "plain-numbers";
	numbers.setAttribute("aria-hidden", "true");
	area.className = "plain-area";
	area.setAttribute("aria-label", label);
	area.readOnly = readOnly;
	area.spellcheck = false;
	area.wrap = "off";
	area.autocapitalize = "off";
	fault.className = "plain-fault";
	fault.hidden = true;

	const number = () => {
		const lines = area.value.split("\n").length;
		numbers.replaceChildren(
			...Array.from({length: lines}, (_, i) => {
				const line = document.createElement("div");
				line.textContent = String(i + 1);
				line.className = i + 1 === marked ? "marked" : "";
				return line;
			}),
		);
	};
	const clearMark = () => {
		marked = 0;
		fault.hidden = true;
		number();
	};
	area.addEventListener("scroll", () => {
		numbers.scrollTop = area.scrollTop;
	});
	area.addEventListener("input", clearMark);
	area.addEventListener("keydown", (event) => {
		if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
			event.preventDefault();
			onRun();
		}
	});
	area.value = doc;
	parent.classList.add("plain");
	parent.replaceChildren(numbers, area, fault);
	number();
	return {
		get: () => area.value,
		set: (text) => {
			area.value = text;
			clearMark();
		},
		focus: () => area.focus(),
		clearMark,
		mark: (line, message) => {
			marked = line;
			fault.textContent = `line ${line}: ${message}`;
			fault.hidden = false;
			number();
			const height = area.scrollHeight / Math.max(1, area.value.split("\n").length);
			area.scrollTop = Math.max(0, (line - 5) * height);
		},
	};
}
