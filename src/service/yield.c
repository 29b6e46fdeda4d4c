/* yield: which cells run only while no other cell wants the CPU. */
#include "service/yield.h"

#include "base/clock.h"
#include "service/service.h"

/* How long what is made or dies waits for an idle CPU before it competes for one again. */
#define MAKING_LIMIT_US 250000u
#define DYING_LIMIT_US 30000u
/* A job that had less than this part of the time since it was looked at hardly gets on. */
#define LOOK_US 250000u
#define LEAST_PART 64u

bool yield_is_due(uint32_t active, uint32_t cpus)
{
	return active > (cpus > 1 ? cpus / 2 : 1);
}

static bool is_being_made(const struct cell *cell)
{
	return cell->state >= CELL_MAKING && cell->state <= CELL_PARKING;
}

void yield_init(struct service *service)
{
	struct cgroup own;
	/* On v2 it was born into it. */
	if (!service->tree.v2) {
		cgroup_make_beside(&service->tree, "service", &own);
		cgroup_join_beside(&own);
		cgroup_close(&own);
	}
	cgroup_make_beside(&service->tree, "making", &service->making);
}

void yield_look(struct service *service)
{
	bool yields = true;
	for (uint32_t i = 0; i < service->cell_count && yields; i++)
		yields = !is_being_made(&service->cells[i]) || service->cells[i].yield.on;
	for (size_t i = 0; i < service->zygote_count && yields; i++)
		yields = !zygote_is_awaited(&service->zygotes[i]);
	if (yields != service->making_yields)
		cgroup_yield(&service->making, yields);
	service->making_yields = yields;
}

/* Where it cannot be told, it may be so. */
static bool gets_on(struct cell *cell)
{
	uint64_t now_us = clock_now_us(), used_us = 0;
	if (run_cpu_used_us(cell, &used_us) < 0)
		return false;
	uint64_t since_us = cell->yield.looked_us ? cell->yield.looked_us : cell->job->started_us;
	uint64_t had_us = used_us - cell->yield.used_us;
	cell->yield.looked_us = now_us;
	cell->yield.used_us = used_us;
	return had_us >= (now_us - since_us) / LEAST_PART;
}

static void put(struct cell *cell, bool yields)
{
	if (yields != cell->yield.on)
		cgroup_yield(&cell->cgroup, yields);
	cell->yield.on = yields;
	yield_look(cell->service);
}

/* A job that hardly got on competes until the next look, and then yields again: it may have slept,
 * and so is not let off for good. */
static void on_limit(evutil_socket_t fd, short what, void *context)
{
	struct cell *cell = context;
	bool runs = cell->state == CELL_RUNNING;
	(void)fd;
	(void)what;

	if (cell->state == CELL_SESSION_IDLE)
		return; /* it wants no CPU, and is asked about again with its next call */
	bool got_on = runs && gets_on(cell);
	put(cell, runs && (got_on || !cell->yield.on));
	if (runs && cell_timer(cell, WATCH_YIELD, LOOK_US, on_limit) < 0)
		put(cell, false);
}

void yield_set(struct cell *cell, bool yields)
{
	uint64_t limit_us = cell->state == CELL_DYING ? DYING_LIMIT_US : MAKING_LIMIT_US;

	cell->yield.looked_us = cell->yield.used_us = 0;
	if (yields && cell_timer(cell, WATCH_YIELD, limit_us, on_limit) < 0)
		yields = false;
	if (!yields)
		cell_unwatch(cell, WATCH_YIELD);
	put(cell, yields);
}

void yield_hurry(struct service *service, const struct zygote *zygote)
{
	for (uint32_t i = 0; i < service->cell_count; i++) {
		struct cell *cell = &service->cells[i];
		if (cell->zygote == zygote && is_being_made(cell))
			yield_set(cell, false);
	}
}
