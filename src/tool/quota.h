/*
 * quota: whether a role's job runs now, waits or is refused. Pure: the caller gives the time and
 * keeps the jobs; this room counts.
 *
 *	decision = quota_ask(quota, role, now_ms, &ticket);
 *	QUOTA_RUN	start it; when it has ended: quota_done(quota, ticket), then quota_next
 *	QUOTA_QUEUE	keep it under `ticket.id` until quota_next gives that id, or quota_leave it
 *	QUOTA_REFUSE	429, Retry-After: ticket.retry_after_s
 *
 * Roles take turns: of those with a waiting job and a free place, the one that was served longest
 * ago goes next. Where there are several roles none runs more than three quarters of all that may
 * run, so that jobs that last leave places to the others. Within a role its callers take turns: the
 * one with the fewest running jobs goes next, of those the one that was served longest ago, and
 * each caller's own jobs are first come, first served. A role's queue is shared: while several
 * callers wait, each may hold its part of queue_max, and who waits with none may always add one,
 * also to a full queue. Jobs a minute are a token bucket that holds one minute's worth. A role is
 * known by its name, so counts survive a reload of the configuration.
 *
 * Threads: none shared. Time: linear in the number of roles, for done and leave also in that role's
 * callers and jobs. Memory: bounded by jobs_at_once, queue_max and the callers of each role.
 */
#ifndef BRIG_TOOL_QUOTA_H
#define BRIG_TOOL_QUOTA_H

#include "base/err.h"
#include "tool/role.h"

struct quota;

enum quota_decision { QUOTA_RUN, QUOTA_QUEUE, QUOTA_REFUSE };

struct quota_ticket {
	uint64_t id;		/* unique, above 0; 0 where refused */
	uint32_t retry_after_s; /* at least 1 where refused, else 0 */
	const char *why; /* static, for the refusal: "jobs_per_minute", "queue_max"; else NULL */
};

#define QUOTA_CALLER_BYTES 64u

struct quota_asker {
	const char *caller; /* whose job it is, within its role: at most QUOTA_CALLER_BYTES - 1 */
	uint32_t wall_ms;   /* the longest that the job may run */
};

/* `running_max`: jobs of all roles at once, at least 1. 0 or -ENOMEM. */
int quota_new(uint32_t running_max, struct quota **ret_quota) MUST_CHECK;
void quota_free(struct quota *quota);

/* `now_ms` is monotonic, here and below. Out of memory counts as refused. The time to wait for a
 * place in the queue is read from how long the role's jobs take, and those that run have run. */
enum quota_decision quota_ask(struct quota *quota, const struct role *role,
	const struct quota_asker *asker, uint64_t now_ms, struct quota_ticket *ret_ticket);

/* Takes one of the role's jobs a minute for a call that comes to nothing. 0, or the seconds to wait
 * where none is left. */
uint32_t quota_charge(struct quota *quota, const struct role *role, uint64_t now_ms);

/* A running job ended. Unknown ids are ignored. */
void quota_done(struct quota *quota, uint64_t id, uint64_t now_ms);

/* A waiting job went away. Unknown ids are ignored. */
void quota_leave(struct quota *quota, uint64_t id);

/* The id of the waiting job that may run now (it then counts as running), or 0. Call until 0. */
uint64_t quota_next(struct quota *quota, uint64_t now_ms);

/*
 * Takes the roles over, and changed limits (a role's are else those it had when it was first seen).
 * Until this is called there is one role, for what each may run of all. A role that
 * is gone keeps its jobs, and is forgotten at a reload after the last of them.
 */
void quota_reload(struct quota *quota, const struct role *roles, size_t count);

struct quota_count {
	uint32_t running, waiting;
};

/* Of one role by name, or of all with NULL. */
struct quota_count quota_count(const struct quota *quota, const char *role_name);

#endif
