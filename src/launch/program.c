/* program: clone3 and exec. Source: clone(2), execve(2). */
#include "launch/program.h"

#include "base/fd.h"
#include "wire/launch.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/sched.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

/* build/brig → build/libexec/brig-service; PREFIX/bin/brig → PREFIX/libexec/brig-service. */
static int find_program(char path[PATH_MAX], struct err *err)
{
	char own[PATH_MAX];
	static const char *const places[] = {"libexec/brig-service", "../libexec/brig-service"};
	ssize_t length = readlink("/proc/self/exe", own, sizeof(own) - 1);
	if (length <= 0)
		return err_sys(err, -errno, "launch", "/proc/self/exe");
	own[length] = 0;
	*strrchr(own, '/') = 0;
	for (size_t i = 0; i < 2; i++) {
		int wrote = snprintf(path, PATH_MAX, "%s/%s", own, places[i]);
		if (wrote > 0 && wrote < PATH_MAX && access(path, X_OK) == 0)
			return 0;
	}
	return err_set(
		err, -ENOENT, "launch", "no libexec/brig-service beside %s: run `make`", own);
}

/*
 * In the child: system calls only. It is in the new user namespace and has all capabilities there,
 * but no id that is mapped: an exec now would lose them. So it waits for the maps, becomes root
 * inside, and executes through the descriptor: the path may be closed to its new uid.
 */
_Noreturn static void run_child(int program_fd, int control_fd, int link_fd, const int gate[2])
{
	static char *const environment[] = {NULL};
	char name[] = "brig-service", go;
	char *argv[] = {name, NULL};

	/* With its own copy of the launcher's end it would never see that end closed. */
	(void)close(gate[1]);
	if (read(gate[0], &go, 1) != 1)
		_exit(125);
	/* Denied where an ordinary user has a single uid: then its groups are that user's own. */
	if (syscall(SYS_setgroups, 0, NULL) < 0 && errno != EPERM)
		_exit(125);
	if (syscall(SYS_setresgid, 0, 0, 0) < 0 || syscall(SYS_setresuid, 0, 0, 0) < 0)
		_exit(125);
	int program = fcntl(program_fd, F_DUPFD_CLOEXEC, 16);
	int control = fcntl(control_fd, F_DUPFD_CLOEXEC, 16);
	int link = fcntl(link_fd, F_DUPFD_CLOEXEC, 16);
	int null_fd = open("/dev/null", O_RDWR);
	if (program < 0 || control < 0 || link < 0 || null_fd < 0 || dup2(null_fd, 0) < 0 ||
		dup2(null_fd, 1) < 0 || dup2(control, LAUNCH_CONTROL_FD) < 0 ||
		dup2(link, LAUNCH_LINK_FD) < 0 || dup3(program, LAUNCH_LINK_FD + 1, O_CLOEXEC) < 0)
		_exit(125);
	(void)syscall(SYS_close_range, LAUNCH_LINK_FD + 2, ~0U, 0);
	/* A terminal's Ctrl-C goes to its whole process group: it is the launcher's to act upon. */
	(void)setsid();
	(void)syscall(SYS_execveat, LAUNCH_LINK_FD + 1, "", argv, environment, AT_EMPTY_PATH);
	_exit(127);
}

static pid_t start(int program_fd, int cgroup_fd, int control_fd, int link_fd, const int gate[2],
	int *ret_pidfd)
{
	struct clone_args args = {
		.flags = CLONE_NEWUSER | CLONE_NEWPID | CLONE_NEWNS | CLONE_PIDFD,
		.exit_signal = SIGCHLD,
		.pidfd = (uint64_t)(uintptr_t)ret_pidfd,
	};
	if (cgroup_fd >= 0) {
		args.flags |= CLONE_INTO_CGROUP;
		args.cgroup = (uint64_t)cgroup_fd;
	}
	long pid = syscall(SYS_clone3, &args, sizeof(args));
	if (pid == 0)
		run_child(program_fd, control_fd, link_fd, gate);
	return pid < 0 ? -errno : (pid_t)pid;
}

pid_t program_start(const struct idmap *idmap, int cgroup_fd, int control_fd, int link_fd,
	int *ret_pidfd, struct err *err)
{
	char path[PATH_MAX];
	int gate[2];

	int rc = find_program(path, err);
	if (rc < 0)
		return rc;
	cleanup_fd int program_fd = open(path, O_RDONLY | O_CLOEXEC);
	if (program_fd < 0)
		return err_sys(err, -errno, "launch", path);
	/* A socket: to write into a pipe whose reader is dead would end this process too. */
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, gate) < 0)
		return err_sys(err, -errno, "launch", "socketpair");
	pid_t pid = start(program_fd, cgroup_fd, control_fd, link_fd, gate, ret_pidfd);
	if (pid == -ENOENT || pid == -ENODEV)
		rc = err_sys(err, pid, "launch", "the service's cgroup is gone: clone3");
	else if (pid < 0)
		rc = err_sys(err, pid, "uid", "this host refuses a user namespace: clone3");
	fd_close(&gate[0]);
	if (!rc)
		rc = idmap_write(idmap, pid, err);
	ssize_t sent = rc ? 0 : fd_send(gate[1], "g", 1, NULL, 0);
	if (sent < 0)
		rc = err_sys(err, (int)sent, "launch", "letting the service go");
	fd_close(&gate[1]);
	if (rc < 0 && pid > 0) {
		/* The gate is closed for good: the child ends by itself. */
		(void)waitpid(pid, NULL, 0);
		fd_close(ret_pidfd);
	}
	return rc < 0 ? rc : pid;
}
