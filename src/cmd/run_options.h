/* run_options: the command line of `brig run`. */
#ifndef BRIG_CMD_RUN_OPTIONS_H
#define BRIG_CMD_RUN_OPTIONS_H

#include "base/err.h"
#include "wire/job.h"
#include "wire/layer.h"

/* All strings are the command line's own. */
struct run_options {
	const char *code;      /* -c */
	const char *code_path; /* FILE; "-" is standard input */
	const char *files[LIMIT_INPUTS + 1];
	size_t file_count; /* may say one more than a job takes: then it is refused */
	const char *stdin_path;
	const char *out_folder;
	const char *socket_path;
	const char *image;
	const char *session;	  /* "new" or an id */
	struct job_limits limits; /* within the ceilings */
	layer_set allow_degraded;
	enum chart_format chart_format;
	bool json, receipt, table_csv, help;
};

/* 0 or -EINVAL with one line that names the fix: exit status 2. */
int run_options_parse(
	struct run_options *options, int argc, char **argv, struct err *err) MUST_CHECK;

/* One screen. */
extern const char run_options_help[];

#endif
