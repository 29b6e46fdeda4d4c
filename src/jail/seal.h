/*
 * seal: the jail, on one screen.
 *
 * jail_seal() runs in a process just forked from the zygote, before any byte of the job's code is
 * read. When it returns 0, every layer but those in `skip` is up and cannot be taken down again.
 * When it returns an error, the caller reports it and ends: a half-built jail never runs anything.
 */
#ifndef BRIG_JAIL_SEAL_H
#define BRIG_JAIL_SEAL_H

#include "base/err.h"
#include "jail/rlimit.h"
#include "wire/cell.h"

#include <stdbool.h>
#include <stddef.h>

struct jail_plan {
	int init_pidfd;			     /* whose namespaces to join */
	int cgroup_fds[CELL_CGROUP_FDS_MAX]; /* v1 tasks files */
	size_t cgroup_fd_count;
	int stdio_fds[CELL_FD_COUNT]; /* stdin, stdout, stderr, control in, control out */
	const struct cell_filter *filter;
	struct rlimit_plan rlimits;
	layer_set skip; /* layers that the operator allowed to be missing, and that are */
	bool one_uid;	/* the host gave a single uid: setgroups is denied */
};

/*
 * Takes all descriptors of the plan. `*ret_listener` becomes the descriptor of the filter's
 * notifications, or -1 where seccomp is skipped; it is the only descriptor beyond the golden set.
 */
int jail_seal(const struct jail_plan *plan, int *ret_listener, struct err *err) MUST_CHECK;

#endif
