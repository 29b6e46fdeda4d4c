/* ns: clone3, setns, uid_map. */
#include "jail/ns.h"

#include "base/fd.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static pid_t clone3_raw(struct clone_args *args)
{
	long pid = syscall(SYS_clone3, args, sizeof(*args));
	return pid < 0 ? -errno : (pid_t)pid;
}

static void fill_args(struct clone_args *args, uint64_t flags, int cgroup_fd, int *ret_pidfd)
{
	*args = (struct clone_args){.flags = flags};
	/* CLONE_PARENT takes the exit signal from the caller; naming one is EINVAL. */
	if (!(flags & CLONE_PARENT))
		args->exit_signal = SIGCHLD;
	if (cgroup_fd >= 0) {
		args->flags |= CLONE_INTO_CGROUP;
		args->cgroup = (uint64_t)cgroup_fd;
	}
	if (ret_pidfd) {
		args->flags |= CLONE_PIDFD;
		args->pidfd = (uint64_t)(uintptr_t)ret_pidfd;
	}
}

pid_t ns_clone(uint64_t flags, int cgroup_fd, int *ret_pidfd)
{
	struct clone_args args;
	fill_args(&args, flags, cgroup_fd, ret_pidfd);
	return clone3_raw(&args);
}

#define DESCRIPTOR_INTS 512u

/*
 * Where the C library caches the thread's id, found out by trial: a child that the library forks
 * itself sees its own id in just that place, and its parent's in the copy made before.
 */
static pid_t *find_by_fork(void)
{
	pid_t before[DESCRIPTOR_INTS], *at = (pid_t *)(uintptr_t)pthread_self();
	int ends[2], place = -1;

	memcpy(before, at, sizeof(before));
	if (pipe2(ends, O_CLOEXEC) < 0)
		return NULL;
	pid_t parent = (pid_t)syscall(SYS_gettid), child = fork();
	if (child == 0) {
		pid_t own = (pid_t)syscall(SYS_gettid);
		for (unsigned i = 0; i < DESCRIPTOR_INTS && place < 0; i++)
			if (before[i] == parent && at[i] == own)
				place = (int)i;
		_exit(write(ends[1], &place, sizeof(place)) < 0);
	}
	(void)close(ends[1]);
	if (child < 0 || fd_read_all(ends[0], &place, sizeof(place)) < 0)
		place = -1;
	(void)close(ends[0]);
	if (child > 0)
		(void)waitpid(child, NULL, 0);
	return place < 0 ? NULL : at + place;
}

/* The kernel knows the address that set_tid_address was given, and tells it where it was built with
 * CONFIG_CHECKPOINT_RESTORE. */
static pid_t *cached_tid(void)
{
	static pid_t *found;
	pid_t *address = NULL;

	if (found)
		return found;
	if (prctl(PR_GET_TID_ADDRESS, &address, 0, 0, 0) == 0 && address &&
		*address == (pid_t)syscall(SYS_gettid))
		found = address;
	else
		found = find_by_fork();
	return found;
}

pid_t ns_clone_libc(uint64_t flags, int cgroup_fd, int *ret_pidfd)
{
	struct clone_args args;
	struct robust_list_head *robust = NULL;
	size_t robust_bytes = 0;

	pid_t *tid = cached_tid();
	if (!tid)
		return -ENOTSUP;
	(void)syscall(SYS_get_robust_list, 0, &robust, &robust_bytes);
	fill_args(&args, flags | CLONE_CHILD_SETTID | CLONE_CHILD_CLEARTID, cgroup_fd, ret_pidfd);
	args.child_tid = (uint64_t)(uintptr_t)tid;
	pid_t pid = clone3_raw(&args);
	if (pid == 0 && robust)
		(void)syscall(SYS_set_robust_list, robust, robust_bytes);
	return pid;
}

int ns_join(int pidfd, int flags, struct err *err)
{
	if (setns(pidfd, flags) < 0)
		return err_sys(err, -errno, "namespaces", "setns");
	return 0;
}

static int write_file(int proc_fd, pid_t pid, const char *name, const char *text, struct err *err)
{
	char path[64];
	(void)snprintf(path, sizeof(path), "%d/%s", (int)pid, name);
	int rc = fd_write_file(proc_fd, path, text);
	return rc < 0 ? err_sys(err, rc, "uid", path) : 0;
}

int ns_write_maps(int proc_fd, pid_t pid, const struct id_map *maps, size_t count,
	int deny_setgroups, struct err *err)
{
	char text[256];
	size_t used = 0;

	for (size_t i = 0; i < count; i++) {
		int wrote = snprintf(text + used, sizeof(text) - used, "%u %u %u\n", maps[i].inside,
			maps[i].outside, maps[i].count);
		if (wrote < 0 || (size_t)wrote >= sizeof(text) - used)
			return err_set(err, -E2BIG, "uid", "too many identity maps");
		used += (size_t)wrote;
	}
	int rc = deny_setgroups ? write_file(proc_fd, pid, "setgroups", "deny", err) : 0;
	if (!rc)
		rc = write_file(proc_fd, pid, "uid_map", text, err);
	if (!rc)
		rc = write_file(proc_fd, pid, "gid_map", text, err);
	return rc;
}
