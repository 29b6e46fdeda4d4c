/* program: brig-service as a process in namespaces of its own. */
#ifndef BRIG_LAUNCH_PROGRAM_H
#define BRIG_LAUNCH_PROGRAM_H

#include "base/err.h"
#include "launch/idmap.h"

#include <sys/types.h>

/*
 * Starts it with `control_fd` as 3 and `link_fd` as 4 (both borrowed), in a new user, pid and mount
 * namespace, born into `cgroup_fd` where that is not -1. The pid, or -errno.
 */
pid_t program_start(const struct idmap *idmap, int cgroup_fd, int control_fd, int link_fd,
	int *ret_pidfd, struct err *err) MUST_CHECK;

#endif
