/*
 * artifacts: the files that a job left, by descriptor, once nothing in the cell can move.
 *
 * No path is ever trusted: every step is openat2 beneath the work folder, through no symbolic link
 * and into no other mount (inputs are such). Nothing is changed, owned or removed.
 *
 * Source: openat2(2) (5.6).
 */
#ifndef BRIG_SERVICE_ARTIFACTS_H
#define BRIG_SERVICE_ARTIFACTS_H

#include "base/buf.h"
#include "base/err.h"
#include "wire/job.h"
#include "wire/result.h"

struct artifacts {
	struct buf names; /* what the spans of the two arrays point into, once finished */
	struct job_artifact found[LIMIT_ARTIFACTS];
	size_t found_count;
	uint64_t found_bytes;
	struct job_skipped skipped[RESULT_SKIPPED_MAX];
	size_t skipped_count;
	size_t visited;
	size_t name_offset[LIMIT_ARTIFACTS], skipped_offset[RESULT_SKIPPED_MAX];
};

/* Walks the folder behind `work_fd`. Files named like an input stay out. Never fails: what cannot
 * be read is skipped and named. */
void artifacts_collect(struct artifacts *artifacts, int work_fd, const struct job_spec *spec);

void artifacts_done(struct artifacts *artifacts);

/* Opens a regular file `name` (no '/') of the spool below `tmp_fd`. Its size, or -errno. */
int artifacts_open_spooled(
	int tmp_fd, const char *name, uint64_t max_bytes, uint64_t *ret_bytes) MUST_CHECK;

#endif
