/*
 * stats: what an interpreter service tells of itself, to whoever holds its link.
 *
 * LINK_STATS with one end of a stream socket is answered on that socket by one struct and its end.
 * Every figure is the service's own or the kernel's; a job has no way to any of them.
 */
#ifndef BRIG_WIRE_STATS_H
#define BRIG_WIRE_STATS_H

#include "wire/launch.h"

#include <stdint.h>

enum stats_state {
	STATS_FREE,
	STATS_MAKING,  /* on its way to being parked */
	STATS_PARKED,  /* complete, sealed, waiting for its one job */
	STATS_RUNNING, /* from the placing of inputs until the answer has left */
	STATS_SESSION, /* between two calls of its session */
	STATS_DYING,   /* killed; waiting for the kernel to let go */
	STATS_STATE_COUNT,
};

/* Why the service stopped a job. */
enum stats_kill {
	STATS_KILL_WALL,
	STATS_KILL_CPU,
	STATS_KILL_MEMORY,
	STATS_KILL_OUTPUT,
	STATS_KILL_DENIED,
	STATS_KILL_CANCELLED,
	STATS_KILL_FAULT,
	STATS_KILL_COUNT,
};

/* Indexes of `cells`: the image's levels, then what belongs to none. */
#define STATS_LEVELS (LAUNCH_LEVELS_MAX + 1)

struct service_stats {
	uint32_t bytes; /* sizeof(struct service_stats): both programs are of one version */
	uint32_t level_count;
	char levels[LAUNCH_LEVELS_MAX][16];
	uint32_t cells[STATS_STATE_COUNT][STATS_LEVELS];
	uint32_t queued;     /* jobs that wait for a cell */
	uint32_t zygotes;    /* processes: starting, forking, retiring or being ended */
	uint32_t cgroups;    /* groups of cells, as the kernel lists them */
	uint32_t namespaces; /* of cells, as the kernel numbers them */
	uint64_t kills[STATS_KILL_COUNT];
	uint64_t cells_parked; /* that were made and stood ready, so far */
	uint64_t cells_failed; /* that could not be made, or broke */
};

#endif
