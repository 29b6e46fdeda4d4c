// try: the room where one runs code.
import {readFile} from "node:fs/promises";
import {api, assert, OPEN_URL, pick, runIt, running, test, verdict, withPage, write} from "./lib.mjs";

// The outcome of each example as the page words it, and something of its result.
const EXAMPLES = {
	statistics: ["ok", "Quito"],
	chart: ["ok", "Revenue by month"],
	loop: ["wall time", "counting"],
	import: ["denied", "PermissionError"],
	network: ["error", "URLError"],
	memory: ["memory", "16 MiB"],
	hostile: ["ok", "<script>document.title = 'owned'</script>"],
};

for (const [id, [outcome, words]] of Object.entries(EXAMPLES))
	test(`example ${id}`, () =>
		withPage({}, async (page) => {
			await pick(page, id);
			assert.equal(await page.locator(`[data-id=${id}]`).getAttribute("aria-pressed"), "true");
			assert.equal(await runIt(page), outcome);
			assert.ok((await page.locator("#result").innerText()).includes(words));
			assert.equal(await page.locator("#result [role=meter]").count(), 5);
			assert.equal(await page.title(), "Try it · brig");
		}));

test("every example is tried", () =>
	withPage({}, async (page) => {
		const ids = await page
			.locator("#examples button")
			.evaluateAll((all) => all.map((one) => one.dataset.id));
		assert.deepEqual(ids.sort(), Object.keys(EXAMPLES).sort());
	}));

test("a limit that was met fills its meter", () =>
	withPage({}, async (page) => {
		await pick(page, "loop");
		await runIt(page);
		const wall = page.locator("[role=meter][aria-label=Wall]");
		assert.equal(await wall.getAttribute("aria-valuenow"), await wall.getAttribute("aria-valuemax"));
		assert.equal(await wall.locator(".full").count(), 1);
	}));

test("a chart's pixels are not blank", () =>
	withPage({}, async (page) => {
		await pick(page, "chart");
		await runIt(page);
		const colours = await page.locator(".chart img").evaluate(async (image) => {
			await image.decode();
			const canvas = document.createElement("canvas");
			[canvas.width, canvas.height] = [image.naturalWidth, image.naturalHeight];
			const pen = canvas.getContext("2d");
			pen.drawImage(image, 0, 0);
			const data = new Uint32Array(pen.getImageData(0, 0, canvas.width, canvas.height).data.buffer);
			return new Set(data).size;
		});
		assert.ok(colours > 50, `${colours} colours`);
	}));

test("output is seen while the job runs", () =>
	withPage({}, async (page) => {
		await write(
			page,
			"import sys\nprint('first', flush=True)\nsys.stderr.write('second\\n')\nimport time\nwhile True: time.sleep(1)",
		);
		await page.locator("#run").click();
		await page.locator(".output .stdout", {hasText: "first"}).waitFor();
		await page.locator(".output .stderr", {hasText: "second"}).waitFor();
		assert.equal(await running(page).count(), 1);
		await page.locator("#stop").click();
		await page.locator("#run:not([disabled])").waitFor();
		assert.ok((await page.locator(".output").innerText()).includes("first"));
	}));

test("stop ends the cell", () =>
	withPage({}, async (page) => {
		const job = page.waitForResponse((response) => response.url().endsWith("/v1/run"));
		await write(page, "while True: pass");
		await page.locator("#run").click();
		await running(page).waitFor();
		await job;
		const {
			jobs: [{job_id: id}],
		} = await (await api("/v1/jobs")).json();
		await page.locator("#stop").click();
		await page.locator("#run:not([disabled])").waitFor();
		assert.equal(await verdict(page), "cancelled");
		const {state, outcome} = await (await api(`/v1/jobs/${id}`)).json();
		assert.deepEqual([state, outcome], ["done", "cancelled"]);
		assert.match(await (await fetch(`${OPEN_URL}/metrics`)).text(), /^brig_jobs_running 0$/m);
	}));

test("a dropped file is an input", () =>
	withPage({}, async (page) => {
		const data = await page.evaluateHandle(() => {
			const transfer = new DataTransfer();
			transfer.items.add(new File(["alpha\nbeta\n"], "words \u00fc.txt"));
			return transfer;
		});
		await write(page, "print(open('words \u00fc.txt').read().upper())");
		await page.locator("#code-pane").dispatchEvent("dragover", {dataTransfer: data});
		assert.ok(await page.locator("#code-pane.dropping").count());
		await page.locator("#code-pane .cm-content").dispatchEvent("drop", {dataTransfer: data});
		await page.locator("#input-list li", {hasText: "words \u00fc.txt"}).waitFor();
		assert.equal(await runIt(page), "ok");
		assert.ok((await page.locator(".output").innerText()).includes("BETA"));
		assert.equal(
			await page.locator("#editor .cm-content").innerText(),
			"print(open('words \u00fc.txt').read().upper())",
		);
	}));

test("a file is added by hand, and taken away", () =>
	withPage({}, async (page) => {
		await page.locator("#file-add").setInputFiles([
			{name: "sales.csv", mimeType: "text/csv", buffer: Buffer.from("a\n1\n")},
			{name: "big.bin", mimeType: "", buffer: Buffer.alloc(9 << 20, 7)},
		]);
		assert.equal(await page.locator("#input-list li").count(), 2);
		// Nine megabytes go as multipart.
		await write(page, "import os\nprint(os.path.getsize('big.bin'), open('sales.csv').read())");
		assert.equal(await runIt(page), "ok");
		assert.match(await page.locator(".output").innerText(), /^9437184 a/);
		await page.locator("#input-list button").first().click();
		assert.deepEqual(await page.locator("#input-list li .mono").allInnerTexts(), ["big.bin"]);
	}));

test("a table is sorted by its columns", () =>
	withPage({}, async (page) => {
		await pick(page, "statistics");
		await runIt(page);
		const column = (number) => page.locator(`.table tbody tr > :nth-child(${number})`).allInnerTexts();
		const header = page.locator(".table thead th").nth(2);
		const before = await column(3);
		await header.locator("button").click();
		assert.equal(await header.getAttribute("aria-sort"), "ascending");
		assert.deepEqual(
			(await column(3)).map(Number),
			before.map(Number).sort((a, b) => a - b),
		);
		await header.locator("button").click();
		assert.equal(await header.getAttribute("aria-sort"), "descending");
		assert.deepEqual(
			(await column(3)).map(Number),
			before.map(Number).sort((a, b) => b - a),
		);
		await header.locator("button").click();
		assert.deepEqual(await column(3), before);
	}));

test("a table's exact values: large, missing, not a number", () =>
	withPage({}, async (page) => {
		await write(
			page,
			"import pandas as pd\npd.DataFrame({'n': [2**70, 3, None], 'x': [float('inf'), 0.1 + 0.2, float('nan')], 's': ['b', None, 'a']}, dtype=object)",
		);
		await runIt(page);
		const cells = await page.locator(".table tbody td").allInnerTexts();
		assert.ok(cells.includes("1180591620717411303424"), cells.join());
		assert.ok(cells.includes("null"), cells.join());
		await page.locator(".table thead button", {hasText: "n"}).first().click();
		assert.equal(await page.locator(".table tbody td").first().innerText(), "3");
	}));

test("an integer stays whole, a Decimal sorts as a number", () =>
	withPage({}, async (page) => {
		await write(
			page,
			"from decimal import Decimal\nimport pandas as pd\npd.DataFrame({'id': [1700000000123456, 5, 7], 'd': [Decimal('-1.5'), Decimal('-10.25'), Decimal('9')]}, dtype=object)",
		);
		await runIt(page);
		const cells = await page.locator(".table tbody td").allInnerTexts();
		assert.equal(cells[0], "1700000000123456");
		await page.locator(".table thead button", {hasText: /^d$/}).click();
		const sorted = await page.locator(".table tbody tr td:last-child").allInnerTexts();
		assert.deepEqual(sorted, ["-10.25", "-1.5", "9"]);
	}));

test("of a wide table it is said how many columns there are", () =>
	withPage({}, async (page) => {
		await write(page, "import pandas as pd\npd.DataFrame([[0] * 30] * 2)");
		await runIt(page);
		assert.match(await page.locator(".table figcaption").innerText(), /^2 rows × 20 of 30 columns/);
	}));

test("what a model is given can be read, notes and all", () =>
	withPage({}, async (page) => {
		await write(page, "import os\nos.system('ls')");
		await runIt(page);
		await page.locator("#result summary", {hasText: "What a model is given"}).click();
		assert.match(
			await page.locator("#result .for-model .given").innerText(),
			/^value:\n-?\d+\nnote: programs cannot be started here/,
		);
	}));

test("of a long table it is said what is missing", () =>
	withPage({}, async (page) => {
		await write(page, "import pandas as pd\npd.DataFrame({'n': range(1000)})");
		await runIt(page);
		assert.match(
			await page.locator(".table figcaption").innerText(),
			/^50 of 1,000 rows, the first and the last, × 1 column/,
		);
		assert.equal(await page.locator(".table tbody tr").count(), 50);
	}));

test("a file that the job left is downloaded", () =>
	withPage({}, async (page) => {
		await pick(page, "statistics");
		await runIt(page);
		const [download] = await Promise.all([
			page.waitForEvent("download"),
			page.locator(".files button").click(),
		]);
		assert.equal(download.suggestedFilename(), "by_city.csv");
		assert.match(await readFile(await download.path(), "utf8"), /^city,orders,units/);
	}));

test("the line at fault is marked in the editor, and the mark goes with a change", () =>
	withPage({}, async (page) => {
		await write(page, "x = 1\ny = 0\nprint(x / y)");
		assert.equal(await runIt(page), "error");
		assert.deepEqual(await page.locator("#editor .cm-fault-line").allInnerTexts(), ["print(x / y)"]);
		assert.match(await page.locator("#editor .cm-fault").innerText(), /^ZeroDivisionError: /);
		await write(page, "x = 2");
		assert.equal(await page.locator("#editor .cm-fault-line").count(), 0);
		await write(page, "a = 1\nb = (\n");
		assert.equal(await runIt(page), "error");
		assert.equal(await page.locator("#editor .cm-fault-line").count(), 1);
	}));

test("the receipt opens beside the result and says what held", () =>
	withPage({}, async (page) => {
		await write(page, "6 * 7");
		await runIt(page);
		await page.locator("#receipt-open").click();
		const layers = await page.locator("#receipt .layer").allInnerTexts();
		assert.equal(layers.length, 22);
		assert.ok(layers.some((text) => text.startsWith("No network")));
		const [pane, receipt] = await Promise.all(
			["#result-pane", "#receipt"].map((id) => page.locator(id).boundingBox()),
		);
		assert.ok(receipt.x >= pane.x + pane.width && Math.abs(receipt.y - pane.y) < 2);
		await page.locator("#receipt button").click();
		assert.equal(await page.evaluate(() => document.activeElement.id), "receipt-open");
	}));

test("limits of the form are the job's", () =>
	withPage({}, async (page) => {
		await page.locator("#limits summary").click();
		await page.locator("#limit-wall").fill("1.5");
		await page.locator("#limit-memory").fill("128");
		await write(page, "6 * 7");
		await runIt(page);
		assert.equal(
			await page.locator("[role=meter][aria-label=Wall]").getAttribute("aria-valuemax"),
			"1500",
		);
		assert.equal(
			await page.locator("[role=meter][aria-label=Memory]").getAttribute("aria-valuemax"),
			String(128 << 20),
		);
		await page.locator("#limit-wall").fill("9999");
		await runIt(page);
		assert.equal(
			await page.locator("[role=meter][aria-label=Wall]").getAttribute("aria-valuemax"),
			"30000",
		);
	}));

test("a refusal is shown as one", () =>
	withPage({}, async (page) => {
		await page.locator("#file-add").setInputFiles({name: "..", mimeType: "", buffer: Buffer.from("x")});
		await page.locator("#run").click();
		await page.locator("#result .outcome.bad").waitFor();
		assert.equal(await verdict(page), "rejected");
		assert.match(await page.locator(".verdict-words").innerText(), /^files\[\d\]\.name: '\.\.'/);
	}));

test("the keyboard is enough", () =>
	withPage({}, async (page) => {
		await page.keyboard.press("Tab");
		assert.equal(await page.evaluate(() => document.activeElement.id), "skip");
		await page.keyboard.press("Enter");
		assert.equal(await page.evaluate(() => document.activeElement.id), "main");
		assert.equal(await page.evaluate(() => location.hash), "");
		await page.locator("#editor .cm-content").focus();
		await page.keyboard.press("Control+a");
		await page.keyboard.type("print('typed')");
		await page.keyboard.press("Control+Enter");
		await page.locator("#run:not([disabled])").waitFor();
		await page.locator(".output", {hasText: "typed"}).waitFor();
		assert.match(await page.locator("#announce").innerText(), /^Finished in /);
		await page.locator("#editor .cm-content").focus();
		await page.keyboard.press("Escape");
		await page.keyboard.press("Tab");
		assert.notEqual(await page.evaluate(() => document.activeElement.id), "editor");
	}));

test("nothing but the page's own files is loaded, and they are not loaded twice", () =>
	withPage({}, async (page) => {
		const statuses = [];
		page.on("response", (response) => statuses.push(response.status()));
		await page.reload();
		await page.locator("#ready[data-tone=good]").waitFor();
		assert.ok(statuses.filter((status) => status === 304).length > 10, statuses.join());
	}));
