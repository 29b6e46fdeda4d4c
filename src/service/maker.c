/* maker: the service's side. */
#include "service/maker.h"

#include "base/fd.h"
#include "jail/ns.h"
#include "service/maker_main.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

/* On v2 it is born there: to move later takes a lock on all of the host's groups. */
static pid_t fork_into(const struct cgroup *group)
{
	int unified_fd = group->v2 ? group->dirs[CGROUP_UNIFIED] : -1;
	pid_t pid = unified_fd >= 0 ? ns_clone_libc(0, unified_fd, NULL) : -ENOENT;
	if (pid >= 0)
		return pid;
	pid = fork();
	if (pid == 0)
		cgroup_join_beside(group);
	return pid < 0 ? -errno : pid;
}

int maker_start(struct maker *ret_maker, const struct cgroup *group, struct err *err)
{
	int pair[2];
	struct err report = {0};

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) < 0)
		return err_sys(err, -errno, "maker", "socketpair");
	pid_t pid = fork_into(group);
	if (pid < 0)
		return err_sys(err, pid, "maker", "fork");
	if (pid == 0)
		maker_main(pair[1]);
	(void)close(pair[1]);
	cleanup_fd int socket_fd = pair[0];
	int rc = fd_read_all(socket_fd, &report, sizeof(report));
	if (rc < 0)
		return err_sys(err, rc, "maker", "the maker did not start");
	if (report.code) {
		if (err)
			*err = report;
		return report.code;
	}
	rc = fd_set_nonblock(socket_fd, true);
	if (rc < 0)
		return err_sys(err, rc, "maker", "O_NONBLOCK");
	*ret_maker = (struct maker){.pid = pid, .socket_fd = TAKE_FD(socket_fd)};
	return 0;
}

static int send_message(const struct maker *maker, const struct maker_message *message,
	const int *fds, size_t count, struct err *err)
{
	ssize_t sent = fd_send(maker->socket_fd, message, sizeof(*message), fds, count);
	return sent < 0 ? err_sys(err, (int)sent, "maker", "asking the maker") : 0;
}

int maker_ask_init(const struct maker *maker, uint32_t slot, int init_socket_fd, int unified_fd,
	int net_fd, struct err *err)
{
	struct maker_message message = {
		.verb = MAKER_INIT,
		.request = {.slot = slot, .has_unified = unified_fd >= 0, .has_net = net_fd >= 0},
	};
	int fds[3] = {init_socket_fd};
	size_t count = 1;
	if (unified_fd >= 0)
		fds[count++] = unified_fd;
	if (net_fd >= 0)
		fds[count++] = net_fd;
	return send_message(maker, &message, fds, count, err);
}

int maker_ask_zygote(const struct maker *maker, uint32_t slot, const char *level, int control_fd,
	struct err *err)
{
	struct maker_message message = {.verb = MAKER_ZYGOTE, .request = {.slot = slot}};
	(void)snprintf(message.level, sizeof(message.level), "%s", level);
	return send_message(maker, &message, &control_fd, 1, err);
}

int maker_receive(
	const struct maker *maker, struct maker_answer *ret_answer, int *ret_pidfd, int *ret_net_fd)
{
	int fds[2] = {-1, -1};
	size_t count = 2;
	ssize_t got = fd_receive(maker->socket_fd, ret_answer, sizeof(*ret_answer), fds, &count);
	if (got == -EAGAIN)
		return 0;
	if (got != (ssize_t)sizeof(*ret_answer)) {
		for (size_t i = 0; i < count; i++)
			fd_close(&fds[i]);
		return got < 0 ? (int)got : -EPIPE;
	}
	*ret_pidfd = count > 0 ? fds[0] : -1;
	*ret_net_fd = count > 1 ? fds[1] : -1;
	return 1;
}
