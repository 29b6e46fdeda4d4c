/*
 * run: `brig run` in three steps: the command line, the request, and one job over a channel.
 *
 * run_with is the whole of it but for where the channel comes from, so that it can be tried against
 * any service, or none.
 */
#ifndef BRIG_CMD_RUN_H
#define BRIG_CMD_RUN_H

#include "cmd/run_options.h"

/*
 * Gives a connected stream socket (the caller of it then owns it). 0 or -errno with a text.
 * `release` is called once the job is over and all its descriptors are closed.
 */
struct run_channel {
	int (*connect)(void *user, const struct run_options *options, int *ret_fd, struct err *err);
	void (*release)(void *user);
	void *user;
};

/* Parses, runs, reports. Returns the exit status. */
int run_with(const struct run_channel *channel, int argc, char **argv);

#endif
