/* request: member by member. */
#include "api/request.h"

#include "tool/input.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define KNOWN_BYTES 160u

int request_refuse(
	struct request_fault *fault, int status, const char *field, const char *format, ...)
{
	va_list arguments;
	fault->status = status;
	(void)snprintf(fault->field, sizeof(fault->field), "%s", field);
	va_start(arguments, format);
	(void)vsnprintf(fault->detail, sizeof(fault->detail), format, arguments);
	va_end(arguments);
	return status == 500 ? -EIO : -EINVAL;
}

/* jansson's own words for a key that comes twice: duplicate object key near '"code"'. */
static void name_duplicate(const json_error_t *error, char *field, size_t room)
{
	const char *from = strchr(error->text, '"');
	const char *to = from ? strchr(from + 1, '"') : NULL;
	field[0] = 0;
	if (to)
		(void)snprintf(field, room, "%.*s", (int)(to - from - 1), from + 1);
}

int request_parse(struct span text, json_t **ret_object, struct request_fault *ret_fault)
{
	json_error_t error;
	json_t *value = NULL;
	char field[64];
	if (!text.len)
		return request_refuse(ret_fault, 400, "", "the body is empty; send a JSON object");
	int rc = json_receive(text, &value, &error);
	if (rc == -E2BIG)
		return request_refuse(ret_fault, 400, "", "%s", error.text);
	if (rc < 0 && json_error_code(&error) == json_error_duplicate_key) {
		name_duplicate(&error, field, sizeof(field));
		return request_refuse(ret_fault, 400, field, "the field %s comes twice", field);
	}
	if (rc < 0)
		return request_refuse(ret_fault, 400, "",
			"malformed JSON at line %d, column %d: %s", error.line, error.column,
			error.text);
	if (!json_is_object(value)) {
		json_decref(value);
		return request_refuse(ret_fault, 422, "", "the body must be a JSON object");
	}
	*ret_object = value;
	return 0;
}

static void list_known(const char *const *known, char out[KNOWN_BYTES])
{
	size_t used = 0;
	out[0] = 0;
	for (; *known && used < KNOWN_BYTES; known++) {
		int length =
			snprintf(out + used, KNOWN_BYTES - used, "%s%s", used ? ", " : "", *known);
		used += length > 0 ? (size_t)length : 0;
	}
}

int request_known(const json_t *object, const char *prefix, const char *const *known,
	struct request_fault *ret_fault)
{
	json_t *open = (json_t *)(uintptr_t)object; /* jansson iterates over non-const only */
	char list[KNOWN_BYTES], field[80];
	for (void *at = json_object_iter(open); at; at = json_object_iter_next(open, at)) {
		const char *key = json_object_iter_key(at);
		size_t i = 0;
		while (known[i] && strcmp(known[i], key) != 0)
			i++;
		if (known[i])
			continue;
		list_known(known, list);
		(void)snprintf(field, sizeof(field), "%s%s", prefix, key);
		return request_refuse(
			ret_fault, 422, field, "unknown field %s; known are %s", field, list);
	}
	return 0;
}

static int wrong_type(struct request_fault *fault, const char *field, const char *wanted)
{
	return request_refuse(fault, 422, field, "%s must be %s", field, wanted);
}

static int take_code(const json_t *object, struct job_spec *spec, struct request_fault *fault)
{
	const json_t *value = json_object_get(object, "code");
	if (!value)
		return request_refuse(fault, 422, "code", "code is missing: the Python to run");
	if (!json_is_string(value))
		return wrong_type(fault, "code", "a string");
	struct span code = json_text(value);
	if (code.len > LIMIT_CODE_BYTES)
		return request_refuse(fault, 413, "code", "code is larger than 1 MiB");
	int rc = buf_add(&spec->code, code.data, code.len);
	return rc ? request_refuse(fault, 500, "", "out of memory") : 0;
}

static int take_stdin(const json_t *object, struct job_spec *spec, struct request_fault *fault)
{
	const json_t *value = json_object_get(object, "stdin");
	struct err err;
	if (!value || json_is_null(value))
		return 0;
	if (!json_is_string(value))
		return wrong_type(fault, "stdin", "a string");
	struct span text = json_text(value);
	if (text.len > LIMIT_STDIN_BYTES)
		return request_refuse(fault, 413, "stdin", "stdin is larger than 16 MiB");
	spec->stdin_bytes = text.len;
	int rc = input_of_bytes(text, &spec->stdin_fd, &err);
	return rc ? request_refuse(fault, 500, "stdin", "%s", err.text) : 0;
}

/* A figure above zero; beyond what a uint can hold it is as good as the largest. */
static int take_figure(const json_t *limits, const char *key, uint64_t max, uint64_t *ret,
	struct request_fault *fault)
{
	const json_t *value = json_object_get(limits, key);
	char field[48];
	(void)snprintf(field, sizeof(field), "limits.%s", key);
	if (!value)
		return 0;
	if (!json_is_integer(value))
		return wrong_type(fault, field, "a whole number");
	json_int_t figure = json_integer_value(value);
	if (figure <= 0)
		return wrong_type(fault, field, "above 0");
	*ret = (uint64_t)figure < max ? (uint64_t)figure : max;
	return 0;
}

int request_limits(const json_t *object, struct job_limits *into, struct request_fault *fault)
{
	static const char *const known[] = {
		"wall_ms", "cpu_ms", "memory_bytes", "output_bytes", NULL};
	const json_t *limits = json_object_get(object, "limits");
	uint64_t wall_ms = 0, cpu_ms = 0;
	if (!limits || json_is_null(limits))
		return 0;
	if (!json_is_object(limits))
		return wrong_type(fault, "limits", "an object");
	int rc = request_known(limits, "limits.", known, fault);
	if (!rc)
		rc = take_figure(limits, "wall_ms", UINT32_MAX, &wall_ms, fault);
	if (!rc)
		rc = take_figure(limits, "cpu_ms", UINT32_MAX, &cpu_ms, fault);
	if (!rc)
		rc = take_figure(limits, "memory_bytes", INT64_MAX, &into->memory_bytes, fault);
	if (!rc)
		rc = take_figure(limits, "output_bytes", INT64_MAX, &into->output_bytes, fault);
	into->wall_ms = (uint32_t)wall_ms;
	into->cpu_ms = (uint32_t)cpu_ms;
	return rc;
}

static int take_flag(const json_t *object, const char *key, bool *ret, struct request_fault *fault)
{
	const json_t *value = json_object_get(object, key);
	if (value && !json_is_boolean(value))
		return wrong_type(fault, key, "true or false");
	*ret = json_is_true(value);
	return 0;
}

int request_session_id(struct span text, char out[SESSION_ID_BYTES])
{
	if (!text.len || text.len >= SESSION_ID_BYTES)
		return -EINVAL;
	for (size_t i = 0; i < text.len; i++) {
		unsigned char c = text.data[i];
		bool word = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' ||
			    (c >= 'A' && c <= 'Z');
		if (!word)
			return -EINVAL;
	}
	memcpy(out, text.data, text.len);
	out[text.len] = 0;
	return 0;
}

static int take_session(const json_t *object, struct job_spec *spec, struct request_fault *fault)
{
	const json_t *session = json_object_get(object, "session");
	if (!session || json_is_null(session))
		return 0;
	struct span text = json_text(session);
	spec->session.use = span_is(text, "new") ? SESSION_NEW : SESSION_USE;
	if (spec->session.use == SESSION_NEW)
		spec->session.idle_ms = spec->session.life_ms = 0; /* the role's */
	if (spec->session.use == SESSION_NEW || request_session_id(text, spec->session.id) == 0)
		return 0;
	return wrong_type(fault, "session", "\"new\", or the id of a session");
}

static int take_options(const json_t *object, struct job_spec *spec, struct request_fault *fault)
{
	const json_t *format = json_object_get(object, "chart_format");
	if (format && span_is(json_text(format), "svg"))
		spec->chart_format = CHART_SVG;
	else if (format && !span_is(json_text(format), "png"))
		return wrong_type(fault, "chart_format", "\"png\" or \"svg\"");
	int rc = take_session(object, spec, fault);
	if (!rc)
		rc = take_flag(object, "table_csv", &spec->table_csv, fault);
	return rc ? rc : take_flag(object, "receipt", &spec->receipt, fault);
}

static int take_files(const json_t *object, const struct role *role, struct job_spec *spec,
	struct request_fault *fault)
{
	const json_t *files = json_object_get(object, "files");
	int rc = 0;
	if (!files || json_is_null(files))
		return 0;
	if (!json_is_array(files))
		return wrong_type(fault, "files", "an array");
	if (json_array_size(files) > LIMIT_INPUTS)
		return request_refuse(fault, 413, "files", "more than 64 files");
	for (size_t i = 0; !rc && i < json_array_size(files); i++)
		rc = request_file(json_array_get(files, i), i, role, spec, fault);
	return rc;
}

int request_run(const json_t *object, const struct role *role, struct job_spec *spec,
	struct request_fault *ret_fault)
{
	static const char *const known[] = {"code", "files", "stdin", "session", "limits",
		"receipt", "chart_format", "table_csv", NULL};
	/* What a request leaves open, the role fills in. */
	spec->limits = (struct job_limits){0};
	int rc = request_known(object, "", known, ret_fault);
	if (!rc)
		rc = take_code(object, spec, ret_fault);
	if (!rc)
		rc = request_limits(object, &spec->limits, ret_fault);
	if (!rc)
		rc = take_options(object, spec, ret_fault);
	if (!rc)
		rc = take_stdin(object, spec, ret_fault);
	return rc ? rc : take_files(object, role, spec, ret_fault);
}

int request_calculate(const json_t *object, struct span *ret_expr, struct request_fault *ret_fault)
{
	static const char *const known[] = {"expr", NULL};
	const json_t *value = json_object_get(object, "expr");
	int rc = request_known(object, "", known, ret_fault);
	if (rc < 0)
		return rc;
	if (!value)
		return request_refuse(
			ret_fault, 422, "expr", "expr is missing: the arithmetic to evaluate");
	if (!json_is_string(value))
		return wrong_type(ret_fault, "expr", "a string");
	*ret_expr = json_text(value);
	if (ret_expr->len > 512 * KIB)
		return request_refuse(ret_fault, 413, "expr", "expr is larger than 4,096 bytes");
	return 0;
}
