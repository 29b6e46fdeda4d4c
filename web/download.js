// download: bytes to the reader's disk, and files of jobs by way of a request with the token.
//
// A blob's address is of this page's origin, so what is saved never gets a type that a browser
// would open: it is bytes with a name.
import {Problem, filePath, request} from "./api.js";
import {el} from "./dom.js";
import {saveName} from "./text.js";

function save(blob, name) {
	const url = URL.createObjectURL(blob);
	el("a", {href: url, download: saveName(name)}).click();
	setTimeout(() => URL.revokeObjectURL(url), 30_000);
}

export const saveText = (text, name) => save(new Blob([text], {type: "application/octet-stream"}), name);

export async function saveFile(url, name) {
	save(new Blob([await fetchFile(url)], {type: "application/octet-stream"}), name);
}

export async function fetchFile(url) {
	const path = filePath(url);
	if (!path) throw new Problem(0, "the file has no address here");
	return (await request(path)).arrayBuffer();
}

// As data:, which is an origin of its own wherever it is opened.
export async function dataUrl(url, type) {
	const bytes = await fetchFile(url);
	return new Promise((resolve, reject) => {
		const reader = new FileReader();
		reader.onload = () => resolve(reader.result);
		reader.onerror = () => reject(reader.error);
		reader.readAsDataURL(new Blob([bytes], {type}));
	});
}

export function saveDataUrl(address, name) {
	el("a", {href: address, download: saveName(name)}).click();
}
