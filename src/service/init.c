/* init: the cell's pid 1. Source: pid_namespaces(7), tmpfs(5). */
#include "service/init.h"

#include "base/fd.h"
#include "jail/cgroup.h"
#include "jail/cred.h"
#include "jail/fds.h"
#include "jail/mount.h"
#include "jail/seccomp.h"
#include "wire/mutant.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define SOCKET_FD 3
#define USER_SYSCTL_FD 4 /* as the maker left it */

static int work_folder_fd = -1;

/* The request and the bytes of a small input behind it. */
static struct {
	struct init_request request;
	unsigned char file[CELL_INLINE_FILE_BYTES];
} message;

static void on_child(int signal_number)
{
	(void)signal_number;
}

static void send_answer(uint32_t verb, const struct err *err, const int *fds, size_t count)
{
	struct init_answer answer = {.verb = verb, .err = *err};
	if (fd_send(SOCKET_FD, &answer, sizeof(answer), fds, count) < 0)
		_exit(0);
}

static int mount_folder(const char *path, uint64_t bytes, uint64_t inodes, uint32_t mode,
	int *ret_fd, struct err *err)
{
	struct tmpfs_options options = {
		.bytes = bytes, .inodes = inodes, .mode = mode, .attributes = MOUNT_LOCKED_DOWN};
	if (LEFT_OUT(LAYER_WORK))
		options = (struct tmpfs_options){.mode = mode};
	cleanup_fd int mount_fd = mount_tmpfs(&options, "work", err);
	if (mount_fd < 0)
		return mount_fd;
	int rc = mount_attach(mount_fd, AT_FDCWD, path, "work", err);
	if (rc < 0)
		return rc;
	if (ret_fd) {
		*ret_fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		if (*ret_fd < 0)
			return err_sys(err, -errno, "work", path);
	}
	return 0;
}

/* No user namespace below this one, whatever the filter says. */
static void forbid_user_namespaces(int sysctl_fd)
{
	cleanup_fd int fd = openat(sysctl_fd, "max_user_namespaces", O_WRONLY | O_CLOEXEC);
	/* A second wall behind the filter; some kernels refuse the write to all but the host. */
	if (fd >= 0)
		(void)!write(fd, "0", 1);
}

static int keep_sys_admin_only(struct err *err)
{
	struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
	struct __user_cap_data_struct data[_LINUX_CAPABILITY_U32S_3];

	memset(data, 0, sizeof(data));
	data[0].permitted = data[0].effective = 1u << CAP_SYS_ADMIN;
	if (syscall(SYS_capset, &header, data) < 0)
		return err_sys(err, -errno, "caps", "capset of the cell's init");
	return 0;
}

static int become(const struct init_request *request, const int *cgroup_fds, struct err *err)
{
	uid_t uid = request->one_uid ? CELL_UID : CELL_INIT_UID;

	int rc = cgroup_attach_self(cgroup_fds, request->cgroup_fds, err);
	if (!rc && !LEFT_OUT(LAYER_IPC) && unshare(CLONE_NEWCGROUP) < 0)
		rc = err_sys(err, -errno, "ipc", "unshare(CLONE_NEWCGROUP)");
	/* Ids change first, capabilities stay: the mounts below are to belong to this uid. */
	if (!rc && prctl(PR_SET_KEEPCAPS, 1, 0, 0, 0) < 0)
		rc = err_sys(err, -errno, "caps", "PR_SET_KEEPCAPS");
	if (!rc)
		rc = cred_set_ids(uid, uid, request->one_uid, err);
	if (!rc && !LEFT_OUT(LAYER_IPC) && sethostname(CELL_HOSTNAME, strlen(CELL_HOSTNAME)) < 0)
		rc = err_sys(err, -errno, "ipc", "sethostname");
	return rc;
}

static int make_folders(const struct init_request *request, int fds[INIT_FOLDERS], struct err *err)
{
	/* Sticky: the job may add to the folder but not take away what init placed there. */
	int rc = mount_folder(
		CELL_WORK_DIR, request->work_bytes, request->work_inodes, 01777, &fds[0], err);
	if (!rc)
		rc = mount_folder(CELL_TMP_DIR, request->tmp_bytes, request->work_inodes, 01777,
			&fds[1], err);
	if (!rc)
		rc = mount_folder(CELL_SHM_DIR, request->tmp_bytes, request->work_inodes, 01777,
			&fds[2], err);
	return rc;
}

static int lock_down(
	const struct init_request *request, const struct cell_filter *filter, struct err *err)
{
	int rc = keep_sys_admin_only(err);
	if (!rc)
		rc = cred_no_dump(err);
	if (!rc)
		rc = cred_no_new_privs(err);
	if (!rc && !layer_in(request->skip, LAYER_SECCOMP))
		rc = seccomp_install(filter, NULL, err);
	return rc;
}

/* Sends the folders' descriptors; keeps the work folder's for the inputs to come. */
static void set_up(
	const struct init_request *request, const int *cgroup_fds, const struct cell_filter *filter)
{
	struct err err = {0};
	int folders[INIT_FOLDERS] = {-1, -1, -1};

	forbid_user_namespaces(USER_SYSCTL_FD);
	int rc = become(request, cgroup_fds, &err);
	if (!rc)
		rc = make_folders(request, folders, &err);
	for (size_t i = 0; i < request->cgroup_fds; i++)
		(void)close(cgroup_fds[i]);
	(void)close(USER_SYSCTL_FD);
	if (!rc)
		rc = lock_down(request, filter, &err);
	send_answer(INIT_SETUP, &err, folders, rc ? 0 : INIT_FOLDERS);
	if (rc < 0)
		_exit(125);
	fd_close(&folders[1]);
	fd_close(&folders[2]);
	work_folder_fd = folders[0];
}

static int resize(const struct init_request *request, struct err *err)
{
	char options[64];
	(void)snprintf(options, sizeof(options), "size=%llu,nr_inodes=%llu",
		(unsigned long long)request->work_bytes, (unsigned long long)request->work_inodes);
	if (LEFT_OUT(LAYER_WORK))
		return 0;
	unsigned long flags = MS_REMOUNT | MS_NOSUID | MS_NODEV | MS_NOEXEC;
	if (mount(NULL, CELL_WORK_DIR, NULL, flags, options) < 0)
		return err_sys(err, -errno, "work", "resizing the work folder");
	return 0;
}

/* Takes away what bears an input's name: an earlier input, or a file of the job's (init owns the
 * sticky folder). A link is unlinked and not followed. */
static int clear_place(const char *name, struct err *err)
{
	char path[sizeof(CELL_WORK_DIR) + sizeof(message.request.name) + 1];
	(void)snprintf(path, sizeof(path), "%s/%s", CELL_WORK_DIR, name);
	if (umount2(path, MNT_DETACH | UMOUNT_NOFOLLOW) < 0 && errno != EINVAL && errno != ENOENT)
		return err_sys(err, -errno, "work", "taking an earlier input away");
	if (unlinkat(work_folder_fd, name, 0) < 0 && errno != ENOENT)
		return err_sys(err, -errno, "work", "taking an earlier file away");
	return 0;
}

/* An empty or whole file of ours that the job can read and do nothing else with. */
static int place_file(const struct init_request *request, const void *data, struct err *err)
{
	const int flags = O_CREAT | O_EXCL | O_WRONLY | O_NOFOLLOW | O_CLOEXEC;
	int rc = request->replace ? clear_place(request->name, err) : 0;
	if (rc < 0)
		return rc;
	cleanup_fd int fd = openat(work_folder_fd, request->name, flags, 0444);
	if (fd < 0)
		return err_sys(err, -errno, "work", "placing an input");
	rc = fd_write_all(fd, data, request->file_bytes);
	if (rc < 0)
		return err_sys(err, rc, "work", "writing an input");
	return 0;
}

static int place_mount(const struct init_request *request, int mount_fd, struct err *err)
{
	int rc = place_file(request, NULL, err);
	if (!rc)
		rc = mount_attach(mount_fd, work_folder_fd, request->name, "work", err);
	return rc;
}

static void serve(size_t bytes, const int *fds, size_t fd_count, const struct cell_filter *filter)
{
	struct init_request *request = &message.request;
	struct err err = {0};

	request->name[sizeof(request->name) - 1] = 0;
	switch (request->verb) {
	case INIT_SETUP:
		if (fd_count == request->cgroup_fds)
			set_up(request, fds, filter);
		return;
	case INIT_RESIZE:
		(void)resize(request, &err);
		break;
	case INIT_FILE:
		if (bytes == sizeof(*request) + request->file_bytes)
			(void)place_file(request, message.file, &err);
		else
			(void)err_set(&err, -EPROTO, "work", "an input's bytes are missing");
		break;
	case INIT_MOUNT:
		if (fd_count == 1)
			(void)place_mount(request, fds[0], &err);
		else
			(void)err_set(&err, -EPROTO, "work", "an input's mount is missing");
		break;
	default:
		(void)err_set(&err, -EPROTO, "init", "unknown request %u", request->verb);
	}
	for (size_t i = 0; i < fd_count; i++)
		(void)close(fds[i]);
	send_answer(request->verb, &err, NULL, 0);
}

static void reap(void)
{
	while (waitpid(-1, NULL, WNOHANG) > 0)
		;
}

static void prepare(int socket_fd)
{
	struct err err;
	struct sigaction action = {.sa_handler = on_child};
	sigset_t blocked;

	(void)prctl(PR_SET_NAME, "brig-init");
	(void)umask(0222);
	(void)sigemptyset(&blocked);
	(void)sigaddset(&blocked, SIGCHLD);
	if (sigaction(SIGCHLD, &action, NULL) < 0 || sigprocmask(SIG_SETMASK, &blocked, NULL) < 0 ||
		dup2(socket_fd, SOCKET_FD) < 0 || fds_close_from(USER_SYSCTL_FD + 1, &err) < 0)
		_exit(125);
}

_Noreturn void init_main(int socket_fd, const struct cell_filter *filter)
{
	struct pollfd watched = {.fd = SOCKET_FD, .events = POLLIN};
	sigset_t none;

	prepare(socket_fd);
	(void)sigemptyset(&none);
	for (;;) {
		int fds[CELL_CGROUP_FDS_MAX];
		size_t count = CELL_CGROUP_FDS_MAX;

		/* SIGCHLD is let in here only, so none is missed between reaping and sleeping. */
		int ready = ppoll(&watched, 1, NULL, &none);
		reap();
		if (ready <= 0)
			continue;
		ssize_t got = fd_receive(SOCKET_FD, &message, sizeof(message), fds, &count);
		if (got < (ssize_t)sizeof(message.request))
			_exit(0); /* the service let go: this ends every process of the cell */
		serve((size_t)got, fds, count, filter);
	}
}
