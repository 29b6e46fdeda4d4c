/*
 * render: a view as text: one rendering for a model, and the pieces of it that a terminal gets.
 *
 * Nothing here is a protocol: what a job prints may look like any line of this, and the members of
 * the JSON object are what a program reads.
 */
#ifndef BRIG_TOOL_RENDER_H
#define BRIG_TOOL_RENDER_H

#include "tool/view.h"

#define RENDER_BYTES_MAX (64 * KIB)

/* Room for render_values and render_notices. */
#define RENDER_VALUES_BYTES_MAX ((LIMIT_TABLES + 1) * 33 * KIB)
#define RENDER_NOTICES_BYTES_MAX (64 * KIB)
#define RENDER_RECEIPT_BYTES_MAX (16 * KIB)

/*
 * Appends what a model is given: outcome and hint, error, output, value, tables, charts, files.
 * Never empty; at most RENDER_BYTES_MAX, so that `out` needs no larger cap; what does not fit is
 * cut in fair shares, with its size and where the rest is. 0, -ENOMEM.
 */
int render_text(const struct view *view, struct buf *out) MUST_CHECK;

/* Appends the displayed tables and the last value, as text. */
int render_values(const struct view *view, struct buf *out) MUST_CHECK;

/* Appends outcome, hint, error, charts, notes and what was skipped, a line each. */
int render_notices(const struct view *view, struct buf *out) MUST_CHECK;

/* Appends one line for each artifact: name, size. */
int render_files(const struct view *view, struct buf *out) MUST_CHECK;

/* Appends the layers of the receipt, a line each; nothing where there is no receipt. */
int render_receipt(const struct view *view, struct buf *out) MUST_CHECK;

#endif
