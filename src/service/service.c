/*
 * service: who gets which slot, and what the maker, the kernel and the parent have to say.
 */
#include "service/service.h"

#include "base/fd.h"
#include "jail/landlock.h"
#include "jail/seccomp_build.h"
#include "service/enter.h"
#include "service/folder.h"
#include "service/yield.h"
#include "wire/mutant.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/keyctl.h>
#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <unistd.h>

/* What a cell with its job has open at most, less the inputs; and the service beside them, with
 * those that it opens for a moment to set a limit or read a figure. */
#define CELL_DESCRIPTORS 41u
#define OWN_DESCRIPTORS 96u
#define MOMENTARY_DESCRIPTORS 48u

_Noreturn void service_abandon(struct service *service, const char *why)
{
	/* As pid 1 of the pid namespace this takes every cell along; the parent starts anew. */
	(void)service;
	if (why)
		(void)fprintf(stderr, "{\"event\": \"service_abandoned\", \"why\": \"%s\"}\n", why);
	_exit(why ? 125 : 0);
}

/* Slots above the cells' own number zygotes: both are born by the maker. */
static void on_maker(evutil_socket_t fd, short what, void *context)
{
	struct service *service = context;
	struct maker_answer answer;
	int pidfd, net_fd, rc;
	(void)fd;
	(void)what;

	while ((rc = maker_receive(&service->maker, &answer, &pidfd, &net_fd)) > 0) {
		if (answer.slot < service->cell_count)
			cell_on_init_born(&service->cells[answer.slot], &answer, pidfd, net_fd);
		else if (answer.slot - service->cell_count < 2 * service->zygote_count)
			zygote_on_born(service, answer.slot - service->cell_count, &answer, pidfd);
	}
	if (rc < 0)
		service_abandon(service, "the maker is gone");
}

static void on_link(evutil_socket_t fd, short what, void *context)
{
	struct service *service = context;
	char verb;
	int channel_fd = -1;
	size_t count = 1;
	(void)what;

	ssize_t got = fd_receive(fd, &verb, 1, &channel_fd, &count);
	if (got == -EAGAIN)
		return;
	if (got <= 0)
		service_abandon(service, NULL);
	if (verb == LINK_CHANNEL && count == 1)
		channel_open(service, channel_fd);
	else if (verb == LINK_STATS && count == 1)
		stats_answer(service, channel_fd);
	else /* that is the answer to LINK_PING */
		fd_close(&channel_fd);
	if (verb == LINK_FRESH)
		session_end_all(service, "the program that began it has ended");
}

static void on_control(evutil_socket_t fd, short what, void *context)
{
	(void)fd;
	(void)what;
	service_abandon(context, NULL); /* the parent has nothing more to say but goodbye */
}

static void on_inotify(evutil_socket_t fd, short what, void *context)
{
	struct service *service = context;
	_Alignas(struct inotify_event) char events[4096];
	(void)what;

	ssize_t got = read(fd, events, sizeof(events));
	for (ssize_t at = 0; at < got;) {
		const struct inotify_event *event = (const void *)(events + at);
		at += (ssize_t)(sizeof(*event) + event->len);
		for (uint32_t i = 0; i < service->cell_count; i++) {
			struct cell *cell = &service->cells[i];
			if (cell->memory_watch == event->wd)
				run_on_memory_event(cell);
		}
	}
}

/* Which layers this host cannot give at all. Others show when a cell is made. */
static layer_set missing_layers(const struct service *service)
{
	const layer_set by_cgroup = 1u << LAYER_MEMORY | 1u << LAYER_PIDS | 1u << LAYER_CPU;
	layer_set missing = by_cgroup & ~cgroup_layers(&service->tree);
	if (landlock_abi() < 1)
		missing |= 1u << LAYER_LANDLOCK;
	if (syscall(SYS_keyctl, KEYCTL_GET_KEYRING_ID, KEY_SPEC_PROCESS_KEYRING, 0) < 0 &&
		errno == ENOSYS)
		missing |= 1u << LAYER_KEYRING;
	if (service->start.one_uid)
		missing |= 1u << LAYER_UID;
	return missing;
}

static int settle_layers(struct service *service, struct err *err)
{
	layer_set missing = missing_layers(service);
	layer_set refused = missing & ~service->start.allow_degraded;
	char names[160] = "";
	for (int i = 0; i < LAYER_COUNT; i++)
		if (layer_in(refused, (enum layer)i)) {
			size_t used = strlen(names);
			(void)snprintf(names + used, sizeof(names) - used, "%s%s", used ? "," : "",
				layer_name((enum layer)i));
		}
	if (refused)
		return err_set(err, -ENOTSUP, "layers",
			"this host lacks %s: see `brig doctor`, or allow it with --allow-degraded "
			"%s",
			names, names);
	service->skip = missing;
#ifdef BRIG_MUTANT
	if (!mutant_silently)
		service->skip |= mutant_leave_out | mutant_shown_by_others();
#endif
	return 0;
}

/* As many cells as there are descriptors for: more would fail each other's jobs, and none would
 * ever end. */
static uint32_t affordable_cells(uint32_t wanted)
{
	struct rlimit have;
	if (getrlimit(RLIMIT_NOFILE, &have) < 0 || have.rlim_cur == RLIM_INFINITY)
		return wanted;
	uint64_t spare = have.rlim_cur > OWN_DESCRIPTORS ? have.rlim_cur - OWN_DESCRIPTORS : 0;
	uint64_t count = spare / CELL_DESCRIPTORS ? spare / CELL_DESCRIPTORS : 1;
	if (count >= wanted)
		return wanted;
	(void)fprintf(stderr,
		"{\"event\": \"fewer_cells\", \"cells\": %u, \"wanted\": %u, \"why\": \"the limit "
		"of "
		"open files is %llu: raise it (ulimit -Hn)\"}\n",
		(unsigned)count, wanted, (unsigned long long)have.rlim_cur);
	return (uint32_t)count;
}

/* The kernel gives the lowest number that is free, so the number tells how many are left. */
static int last_for_callers(void)
{
	struct rlimit have;
	if (getrlimit(RLIMIT_NOFILE, &have) < 0 || have.rlim_cur > INT_MAX)
		return INT_MAX;
	return (int)have.rlim_cur - (int)MOMENTARY_DESCRIPTORS;
}

static int make_cells(struct service *service, struct err *err)
{
	service->callers_fd_max = last_for_callers();
	service->cell_count = affordable_cells(service->start.cells_max);
	if (service->start.one_uid == 0 && service->cell_count > (LAUNCH_UIDS - 1) / 2)
		service->cell_count = (LAUNCH_UIDS - 1) / 2;
	service->cells = calloc(service->cell_count, sizeof(*service->cells));
	if (!service->cells)
		return err_sys(err, -ENOMEM, "service", "slots");
	for (uint32_t i = 0; i < service->cell_count; i++)
		cell_init(service, &service->cells[i], i);
	for (size_t i = 0; i < service->start.level_count; i++) {
		int rc = zygote_init(service, &service->zygotes[i], service->start.levels[i], err);
		if (rc < 0)
			return rc;
		service->zygote_count = ++service->level_count;
	}
	return 0;
}

static struct event *listen_to(struct service *service, int fd, event_callback_fn callback)
{
	struct event *event = event_new(service->base, fd, EV_READ | EV_PERSIST, callback, service);
	if (event && event_add(event, NULL) < 0) {
		event_free(event);
		return NULL;
	}
	return event;
}

static int open_descriptors(struct service *service, struct err *err)
{
	service->proc_fd = open(ENTER_PROC, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	service->inputs_fd = open(ENTER_INPUTS, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	service->inotify_fd = inotify_init1(IN_CLOEXEC | IN_NONBLOCK);
	if (service->proc_fd < 0 || service->inputs_fd < 0 || service->inotify_fd < 0)
		return err_sys(err, -errno, "service", "opening its own folders");
	/* Asked for once: without it no file of a cell could be opened the only safe way. */
	cleanup_fd int beneath_fd = folder_open(service->inputs_fd, "", O_RDONLY | O_DIRECTORY, 0);
	if (beneath_fd < 0)
		return err_sys(err, beneath_fd, "work", "this host refuses openat2 (Linux 5.6)");
	struct utsname names;
	if (uname(&names) == 0)
		(void)snprintf(service->kernel, sizeof(service->kernel), "%s", names.release);
	return 0;
}

/* Timers count from the moment they are set: a limit that is too early would be a wrong verdict. */
static struct event_base *new_base(void)
{
	const int flags = EVENT_BASE_FLAG_NO_CACHE_TIME | EVENT_BASE_FLAG_PRECISE_TIMER;
	struct event_config *config = event_config_new();
	struct event_base *base = NULL;
	if (config && event_config_set_flag(config, flags) == 0)
		base = event_base_new_with_config(config);
	if (config)
		event_config_free(config);
	return base;
}

static int watch_all(struct service *service, struct err *err)
{
	service->base = new_base();
	/* Of three priorities events have the middle one unless they ask for another. */
	if (!service->base || event_base_priority_init(service->base, 3) < 0)
		return err_sys(err, -ENOMEM, "service", "event_base_new");
	service->maker_event = listen_to(service, service->maker.socket_fd, on_maker);
	service->link_event = listen_to(service, service->link_fd, on_link);
	service->control_event = listen_to(service, service->control_fd, on_control);
	service->inotify_event = listen_to(service, service->inotify_fd, on_inotify);
	if (!service->maker_event || !service->link_event || !service->control_event ||
		!service->inotify_event)
		return err_sys(err, -ENOMEM, "service", "event_new");
	return 0;
}

static int build_filter(struct service *service, struct err *err)
{
	unsigned char hash[crypto_hash_sha256_BYTES];
	int rc = seccomp_build(seccomp_policy, seccomp_policy_count, &service->filter, err);
	if (rc < 0)
		return rc;
	(void)crypto_hash_sha256(hash, (const unsigned char *)service->filter.code,
		service->filter.count * sizeof(service->filter.code[0]));
	(void)sodium_bin2hex(service->filter_hash, sizeof(service->filter_hash), hash,
		sizeof(service->filter_hash) / 2);
	return 0;
}

int service_init(struct service *service, const struct launch_message *start,
	struct cgroup_tree tree, struct err *err)
{
	memset(service, 0, sizeof(*service));
	TAILQ_INIT(&service->waiting);
	TAILQ_INIT(&service->sessions);
	service->start = *start;
	service->tree = tree;
	service->control_fd = LAUNCH_CONTROL_FD;
	service->link_fd = LAUNCH_LINK_FD;

	yield_init(service);
	int rc = settle_layers(service, err);
	if (!rc) /* the maker first: it is to hold as little as possible */
		rc = maker_start(&service->maker, &service->making, err);
	if (!rc)
		rc = build_filter(service, err);
	if (!rc)
		rc = open_descriptors(service, err);
	if (!rc)
		rc = make_cells(service, err);
	if (!rc)
		rc = watch_all(service, err);
	if (!rc)
		rc = pool_init(service, err);
	return rc;
}
