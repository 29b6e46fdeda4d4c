/* cgroup_find: where the hierarchies are mounted and where this process stands in them. */
#ifndef BRIG_LAUNCH_CGROUP_FIND_H
#define BRIG_LAUNCH_CGROUP_FIND_H

#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>

/*
 * The folder of the caller's own group in the hierarchy that has `controller` ("" for the unified
 * one). With `hierarchy_root` the mount point itself. -ENOENT where it is not mounted.
 * Source: cgroups(7), proc_pid_mountinfo(5).
 */
int cgroup_find(const char *controller, bool hierarchy_root, char *path, size_t room) MUST_CHECK;

#endif
