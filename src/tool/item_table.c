/* item_table: the one shape of a table, whoever sent it. */
#include "tool/item.h"

#include "base/utf8.h"

#include <errno.h>

/* A cell's tag and braces around its 1 KiB of text. */
#define CELL_FORM_BYTES (ITEM_CELL_BYTES + 128)

static json_t *cut_cell(struct span text, size_t bytes)
{
	size_t head =
		utf8_cut_head(text.data, text.len < ITEM_CELL_BYTES ? text.len : ITEM_CELL_BYTES);
	cleanup_json json_t *cell = json_object();
	if (json_put(cell, "$type", json_string("cut")) ||
		json_put(cell, "value", json_from_text(span_of(text.data, head))) ||
		json_put(cell, "bytes", json_integer((json_int_t)bytes)))
		return NULL;
	return TAKE_JSON(cell);
}

static bool is_tagged_text(const json_t *raw)
{
	const json_t *bytes = json_object_get(raw, "bytes");
	size_t members = bytes ? 3 : 2;
	return json_object_size(raw) == members && json_is_string(json_object_get(raw, "value")) &&
	       json_is_string(json_object_get(raw, "$type")) &&
	       json_string_length(json_object_get(raw, "$type")) <= ITEM_NAME_BYTES &&
	       (!bytes || (json_is_integer(bytes) && json_integer_value(bytes) >> 53 == 0));
}

/* null, a truth, a number, a text, or something tagged; cut where it is larger than a cell. */
static int cell_of(json_t *raw, json_t **ret_cell)
{
	struct span text = json_text(raw);
	json_t *cell = NULL;
	int rc = 0;

	if (json_is_string(raw) && text.len > ITEM_CELL_BYTES)
		cell = cut_cell(text, text.len);
	else if (json_is_string(raw))
		cell = json_incref(raw);
	else if (is_tagged_text(raw) &&
		 json_string_length(json_object_get(raw, "value")) <= ITEM_CELL_BYTES)
		cell = json_incref(raw);
	else
		rc = item_plain(raw, CELL_FORM_BYTES, &cell);
	if (rc == -E2BIG) {
		cell = cut_cell(
			json_text(json_object_get(raw, "value")), json_bytes(raw, SIZE_MAX));
		rc = 0;
	}
	if (rc || !cell)
		return rc ? rc : -ENOMEM;
	*ret_cell = cell;
	return 0;
}

static int row_of(const json_t *raw, size_t width, json_t **ret_row)
{
	cleanup_json json_t *row = json_array();
	if (!row)
		return -ENOMEM;
	if (!json_is_array(raw) || json_array_size(raw) != width)
		return -EBADMSG;
	for (size_t i = 0; i < width; i++) {
		json_t *cell;
		int rc = cell_of(json_array_get(raw, i), &cell);
		if (!rc)
			rc = json_push(row, cell);
		if (rc < 0)
			return rc;
	}
	*ret_row = TAKE_JSON(row);
	return 0;
}

static int rows_of(const json_t *raw, size_t width, json_t **ret_rows)
{
	cleanup_json json_t *rows = json_array();
	if (!rows)
		return -ENOMEM;
	if (!json_is_array(raw))
		return -EBADMSG;
	for (size_t i = 0; i < json_array_size(raw); i++) {
		json_t *row;
		int rc = row_of(json_array_get(raw, i), width, &row);
		if (!rc)
			rc = json_push(rows, row);
		if (rc < 0)
			return rc;
	}
	*ret_rows = TAKE_JSON(rows);
	return 0;
}

static int columns_of(const json_t *raw, json_t **ret_columns)
{
	cleanup_json json_t *columns = json_array();
	if (!columns)
		return -ENOMEM;
	if (!json_is_array(raw))
		return -EBADMSG;
	for (size_t i = 0; i < json_array_size(raw); i++) {
		const json_t *from = json_array_get(raw, i);
		json_t *column = json_object();
		if (json_push(columns, column))
			return -ENOMEM;
		if (!json_is_string(json_object_get(from, "name")) ||
			!json_is_string(json_object_get(from, "dtype")))
			return -EBADMSG;
		int rc = item_copy_text(column, from, "name", ITEM_CELL_BYTES);
		if (!rc)
			rc = item_copy_text(column, from, "dtype", ITEM_NAME_BYTES);
		if (rc < 0)
			return rc;
	}
	*ret_columns = TAKE_JSON(columns);
	return 0;
}

/* A list of texts (or of null, where that is allowed). */
static int labels_of(const json_t *raw, bool null_allowed, json_t **ret_labels)
{
	cleanup_json json_t *labels = json_array();
	if (!labels)
		return -ENOMEM;
	if (!json_is_array(raw))
		return -EBADMSG;
	for (size_t i = 0; i < json_array_size(raw); i++) {
		json_t *label = json_array_get(raw, i);
		if (!json_is_string(label) && !(null_allowed && json_is_null(label)))
			return -EBADMSG;
		if (json_string_length(label) > ITEM_CELL_BYTES)
			return -EBADMSG;
		if (json_push(labels, json_incref(label)))
			return -ENOMEM;
	}
	*ret_labels = TAKE_JSON(labels);
	return 0;
}

static int index_of(const json_t *raw, size_t row_count, json_t **ret_index)
{
	cleanup_json json_t *index = json_object();
	json_t *names, *dtypes, *values;
	if (!index)
		return -ENOMEM;
	int rc = labels_of(json_object_get(raw, "names"), true, &names);
	if (!rc)
		rc = json_put(index, "names", names);
	if (!rc)
		rc = labels_of(json_object_get(raw, "dtypes"), false, &dtypes);
	if (!rc)
		rc = json_put(index, "dtypes", dtypes);
	size_t levels = json_array_size(json_object_get(index, "names"));
	if (!rc && (levels == 0 || json_array_size(json_object_get(index, "dtypes")) != levels))
		return -EBADMSG;
	if (!rc)
		rc = rows_of(json_object_get(raw, "values"), levels, &values);
	if (!rc)
		rc = json_put(index, "values", values);
	if (!rc && json_array_size(json_object_get(index, "values")) != row_count)
		return -EBADMSG;
	if (!rc)
		*ret_index = TAKE_JSON(index);
	return rc;
}

/* A true size that is at least what is shown; what is shown where a forger says less. */
static json_t *size_of(const json_t *raw, size_t shown)
{
	json_int_t said = json_integer_value(raw);
	bool sane = json_is_integer(raw) && said >= (json_int_t)shown && said < (INT64_C(1) << 53);
	return json_integer(sane ? said : (json_int_t)shown);
}

static int put_sizes(json_t *table, const json_t *raw, size_t width, size_t height)
{
	json_t *row_count = size_of(json_object_get(raw, "row_count"), height);
	json_t *column_count = size_of(json_object_get(raw, "column_count"), width);
	if (!row_count || !column_count) {
		json_decref(row_count);
		json_decref(column_count);
		return -ENOMEM;
	}
	bool narrow = json_integer_value(column_count) > (json_int_t)width;
	bool cut = json_integer_value(row_count) > (json_int_t)height || narrow;
	int rc = json_put(table, "row_count", row_count);
	if (!rc)
		rc = json_put(table, "truncated", json_boolean(cut));
	if (!rc && narrow)
		return json_put(table, "column_count", column_count);
	json_decref(column_count);
	return rc;
}

int item_table_check(const json_t *raw, json_t **ret_table)
{
	cleanup_json json_t *table = json_object();
	json_t *columns = NULL, *index = NULL, *rows = NULL;
	if (!table)
		return -ENOMEM;
	int rc = item_copy_text(table, raw, "name", ITEM_CELL_BYTES);
	if (!rc)
		rc = columns_of(json_object_get(raw, "columns"), &columns);
	if (rc < 0)
		return rc;
	size_t width = json_array_size(columns);
	size_t height = json_array_size(json_object_get(raw, "rows"));
	rc = json_put(table, "columns", columns);
	if (!rc && json_object_get(raw, "index")) {
		rc = index_of(json_object_get(raw, "index"), height, &index);
		if (!rc)
			rc = json_put(table, "index", index);
	}
	if (!rc)
		rc = rows_of(json_object_get(raw, "rows"), width, &rows);
	if (!rc)
		rc = json_put(table, "rows", rows);
	if (!rc)
		rc = put_sizes(table, raw, width, height);
	if (!rc && json_bytes(table, ITEM_TABLE_BYTES) == SIZE_MAX)
		return -EBADMSG;
	if (!rc)
		*ret_table = TAKE_JSON(table);
	return rc;
}

int item_table(struct span payload, json_t **ret_table)
{
	cleanup_json json_t *raw = NULL, *item = NULL;
	json_t *table = NULL;
	int rc = json_read(payload, &raw);
	if (rc < 0)
		return rc;
	rc = item_table_check(json_object_get(raw, "table"), &table);
	if (rc < 0)
		return rc;
	item = json_object();
	rc = json_put(item, "table", table);
	if (!rc && json_is_string(json_object_get(raw, "text")))
		rc = item_copy_text(item, raw, "text", ITEM_TEXT_BYTES);
	else if (!rc)
		rc = json_put(item, "text", json_string("(a table)"));
	if (!rc)
		*ret_table = TAKE_JSON(item);
	return rc;
}
