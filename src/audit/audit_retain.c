/*
 * audit_retain: rows that are too old or too many go, and a checkpoint stays.
 *
 * The checkpoint is a row of the chain like any other. It says through which row the log was cut
 * and what that row's hash was, which is what the first row that is left was chained to: so the
 * rest verifies, and a log that lacks rows without such a row does not.
 */
#include "audit/audit_state.h"

#include <errno.h>
#include <sodium.h>
#include <stdio.h>
#include <string.h>

#define STEP_ROWS 2000u

struct cut {
	uint64_t first, through; /* rows first … through go */
	const char *why;
};

static int used_bytes(struct audit *audit, uint64_t *ret_bytes, struct err *err)
{
	uint64_t pages = 0, unused = 0, page_bytes = 0;
	int rc = audit_db_number(&audit->db, "PRAGMA page_count", &pages, err);
	if (!rc)
		rc = audit_db_number(&audit->db, "PRAGMA freelist_count", &unused, err);
	if (!rc)
		rc = audit_db_number(&audit->db, "PRAGMA page_size", &page_bytes, err);
	if (!rc)
		*ret_bytes = pages > unused ? (pages - unused) * page_bytes : 0;
	return rc;
}

/* Age: everything before the first row that is young enough. */
static int cut_by_age(struct audit *audit, uint64_t now_us, struct cut *cut, struct err *err)
{
	char sql[160];
	uint64_t age_us, keep = 0;
	if (!audit->retention_ms || __builtin_mul_overflow(audit->retention_ms, 1000, &age_us) ||
		age_us >= now_us)
		return 0;
	(void)snprintf(sql, sizeof(sql),
		"SELECT seq FROM entry WHERE time_us >= %llu ORDER BY seq LIMIT 1",
		(unsigned long long)(now_us - age_us));
	int rc = audit_db_number(&audit->db, sql, &keep, err);
	if (rc < 0)
		return rc;
	uint64_t through = keep ? keep - 1 : audit->tail.seq;
	if (through > cut->through)
		*cut = (struct cut){.first = cut->first, .through = through, .why = "age"};
	return 0;
}

/* Size: as many of the oldest rows as are, at the mean size, a tenth more than what is too much. */
static int cut_by_size(struct audit *audit, struct cut *cut, struct err *err)
{
	uint64_t used = 0, max = audit->retention_bytes;
	if (!max)
		return 0;
	int rc = used_bytes(audit, &used, err);
	if (rc < 0 || used <= max)
		return rc;
	uint64_t rows = audit->tail.seq - cut->first + 1;
	double surplus = (double)(used - max) + 0.1 * (double)max;
	uint64_t through = cut->first + (uint64_t)((double)rows * surplus / (double)used);
	if (through > cut->through)
		*cut = (struct cut){.first = cut->first, .through = through, .why = "size"};
	return 0;
}

static int hash_of_row(
	struct audit *audit, uint64_t seq, char hex[AUDIT_HASH_HEX_BYTES], struct err *err)
{
	char sql[96];
	sqlite3_stmt *statement;
	(void)snprintf(sql, sizeof(sql), "SELECT hash FROM entry WHERE seq = %llu",
		(unsigned long long)seq);
	int rc = audit_db_prepare(&audit->db, sql, &statement, err);
	if (rc < 0)
		return rc;
	int code = sqlite3_step(statement);
	if (code == SQLITE_ROW && sqlite3_column_bytes(statement, 0) == (int)AUDIT_HASH_BYTES)
		(void)sodium_bin2hex(hex, AUDIT_HASH_HEX_BYTES, sqlite3_column_blob(statement, 0),
			AUDIT_HASH_BYTES);
	else
		rc = audit_db_fault(&audit->db,
			code == SQLITE_ROW || code == SQLITE_DONE ? SQLITE_CORRUPT : code, err);
	(void)sqlite3_finalize(statement);
	return rc;
}

static int sign_off(struct audit *audit, const struct cut *cut, struct err *err)
{
	char hex[AUDIT_HASH_HEX_BYTES], note[256], sql[96];
	struct audit_row row = {.time_us = audit_now_us(), .writer = audit->writer};
	int rc = hash_of_row(audit, cut->through, hex, err);
	if (rc < 0)
		return rc;
	unsigned long long through = cut->through, rows = through - cut->first + 1;
	(void)snprintf(note, sizeof(note),
		"{\"through\":%llu,\"hash\":\"%s\",\"rows\":%llu,\"why\":\"%s\"}", through, hex,
		rows, cut->why);
	audit_row_set(&row, AUDIT_TEXT_KIND, AUDIT_KIND_CHECKPOINT);
	audit_row_set(&row, AUDIT_TEXT_NOTE, note);
	rc = audit_db_append(&audit->db, &row, &audit->tail, err);
	(void)snprintf(sql, sizeof(sql), "DELETE FROM entry WHERE seq <= %llu",
		(unsigned long long)cut->through);
	return rc ? rc : audit_db_run(&audit->db, sql, err);
}

static int retain(
	struct audit *audit, uint64_t now_us, struct cut *cut, bool *ret_more, struct err *err)
{
	int rc = audit_db_tail(&audit->db, &audit->tail, err);
	if (!rc)
		rc = audit_db_number(&audit->db, "SELECT min(seq) FROM entry", &cut->first, err);
	if (rc < 0 || cut->first == 0)
		return rc;
	rc = cut_by_age(audit, now_us, cut, err);
	if (!rc)
		rc = cut_by_size(audit, cut, err);
	if (rc < 0 || cut->through < cut->first)
		return rc;
	/* A log of one row, the last checkpoint as a rule, stays as it is. */
	if (cut->first == audit->tail.seq) {
		cut->through = 0;
		return 0;
	}
	if (cut->through > audit->tail.seq)
		cut->through = audit->tail.seq;
	*ret_more = cut->through - cut->first >= STEP_ROWS;
	if (*ret_more)
		cut->through = cut->first + STEP_ROWS - 1;
	return sign_off(audit, cut, err);
}

int audit_retain(struct audit *audit, uint64_t now_us, bool *ret_more, struct err *err)
{
	struct cut cut = {0};
	struct audit_tail before = audit->tail;
	*ret_more = false;
	if (!audit->retention_ms && !audit->retention_bytes)
		return 0;
	int rc = audit_db_begin(&audit->db, err);
	if (rc < 0)
		return rc;
	rc = retain(audit, now_us, &cut, ret_more, err);
	if (!rc)
		rc = audit_db_commit(&audit->db, err);
	else
		audit_db_rollback(&audit->db);
	if (rc < 0)
		audit->tail = before;
	else if (cut.through)
		rc = audit_db_run(&audit->db, "PRAGMA incremental_vacuum(2000)", err);
	return rc;
}
