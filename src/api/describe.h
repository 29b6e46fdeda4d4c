/* describe: a job, and how it ended, in the audit log's own terms. */
#ifndef BRIG_API_DESCRIBE_H
#define BRIG_API_DESCRIBE_H

#include "audit/audit.h"
#include "tool/view.h"
#include "wire/job.h"

/* Fills `ret_call` from the spec; the caller adds role, token and door. All of it is borrowed. */
void describe_job(const struct job_spec *spec, struct audit_call *ret_call,
	struct audit_input inputs[LIMIT_INPUTS]);

/* The same of a call that never became a job: as much of `spec` as was understood, and its code as
 * it came. */
void describe_unmade(const struct job_spec *spec, struct span code, struct audit_call *ret_call,
	struct audit_input inputs[LIMIT_INPUTS]);

/* The first bytes of the job's standard input, whole enough for a secret in it to be seen. */
struct span describe_stdin(const struct job_spec *spec, unsigned char look[AUDIT_LOOK_BYTES]);

/*
 * Heads of both streams, and the error or brig's own fault. `fault_id` is NULL or empty where there
 * is none. The buffers need room for twice AUDIT_LOOK_BYTES and for 8 KiB.
 */
void describe_end(
	const struct view *view, const char *fault_id, struct buf *output, struct buf *error);

#define DESCRIBE_OUTPUT_BYTES (2 * AUDIT_LOOK_BYTES + 1)
#define DESCRIBE_ERROR_BYTES (8 * KIB)

#endif
