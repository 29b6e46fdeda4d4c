// The theme, before anything is painted: the system's unless the switch said otherwise.
"use strict";
try {
	const theme = localStorage.getItem("brig-theme");
	if (theme === "light" || theme === "dark") document.documentElement.dataset.theme = theme;
} catch {
	// Storage may be forbidden; the system's theme it is.
}
