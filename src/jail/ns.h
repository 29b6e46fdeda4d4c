/*
 * ns: processes in new namespaces, joining namespaces, identity maps.
 *
 * Source: clone(2) (clone3, CLONE_INTO_CGROUP since 5.7), setns(2) (pidfd since 5.8),
 * user_namespaces(7).
 */
#ifndef BRIG_JAIL_NS_H
#define BRIG_JAIL_NS_H

#include "base/err.h"

#include <linux/sched.h>
#include <stdint.h>
#include <sys/types.h>

/*
 * clone3 without a new stack: returns twice, as fork does; 0 in the child. In the child only
 * system calls are safe until exec, unless the caller knows that no other thread exists.
 * `cgroup_fd` (or -1) is a directory of the unified hierarchy to be born in; `ret_pidfd` may be
 * NULL. -errno on failure.
 */
pid_t ns_clone(uint64_t flags, int cgroup_fd, int *ret_pidfd) MUST_CHECK;

/*
 * The same for a process with a C library whose cached thread id must stay right in the child
 * (raw clone leaves it stale): also sets CHILD_SETTID and CHILD_CLEARTID on the library's own
 * field and registers the robust futex list anew. Needs PR_GET_TID_ADDRESS
 * (CONFIG_CHECKPOINT_RESTORE), else finds the field by trial, with one fork.
 */
pid_t ns_clone_libc(uint64_t flags, int cgroup_fd, int *ret_pidfd) MUST_CHECK;

/* Joins namespaces (CLONE_NEW* flags) of the process behind `pidfd`. */
int ns_join(int pidfd, int flags, struct err *err) MUST_CHECK;

struct id_map {
	uint32_t inside, outside, count;
};

/*
 * Writes uid_map and gid_map of `pid` alike through `proc_fd`, a descriptor of a /proc in which
 * `pid` counts. With `deny_setgroups`, as an unprivileged writer must, setgroups is denied first.
 */
int ns_write_maps(int proc_fd, pid_t pid, const struct id_map *maps, size_t count,
	int deny_setgroups, struct err *err) MUST_CHECK;

#endif
