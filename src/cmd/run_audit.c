/* run_audit: one call, two rows. */
#include "cmd/run_audit.h"

#include "api/describe.h"
#include "cmd/cmd.h"
#include "cmd/serve_setup.h"
#include "cmd/serving.h"

#include <errno.h>
#include <stdio.h>
#include <unistd.h>

#define DOOR "cli"

/* The effective ids alone: what comes after needs root again. */
static int become(const struct serve_user *user, struct err *err)
{
	if (user->drops && (setegid(user->gid) < 0 || seteuid(user->uid) < 0))
		return err_sys(err, -errno, "user", "becoming the user of the audit log");
	return 0;
}

static void become_oneself(const struct serve_user *user)
{
	if (user->drops && (seteuid(0) < 0 || setegid(0) < 0))
		_exit(CMD_INTERNAL);
}

static int find_role(struct run_audit *audit, struct err *err)
{
	static char presented[SERVING_TOKEN_BYTES];
	const struct config *config = audit->setup.config;
	int rc = serving_token(presented, err);
	if (rc < 0)
		return rc;
	if (presented[0]) {
		const struct token *token = config_token(config, span_text(presented));
		if (!token)
			return err_set(err, -EPERM, "role",
				"the token that BRIG_TOKEN_FILE names is not known: see the "
				"[token] sections of the configuration");
		audit->role = token->role;
		(void)snprintf(audit->token, sizeof(audit->token), "%s", token->name);
		return 0;
	}
	audit->role = config_role(config, CONFIG_LOCAL_ROLE);
	if (!audit->role)
		return err_set(err, -EPERM, "role",
			"the configuration has no role local, so a token is needed: put one into "
			"a file and name that in BRIG_TOKEN_FILE");
	return 0;
}

static void describe(const struct run_audit *audit, const struct job_spec *spec,
	struct audit_call *call, struct audit_input inputs[LIMIT_INPUTS])
{
	describe_job(spec, call, inputs);
	call->role = audit->role ? audit->role->name : "";
	call->token = audit->token;
	call->door = DOOR;
}

static int write_begin(struct run_audit *audit, const struct job_spec *spec,
	const struct err *refusal, struct err *err)
{
	struct audit_options options;
	struct audit_input inputs[LIMIT_INPUTS];
	static unsigned char look[AUDIT_LOOK_BYTES];
	struct audit_call call;
	const struct audit_end end = {
		.outcome = outcome_name(OUTCOME_REJECTED), .error = span_text(refusal->text)};

	ledger_options(audit->setup.config, audit->setup.start.audit_path, &options);
	options.brief = true;
	describe(audit, spec, &call, inputs);
	call.stdin_head = describe_stdin(spec, look);
	int rc = become(&audit->setup.user, err);
	if (rc < 0)
		return rc;
	rc = audit_open(&options, &audit->audit, err);
	if (!rc)
		rc = refusal->code ? audit_single(audit->audit, &call, &end, NULL, err)
				   : audit_accept(audit->audit, &call, NULL, err);
	if (!rc)
		rc = audit_flush(audit->audit, err);
	become_oneself(&audit->setup.user);
	return rc;
}

int run_audit_begin(struct run_audit *audit, struct job_spec *spec, struct err *err)
{
	struct err refusal = {0};
	int rc = serve_setup(NULL, 0, &audit->setup, err);
	if (rc < 0)
		return rc == -EINVAL || rc == -ENOENT ? CMD_USAGE : CMD_INTERNAL;
	rc = find_role(audit, &refusal);
	if (rc == -EACCES) {
		*err = refusal;
		return CMD_USAGE;
	}
	if (!rc)
		rc = role_admit(audit->role, spec, spec->session.use != SESSION_NONE, &refusal);
	if (audit->role) {
		(void)snprintf(spec->role, sizeof(spec->role), "%s", audit->role->name);
		spec->isolate = audit->role->isolate;
	}
	if (write_begin(audit, spec, &refusal, err) < 0)
		return CMD_INTERNAL;
	if (rc < 0)
		*err = refusal;
	return rc < 0 ? CMD_REJECTED : CMD_OK;
}

int run_audit_end(struct run_audit *audit, const struct job_spec *spec, const struct run_end *end,
	struct err *err)
{
	struct audit_input inputs[LIMIT_INPUTS];
	struct audit_call call;
	cleanup_buf struct buf output = {0}, error = {0};
	buf_init(&output, DESCRIBE_OUTPUT_BYTES);
	buf_init(&error, DESCRIBE_ERROR_BYTES);
	if (end->view)
		describe_end(end->view, end->fault_id, &output, &error);
	struct audit_end row = {
		.outcome = outcome_name(end->outcome),
		.usage = end->view ? &end->view->result->usage : NULL,
		.output = span_of(output.data, output.len),
		.error = span_of(error.data, error.len),
	};
	if (end->cause)
		row.error = span_text(end->cause->text);
	describe(audit, spec, &call, inputs);
	int rc = become(&audit->setup.user, err);
	if (rc < 0)
		return rc;
	rc = audit_complete(audit->audit, &call, &row, NULL, err);
	if (!rc)
		rc = audit_flush(audit->audit, err);
	become_oneself(&audit->setup.user);
	return rc;
}

void run_audit_done(struct run_audit *audit)
{
	struct err err;
	if (audit->audit && become(&audit->setup.user, &err) == 0) {
		audit_close(audit->audit);
		become_oneself(&audit->setup.user);
	}
	audit->audit = NULL;
	config_unref(audit->setup.config);
	audit->setup.config = NULL;
}
