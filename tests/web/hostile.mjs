// hostile: what a job prints, names and draws is text and pictures, whatever it would like to be.
import {assert, pick, runIt, test, withPage, write} from "./lib.mjs";

const SVG = `<svg xmlns="http://www.w3.org/2000/svg" width="40" height="40" onload="fetch('/hostile-load')">
<script>fetch('/hostile-script');parent.document.title='owned'</script>
<foreignObject width="40" height="40"><body xmlns="http://www.w3.org/1999/xhtml"><img src="/hostile-image" onerror="alert(1)"/></body></foreignObject>
<image href="https://example.invalid/x.png" width="10" height="10"/><rect width="40" height="40" fill="#c00"/></svg>`;
const MARKUP = '<img src=x onerror="alert(1)"><script>alert(2)</script>';
const RLO = "\u202e";

// A result in which everything that a job, or a broken server, can put text into is hostile.
const RESULT = {
	job_id: "../../x",
	outcome: "error",
	hint: MARKUP,
	text: MARKUP,
	stdout: MARKUP,
	stderr: RLO + MARKUP,
	stdout_bytes: 70,
	stderr_bytes: 71,
	stdout_truncated: false,
	stderr_truncated: false,
	result: {
		text: MARKUP,
		html: MARKUP,
		table: {
			columns: [
				{name: MARKUP, dtype: MARKUP},
				{name: RLO + "abc", dtype: "object"},
			],
			index: {names: [MARKUP], values: [[MARKUP], [RLO]]},
			rows: [
				[MARKUP, {$type: "int", value: MARKUP}],
				[RLO + "x", {a: MARKUP}],
			],
			row_count: 2,
			truncated: false,
		},
	},
	tables: [
		{
			name: MARKUP,
			columns: [{name: "a", dtype: "object"}],
			rows: [["\u001b[31m"]],
			row_count: 1,
			truncated: false,
		},
	],
	charts: [
		{
			mime: "image/svg+xml",
			width: 40,
			height: 40,
			title: MARKUP,
			alt: MARKUP,
			data_base64: Buffer.from(SVG).toString("base64"),
		},
		{
			mime: "text/html",
			width: 1,
			height: 1,
			title: "no picture",
			alt: "",
			data_base64: Buffer.from(MARKUP).toString("base64"),
		},
		{
			mime: "image/png",
			width: 1,
			height: 1,
			title: "elsewhere",
			alt: "",
			url: "https://example.invalid/v1/jobs/x/files/hostile.png",
		},
	],
	files: [
		{name: `../../${RLO}gpj.exe`, bytes: 1, sha256: "", mime: "text/html", url: "javascript:alert(3)"},
		{name: MARKUP, bytes: 1, sha256: "", mime: "text/html", url: "//example.invalid/x"},
	],
	skipped: [{name: MARKUP, why: MARKUP}],
	error: {type: MARKUP, message: MARKUP, line: 99999, traceback: MARKUP},
	exit_code: 1,
	usage: {wall_ms: 1, cpu_ms: 1, memory_peak_bytes: 1, processes_peak: 1},
	limits: {wall_ms: 2, cpu_ms: 2, memory_bytes: 2, output_bytes: 2, processes: 2},
	receipt: {
		layers: {[MARKUP]: {state: MARKUP, detail: MARKUP}},
		image: MARKUP,
		kernel: MARKUP,
		cgroup: MARKUP,
	},
};

const event = (name, data) => `event: ${name}\ndata: ${JSON.stringify(data)}\n\n`;

test("a result that is hostile in every field is text", async () => {
	const asked = [];
	await withPage(
		{
			before: async (page) => {
				page.on("request", (request) => asked.push(new URL(request.url()).pathname));
				await page.route("**/v1/run", (route) =>
					route.fulfill({
						contentType: "text/event-stream",
						body:
							event("job", {job_id: "x"}) +
							event("stdout", {text: MARKUP + "\u001b]0;owned\u0007\n"}) +
							event("result", RESULT),
					}),
				);
				await page.route("**/v1/jobs/**", (route) =>
					route.fulfill({
						status: 404,
						contentType: "application/problem+json",
						body: '{"detail": "gone"}',
					}),
				);
			},
		},
		async (page) => {
			await runIt(page);
			await page
				.locator(".chart img")
				.first()
				.evaluate((image) => image.decode());
			await page.locator("#receipt-open").click();
			assert.equal(
				await page
					.locator(
						"#result script, #result iframe, #result object, #result embed, #result img[onerror], #receipt script, #receipt img",
					)
					.count(),
				0,
			);
			// The SVG is a picture in <img>, and what is no picture is not shown.
			const pictures = page.locator("#result img");
			assert.deepEqual(await pictures.evaluateAll((all) => all.map((one) => one.src.slice(0, 14))), [
				"data:image/svg",
				"",
			]);
			assert.ok((await page.locator("#result").innerText()).includes(MARKUP));
			assert.ok(!(await page.locator("body").innerText()).includes(RLO));
			for (const button of await page.locator(".files button").all()) await button.click();
			assert.equal(await page.locator(".files .bad-text", {hasText: "no address here"}).count(), 2);
			assert.equal(await page.title(), "Try it · brig");
		},
	);
	assert.deepEqual(
		asked.filter((path) => path.includes("hostile-")),
		[],
	);
});

test("a chart that is SVG stays a picture when it is opened by itself", () =>
	withPage(
		{
			before: (page) =>
				page.route("**/v1/run", (route) =>
					route.fulfill({
						contentType: "text/event-stream",
						body: event("result", {...RESULT, error: null}),
					}),
				),
		},
		async (page) => {
			await runIt(page);
			const source = await page.locator("#result img").first().getAttribute("src");
			// A data: address has an origin of its own: whatever opens it is not this page's.
			assert.ok(source.startsWith("data:image/svg+xml;base64,"));
		},
	));

test("control characters and bidi controls are visible marks", () =>
	withPage({}, async (page) => {
		await write(
			page,
			"print('\\x1b[31mred\\x07 \\u202Egnp.exe \\u2066a\\u2069 \\ufeff \\x85 \\x7f ok \\u0645\\u0631\\u062d\\u0628\\u0627 \\U0001F468\\u200D\\U0001F469')",
		);
		await runIt(page);
		assert.equal(
			(await page.locator(".output").innerText()).trimEnd(),
			"⟨ESC⟩[31mred⟨BEL⟩ ⟨RLO⟩gnp.exe ⟨LRI⟩a⟨PDI⟩ ⟨BOM⟩ ⟨U+0085⟩ ⟨DEL⟩ ok \u0645\u0631\u062d\u0628\u0627 \u{1F468}\u200d\u{1F469}",
		);
	}));

test("a hostile file name is saved under a harmless one", () =>
	withPage({}, async (page) => {
		await pick(page, "hostile");
		await runIt(page);
		const [download] = await Promise.all([
			page.waitForEvent("download"),
			page.locator(".files button").click(),
		]);
		assert.equal(download.suggestedFilename(), "_img src=x onerror=alert(1)_.txt");
	}));

test("a line of 32 MiB does not freeze the page", () =>
	withPage({}, async (page) => {
		await page.evaluate(() => {
			window.frames60 = 0;
			const step = () => {
				window.frames60++;
				requestAnimationFrame(step);
			};
			step();
		});
		await write(page, "import sys\nwhile True:\n    sys.stdout.write('x' * (1 << 20))");
		await page.locator("#run").click();
		await page.locator("#run:not([disabled])").waitFor();
		const outcome = await page.locator("#result .verdict .outcome").innerText();
		assert.equal(outcome, "output");
		const shown = await page.locator(".output").evaluate((pre) => pre.textContent.length);
		assert.ok(shown > 1000 && shown <= 200_000, `${shown} characters`);
		assert.match(
			await page.locator(".part .note").first().innerText(),
			/^Start and end of 3\d MiB of output/,
		);
		console.log(`   ${await page.evaluate(() => window.frames60)} frames were drawn meanwhile`);
		await page.locator("#nav-calculate").click();
		await page.locator("#calc-input").waitFor();
	}));

test("the editor shows hostile code as it is", () =>
	withPage({}, async (page) => {
		await write(page, `s = "${RLO}abc"  # ${MARKUP}`);
		assert.equal(await page.locator("#editor .cm-specialChar").count(), 1);
		assert.equal(await page.locator("#editor script, #editor img:not(.cm-widgetBuffer)").count(), 0);
	}));
