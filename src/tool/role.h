/*
 * role: what a caller may do, and the admission of one job by it.
 *
 * Admission only ever tightens: a limit beyond the role's is taken down to it (the result's
 * `limits` show that), and everything else that the role does not allow is refused. It does no I/O
 * but to open and hash the files that a request names below the role's own file roots.
 *
 * Source: openat2(2) (RESOLVE_BENEATH, RESOLVE_NO_SYMLINKS, RESOLVE_NO_MAGICLINKS; Linux 5.6).
 */
#ifndef BRIG_TOOL_ROLE_H
#define BRIG_TOOL_ROLE_H

#include "base/err.h"
#include "base/span.h"
#include "wire/job.h"

#include <stdbool.h>

#define ROLE_NAME_BYTES 33u
#define ROLE_ROOTS_MAX 16u
#define ROLE_IMAGE_BYTES 65u

enum role_tool { ROLE_CALCULATE = 1, ROLE_RUN_SANDBOXED = 2 };

/* The tools' names as callers write them. */
#define ROLE_TOOL_CALCULATE "calculate"
#define ROLE_TOOL_RUN "run_sandboxed"

struct role_root {
	char name[ROLE_NAME_BYTES];
	char *path; /* absolute, without symbolic links when it was loaded */
};

struct role {
	char name[ROLE_NAME_BYTES];
	unsigned tools;		      /* set of enum role_tool */
	char image[ROLE_IMAGE_BYTES]; /* empty: the default image */
	bool sessions;
	uint32_t sessions_max;	  /* alive at once, of all who have the role */
	uint32_t session_idle_ms; /* without a call, unless a session asks */
	uint32_t session_life_ms; /* in all: what a session gets, and the most it may ask */
	bool isolate;		  /* its jobs come from interpreters that no other role's do */
	bool audit;		  /* may see other tokens' jobs */
	struct role_root roots[ROLE_ROOTS_MAX];
	size_t root_count;
	struct job_limits limits_default; /* for a request that names none */
	struct job_limits limits_max;
	uint32_t jobs_at_once;
	uint32_t jobs_per_minute; /* 0: no such limit */
	uint32_t queue_max;
};

/* ROLE_CALCULATE or ROLE_RUN_SANDBOXED by name, or 0. */
unsigned role_tool_by_name(const char *name);

/* Whether the role has the tool. Where it has not: -EPERM with the one text that a caller is told.
 */
int role_allows(const struct role *role, const char *tool, struct err *err) MUST_CHECK;

/* Limits that are 0 become the role's defaults, those beyond its maxima are taken down to them. */
void role_tighten(const struct role *role, struct job_limits *limits);

/*
 * Admits a job: the role must have run_sandboxed (-EPERM); limits that are 0 become the role's
 * defaults, those beyond its maxima or the product's ceilings are clamped, memory below 64 MiB is
 * raised to that; `wants_session` needs sessions = yes (-EPERM). Code beyond LIMIT_CODE_BYTES:
 * -E2BIG. Changes spec->limits alone.
 */
int role_admit(const struct role *role, struct job_spec *spec, bool wants_session,
	struct err *err) MUST_CHECK;

/*
 * Opens `path`, which is "ROOT/relative", below that root of the role: no symbolic link on the way,
 * nothing above the root, a regular file of at most `max_bytes`. 0 with a descriptor for the
 * caller, its size and its SHA-256; -ENOENT with one same text whether the root is unknown, the
 * file absent, forbidden, unreadable or no regular file; -E2BIG; -EINVAL for a path that is none
 * (empty, NUL, "..", absolute, over 4,095 bytes); -EIO.
 */
int role_open(const struct role *role, struct span path, uint64_t max_bytes, int *ret_fd,
	uint64_t *ret_bytes, unsigned char ret_sha256[32], struct err *err) MUST_CHECK;

/* role_open and job_spec_add_input in one. `name` NULL: the path's last component. */
int role_add_path(const struct role *role, struct job_spec *spec, struct span path,
	const char *name, struct err *err) MUST_CHECK;

#endif
