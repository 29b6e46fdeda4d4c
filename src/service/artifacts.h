/*
 * artifacts: the files that a job left, by descriptor, once nothing in the cell can move.
 *
 * No path is ever trusted (service/folder.h); inputs may be mounts, which are never entered.
 * Nothing is changed, owned or removed.
 */
#ifndef BRIG_SERVICE_ARTIFACTS_H
#define BRIG_SERVICE_ARTIFACTS_H

#include "base/buf.h"
#include "base/err.h"
#include "wire/job.h"
#include "wire/result.h"

/* One file as it was when it was last told of. The path's hash is keyed: a job that wants to be
 * overlooked has to leave the file as it was. */
struct seen {
	uint64_t path, inode, bytes;
	int64_t modified_s, modified_ns;
};

/* What a session's earlier calls have told of. Zeroed it is empty; free(entries). */
struct seen_list {
	struct seen *entries;
	size_t count;
};

struct artifacts {
	struct buf names; /* what the spans of the two arrays point into, once finished */
	struct job_artifact found[LIMIT_ARTIFACTS];
	size_t found_count;
	uint64_t found_bytes;
	struct job_skipped skipped[RESULT_SKIPPED_MAX];
	size_t skipped_count;
	size_t folders, left_out;
	char total[192]; /* what the last of them says where not all are listed */
	size_t name_offset[LIMIT_ARTIFACTS], skipped_offset[RESULT_SKIPPED_MAX];
	const struct seen_list *before;
	struct seen_list now;
};

/* Walks the folder behind `work_fd`; where there are too many files, the first by name are found.
 * The last of `skipped` then counts what is not listed. Files named like one of `inputs` stay out,
 * and with `seen` (else NULL) what it holds unchanged; it then holds what was told of until now.
 * What begins with a dot is named and not found, a folder as "NAME/" alone; `__pycache__` is
 * neither. Never fails: what cannot be read is skipped and named. */
void artifacts_collect(struct artifacts *artifacts, int work_fd, const struct job_input *inputs,
	uint32_t input_count, struct seen_list *seen);

/* Adds a file that was put there from outside, by its descriptor: it is none of the code's own.
 * Without memory for it the next walk tells of it. */
void artifacts_saw(struct seen_list *seen, const char *path, int fd);

void artifacts_done(struct artifacts *artifacts);

/* Opens a regular file `name` (no '/') of the spool below `tmp_fd`. Its size, or -errno. */
int artifacts_open_spooled(
	int tmp_fd, const char *name, uint64_t max_bytes, uint64_t *ret_bytes) MUST_CHECK;

#endif
