// E2B's SDKs, unmodified, with brig in the place of E2B's cloud: environment variables alone point
// them here (tests/clients/run sets them).
import assert from "node:assert/strict";
import { Sandbox } from "@e2b/code-interpreter";

const cases = [];
const test = (name, run) => cases.push([name, run]);
const withSandbox = (run) => async () => {
  const sandbox = await Sandbox.create({ timeoutMs: 120_000 });
  try {
    await run(sandbox);
  } finally {
    await sandbox.kill();
  }
};
const refusal = async (call) => {
  try {
    await call();
  } catch (error) {
    return error;
  }
  assert.fail("it was not refused");
};

test("create, a CSV, three dependent cells", withSandbox(async (sandbox) => {
  const written = await sandbox.files.write("sales.csv", "city,sold\nOslo,3\nRoma,4\n");
  assert.equal(written.path, "/home/user/sales.csv");
  assert.equal(written.name, "sales.csv");
  const first = await sandbox.runCode("import pandas as pd\ndf = pd.read_csv('sales.csv')");
  assert.equal(first.error, undefined);
  assert.equal(first.results.length, 0);
  await sandbox.runCode("total = int(df['sold'].sum())");
  const third = await sandbox.runCode("print('total', total)\ntotal * 2");
  assert.equal(third.text, "14");
  assert.equal(third.logs.stdout.join(""), "total 7\n");
  assert.equal(third.executionCount, 3);
  assert.ok(third.results[0].isMainResult);
}));

test("a data frame has its text, html and data", withSandbox(async (sandbox) => {
  const { results } = await sandbox.runCode(
    "import pandas as pd\npd.DataFrame({'city': ['Oslo', 'Roma'], 'sold': [3, 4]})");
  assert.match(results[0].text, /Oslo/);
  assert.match(results[0].html, /<table/);
  assert.deepEqual(results[0].data, { city: ["Oslo", "Roma"], sold: [3, 4] });
}));

test("what is displayed comes before the value", withSandbox(async (sandbox) => {
  const { results } = await sandbox.runCode(
    "import pandas as pd\ndisplay(pd.DataFrame({'city': ['Oslo', 'R<o>ma']}))\n6 * 7");
  assert.deepEqual(results.map((r) => r.isMainResult), [false, true]);
  assert.match(results[0].text, /Oslo/);
  assert.match(results[0].html, /<td>R&lt;o&gt;ma<\/td>/);
  assert.deepEqual(results[0].data, { city: ["Oslo", "R<o>ma"] });
  assert.equal(results[1].text, "42");
}));

test("stdout and stderr, as they came", withSandbox(async (sandbox) => {
  const seen = [];
  const execution = await sandbox.runCode(
    "import sys\nprint('eins')\nprint('zwei', file=sys.stderr)\nprint('drei')",
    { onStdout: (line) => seen.push(line.line), onStderr: (line) => seen.push(line.line) });
  assert.equal(execution.logs.stdout.join(""), "eins\ndrei\n");
  assert.equal(execution.logs.stderr.join(""), "zwei\n");
  assert.equal(seen.join("").length, "eins\ndrei\nzwei\n".length);
}));

test("output comes before the end", withSandbox(async (sandbox) => {
  let ended = false, before = false;
  await sandbox.runCode("import time\nprint('early', flush=True)\ntime.sleep(1.5)", {
    onStdout: () => { before = !ended; },
  }).then(() => { ended = true; });
  assert.ok(before && ended);
}));

test("a chart as PNG with its data", withSandbox(async (sandbox) => {
  const { results, error } = await sandbox.runCode(
    "import matplotlib.pyplot as plt\nplt.plot([1, 2, 3], [1, 4, 9], label='squares')\n"
    + "plt.title('Growth')\nplt.xlabel('n')\nplt.legend()\nplt.show()");
  assert.equal(error, undefined);
  const shown = results.find((result) => result.png);
  const image = Buffer.from(shown.png, "base64");
  assert.equal(image.subarray(1, 4).toString(), "PNG");
  assert.equal(shown.chart.type, "line");
  assert.equal(shown.chart.title, "Growth");
  assert.equal(shown.chart.x_label, "n");
  assert.equal(shown.chart.elements[0].label, "squares");
  assert.deepEqual(shown.chart.elements[0].points, [[1, 1], [2, 4], [3, 9]]);
}));

const kinds = {
  bar: ["plt.bar(['a', 'b'], [3, 5])", (chart) => {
    assert.deepEqual(chart.elements.map((e) => [e.label, e.value]), [["a", 3], ["b", 5]]);
  }],
  scatter: ["plt.scatter([1, 2], [3, 4])", (chart) => {
    assert.deepEqual(chart.elements[0].points, [[1, 3], [2, 4]]);
  }],
  pie: ["plt.pie([1, 3], labels=['x', 'y'])", (chart) => {
    assert.deepEqual(chart.elements.map((e) => [e.label, Math.round(e.angle)]), [["x", 90], ["y", 270]]);
  }],
  box_and_whisker: ["plt.boxplot([[1, 2, 3, 4, 5]])", (chart) => {
    assert.equal(chart.elements[0].median, 3);
    assert.equal(chart.elements[0].first_quartile, 2);
  }],
  superchart: ["f, (a, b) = plt.subplots(1, 2)\na.plot([1, 2])\nb.bar(['q'], [7])", (chart) => {
    assert.deepEqual(chart.elements.map((e) => e.type), ["line", "bar"]);
  }],
};
for (const [kind, [code, look]] of Object.entries(kinds))
  test(`chart data: ${kind}`, withSandbox(async (sandbox) => {
    const { results } = await sandbox.runCode(`import matplotlib.pyplot as plt\n${code}\nplt.show()`);
    const { chart } = results.find((result) => result.chart);
    assert.equal(chart.type, kind);
    look(chart);
  }));

test("an exception has name, value and traceback", withSandbox(async (sandbox) => {
  const { error } = await sandbox.runCode("def f():\n    return {}['gone']\nf()");
  assert.equal(error.name, "KeyError");
  assert.match(error.value, /gone/);
  assert.match(error.traceback, /in f/);
  const after = await sandbox.runCode("f.__name__");
  assert.match(after.text, /f/);
}));

test("contexts do not see each other, restart and removal empty them", withSandbox(async (sandbox) => {
  const context = await sandbox.createCodeContext();
  assert.equal(context.language, "python");
  await sandbox.runCode("x = 'default'");
  await sandbox.runCode("x = 'own'", { context });
  assert.match((await sandbox.runCode("x")).text, /default/);
  const own = await sandbox.runCode("x", { context });
  assert.match(own.text, /own/);
  assert.equal(own.executionCount, 2);
  const ids = (await sandbox.listCodeContexts()).map((c) => c.id);
  assert.ok(ids.includes(context.id) && ids.length === 2);
  await sandbox.restartCodeContext(context);
  const gone = await sandbox.runCode("x", { context });
  assert.equal(gone.error.name, "NameError");
  assert.equal(gone.executionCount, 1);
  assert.match((await sandbox.runCode("x")).text, /default/);
  await sandbox.removeCodeContext(context);
  assert.equal((await refusal(() => sandbox.runCode("1", { context }))).name, "NotFoundError");
}));

test("files: read, list, stat, move, remove, folders, several at once", withSandbox(async (sandbox) => {
  const { files } = sandbox;
  await files.write("/home/user/deep/er/a.txt", "häßlich");
  assert.equal(await files.read("/mnt/data/deep/er/a.txt"), "häßlich");
  const bytes = new Uint8Array(300_000).map((_, i) => i % 251);
  await files.write("b.bin", bytes.buffer, { useOctetStream: true });
  assert.deepEqual(await files.read("b.bin", { format: "bytes" }), bytes);
  const both = await files.write([{ path: "c.txt", data: "c" }, { path: "deep/d.txt", data: "d" }]);
  assert.deepEqual(both.map((f) => f.path), ["/home/user/c.txt", "/home/user/deep/d.txt"]);
  const names = (await files.list("/home/user")).map((e) => [e.name, e.type]).sort();
  assert.ok(names.some(([name, type]) => name === "deep" && type === "dir"));
  assert.ok(names.some(([name, type]) => name === "c.txt" && type === "file"));
  const below = await files.list("/home/user/deep", { depth: 3 });
  assert.ok(below.some((e) => e.path === "/home/user/deep/er/a.txt"));
  const info = await files.getInfo("b.bin");
  assert.equal(info.size, 300_000);
  assert.equal(info.type, "file");
  assert.ok(Math.abs(info.modifiedTime - Date.now()) < 3_600_000);
  assert.equal(await files.makeDir("new/folder"), true);
  assert.equal(await files.makeDir("new/folder"), false);
  const moved = await files.rename("c.txt", "new/folder/e.txt");
  assert.equal(moved.path, "/home/user/new/folder/e.txt");
  assert.equal(await files.exists("c.txt"), false);
  assert.equal((await sandbox.runCode("open('new/folder/e.txt').read()")).text.includes("c"), true);
  await files.remove("new");
  assert.equal(await files.exists("new/folder/e.txt"), false);
  assert.equal((await refusal(() => files.read("c.txt"))).name, "FileNotFoundError");
  await sandbox.runCode("open('made.txt', 'w').write('in the cell')");
  assert.equal(await files.read("made.txt"), "in the cell");
  assert.equal(await files.read("empty.txt").catch((e) => e.name), "FileNotFoundError");
  await files.write("empty.txt", "");
  assert.equal(await files.read("empty.txt"), "");
}));

test("a path elsewhere is refused by name", withSandbox(async (sandbox) => {
  const error = await refusal(() => sandbox.files.read("/etc/passwd"));
  assert.match(error.message, /\/mnt\/data/);
  const out = await refusal(() => sandbox.files.write("../x", "y"));
  assert.match(out.message, /\.\./);
}));

test("what brig will not do says so", withSandbox(async (sandbox) => {
  assert.match((await refusal(() => sandbox.commands.run("ls"))).message, /no programs/);
  assert.match((await refusal(() => sandbox.commands.list())).message, /no programs/);
  assert.match((await refusal(() => sandbox.files.watchDir("/home/user", () => {}))).message, /watch/);
  assert.match((await refusal(() => sandbox.pause())).message, /pause/);
  assert.match((await sandbox.runCode("ls", { language: "bash" })).error.value, /Python alone/);
  assert.match((await sandbox.runCode("1", { envs: { KEY: "v" } })).error.value, /environment/);
  assert.match((await refusal(() => sandbox.createCodeContext({ language: "r" }))).message, /Python alone/);
  assert.match((await refusal(() => sandbox.createCodeContext({ cwd: "/srv" }))).message, /home/);
  assert.match((await refusal(() => Sandbox.create({ envs: { KEY: "v" } }))).message, /environment/);
  assert.match(
    (await refusal(() => Sandbox.create({ allowInternetAccess: true }))).message, /no network/);
  const { error } = await sandbox.runCode(
    "import urllib.request\nurllib.request.urlopen('http://127.0.0.1:9/')");
  assert.ok(error.name.endsWith("Error"));
}));

test("the template chooses nothing", async () => {
  const sandbox = await Sandbox.create("some-template-of-mine", { timeoutMs: 60_000 });
  const other = await Sandbox.create({ timeoutMs: 60_000 });
  const version = "import sys\nsys.version";
  assert.equal((await sandbox.runCode(version)).text, (await other.runCode(version)).text);
  await Promise.all([sandbox.kill(), other.kill()]);
});

test("the SDK's timeout interrupts the code, and the sandbox stays", withSandbox(async (sandbox) => {
  await sandbox.runCode("kept = 41");
  const error = await refusal(
    () => sandbox.runCode("import time\nfor _ in range(600):\n    time.sleep(0.05)", { timeoutMs: 700 }));
  assert.equal(error.name, "TimeoutError");
  assert.equal((await sandbox.runCode("kept + 1")).text, "42");
}));

test("a sandbox ends with its timeout", async () => {
  const sandbox = await Sandbox.create({ timeoutMs: 1_000 });
  assert.equal(await sandbox.isRunning(), true);
  while (await sandbox.isRunning()) await new Promise((resolve) => setTimeout(resolve, 200));
  const error = await refusal(() => sandbox.runCode("1"));
  assert.equal(error.name, "TimeoutError");
  assert.equal(await sandbox.kill(), false);
});

test("setTimeout prolongs", async () => {
  const sandbox = await Sandbox.create({ timeoutMs: 3_000 });
  await sandbox.setTimeout(90_000);
  const { endAt } = await sandbox.getInfo();
  assert.ok(endAt - Date.now() > 60_000);
  await new Promise((resolve) => setTimeout(resolve, 6_000));
  assert.equal((await sandbox.runCode("6 * 7")).text, "42");
  await sandbox.kill();
});

test("setTimeout goes no further than the role's session_life", async () => {
  const sandbox = await Sandbox.create({ timeoutMs: 60_000 });
  await sandbox.setTimeout(10 * 3_600_000);
  const { startedAt, endAt } = await sandbox.getInfo();
  assert.ok(endAt - startedAt > 3_500_000 && endAt - startedAt < 3_605_000, `${endAt - startedAt}`);
  await sandbox.kill();
});

test("files are read while code runs, and changed between runs", withSandbox(async (sandbox) => {
  const begun = Promise.withResolvers();
  const running = sandbox.runCode(
    "import time\nopen('progress.txt', 'w').write('half')\nprint('on', flush=True)\n" +
    "while True:\n    time.sleep(0.05)", { onStdout: () => begun.resolve(), timeoutMs: 50_000 }).catch(() => {});
  await begun.promise;
  assert.equal(await sandbox.files.read("progress.txt"), "half");
  assert.ok((await sandbox.files.list("/home/user")).some((e) => e.name === "progress.txt"));
  assert.equal(await sandbox.files.exists("none.txt"), false);
  const error = await refusal(() => sandbox.files.write("progress.txt", "over"));
  assert.match(error.message, /between calls/);
  assert.match((await refusal(() => sandbox.files.makeDir("d"))).message, /between calls/);
  await sandbox.kill();
  await running;
}));

test("a file that the memory has no room for", withSandbox(async (sandbox) => {
  await sandbox.runCode("x = b'x' * (300 << 20)");
  for (const options of [{}, { useOctetStream: true }]) {
    const error = await refusal(() => sandbox.files.write("big.bin", new ArrayBuffer(230 << 20), options));
    assert.equal(error.name, "NotEnoughSpaceError");
    assert.match(error.message, /remove files/);
  }
  assert.equal((await sandbox.runCode("len(x) >> 20")).text, "300");
}));

test("signed URLs are not offered, and say so", withSandbox(async (sandbox) => {
  const answer = await fetch(await sandbox.downloadUrl("x.txt"));
  assert.equal(answer.status, 401);
  assert.match((await answer.json()).message, /no signed URLs/);
}));

test("kill, isRunning, connect, list with metadata", async () => {
  const sandbox = await Sandbox.create({ timeoutMs: 60_000, metadata: { user: "ünì&=1" } });
  await sandbox.runCode("word = 'same'");
  const before = (await sandbox.getInfo()).endAt;
  const again = await Sandbox.connect(sandbox.sandboxId, { timeoutMs: 1_000 });
  assert.ok((await sandbox.getInfo()).endAt - before > -5_000, "connecting made its time shorter");
  assert.match((await again.runCode("word")).text, /same/);
  const found = await Sandbox.list({ query: { metadata: { user: "ünì&=1" } } }).nextItems();
  assert.deepEqual(found.map((s) => s.sandboxId), [sandbox.sandboxId]);
  assert.equal(found[0].state, "running");
  assert.deepEqual(found[0].metadata, { user: "ünì&=1" });
  assert.equal((await Sandbox.list({ query: { metadata: { user: "none" } } }).nextItems()).length, 0);
  assert.equal(await sandbox.isRunning(), true);
  assert.equal(await sandbox.kill(), true);
  assert.equal(await sandbox.isRunning(), false);
  assert.equal(await sandbox.kill(), false);
  assert.equal((await refusal(() => sandbox.getInfo())).name, "SandboxNotFoundError");
  assert.equal((await refusal(() => sandbox.files.read("x"))).name, "TimeoutError");
});

test("another token's sandbox is as unknown as any", withSandbox(async (sandbox) => {
  const apiKey = process.env.E2B_OTHER_KEY;
  assert.equal((await Sandbox.list({ apiKey }).nextItems()).length, 0);
  assert.equal(await Sandbox.kill(sandbox.sandboxId, { apiKey }), false);
  assert.equal(
    (await refusal(() => Sandbox.getInfo(sandbox.sandboxId, { apiKey }))).name, "SandboxNotFoundError");
  const bare = (headers) => fetch(process.env.E2B_SANDBOX_URL + "/execute", {
    method: "POST",
    headers: { "Content-Type": "application/json", "E2b-Sandbox-Id": sandbox.sandboxId, ...headers },
    body: JSON.stringify({ code: "1" }),
  });
  assert.equal((await bare({ "X-API-Key": apiKey })).status, 502);
  assert.equal((await bare({ "X-Access-Token": "guessed" })).status, 502);
  assert.equal((await bare({ "X-API-Key": "unknown" })).status, 401);
  assert.equal((await bare({ "X-API-Key": process.env.E2B_API_KEY })).status, 200);
  assert.equal((await refusal(() => Sandbox.create({ apiKey: "unknown" }))).name, "AuthenticationError");
}));

test("twenty at once", async () => {
  const boxes = await Promise.all(
    Array.from({ length: 20 }, () => Sandbox.create({ timeoutMs: 120_000 })));
  try {
    await Promise.all(boxes.map((box, i) => box.runCode(`mine = ${i}`)));
    const got = await Promise.all(boxes.map((box) => box.runCode("mine * 2")));
    assert.deepEqual(got.map((g) => g.text), boxes.map((_, i) => String(i * 2)));
  } finally {
    await Promise.all(boxes.map((box) => box.kill()));
  }
});

test("a killed process is told as an error, and the sandbox as lost", withSandbox(async (sandbox) => {
  const { error } = await sandbox.runCode("import os, signal\nos.kill(os.getpid(), signal.SIGKILL)");
  assert.ok(error.name && /lost/.test(error.value), JSON.stringify(error));
  assert.equal(await sandbox.isRunning(), false);
}));

const only = process.argv[2];
let failed = 0;
for (const [name, run] of cases) {
  if (only && !name.includes(only)) continue;
  try {
    await run();
    console.log(`ok ${name}`);
  } catch (error) {
    failed++;
    console.log(`failed ${name}: ${error?.stack ?? error}`);
  }
}
process.exit(failed ? 1 : 0);
