/*
 * run_told: the result of a job as a dispatcher tells it, made into what the report wants: the one
 * object, the renderings, and files and charts as descriptors.
 */
#ifndef BRIG_CMD_RUN_TOLD_H
#define BRIG_CMD_RUN_TOLD_H

#include "cmd/run_parts.h"
#include "tool/json.h"
#include "tool/view.h"

struct run_told {
	json_t *object, *display;
	struct buf text; /* of the object, as it came */
	struct job_result result;
	struct view view; /* its outcome, files and charts, and no more */
	struct job_artifact artifacts[LIMIT_ARTIFACTS];
	struct job_item charts[LIMIT_CHARTS];
};

void run_told_init(struct run_told *told);
void run_told_done(struct run_told *told);

/* The data of the events `result` and `display`. 0, -EBADMSG, -ENOMEM. */
int run_told_result(struct run_told *told, struct span data) MUST_CHECK;
int run_told_display(struct run_told *told, struct span data) MUST_CHECK;

/* Fetches what --out is to hold. 0 or -errno with a text. */
int run_told_fetch(
	struct run_told *told, const struct serving *serving, struct err *err) MUST_CHECK;

/* Shows it all; the exit status. */
int run_told_report(struct run *run, struct run_told *told);

#endif
