// token: asking for one, where one is needed. It goes into api.js's variable and nowhere else.
import {getJson, setToken, whenUnknown} from "./api.js";
import {byId} from "./dom.js";
import {oneLine} from "./text.js";

let onRole = () => {};
let asked = false; // by itself, once

function open() {
	byId("token-fault").textContent = "";
	if (!byId("token-dialog").open) byId("token-dialog").showModal();
	byId("token-input").focus();
}

// Who the caller is now; null where it is nobody.
export async function refresh() {
	let role = null;
	try {
		role = await getJson("/v1/whoami");
	} catch (fault) {
		if (fault.status !== 401) throw fault;
	}
	byId("who").textContent = role ? oneLine(role.token ?? role.role, 24) : "Token";
	byId("token-open").setAttribute(
		"aria-label",
		role ? `Role ${role.role}; enter a token` : "Enter a token",
	);
	onRole(role);
	return role;
}

async function use(event) {
	event.preventDefault();
	const value = byId("token-input").value.trim();
	byId("token-input").value = "";
	if (!/^[\x21-\x7e]+$/.test(value)) {
		byId("token-fault").textContent = "That is no token: it has no blanks, and is not empty.";
		return;
	}
	setToken(value);
	asked = true;
	if (await refresh()) {
		byId("token-dialog").close();
		return;
	}
	setToken("");
	byId("token-fault").textContent = "This token is not known here.";
	byId("token-input").focus();
}

export function begin(roleCall) {
	onRole = roleCall;
	whenUnknown(() => {
		if (asked) return;
		asked = true;
		open();
	});
	byId("token-open").addEventListener("click", open);
	byId("token-form").addEventListener("submit", use);
	byId("token-cancel").addEventListener("click", () => byId("token-dialog").close());
	byId("token-forget").addEventListener("click", () => {
		setToken("");
		byId("token-dialog").close();
		void refresh().catch(() => {});
	});
}
