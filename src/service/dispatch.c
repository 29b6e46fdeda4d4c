/*
 * dispatch: which of the jobs that wait gets a cell next, and which cell.
 *
 * The slots are shared out between roles: the next job is the oldest one of the role that has the
 * fewest cells, and while there are several roles none may hold more than three quarters of the
 * slots. So a role that floods the queue waits for itself. Nor does it take the last cells that are
 * free, and where CPU is short, most of its cells yield.
 */
#include "service/service.h"

#include "base/clock.h"
#include "service/yield.h"

#include <stdio.h>
#include <string.h>

/* A role with as many jobs under way leaves the last free cells, and counts as one that floods. */
#define BUSY_JOBS 2u

static uint32_t share_of(struct service *service, const char *name)
{
	for (uint32_t i = 0; i < service->role_count; i++)
		if (strcmp(service->roles[i].name, name) == 0)
			return i;
	if (service->role_count == ROLES_MAX)
		return 0;
	struct role_share *share = &service->roles[service->role_count];
	(void)snprintf(share->name, sizeof(share->name), "%s", name);
	share->active = 0;
	return service->role_count++;
}

static bool has_its_share(const struct service *service, const struct job *job)
{
	uint32_t most = service->cell_count - (service->cell_count + 3) / 4;
	return service->role_count > 1 && most > 0 && service->roles[job->role].active >= most;
}

static struct job *next_job(struct service *service)
{
	struct job *job, *best = NULL;
	TAILQ_FOREACH(job, &service->waiting, queue)
	{
		if (job->stuck || has_its_share(service, job))
			continue;
		if (!best || service->roles[job->role].active < service->roles[best->role].active)
			best = job;
	}
	return best;
}

static void take_off(struct service *service, struct job *job)
{
	TAILQ_REMOVE(&service->waiting, job, queue);
	job->queued = false;
}

static void refuse(struct service *service, struct job *job, const struct err *fault)
{
	take_off(service, job);
	job->fault = *fault;
	job->facts.cause = END_FAULT;
	end_answer_without_cell(job);
}

static void give(struct service *service, struct job *job, struct cell *cell)
{
	take_off(service, job);
	service->roles[job->role].active++;
	job->counted = true;
	job->cell = cell;
	job->yields = yield_is_due(service->roles[job->role].active, service->cpus);
	cell->job = job;
	if (!job->yields && cell->state != CELL_FREE && cell->state < CELL_PARKED_IDLE)
		yield_set(cell, false);
	if (job->turn.session)
		session_own(job->turn.session, cell);
}

static bool leaves_spare(const struct service *service, const struct job *job)
{
	return service->role_count > 1 && service->roles[job->role].active >= BUSY_JOBS;
}

/* Gives the job a cell, or marks it as stuck, or refuses it. */
static void try_job(struct service *service, struct job *job)
{
	struct zygote *zygote = zygote_for(service, job);
	struct cell *cell = zygote ? pool_take(service, zygote, leaves_spare(service, job)) : NULL;

	if (cell) {
		give(service, job, cell);
		if (cell->state == CELL_PARKED_IDLE)
			run_begin(cell);
		return;
	}
	job->stuck = true;
	if (!zygote)
		return;
	zygote_ensure(zygote);
	if (zygote_failed(zygote)) {
		struct err fault = zygote->fault;
		refuse(service, job, &fault);
		return;
	}
	if (!yield_is_due(service->roles[job->role].active + 1, service->cpus))
		yield_hurry(service, zygote);
	if (zygote_ready(zygote) && pool_is_making(service, zygote))
		return; /* each would only take longer; dispatched again when one is parked */
	cell = zygote_ready(zygote) ? pool_free_slot(service) : NULL;
	if (cell) {
		give(service, job, cell);
		cell_make(cell, zygote);
	} else if (zygote_ready(zygote)) {
		pool_evict(service);
	}
}

void dispatch(struct service *service)
{
	struct job *job;
	/* What starts or ends a cell in here asks for another round; one at a time will do. */
	if (service->dispatching) {
		service->dispatch_again = true;
		return;
	}
	service->dispatching = true;
	do {
		service->dispatch_again = false;
		TAILQ_FOREACH(job, &service->waiting, queue)
		job->stuck = false;
		while ((job = next_job(service)))
			try_job(service, job);
	} while (service->dispatch_again && !TAILQ_EMPTY(&service->waiting));
	service->dispatching = false;
	yield_look(service);
	pool_refill_soon(service);
}

void dispatch_enqueue(struct service *service, struct job *job)
{
	job->role = share_of(service, job->spec.role);
	job->level = level_for(service, &job->spec);
	job->queued_us = clock_now_us();
	TAILQ_INSERT_TAIL(&service->waiting, job, queue);
	job->queued = true;
	dispatch(service);
}

void dispatch_forget(struct service *service, struct job *job)
{
	if (job->queued)
		take_off(service, job);
	if (job->counted)
		service->roles[job->role].active--;
	job->counted = false;
}
