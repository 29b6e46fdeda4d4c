/*
 * quota: counting jobs by role and caller.
 *
 * Each role has a lane: its running jobs as a list, its callers, each with its waiting jobs, and
 * its bucket. A caller is forgotten with its last job. A bucket's unit is a job's 60,000th part, so
 * that `jobs_per_minute` units come back each millisecond and no fraction is ever lost.
 */
#include "tool/quota.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define JOB_UNITS 60000ull
#define LANE_SHIFT 40

#define WAIT_MS_MAX 300000u

struct job {
	uint64_t id, started_ms;
	uint32_t wall_ms;
	struct caller *caller;
	struct job *next;
};

struct caller {
	char name[QUOTA_CALLER_BYTES];
	struct job *waiting, *waiting_last;
	uint32_t waiting_count, running_count;
	uint64_t served; /* when it last started a job, in starts of all roles */
	struct caller *next;
};

struct lane {
	uint64_t serial; /* the upper bits of its jobs' ids */
	char name[ROLE_NAME_BYTES];
	struct job *running;
	struct caller *callers;
	uint32_t running_count, waiting_count;
	uint32_t jobs_at_once, jobs_per_minute, queue_max;
	uint64_t bucket_units, filled_ms;
	uint64_t served;  /* as a caller's */
	uint64_t mean_ms; /* of a job that ended, the last ones weighing most; 0: none yet */
	bool gone;	  /* the configuration has it no more */
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
	       lane->running_count < lane->jobs_at_once;
}

static struct caller *caller_of(struct lane *lane, const char *name)
{
	struct caller *caller = lane->callers;
	while (caller && strcmp(caller->name, name) != 0)
		caller = caller->next;
	if (caller)
		return caller;
	caller = calloc(1, sizeof(*caller));
	if (!caller)
		return NULL;
	(void)snprintf(caller->name, sizeof(caller->name), "%s", name);
	caller->next = lane->callers;
	lane->callers = caller;
	return caller;
}

static void forget_idle(struct lane *lane, struct caller *caller)
{
	struct caller **at = &lane->callers;
	if (caller->waiting_count || caller->running_count)
		return;
	while (*at != caller)
		at = &(*at)->next;
	*at = caller->next;
	free(caller);
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

static void wait_in(struct lane *lane, struct job *job)
{
	struct caller *caller = job->caller;
	if (caller->waiting_last)
		caller->waiting_last->next = job;
	else
		caller->waiting = job;
	caller->waiting_last = job;
	caller->waiting_count++;
	lane->waiting_count++;
}

/* Whether the caller may wait with one job more. */
static bool may_wait(const struct lane *lane, const struct caller *caller)
{
	uint32_t waiting = 0;
	if (!lane->queue_max)
		return false;
	if (!caller->waiting_count)
		return true;
	for (const struct caller *one = lane->callers; one; one = one->next)
		waiting += one->waiting_count > 0;
	return lane->waiting_count < lane->queue_max &&
	       caller->waiting_count < lane->queue_max / waiting + (lane->queue_max < waiting);
}

/* Until one of the running jobs can be expected to end: after as long as jobs take here, or, where
 * it has run for longer or nothing is known yet, at its limit. */
static uint64_t place_wait_ms(const struct lane *lane, uint64_t now_ms)
{
	uint64_t least_ms = WAIT_MS_MAX;
	for (const struct job *job = lane->running; job; job = job->next) {
		uint64_t age_ms = now_ms > job->started_ms ? now_ms - job->started_ms : 0;
		uint64_t whole_ms = age_ms < lane->mean_ms ? lane->mean_ms : job->wall_ms;
		uint64_t left_ms = whole_ms > age_ms ? whole_ms - age_ms : 0;
		least_ms = left_ms < least_ms ? left_ms : least_ms;
	}
	return lane->running && least_ms ? least_ms : 1000;
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
	struct caller *caller = lane ? caller_of(lane, asker->caller) : NULL;
	struct job *job = caller ? calloc(1, sizeof(*job)) : NULL;
	uint64_t wait_ms = job ? bucket_wait_ms(lane, now_ms) : 1000;
	const char *why = wait_ms && job ? "jobs_per_minute" : "queue_max";
	bool now = !wait_ms && !lane->waiting_count && may_start(quota, lane);
	if (!wait_ms && !now && !may_wait(lane, caller))
		wait_ms = place_wait_ms(lane, now_ms);
	if (wait_ms) {
		free(job);
		if (caller)
			forget_idle(lane, caller);
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
		wait_in(lane, job);
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
	forget_idle(lane, job->caller);
	free(job);
}

static void take_waiting(struct lane *lane, struct caller *caller, struct job *before)
{
	struct job **at = before ? &before->next : &caller->waiting, *job = *at;
	*at = job->next;
	if (caller->waiting_last == job)
		caller->waiting_last = before;
	job->next = NULL;
	caller->waiting_count--;
	lane->waiting_count--;
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
		take_waiting(lane, caller, before);
		forget_idle(lane, caller);
		free(job);
		return;
	}
}

static struct caller *next_caller(const struct lane *lane)
{
	struct caller *best = NULL;
	for (struct caller *one = lane->callers; one; one = one->next) {
		bool better =
			!best || one->running_count < best->running_count ||
			(one->running_count == best->running_count && one->served < best->served);
		if (one->waiting && better)
			best = one;
	}
	return best;
}

uint64_t quota_next(struct quota *quota, uint64_t now_ms)
{
	struct lane *best = NULL;
	for (struct lane *lane = quota->lanes; lane; lane = lane->next)
		if (lane->waiting_count && may_start(quota, lane) &&
			(!best || lane->served < best->served))
			best = lane;
	struct caller *caller = best ? next_caller(best) : NULL;
	if (!caller)
		return 0;
	struct job *job = caller->waiting;
	take_waiting(best, caller, NULL);
	start(quota, best, job, now_ms);
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
