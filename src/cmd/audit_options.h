/* audit_options: the command line of `brig audit`, and where the log is. */
#ifndef BRIG_CMD_AUDIT_OPTIONS_H
#define BRIG_CMD_AUDIT_OPTIONS_H

#include "audit/audit_query.h"

#include <limits.h>
#include <stdbool.h>

/* All strings but `db` are the command line's own. */
struct audit_options_cli {
	const char *verb;
	const char *id; /* of show */
	const char *head;
	struct audit_filter filter;
	bool json, brief, help;
	char db[PATH_MAX];
};

/* 0 or -EINVAL with one line that names the fix. */
int audit_options_parse(
	struct audit_options_cli *options, int argc, char **argv, struct err *err) MUST_CHECK;

/*
 * A moment as people write it: 2026-11-30, 2026-11-30T08:15:00 (UTC; a Z may follow), or 90s, 15m,
 * 2h, 7d ago. False where it is none of these.
 */
bool audit_moment(const char *text, uint64_t now_us, uint64_t *ret_us);

extern const char audit_options_help[];

#endif
