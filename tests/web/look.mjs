// look: every room in both themes and at both widths: axe-core finds nothing, nothing overflows, and
// a picture of it is left for people to look at.
import {
	api,
	assert,
	axe,
	DESKTOP,
	OPEN_URL,
	PHONE,
	pick,
	runCode,
	runIt,
	SHOTS,
	test,
	withPage,
	write,
} from "./lib.mjs";

// Each leads the page to what is to be seen.
const VIEWS = {
	start: async () => {},
	table: async (page) => {
		await pick(page, "statistics");
		await runIt(page);
	},
	chart: async (page) => {
		await pick(page, "chart");
		await runIt(page);
		await page.locator(".chart img").evaluate((image) => image.decode());
		await page.locator("#receipt-open").click();
	},
	error: async (page) => {
		await pick(page, "network");
		await runIt(page);
	},
	loop: async (page) => {
		await pick(page, "loop");
		await runIt(page);
	},
	running: async (page) => {
		await write(
			page,
			"import time\nfor i in range(1000):\n    print('step', i, flush=True)\n    time.sleep(0.05)\n",
		);
		await page.locator("#run").click();
		await page.locator(".output", {hasText: "step 3"}).waitFor();
	},
	hostile: async (page) => {
		await pick(page, "hostile");
		await runIt(page);
	},
	limits: (page) => page.locator("#limits summary").click(),
	calculate: async (page) => {
		await page.locator("#nav-calculate").click();
		for (const sample of await page.locator("#calc-samples button").all()) await sample.click();
		await page.locator(".calc-entry").nth(5).waitFor();
	},
	jobs: async (page) => {
		await page.locator("#nav-jobs").click();
		await page.locator(".calls tbody tr").first().waitFor();
		await page.locator(".chain .outcome").waitFor();
	},
	job: async (page) => {
		await page.goto(`${OPEN_URL}/#/jobs`);
		await page.locator(".calls tbody tr", {hasText: "denied"}).first().locator("a").click();
		await page.locator("#job-detail .cm-content").waitFor();
	},
	health: async (page) => {
		await page.locator("#nav-health").click();
		await page.locator(".card").first().waitFor();
		for (const code of ["6*7", "1/0", "import sys; sys.exit(2)"]) await runCode(code);
		await page.locator(".plot rect.fill-warn").first().waitFor({state: "attached"});
	},
	token: async (page) => {
		await page.locator("#token-open").click();
		await page.locator("#token-dialog[open]").waitFor();
	},
};

for (const [name, lead] of Object.entries(VIEWS))
	for (const [size, viewport] of [
		["desktop", DESKTOP],
		["phone", PHONE],
	])
		for (const scheme of ["light", "dark"])
			test(`look: ${name}, ${size}, ${scheme}`, async () => {
				if (name === "job")
					await runCode("import ctypes, os\nctypes.CDLL(None).ptrace(16, os.getppid(), 0, 0)");
				if (name === "jobs")
					await api("/v1/run", {
						method: "POST",
						body: JSON.stringify({code: "import time\ntime.sleep(0.1)", limits: {wall_ms: 50}}),
					});
				await withPage({viewport, scheme}, async (page) => {
					await page.locator("#ready[data-tone=good]").waitFor();
					await lead(page);
					await page.screenshot({
						path: `${SHOTS}/${name}-${size}-${scheme}.png`,
						fullPage: size === "phone",
					});
					const [needs, has] = await page.evaluate(() => [
						document.documentElement.scrollWidth,
						window.innerWidth,
					]);
					assert.ok(needs <= has, `${needs} pixels wide in ${has}`);
					assert.deepEqual(await axe(page), []);
					if (name === "running") await page.locator("#stop").click();
				});
			});

test("look: nothing overflows at 320 pixels", () =>
	withPage({viewport: {width: 320, height: 640}}, async (page) => {
		for (const room of ["try", "calculate", "jobs", "health"]) {
			await page.locator(`#nav-${room}`).click();
			await page.waitForTimeout(300);
			const width = await page.evaluate(() => document.documentElement.scrollWidth);
			assert.ok(width <= 320, `${room}: ${width}`);
		}
	}));
