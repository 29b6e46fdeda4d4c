/*
 * quota: counting jobs by role and caller.
 *
 * Each role has a lane: its running jobs as a list, its callers, each with its waiting jobs, and
 * its bucket. A caller is forgotten with its last job. A bucket's unit is a job's 60,000th part, so
 * that `jobs_per_minute` units come back each millisecond and no fraction is ever lost.
 */
#include "tool/quota.h"

#include "tool/quota_lane.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define JOB_UNITS 60000ull
#define LANE_SHIFT 40

struct quota {
	struct lane *lanes;
	uint32_t running_max, running_count;
	uint32_t share_max; /* of one role */
	uint64_t job_serial, lane_serial, starts;
};

int quota_new(uint32_t running_max, struct quota **ret_quota)
{
	struct quota *quota = calloc(1, sizeof(*quota));
	if (!quota)
		return -ENOMEM;
	quota->running_max = running_max ? running_max : 1;
	quota->share_max = quota->running_max;
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
		while (lane->callers) {
			struct caller *caller = lane->callers;
			lane->callers = caller->next;
			drop_jobs(caller->waiting);
			free(caller);
		}
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
	       lane->running_count < quota->share_max && lane->running_count < lane->jobs_at_once;
}

static void start(struct quota *quota, struct lane *lane, struct job *job, uint64_t now_ms)
{
	job->next = lane->running;
	job->started_ms = now_ms;
	lane->running = job;
	lane->running_count++;
	job->caller->running_count++;
	quota->running_count++;
	lane->served = job->caller->served = ++quota->starts;
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

enum quota_decision quota_ask(struct quota *quota, const struct role *role,
	const struct quota_asker *asker, uint64_t now_ms, struct quota_ticket *ret_ticket)
{
	struct lane *lane = lane_of(quota, role, now_ms);
	struct caller *caller = lane ? lane_caller(lane, asker->caller) : NULL;
	struct job *job = caller ? calloc(1, sizeof(*job)) : NULL;
	uint64_t wait_ms = job ? bucket_wait_ms(lane, now_ms) : 1000;
	const char *why = wait_ms && job ? "jobs_per_minute" : "queue_max";
	bool now = !wait_ms && !lane->waiting_count && may_start(quota, lane);
	if (!wait_ms && !now && !lane_may_wait(lane, caller))
		wait_ms = lane_place_wait_ms(lane, now_ms);
	if (wait_ms) {
		free(job);
		if (caller)
			lane_forget_idle(lane, caller);
		return refuse(ret_ticket, why, wait_ms);
	}
	job->id = lane->serial << LANE_SHIFT | ++quota->job_serial;
	job->caller = caller;
	job->wall_ms = asker->wall_ms;
	if (lane->jobs_per_minute)
		lane->bucket_units -= JOB_UNITS;
	if (now)
		start(quota, lane, job, now_ms);
	else
		lane_wait(lane, job);
	*ret_ticket = (struct quota_ticket){.id = job->id};
	return now ? QUOTA_RUN : QUOTA_QUEUE;
}

void quota_done(struct quota *quota, uint64_t id, uint64_t now_ms)
{
	struct lane *lane = lane_by_id(quota, id);
	struct job **at = lane ? &lane->running : NULL;
	while (at && *at && (*at)->id != id)
		at = &(*at)->next;
	if (!at || !*at)
		return;
	struct job *job = *at;
	uint64_t took_ms = now_ms > job->started_ms ? now_ms - job->started_ms : 0;
	lane->mean_ms = lane->mean_ms ? (3 * lane->mean_ms + took_ms + 1) / 4 : took_ms + 1;
	*at = job->next;
	lane->running_count--;
	quota->running_count--;
	job->caller->running_count--;
	lane_forget_idle(lane, job->caller);
	free(job);
}

void quota_leave(struct quota *quota, uint64_t id)
{
	struct lane *lane = lane_by_id(quota, id);
	struct caller *caller = lane ? lane->callers : NULL;
	for (; caller; caller = caller->next) {
		struct job *job = caller->waiting, *before = NULL;
		for (; job && job->id != id; job = job->next)
			before = job;
		if (!job)
			continue;
		lane_take_waiting(lane, caller, before);
		lane_forget_idle(lane, caller);
		free(job);
		return;
	}
}

uint64_t quota_next(struct quota *quota, uint64_t now_ms)
{
	struct lane *best = NULL;
	for (struct lane *lane = quota->lanes; lane; lane = lane->next)
		if (lane->waiting_count && may_start(quota, lane) &&
			(!best || lane->served < best->served))
			best = lane;
	struct caller *caller = best ? lane_next_caller(best) : NULL;
	if (!caller)
		return 0;
	struct job *job = caller->waiting;
	lane_take_waiting(best, caller, NULL);
	start(quota, best, job, now_ms);
	return job->id;
}

void quota_reload(struct quota *quota, const struct role *roles, size_t count)
{
	struct lane **at = &quota->lanes;
	quota->share_max = quota->running_max;
	if (count > 1 && quota->running_max > 1)
		quota->share_max -= quota->running_max < 4 ? 1 : quota->running_max / 4;
	for (struct lane *lane = quota->lanes; lane; lane = lane->next)
		lane->gone = true;
	for (size_t i = 0; i < count; i++) {
		struct lane *lane = lane_by_name(quota, roles[i].name);
		if (lane)
			adopt(lane, &roles[i]);
	}
	while (*at) {
		struct lane *lane = *at;
		if (lane->gone && !lane->callers) {
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
