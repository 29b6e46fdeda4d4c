// plain: the page as it is built where there is no npm.
import {execFileSync} from "node:child_process";
import {readFile} from "node:fs/promises";
import {assert, pick, runIt, SCRATCH, test, TOP, withPage, write} from "./lib.mjs";

test("without npm the editor is a text area, and the build says so in one line", async () => {
	const out = `${SCRATCH}/plain`;
	// Everything that web/bundle calls, and no npm.
	execFileSync("mkdir", ["-p", `${SCRATCH}/bin`]);
	for (const name of ["bash", "cat", "cp", "mkdir", "mktemp", "mv", "rm", "touch", "dirname"])
		execFileSync("ln", [
			"-sf",
			execFileSync("sh", ["-c", `command -v ${name}`], {encoding: "utf8"}).trim(),
			`${SCRATCH}/bin/${name}`,
		]);
	const said = execFileSync(`${TOP}/web/bundle`, [out], {encoding: "utf8", env: {PATH: `${SCRATCH}/bin`}});
	assert.match(said, /^web: .*plain text area: npm is missing; .*install-deps --web.*\n$/);
	assert.match(await readFile(`${out}/licenses.txt`, "utf8"), /no third-party code/);
	const plain = await readFile(`${out}/editor.js`, "utf8");
	await withPage(
		{
			before: (page) =>
				page.route("**/page/editor.js", (route) =>
					route.fulfill({contentType: "text/javascript", body: plain}),
				),
		},
		async (page) => {
			await pick(page, "statistics");
			assert.match(await page.locator("#editor textarea").inputValue(), /read_csv/);
			assert.equal(await runIt(page), "ok");
			await write(page, "x = 1\n\nx / 0");
			await page.locator("#editor textarea").press("Control+Enter");
			await page.locator("#editor .plain-fault", {hasText: "line 3: ZeroDivisionError"}).waitFor();
			assert.equal(await page.locator("#editor .plain-numbers .marked").innerText(), "3");
			await write(page, "x = 2");
			assert.equal(await page.locator("#editor .plain-numbers .marked").count(), 0);
		},
	);
});

test("the licences are served", () =>
	withPage({}, async (page) => {
		const text = await page.evaluate(async () => (await fetch("/licenses.txt")).text());
		assert.match(text, /@codemirror\/view \d|no third-party code/);
		if (text.includes("@codemirror/view"))
			for (const name of [
				"@codemirror/lang-python",
				"@lezer/python",
				"style-mod",
				"w3c-keyname",
				"crelt",
			])
				assert.match(text, new RegExp(`^== ${name} [\\d.]+\\n\\n(MIT|Copyright)`, "m"), name);
	}));
