/*
 * main: brig-service. Started by `brig`, never by hand: descriptor 3 is the parent's control
 * socket, 4 the link on which channels arrive. See wire/launch.h for what is said at the start.
 */
#include "base/fd.h"
#include "service/enter.h"
#include "service/service.h"
#include "wire/mutant.h"

#include <errno.h>
#include <event2/event.h>
#include <signal.h>
#include <sodium.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#define DESCRIPTORS 65536u

static int send_message(enum launch_verb verb, const struct err *err)
{
	struct launch_message message = {.verb = verb};
	if (err)
		message.err = *err;
	ssize_t sent = fd_send(LAUNCH_CONTROL_FD, &message, sizeof(message), NULL, 0);
	return sent < 0 ? (int)sent : 0;
}

/* The image's mount, then the delegated cgroups' directories. */
static int receive_start(struct launch_message *start, struct cgroup_tree *tree, int *ret_image_fd)
{
	int fds[1 + LAUNCH_CGROUP_COUNT];
	size_t count = sizeof(fds) / sizeof(fds[0]), next = 0;

	ssize_t got = fd_receive(LAUNCH_CONTROL_FD, start, sizeof(*start), fds, &count);
	if (got != (ssize_t)sizeof(*start) || start->verb != LAUNCH_START ||
		start->level_count == 0 || start->level_count > LAUNCH_LEVELS_MAX ||
		start->cells_max == 0 || start->cells_max > LAUNCH_CELLS_MAX)
		return -EPROTO;
	start->image_path[sizeof(start->image_path) - 1] = 0;
	*ret_image_fd = start->image_path[0] || !count ? -1 : fds[next++];
#ifdef BRIG_MUTANT
	mutant_leave_out = start->leave_out;
	mutant_silently = start->silently;
#endif
	tree->v2 = start->cgroup_v2;
	for (size_t i = 0; i < LAUNCH_CGROUP_COUNT; i++) {
		tree->dirs[i] = -1;
		if ((start->cgroups >> i & 1u) && next < count)
			tree->dirs[i] = fds[next++];
	}
	return 0;
}

static void prepare_process(void)
{
	const struct rlimit descriptors = {.rlim_cur = DESCRIPTORS, .rlim_max = DESCRIPTORS};
	(void)prctl(PR_SET_NAME, "brig-service");
	(void)signal(SIGPIPE, SIG_IGN);
	if (setrlimit(RLIMIT_NOFILE, &descriptors) < 0) {
		/* An ordinary user may not raise the hard limit: take what there is. */
		struct rlimit have;
		if (getrlimit(RLIMIT_NOFILE, &have) == 0) {
			have.rlim_cur = have.rlim_max;
			(void)setrlimit(RLIMIT_NOFILE, &have);
		}
	}
}

int main(void)
{
	static struct service service;
	static struct launch_message start;
	struct cgroup_tree tree;
	struct err err = {0};
	int image_fd = -1;

	if (receive_start(&start, &tree, &image_fd) < 0) {
		(void)fprintf(stderr, "brig-service: is started by brig: use `brig service`\n");
		return 2;
	}
	prepare_process();
	int rc = sodium_init() < 0 ? err_sys(&err, -EIO, "service", "sodium_init") : 0;
	if (!rc)
		rc = enter(&start, image_fd, &err);
	fd_close(&image_fd);
	if (!rc)
		rc = service_init(&service, &start, tree, &err);
	if (!rc)
		rc = send_message(LAUNCH_READY, NULL);
	if (rc < 0) {
		(void)!send_message(LAUNCH_FAILED, &err);
		return 125;
	}
	(void)event_base_dispatch(service.base);
	return 125;
}
