// text: what strangers wrote, made harmless to look at; and figures as people read them.

const C0 = (
	"NUL SOH STX ETX EOT ENQ ACK BEL BS HT LF VT FF CR SO SI DLE DC1 DC2 DC3 DC4 NAK SYN ETB CAN EM SUB ESC " +
	"FS GS RS US"
).split(" ");
const NAMES = {
	0x7f: "DEL",
	0x9b: "CSI",
	0x00ad: "SHY",
	0x061c: "ALM",
	0x200b: "ZWSP",
	0x200e: "LRM",
	0x200f: "RLM",
	0x2028: "LSEP",
	0x2029: "PSEP",
	0x202a: "LRE",
	0x202b: "RLE",
	0x202c: "PDF",
	0x202d: "LRO",
	0x202e: "RLO",
	0x2060: "WJ",
	0x2066: "LRI",
	0x2067: "RLI",
	0x2068: "FSI",
	0x2069: "PDI",
	0xfeff: "BOM",
};

// Controls but tab and line feed, what changes the direction of text, and what cannot be seen.
const UNSEEN = new RegExp(
	"[\\u0000-\\u0008\\u000b-\\u001f\\u007f-\\u009f\\u00ad\\u061c\\u180e\\u200b" +
		"\\u200e\\u200f\\u2028-\\u202e\\u2060-\\u206f\\ufeff\\ufff9-\\ufffb\\u{e0000}-\\u{e007f}]",
	"gu",
);

function mark(character) {
	const code = character.codePointAt(0);
	return `\u27e8${C0[code] ?? NAMES[code] ?? "U+" + code.toString(16).toUpperCase().padStart(4, "0")}\u27e9`;
}

// The text with a visible mark for each character that would act instead of being seen.
export function visible(text) {
	return String(text).replace(/\r\n/g, "\n").replace(UNSEEN, mark);
}

// The same on one line, cut to a length.
export function oneLine(text, length = 200) {
	const line = visible(String(text).slice(0, 4 * length)).replace(/[\n\t]/g, " ");
	return line.length > length ? line.slice(0, length - 1) + "\u2026" : line;
}

// A name under which a browser may save: one component, nothing hidden, no leading dot.
export function saveName(name) {
	const last = String(name).split(/[\\/]/).pop();
	return (
		last
			.replace(UNSEEN, "_")
			.replace(/[\n\t<>:"|?*]/g, "_")
			.replace(/^\.+/, "_")
			.slice(0, 200) || "file"
	);
}

export function bytes(count) {
	const units = ["bytes", "KiB", "MiB", "GiB"];
	let unit = 0;
	let value = count;
	for (; value >= 1024 && unit < 3; unit++) value /= 1024;
	if (unit === 0) return count === 1 ? "1 byte" : `${count} bytes`;
	return `${value < 10 && value % 1 ? value.toFixed(1) : Math.round(value)} ${units[unit]}`;
}

export function duration(ms) {
	if (ms < 1) return ms === 0 ? "0 ms" : `${ms.toFixed(2)} ms`;
	if (ms < 10 && ms % 1) return `${ms.toFixed(1)} ms`;
	if (ms < 1000) return `${Math.round(ms)} ms`;
	const seconds = ms / 1000;
	return `${Number(seconds.toFixed(seconds < 10 ? 2 : 0))} s`;
}

export const count = (number) => Number(number).toLocaleString("en");

export const plural = (number, one, many = one + "s") => `${count(number)} ${number === 1 ? one : many}`;

// A moment of the log, in the reader's own time zone.
export function clock(iso, withDay = false) {
	const moment = new Date(iso);
	if (Number.isNaN(moment.getTime())) return visible(iso);
	const pad = (value, width = 2) => String(value).padStart(width, "0");
	const time = `${pad(moment.getHours())}:${pad(moment.getMinutes())}:${pad(moment.getSeconds())}`;
	const today = new Date().toDateString() === moment.toDateString();
	if (today && !withDay) return time;
	return `${moment.getFullYear()}-${pad(moment.getMonth() + 1)}-${pad(moment.getDate())} ${time}`;
}
