/*
 * yield: which cells run only while no other cell wants the CPU.
 *
 * A cell that yields is idle to the scheduler (cpu.idle) among the groups of the cells: whoever
 * wakes in another one has its CPU at once, and need not wait for the end of a slice. Against the
 * rest of the host it counts as before. So wait:
 *
 *	a cell being made, unless a job that does not yield waits for it; and with all of them the
 *	maker and the zygotes, which have a group of their own
 *	a job of a role beyond its first ones: as many as half of the CPUs could run
 *	what dies
 *
 * The service is in a group beside them, so that its own time is not weighed against that of all
 * cells. None of them yields for ever: what is made or dies has a time limit for that, and a job
 * that hardly gets on competes like any other in every second quarter of a second.
 *
 * Source: Documentation/scheduler/sched-design-CFS.rst, SCHED_IDLE; cpu.idle since Linux 5.15.
 */
#ifndef BRIG_SERVICE_YIELD_H
#define BRIG_SERVICE_YIELD_H

#include <stdbool.h>
#include <stdint.h>

struct cell;
struct service;
struct zygote;

/* Makes the service's group and the makers'; enters the one. */
void yield_init(struct service *service);

/* Looks whether the makers' group still yields, or does again. */
void yield_look(struct service *service);

/* From now on. Asked for once more, its time begins anew. */
void yield_set(struct cell *cell, bool yields);

/* Whether a job yields that is a role's `active`-th at the same time, on so many CPUs. */
bool yield_is_due(uint32_t active, uint32_t cpus);

/* A job that does not yield waits for a cell of this level: those being made compete now. */
void yield_hurry(struct service *service, const struct zygote *zygote);

#endif
