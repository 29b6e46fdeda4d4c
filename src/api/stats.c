/* stats: one socket for each service, one time limit for all. */
#include "api/stats.h"

#include "api/dispatcher.h"
#include "base/fd.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LIMIT_MS 1000

struct source {
	struct stats_query *query;
	int fd;
	struct event *read;
	struct service_stats stats;
	size_t have;
};

struct stats_query {
	struct source sources[LINKS_MAX];
	size_t open;
	struct event *limit;
	struct stats_sum sum;
	void (*done)(void *user, const struct stats_sum *sum);
	void *user;
};

/* The index of a level in the sum. A name is a label of a metric: nothing else gets in. */
static size_t find_level(struct stats_sum *sum, const char *name)
{
	char level[STATS_LEVEL_BYTES];
	(void)snprintf(level, sizeof(level), "%.*s", (int)sizeof(level) - 1, name);
	for (char *at = level; *at; at++)
		if (!(*at >= 'a' && *at <= 'z') && !(*at >= '0' && *at <= '9') && *at != '-')
			*at = '_';
	for (size_t i = 0; i < sum->level_count; i++)
		if (strcmp(sum->levels[i], level) == 0)
			return i;
	if (sum->level_count == STATS_LEVELS_SUM_MAX)
		return 0;
	(void)strcpy(sum->levels[sum->level_count], level);
	return sum->level_count++;
}

void stats_add(struct stats_sum *sum, const struct service_stats *stats)
{
	size_t places[STATS_LEVELS] = {0};
	(void)find_level(sum, "none");
	for (size_t i = 0; i < stats->level_count && i < LAUNCH_LEVELS_MAX; i++)
		places[i] = find_level(sum, stats->levels[i]);
	for (size_t state = 0; state < STATS_STATE_COUNT; state++)
		for (size_t i = 0; i < STATS_LEVELS; i++)
			sum->cells[state][places[i]] += stats->cells[state][i];
	for (size_t i = 0; i < STATS_KILL_COUNT; i++)
		sum->kills[i] += stats->kills[i];
	sum->queued += stats->queued;
	sum->zygotes += stats->zygotes;
	sum->cgroups += stats->cgroups;
	sum->namespaces += stats->namespaces;
	sum->cells_parked += stats->cells_parked;
	sum->cells_failed += stats->cells_failed;
	sum->services++;
}

static void close_source(struct source *source)
{
	if (source->read)
		event_free(source->read);
	source->read = NULL;
	fd_close(&source->fd);
}

void stats_forget(struct stats_query *query)
{
	for (size_t i = 0; i < LINKS_MAX; i++)
		close_source(&query->sources[i]);
	if (query->limit)
		event_free(query->limit);
	free(query);
}

static void on_limit(evutil_socket_t fd, short what, void *context)
{
	struct stats_query *query = context;
	(void)fd;
	(void)what;
	query->done(query->user, &query->sum);
	stats_forget(query);
}

static void on_readable(evutil_socket_t fd, short what, void *context)
{
	struct source *source = context;
	struct stats_query *query = source->query;
	size_t none = 0;
	(void)what;
	ssize_t got = fd_receive(fd, (unsigned char *)&source->stats + source->have,
		sizeof(source->stats) - source->have, NULL, &none);
	if (got == -EAGAIN)
		return;
	source->have += got > 0 ? (size_t)got : 0;
	if (got > 0 && source->have < sizeof(source->stats))
		return;
	if (source->have == sizeof(source->stats) && source->stats.bytes == sizeof(source->stats))
		stats_add(&query->sum, &source->stats);
	close_source(source);
	if (--query->open == 0)
		event_active(query->limit, EV_TIMEOUT, 0);
}

static bool ask_one(struct dispatcher *dispatcher, struct source *source, size_t link)
{
	if (links_ask(&dispatcher->links, link, &source->fd) < 0) {
		source->fd = -1;
		return false;
	}
	source->read =
		event_new(dispatcher->base, source->fd, EV_READ | EV_PERSIST, on_readable, source);
	if (source->read && event_add(source->read, NULL) == 0)
		return true;
	close_source(source);
	return false;
}

struct stats_query *stats_ask(struct dispatcher *dispatcher,
	void (*done)(void *user, const struct stats_sum *sum), void *user)
{
	const struct timeval limit = {.tv_sec = LIMIT_MS / 1000};
	struct stats_query *query = calloc(1, sizeof(*query));
	if (!query)
		return NULL;
	query->done = done;
	query->user = user;
	for (size_t i = 0; i < LINKS_MAX; i++)
		query->sources[i] = (struct source){.query = query, .fd = -1};
	query->limit = event_new(dispatcher->base, -1, 0, on_limit, query);
	if (!query->limit || event_add(query->limit, &limit) < 0) {
		stats_forget(query);
		return NULL;
	}
	for (size_t i = 0; i < dispatcher->links.count; i++)
		query->open += ask_one(dispatcher, &query->sources[i], i);
	if (!query->open)
		event_active(query->limit, EV_TIMEOUT, 0);
	return query;
}
