/*
 * stats: the figures of all interpreter services together, asked for over their links.
 *
 *	stats_ask(dispatcher, on_stats, user) ─► a service each ─► on_stats(user, sum)
 *
 * A service that does not answer in time is left out; so `done` always comes, from the loop.
 */
#ifndef BRIG_API_STATS_H
#define BRIG_API_STATS_H

#include "wire/stats.h"

#define STATS_LEVELS_SUM_MAX 16u
#define STATS_LEVEL_BYTES 16u

struct dispatcher;
struct stats_query;

/* Of services with different images; a level's name stands for that level of all of them. */
struct stats_sum {
	uint32_t services; /* that answered */
	uint32_t level_count;
	char levels[STATS_LEVELS_SUM_MAX][STATS_LEVEL_BYTES]; /* the first is "none" */
	uint64_t cells[STATS_STATE_COUNT][STATS_LEVELS_SUM_MAX];
	uint64_t queued, zygotes, cgroups, namespaces, cells_parked, cells_failed;
	uint64_t kills[STATS_KILL_COUNT];
};

/* NULL where memory is out. The query frees itself after `done`. */
struct stats_query *stats_ask(struct dispatcher *dispatcher,
	void (*done)(void *user, const struct stats_sum *sum), void *user);

/* Nobody waits for it any more: `done` is not called. */
void stats_forget(struct stats_query *query);

/* Adds one service's figures. */
void stats_add(struct stats_sum *sum, const struct service_stats *stats);

#endif
