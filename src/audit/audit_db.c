/* audit_db: transactions and rows. Opening is audit_schema.c. */
#include "audit/audit_db.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

const char audit_db_columns[] =
	"seq, time_us, writer, code_bytes, kind, call, role, token, door, tool, code, code_sha256,"
	" stdin, inputs, limits, outcome, usage, output, error, note, prev, hash";

const char audit_db_insert[] =
	"INSERT INTO entry VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14,"
	" ?15, ?16, ?17, ?18, ?19, ?20, ?21, ?22)";

#define FIRST_TEXT 4

int audit_db_fault(const struct audit_db *db, int code, struct err *err)
{
	int primary = code & 0xff, rc = -EIO;
	const char *fix = "look at the disk and at the system's log";
	if (primary == SQLITE_FULL) {
		rc = -ENOSPC;
		fix = "make room on its disk or lower audit.retention_bytes";
	} else if (primary == SQLITE_BUSY || primary == SQLITE_LOCKED) {
		rc = -EBUSY;
		fix = "another process holds it for long";
	} else if (primary == SQLITE_READONLY || primary == SQLITE_PERM || primary == SQLITE_AUTH) {
		rc = -EACCES;
		fix = "it and its folder must be writable for this user";
	} else if (primary == SQLITE_CORRUPT || primary == SQLITE_NOTADB) {
		rc = -EBADMSG;
		fix = "it is damaged or no log of brig's; move it away and keep it";
	} else if (primary == SQLITE_CANTOPEN) {
		rc = -ENOENT;
		fix = "make its folder, writable for this user";
	} else if (primary == SQLITE_NOMEM) {
		rc = -ENOMEM;
		fix = "out of memory";
	}
	return err_set(err, rc, "audit", "%.100s: %.60s; %s", db->path ? db->path : "audit log",
		db->handle ? sqlite3_errmsg(db->handle) : sqlite3_errstr(code), fix);
}

int audit_db_run(const struct audit_db *db, const char *sql, struct err *err)
{
	int code = sqlite3_exec(db->handle, sql, NULL, NULL, NULL);
	return code == SQLITE_OK ? 0 : audit_db_fault(db, code, err);
}

int audit_db_prepare(
	const struct audit_db *db, const char *sql, sqlite3_stmt **ret_statement, struct err *err)
{
	int code = sqlite3_prepare_v3(
		db->handle, sql, -1, SQLITE_PREPARE_PERSISTENT, ret_statement, NULL);
	return code == SQLITE_OK ? 0 : audit_db_fault(db, code, err);
}

int audit_db_number(
	const struct audit_db *db, const char *sql, uint64_t *ret_number, struct err *err)
{
	sqlite3_stmt *statement;
	int rc = audit_db_prepare(db, sql, &statement, err);
	if (rc < 0)
		return rc;
	int code = sqlite3_step(statement);
	uint64_t number = code == SQLITE_ROW ? (uint64_t)sqlite3_column_int64(statement, 0) : 0;
	if (code != SQLITE_ROW && code != SQLITE_DONE)
		rc = audit_db_fault(db, code, err);
	(void)sqlite3_finalize(statement);
	if (!rc)
		*ret_number = number;
	return rc;
}

void audit_db_close(struct audit_db *db)
{
	sqlite3_stmt *const all[] = {db->begin, db->commit, db->rollback, db->last, db->insert,
		db->open_add, db->open_drop};
	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		(void)sqlite3_finalize(all[i]);
	(void)sqlite3_close(db->handle);
	free(db->path);
	*db = (struct audit_db){0};
}

static int step_once(const struct audit_db *db, sqlite3_stmt *statement, struct err *err)
{
	int code = sqlite3_step(statement);
	int rc = code == SQLITE_DONE ? 0 : audit_db_fault(db, code, err);
	(void)sqlite3_reset(statement);
	return rc;
}

int audit_db_begin(const struct audit_db *db, struct err *err)
{
	return step_once(db, db->begin, err);
}

void audit_db_rollback(const struct audit_db *db)
{
	/* After some faults SQLite has rolled back by itself. */
	if (!sqlite3_get_autocommit(db->handle))
		(void)step_once(db, db->rollback, NULL);
}

int audit_db_commit(const struct audit_db *db, struct err *err)
{
	int rc = step_once(db, db->commit, err);
	if (rc < 0)
		audit_db_rollback(db);
	return rc;
}

int audit_db_tail(const struct audit_db *db, struct audit_tail *ret_tail, struct err *err)
{
	struct audit_tail tail = {0};
	int code = sqlite3_step(db->last), rc = 0;
	if (code == SQLITE_ROW && sqlite3_column_bytes(db->last, 1) == (int)AUDIT_HASH_BYTES) {
		tail.seq = (uint64_t)sqlite3_column_int64(db->last, 0);
		memcpy(tail.hash, sqlite3_column_blob(db->last, 1), AUDIT_HASH_BYTES);
	} else if (code != SQLITE_DONE) {
		rc = audit_db_fault(db, code == SQLITE_ROW ? SQLITE_CORRUPT : code, err);
	}
	(void)sqlite3_reset(db->last);
	if (!rc)
		*ret_tail = tail;
	return rc;
}

static int bind(const struct audit_db *db, const struct audit_row *row)
{
	sqlite3_stmt *statement = db->insert;
	const uint64_t numbers[] = {row->seq, row->time_us, row->writer, row->code_bytes};
	int code = 0;
	for (int i = 0; i < FIRST_TEXT; i++)
		code |= sqlite3_bind_int64(statement, i + 1, (sqlite3_int64)numbers[i]);
	for (int i = 0; i < AUDIT_TEXTS; i++) {
		const struct span *text = &row->texts[i];
		code |= sqlite3_bind_text64(statement, FIRST_TEXT + 1 + i,
			text->len ? (const char *)text->data : "", text->len, SQLITE_STATIC,
			SQLITE_UTF8);
	}
	code |= sqlite3_bind_blob(statement, FIRST_TEXT + AUDIT_TEXTS + 1, row->prev,
		AUDIT_HASH_BYTES, SQLITE_STATIC);
	code |= sqlite3_bind_blob(statement, FIRST_TEXT + AUDIT_TEXTS + 2, row->hash,
		AUDIT_HASH_BYTES, SQLITE_STATIC);
	return code;
}

int audit_db_append(
	const struct audit_db *db, struct audit_row *row, struct audit_tail *tail, struct err *err)
{
	row->seq = tail->seq + 1;
	memcpy(row->prev, tail->hash, AUDIT_HASH_BYTES);
	audit_row_hash(row, row->hash);
	if (bind(db, row) != SQLITE_OK)
		return audit_db_fault(db, SQLITE_NOMEM, err);
	int rc = step_once(db, db->insert, err);
	if (rc < 0)
		return rc;
	tail->seq = row->seq;
	memcpy(tail->hash, row->hash, AUDIT_HASH_BYTES);
	return 0;
}

int audit_db_read(sqlite3_stmt *statement, struct audit_row *ret_row)
{
	return audit_db_read_at(statement, 0, ret_row);
}

/* SQLite would convert: what is of another type was put there by somebody else. */
static bool has_types(sqlite3_stmt *statement, int first)
{
	for (int i = 0; i < FIRST_TEXT + AUDIT_TEXTS + 2; i++) {
		int wanted = i < FIRST_TEXT		    ? SQLITE_INTEGER
			     : i < FIRST_TEXT + AUDIT_TEXTS ? SQLITE_TEXT
							    : SQLITE_BLOB;
		if (sqlite3_column_type(statement, first + i) != wanted)
			return false;
	}
	return true;
}

int audit_db_read_at(sqlite3_stmt *statement, int first, struct audit_row *ret_row)
{
	struct audit_row row = {0};
	if (!has_types(statement, first))
		return -EBADMSG;
	uint64_t *const numbers[] = {&row.seq, &row.time_us, &row.writer, &row.code_bytes};
	for (int i = 0; i < FIRST_TEXT; i++)
		*numbers[i] = (uint64_t)sqlite3_column_int64(statement, first + i);
	for (int i = 0; i < AUDIT_TEXTS; i++) {
		const void *text = sqlite3_column_text(statement, first + FIRST_TEXT + i);
		int bytes = sqlite3_column_bytes(statement, first + FIRST_TEXT + i);
		row.texts[i] = span_of(text, text ? (size_t)bytes : 0);
	}
	for (int i = 0; i < 2; i++) {
		int column = first + FIRST_TEXT + AUDIT_TEXTS + i;
		const void *hash = sqlite3_column_blob(statement, column);
		if (!hash || sqlite3_column_bytes(statement, column) != (int)AUDIT_HASH_BYTES)
			return -EBADMSG;
		memcpy(i ? row.hash : row.prev, hash, AUDIT_HASH_BYTES);
	}
	*ret_row = row;
	return 0;
}
