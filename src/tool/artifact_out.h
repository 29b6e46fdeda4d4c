/*
 * artifact_out: what a job left, copied into a folder of the caller's.
 *
 * Names are the job's own bytes. They are resolved beneath the folder, one component at a time,
 * without following a symbolic link; an absolute name, an empty or dot component or a name that is
 * too long is refused. A file appears under its name only once it is complete.
 *
 * Source: openat(2), renameat(2).
 */
#ifndef BRIG_TOOL_ARTIFACT_OUT_H
#define BRIG_TOOL_ARTIFACT_OUT_H

#include "base/span.h"
#include "tool/view.h"

/* Whether the folder can be written to, or made, before anything is started. 0 or -errno. */
int artifact_out_check(const char *folder, struct err *err) MUST_CHECK;

/* Opens the folder; makes it, and folders above it, where they are missing. */
int artifact_out_open(const char *folder, int *ret_folder_fd, struct err *err) MUST_CHECK;

/*
 * Copies the first `bytes` of `from_fd` (a regular file, read by pread) to `name` in the folder. On
 * failure nothing of it is left there: -EINVAL for a name that is refused, -ENODATA where the file
 * is shorter than that, else the system's -errno; `err` names the file and the fault.
 */
int artifact_out_copy(
	int folder_fd, struct span name, int from_fd, uint64_t bytes, struct err *err) MUST_CHECK;

/* Copies all artifacts of a view and its charts, as chart-1.png and so on. */
int artifact_out_all(int folder_fd, const struct view *view, struct err *err) MUST_CHECK;

/* The name that chart `number` gets, one that no artifact has. */
void artifact_out_chart_name(const struct view *view, size_t number, char out[48]);

#endif
