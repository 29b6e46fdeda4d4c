// stream: output as it comes, in one place, however much of it there is.
//
// What is shown is capped, and put in once a frame: a job that prints 32 MiB on one line costs the
// page no more than one that prints 200,000 characters.
import {el, fill} from "./dom.js";
import {bytes, visible} from "./text.js";

const SHOWN_MAX = 200_000;

export class Output {
	#shown = 0;
	#waiting = [];
	#frame = 0;
	left = 0; // characters that are not shown

	constructor() {
		this.pre = el("pre", {
			class: "output",
			tabindex: "0",
			role: "group",
			"aria-label": "Output",
			hidden: true,
		});
		this.note = el("p", {class: "note", hidden: true});
		this.element = el("div", {}, this.pre, this.note);
	}

	get empty() {
		return this.#shown === 0 && this.left === 0;
	}

	// `data` is the event's JSON; beyond the cap it is not even read.
	add(stream, data) {
		if (this.#shown >= SHOWN_MAX) {
			this.left += data.length;
			this.#later();
			return;
		}
		const {text} = JSON.parse(data);
		const taken = text.slice(0, SHOWN_MAX - this.#shown);
		this.#shown += taken.length;
		this.left += text.length - taken.length;
		this.#waiting.push([stream, visible(taken)]);
		this.#later();
	}

	#later() {
		this.#frame ||= requestAnimationFrame(() => this.flush());
	}

	flush() {
		cancelAnimationFrame(this.#frame);
		this.#frame = 0;
		const atEnd = this.pre.scrollTop + this.pre.clientHeight >= this.pre.scrollHeight - 8;
		for (const [stream, text] of this.#waiting) this.#put(stream, text);
		this.#waiting = [];
		this.pre.hidden = this.#shown === 0;
		if (this.left > 0) {
			this.note.hidden = false;
			this.note.textContent = `… and about ${bytes(this.left)} more that are not shown while it runs`;
		}
		if (atEnd) this.pre.scrollTop = this.pre.scrollHeight;
	}

	#put(stream, text) {
		const last = this.pre.lastElementChild;
		if (last?.className === stream) last.append(text);
		else this.pre.append(el("span", {class: stream}, text));
	}

	// The result is here: what the view had to leave out is replaced by head and tail of each stream.
	finish(result) {
		this.flush();
		if (this.left === 0) {
			this.note.hidden = true;
			return;
		}
		fill(
			this.pre,
			["stdout", "stderr"].map((stream) =>
				result[stream] ? el("span", {class: stream}, visible(result[stream])) : null,
			),
		);
		const total = result.stdout_bytes + result.stderr_bytes;
		this.note.textContent = `Start and end of ${bytes(total)} of output.`;
		this.pre.hidden = !this.pre.firstChild;
		this.pre.scrollTop = 0;
	}
}
