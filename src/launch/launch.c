/*
 * launch: starting a service and ending it.
 *
 *	instance ─► cgroups ─► clone3 into new namespaces ─► exec brig-service ─► START, MAP ─►
 *READY
 */
#include "launch/launch.h"

#include "base/fd.h"
#include "launch/delegate.h"
#include "launch/idmap.h"
#include "launch/image_mount.h"
#include "launch/image_store.h"
#include "launch/instance.h"
#include "launch/program.h"
#include "wire/cell.h"
#include "wire/launch.h"
#include "wire/mutant.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#define READY_LIMIT_MS 20000
#define END_LIMIT_MS 5000

struct launch {
	unsigned number;
	int lock_fd;
	struct idmap idmap;
	struct delegation delegation;
	pid_t pid;
	int pidfd, control_fd, link_fd;
};

int launch_socket_path(char *path, size_t room)
{
	const char *runtime = getenv("XDG_RUNTIME_DIR");
	int length = geteuid() == 0 ? snprintf(path, room, "/run/brig/service.sock")
		     : runtime	    ? snprintf(path, room, "%s/brig/service.sock", runtime)
				    : -1;
	return length < 0 ? -ENOENT : (size_t)length >= room ? -ENAMETOOLONG : 0;
}

/* Root hands over a mount; an ordinary user a path, which the service clones inside. */
static int offer_image(const struct image_ref *ref, bool erofs, struct launch_message *start,
	int *ret_mount_fd, struct err *err)
{
	char path[PATH_MAX];
	int rc = image_path(ref, erofs ? "root.erofs" : "root", path);
	if (rc < 0)
		return err_sys(err, rc, "image", "its path");
	if (geteuid() != 0) {
		if (erofs)
			return err_set(err, -EPERM, "image",
				"only root can mount %s: run `brig image build --format dir`",
				path);
		(void)snprintf(start->image_path, sizeof(start->image_path), "%s", path);
		return 0;
	}
	cleanup_fd int image_fd = open(path, O_RDONLY | O_CLOEXEC | (erofs ? 0 : O_DIRECTORY));
	if (image_fd < 0)
		return err_sys(err, -errno, "image", path);
	*ret_mount_fd = image_mount(erofs ? LAUNCH_IMAGE_EROFS : LAUNCH_IMAGE_DIR, image_fd, err);
	return *ret_mount_fd < 0 ? *ret_mount_fd : 0;
}

static int open_image(const struct launch_options *options, struct launch_message *start,
	int *ret_mount_fd, struct err *err)
{
	struct image_ref ref;
	static struct image_manifest manifest;

	int rc = image_locate(options->image, &ref, err);
	if (!rc)
		rc = image_manifest_read(&ref, &manifest, err);
	if (rc < 0)
		return rc;
	if (manifest.protocol != CELL_PROTOCOL_VERSION)
		return err_set(err, -EPROTO, "image",
			"image %s is for another version of brig: run `brig image build`",
			ref.name);
	(void)snprintf(
		start->image, sizeof(start->image), "%.20s sha256:%s", ref.name, manifest.sha256);
	for (uint32_t i = 0; i < manifest.level_count && i < LAUNCH_LEVELS_MAX; i++) {
		memcpy(start->levels[i], manifest.levels[i], sizeof(start->levels[i]));
		start->level_count++;
	}
	if (!start->level_count)
		return err_set(err, -EBADMSG, "image", "%s has no level", ref.name);
	return offer_image(&ref, strcmp(manifest.format, "erofs") == 0, start, ret_mount_fd, err);
}

/* A number that is taken where another /run is seen, or remains of a dead instance that still hold
 * processes: take the next. */
static int take_instance(struct launch *launch, struct err *err)
{
	unsigned first = 0;
	int rc = -EBUSY;
	for (unsigned i = 0; rc == -EBUSY && i < INSTANCES_MAX; i++) {
		rc = instance_take(first, &launch->number, &launch->lock_fd, err);
		if (rc < 0)
			return rc;
		idmap_choose(launch->number, &launch->idmap);
		rc = delegation_make(&launch->delegation, launch->number, launch->idmap.root,
			launch->idmap.root_gid, err);
		if (rc < 0) {
			delegation_remove(&launch->delegation);
			delegation_init(&launch->delegation);
			fd_close(&launch->lock_fd);
		}
		first = launch->number + 1;
	}
	return rc;
}

static int send_start(
	const struct launch *launch, struct launch_message *start, int mount_fd, struct err *err)
{
	int fds[1 + LAUNCH_CGROUP_COUNT];
	size_t count = 0;
	if (mount_fd >= 0)
		fds[count++] = mount_fd;
	for (size_t i = 0; i < LAUNCH_CGROUP_COUNT; i++) {
		if (launch->delegation.dirs[i] < 0)
			continue;
		start->cgroups |= 1u << i;
		fds[count++] = launch->delegation.dirs[i];
	}
	ssize_t sent = fd_send(launch->control_fd, start, sizeof(*start), fds, count);
	return sent < 0 ? err_sys(err, (int)sent, "launch", "speaking with the service") : 0;
}

static int receive(const struct launch *launch, struct launch_message *message, struct err *err)
{
	struct pollfd watched = {.fd = launch->control_fd, .events = POLLIN};
	size_t none = 0;
	int ready = poll(&watched, 1, READY_LIMIT_MS);
	ssize_t got =
		ready > 0 ? fd_receive(launch->control_fd, message, sizeof(*message), NULL, &none)
			  : -ETIMEDOUT;
	if (got != (ssize_t)sizeof(*message))
		return err_set(err, got < 0 ? (int)got : -ECHILD, "launch",
			"the service ended while it started: `brig doctor` tells what it needs of "
			"this host");
	message->err.stage[sizeof(message->err.stage) - 1] = 0;
	message->err.text[sizeof(message->err.text) - 1] = 0;
	return 0;
}

static int await_ready(const struct launch *launch, struct err *err)
{
	struct launch_message message;
	int rc = receive(launch, &message, err);
	if (rc < 0 || message.verb == LAUNCH_READY)
		return rc;
	*err = message.err;
	return message.err.code ? message.err.code : -EPROTO;
}

static int start_program(struct launch *launch, struct err *err)
{
	int control[2], link[2];
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, control) < 0)
		return err_sys(err, -errno, "launch", "socketpair");
	launch->control_fd = control[0];
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, link) < 0) {
		(void)close(control[1]);
		return err_sys(err, -errno, "launch", "socketpair");
	}
	launch->link_fd = link[0];
	launch->pid = program_start(&launch->idmap, launch->delegation.service_fd, control[1],
		link[1], &launch->pidfd, err);
	(void)close(control[1]);
	(void)close(link[1]);
	return launch->pid < 0 ? (int)launch->pid : 0;
}

int launch_start(const struct launch_options *options, struct launch **ret_launch, struct err *err)
{
	struct launch_message start = {
		.verb = LAUNCH_START,
		.cells_max = options->cells_max,
		.park_min = options->park_min,
		.park_max = options->park_max,
		.zygote_jobs = options->zygote_jobs ? options->zygote_jobs : LAUNCH_ZYGOTE_JOBS,
		.zygote_age_s = options->zygote_age_s ? options->zygote_age_s : LAUNCH_ZYGOTE_AGE_S,
		.allow_degraded = options->allow_degraded | options->allow_always,
	};
	cleanup_fd int mount_fd = -1;
	struct err local = {0};
	if (!err)
		err = &local;

#ifdef BRIG_MUTANT
	mutant_read_environment();
	start.leave_out = mutant_leave_out;
	start.silently = mutant_silently;
#endif
	int rc = open_image(options, &start, &mount_fd, err);
	if (rc < 0)
		return rc;
	struct launch *launch = calloc(1, sizeof(*launch));
	if (!launch)
		return err_sys(err, -ENOMEM, "launch", "starting a service");
	launch->lock_fd = launch->pidfd = launch->control_fd = launch->link_fd = -1;
	delegation_init(&launch->delegation);
	rc = take_instance(launch, err);
	if (!rc)
		rc = start_program(launch, err);
	if (!rc) {
		start.one_uid = launch->idmap.count == 0;
		start.cgroup_v2 = launch->delegation.v2;
		if (launch->idmap.count && start.cells_max > launch->idmap.count / 2)
			start.cells_max = launch->idmap.count / 2;
		rc = send_start(launch, &start, mount_fd, err);
	}
	if (!rc)
		rc = await_ready(launch, err);
	if (rc < 0) {
		launch_free(launch);
		return rc;
	}
	*ret_launch = launch;
	return 0;
}

int launch_pass(const struct launch *launch, int channel_fd, struct err *err)
{
	const char verb = LINK_CHANNEL;
	ssize_t sent = fd_send(launch->link_fd, &verb, 1, &channel_fd, 1);
	return sent < 0 ? err_sys(err, (int)sent, "launch", "passing a channel") : 0;
}

int launch_channel(const struct launch *launch, int *ret_channel_fd, struct err *err)
{
	int pair[2];
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) < 0)
		return err_sys(err, -errno, "launch", "socketpair");
	int rc = launch_pass(launch, pair[1], err);
	(void)close(pair[1]);
	if (rc < 0)
		(void)close(pair[0]);
	else
		*ret_channel_fd = pair[0];
	return rc;
}

bool launch_takes(const struct launch *launch)
{
	struct pollfd link = {.fd = launch->link_fd, .events = POLLOUT};
	return poll(&link, 1, 0) != 0;
}

int launch_ping(const void *user, int answer_fd)
{
	const struct launch *launch = user;
	const char verb = LINK_PING;
	if (!launch_takes(launch))
		return -EAGAIN;
	ssize_t sent = fd_send(launch->link_fd, &verb, 1, &answer_fd, 1);
	return sent < 0 ? (int)sent : 0;
}

void launch_kill(const struct launch *launch)
{
	(void)syscall(SYS_pidfd_send_signal, launch->pidfd, SIGKILL, NULL, 0);
	/* It takes its cells along, and ends only with the last of them. */
	delegation_thaw(&launch->delegation);
}

int launch_link_fd(const struct launch *launch)
{
	int fd = fcntl(launch->link_fd, F_DUPFD_CLOEXEC, 0);
	return fd < 0 ? -errno : fd;
}

int launch_ended_fd(const struct launch *launch)
{
	return launch->pidfd;
}

/* A socket nobody listens on is the same as none. */
static int connect_running(const char *path, int *ret_channel_fd)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	if (strlen(path) >= sizeof(address.sun_path))
		return -ENAMETOOLONG;
	(void)strcpy(address.sun_path, path);
	cleanup_fd int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (fd < 0 || connect(fd, (const struct sockaddr *)&address, sizeof(address)) < 0)
		return -errno;
	*ret_channel_fd = TAKE_FD(fd);
	return 0;
}

int launch_connect(const struct launch_options *options, struct launch **ret_launch,
	int *ret_channel_fd, struct err *err)
{
	char path[PATH_MAX];

	*ret_launch = NULL;
	if (options->socket_path) {
		int rc = connect_running(options->socket_path, ret_channel_fd);
		return rc < 0 ? err_set(err, rc, "launch",
					"no service answers at %s: start one with "
					"`brig service`",
					options->socket_path)
			      : 0;
	}
	/* One that runs already serves, but not where this call asks for something special. */
	bool plain = !options->image && !options->allow_degraded && !getenv("BRIG_IMAGE");
	if (plain && launch_socket_path(path, sizeof(path)) == 0 &&
		connect_running(path, ret_channel_fd) == 0)
		return 0;
	int rc = launch_start(options, ret_launch, err);
	if (!rc)
		rc = launch_channel(*ret_launch, ret_channel_fd, err);
	return rc;
}

/* The end of either socket ends the service and, as it is pid 1, all below it; one that is stopped
 * does not see it, and is killed. */
static void end_program(const struct launch *launch)
{
	struct pollfd ended = {.fd = launch->pidfd, .events = POLLIN};
	int status, rc;
	do
		rc = poll(&ended, 1, END_LIMIT_MS);
	while (rc < 0 && errno == EINTR);
	if (rc <= 0)
		launch_kill(launch);
	while (waitpid(launch->pid, &status, 0) < 0 && errno == EINTR) {
	}
}

void launch_free(struct launch *launch)
{
	if (!launch)
		return;
	fd_close(&launch->link_fd);
	fd_close(&launch->control_fd);
	if (launch->pid > 0)
		end_program(launch);
	fd_close(&launch->pidfd);
	delegation_remove(&launch->delegation);
	fd_close(&launch->lock_fd);
	free(launch);
}
