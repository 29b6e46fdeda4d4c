/*
 * maker_main: the process that lives where cells will live.
 *
 * Its mount namespace is what every cell's is copied from: the image, /dev, and nothing else. A
 * cell then only adds its own three tmpfs.
 */
#include "service/maker_main.h"

#include "base/fd.h"
#include "jail/fds.h"
#include "jail/mount.h"
#include "jail/net.h"
#include "jail/ns.h"
#include "jail/seccomp_build.h"
#include "service/enter.h"
#include "service/init.h"
#include "service/maker.h"
#include "wire/mutant.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#define MAKING_NICE 10
#define SOCKET_FD 3
#define USER_SYSCTL_FD 4
#define ZYGOTE_PATH "/usr/libexec/brig-zygote"

static struct cell_filter init_filter;

/* The environment of every cell, whole. */
static char *const zygote_environment[] = {
	(char[]){"PATH=/usr/bin"},
	(char[]){"HOME=/home/user"},
	(char[]){"USER=user"},
	(char[]){"LANG=C.UTF-8"},
	(char[]){"LC_ALL=C.UTF-8"},
	(char[]){"TZ=UTC"},
	(char[]){"TMPDIR=/tmp"},
	(char[]){"MPLCONFIGDIR=/usr/lib/brig/matplotlib"},
	(char[]){"OPENBLAS_NUM_THREADS=1"},
	(char[]){"OMP_NUM_THREADS=1"},
	(char[]){"MKL_NUM_THREADS=1"},
	(char[]){"NUMEXPR_NUM_THREADS=1"},
	NULL,
};

static int build_root(struct err *err)
{
	cleanup_fd int image_fd = -1;
	cleanup_fd int dev_fd = -1;
	cleanup_fd int proc_fd = -1;

	if (unshare(CLONE_NEWNS) < 0)
		return err_sys(err, -errno, "root", "unshare(CLONE_NEWNS)");
	int rc = mount_make_private(err);
	if (!rc)
		image_fd = mountfd_clone(AT_FDCWD, ENTER_IMAGE, false,
			LEFT_OUT(LAYER_IMAGE) ? 0 : MOUNT_ATTR_RDONLY, "image", err);
	if (!rc && image_fd >= 0)
		dev_fd = mountfd_clone(AT_FDCWD, ENTER_DEV, true, MOUNT_ATTR_RDONLY, "dev", err);
	if (LEFT_OUT(LAYER_PROC))
		proc_fd = mountfd_clone(AT_FDCWD, ENTER_PROC, false, 0, "proc", err);
	if (rc || image_fd < 0 || dev_fd < 0)
		return rc ? rc : image_fd < 0 ? image_fd : dev_fd;
	rc = mount_attach(image_fd, AT_FDCWD, "/", "root", err);
	if (!rc)
		rc = mount_pivot(image_fd, err);
	if (!rc)
		rc = mount_attach(dev_fd, AT_FDCWD, "/dev", "dev", err);
	if (!rc && LEFT_OUT(LAYER_PROC))
		rc = mount_attach(proc_fd, AT_FDCWD, "/home", "proc", err);
	return rc;
}

/* Descriptors 0–2 on /dev/null, the socket on 3, the sysctl folder on 4, nothing else. */
static int keep_descriptors(int socket_fd, int sysctl_fd, struct err *err)
{
	int fds[5];
	for (size_t i = 0; i < 3; i++) {
		fds[i] = open("/dev/null", O_RDWR | O_CLOEXEC);
		if (fds[i] < 0)
			return err_sys(err, -errno, "dev", "/dev/null");
	}
	fds[SOCKET_FD] = socket_fd;
	fds[USER_SYSCTL_FD] = sysctl_fd;
	int rc = fds_place(fds, 5, err);
	return rc ? rc : fds_close_from(5, err);
}

_Noreturn static void become_zygote(int control_fd, const char *level)
{
	struct err err;
	char name[] = "brig-zygote";
	char level_copy[16];
	char *argv[] = {name, level_copy, NULL};

	memcpy(level_copy, level, sizeof(level_copy));
	level_copy[sizeof(level_copy) - 1] = 0;
	if (dup2(control_fd, SOCKET_FD) < 0 || fds_close_from(SOCKET_FD + 1, &err) < 0)
		_exit(125);
	(void)execve(ZYGOTE_PATH, argv, zygote_environment);
	_exit(127);
}

static void answer(struct maker_answer *reply, const int *fds, size_t count)
{
	if (fd_send(SOCKET_FD, reply, sizeof(*reply), fds, count) < 0)
		_exit(0); /* the service is gone, and this process with it */
}

static void make_zygote(const struct maker_message *message, int control_fd)
{
	struct maker_answer reply = {.slot = message->request.slot};
	int pidfd = -1;

	reply.pid = ns_clone(CLONE_PARENT, -1, &pidfd);
	if (reply.pid == 0)
		become_zygote(control_fd, message->level);
	if (reply.pid < 0)
		(void)err_sys(&reply.err, reply.pid, "zygote", "clone3");
	answer(&reply, &pidfd, reply.pid > 0 ? 1 : 0);
	fd_close(&pidfd);
}

static int enter_net(const struct maker_request *request, const int *fds, size_t count,
	int *ret_net_fd, struct err *err)
{
	if (LEFT_OUT(LAYER_NET))
		return 0;
	if (request->has_net) {
		int rc = net_enter(fds[count - 1], err);
		return rc ? rc : net_check_pristine(err);
	}
	*ret_net_fd = net_make(err);
	return *ret_net_fd < 0 ? *ret_net_fd : net_check_pristine(err);
}

static void make_init(const struct maker_message *message, const int *fds, size_t count)
{
	const uint64_t ipc = LEFT_OUT(LAYER_IPC) ? 0 : CLONE_NEWIPC | CLONE_NEWUTS;
	const uint64_t flags = CLONE_NEWUSER | CLONE_NEWPID | CLONE_NEWNS | CLONE_PARENT | ipc;
	struct maker_answer reply = {.slot = message->request.slot, .pid = -1};
	int give[2] = {-1, -1};
	size_t given = 0;

	int rc = enter_net(&message->request, fds, count, &give[1], &reply.err);
	if (!rc) {
		int unified_fd = message->request.has_unified ? fds[1] : -1;
		reply.pid = ns_clone(flags, unified_fd, &give[0]);
		if (reply.pid == 0)
			init_main(fds[0], &init_filter);
		if (reply.pid < 0)
			(void)err_sys(&reply.err, reply.pid, "pidns", "clone3 of the cell's init");
		given = reply.pid > 0 ? (give[1] >= 0 ? 2 : 1) : 0;
	}
	answer(&reply, give, given);
	fd_close(&give[0]);
	fd_close(&give[1]);
}

static void serve_one(void)
{
	struct maker_message message;
	int fds[3];
	size_t count = 3;

	ssize_t got = fd_receive(SOCKET_FD, &message, sizeof(message), fds, &count);
	if (got <= 0)
		_exit(0);
	size_t wanted = 1u + message.request.has_unified + message.request.has_net;
	if (got == (ssize_t)sizeof(message) && count == wanted) {
		if (message.verb == MAKER_ZYGOTE)
			make_zygote(&message, fds[0]);
		else
			make_init(&message, fds, count);
	}
	for (size_t i = 0; i < count; i++)
		fd_close(&fds[i]);
}

static int prepare(int socket_fd, struct err *err)
{
	/* user.max_user_namespaces lies here; a cell's init sets it for its own namespace. */
	int sysctl_fd = open(ENTER_PROC "/sys/user", O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (sysctl_fd < 0)
		return err_sys(err, -errno, "proc", "/proc/sys/user");
	int rc = seccomp_build(seccomp_init_policy, seccomp_init_policy_count, &init_filter, err);
	if (!rc)
		rc = build_root(err);
	if (!rc)
		rc = keep_descriptors(socket_fd, sysctl_fd, err);
	return rc;
}

_Noreturn void maker_main(int socket_fd)
{
	struct err err = {0};

	(void)prctl(PR_SET_NAME, "brig-maker");
	/* Making cells is behind the answers, in zygotes too, which are its children: the service
	 * goes first. In a cell it means nothing: there the group's weight counts. */
	(void)setpriority(PRIO_PROCESS, 0, MAKING_NICE);
	int rc = prepare(socket_fd, &err);
	/* The last step of all has moved the socket to its place before it can fail. */
	bool moved = fcntl(socket_fd, F_GETFD) < 0;
	if (fd_write_all(rc && !moved ? socket_fd : SOCKET_FD, &err, sizeof(err)) < 0 || rc)
		_exit(125);
	for (;;)
		serve_one();
}
