// pyodide: one Python in WebAssembly, loaded, then asked again and again.
//
//	node pyodide.mjs FOLDER_OF_THE_NPM_PACKAGE COUNT CODE
//
// Prints one line of JSON: milliseconds to load, of the first run, and quantiles of those after it.
import { pathToFileURL } from "node:url";

const [folder, count, code] = process.argv.slice(2);
const { loadPyodide } = await import(pathToFileURL(`${folder}/pyodide.mjs`));
const begin = performance.now();
let printed = "";
const python = await loadPyodide({ stdout: (line) => { printed = line; } });
const loaded = performance.now();

async function run() {
	const start = performance.now();
	printed = "";
	await python.runPythonAsync(code);
	return performance.now() - start;
}

const first = await run();
const times = [];
for (let i = 0; i < Number(count); i++)
	times.push(await run());
times.sort((a, b) => a - b);
const at = (share) => Math.round((times[Math.floor(times.length * share)] ?? 0) * 1000);
console.log(JSON.stringify({
	load_ms: loaded - begin,
	first_ms: first,
	printed,
	jobs: times.length,
	ok: times.length,
	p50_us: at(0.5),
	p99_us: at(0.99),
	rss_bytes: process.memoryUsage().rss,
}));
