/* render: the pieces, each a few lines of text. */
#include "tool/render.h"

#include "tool/render_parts.h"
#include "tool/syscall_name.h"
#include "tool/text.h"

#include <stdio.h>

/* What one line of a list shows: all lists together stay within render_text's tail. */
#define NAME_BYTES 160u
#define TITLE_BYTES 100u
#define WORDS_BYTES 300u /* an alt text, a note */

static int add_line(struct buf *out, const json_t *text, size_t max_bytes)
{
	return text_add_line(out, json_text(text), max_bytes);
}

int render_outcome(const struct view *view, struct buf *out)
{
	const struct job_result *result = view->result;
	char name[SYSCALL_NAME_BYTES];
	int rc;

	if (result->outcome == OUTCOME_OK)
		return 0;
	rc = buf_printf(out, "outcome: %s", outcome_name(result->outcome));
	if (!rc && result->outcome == OUTCOME_EXIT)
		rc = buf_printf(out, " %d", result->exit_code);
	if (!rc && result->outcome == OUTCOME_SIGNAL)
		rc = buf_printf(out, " %s", hint_signal_name(result->signal, name));
	if (!rc && result->outcome == OUTCOME_DENIED)
		rc = buf_printf(
			out, " %s", syscall_name(result->syscall_arch, result->syscall, name));
	if (!rc && view->hint[0])
		rc = buf_printf(out, "\nhint: %s", view->hint);
	return rc ? rc : buf_add_text(out, "\n");
}

int render_error(const struct view *view, struct buf *out)
{
	if (!view->error)
		return 0;
	struct span traceback = json_text(json_object_get(view->error, "traceback"));
	struct span type = json_text(json_object_get(view->error, "type"));
	struct span message = json_text(json_object_get(view->error, "message"));
	json_t *line = json_object_get(view->error, "line");
	int rc = 0;

	/* A traceback closes with type and message; without one they stand for themselves. */
	if (traceback.len && memmem(traceback.data, traceback.len, type.data, type.len))
		return render_body(out, NULL, traceback);
	if (traceback.len)
		rc = render_body(out, NULL, traceback);
	if (!rc)
		rc = buf_add(out, type.data, type.len);
	if (!rc)
		rc = buf_add_text(out, ": ");
	if (!rc)
		rc = buf_add(out, message.data, message.len);
	if (!rc && line)
		rc = buf_printf(out, " (line %d)", (int)json_integer_value(line));
	return rc ? rc : buf_add_text(out, "\n");
}

int render_charts(const struct view *view, struct buf *out)
{
	int rc = 0;
	for (size_t i = 0; !rc && i < view->chart_count; i++) {
		const json_t *meta = view->charts[i].meta;
		rc = buf_printf(out, "chart %zu (%s, %d × %d)", i + 1, view->charts[i].extension,
			(int)json_integer_value(json_object_get(meta, "width")),
			(int)json_integer_value(json_object_get(meta, "height")));
		if (!rc && json_object_get(meta, "title")) {
			rc = buf_add_text(out, " \"");
			if (!rc)
				rc = add_line(out, json_object_get(meta, "title"), TITLE_BYTES);
			if (!rc)
				rc = buf_add_text(out, "\"");
		}
		if (!rc)
			rc = buf_add_text(out, ": ");
		if (!rc)
			rc = add_line(out, json_object_get(meta, "alt"), WORDS_BYTES);
		if (!rc)
			rc = buf_add_text(out, "\n");
	}
	return rc;
}

int render_files(const struct view *view, struct buf *out)
{
	int rc = 0;
	for (size_t i = 0; !rc && i < view->result->artifact_count; i++) {
		const struct job_artifact *artifact = &view->result->artifacts[i];
		char count[TEXT_FIGURE_BYTES];
		rc = buf_add_text(out, "file ");
		if (!rc)
			rc = text_add_line(out, artifact->name, NAME_BYTES);
		if (!rc)
			rc = buf_printf(out, " (%s %s)\n", text_count(artifact->bytes, count),
				artifact->bytes == 1 ? "byte" : "bytes");
	}
	return rc;
}

static int skipped_line(const json_t *entry, struct buf *out)
{
	int rc = buf_add_text(out, "left out: ");
	if (!rc)
		rc = add_line(out, json_object_get(entry, "name"), NAME_BYTES);
	if (!rc)
		rc = buf_add_text(out, ": ");
	if (!rc)
		rc = add_line(out, json_object_get(entry, "why"), NAME_BYTES);
	return rc ? rc : buf_add_text(out, "\n");
}

/* The last one is always shown: it may be the one that counts what is not listed. */
int render_skipped(const struct view *view, size_t shown, struct buf *out)
{
	size_t count = json_array_size(view->skipped);
	size_t head = count > shown ? shown - 1 : count;
	int rc = 0;
	for (size_t i = 0; !rc && i < head; i++)
		rc = skipped_line(json_array_get(view->skipped, i), out);
	if (!rc && count > shown)
		rc = buf_printf(out, "left out: %zu more, listed in skipped\n", count - shown);
	if (!rc && count > shown)
		rc = skipped_line(json_array_get(view->skipped, count - 1), out);
	return rc;
}

int render_notes(const struct view *view, struct buf *out)
{
	int rc = 0;
	for (size_t i = 0; !rc && i < json_array_size(view->notes); i++) {
		rc = buf_add_text(out, "note: ");
		if (!rc)
			rc = add_line(out, json_array_get(view->notes, i), WORDS_BYTES);
		if (!rc)
			rc = buf_add_text(out, "\n");
	}
	return rc;
}

int render_body(struct buf *out, const char *label, struct span body)
{
	int rc = 0;
	if (label)
		rc = buf_printf(out, "%s:\n", label);
	if (!rc)
		rc = buf_add(out, body.data, body.len);
	if (!rc && body.len && body.data[body.len - 1] != '\n')
		rc = buf_add_text(out, "\n");
	return rc;
}

int render_table_label(const struct view *view, size_t number, struct buf *out)
{
	const json_t *name = json_object_get(json_array_get(view->tables, number), "name");
	int rc = buf_printf(out, "table %zu", number + 1);
	if (!rc && name) {
		rc = buf_add_text(out, " ");
		if (!rc)
			rc = add_line(out, name, TITLE_BYTES);
	}
	return rc;
}

int render_values(const struct view *view, struct buf *out)
{
	int rc = 0;
	for (size_t i = 0; !rc && i < json_array_size(view->table_texts); i++)
		rc = render_body(out, NULL, json_text(json_array_get(view->table_texts, i)));
	if (!rc && view->value)
		rc = render_body(out, NULL, json_text(json_object_get(view->value, "text")));
	return rc;
}

int render_notices(const struct view *view, struct buf *out)
{
	int rc = render_error(view, out);
	if (!rc)
		rc = render_charts(view, out);
	if (!rc)
		rc = render_notes(view, out);
	if (!rc)
		rc = render_skipped(view, SIZE_MAX, out);
	if (!rc)
		rc = render_session(view, out);
	return rc ? rc : render_outcome(view, out);
}

int render_receipt(const struct view *view, struct buf *out)
{
	const struct job_receipt *receipt = &view->result->receipt;
	int rc = 0;
	if (!receipt->present)
		return 0;
	for (int i = 0; !rc && i < LAYER_COUNT; i++)
		rc = buf_printf(out, "layer %s: %s%s%s\n", layer_name((enum layer)i),
			layer_state_name(receipt->layers[i].state),
			receipt->layers[i].detail[0] ? ", " : "", receipt->layers[i].detail);
	return rc ? rc
		  : buf_printf(out, "image %s, kernel %s, cgroup %s\n", receipt->image,
			    receipt->kernel, receipt->cgroup_version);
}
