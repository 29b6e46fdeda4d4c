/*
 * zygote: the warm interpreters, as the service knows them: one struct for each level of the image
 * and for each level of a role that has its own, and in it the process that forks and its
 * successor or predecessor.
 */
#ifndef BRIG_SERVICE_ZYGOTE_H
#define BRIG_SERVICE_ZYGOTE_H

#include "base/err.h"
#include "wire/cell.h"
#include "wire/job.h"

#include <event2/event.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct cell;
struct job;
struct service;

enum warm_state {
	WARM_OFF,
	WARM_STARTING,
	WARM_READY,
	WARM_RETIRING, /* forks no more; goes once its last answer has come */
	WARM_ENDING,   /* killed, not reaped yet */
};

/* Behind the work folder's own size, so that a full folder is ENOSPC as everywhere. */
#define RUNNER_FILE_BYTES (2 * LIMIT_WORK_BYTES_MAX)

#define ZYGOTES_MAX 32u
#define ZYGOTE_MODULES_MAX 128u
#define ZYGOTE_FAILURES_MAX 3u

/* One warm process. */
struct warm {
	struct zygote *zygote;
	enum warm_state state;
	pid_t pid;
	int pidfd, control_fd;
	uint32_t forks, answers_due;
	uint64_t born_us;
	struct event *read, *ended;
	struct event *limit; /* timer: it should be ready by now */
};

/* A level of the image, shared by all roles or kept for one. */
struct zygote {
	struct service *service;
	char level[16];
	char role[64];	   /* empty: shared */
	uint32_t warmth;   /* the level's number: what a cell of a warmer one can do as well */
	char *module_text; /* the level's file, cut at its line ends */
	const char *modules[ZYGOTE_MODULES_MAX]; /* what it preloads, top-level names */
	size_t module_count;
	struct warm warm[2]; /* the one that forks, and its successor or predecessor */
	unsigned failures;   /* in a row; at the limit jobs are told */
	uint64_t failed_us;  /* when it last did */
	struct err fault;
	uint32_t park_target, park_floor;
	bool missed; /* since the last look: a job found no parked cell */
	uint64_t used_us;
};

/* level.c */
int zygote_init(struct service *service, struct zygote *zygote, const char *level,
	struct err *err) MUST_CHECK;
struct zygote *level_for(struct service *service, const struct job_spec *spec);

/* zygote.c */
/* Whose fork the job's runner will be: its level's, or the role's own of that level, made where
 * there is none. NULL where there is no place for another. */
struct zygote *zygote_for(struct service *service, const struct job *job);
bool zygote_ready(const struct zygote *zygote);
/* Nothing can be forked before one that is starting has started, or that takes long. */
bool zygote_is_awaited(const struct zygote *zygote);
bool zygote_failed(const struct zygote *zygote);
void zygote_ensure(struct zygote *zygote);
void zygote_stuck(struct warm *warm); /* it owes an answer and does not give it */
void zygote_on_born(
	struct service *service, uint32_t id, const struct maker_answer *answer, int pidfd);
int zygote_spawn(struct zygote *zygote, struct cell *cell, struct err *err) MUST_CHECK;

/* strangers.c */
void strangers_reap(const struct service *service);

#endif
