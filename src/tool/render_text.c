/*
 * render_text: the rendering for a model, within 64 KiB.
 *
 * Verdict, error and lists are small by their own caps and always whole. Output, value and tables
 * share what is left: each gets what it needs if that is less than an even share, and what it
 * leaves goes to the others.
 */
#include "tool/render.h"

#include "tool/render_parts.h"
#include "tool/text.h"

#include <errno.h>

#define BODIES_MAX (LIMIT_TABLES + 3u)
/* A label, the line breaks around it, and the NUL that printf wants room for. */
#define LABEL_BYTES 160u

struct body {
	struct span text;
	size_t room; /* bytes of the text that are shown */
	char label[LABEL_BYTES];
	const char *where;
};

struct bodies {
	struct body list[BODIES_MAX];
	size_t count;
};

static struct body *add(struct bodies *bodies, struct span text, const char *label)
{
	struct body *body = &bodies->list[bodies->count++];
	*body = (struct body){.text = text};
	(void)snprintf(body->label, sizeof(body->label), "%s", label);
	return body;
}

static int add_table(struct bodies *bodies, const struct view *view, size_t number)
{
	cleanup_buf struct buf label = {0};
	buf_init(&label, LABEL_BYTES);
	int rc = render_table_label(view, number, &label);
	if (!rc)
		rc = buf_add(&label, "", 1);
	if (!rc)
		add(bodies, json_text(json_array_get(view->table_texts, number)),
			(const char *)label.data)
			->where = "tables";
	return rc;
}

static int gather(struct bodies *bodies, const struct view *view)
{
	int rc = 0;
	if (view->out.len)
		add(bodies, span_of(view->out.data, view->out.len), "stdout")->where =
			view->out_truncated ? NULL : "stdout";
	if (view->err.len)
		add(bodies, span_of(view->err.data, view->err.len), "stderr")->where =
			view->err_truncated ? NULL : "stderr";
	for (size_t i = 0; !rc && i < json_array_size(view->table_texts); i++)
		rc = add_table(bodies, view, i);
	if (!rc && view->value)
		add(bodies, json_text(json_object_get(view->value, "text")), "value")->where =
			"result.text";
	return rc;
}

/* Fair shares: the smallest wants are met first, the rest is shared by those that want more. */
static void share(struct bodies *bodies, size_t room)
{
	size_t open = bodies->count;
	bool met[BODIES_MAX] = {false};

	for (bool changed = true; changed && open;) {
		size_t each = room / open;
		changed = false;
		for (size_t i = 0; i < bodies->count; i++) {
			if (met[i] || bodies->list[i].text.len > each)
				continue;
			bodies->list[i].room = bodies->list[i].text.len;
			room -= bodies->list[i].text.len;
			met[i] = changed = true;
			open--;
		}
	}
	for (size_t i = 0; open && i < bodies->count; i++)
		if (!met[i])
			bodies->list[i].room = room / open;
}

static int put_body(struct buf *out, const struct body *body)
{
	cleanup_buf struct buf cut = {0};
	buf_init(&cut, RENDER_BYTES_MAX);
	int rc = text_add_cut(&cut, body->text, body->room, body->where);
	return rc ? rc : render_body(out, body->label, span_of(cut.data, cut.len));
}

static int put_tail(const struct view *view, struct buf *tail)
{
	int rc = render_charts(view, tail);
	if (!rc)
		rc = render_files(view, tail);
	if (!rc)
		rc = render_notes(view, tail);
	if (!rc)
		rc = render_skipped(view, RENDER_SKIPPED_SHOWN, tail);
	return rc ? rc : render_session(view, tail);
}

static int assemble(const struct view *view, struct bodies *bodies, struct buf *head,
	struct buf *tail, struct buf *out)
{
	int rc = render_outcome(view, head);
	if (!rc)
		rc = render_error(view, head);
	if (!rc)
		rc = put_tail(view, tail);
	if (!rc)
		rc = gather(bodies, view);
	if (rc < 0)
		return rc;
	size_t taken = head->len + tail->len + bodies->count * (LABEL_BYTES + 8);
	share(bodies, RENDER_BYTES_MAX - taken - 64);
	rc = buf_add(out, head->data, head->len);
	for (size_t i = 0; !rc && i < bodies->count; i++)
		rc = put_body(out, &bodies->list[i]);
	if (!rc)
		rc = buf_add(out, tail->data, tail->len);
	if (!rc && head->len == 0 && tail->len == 0 && bodies->count == 0)
		rc = buf_add_text(out, "(no output)\n");
	return rc;
}

int render_text(const struct view *view, struct buf *out)
{
	cleanup_buf struct buf head = {0}, tail = {0};
	struct bodies bodies = {.count = 0};
	/* Together these leave more than 16 KiB for output, value and tables. */
	buf_init(&head, 12 * KIB);
	buf_init(&tail, 32 * KIB);
	int rc = assemble(view, &bodies, &head, &tail, out);
	return rc == -ENOSPC ? -ENOMEM : rc;
}
