/* run_job: from a command line to an exit status. */
#include "cmd/run.h"

#include "base/fd.h"
#include "cmd/cmd.h"
#include "cmd/interrupt.h"
#include "cmd/run_report.h"
#include "cmd/run_request.h"
#include "tool/artifact_out.h"
#include "tool/cell_client.h"

#include <errno.h>
#include <stdio.h>
#include <unistd.h>

struct run {
	struct run_options options;
	struct job_spec spec;
	struct job_result result;
	struct sink out, err;
	sigset_t wait_mask;
	int output_rc; /* why standard output failed, if it did */
};

static int pass_output(void *user, bool is_stderr, struct span data)
{
	struct run *run = user;
	run->output_rc = sink_write(is_stderr ? &run->err : &run->out, data);
	/* With nobody left to read, only files are worth going on for. */
	if (!run->output_rc && run->out.closed && !run->options.out_folder)
		return -EPIPE;
	return run->output_rc;
}

static int refuse(struct run *run, enum outcome outcome, const struct err *cause)
{
	return run_report_refusal(
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
		status = refuse(
			run, status == CMD_REJECTED ? OUTCOME_REJECTED : OUTCOME_INTERNAL, &cause);
	if (status || !run->options.out_folder)
		return status;
	if (artifact_out_check(run->options.out_folder, &cause) == 0)
		return CMD_OK;
	run_complain(&run->err, cause.text);
	return CMD_INTERNAL;
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
		return refuse(run, OUTCOME_CANCELLED, &cause);
	if (rc < 0)
		return refuse(run, OUTCOME_INTERNAL, &cause);
	int status = run_report(&run->options, &run->result, &run->spec, &run->out, &run->err);
	return interrupt_count ? CMD_CANCELLED : status;
}

static int perform(struct run *run, const struct run_channel *channel)
{
	cleanup_fd int channel_fd = -1;
	struct err cause = {0};

	interrupt_install(&run->wait_mask);
	int rc = channel->connect(channel->user, &run->options, &channel_fd, &cause);
	if (interrupt_count) {
		(void)err_set(&cause, -EINTR, "run", "cancelled before the job started");
		return refuse(run, OUTCOME_CANCELLED, &cause);
	}
	return rc < 0 ? refuse(run, OUTCOME_INTERNAL, &cause) : exchange(run, channel_fd);
}

int run_with(const struct run_channel *channel, int argc, char **argv)
{
	struct run run = {0};
	struct err cause = {0};

	sink_init(&run.out, STDOUT_FILENO);
	sink_init(&run.err, STDERR_FILENO);
	if (run_options_parse(&run.options, argc, argv, &cause) < 0) {
		run_complain(&run.err, cause.text);
		return CMD_USAGE;
	}
	if (run.options.help)
		return sink_write(&run.out, span_text(run_options_help)) ? CMD_INTERNAL : CMD_OK;
	job_spec_init(&run.spec);
	job_result_init(&run.result);
	int status = prepare(&run);
	if (!status)
		status = perform(&run, channel);
	/* The dead cell's folder is free only once its descriptors are closed. */
	job_spec_done(&run.spec);
	job_result_done(&run.result);
	if (channel->release)
		channel->release(channel->user);
	return status;
}
