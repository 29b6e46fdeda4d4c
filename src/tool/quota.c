/*
 * quota: counting jobs by role.
 *
 * Each role has a lane: its running and waiting jobs as lists of ids, and its bucket. A bucket's
 * unit is a job's 60,000th part, so that `jobs_per_minute` units come back each millisecond and no
 * fraction is ever lost.
 */
#include "tool/quota.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define JOB_UNITS 60000ull
#define LANE_SHIFT 40

struct job {
	uint64_t id;
	struct job *next;
};

struct lane {
	uint64_t serial; /* the upper bits of its jobs' ids */
	char name[ROLE_NAME_BYTES];
	struct job *running, *waiting, *waiting_last;
	uint32_t running_count, waiting_count;
	uint32_t jobs_at_once, jobs_per_minute, queue_max;
	uint64_t bucket_units, filled_ms;
	uint64_t served; /* when it last started a job, in starts of all roles */
	bool gone;	 /* the configuration has it no more */
	struct lane *next;
};

struct quota {
	struct lane *lanes;
	uint32_t running_max, running_count;
	uint64_t job_serial, lane_serial, starts;
};

int quota_new(uint32_t running_max, struct quota **ret_quota)
{
	struct quota *quota = calloc(1, sizeof(*quota));
	if (!quota)
		return -ENOMEM;
	quota->running_max = running_max ? running_max : 1;
	*ret_quota = quota;
	return 0;
}

static void drop_jobs(struct job *job)
{
	while (job) {
		struct job *next = job->next;
		free(job);
		job = next;
	}
}

void quota_free(struct quota *quota)
{
	if (!quota)
		return;
	while (quota->lanes) {
		struct lane *lane = quota->lanes;
		quota->lanes = lane->next;
		drop_jobs(lane->running);
		drop_jobs(lane->waiting);
		free(lane);
	}
	free(quota);
}

static struct lane *lane_by_name(const struct quota *quota, const char *name)
{
	struct lane *lane = quota->lanes;
	while (lane && strcmp(lane->name, name) != 0)
		lane = lane->next;
	return lane;
}

static struct lane *lane_by_id(const struct quota *quota, uint64_t id)
{
	struct lane *lane = quota->lanes;
	while (lane && lane->serial != id >> LANE_SHIFT)
		lane = lane->next;
	return lane;
}

static void adopt(struct lane *lane, const struct role *role)
{
	uint64_t full = role->jobs_per_minute * JOB_UNITS;
	if (lane->jobs_per_minute == 0 || lane->bucket_units > full)
		lane->bucket_units = full;
	lane->jobs_at_once = role->jobs_at_once;
	lane->jobs_per_minute = role->jobs_per_minute;
	lane->queue_max = role->queue_max;
	lane->gone = false;
}

static struct lane *lane_of(struct quota *quota, const struct role *role, uint64_t now_ms)
{
	struct lane *lane = lane_by_name(quota, role->name);
	if (lane)
		return lane;
	lane = calloc(1, sizeof(*lane));
	if (!lane)
		return NULL;
	(void)snprintf(lane->name, sizeof(lane->name), "%s", role->name);
	lane->serial = ++quota->lane_serial;
	lane->filled_ms = now_ms;
	adopt(lane, role);
	lane->next = quota->lanes;
	quota->lanes = lane;
	return lane;
}

static void fill(struct lane *lane, uint64_t now_ms)
{
	uint64_t full = lane->jobs_per_minute * JOB_UNITS;
	uint64_t passed = now_ms > lane->filled_ms ? now_ms - lane->filled_ms : 0;
	/* After a minute it is full in any case; beyond that the product could overflow. */
	if (passed > 60000)
		passed = 60000;
	lane->bucket_units += passed * lane->jobs_per_minute;
	if (lane->bucket_units > full)
		lane->bucket_units = full;
	if (now_ms > lane->filled_ms)
		lane->filled_ms = now_ms;
}

static enum quota_decision refuse(struct quota_ticket *ticket, const char *why, uint64_t wait_ms)
{
	*ticket = (struct quota_ticket){.why = why};
	ticket->retry_after_s = (uint32_t)(wait_ms / 1000 + (wait_ms % 1000 ? 1 : 0));
	if (ticket->retry_after_s == 0)
		ticket->retry_after_s = 1;
	return QUOTA_REFUSE;
}

static bool may_start(const struct quota *quota, const struct lane *lane)
{
	return quota->running_count < quota->running_max &&
	       lane->running_count < lane->jobs_at_once;
}

static void start(struct quota *quota, struct lane *lane, struct job *job)
{
	job->next = lane->running;
	lane->running = job;
	lane->running_count++;
	quota->running_count++;
	lane->served = ++quota->starts;
}

static void wait_in(struct lane *lane, struct job *job)
{
	if (lane->waiting_last)
		lane->waiting_last->next = job;
	else
		lane->waiting = job;
	lane->waiting_last = job;
	lane->waiting_count++;
}

/* 0, or how long until the bucket holds a job's worth. */
static uint64_t bucket_wait_ms(struct lane *lane, uint64_t now_ms)
{
	if (!lane->jobs_per_minute)
		return 0;
	fill(lane, now_ms);
	if (lane->bucket_units >= JOB_UNITS)
		return 0;
	uint64_t missing = JOB_UNITS - lane->bucket_units;
	return (missing + lane->jobs_per_minute - 1) / lane->jobs_per_minute;
}

uint32_t quota_charge(struct quota *quota, const struct role *role, uint64_t now_ms)
{
	struct lane *lane = lane_of(quota, role, now_ms);
	uint64_t wait_ms = lane ? bucket_wait_ms(lane, now_ms) : 0;
	if (wait_ms)
		return (uint32_t)((wait_ms + 999) / 1000);
	if (lane && lane->jobs_per_minute)
		lane->bucket_units -= JOB_UNITS;
	return 0;
}

enum quota_decision quota_ask(struct quota *quota, const struct role *role, uint64_t now_ms,
	struct quota_ticket *ret_ticket)
{
	struct lane *lane = lane_of(quota, role, now_ms);
	if (!lane)
		return refuse(ret_ticket, "queue_max", 1000);
	uint64_t wait_ms = bucket_wait_ms(lane, now_ms);
	if (wait_ms)
		return refuse(ret_ticket, "jobs_per_minute", wait_ms);
	bool now = !lane->waiting && may_start(quota, lane);
	if (!now && lane->waiting_count >= lane->queue_max)
		return refuse(ret_ticket, "queue_max", 1000);
	struct job *job = calloc(1, sizeof(*job));
	if (!job)
		return refuse(ret_ticket, "queue_max", 1000);
	job->id = lane->serial << LANE_SHIFT | ++quota->job_serial;
	if (lane->jobs_per_minute)
		lane->bucket_units -= JOB_UNITS;
	if (now)
		start(quota, lane, job);
	else
		wait_in(lane, job);
	*ret_ticket = (struct quota_ticket){.id = job->id};
	return now ? QUOTA_RUN : QUOTA_QUEUE;
}

void quota_done(struct quota *quota, uint64_t id)
{
	struct lane *lane = lane_by_id(quota, id);
	struct job **at = lane ? &lane->running : NULL;
	while (at && *at && (*at)->id != id)
		at = &(*at)->next;
	if (!at || !*at)
		return;
	struct job *job = *at;
	*at = job->next;
	free(job);
	lane->running_count--;
	quota->running_count--;
}

void quota_leave(struct quota *quota, uint64_t id)
{
	struct lane *lane = lane_by_id(quota, id);
	struct job **at = lane ? &lane->waiting : NULL, *before = NULL;
	while (at && *at && (*at)->id != id) {
		before = *at;
		at = &(*at)->next;
	}
	if (!at || !*at)
		return;
	struct job *job = *at;
	*at = job->next;
	if (lane->waiting_last == job)
		lane->waiting_last = before;
	free(job);
	lane->waiting_count--;
}

uint64_t quota_next(struct quota *quota)
{
	struct lane *best = NULL;
	for (struct lane *lane = quota->lanes; lane; lane = lane->next)
		if (lane->waiting && may_start(quota, lane) &&
			(!best || lane->served < best->served))
			best = lane;
	if (!best)
		return 0;
	struct job *job = best->waiting;
	best->waiting = job->next;
	if (!best->waiting)
		best->waiting_last = NULL;
	best->waiting_count--;
	start(quota, best, job);
	return job->id;
}

void quota_reload(struct quota *quota, const struct role *roles, size_t count)
{
	struct lane **at = &quota->lanes;
	for (struct lane *lane = quota->lanes; lane; lane = lane->next)
		lane->gone = true;
	for (size_t i = 0; i < count; i++) {
		struct lane *lane = lane_by_name(quota, roles[i].name);
		if (lane)
			adopt(lane, &roles[i]);
	}
	while (*at) {
		struct lane *lane = *at;
		if (lane->gone && !lane->running && !lane->waiting) {
			*at = lane->next;
			free(lane);
		} else {
			at = &lane->next;
		}
	}
}

struct quota_count quota_count(const struct quota *quota, const char *role_name)
{
	struct quota_count count = {0};
	for (const struct lane *lane = quota->lanes; lane; lane = lane->next) {
		if (role_name && strcmp(role_name, lane->name) != 0)
			continue;
		count.running += lane->running_count;
		count.waiting += lane->waiting_count;
	}
	return count;
}
