// lib: a browser, pages that tell of every violation of their policy, and the tests' book.
import assert from "node:assert/strict";
import {readFile} from "node:fs/promises";
import {chromium} from "playwright-core";

export {assert};
export const {OPEN_URL, CLOSED_URL, OPERATOR, BILLING, SHOTS, TOP, SCRATCH} = process.env;
export const DESKTOP = {width: 1280, height: 800};
export const PHONE = {width: 390, height: 844};
export const WATCHDOG_MS = 60_000;

const tests = [];
let browser;

export const test = (name, body) => tests.push({name, body});

export async function runTests(words) {
	browser = await chromium.launch({executablePath: "/usr/bin/chromium", args: ["--no-sandbox"]});
	const counts = {passed: 0, failed: 0};
	for (const {name, body} of tests) {
		if (words.length && !words.some((word) => name.includes(word))) continue;
		try {
			await body();
			counts.passed++;
			console.log(`passed: ${name}`);
		} catch (fault) {
			counts.failed++;
			console.log(`failed: ${name}: ${fault.stack ?? fault}`);
		}
	}
	await browser.close();
	console.log(`${counts.passed} passed, ${counts.failed} failed, 0 skipped`);
	return counts.failed ? 1 : 0;
}

// What a page must never do, gathered: violations of its policy, exceptions, dialogs, and requests
// to anywhere else. A refusal's status in the console is the browser's own note, not a fault.
function watch(page, url, faults) {
	page.on("pageerror", (fault) => faults.push(`exception: ${fault.message}`));
	page.on("console", (message) => {
		if (
			["error", "warning"].includes(message.type()) &&
			!/Failed to load resource: (.* status of (401|403|404|413|422)|net::ERR_INTERNET_DISCONN)/.test(
				message.text(),
			)
		)
			faults.push(`console: ${message.text()}`);
	});
	page.on("dialog", async (dialog) => {
		faults.push(`dialog: ${dialog.message()}`);
		await dialog.dismiss();
	});
	page.on("request", (request) => {
		if (!request.url().startsWith(url) && !/^(data|blob):/.test(request.url()))
			faults.push(`request: ${request.url()}`);
	});
}

// Opens the page, calls `body(page)`, and then asserts that nothing of the above happened.
export async function withPage(options, body) {
	const {url = OPEN_URL, hash = "", viewport = DESKTOP, scheme = "light", before} = options;
	const context = await browser.newContext({
		viewport,
		colorScheme: scheme,
		acceptDownloads: true,
		reducedMotion: "reduce",
	});
	const faults = [];
	try {
		const page = await context.newPage();
		page.setDefaultTimeout(WATCHDOG_MS);
		watch(page, url, faults);
		await page.exposeFunction("tellViolation", (words) => faults.push(`policy: ${words}`));
		await page.addInitScript(() =>
			document.addEventListener("securitypolicyviolation", (event) =>
				window.tellViolation(`${event.effectiveDirective} ${event.blockedURI} ${event.sample}`),
			),
		);
		await before?.(page);
		await page.goto(`${url}/${hash}`);
		await body(page);
		await page.waitForTimeout(50); // for what would be told late
	} finally {
		await context.close();
	}
	assert.deepEqual(faults, []);
}

export const pick = (page, id) => page.locator(`[data-id=${id}]`).click();
export const verdict = (page) => page.locator("#result .verdict .outcome").innerText();
export const running = (page) => page.locator("#result .outcome.live");

// Runs what is in the editor until its result is there; the outcome.
export async function runIt(page) {
	await page.locator("#run").click();
	await page.locator("#run:not([disabled])").waitFor();
	return verdict(page);
}

// Puts code into the editor as a person would, whole.
export async function write(page, code) {
	const area = page.locator("#editor .cm-content, #editor textarea");
	await area.fill(code);
}

// A call of the API beside the page.
export async function api(path, {url = OPEN_URL, token, ...options} = {}) {
	const headers = {
		"Content-Type": "application/json",
		...(token ? {Authorization: `Bearer ${token}`} : {}),
	};
	return fetch(url + path, {headers, ...options});
}

export const runCode = async (code, options) =>
	(await api("/v1/run", {method: "POST", body: JSON.stringify({code}), ...options})).json();

const axeSource = readFile(new URL("node_modules/axe-core/axe.min.js", import.meta.url), "utf8");

// Every finding of axe-core, in words.
export async function axe(page) {
	await page.evaluate(await axeSource);
	const {violations} = await page.evaluate(() =>
		window.axe.run(document, {
			resultTypes: ["violations"],
			runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"],
		}),
	);
	return violations.flatMap(({id, nodes}) =>
		nodes.map((node) => `${id}: ${node.target.join(" ")}: ${node.failureSummary.replace(/\s+/g, " ")}`),
	);
}
