/* quota_lane: lists and counts. */
#include "tool/quota_lane.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define WAIT_MS_MAX 300000u

struct caller *lane_caller(struct lane *lane, const char *name)
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

void lane_forget_idle(struct lane *lane, struct caller *caller)
{
	struct caller **at = &lane->callers;
	if (caller->waiting_count || caller->running_count)
		return;
	while (*at != caller)
		at = &(*at)->next;
	*at = caller->next;
	free(caller);
}

void lane_wait(struct lane *lane, struct job *job)
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

void lane_take_waiting(struct lane *lane, struct caller *caller, struct job *before)
{
	struct job **at = before ? &before->next : &caller->waiting, *job = *at;
	*at = job->next;
	if (caller->waiting_last == job)
		caller->waiting_last = before;
	job->next = NULL;
	caller->waiting_count--;
	lane->waiting_count--;
}

bool lane_may_wait(const struct lane *lane, const struct caller *caller)
{
	uint32_t waiting = 1; /* callers, this one among them */
	if (!lane->queue_max)
		return false;
	if (!caller->waiting_count)
		return true;
	for (const struct caller *one = lane->callers; one; one = one->next)
		waiting += one != caller && one->waiting_count > 0;
	return lane->waiting_count < lane->queue_max &&
	       caller->waiting_count < lane->queue_max / waiting + (lane->queue_max < waiting);
}

struct caller *lane_next_caller(const struct lane *lane)
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

/* Until one of the running jobs can be expected to end: after as long as jobs take here, or, where
 * it has run for longer or nothing is known yet, at its limit. */
uint64_t lane_place_wait_ms(const struct lane *lane, uint64_t now_ms)
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
