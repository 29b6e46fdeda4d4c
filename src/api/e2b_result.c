/*
 * e2b_result: brig's result as the lines that E2B's clients read: what was displayed, charts, the
 * value of the last expression, and the error.
 */
#include "api/e2b.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

static int put_line(struct buf *out, json_t *line)
{
	int rc = line ? json_write(line, out) : -ENOMEM;
	json_decref(line);
	return rc ? rc : buf_add_text(out, "\n");
}

static json_t *result_line(bool is_main)
{
	return json_pack("{s:s, s:b}", "type", "result", "is_main_result", is_main);
}

json_t *e2b_plain(json_t *value)
{
	json_t *tagged = json_object_get(value, "$type");
	json_t *inner = tagged ? json_object_get(value, "value") : value;
	return inner ? json_incref(inner) : json_null();
}

/* A table that display() was given. */
static int put_table(struct buf *out, const json_t *table, json_t *text)
{
	json_t *line = result_line(false);
	int rc = json_put(line, "text",
		text ? json_incref(text)
		     : json_sprintf("%lld rows",
			       (long long)json_integer_value(json_object_get(table, "row_count"))));
	json_t *html = rc ? NULL : e2b_table_html(table);
	if (!rc && html)
		rc = json_put(line, "html", html);
	if (!rc)
		rc = json_put(line, "data", e2b_table_data(table));
	if (rc < 0) {
		json_decref(line);
		return rc;
	}
	return put_line(out, line);
}

static const char *form_of(const json_t *chart)
{
	struct span mime = json_text(json_object_get(chart, "mime"));
	if (span_is(mime, "image/svg+xml"))
		return "svg";
	return span_is(mime, "image/jpeg") ? "jpeg" : "png";
}

static int put_chart(struct buf *out, const json_t *chart)
{
	json_t *line = result_line(false);
	json_t *image = json_object_get(chart, "data_base64");
	json_t *data = e2b_chart(chart);
	struct span alt = json_text(json_object_get(chart, "alt"));
	int rc = json_put(line, "text", json_from_text(alt));
	if (!rc && image)
		rc = json_put(line, form_of(chart), json_incref(image));
	if (!rc && data)
		rc = json_put(line, "chart", json_incref(data));
	json_decref(data);
	if (rc < 0) {
		json_decref(line);
		return rc;
	}
	return put_line(out, line);
}

static int copy(json_t *line, const json_t *value, const char *key)
{
	json_t *form = json_object_get(value, key);
	return form ? json_put(line, key, json_incref(form)) : 0;
}

static int put_value(struct buf *out, const json_t *value)
{
	static const char *const forms[] = {"text", "html", "markdown", "svg", "latex"};
	json_t *line = result_line(true);
	json_t *json = json_object_get(value, "json");
	json_t *table = json_object_get(value, "table");
	int rc = line ? 0 : -ENOMEM;
	for (size_t i = 0; !rc && i < sizeof(forms) / sizeof(forms[0]); i++)
		rc = copy(line, value, forms[i]);
	if (!rc && (json_is_object(json) || json_is_array(json)))
		rc = json_put(line, "json", json_incref(json));
	if (!rc && table)
		rc = json_put(line, "data", e2b_table_data(table));
	if (rc < 0) {
		json_decref(line);
		return rc;
	}
	return put_line(out, line);
}

static const char *error_name(const json_t *result)
{
	static const struct {
		const char *outcome, *name;
	} names[] = {
		{"exit", "SystemExit"},
		{"signal", "ProcessDied"},
		{"timeout_wall", "TimeoutError"},
		{"timeout_cpu", "TimeoutError"},
		{"memory", "MemoryError"},
		{"output", "OutputLimitError"},
		{"denied", "PermissionError"},
		{"cancelled", "KeyboardInterrupt"},
	};
	struct span outcome = json_text(json_object_get(result, "outcome"));
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (span_is(outcome, names[i].outcome))
			return names[i].name;
	return "SandboxError";
}

/* Where no Python exception ended it: the hint, and what became of the sandbox. */
static json_t *made_up_error(const json_t *result)
{
	const char *name = error_name(result);
	const char *hint = json_string_value(json_object_get(result, "hint"));
	const char *lost =
		json_string_value(json_object_get(json_object_get(result, "session"), "lost"));
	cleanup_json json_t *value = json_sprintf("%s%s%s", hint ? hint : "the code did not end",
		lost ? "; the sandbox is lost, make a new one: " : "", lost ? lost : "");
	const char *text = json_string_value(value);
	return text ? json_pack("{s:s, s:s, s:s, s:o}", "type", "error", "name", name, "value",
			      text, "traceback", json_sprintf("%s: %s", name, text))
		    : NULL;
}

/* A Python exception. The SDKs show `traceback` alone, or `name` and `value`: the hint is in both.
 */
static json_t *raised_error(const json_t *result)
{
	const json_t *error = json_object_get(result, "error");
	const char *hint = json_string_value(json_object_get(result, "hint"));
	const char *name = json_string_value(json_object_get(error, "type"));
	const char *value = json_string_value(json_object_get(error, "message"));
	const char *traceback = json_string_value(json_object_get(error, "traceback"));
	if (!name || !value || !traceback)
		return NULL;
	size_t length = strlen(traceback);
	const char *line = length && traceback[length - 1] != '\n' ? "\n" : "";
	return json_pack("{s:s, s:s, s:o, s:o}", "type", "error", "name", name, "value",
		hint ? json_sprintf("%s%shint: %s", value, *value ? "\n" : "", hint)
		     : json_string(value),
		"traceback",
		hint ? json_sprintf("%s%shint: %s\n", traceback, line, hint)
		     : json_string(traceback));
}

static int put_error(struct buf *out, const json_t *result)
{
	const json_t *error = json_object_get(result, "error");
	if (span_is(json_text(json_object_get(result, "outcome")), "ok"))
		return 0;
	return put_line(out, json_is_object(error) ? raised_error(result) : made_up_error(result));
}

int e2b_result_lines(const json_t *result, const json_t *table_texts, struct buf *out)
{
	const json_t *tables = json_object_get(result, "tables");
	const json_t *charts = json_object_get(result, "charts");
	const json_t *value = json_object_get(result, "result");
	int rc = 0;
	for (size_t i = 0; !rc && i < json_array_size(tables); i++)
		rc = put_table(out, json_array_get(tables, i), json_array_get(table_texts, i));
	for (size_t i = 0; !rc && i < json_array_size(charts); i++)
		rc = put_chart(out, json_array_get(charts, i));
	if (!rc && value)
		rc = put_value(out, value);
	return rc ? rc : put_error(out, result);
}
