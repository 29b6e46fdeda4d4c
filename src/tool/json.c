/* json: capped reading, exact writing. */
#include "tool/json.h"

#include "base/utf8.h"
#include "tool/text.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

/* The place behind the string that begins before `at`. */
static size_t over_string(struct span text, size_t at)
{
	while (at < text.len && text.data[at] != '"')
		at += text.data[at] == '\\' ? 2 : 1;
	return at + 1;
}

/*
 * 0, -ELOOP where brackets outside strings nest deeper than the cap, -E2BIG where there are more
 * values than `values_max`: each comma and each opening bracket brings one. Linear, and no
 * recursion.
 */
static int weigh(struct span text, size_t values_max)
{
	size_t depth = 0, values = 1;

	for (size_t i = 0; i < text.len;) {
		switch (text.data[i++]) {
		case '"':
			i = over_string(text, i);
			break;
		case '[':
		case '{':
			if (++depth > JSON_DEPTH_MAX)
				return -ELOOP;
			if (++values > values_max)
				return -E2BIG;
			break;
		case ',':
			if (++values > values_max)
				return -E2BIG;
			break;
		case ']':
		case '}':
			depth -= depth ? 1 : 0;
			break;
		default:
			break;
		}
	}
	return 0;
}

/* jansson's lexer takes its own failed allocations for the end of a token: they are noted here. */
static bool out_of_memory;

static void *noting_malloc(size_t bytes)
{
	void *data = malloc(bytes);
	out_of_memory = out_of_memory || !data;
	return data;
}

int json_read(struct span text, json_t **ret_value)
{
	if (text.len == 0 || weigh(text, SIZE_MAX) < 0)
		return -EBADMSG;
	json_set_alloc_funcs(noting_malloc, free);
	out_of_memory = false;
	json_t *value = json_loadb(
		(const char *)text.data, text.len, JSON_ALLOW_NUL | JSON_DECODE_ANY, NULL);
	if (out_of_memory) {
		json_decref(value);
		return -ENOMEM;
	}
	if (!value)
		return -EBADMSG;
	*ret_value = value;
	return 0;
}

int json_receive(struct span text, json_t **ret_value, json_error_t *ret_error)
{
	*ret_error = (json_error_t){.line = -1, .column = -1};
	int rc = weigh(text, JSON_VALUES_MAX);
	if (rc < 0) {
		(void)snprintf(ret_error->text, sizeof(ret_error->text),
			rc == -ELOOP ? "JSON nested more than %u deep is not read: send the data "
				       "as a file or as one string"
				     : "JSON of more than %u values is not read: send the data as "
				       "a file or as one string",
			rc == -ELOOP ? JSON_DEPTH_MAX : JSON_VALUES_MAX);
		return -E2BIG;
	}
	json_t *value = json_loadb(text.len ? (const char *)text.data : "", text.len,
		JSON_REJECT_DUPLICATES | JSON_ALLOW_NUL | JSON_DECODE_ANY, ret_error);
	if (!value)
		return -EBADMSG;
	*ret_value = value;
	return 0;
}

json_t *json_from_text(struct span text)
{
	return json_stringn(text.len ? (const char *)text.data : "", text.len);
}

json_t *json_from_words(const char *words)
{
	cleanup_buf struct buf plain = {0};
	struct span text = span_text(words);
	text.len -= text_unfinished(text);
	buf_init(&plain, 4 * text.len + 1);
	return utf8_escape(&plain, text.data, text.len) < 0
		       ? NULL
		       : json_from_text(span_of(plain.data, plain.len));
}

struct span json_text(const json_t *value)
{
	if (!json_is_string(value))
		return span_of("", 0);
	return span_of(json_string_value(value), json_string_length(value));
}

json_t *json_copy_flat(json_t *value)
{
	json_t *copy = json_copy(value);
	if (json_object_size(copy) == json_object_size(value) &&
		json_array_size(copy) == json_array_size(value))
		return copy;
	json_decref(copy);
	return NULL;
}

int json_put(json_t *object, const char *key, json_t *value)
{
	return value && json_object_set_new(object, key, value) == 0 ? 0 : -ENOMEM;
}

int json_push(json_t *array, json_t *value)
{
	return value && json_array_append_new(array, value) == 0 ? 0 : -ENOMEM;
}

/* Where the bytes go: into a buffer, or only into a count. */
struct writer {
	struct buf *out; /* NULL counts */
	size_t bytes, max_bytes;
};

static int put(struct writer *writer, const void *data, size_t bytes)
{
	if (bytes > writer->max_bytes - writer->bytes)
		return -ENOSPC;
	writer->bytes += bytes;
	return writer->out ? buf_add(writer->out, data, bytes) : 0;
}

static int put_char(struct writer *writer, unsigned char byte)
{
	char escaped[8];
	const char *brief = NULL;

	switch (byte) {
	case '"':
		brief = "\\\"";
		break;
	case '\\':
		brief = "\\\\";
		break;
	case '\n':
		brief = "\\n";
		break;
	case '\r':
		brief = "\\r";
		break;
	case '\t':
		brief = "\\t";
		break;
	default:
		(void)snprintf(escaped, sizeof(escaped), "\\u%04x", byte);
		brief = escaped;
	}
	return put(writer, brief, strlen(brief));
}

static int put_string(struct writer *writer, struct span text)
{
	size_t start = 0;
	int rc = put(writer, "\"", 1);

	for (size_t i = 0; !rc && i < text.len; i++) {
		unsigned char byte = text.data[i];
		if (byte >= 0x20 && byte != 0x7f && byte != '"' && byte != '\\')
			continue;
		rc = put(writer, text.data + start, i - start);
		if (!rc)
			rc = put_char(writer, byte);
		start = i + 1;
	}
	if (!rc)
		rc = put(writer, text.data + start, text.len - start);
	return rc ? rc : put(writer, "\"", 1);
}

static int put_real(struct writer *writer, double value)
{
	char digits[32];
	int length = 0;

	/* 17 digits always read back as the same double; most need fewer. */
	for (int precision = 15; precision <= 17; precision++) {
		length = snprintf(digits, sizeof(digits) - 2, "%.*g", precision, value);
		if (strtod(digits, NULL) == value)
			break;
	}
	/* 3.0 stays a real, so that a reader gets the type that was sent. */
	if (!strpbrk(digits, ".e"))
		length += snprintf(digits + length, 3, ".0");
	return put(writer, digits, (size_t)length);
}

static int put_integer(struct writer *writer, json_int_t value)
{
	char digits[24];
	int length = snprintf(digits, sizeof(digits), "%" JSON_INTEGER_FORMAT, value);
	return put(writer, digits, (size_t)length);
}

static int put_value(struct writer *writer, const json_t *value, size_t depth);

static int put_array(struct writer *writer, const json_t *array, size_t depth)
{
	int rc = put(writer, "[", 1);
	for (size_t i = 0; !rc && i < json_array_size(array); i++) {
		if (i)
			rc = put(writer, ",", 1);
		if (!rc)
			rc = put_value(writer, json_array_get(array, i), depth);
	}
	return rc ? rc : put(writer, "]", 1);
}

static int put_object(struct writer *writer, const json_t *object, size_t depth)
{
	/* jansson iterates over non-const objects only, and does not change them. */
	json_t *open = (json_t *)(uintptr_t)object;
	bool first = true;
	int rc = put(writer, "{", 1);

	for (void *at = json_object_iter(open); !rc && at; at = json_object_iter_next(open, at)) {
		if (!first)
			rc = put(writer, ",", 1);
		first = false;
		if (!rc)
			rc = put_string(writer, span_text(json_object_iter_key(at)));
		if (!rc)
			rc = put(writer, ":", 1);
		if (!rc)
			rc = put_value(writer, json_object_iter_value(at), depth);
	}
	return rc ? rc : put(writer, "}", 1);
}

static int put_value(struct writer *writer, const json_t *value, size_t depth)
{
	/* What brig itself puts around a stranger's value adds a few levels. */
	if (depth > JSON_DEPTH_MAX + 16)
		return -ELOOP;
	switch (json_typeof(value)) {
	case JSON_OBJECT:
		return put_object(writer, value, depth + 1);
	case JSON_ARRAY:
		return put_array(writer, value, depth + 1);
	case JSON_STRING:
		return put_string(writer, json_text(value));
	case JSON_INTEGER:
		return put_integer(writer, json_integer_value(value));
	case JSON_REAL:
		return put_real(writer, json_real_value(value));
	case JSON_TRUE:
		return put(writer, "true", 4);
	case JSON_FALSE:
		return put(writer, "false", 5);
	case JSON_NULL:
		return put(writer, "null", 4);
	}
	return -EINVAL;
}

int json_write(const json_t *value, struct buf *out)
{
	size_t start = out->len;
	struct writer writer = {.out = out, .max_bytes = SIZE_MAX};
	int rc = put_value(&writer, value, 0);
	if (rc < 0)
		out->len = start;
	return rc;
}

size_t json_bytes(const json_t *value, size_t max_bytes)
{
	struct writer writer = {.max_bytes = max_bytes};
	return put_value(&writer, value, 0) < 0 ? SIZE_MAX : writer.bytes;
}
