/*
 * run_audit: role and audit log of a job that goes to an interpreter service without a dispatcher
 * between: the configuration's role `local`, or the one of the token in BRIG_TOKEN_FILE, and the
 * same two rows. As root the log belongs to the dispatcher's user, and is written as that.
 */
#ifndef BRIG_CMD_RUN_AUDIT_H
#define BRIG_CMD_RUN_AUDIT_H

#include "cmd/run.h"
#include "cmd/serve_parent.h"

struct run_audit {
	struct serve_parent_options setup; /* configuration, user, places */
	const struct role *role;	   /* of that configuration */
	char token[ROLE_NAME_BYTES];	   /* its name; empty without one */
	struct audit *audit;
};

/*
 * Reads the configuration, finds the role, tightens the spec's limits to it, and writes the row
 * `accepted`; or the row of a refusal, where the role does not have the tool. The exit status, 0 or
 * 2, 125, 126; `err` then says why.
 */
int run_audit_begin(struct run_audit *audit, struct job_spec *spec, struct err *err);

/* Writes the row `completed`. 0 or -errno: then nothing may be shown. */
int run_audit_end(struct run_audit *audit, const struct job_spec *spec, const struct run_end *end,
	struct err *err) MUST_CHECK;

void run_audit_done(struct run_audit *audit);

#endif
