/*
 * serve_dispatcher: from a fork of the parent to the dispatcher. The danger is what it inherits:
 * every descriptor that is not in its start is closed.
 */
#include "cmd/serve_dispatcher.h"

#include "api/log.h"
#include "base/fd.h"
#include "cmd/cmd.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#define FIRST_FD 3

/* Moves a descriptor to `number` and off what it was. */
static int place(int fd, int number)
{
	if (fd < 0)
		return -1;
	return fd == number ? fd : dup3(fd, number, O_CLOEXEC);
}

static void keep_nothing_standard(void)
{
	cleanup_fd int fd = open("/dev/null", O_RDWR | O_CLOEXEC);
	if (fd >= 0 && (dup2(fd, STDIN_FILENO) < 0 || dup2(fd, STDOUT_FILENO) < 0))
		_exit(CMD_INTERNAL);
}

_Noreturn void serve_dispatcher_become(struct serve_parent_options *options, int control_fd)
{
	struct dispatcher_start *start = &options->start;
	struct err err = {0};
	sigset_t none;
	/* Above all that could be in the way of the numbers that they get. */
	int control = fcntl(control_fd, F_DUPFD_CLOEXEC, 100);
	int tcp = start->tcp_fd < 0 ? -1 : fcntl(start->tcp_fd, F_DUPFD_CLOEXEC, 100);
	int local = start->unix_fd < 0 ? -1 : fcntl(start->unix_fd, F_DUPFD_CLOEXEC, 100);
	start->control_fd = place(control, FIRST_FD);
	start->tcp_fd = place(tcp, FIRST_FD + 1);
	start->unix_fd = place(local, FIRST_FD + 2);
	if (start->tcp_fd < 0)
		(void)close(FIRST_FD + 1);
	if (start->unix_fd < 0)
		(void)close(FIRST_FD + 2);
	int rc = close_range(FIRST_FD + 3, ~0u, 0) < 0 ? -errno : 0;
	/* Not the terminal's nor the client's, unless it is there to serve that client. */
	if (start->stdio_in < 0)
		keep_nothing_standard();
	(void)sigemptyset(&none);
	(void)sigprocmask(SIG_SETMASK, &none, NULL);
	/* The terminal's signals go to the parent, which drains. */
	(void)signal(SIGINT, SIG_IGN);
	(void)signal(SIGHUP, SIG_IGN);
	(void)unsetenv("NOTIFY_SOCKET");
	if (!rc)
		rc = serve_user_become(&options->user, &err);
	if (!rc && start->control_fd < 0)
		rc = err_set(&err, -EMFILE, "dispatcher",
			"too few descriptors: raise the limit of open files (ulimit -n)");
	if (rc < 0) {
		log_fault("start_failed", &err);
		_exit(CMD_INTERNAL);
	}
	start->config = options->config;
	_exit(dispatcher_run(start));
}
