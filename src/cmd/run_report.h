/* run_report: what `brig run` shows of a result, and what it exits with. */
#ifndef BRIG_CMD_RUN_REPORT_H
#define BRIG_CMD_RUN_REPORT_H

#include "cmd/run_options.h"
#include "cmd/sink.h"
#include "tool/job_id.h"
#include "tool/view.h"

/* The exit status that stands for an outcome. */
int run_exit_status(const struct job_result *result);

/*
 * Judges the result: fills `view` and, for brig's own fault, `fault_id` (else empty), of which the
 * operator is told here. 0 or -errno, having complained.
 */
int run_report_judge(const struct job_result *result, const struct job_spec *spec,
	char fault_id[JOB_ID_BYTES], struct view *view, struct sink *err) MUST_CHECK;

/*
 * Shows the result, writes files and charts to --out, and returns the exit status: the outcome's,
 * or 125 where the folder or standard output fails.
 */
int run_report(const struct run_options *options, const struct view *view, struct sink *out,
	struct sink *err);

/*
 * The same for a job that never ran: `outcome` is OUTCOME_REJECTED, OUTCOME_INTERNAL or
 * OUTCOME_CANCELLED, `cause` why. One line on stderr, and with --json an object all the same.
 */
int run_report_refusal(const struct run_options *options, enum outcome outcome,
	const struct err *cause, const char *job_id, struct sink *out, struct sink *err);

/* Writes a rendering of the view, beginning on a new line. */
typedef int run_renderer(const struct view *view, struct buf *out);
int run_put(const struct view *view, run_renderer *render, size_t max_bytes,
	struct sink *sink) MUST_CHECK;

/* One line on stderr, "brig: run: …". */
void run_complain(struct sink *err, const char *text);

#endif
