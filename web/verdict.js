// verdict: an outcome in words.
import {el} from "./dom.js";
import {bytes, duration, visible} from "./text.js";

// The colour: good, a limit or the caller (warn), a fault or a refusal (bad), neither (idle).
const TONES = {
	ok: "good",
	error: "bad",
	exit: "warn",
	signal: "bad",
	timeout_wall: "warn",
	timeout_cpu: "warn",
	memory: "warn",
	output: "warn",
	denied: "bad",
	cancelled: "idle",
	rejected: "bad",
	internal: "bad",
	running: "live",
	interrupted: "bad",
};

const WORDS = {timeout_wall: "wall time", timeout_cpu: "CPU time"};

export const outcomes = [
	"ok",
	"error",
	"exit",
	"signal",
	"timeout_wall",
	"timeout_cpu",
	"memory",
	"output",
	"denied",
	"cancelled",
	"rejected",
	"internal",
	"running",
	"interrupted",
];

export const tone = (outcome) => TONES[outcome] ?? "idle";
export const word = (outcome) => WORDS[outcome] ?? visible(outcome);

export const chip = (outcome) =>
	el(
		"span",
		{class: `outcome ${tone(outcome)}`},
		el("span", {class: "dot", "aria-hidden": "true"}),
		word(outcome),
	);

export function sentence(result) {
	const {usage, limits} = result;
	const took = usage ? duration(usage.wall_ms) : "";
	switch (result.outcome) {
		case "ok":
			return `Finished in ${took}.`;
		case "error":
			return result.error?.line
				? `${result.error.type} on line ${result.error.line}, after ${took}.`
				: `${result.error?.type ?? "An error"} after ${took}.`;
		case "exit":
			return `Ended with exit status ${result.exit_code}, after ${took}.`;
		case "signal":
			return `Ended by signal ${result.signal}, after ${took}.`;
		case "timeout_wall":
			return `Ended by brig: its ${duration(limits.wall_ms)} of wall time were over.`;
		case "timeout_cpu":
			return `Ended by brig: its ${duration(limits.cpu_ms)} of CPU time were used up.`;
		case "memory":
			return `Ended by brig: it met its memory limit of ${bytes(limits.memory_bytes)}.`;
		case "output":
			return `Ended by brig: it printed more than ${bytes(limits.output_bytes)}.`;
		case "denied":
			return `Ended by the system call filter: ${result.syscall ?? "a call"} is never allowed.`;
		case "cancelled":
			return `Stopped by you, after ${took}.`;
		case "rejected":
			return "Refused before it ran.";
		case "internal":
			return "brig failed here, not the program.";
		default:
			return "";
	}
}
