// dom: elements, with text that is only ever text.
//
// Nothing in the page parses markup: there is no innerHTML anywhere, and the policy that the page
// comes with (Trusted Types) would refuse it.

export const byId = (id) => document.getElementById(id);

// el("td", {class: "num", onclick: f}, "text", otherElement). A null child is left out.
export function el(name, attributes = {}, ...children) {
	const element = document.createElement(name);
	for (const [key, value] of Object.entries(attributes)) {
		if (value === null || value === undefined || value === false) continue;
		if (key.startsWith("on")) element.addEventListener(key.slice(2), value);
		else if (key in PROPERTIES) element[key] = value;
		else element.setAttribute(key, value === true ? "" : value);
	}
	append(element, children);
	return element;
}

// What has to be set as a property to work.
const PROPERTIES = {value: 1, checked: 1, disabled: 1, hidden: 1, textContent: 1};

function append(element, children) {
	for (const child of children.flat(Infinity))
		if (child !== null && child !== undefined && child !== false) element.append(child);
}

export function fill(element, ...children) {
	element.replaceChildren();
	append(element, children);
	return element;
}

const SVG = "http://www.w3.org/2000/svg";

export function svg(name, attributes = {}, ...children) {
	const element = document.createElementNS(SVG, name);
	for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
	element.append(...children);
	return element;
}

// Says something to a screen reader.
export function announce(text) {
	byId("announce").textContent = text;
}

// Calls no more often than every `wait` ms, with the last arguments.
export function debounce(call, wait) {
	let timer = 0;
	return (...values) => {
		clearTimeout(timer);
		timer = setTimeout(() => call(...values), wait);
	};
}
