/* item: values, errors, and what every item is made of. */
#include "tool/item.h"

#include "base/utf8.h"
#include "tool/text.h"

#include <errno.h>

#define EXACT_INT_MAX (INT64_C(1) << 53)

static json_t *plain_integer(json_int_t value)
{
	if (value <= EXACT_INT_MAX && value >= -EXACT_INT_MAX)
		return json_integer(value);
	char digits[24];
	(void)snprintf(digits, sizeof(digits), "%" JSON_INTEGER_FORMAT, value);
	return json_pack("{s:s, s:s}", "$type", "int", "value", digits);
}

/* A copy with large integers tagged; as deep as json_read lets a value be. */
static json_t *plain_copy(const json_t *raw)
{
	if (json_is_integer(raw))
		return plain_integer(json_integer_value(raw));
	if (json_is_array(raw)) {
		cleanup_json json_t *array = json_array();
		for (size_t i = 0; i < json_array_size(raw); i++)
			if (json_push(array, plain_copy(json_array_get(raw, i))))
				return NULL;
		return TAKE_JSON(array);
	}
	json_t *open = (json_t *)(uintptr_t)raw;
	if (!json_is_object(raw))
		return json_incref(open);
	cleanup_json json_t *object = json_object();
	for (void *at = json_object_iter(open); at; at = json_object_iter_next(open, at))
		if (json_put(object, json_object_iter_key(at),
			    plain_copy(json_object_iter_value(at))))
			return NULL;
	return TAKE_JSON(object);
}

int item_plain(const json_t *raw, size_t max_bytes, json_t **ret_plain)
{
	if (json_bytes(raw, max_bytes) == SIZE_MAX)
		return -E2BIG;
	json_t *plain = plain_copy(raw);
	if (!plain)
		return -ENOMEM;
	*ret_plain = plain;
	return 0;
}

int item_copy_text(json_t *object, const json_t *raw, const char *key, size_t max_bytes)
{
	json_t *value = json_object_get(raw, key);
	struct span text = json_text(value);

	if (!json_is_string(value))
		return 0;
	if (text.len <= max_bytes)
		return json_put(object, key, json_incref(value));
	cleanup_buf struct buf cut = {0};
	buf_init(&cut, max_bytes + 1);
	int rc = text_add_cut(&cut, text, max_bytes, NULL);
	return rc ? rc : json_put(object, key, json_from_text(span_of(cut.data, cut.len)));
}

/* Takes `bytes`, an integer or null. */
static int note_cut(json_t *value, const char *key, json_t *bytes)
{
	json_t *cut = json_object_get(value, "cut");
	if (!cut) {
		cut = json_object();
		if (json_put(value, "cut", cut)) {
			json_decref(bytes);
			return -ENOMEM;
		}
	}
	return json_put(cut, key, bytes);
}

static json_t *size_of(size_t bytes)
{
	return json_integer((json_int_t)bytes);
}

/* Forms that make no sense in part: whole, or only their size. */
static int copy_rich(json_t *value, const json_t *raw, const char *key)
{
	json_t *form = json_object_get(raw, key);
	if (!json_is_string(form))
		return 0;
	size_t bytes = json_string_length(form);
	if (bytes > ITEM_RICH_BYTES)
		return note_cut(value, key, size_of(bytes));
	return json_put(value, key, json_incref(form));
}

static int copy_json(json_t *value, const json_t *raw)
{
	json_t *form = json_object_get(raw, "json"), *plain;
	if (!form)
		return 0;
	int rc = item_plain(form, ITEM_RICH_BYTES, &plain);
	if (rc == -E2BIG)
		return note_cut(value, "json", size_of(json_bytes(form, SIZE_MAX)));
	return rc ? rc : json_put(value, "json", plain);
}

static int copy_table(json_t *value, const json_t *raw)
{
	json_t *form = json_object_get(raw, "table"), *table;
	if (!form)
		return 0;
	int rc = item_table_check(form, &table);
	/* A malformed table leaves the rest of the value as it is. */
	if (rc == -EBADMSG)
		return 0;
	return rc ? rc : json_put(value, "table", table);
}

/* What the runtime itself has cut: the true size of each form, null where it is not known. Of the
 * text alone something is always shown. */
static int copy_cut(json_t *value, const json_t *raw)
{
	static const char *const forms[] = {
		"text", "html", "json", "table", "markdown", "latex", "svg"};
	json_t *cut = json_object_get(raw, "cut");
	for (size_t i = 0; i < sizeof(forms) / sizeof(forms[0]); i++) {
		json_t *bytes = json_object_get(cut, forms[i]);
		json_int_t size = json_integer_value(bytes);
		if (json_object_get(json_object_get(value, "cut"), forms[i]))
			continue;
		int rc = 0;
		if (json_is_integer(bytes) && size >= 0 && size <= EXACT_INT_MAX)
			rc = note_cut(value, forms[i], json_integer(size));
		else if (json_is_null(bytes) && (i == 0 || !json_object_get(value, forms[i])))
			rc = note_cut(value, forms[i], json_null());
		if (rc)
			return rc;
	}
	return 0;
}

int item_value(struct span payload, json_t **ret_value)
{
	static const char *const rich[] = {"html", "markdown", "latex", "svg"};
	cleanup_json json_t *raw = NULL, *value = NULL;
	int rc = json_read(payload, &raw);
	if (rc < 0)
		return rc;
	if (!json_is_string(json_object_get(raw, "text")))
		return -EBADMSG;
	value = json_object();
	if (!value)
		return -ENOMEM;
	rc = item_copy_text(value, raw, "text", ITEM_TEXT_BYTES);
	if (!rc && json_string_length(json_object_get(raw, "text")) > ITEM_TEXT_BYTES)
		rc = note_cut(
			value, "text", size_of(json_string_length(json_object_get(raw, "text"))));
	for (size_t i = 0; !rc && i < sizeof(rich) / sizeof(rich[0]); i++)
		rc = copy_rich(value, raw, rich[i]);
	if (!rc)
		rc = copy_json(value, raw);
	if (!rc)
		rc = copy_table(value, raw);
	if (!rc)
		rc = copy_cut(value, raw);
	if (!rc)
		*ret_value = TAKE_JSON(value);
	return rc;
}

/* A class name is one dotless word; anything else is somebody playing with the frames. */
static bool is_class_name(struct span name)
{
	if (name.len == 0 || name.len > ITEM_NAME_BYTES)
		return false;
	for (size_t i = 0; i < name.len; i++) {
		unsigned char at = name.data[i];
		bool letter = (at >= 'a' && at <= 'z') || (at >= 'A' && at <= 'Z') || at == '_';
		if (!letter && !(i && at >= '0' && at <= '9') && at < 0x80)
			return false;
	}
	return true;
}

int item_error(struct span payload, json_t **ret_error)
{
	cleanup_json json_t *raw = NULL, *error = NULL;
	int rc = json_read(payload, &raw);
	if (rc < 0)
		return rc;
	if (!is_class_name(json_text(json_object_get(raw, "type"))) ||
		!json_is_string(json_object_get(raw, "message")))
		return -EBADMSG;
	error = json_object();
	if (!error)
		return -ENOMEM;
	rc = item_copy_text(error, raw, "type", ITEM_NAME_BYTES);
	if (!rc)
		rc = item_copy_text(error, raw, "message", ITEM_MESSAGE_BYTES);
	json_int_t line = json_integer_value(json_object_get(raw, "line"));
	if (!rc && line > 0 && line < INT32_MAX)
		rc = json_put(error, "line", json_integer(line));
	if (!rc && json_is_string(json_object_get(raw, "traceback")))
		rc = item_copy_text(error, raw, "traceback", ITEM_TRACEBACK_BYTES);
	else if (!rc)
		rc = json_put(error, "traceback", json_string(""));
	if (!rc)
		*ret_error = TAKE_JSON(error);
	return rc;
}
