// inputs: the files that go along with the next job.
import {announce, byId, el, fill} from "./dom.js";
import {bytes, oneLine, plural} from "./text.js";

const FILES_MAX = 64;
const BYTES_MAX = 256 * 1024 * 1024;
// Up to this they travel in the JSON, which keeps any name exact; beyond it as multipart.
const INLINE_MAX = 8 * 1024 * 1024;

let files = []; // {name, blob}

export const hasFiles = () => files.length > 0;

export function setFiles(texts) {
	files = texts.map(({name, text}) => ({name, blob: new Blob([text])}));
	draw();
}

// Returns what is wrong, or "".
export function addFiles(list) {
	for (const file of list) {
		const others = files.filter((one) => one.name !== file.name);
		if (others.length >= FILES_MAX) return `a job takes ${FILES_MAX} files at most`;
		if (others.reduce((sum, one) => sum + one.blob.size, file.size) > BYTES_MAX)
			return `a job takes ${bytes(BYTES_MAX)} of files at most`;
		files = [...others, {name: file.name, blob: file}];
	}
	draw();
	announce(`${plural(files.length, "input file")}`);
	return "";
}

function remove(name) {
	files = files.filter((one) => one.name !== name);
	draw();
	announce(`${oneLine(name, 80)} taken away`);
	byId("file-add").focus();
}

function draw() {
	fill(
		byId("input-list"),
		files.map(({name, blob}) =>
			el(
				"li",
				{class: "chip"},
				el("span", {class: "mono"}, oneLine(name, 60)),
				el("span", {class: "muted num"}, bytes(blob.size)),
				el(
					"button",
					{
						type: "button",
						class: "remove",
						"aria-label": `Take ${oneLine(name, 60)} away`,
						onclick: () => remove(name),
					},
					"×",
				),
			),
		),
	);
}

async function base64(blob) {
	const data = new Uint8Array(await blob.arrayBuffer());
	let text = "";
	for (let at = 0; at < data.length; at += 0x8000)
		text += String.fromCharCode(...data.subarray(at, at + 0x8000));
	return btoa(text);
}

// The body of POST /v1/run.
export async function bodyOf(request) {
	const total = files.reduce((sum, one) => sum + one.blob.size, 0);
	if (!files.length) return request;
	if (total <= INLINE_MAX)
		return {
			...request,
			files: await Promise.all(
				files.map(async ({name, blob}) => ({name, content_base64: await base64(blob)})),
			),
		};
	const form = new FormData();
	form.append("request", JSON.stringify(request));
	for (const {name, blob} of files) form.append("files", blob, name);
	return form;
}

// `onFault(text)` says what could not be taken.
export function watchInputs(pane, onFault) {
	const take = (list) => {
		const fault = addFiles(list);
		if (fault) onFault(fault);
	};
	byId("file-add").addEventListener("change", (event) => {
		take(event.target.files);
		event.target.value = "";
	});
	const isFiles = (event) => [...(event.dataTransfer?.types ?? [])].includes("Files");
	for (const name of ["dragenter", "dragover"])
		pane.addEventListener(
			name,
			(event) => {
				if (!isFiles(event)) return;
				event.preventDefault();
				pane.classList.add("dropping");
			},
			true,
		);
	pane.addEventListener("dragleave", (event) => {
		if (!pane.contains(event.relatedTarget)) pane.classList.remove("dropping");
	});
	pane.addEventListener(
		"drop",
		(event) => {
			if (!isFiles(event)) return;
			event.preventDefault();
			event.stopPropagation();
			pane.classList.remove("dropping");
			take(event.dataTransfer.files);
		},
		true,
	);
	// A file that misses the pane must not replace the page.
	for (const name of ["dragover", "drop"]) window.addEventListener(name, (event) => event.preventDefault());
}
