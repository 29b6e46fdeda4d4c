/*
 * audit_query: reading the log: calls (a call's rows as one), single rows, all rows.
 *
 * Every function reads one consistent state and calls back for each match; the callback returns 0,
 * or anything else to stop, which is then returned. Spans live for the length of the callback.
 */
#ifndef BRIG_AUDIT_AUDIT_QUERY_H
#define BRIG_AUDIT_AUDIT_QUERY_H

#include "audit/audit_row.h"

struct audit_filter {
	const char *role, *outcome; /* NULL: any */
	const char *text; /* in code, stdin, output, error, tool or inputs; ASCII case aside */
	uint64_t since_us, until_us; /* of the call's first row; 0: open */
	uint64_t before_seq;	     /* of the call's first row; 0: open */
	uint64_t limit;		     /* 0: all */
};

/* One call: the row it began with and the row it ended with, which may be the same. */
struct audit_found {
	struct audit_row begin;
	struct audit_row end; /* seq 0 where it has no end yet: its outcome is then "running" */
};

typedef int audit_found_call(const struct audit_found *found, void *user);
typedef int audit_found_row(const struct audit_row *row, void *user);

/* Calls, the latest first. */
int audit_list(const char *path, const struct audit_filter *filter, audit_found_call *callback,
	void *user, struct err *err) MUST_CHECK;

/* The rows of one call, by its id or by the number of one of its rows. -ENOENT. */
int audit_show(const char *path, const char *id, audit_found_row *callback, void *user,
	struct err *err) MUST_CHECK;

/* All rows that match, in the order of the chain; role, outcome and text are the row's own. */
int audit_export(const char *path, const struct audit_filter *filter, audit_found_row *callback,
	void *user, struct err *err) MUST_CHECK;

/* What a found call is called: its end's outcome, or "running". */
struct span audit_outcome(const struct audit_found *found);

#endif
