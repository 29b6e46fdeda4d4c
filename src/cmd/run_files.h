/* run_files: what a job left, written to --out and listed; or listed, and that it is not kept. */
#ifndef BRIG_CMD_RUN_FILES_H
#define BRIG_CMD_RUN_FILES_H

#include "cmd/run_report.h"

/* 0 or -errno; a folder that fails has been complained of. */
int run_files(
	const struct run_options *options, const struct view *view, struct sink *err) MUST_CHECK;

#endif
