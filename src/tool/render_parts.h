/* render_parts: the pieces that render_text puts together. Each appends whole lines, or none. */
#ifndef BRIG_TOOL_RENDER_PARTS_H
#define BRIG_TOOL_RENDER_PARTS_H

#include "tool/view.h"

int render_outcome(const struct view *view, struct buf *out) MUST_CHECK;
int render_error(const struct view *view, struct buf *out) MUST_CHECK;
int render_charts(const struct view *view, struct buf *out) MUST_CHECK;
/* At most `shown` of them; a model gets fewer than a terminal. */
#define RENDER_SKIPPED_SHOWN 20u
int render_skipped(const struct view *view, size_t shown, struct buf *out) MUST_CHECK;
int render_session(const struct view *view, struct buf *out) MUST_CHECK;
int render_notes(const struct view *view, struct buf *out) MUST_CHECK;

/* A label of its own line where there is one, the body, and a line break where it lacks one. */
int render_body(struct buf *out, const char *label, struct span body) MUST_CHECK;

/* "table 2 sales", without a line break. */
int render_table_label(const struct view *view, size_t number, struct buf *out) MUST_CHECK;

#endif
