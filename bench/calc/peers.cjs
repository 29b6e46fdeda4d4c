// peers: nanoseconds for each expression of a file in mathjs and in expr-eval, from text to number
// to text. Both write powers as ^, so ** is written so for them.
//
//	node peers.cjs NAME FILE ROUNDS        lines as bench/calc/calc prints them
"use strict";

const fs = require("fs");
const path = require("path");
const { createRequire } = require("module");

const PASSES = 15;
const [name, file, rounds] = [process.argv[2], process.argv[3], Number(process.argv[4])];
const load = createRequire(path.join(process.env.BENCH_MODULES, "package.json"));

function evaluator() {
	if (name === "mathjs") {
		const { evaluate } = load("mathjs");
		return (text) => String(evaluate(text));
	}
	const { Parser } = load("expr-eval");
	const parser = new Parser();
	return (text) => String(parser.evaluate(text));
}

const evaluate = evaluator();
const lines = fs.readFileSync(file, "utf8").split("\n").filter(Boolean);
let keep = "";
for (const line of lines) {
	const text = line.replaceAll("**", "^");
	let best = Infinity;
	for (let i = 0; i < rounds; i++) keep = evaluate(text); // until the JIT has settled
	for (let pass = 0; pass < PASSES; pass++) {
		const start = process.hrtime.bigint();
		for (let i = 0; i < rounds; i++) keep = evaluate(text);
		best = Math.min(best, Number(process.hrtime.bigint() - start) / rounds);
	}
	if (!Number.isFinite(Number(keep))) throw new Error(`${name}: ${text} gave ${keep}`);
	console.log(`${best.toFixed(1)}\t${line}`);
}
