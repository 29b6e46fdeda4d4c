/*
 * audit_recover: calls that were accepted by a process that then died get their end.
 *
 * All of it is one transaction: a process that dies in the middle leaves it to the next.
 */
#include "audit/audit_state.h"

#include "audit/audit_lock.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static int register_writer(struct audit *audit, struct err *err)
{
	char sql[96];
	(void)snprintf(sql, sizeof(sql), "INSERT INTO writer(pid) VALUES (%d)", (int)getpid());
	int rc = audit_db_run(&audit->db, sql, err);
	if (rc < 0)
		return rc;
	uint64_t writer = (uint64_t)sqlite3_last_insert_rowid(audit->db.handle);
	/* Before the commit: whoever sees the number finds its byte locked. */
	rc = audit_lock_take(audit->lock_fd, writer, err);
	if (!rc)
		audit->writer = writer;
	return rc;
}

static int interrupt_row(struct audit *audit, sqlite3_stmt *call, struct err *err)
{
	static const enum audit_text texts[] = {AUDIT_TEXT_CALL, AUDIT_TEXT_ROLE, AUDIT_TEXT_TOKEN,
		AUDIT_TEXT_DOOR, AUDIT_TEXT_TOOL};
	struct audit_row row = {.time_us = audit_now_us(), .writer = audit->writer};
	audit_row_set(&row, AUDIT_TEXT_KIND, AUDIT_KIND_INTERRUPTED);
	audit_row_set(&row, AUDIT_TEXT_OUTCOME, AUDIT_KIND_INTERRUPTED);
	for (int i = 0; i < 5; i++) {
		const void *text = sqlite3_column_text(call, i);
		row.texts[texts[i]] =
			span_of(text, text ? (size_t)sqlite3_column_bytes(call, i) : 0);
	}
	return audit_db_append(&audit->db, &row, &audit->tail, err);
}

static int interrupt_calls(struct audit *audit, uint64_t writer, struct err *err)
{
	char sql[160];
	sqlite3_stmt *calls;
	(void)snprintf(sql, sizeof(sql),
		"SELECT call, role, token, door, tool FROM open_call WHERE writer = %llu "
		"ORDER BY call",
		(unsigned long long)writer);
	int code, rc = audit_db_prepare(&audit->db, sql, &calls, err);
	if (rc < 0)
		return rc;
	while (!rc && (code = sqlite3_step(calls)) != SQLITE_DONE)
		rc = code == SQLITE_ROW ? interrupt_row(audit, calls, err)
					: audit_db_fault(&audit->db, code, err);
	(void)sqlite3_finalize(calls);
	(void)snprintf(sql, sizeof(sql),
		"DELETE FROM open_call WHERE writer = %llu; DELETE FROM writer WHERE id = %llu",
		(unsigned long long)writer, (unsigned long long)writer);
	return rc ? rc : audit_db_run(&audit->db, sql, err);
}

/* The lowest writer above `after` that lives no more; 0 where there is none. */
static int next_dead(struct audit *audit, uint64_t after, uint64_t *ret_writer, struct err *err)
{
	char sql[128];
	uint64_t writer = after;
	int rc = 0;
	do {
		(void)snprintf(sql, sizeof(sql),
			"SELECT id FROM writer WHERE id > %llu ORDER BY id LIMIT 1",
			(unsigned long long)writer);
		rc = audit_db_number(&audit->db, sql, &writer, err);
	} while (!rc && writer &&
		 (writer == audit->writer || audit_lock_alive(audit->lock_fd, writer)));
	*ret_writer = writer;
	return rc;
}

int audit_recover(struct audit *audit, struct err *err)
{
	uint64_t writer = 0;
	int rc = audit_db_begin(&audit->db, err);
	if (rc < 0)
		return rc;
	rc = audit_db_tail(&audit->db, &audit->tail, err);
	if (!rc)
		rc = register_writer(audit, err);
	while (!rc && (rc = next_dead(audit, writer, &writer, err)) == 0 && writer)
		rc = interrupt_calls(audit, writer, err);
	if (!rc)
		rc = audit_db_commit(&audit->db, err);
	else
		audit_db_rollback(&audit->db);
	return rc;
}
