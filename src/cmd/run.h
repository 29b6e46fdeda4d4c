/*
 * run: `brig run` in three steps: the command line, the request, and one job, through the brig that
 * serves or over a channel to an interpreter service.
 *
 * run_with is the whole of it but for where those come from, so that it can be tried against any
 * service, or none.
 */
#ifndef BRIG_CMD_RUN_H
#define BRIG_CMD_RUN_H

#include "cmd/run_options.h"
#include "tool/view.h"
#include "wire/job.h"

struct serving;

/* How a job ended, for the log. */
struct run_end {
	enum outcome outcome;
	const struct view *view; /* NULL where there is no result */
	const char *fault_id;	 /* NULL or empty where there is none */
	const struct err *cause; /* of an end without a result, else NULL */
};

struct run_channel {
	/* Finds the brig that serves; a connected descriptor, which the caller then owns. -ENOENT
	 * or -EPROTONOSUPPORT where there is none and `connect` is to be asked; others are faults.
	 * May be NULL. */
	int (*serving)(void *user, const struct run_options *options, struct serving *ret,
		struct err *err);
	/* Whether `connect` would find a service that outlives this run, as a session needs. May be
	 * NULL: it would. */
	bool (*lives)(void *user, const struct run_options *options);
	/* Admits the job and logs it before it starts. An exit status. May be NULL. */
	int (*begin)(void *user, struct job_spec *spec, struct err *err);
	/* Gives a connected stream socket (the caller of it then owns it). 0 or -errno with a
	 * text. */
	int (*connect)(void *user, const struct run_options *options, int *ret_fd, struct err *err);
	/* Logs how it ended, before anything of that is shown. 0 or -errno. May be NULL. */
	int (*end)(void *user, const struct job_spec *spec, const struct run_end *end,
		struct err *err);
	/* Called once the job is over and all its descriptors are closed. May be NULL. */
	void (*release)(void *user);
	void *user;
};

/* Parses, runs, reports. Returns the exit status. */
int run_with(const struct run_channel *channel, int argc, char **argv);

#endif
