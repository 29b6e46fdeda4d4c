// main: the rooms of the page, by the part of the address behind the hash.
import {getText, request, whenReach} from "./api.js";
import * as calculate from "./calculate.js";
import {byId, fill, svg} from "./dom.js";
import * as health from "./health.js";
import * as jobs from "./jobs.js";
import {parseMetrics} from "./metrics.js";
import * as run from "./run.js";
import * as token from "./token.js";

const READY_MS = 2000;
const rooms = {try: run, calculate, jobs, health};
const titles = {try: "Try it", calculate: "Calculate", jobs: "Jobs", health: "Health"};
let current = "",
	role = null,
	readyTimer = 0;

// What the caller's role may do; before that is known, everything.
const offered = {
	try: () => !role || role.tools.includes("run_sandboxed"),
	calculate: () => !role || role.tools.includes("calculate"),
	jobs: () => !role || role.audit,
	health: () => true,
};

// The log's room says itself what it takes; a room to do what one may not do is none.
function roomOf(name) {
	const wanted = name in rooms ? name : "try";
	return wanted === "jobs" || offered[wanted]() ? wanted : ["try", "calculate", "health"].find((one) => offered[one]());
}

function show(focus) {
	const [name = "", ...rest] = location.hash.replace(/^#\/?/, "").split("/");
	const room = roomOf(name);
	let id = "";
	try {
		id = decodeURIComponent(rest.join("/"));
	} catch {
		// A broken escape names nothing.
	}
	if (current && current !== room) rooms[current].leave();
	for (const one of Object.keys(rooms)) {
		byId(`room-${one}`).hidden = one !== room;
		if (one === room) byId(`nav-${one}`).setAttribute("aria-current", "page");
		else byId(`nav-${one}`).removeAttribute("aria-current");
	}
	document.body.dataset.room = room;
	document.title = `${titles[room]} · brig`;
	if (focus && current !== room) {
		byId(`title-${room}`).focus({preventScroll: true});
		window.scrollTo(0, 0);
	}
	current = room;
	rooms[room].enter(id);
}

const THEMES = ["system", "light", "dark"];
const ICONS = {
	system: ["M12 3a9 9 0 1 0 0 18z", "M12 3a9 9 0 0 1 0 18"],
	light: [
		"M12 8a4 4 0 1 0 0 8 4 4 0 0 0 0-8z",
		"M12 2v2M12 20v2M2 12h2M20 12h2M5 5l1.4 1.4M17.6 17.6 19 19M5 19l1.4-1.4M17.6 6.4 19 5",
	],
	dark: ["M20 14.5A8.5 8.5 0 0 1 9.500 4 8.500 8.500 0 1 0 20 14.500z"],
};

function setTheme(theme) {
	if (theme === "system") delete document.documentElement.dataset.theme;
	else document.documentElement.dataset.theme = theme;
	const words = theme === "system" ? "as the system" : theme;
	byId("theme").setAttribute("aria-label", `Theme: ${words}`);
	byId("theme").title = `Theme: ${words}`;
	fill(
		byId("theme"),
		svg(
			"svg",
			{viewBox: "0 0 24 24", width: 18, height: 18, "aria-hidden": "true"},
			...ICONS[theme].map((d, at) =>
				svg("path", {
					d,
					fill: at === 0 && theme !== "light" ? "currentColor" : "none",
					stroke: "currentColor",
					"stroke-width": 2,
					"stroke-linecap": "round",
				}),
			),
		),
	);
}

function beginTheme() {
	let theme = document.documentElement.dataset.theme ?? "system";
	setTheme(theme);
	byId("theme").addEventListener("click", () => {
		theme = THEMES[(THEMES.indexOf(theme) + 1) % THEMES.length];
		setTheme(theme);
		try {
			localStorage.setItem("brig-theme", theme);
		} catch {
			// It holds for this page, then.
		}
	});
}

async function watchReady() {
	clearTimeout(readyTimer);
	const state = byId("ready");
	const [tone, words] = await request("/readyz").then(
		() => ["good", "Ready"],
		(fault) => (fault.status === 503 ? ["warn", "Not ready"] : ["bad", "Unreachable"]),
	);
	if (state.dataset.tone !== tone) {
		state.dataset.tone = tone;
		state.querySelector(".ready-text").textContent = words;
	}
	clearTimeout(readyTimer);
	readyTimer = setTimeout(watchReady, READY_MS);
}

async function showVersion() {
	const build = parseMetrics(await getText("/metrics")).find((sample) => sample.name === "brig_build_info");
	byId("version").textContent = build ? `brig ${build.labels.version}` : "brig";
}

for (const room of Object.values(rooms)) room.begin();
whenReach(() => void watchReady());
token.begin((value) => {
	role = value;
	for (const one of Object.keys(rooms)) byId(`nav-${one}`).hidden = !offered[one]();
	run.setRole(role);
	jobs.setRole(role);
	health.setRole(role);
	if (current && roomOf(current) !== current) show(false);
});
beginTheme();
byId("skip").addEventListener("click", (event) => {
	event.preventDefault();
	byId("main").focus();
});
window.addEventListener("hashchange", () => show(true));
show(false);
void watchReady();
void token.refresh().catch(() => {});
void showVersion().catch(() => {});
