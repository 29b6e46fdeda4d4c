/*
 * launch: the minimal privileged parent of the interpreter service.
 *
 * It delegates cgroups, writes identity maps, starts `brig-service` as pid 1 of a new pid
 * namespace, and cleans up after it. It parses nothing that comes from a job.
 *
 *	struct launch *launch;
 *	int channel_fd;
 *	rc = launch_connect(&options, &launch, &channel_fd, &err);
 *	... one job over channel_fd (wire/job.h) ...
 *	launch_free(launch);
 *
 * Threads: none; the process must have none while it starts a service.
 * Source: user_namespaces(7), subuid(5), newuidmap(1), cgroups(7).
 */
#ifndef BRIG_LAUNCH_LAUNCH_H
#define BRIG_LAUNCH_LAUNCH_H

#include "base/err.h"
#include "wire/layer.h"

#include <stdbool.h>
#include <stddef.h>

struct launch_options {
	const char *socket_path;  /* a running service's socket; NULL tries the usual place */
	const char *image;	  /* name or NULL for BRIG_IMAGE or "default" */
	layer_set allow_degraded; /* asked for: a service that runs already is not used */
	layer_set allow_always;	  /* the host's own configuration */
	unsigned cells_max;	  /* slots */
	unsigned park_min;	  /* cells of each level kept ready without demand */
	unsigned park_max;	  /* cells kept ready at the most; 0: none, the first job waits */
	unsigned zygote_jobs, zygote_age_s; /* when a zygote is replaced; 0 takes the usual */
};

struct launch; /* a private service, or nothing where a running one was found */

/*
 * A running service's socket where there is one, else a private service for this process's life.
 * `*ret_launch` may be NULL on success (a running service). The channel is the caller's.
 * -ENOENT no image, -ENOTSUP a layer is missing, others; the text names the fix.
 */
int launch_connect(const struct launch_options *options, struct launch **ret_launch,
	int *ret_channel_fd, struct err *err) MUST_CHECK;

/* Starts a private service, whatever else runs. */
int launch_start(const struct launch_options *options, struct launch **ret_launch,
	struct err *err) MUST_CHECK;

/* A new channel to it; the caller owns the descriptor. */
int launch_channel(const struct launch *launch, int *ret_channel_fd, struct err *err) MUST_CHECK;

/* Hands a connected stream socket (borrowed) to the service as a channel. */
int launch_pass(const struct launch *launch, int channel_fd, struct err *err) MUST_CHECK;

/* Whether its link has room: what sends would wait otherwise, for ever where the service is
 * stopped. */
bool launch_takes(const struct launch *launch);

/* A pulse_ask of a struct launch: whether its loop still turns. */
int launch_ping(const void *launch, int answer_fd) MUST_CHECK;

/* Ends it at once, even one that is stopped; launch_ended_fd tells. launch_free is still due. */
void launch_kill(const struct launch *launch);

/* A duplicate of the link itself, for a process that will pass channels on its own. The caller owns
 * it. -errno. */
int launch_link_fd(const struct launch *launch) MUST_CHECK;

/* A descriptor that becomes readable when the service has ended. */
int launch_ended_fd(const struct launch *launch);

/* Ends the service and waits until no process, cgroup or mount of it is left. NULL-safe. */
void launch_free(struct launch *launch);

/* The usual place of a running service's socket: /run/brig/service.sock for root, else below
 * XDG_RUNTIME_DIR. -ENOENT where an ordinary user has no such folder. */
int launch_socket_path(char *path, size_t room) MUST_CHECK;

#endif
