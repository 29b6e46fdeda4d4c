# Reads a recipe (INI) and prints shell assignments: suite, packages, fonts, …, levels (their
# names) and preload_NAME. Anything unknown or oddly spelt ends it with one line naming the place.

function fail(text) {
	print "recipe " FILENAME ":" FNR ": " text > "/dev/stderr"
	failed = 1
	exit 1
}

function check(list, pattern, what,    i, n, word) {
	n = split(list, word, /[ \t,]+/)
	for (i = 1; i <= n; i++)
		if (word[i] != "" && word[i] !~ pattern)
			fail("\"" word[i] "\" is no " what)
}

function add(value,    name) {
	name = section == "image" ? key : key "_" section
	if (key == "packages") check(value, "^[a-z0-9][a-z0-9+.-]*$", "package name")
	else if (key == "fonts") check(value, "^[A-Za-z0-9._*?-]+$", "font file pattern")
	else if (key == "drop") check(value, "^[A-Za-z0-9_]+$", "module name")
	else if (key == "advertise") check(value, "^[A-Za-z0-9._-]+$", "distribution name")
	else if (key == "preload") check(value, "^[A-Za-z_][A-Za-z0-9_.]*$", "module name")
	else if (key == "suite") {
		if (value !~ /^[a-z]+$/) fail("suite must be one lower-case word")
	} else if (value !~ /^[A-Za-z0-9 ,.-]*$/)
		fail("a font family has letters, digits, blanks, dots and hyphens only")
	if (key !~ /^(suite|font_fallback)$/) gsub(/[ \t,]+/, " ", value)
	values[name] = values[name] (values[name] == "" ? "" : " ") value
}

function trim(text) {
	gsub(/^[ \t]+|[ \t\r]+$/, "", text)
	return text
}

/^[ \t\r]*$/ || /^[ \t]*[#;]/ { next }

/^\[/ {
	section = ""
	key = ""
	if ($0 ~ /^\[image\][ \t\r]*$/)
		section = "image"
	else if ($0 ~ /^\[level [a-z][a-z0-9_]*\][ \t\r]*$/) {
		section = $2
		sub(/\].*/, "", section)
		if (section == "image" || length(section) > 15)
			fail("a level's name has at most 15 characters and is not \"image\"")
		if (index(" " levels " ", " " section " ")) fail("level " section " appears twice")
		levels = levels (levels == "" ? "" : " ") section
	} else
		fail("unknown section: known are [image] and [level NAME], NAME in lower case")
	next
}

/^[ \t]/ {
	if (key == "") fail("a continuation line follows no key")
	add(trim($0))
	next
}

{
	at = index($0, "=")
	if (!at) fail("expected KEY = VALUE")
	if (section == "") fail("a key before the first section")
	key = trim(substr($0, 1, at - 1))
	known = section == "image" ? "suite packages fonts font_fallback drop advertise" : "preload"
	if (key == "" || !index(" " known " ", " " key " "))
		fail("unknown key \"" key "\": known here are: " known)
	if ((section, key) in seen) fail("key \"" key "\" appears twice")
	seen[section, key] = 1
	add(trim(substr($0, at + 1)))
}

END {
	if (failed) exit 1
	if (values["suite"] == "" || values["packages"] == "" || levels == "") {
		print "recipe " FILENAME ": needs suite, packages and one [level NAME]" > "/dev/stderr"
		exit 1
	}
	values["levels"] = levels
	for (name in values) printf "recipe_%s='%s'\n", name, values[name]
}
