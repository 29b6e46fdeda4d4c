/*
 * pool: cells parked ahead of need. A parked cell is complete and sealed: nothing of a layer is put
 * off until a job comes.
 *
 * How many: a job that finds none raises its level's target by one, up to the ceiling; quiet time
 * lowers it again to the floor. Parking goes on behind the answers, a few cells at a time, and
 * stops while memory is short.
 */
#include "service/service.h"

#include "base/clock.h"
#include "service/yield.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MAKING_MAX 2u
/* Of a level, for jobs that wait: more at once would only take longer each, and take the CPU from
 * everybody else. */
#define MAKING_FOR_JOBS_PER_CPU 2u
#define MAKING_FOR_JOBS_LEAST 4u
#define SIZING_SECONDS 5
#define YOUNG_US 4000
/* Of a level, for a role that has been quiet: the one it takes, and the one that is there for its
 * next job while that one is being made good. */
#define SPARE_CELLS 2u
/* After a cell that could not be made, so that a host without means is not kept busy. */
#define REST_US 1000000u
/* Below that share of the machine's memory nothing is parked beyond the floor, no session begins,
 * and no file from outside is taken that would go below it. */
#define MEMORY_SHARE 16u

static bool is_idle(const struct cell *cell)
{
	return !cell->job && cell->state >= CELL_MAKING && cell->state <= CELL_PARKED_IDLE;
}

struct cell *pool_free_slot(struct service *service)
{
	for (uint32_t i = 0; i < service->cell_count; i++)
		if (service->cells[i].state == CELL_FREE)
			return &service->cells[i];
	return NULL;
}

/* The furthest on its way is the best; a warmer level does as well where the own one has none. */
static struct cell *best_of(struct service *service, const struct zygote *zygote, bool parked_only)
{
	struct cell *best = NULL;
	for (uint32_t i = 0; i < service->cell_count; i++) {
		struct cell *cell = &service->cells[i];
		if (cell->zygote != zygote || !is_idle(cell) ||
			(parked_only && cell->state != CELL_PARKED_IDLE))
			continue;
		if (!best || cell->state > best->state)
			best = cell;
	}
	return best;
}

static struct cell *warmer(struct service *service, const struct zygote *wanted)
{
	for (size_t i = 0; i < service->level_count && !wanted->role[0]; i++) {
		struct zygote *zygote = &service->zygotes[i];
		struct cell *cell =
			zygote->warmth > wanted->warmth ? best_of(service, zygote, true) : NULL;
		if (cell)
			return cell;
	}
	return NULL;
}

static uint32_t count_idle(const struct service *service, const struct zygote *zygote)
{
	uint32_t count = 0;
	for (uint32_t i = 0; i < service->cell_count; i++)
		count += is_idle(&service->cells[i]) &&
			 (!zygote || service->cells[i].zygote == zygote);
	return count;
}

static uint32_t spare_cells(const struct zygote *zygote)
{
	return zygote->park_target < SPARE_CELLS ? zygote->park_target : SPARE_CELLS;
}

struct cell *pool_take(struct service *service, struct zygote *wanted, bool leave_spare)
{
	bool free_to_take = !leave_spare || count_idle(service, wanted) > spare_cells(wanted);
	struct cell *cell = free_to_take ? best_of(service, wanted, true) : NULL;
	if (cell)
		return cell;
	wanted->missed = true;
	if (wanted->park_target < service->start.park_max)
		wanted->park_target++;
	if (!free_to_take)
		return NULL;
	cell = warmer(service, wanted);
	return cell ? cell : best_of(service, wanted, false);
}

void pool_evict(struct service *service)
{
	/* Only parked cells that no waiting job could take come here: dispatch asked first. */
	for (uint32_t i = 0; i < service->cell_count; i++)
		if (service->cells[i].state == CELL_DYING)
			return; /* a slot is about to become free */
	for (uint32_t i = 0; i < service->cell_count; i++) {
		struct cell *cell = &service->cells[i];
		if (cell->state == CELL_PARKED_IDLE && !cell->job) {
			cell_kill(cell);
			return;
		}
	}
}

static uint64_t meminfo(const char *text, const char *key)
{
	const char *at = strstr(text, key);
	return at ? strtoull(at + strlen(key), NULL, 10) : 0;
}

uint64_t pool_spare_bytes(const struct service *service)
{
	char text[512];
	ssize_t got = pread(service->meminfo_fd, text, sizeof(text) - 1, 0);
	if (got <= 0)
		return UINT64_MAX;
	text[got] = 0;
	uint64_t available = meminfo(text, "MemAvailable:") * KIB;
	uint64_t kept = meminfo(text, "MemTotal:") * KIB / MEMORY_SHARE;
	return available > kept ? available - kept : 0;
}

static bool memory_is_short(const struct service *service)
{
	return pool_spare_bytes(service) == 0;
}

static uint32_t count_making(const struct service *service, const struct zygote *zygote)
{
	uint32_t count = 0;
	for (uint32_t i = 0; i < service->cell_count; i++)
		count += service->cells[i].state >= CELL_MAKING &&
			 service->cells[i].state <= CELL_PARKING &&
			 (!zygote || service->cells[i].zygote == zygote);
	return count;
}

bool pool_is_making(const struct service *service, const struct zygote *zygote)
{
	return count_making(service, zygote) >= service->making_max;
}

/* The level that is furthest below its target, or NULL. */
static struct zygote *neediest(struct service *service)
{
	struct zygote *neediest = NULL;
	uint32_t most = 0;
	for (size_t i = 0; i < service->zygote_count; i++) {
		struct zygote *zygote = &service->zygotes[i];
		uint32_t have = count_idle(service, zygote);
		if (have >= zygote->park_target || zygote_failed(zygote))
			continue;
		uint32_t missing = zygote->park_target - have;
		if (missing > most) {
			most = missing;
			neediest = zygote;
		}
	}
	return neediest;
}

/* A level that is short of spare cells while several roles ask: they are made at once, however many
 * others are being made for jobs. */
static struct zygote *without_spare(struct service *service)
{
	for (size_t i = 0; i < service->zygote_count && service->role_count > 1; i++) {
		struct zygote *zygote = &service->zygotes[i];
		if (!zygote_failed(zygote) && count_idle(service, zygote) < spare_cells(zygote))
			return zygote;
	}
	return NULL;
}

static bool may_make(const struct service *service)
{
	return TAILQ_EMPTY(&service->waiting) && count_making(service, NULL) < MAKING_MAX &&
	       count_idle(service, NULL) < service->start.park_max;
}

static bool is_young(const struct cell *cell, uint64_t now_us)
{
	bool at_work = cell->state == CELL_RUNNING || cell->state == CELL_FREEZING;
	return at_work && cell->job && now_us - cell->job->started_us < YOUNG_US;
}

/* Making a cell keeps a core busy for milliseconds, and stopping a job that ends meanwhile waits
 * for it: a job that has just begun goes first, as long as half of the cells wanted stand ready. */
static bool hold_for_a_young_job(struct service *service, const struct zygote *zygote)
{
	const struct timeval later = {.tv_usec = YOUNG_US};
	uint64_t now_us = clock_now_us();
	uint32_t ready = 0;
	bool young = false;

	for (uint32_t i = 0; i < service->cell_count; i++) {
		const struct cell *cell = &service->cells[i];
		ready += cell->zygote == zygote && cell->state == CELL_PARKED_IDLE && !cell->job;
		young = young || is_young(cell, now_us);
	}
	return young && ready && ready * 2 >= zygote->park_target &&
	       event_add(service->refill_event, &later) == 0;
}

static void make_what_is_missing(struct service *service)
{
	struct zygote *zygote;

	/* After one that failed, the sizing timer comes back to it. */
	while (clock_now_us() >= service->park_after_us &&
		((zygote = without_spare(service)) ||
			(may_make(service) && (zygote = neediest(service)) &&
				!hold_for_a_young_job(service, zygote)))) {
		bool beyond = count_idle(service, zygote) >= zygote->park_floor;
		struct cell *cell = pool_free_slot(service);
		zygote_ensure(zygote);
		if (!cell || !zygote_ready(zygote) || (beyond && memory_is_short(service)))
			return;
		cell_make(cell, zygote);
	}
}

static void refill(evutil_socket_t fd, short what, void *context)
{
	(void)fd;
	(void)what;
	make_what_is_missing(context);
	yield_look(context);
}

void pool_rest(struct service *service, const struct err *err)
{
	(void)fprintf(stderr, "{\"event\": \"cell_failed\", \"layer\": \"%s\", \"errno\": %d}\n",
		err->stage, -err->code);
	service->park_after_us = clock_now_us() + REST_US;
}

void pool_refill_soon(struct service *service)
{
	if (service->start.park_max)
		event_active(service->refill_event, EV_TIMEOUT, 0);
}

/* Quiet levels shrink by an eighth at a time. */
static void resize(evutil_socket_t fd, short what, void *context)
{
	struct service *service = context;
	(void)fd;
	(void)what;

	for (size_t i = 0; i < service->zygote_count; i++) {
		struct zygote *zygote = &service->zygotes[i];
		uint32_t above = zygote->park_target - zygote->park_floor;
		if (!zygote->missed && above)
			zygote->park_target -= (above + 7) / 8;
		zygote->missed = false;
		struct cell *spare = best_of(service, zygote, true);
		if (spare && count_idle(service, zygote) > zygote->park_target)
			cell_kill(spare);
	}
	pool_refill_soon(service);
}

static uint32_t count_cpus(void)
{
	cpu_set_t cpus;
	return sched_getaffinity(0, sizeof(cpus), &cpus) == 0 ? (uint32_t)CPU_COUNT(&cpus) : 1;
}

int pool_init(struct service *service, struct err *err)
{
	const struct timeval period = {.tv_sec = SIZING_SECONDS};
	service->cpus = count_cpus();
	service->making_max = service->cpus * MAKING_FOR_JOBS_PER_CPU;
	if (service->making_max < MAKING_FOR_JOBS_LEAST)
		service->making_max = MAKING_FOR_JOBS_LEAST;

	service->meminfo_fd = openat(service->proc_fd, "meminfo", O_RDONLY | O_CLOEXEC);
	service->refill_event = event_new(service->base, -1, 0, refill, service);
	service->sizing_event = event_new(service->base, -1, EV_PERSIST, resize, service);
	if (service->meminfo_fd < 0 || !service->refill_event || !service->sizing_event)
		return err_sys(err, -ENOMEM, "service", "setting up the pool");
	if (event_priority_set(service->refill_event, PRIORITY_BEHIND) < 0)
		return err_sys(err, -EINVAL, "service", "event_priority_set");
	if (!service->start.park_max)
		return 0;
	for (size_t i = 0; i < service->level_count; i++) {
		service->zygotes[i].park_floor = service->start.park_min;
		service->zygotes[i].park_target = service->start.park_min;
	}
	if (event_add(service->sizing_event, &period) < 0)
		return err_sys(err, -ENOMEM, "service", "event_add");
	pool_refill_soon(service);
	return 0;
}
