/*
 * notify: the deadly class of system calls. The filter tells the service instead of killing, so
 * that the service knows which call it was; then it kills. The call itself never happens: the
 * notification is not answered, and the caller dies in it.
 *
 * Source: seccomp_unotify(2), pidfd_getfd(2) (5.6).
 */
#include "service/service.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

/*
 * Whether one waits. To receive where none does can block for good, O_NONBLOCK or not (Linux 6.1
 * does), and the loop wakes for less: EPOLLHUP once the last process under the filter is gone. A
 * caller that dies in between is no danger: its count stays, and receiving fails with ENOENT.
 */
static bool is_waiting(int fd, bool *ret_over)
{
	struct pollfd listener = {.fd = fd, .events = POLLIN};
	int ready = poll(&listener, 1, 0);
	*ret_over = ready > 0 && (listener.revents & (POLLHUP | POLLNVAL));
	return ready > 0 && (listener.revents & POLLIN);
}

static void on_notification(evutil_socket_t fd, short what, void *context)
{
	struct cell *cell = context;
	/* A kernel newer than these headers may write a longer struct. */
	union {
		struct seccomp_notif notification;
		unsigned char room[1024];
	} answer;
	(void)what;

	bool over = false;
	if (!is_waiting(fd, &over)) {
		if (over)
			cell_unwatch(cell, WATCH_LISTENER);
		return;
	}
	memset(&answer, 0, sizeof(answer));
	if (ioctl(fd, SECCOMP_IOCTL_NOTIF_RECV, &answer.notification) < 0) {
		/* ENOENT: the caller died of something else meanwhile. */
		if (errno != ENOENT && errno != EINTR)
			cell_unwatch(cell, WATCH_LISTENER);
		return;
	}
	if (cell->state != CELL_RUNNING || !cell->job) {
		struct err err;
		(void)err_set(&err, -EPERM, "seccomp", "system call %d before the job",
			answer.notification.data.nr);
		cell_fail(cell, &err);
		return;
	}
	/* The job chose the number: a negative one, which stands for none, must not come of it. */
	cell->job->facts.syscall = answer.notification.data.nr & INT32_MAX;
	cell->job->facts.syscall_arch = answer.notification.data.arch;
	end_job(cell, END_DENIED);
}

int notify_watch(struct cell *cell)
{
	return cell_watch(
		cell, WATCH_LISTENER, cell->listener_fd, EV_READ | EV_PERSIST, on_notification);
}

int notify_take(struct cell *cell, int listener_number, struct err *err)
{
	int fd = (int)syscall(SYS_pidfd_getfd, cell->runner_pidfd, listener_number, 0);
	if (fd < 0)
		return err_sys(err, -errno, "seccomp", "pidfd_getfd of the listener");
	cell->listener_fd = fd;
	/* It has no other flag that could be lost. */
	int rc = fcntl(fd, F_SETFL, O_NONBLOCK) < 0 ? -errno : 0;
	if (!rc)
		rc = notify_watch(cell);
	return rc < 0 ? err_sys(err, rc, "seccomp", "watching the listener") : 0;
}
