// rooms: calculate, jobs, health, and the token.
import {
	api,
	assert,
	BILLING,
	CLOSED_URL,
	OPEN_URL,
	OPERATOR,
	runCode,
	running,
	test,
	withPage,
	write,
} from "./lib.mjs";

async function calculate(page, expr) {
	const before = await page.locator(".calc-entry").count();
	await page.locator("#calc-input").fill(expr);
	await page.keyboard.press("Enter");
	await page.locator(".calc-entry").nth(before).waitFor();
	return page.locator(".calc-entry").first();
}

test("calculate: a value, its exact value, the forbidden node under a caret", () =>
	withPage({hash: "#/calculate"}, async (page) => {
		const sum = await calculate(page, "0.1 + 0.2");
		assert.equal(await sum.locator("output").innerText(), "0.30000000000000004");
		assert.match(await sum.locator(".calc-exact").innerText(), /exact\s+0\.3$/);
		const whole = await calculate(page, "2 ** 8");
		assert.equal(await whole.locator("output").innerText(), "256.0");
		const call = await calculate(page, "1 + abs(2)");
		assert.match(
			await call.locator(".calc-fault").innerText(),
			/ForbiddenNode forbidden node: Call at character 5/,
		);
		assert.equal(await call.locator(".caret").innerText(), "a");
		const power = await calculate(page, "2^10");
		assert.equal(await power.locator(".caret").innerText(), "^");
		assert.match(await power.locator(".hint").innerText(), /\*\*/);
		const markup = await calculate(page, "<img src=x onerror=alert(1)>");
		assert.equal(await markup.locator("img").count(), 0);
		const end = await calculate(page, "1 +");
		assert.match(await end.locator(".calc-fault").innerText(), /SyntaxError/);
	}));

const rowsOf = (page) => page.locator(".calls tbody tr");

test("jobs: the log, its filters, one call", async () => {
	const tag = `tag_${process.pid}`;
	await runCode(`print("${tag} one")`);
	await runCode(`raise ValueError("${tag} two")`);
	await runCode(`# ${tag} three\nkey = "ghp_${"a1B2".repeat(9)}"\nprint(key)`);
	await api("/v1/calculate", {method: "POST", body: JSON.stringify({expr: "20 + 22"})});
	await withPage({hash: "#/jobs"}, async (page) => {
		await page.locator("#filter-text").fill(tag);
		await rowsOf(page).nth(2).waitFor();
		await page.waitForFunction(() => document.querySelectorAll(".calls tbody tr").length === 3);
		await page.locator("#filter-outcome").selectOption("error");
		await page.waitForFunction(() => document.querySelectorAll(".calls tbody tr").length === 1);
		assert.match(await rowsOf(page).innerText(), /ValueError/);
		await page.locator("#filter-outcome").selectOption("");
		await page.locator("#filter-since").selectOption("15m");
		await page.waitForFunction(() => document.querySelectorAll(".calls tbody tr").length === 3);
		await page.locator("#filter-role").fill("nobody-has-it");
		await page.locator(".job-list .empty").waitFor();
		await page.locator("#filter-role").fill("local");
		await rowsOf(page).nth(2).waitFor();
		// One call: redacted code, output, limits against usage, its rows of the chain.
		await rowsOf(page).first().locator("a").click();
		await page.locator("#job-detail .code-view .cm-content").waitFor();
		const code = await page.locator("#job-detail .code-view .cm-content").innerText();
		assert.ok(code.includes("[redacted:") && !code.includes("ghp_a1B2"), code);
		assert.ok(!(await page.locator("#job-detail").innerText()).includes("ghp_a1B2"));
		assert.equal(await page.locator("#job-detail [role=meter]").count(), 3);
		const rows = page.locator("#job-detail section:last-child tbody tr");
		assert.deepEqual(await rows.locator("td:nth-child(2)").allInnerTexts(), ["accepted", "completed"]);
		assert.equal(await page.evaluate(() => document.activeElement.id), "job-title");
		await page.keyboard.press("Escape");
		await page.locator("#job-detail").waitFor({state: "hidden"});
	});
});

test("jobs: the chain's state", () =>
	withPage({hash: "#/jobs"}, async (page) => {
		await page.locator(".chain .outcome.good").waitFor();
		assert.match(await page.locator(".chain").innerText(), /rows?, chain intact/);
	}));

test("jobs: a call appears as it runs, is stopped from there, and ends there", () =>
	withPage({hash: "#/jobs"}, async (page) => {
		const running = runCode("# seen while it runs\nwhile True: pass");
		await page.locator("#filter-text").fill("seen while it runs");
		await page.locator(".calls .outcome.live").waitFor();
		await rowsOf(page).first().locator("a").click();
		await page.locator("#job-detail button.stop").click();
		await page.locator("#job-detail .pane-head .outcome", {hasText: "cancelled"}).waitFor();
		await page.locator(".calls .outcome", {hasText: "cancelled"}).waitFor();
		assert.equal((await running).outcome, "cancelled");
	}));

test("jobs: inputs are named with their hashes, and pages follow each other", async () => {
	await api("/v1/run", {
		method: "POST",
		body: JSON.stringify({code: "# with_input\n1", files: [{name: "<b>in.csv", content: "a,b\n"}]}),
	});
	for (let i = 0; i < 60; i++)
		await api("/v1/calculate", {method: "POST", body: JSON.stringify({expr: `${i} + 0`})});
	await withPage({hash: "#/jobs"}, async (page) => {
		await rowsOf(page).nth(49).waitFor();
		assert.equal(await rowsOf(page).count(), 50);
		await page.locator(".more").click();
		await rowsOf(page).nth(50).waitFor();
		assert.ok((await rowsOf(page).count()) > 50);
		await page.locator("#filter-text").fill("with_input");
		await page.waitForFunction(() => document.querySelectorAll(".calls tbody tr").length === 1);
		await rowsOf(page).first().locator("a").click();
		await page.locator("#job-detail .files", {hasText: "<b>in.csv"}).waitFor();
	});
});

test("jobs: what was done to a session's files is told apart", async () => {
	const begun = await (await api("/v1/sessions", {method: "POST", body: "{}"})).json();
	const files = `/v1/sessions/${begun.id}/files/told-apart.txt`;
	await api(files, {method: "PUT", body: "x", headers: {"Content-Type": "application/octet-stream"}});
	await api(files, {method: "DELETE"});
	await api(`/v1/sessions/${begun.id}`, {method: "DELETE"});
	await withPage({hash: "#/jobs"}, async (page) => {
		await page.locator("#filter-text").fill("told-apart");
		await page.waitForFunction(() => document.querySelectorAll(".calls tbody tr").length === 2);
		assert.deepEqual(await rowsOf(page).locator("td.tool").allInnerTexts(), ["remove", "write"]);
	});
});

test("the log over HTTP: filters are judged, roles without it are refused", async () => {
	const status = async (path, options) => (await api(path, options)).status;
	assert.equal(await status("/v1/audit?since=yesterday"), 422);
	assert.equal(await status("/v1/audit?nonsense=1"), 422);
	assert.equal(await status("/v1/audit?outcome=bogus"), 422);
	assert.equal(await status("/v1/audit?role=a&role=b"), 422);
	assert.equal(await status(`/v1/audit?text=${"x".repeat(300)}`), 422);
	assert.equal(await status("/v1/audit?text=%zz"), 422);
	assert.equal(await status("/v1/audit?limit=abc"), 422);
	assert.equal(
		(await (await api("/v1/audit?limit=999999&text=--db+%2Fetc%2Fshadow")).json()).calls.length,
		0,
	);
	assert.equal(await status("/v1/audit/--db"), 404);
	assert.equal(await status("/v1/audit/nosuchcall"), 404);
	assert.equal(await status("/v1/audit/..%2f"), 404);
	for (const path of ["/v1/audit", "/v1/audit/1", "/v1/audit/verify"]) {
		assert.equal(await status(path, {url: CLOSED_URL}), 401);
		assert.equal(await status(path, {url: CLOSED_URL, token: BILLING}), 403);
		assert.equal(await status(path, {url: CLOSED_URL, token: OPERATOR}), path.endsWith("/1") ? 404 : 200);
	}
	const me = await (await api("/v1/whoami", {url: CLOSED_URL, token: BILLING})).json();
	assert.deepEqual([me.role, me.token, me.tools, me.audit], ["billing", "till", ["calculate"], false]);
	assert.deepEqual([me.limits, me.limits_max], [undefined, undefined]); // of jobs that it cannot have
	const desk = await (await api("/v1/whoami", {url: CLOSED_URL, token: OPERATOR})).json();
	assert.equal(desk.limits_max.wall_ms, 30000);
});

test("health: cells, queue, latency, outcomes", async () => {
	await runCode("6 * 7");
	await withPage({hash: "#/health"}, async (page) => {
		await page.locator(".card", {hasText: "Cells"}).waitFor();
		const cells = await page.locator(".card", {hasText: "Cells"}).innerText();
		assert.match(cells.replace(/\s+/g, " "), /\d+ parked|parked \d+/);
		assert.match(await page.locator(".latency tbody tr").first().innerText(), /ms|s/);
		// A job that ends now is a bar in the chart.
		await runCode("import sys; sys.exit(3)");
		await page.locator(".plot rect.fill-warn").first().waitFor({state: "attached"});
		assert.match(await page.locator(".outcome-totals").innerText(), /^Since the start: .*ok \d+/);
	});
});

test("health: the counts under the chart are the chart's", async () => {
	await runCode("1");
	await withPage({hash: "#/health"}, async (page) => {
		await page.locator(".outcome-totals", {hasText: "Since the start"}).waitFor();
		assert.equal(await page.locator(".legend").count(), 0); // nothing has ended since it was opened
		for (let i = 0; i < 3; i++) await runCode("raise SystemExit(4)");
		await page.locator(".legend li", {hasText: /exit\s*3$/}).waitFor();
		assert.match(await page.locator(".card.full svg").getAttribute("aria-label"), /3 in all/);
	});
});

test("health: no figure is above the longest that there was", async () => {
	await runCode("import time; time.sleep(2.1)"); // the only one in its bucket, which ends at 5 s
	const text = await (await api("/metrics")).text();
	const longest = Number(/^brig_stage_seconds_max\{stage="job"\} (\S+)$/m.exec(text)[1]);
	assert.ok(longest > 2 && longest < 60, text);
	await withPage({hash: "#/health"}, async (page) => {
		const row = page.locator(".latency tbody tr").first();
		await row.waitFor();
		const shown = await row.locator("td").nth(2).innerText();
		const [, figure, unit] = /^([\d.]+)\s*(ms|s)$/.exec(shown);
		assert.ok(Number(figure) * (unit === "s" ? 1 : 0.001) <= longest + 0.06, `${shown} ${longest}`);
	});
});

test("a server that is gone shows at once", () =>
	withPage({hash: "#/calculate"}, async (page) => {
		await page.locator("#ready", {hasText: "Ready"}).waitFor();
		await page.clock.install(); // no timer of the page's own goes on
		await page.context().setOffline(true);
		await page.locator("#calc-input").fill("1 + 1");
		await page.keyboard.press("Enter");
		await page.locator("#ready", {hasText: "Unreachable"}).waitFor();
		await page.context().setOffline(false);
		await calculate(page, "2 + 2");
		await page.locator("#ready", {hasText: "Ready"}).waitFor();
	}));

async function useToken(page, token) {
	await page.locator("#token-input").fill(token);
	await page.locator("#token-form .primary").click();
}

test("a token is asked for, judged, and kept in memory alone", () =>
	withPage({url: CLOSED_URL}, async (page) => {
		await page.locator("#token-dialog[open]").waitFor();
		await useToken(page, "brig_wrong");
		await page.locator("#token-fault", {hasText: "not known"}).waitFor();
		await useToken(page, OPERATOR);
		await page.locator("#token-dialog").waitFor({state: "hidden"});
		assert.equal(await page.locator("#who").innerText(), "desk");
		await write(page, "print('as the operator')\nopen('left.txt', 'w').write('x')\n6 * 7");
		await page.locator("#run").click();
		await page.locator(".output", {hasText: "as the operator"}).waitFor();
		await page.locator(".files button").waitFor();
		const [download] = await Promise.all([
			page.waitForEvent("download"),
			page.locator(".files button").click(),
		]);
		assert.equal(download.suggestedFilename(), "left.txt");
		await page.locator("#nav-jobs").click();
		await page.locator(".calls tbody tr").first().waitFor();
		const kept = await page.evaluate(() =>
			JSON.stringify([
				{...localStorage},
				{...sessionStorage},
				document.cookie,
				location.href,
				document.documentElement.outerHTML,
			]),
		);
		assert.ok(!kept.includes(OPERATOR));
		await page.reload();
		await page.locator("#token-dialog[open]").waitFor();
	}));

test("a role sees only what it has", () =>
	withPage({url: CLOSED_URL, hash: "#/jobs"}, async (page) => {
		await page.locator("#token-dialog[open]").waitFor();
		await useToken(page, BILLING);
		await page.locator(".job-list", {hasText: "does not read the audit log"}).waitFor();
		assert.equal(await page.locator("#filters").isVisible(), false);
		assert.equal(await page.locator("#nav-try").isVisible(), false);
		assert.equal(await page.locator("#nav-jobs").isVisible(), false);
		assert.equal(await page.locator("#nav-health").isVisible(), true);
		await page.locator("#nav-calculate").click();
		assert.equal(await (await calculate(page, "6 * 7")).locator("output").innerText(), "42.0");
		await page.locator("#token-open").click();
		await page.locator("#token-forget").click();
		await page.locator("#who", {hasText: "Token"}).waitFor();
	}));

test("who may only calculate lands there, and nothing is refused", () =>
	withPage({url: CLOSED_URL}, async (page) => {
		await page.locator("#token-dialog[open]").waitFor();
		await useToken(page, BILLING);
		await page.locator("#room-calculate:not([hidden])").waitFor();
		assert.equal(await page.locator("#room-try").isVisible(), false);
		assert.equal(await page.locator(".verdict, .refused").count(), 0);
		await page.locator("#token-open").click();
		await useToken(page, OPERATOR);
		await page.locator("#nav-try").click();
		await page.locator("#room-try:not([hidden])").waitFor();
	}));

test("rooms are addresses, and the theme is switched", () =>
	withPage({}, async (page) => {
		await page.locator("#nav-health").click();
		assert.equal(await page.evaluate(() => location.hash), "#/health");
		assert.equal(await page.evaluate(() => document.activeElement.id), "title-health");
		assert.equal(await page.locator("#nav-health").getAttribute("aria-current"), "page");
		await page.goBack();
		await page.locator("#room-try").waitFor();
		await page.goto(`${OPEN_URL}/#/no-such-room/%zz`);
		await page.locator("#room-try").waitFor();
		const ground = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
		const light = await ground();
		await page.locator("#theme").click();
		await page.locator("#theme").click();
		const dark = await ground();
		assert.notEqual(dark, light);
		await page.reload();
		assert.equal(await ground(), dark);
		assert.equal(await running(page).count(), 0);
	}));
