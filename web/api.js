// api: every request of the page. The token lives here, in a variable, and nowhere else.

let token = "";
let onUnknown = () => {};
let onReach = () => {};
let reached = true;

export const setToken = (value) => {
	token = value;
};
export const hasToken = () => token !== "";
// What to do when the server wants a token, or another one.
export const whenUnknown = (call) => {
	onUnknown = call;
};

// What to do when the server can be reached no more, or again: called with whether it can.
export const whenReach = (call) => {
	onReach = call;
};

function noteReach(value) {
	if (value === reached) return;
	reached = value;
	onReach(value);
}

// A refusal: RFC 9457's fields, or what went wrong below.
export class Problem extends Error {
	constructor(status, detail, field = "", retryAfter = 0) {
		super(field && !detail.startsWith(field) ? `${field}: ${detail}` : detail);
		Object.assign(this, {status, detail, field, retryAfter});
	}
}

export async function request(path, options = {}) {
	const headers = {...options.headers};
	if (token) headers.Authorization = `Bearer ${token}`;
	let response;
	try {
		response = await fetch(path, {
			cache: "no-store",
			credentials: "omit",
			redirect: "error",
			referrerPolicy: "no-referrer",
			...options,
			headers,
		});
	} catch (fault) {
		if (fault.name === "AbortError") throw fault;
		noteReach(false);
		throw new Problem(0, "brig cannot be reached");
	}
	noteReach(true);
	if (response.ok) return response;
	let problem = {};
	try {
		problem = await response.json();
	} catch {
		// Not from brig: its status has to do.
	}
	if (response.status === 401) onUnknown();
	throw new Problem(
		response.status,
		problem.detail ?? `the server answered ${response.status}`,
		problem.field,
		Number(response.headers.get("Retry-After")),
	);
}

export const getJson = async (path, options) => (await request(path, options)).json();
export const getText = async (path, options) => (await request(path, options)).text();

export async function postJson(path, body) {
	const response = await request(path, {
		method: "POST",
		body: JSON.stringify(body),
		headers: {"Content-Type": "application/json"},
	});
	return response.json();
}

export const cancel = (id) => request(`/v1/jobs/${encodeURIComponent(id)}`, {method: "DELETE"});

// The path of a job's file here, whatever host its url names; null for anything else.
export function filePath(url) {
	try {
		const path = new URL(url, location.origin).pathname;
		return path.startsWith("/v1/jobs/") ? path : null;
	} catch {
		return null;
	}
}

// The events of a stream, [name, data as text]. Only what is new is searched for an event's end,
// so that one of several megabytes costs no more than its length.
async function* eventsOf(response) {
	const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
	let parts = [];
	for (;;) {
		const {value, done} = await reader.read().catch((fault) => {
			if (fault.name !== "AbortError") void request("/healthz").catch(() => {});
			throw fault;
		});
		if (done) return;
		let rest = value;
		if (rest.startsWith("\n") && parts.length && parts.at(-1).endsWith("\n")) {
			yield eventOf(parts.join(""));
			parts = [];
			rest = rest.slice(1);
		}
		for (let end = rest.indexOf("\n\n"); end >= 0; end = rest.indexOf("\n\n")) {
			parts.push(rest.slice(0, end));
			yield eventOf(parts.join(""));
			parts = [];
			rest = rest.slice(end + 2);
		}
		if (rest) parts.push(rest);
	}
}

function eventOf(text) {
	const found = /^event: (\w+)\ndata: /.exec(text);
	return found ? [found[1], text.slice(found[0].length)] : ["", ""];
}

// Runs a job. `on.job(id)` and `on.output(stream, json)` as it comes; the result at last.
export async function run(body, on, signal) {
	const isForm = body instanceof FormData;
	const headers = {Accept: "text/event-stream"};
	if (!isForm) headers["Content-Type"] = "application/json";
	const response = await request("/v1/run", {
		method: "POST",
		headers,
		body: isForm ? body : JSON.stringify(body),
		signal,
	});
	for await (const [name, data] of eventsOf(response)) {
		if (name === "job") on.job(JSON.parse(data).job_id);
		else if (name === "stdout" || name === "stderr") on.output(name, data);
		else if (name === "result") return JSON.parse(data);
		else if (name === "problem") {
			const problem = JSON.parse(data);
			throw new Problem(problem.status, problem.detail, problem.field);
		}
	}
	throw new Problem(0, "the connection ended before the result came");
}
