/*
 * view: a job_result once it has been judged: what may be shown, in the shapes of the contract.
 *
 * Everything that renders (JSON, the text for the model, the command line) works from here and
 * never from the raw items. What did not conform is left out and named in `skipped`.
 *
 * Ownership: a view owns its JSON and its buffers; `result` is borrowed and must outlive it, as
 * must its descriptors.
 */
#ifndef BRIG_TOOL_VIEW_H
#define BRIG_TOOL_VIEW_H

#include "tool/chart.h"
#include "tool/hint.h"
#include "tool/json.h"
#include "wire/job.h"
#include "wire/result.h"

#define VIEW_NOTES_MAX 20u
#define VIEW_NOTE_BYTES 1024u

/* Of a job in a session; what became of that is in the result. */
struct view_session {
	char id[SESSION_ID_BYTES]; /* empty: the job has none */
	bool begun;		   /* by this very job */
};

struct view {
	const struct job_result *result;
	char job_id[40];
	char fault_id[40]; /* empty but for OUTCOME_INTERNAL */
	char hint[HINT_BYTES];
	json_t *value;	     /* object, or NULL */
	json_t *tables;	     /* array */
	json_t *table_texts; /* array of strings, one for each table */
	json_t *error;	     /* object where the outcome is `error`, else NULL */
	json_t *skipped;     /* array of {name, why} */
	json_t *notes;	     /* array of strings, one line each */
	struct chart charts[LIMIT_CHARTS];
	size_t chart_count;
	struct buf out, err; /* UTF-8 */
	bool out_truncated, err_truncated;
	struct view_session session;
};

/*
 * Judges a result. `job_id` and `fault_id` are copied; `fault_id` may be NULL. 0 or -ENOMEM; the
 * view is then done already.
 */
int view_init(struct view *view, const struct job_result *result, const char *job_id,
	const char *fault_id) MUST_CHECK;
void view_set_session(struct view *view, const struct job_session *session);
void view_done(struct view *view);
#define cleanup_view __attribute__((cleanup(view_done)))

/* An artifact's or skipped file's name as UTF-8 text. A new reference, or NULL. */
json_t *view_name(struct span name);

#endif
