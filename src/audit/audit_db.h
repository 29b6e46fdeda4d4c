/*
 * audit_db: the log's database: opening, rows in and out, transactions. For src/audit alone.
 *
 * Errors of SQLite become -errno with a text that names the file: SQLITE_FULL is -ENOSPC, BUSY
 * -EBUSY, READONLY and PERM -EACCES, CORRUPT and NOTADB -EBADMSG, CANTOPEN -ENOENT, NOMEM -ENOMEM,
 * all others -EIO.
 *
 * Source: https://www.sqlite.org/wal.html, https://www.sqlite.org/pragma.html
 */
#ifndef BRIG_AUDIT_AUDIT_DB_H
#define BRIG_AUDIT_AUDIT_DB_H

#include "audit/audit_row.h"

#include <sqlite3.h>

struct audit_db {
	sqlite3 *handle;
	char *path;
	sqlite3_stmt *begin, *commit, *rollback, *last, *insert, *open_add, *open_drop;
};

/* Opens for writing, and makes the file (0600) where there is none. `*db` is zeroed before. */
int audit_db_open(struct audit_db *db, const char *path, enum audit_durability durability,
	struct err *err) MUST_CHECK;

/* Opens a log that is there to copy its WAL: no statement is prepared, nothing is written but by a
 * checkpoint. */
int audit_db_open_copier(struct audit_db *db, const char *path, struct err *err) MUST_CHECK;

/* Opens for reading alone. -ENOENT where there is no log. */
int audit_db_open_read(struct audit_db *db, const char *path, struct err *err) MUST_CHECK;

/* Also after a failed open. */
void audit_db_close(struct audit_db *db);

/* The fault of the last call on `db`, for a result `code` of SQLite's. */
int audit_db_fault(const struct audit_db *db, int code, struct err *err);

int audit_db_prepare(const struct audit_db *db, const char *sql, sqlite3_stmt **ret_statement,
	struct err *err) MUST_CHECK;
int audit_db_run(const struct audit_db *db, const char *sql, struct err *err) MUST_CHECK;

/* The one whole number that a query gives; 0 where it gives none. */
int audit_db_number(const struct audit_db *db, const char *sql, uint64_t *ret_number,
	struct err *err) MUST_CHECK;

/* BEGIN IMMEDIATE, COMMIT (rolled back where that fails), ROLLBACK. */
int audit_db_begin(const struct audit_db *db, struct err *err) MUST_CHECK;
int audit_db_commit(const struct audit_db *db, struct err *err) MUST_CHECK;
void audit_db_rollback(const struct audit_db *db);

/* Place and hash of the last row; 0 and zeros in an empty log. */
struct audit_tail {
	uint64_t seq;
	unsigned char hash[AUDIT_HASH_BYTES];
};
int audit_db_tail(
	const struct audit_db *db, struct audit_tail *ret_tail, struct err *err) MUST_CHECK;

/* Chains the row to `tail`, inserts it and moves `tail` on. Inside a transaction. */
int audit_db_append(const struct audit_db *db, struct audit_row *row, struct audit_tail *tail,
	struct err *err) MUST_CHECK;

/* The columns of a row in the order that audit_db_read wants, for a SELECT. */
extern const char audit_db_columns[];

/* Inserts one row, its columns bound in that order. */
extern const char audit_db_insert[];

/* Reads the row that `statement` stands on; the spans live until it is stepped. -EBADMSG. */
int audit_db_read(sqlite3_stmt *statement, struct audit_row *ret_row) MUST_CHECK;

/* The same where the row begins at a later column. */
int audit_db_read_at(sqlite3_stmt *statement, int first, struct audit_row *ret_row) MUST_CHECK;

#endif
