/*
 * imports: `import a.b, c as d` and `from a.b import c` at the start of a line or after a
 * semicolon, wherever they stand. Strings and comments are not parsed: they can only warm too much.
 */
#include "service/imports.h"

#include <stdbool.h>

/* The code is its author's: neither its length nor a list without end takes the loop's time. */
#define LOOKED_AT_BYTES (256u * 1024u)
#define NAMES_MAX 1024u

struct scan {
	const unsigned char *at, *end;
	size_t names_left;
	const char *const *modules;
	size_t module_count;
};

static bool is_name(unsigned char c)
{
	return c == '_' || (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') ||
	       (c >= 'a' && c <= 'z') || c >= 0x80;
}

static void skip_blanks(struct scan *scan)
{
	while (scan->at < scan->end && (*scan->at == ' ' || *scan->at == '\t' || *scan->at == '\f'))
		scan->at++;
}

static struct span take_name(struct scan *scan)
{
	const unsigned char *start = scan->at;
	while (scan->at < scan->end && is_name(*scan->at))
		scan->at++;
	return span_of(start, (size_t)(scan->at - start));
}

/* Whether the next name is one of the modules; beyond the last one that is looked up it is none. */
static size_t take_module(struct scan *scan)
{
	struct span name = take_name(scan);
	if (!name.len || !scan->names_left)
		return 0;
	scan->names_left--;
	for (size_t i = 0; i < scan->module_count; i++)
		if (span_is(name, scan->modules[i]))
			return 1;
	return 0;
}

/* After `import`: names with dots and `as`, parted by commas. */
static size_t take_list(struct scan *scan)
{
	size_t found = 0;
	for (;;) {
		skip_blanks(scan);
		found += take_module(scan);
		while (scan->at < scan->end && *scan->at != ',' && *scan->at != '\n' &&
			*scan->at != ';' && *scan->at != '#')
			scan->at++;
		if (scan->at == scan->end || *scan->at != ',')
			return found;
		scan->at++;
	}
}

size_t imports_covered(struct span code, const char *const *modules, size_t count)
{
	struct scan scan = {.at = code.data,
		.end = code.data + (code.len < LOOKED_AT_BYTES ? code.len : LOOKED_AT_BYTES),
		.names_left = NAMES_MAX,
		.modules = modules,
		.module_count = count};
	size_t found = 0;

	while (scan.at < scan.end) {
		skip_blanks(&scan);
		struct span word = take_name(&scan);
		if (span_is(word, "import")) {
			found += take_list(&scan);
		} else if (span_is(word, "from")) {
			skip_blanks(&scan);
			found += take_module(&scan);
		}
		while (scan.at < scan.end && *scan.at != '\n' && *scan.at != ';' && *scan.at != ':')
			scan.at++;
		if (scan.at < scan.end)
			scan.at++;
	}
	return found;
}
