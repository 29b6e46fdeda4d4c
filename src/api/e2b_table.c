/* e2b_table: a table that a cell displayed, as E2B's clients have data frames. */
#include "api/e2b.h"

#include <errno.h>

#define HTML_BYTES_MAX (2 * MIB)

json_t *e2b_table_data(const json_t *table)
{
	const json_t *columns = json_object_get(table, "columns");
	const json_t *rows = json_object_get(table, "rows");
	cleanup_json json_t *data = json_object();
	for (size_t i = 0; i < json_array_size(columns); i++) {
		const char *name =
			json_string_value(json_object_get(json_array_get(columns, i), "name"));
		json_t *values = json_array();
		int rc = json_put(data, name ? name : "", values);
		for (size_t j = 0; !rc && j < json_array_size(rows); j++) {
			json_t *cell = json_array_get(json_array_get(rows, j), i);
			rc = json_push(values, e2b_plain(cell));
		}
		if (rc < 0)
			return NULL;
	}
	return TAKE_JSON(data);
}

/* Text for between tags: what came from a cell stays text. */
static int put_escaped(struct buf *out, struct span text)
{
	int rc = 0;
	for (size_t i = 0; !rc && i < text.len; i++) {
		unsigned char c = text.data[i];
		const char *entity = c == '<'	? "&lt;"
				     : c == '>' ? "&gt;"
				     : c == '&' ? "&amp;"
				     : c == '"' ? "&quot;"
						: NULL;
		rc = entity ? buf_add_text(out, entity) : buf_add(out, &c, 1);
	}
	return rc;
}

static int put_cell(struct buf *out, const char *tag, json_t *value)
{
	cleanup_json json_t *inner = e2b_plain(value);
	int rc = buf_printf(out, "<%s>", tag);
	if (!rc && json_is_string(inner))
		rc = put_escaped(out, json_text(inner));
	else if (!rc && !json_is_null(inner))
		rc = json_write(inner, out);
	return rc ? rc : buf_printf(out, "</%s>", tag);
}

static int put_row(struct buf *out, const json_t *row)
{
	int rc = buf_add_text(out, "<tr>");
	for (size_t i = 0; !rc && i < json_array_size(row); i++)
		rc = put_cell(out, "td", json_array_get(row, i));
	return rc ? rc : buf_add_text(out, "</tr>\n");
}

static int put_table(struct buf *out, const json_t *table)
{
	const json_t *columns = json_object_get(table, "columns");
	const json_t *rows = json_object_get(table, "rows");
	int rc = buf_add_text(out, "<table border=\"1\" class=\"dataframe\">\n<thead>\n<tr>");
	for (size_t i = 0; !rc && i < json_array_size(columns); i++)
		rc = put_cell(out, "th", json_object_get(json_array_get(columns, i), "name"));
	if (!rc)
		rc = buf_add_text(out, "</tr>\n</thead>\n<tbody>\n");
	for (size_t i = 0; !rc && i < json_array_size(rows); i++)
		rc = put_row(out, json_array_get(rows, i));
	return rc ? rc : buf_add_text(out, "</tbody>\n</table>");
}

json_t *e2b_table_html(const json_t *table)
{
	cleanup_buf struct buf html = {0};
	buf_init(&html, HTML_BYTES_MAX);
	return put_table(&html, table) < 0 ? NULL : json_from_text(span_of(html.data, html.len));
}
