/* run_parts: one `brig run`, shared by the files that make it up. */
#ifndef BRIG_CMD_RUN_PARTS_H
#define BRIG_CMD_RUN_PARTS_H

#include "cmd/run.h"
#include "cmd/serving.h"
#include "cmd/sink.h"
#include "wire/job.h"
#include "wire/result.h"

#include <signal.h>

struct run {
	struct run_options options;
	struct job_spec spec;
	struct job_result result;
	struct sink out, err;
	sigset_t wait_mask;
	int output_rc; /* why standard output failed, if it did */
	const struct run_channel *channel;
	bool is_begun; /* the log waits for its end */
};

/* run_job.c: one line on stderr, an object where --json is wanted. The exit status. */
int run_refuse(struct run *run, enum outcome outcome, const struct err *cause);

/* With nobody left to read, only files are worth going on for: -EPIPE. */
int run_check_reader(const struct run *run);

/* run_http.c: the job through a dispatcher. Takes the connection. The exit status. */
int run_http(struct run *run, const struct serving *serving, int fd);

#endif
