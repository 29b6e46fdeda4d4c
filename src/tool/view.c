/* view: one pass over what the cell reported. */
#include "tool/view.h"

#include "base/utf8.h"
#include "tool/item.h"
#include "tool/output.h"
#include "tool/text.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#define WHY_BYTES 160u

static bool is_digit(unsigned char byte) /* as an escape has them */
{
	return (byte >= '0' && byte <= '9') || (byte >= 'a' && byte <= 'f');
}

/* Whether bytes that are no UTF-8 stand in it, or what they are written as. */
static bool wants_escapes(struct span name)
{
	for (size_t i = 0; i + 3 < name.len; i++)
		if (name.data[i] == '\\' && name.data[i + 1] == 'x' && is_digit(name.data[i + 2]) &&
			is_digit(name.data[i + 3]))
			return true;
	return !utf8_valid(name.data, name.len, NULL);
}

/* Backslashes are doubled where escapes may stand, so that no two names become one. */
json_t *view_name(struct span name)
{
	cleanup_buf struct buf text = {0};
	buf_init(&text, 4 * RESULT_PATH_BYTES_MAX);
	bool escapes = wants_escapes(name);
	for (size_t i = 0, end; i < name.len; i = end) {
		bool backslash = name.data[i] == '\\';
		end = i + 1;
		while (!backslash && end < name.len && name.data[end] != '\\')
			end++;
		if (utf8_escape(&text, name.data + i, end - i) < 0 ||
			(backslash && escapes && buf_add_text(&text, "\\") < 0))
			return NULL;
	}
	return json_from_text(span_of(text.data, text.len));
}

static int skip(struct view *view, struct span name, struct span why)
{
	cleanup_buf struct buf line = {0};
	cleanup_json json_t *entry = json_object();
	buf_init(&line, WHY_BYTES);
	int rc = text_add_line(&line, why, WHY_BYTES);
	if (!rc)
		rc = json_put(entry, "name", view_name(name));
	if (!rc)
		rc = json_put(entry, "why", json_from_text(span_of(line.data, line.len)));
	return rc ? rc : json_push(view->skipped, TAKE_JSON(entry));
}

static int skip_item(struct view *view, const char *what, size_t number, const char *why)
{
	char name[48];
	(void)snprintf(name, sizeof(name), "%s %zu", what, number);
	return skip(view, span_text(name), span_text(why));
}

static int take_value(struct view *view, const struct job_item *item)
{
	json_t *value;
	int rc = item_value(item->payload, &value);
	if (rc == -EBADMSG)
		return skip(view, span_text("value"), span_text("not in the shape of a value"));
	if (rc < 0)
		return rc;
	json_decref(view->value);
	view->value = value;
	return 0;
}

static int take_table(struct view *view, const struct job_item *item, size_t number)
{
	cleanup_json json_t *table = NULL;
	if (json_array_size(view->tables) >= LIMIT_TABLES)
		return skip_item(view, "table", number, "more than 20 tables");
	int rc = item_table(item->payload, &table);
	if (rc == -EBADMSG)
		return skip_item(
			view, "table", number, "not in the shape of a table, or too large");
	if (!rc)
		rc = json_push(view->tables, json_incref(json_object_get(table, "table")));
	if (!rc)
		rc = json_push(view->table_texts, json_incref(json_object_get(table, "text")));
	return rc;
}

static int take_chart(struct view *view, const struct job_item *item, size_t number)
{
	char why[CHART_WHY_BYTES] = "its image cannot be read";
	if (view->chart_count >= LIMIT_CHARTS)
		return skip_item(view, "chart", number, "more than 20 charts");
	int rc = chart_check(item, &view->charts[view->chart_count], why);
	if (rc == -ENOMEM)
		return rc;
	if (rc < 0)
		return skip_item(view, "chart", number, why);
	view->chart_count++;
	return 0;
}

static int take_error(struct view *view, const struct job_item *item)
{
	json_t *error;
	if (view->result->outcome != OUTCOME_ERROR)
		return 0;
	int rc = item_error(item->payload, &error);
	if (rc == -EBADMSG)
		return 0;
	if (rc < 0)
		return rc;
	json_decref(view->error);
	view->error = error;
	return 0;
}

static int take_note(struct view *view, const struct job_item *item)
{
	cleanup_buf struct buf line = {0};
	if (json_array_size(view->notes) >= VIEW_NOTES_MAX || item->payload.len == 0)
		return 0;
	buf_init(&line, VIEW_NOTE_BYTES);
	int rc = text_add_line(&line, item->payload, VIEW_NOTE_BYTES);
	return rc ? rc : json_push(view->notes, json_from_text(span_of(line.data, line.len)));
}

static int take_items(struct view *view, struct span *ret_hint)
{
	size_t tables = 0, charts = 0;
	int rc = 0;

	for (size_t i = 0; !rc && i < view->result->item_count; i++) {
		const struct job_item *item = &view->result->items[i];
		switch (item->kind) {
		case ITEM_VALUE:
			rc = take_value(view, item);
			break;
		case ITEM_TABLE:
			rc = take_table(view, item, ++tables);
			break;
		case ITEM_CHART:
			rc = take_chart(view, item, ++charts);
			break;
		case ITEM_ERROR:
			rc = take_error(view, item);
			break;
		case ITEM_HINT:
			if (ret_hint->len == 0 || span_is(*ret_hint, "recursion"))
				*ret_hint = item->payload;
			break;
		case ITEM_NOTE:
			rc = take_note(view, item);
			break;
		}
	}
	return rc;
}

/* `error` is never null for outcome `error`, whatever the runtime managed to say. */
static int supply_error(struct view *view)
{
	if (view->result->outcome != OUTCOME_ERROR || view->error)
		return 0;
	view->error = json_pack("{s:s, s:s, s:s}", "type", "Exception", "message",
		"the program failed, and what it reported cannot be read", "traceback", "");
	return view->error ? 0 : -ENOMEM;
}

static int make_lists(struct view *view)
{
	view->tables = json_array();
	view->table_texts = json_array();
	view->skipped = json_array();
	view->notes = json_array();
	bool made = view->tables && view->table_texts && view->skipped && view->notes;
	return made ? 0 : -ENOMEM;
}

/* Once, and not only where somebody asks for `limits`. */
static int note_unkept(struct view *view)
{
	const struct job_limits *limits = &view->result->limits;
	if (!limits->wall_ms || limits->memory_bytes)
		return 0;
	return json_push(view->notes, json_string("this host does not limit the job's memory"));
}

static int fill(struct view *view, const char *fault_id)
{
	const struct job_result *result = view->result;
	struct span hint = {0};
	int rc = make_lists(view);

	for (size_t i = 0; !rc && i < result->skipped_count; i++)
		rc = skip(view, result->skipped[i].name, result->skipped[i].why);
	if (!rc)
		rc = take_items(view, &hint);
	if (!rc)
		rc = note_unkept(view);
	if (!rc)
		rc = supply_error(view);
	if (!rc)
		rc = output_text(&result->out, &view->out, &view->out_truncated);
	if (!rc)
		rc = output_text(&result->err, &view->err, &view->err_truncated);
	hint_of(result, hint, fault_id, view->hint);
	return rc;
}

int view_init(struct view *view, const struct job_result *result, const char *job_id,
	const char *fault_id)
{
	*view = (struct view){.result = result};
	(void)snprintf(view->job_id, sizeof(view->job_id), "%s", job_id);
	if (fault_id && result->outcome == OUTCOME_INTERNAL)
		(void)snprintf(view->fault_id, sizeof(view->fault_id), "%s", fault_id);
	buf_init(&view->out, OUTPUT_TEXT_BYTES_MAX);
	buf_init(&view->err, OUTPUT_TEXT_BYTES_MAX);
	int rc = fill(view, fault_id);
	if (rc < 0)
		view_done(view);
	return rc;
}

void view_set_session(struct view *view, const struct job_session *session)
{
	view->session.begun = session->use == SESSION_NEW;
	if (session->use != SESSION_NONE)
		memcpy(view->session.id, session->id, sizeof(view->session.id));
}

void view_done(struct view *view)
{
	if (!view)
		return;
	for (size_t i = 0; i < view->chart_count; i++)
		chart_done(&view->charts[i]);
	json_decref(view->value);
	json_decref(view->tables);
	json_decref(view->table_texts);
	json_decref(view->error);
	json_decref(view->skipped);
	json_decref(view->notes);
	buf_done(&view->out);
	buf_done(&view->err);
	*view = (struct view){0};
}
