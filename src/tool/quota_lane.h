/*
 * quota_lane: one role's jobs, for quota.c alone: those that run, and its callers, each with the
 * jobs that wait.
 */
#ifndef BRIG_TOOL_QUOTA_LANE_H
#define BRIG_TOOL_QUOTA_LANE_H

#include "tool/quota.h"

#include <stdbool.h>
#include <stdint.h>

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

/* The caller of that name, made where there is none; NULL where memory is out. */
struct caller *lane_caller(struct lane *lane, const char *name);

/* Frees a caller that has no job any more. */
void lane_forget_idle(struct lane *lane, struct caller *caller);

void lane_wait(struct lane *lane, struct job *job);

/* Takes the job behind `before` (NULL: the first) off the caller's waiting ones. */
void lane_take_waiting(struct lane *lane, struct caller *caller, struct job *before);

/* Whether the caller may wait with one job more. */
bool lane_may_wait(const struct lane *lane, const struct caller *caller);

/* Whose turn it is, of those with a waiting job, or NULL. */
struct caller *lane_next_caller(const struct lane *lane);

uint64_t lane_place_wait_ms(const struct lane *lane, uint64_t now_ms);

#endif
