/* run_job: from a command line to an exit status. */
#include "cmd/run.h"

#include "base/fd.h"
#include "cmd/cmd.h"
#include "cmd/interrupt.h"
#include "cmd/run_parts.h"
#include "cmd/run_report.h"
#include "cmd/run_request.h"
#include "tool/artifact_out.h"
#include "tool/cell_client.h"
#include "tool/job_id.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

int run_check_reader(const struct run *run)
{
	return run->out.closed && !run->options.out_folder ? -EPIPE : 0;
}

static int pass_output(void *user, bool is_stderr, struct span data)
{
	struct run *run = user;
	run->output_rc = sink_write(is_stderr ? &run->err : &run->out, data);
	return run->output_rc ? run->output_rc : run_check_reader(run);
}

/* CMD_OK, or CMD_INTERNAL where the log cannot be written: then nothing is shown. */
static int log_end(struct run *run, const struct run_end *end)
{
	struct err cause = {0};
	if (!run->is_begun || !run->channel->end)
		return CMD_OK;
	run->is_begun = false;
	if (run->channel->end(run->channel->user, &run->spec, end, &cause) == 0)
		return CMD_OK;
	run_complain(&run->err, cause.text);
	return CMD_INTERNAL;
}

int run_refuse(struct run *run, enum outcome outcome, const struct err *cause)
{
	const struct run_end end = {.outcome = outcome, .cause = cause};
	int status = log_end(run, &end);
	return status ? status
		      : run_report_refusal(
				&run->options, outcome, cause, run->spec.id, &run->out, &run->err);
}

/* What the command line names is read and judged; nothing has been started yet. */
static int prepare(struct run *run)
{
	struct err cause = {0};
	int status = run_request_make(&run->options, &run->spec, &cause);
	if (status == CMD_USAGE)
		run_complain(&run->err, cause.text);
	else if (status)
		status = run_refuse(
			run, status == CMD_REJECTED ? OUTCOME_REJECTED : OUTCOME_INTERNAL, &cause);
	if (status || !run->options.out_folder)
		return status;
	if (artifact_out_check(run->options.out_folder, &cause) == 0)
		return CMD_OK;
	run_complain(&run->err, cause.text);
	return CMD_INTERNAL;
}

static int report(struct run *run)
{
	cleanup_view struct view view = {0};
	char fault_id[JOB_ID_BYTES];
	if (run_report_judge(&run->result, &run->spec, fault_id, &view, &run->err) < 0)
		return CMD_INTERNAL;
	const struct run_end end = {
		.outcome = run->result.outcome, .view = &view, .fault_id = fault_id};
	int status = log_end(run, &end);
	return status ? status : run_report(&run->options, &view, &run->out, &run->err);
}

/* The service would not: no such session, no room for one, no way to have one. Nothing ran. */
static bool session_refused(const struct job_result *result)
{
	const struct err *fault = &result->fault;
	return result->outcome == OUTCOME_INTERNAL && strcmp(fault->stage, "session") == 0 &&
	       (fault->code == -ESRCH || fault->code == -EAGAIN || fault->code == -ENOTSUP);
}

static int exchange(struct run *run, int channel_fd)
{
	const struct cell_client client = {
		.output = pass_output,
		.user = run,
		.interrupts = &interrupt_count,
		.wait_mask = &run->wait_mask,
	};
	struct err cause = {0};

	interrupt_hold();
	/* A reader of ours that goes away shows as EPIPE, which a sink knows how to take. */
	(void)signal(SIGPIPE, SIG_IGN);
	int rc = cell_client_run(&client, channel_fd, &run->spec, &run->result, &cause);
	if (run->output_rc < 0) {
		(void)err_sys(&cause, run->output_rc, "report", "cannot write the job's output");
		run_complain(&run->err, cause.text);
		return CMD_INTERNAL;
	}
	if (rc == -EPIPE && run->out.closed)
		return CMD_SIGNAL_BASE + SIGPIPE;
	/* A service that ended on the same signal is no fault either. */
	if (rc < 0 && rc != -EINTR && interrupt_count)
		rc = err_set(&cause, -EINTR, "run", "cancelled; the service ended with the job");
	if (rc == -EINTR)
		return run_refuse(run, OUTCOME_CANCELLED, &cause);
	if (rc < 0)
		return run_refuse(run, OUTCOME_INTERNAL, &cause);
	if (session_refused(&run->result))
		return run_refuse(run, OUTCOME_REJECTED, &run->result.fault);
	int status = report(run);
	return interrupt_count ? CMD_CANCELLED : status;
}

static int perform_here(struct run *run)
{
	const struct run_channel *channel = run->channel;
	cleanup_fd int channel_fd = -1;
	struct err cause = {0};
	if (run->options.session && channel->lives &&
		!channel->lives(channel->user, &run->options)) {
		run_complain(&run->err,
			"a session needs a brig that goes on running: start `brig serve` (or `brig "
			"service`), then run this again");
		return CMD_USAGE;
	}
	int status = channel->begin ? channel->begin(channel->user, &run->spec, &cause) : CMD_OK;
	if (status == CMD_USAGE) {
		run_complain(&run->err, cause.text);
		return status;
	}
	if (status)
		return run_refuse(
			run, status == CMD_REJECTED ? OUTCOME_REJECTED : OUTCOME_INTERNAL, &cause);
	run->is_begun = true;
	int rc = channel->connect(channel->user, &run->options, &channel_fd, &cause);
	if (interrupt_count) {
		(void)err_set(&cause, -EINTR, "run", "cancelled before the job started");
		return run_refuse(run, OUTCOME_CANCELLED, &cause);
	}
	return rc < 0 ? run_refuse(run, OUTCOME_INTERNAL, &cause) : exchange(run, channel_fd);
}

static int perform(struct run *run)
{
	static struct serving serving;
	const struct run_channel *channel = run->channel;
	struct err cause = {0};

	interrupt_install(&run->wait_mask);
	int fd = channel->serving ? channel->serving(channel->user, &run->options, &serving, &cause)
				  : -ENOENT;
	if (fd >= 0)
		return run_http(run, &serving, fd);
	bool nobody = run->options.socket_path && (fd == -ENOENT || fd == -ECONNREFUSED);
	if (fd == -EACCES || (nobody && run->options.session)) {
		run_complain(&run->err, cause.text);
		return CMD_USAGE;
	}
	bool absent = fd == -EPROTONOSUPPORT || (fd == -ENOENT && !run->options.socket_path);
	return absent ? perform_here(run) : run_refuse(run, OUTCOME_INTERNAL, &cause);
}

int run_with(const struct run_channel *channel, int argc, char **argv)
{
	struct run run = {.channel = channel};
	struct err cause = {0};

	sink_init(&run.out, STDOUT_FILENO);
	sink_init(&run.err, STDERR_FILENO);
	if (run_options_parse(&run.options, argc, argv, &cause) < 0) {
		run_complain(&run.err, cause.text);
		return CMD_USAGE;
	}
	if (run.options.help) {
		if (sink_write(&run.out, span_text(run_options_help)) == 0)
			return CMD_OK;
		run_complain(&run.err, "cannot write to standard output");
		return CMD_INTERNAL;
	}
	job_spec_init(&run.spec);
	job_result_init(&run.result);
	int status = prepare(&run);
	if (!status)
		status = perform(&run);
	/* The dead cell's folder is free only once its descriptors are closed. */
	job_spec_done(&run.spec);
	job_result_done(&run.result);
	if (channel->release)
		channel->release(channel->user);
	return status;
}
