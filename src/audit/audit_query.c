/* audit_query: selections. */
#include "audit/audit_query.h"

#include "audit/audit_db.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SQL_BYTES 4096u
#define COLUMNS (4 + AUDIT_TEXTS + 2)

/*
 * ?1 role, ?2 outcome, ?3 text as a pattern, ?4 since, ?5 until, ?6 limit, ?7 the row to stay
 * before: NULL matches all. `a` is the row that a call began with.
 */
#define MATCHES_CALL                                                                               \
	" AND (?1 IS NULL OR a.role = ?1) AND (?4 IS NULL OR a.time_us >= ?4)"                     \
	" AND (?5 IS NULL OR a.time_us < ?5) AND (?7 IS NULL OR a.seq < ?7)"
#define MATCHES_TEXT(row)                                                                          \
	" (" row ".code LIKE ?3 ESCAPE '\\' OR " row ".stdin LIKE ?3 ESCAPE '\\' OR " row          \
	".output LIKE ?3 ESCAPE '\\' OR " row ".error LIKE ?3 ESCAPE '\\' OR " row                 \
	".tool LIKE ?3 ESCAPE '\\' OR " row ".inputs LIKE ?3 ESCAPE '\\' OR " row                  \
	".note LIKE ?3 ESCAPE '\\')"

static const char list_from[] =
	" FROM entry a LEFT JOIN entry e ON a.kind = 'accepted' AND e.call = a.call"
	" AND e.kind IN ('completed', 'interrupted')"
	" WHERE a.kind IN ('accepted', 'single')" MATCHES_CALL
	" AND (?2 IS NULL OR ?2 = CASE WHEN a.kind = 'single' THEN a.outcome"
	" ELSE coalesce(e.outcome, 'running') END)"
	" AND (?3 IS NULL OR" MATCHES_TEXT("a") " OR" MATCHES_TEXT(
		"e") ")"
		     " ORDER BY a.seq DESC LIMIT coalesce(?6, -1)";

static const char export_where[] =
	" WHERE 1" MATCHES_CALL " AND (?2 IS NULL OR a.outcome = ?2)"
	" AND (?3 IS NULL OR" MATCHES_TEXT("a") ")"
						" ORDER BY a.seq LIMIT coalesce(?6, -1)";

/* "%text%" with LIKE's own characters escaped. NULL where there is no memory. */
static char *pattern_of(const char *text)
{
	char *pattern = malloc(2 * strlen(text) + 3), *at = pattern;
	if (!pattern)
		return NULL;
	*at++ = '%';
	for (; *text; text++) {
		if (*text == '%' || *text == '_' || *text == '\\')
			*at++ = '\\';
		*at++ = *text;
	}
	*at++ = '%';
	*at = 0;
	return pattern;
}

static int bind_filter(sqlite3_stmt *statement, const struct audit_filter *filter)
{
	int code = SQLITE_OK;
	if (filter->role)
		code |= sqlite3_bind_text(statement, 1, filter->role, -1, SQLITE_STATIC);
	if (filter->outcome)
		code |= sqlite3_bind_text(statement, 2, filter->outcome, -1, SQLITE_STATIC);
	if (filter->text) {
		char *pattern = pattern_of(filter->text);
		if (!pattern)
			return SQLITE_NOMEM;
		code |= sqlite3_bind_text(statement, 3, pattern, -1, free);
	}
	const uint64_t numbers[] = {
		filter->since_us, filter->until_us, filter->limit, filter->before_seq};
	for (int i = 0; i < 4; i++)
		if (numbers[i])
			code |= sqlite3_bind_int64(statement, 4 + i, (sqlite3_int64)numbers[i]);
	return code;
}

/* audit_db_read wants its columns from the first on; a call has two rows of them. */
static int read_at(sqlite3_stmt *statement, int first, struct audit_row *ret_row)
{
	if (sqlite3_column_type(statement, first) == SQLITE_NULL) {
		*ret_row = (struct audit_row){0};
		return 0;
	}
	return audit_db_read_at(statement, first, ret_row);
}

static int damaged(const char *path, struct err *err)
{
	return err_set(err, -EBADMSG, "audit",
		"%.140s: a row is damaged; brig audit verify says which", path);
}

static int select_from(const char *path, const char *columns, const char *rest,
	const struct audit_filter *filter, struct audit_db *db, sqlite3_stmt **ret_statement,
	struct err *err)
{
	char sql[SQL_BYTES];
	int rc = audit_db_open_read(db, path, err);
	if (rc < 0)
		return rc;
	int length = snprintf(sql, sizeof(sql), "SELECT %s%s", columns, rest);
	if (length < 0 || (size_t)length >= sizeof(sql))
		return err_sys(err, -ENAMETOOLONG, "audit", "the selection");
	rc = audit_db_prepare(db, sql, ret_statement, err);
	if (rc < 0)
		return rc;
	int code = bind_filter(*ret_statement, filter);
	return code == SQLITE_OK ? 0 : audit_db_fault(db, code, err);
}

/* "a.seq, a.time_us, …" for one row's letter. */
static void columns_of(char letter, char *out, size_t room)
{
	char all[512], *rest = NULL;
	size_t at = 0;
	(void)snprintf(all, sizeof(all), "%s", audit_db_columns);
	for (char *name = strtok_r(all, ", ", &rest); name; name = strtok_r(NULL, ", ", &rest)) {
		int length = snprintf(out + at, room - at, "%s%c.%s", at ? ", " : "", letter, name);
		if (length < 0 || (size_t)length >= room - at)
			return;
		at += (size_t)length;
	}
}

int audit_list(const char *path, const struct audit_filter *filter, audit_found_call *callback,
	void *user, struct err *err)
{
	struct audit_db db = {0};
	sqlite3_stmt *calls = NULL;
	char columns[1024], ends[512];
	columns_of('a', columns, sizeof(columns));
	columns_of('e', ends, sizeof(ends));
	size_t length = strlen(columns);
	(void)snprintf(columns + length, sizeof(columns) - length, ", %s", ends);
	int code, rc = select_from(path, columns, list_from, filter, &db, &calls, err);
	while (!rc && (code = sqlite3_step(calls)) != SQLITE_DONE) {
		struct audit_found found = {0};
		if (code != SQLITE_ROW)
			rc = audit_db_fault(&db, code, err);
		else if (read_at(calls, 0, &found.begin) < 0 ||
			 read_at(calls, COLUMNS, &found.end) < 0)
			rc = damaged(path, err);
		else
			rc = callback(&found, user);
	}
	(void)sqlite3_finalize(calls);
	audit_db_close(&db);
	return rc;
}

struct span audit_outcome(const struct audit_found *found)
{
	if (span_is(found->begin.texts[AUDIT_TEXT_KIND], AUDIT_KIND_SINGLE))
		return found->begin.texts[AUDIT_TEXT_OUTCOME];
	return found->end.seq ? found->end.texts[AUDIT_TEXT_OUTCOME] : span_text("running");
}

static int each_row(struct audit_db *db, sqlite3_stmt *rows, audit_found_row *callback, void *user,
	uint64_t *ret_count, struct err *err)
{
	int code, rc = 0;
	while (!rc && (code = sqlite3_step(rows)) != SQLITE_DONE) {
		struct audit_row row;
		if (code != SQLITE_ROW)
			return audit_db_fault(db, code, err);
		if (audit_db_read(rows, &row) < 0)
			return damaged(db->path, err);
		++*ret_count;
		rc = callback(&row, user);
	}
	return rc;
}

int audit_show(
	const char *path, const char *id, audit_found_row *callback, void *user, struct err *err)
{
	static const struct audit_filter none;
	struct audit_db db = {0};
	sqlite3_stmt *rows = NULL;
	uint64_t count = 0;
	char *end;
	int rc = select_from(path, audit_db_columns,
		" FROM entry WHERE (call = ?1 AND call <> '') OR seq = ?2 OR (call <> '' AND call ="
		" (SELECT call FROM entry WHERE seq = ?2)) ORDER BY seq",
		&none, &db, &rows, err);
	if (!rc && sqlite3_bind_text(rows, 1, id, -1, SQLITE_STATIC) != SQLITE_OK)
		rc = audit_db_fault(&db, SQLITE_NOMEM, err);
	unsigned long long seq = strtoull(id, &end, 10);
	if (!rc && id[0] >= '0' && id[0] <= '9' && !*end &&
		sqlite3_bind_int64(rows, 2, (sqlite3_int64)seq) != SQLITE_OK)
		rc = audit_db_fault(&db, SQLITE_NOMEM, err);
	if (!rc)
		rc = each_row(&db, rows, callback, user, &count, err);
	if (!rc && count == 0)
		rc = err_set(err, -ENOENT, "audit",
			"no call %.64s in the log; brig audit list shows the ids", id);
	(void)sqlite3_finalize(rows);
	audit_db_close(&db);
	return rc;
}

int audit_export(const char *path, const struct audit_filter *filter, audit_found_row *callback,
	void *user, struct err *err)
{
	struct audit_db db = {0};
	sqlite3_stmt *rows = NULL;
	uint64_t count = 0;
	char rest[SQL_BYTES];
	(void)snprintf(rest, sizeof(rest), " FROM entry a%s", export_where);
	int rc = select_from(path, audit_db_columns, rest, filter, &db, &rows, err);
	if (!rc)
		rc = each_row(&db, rows, callback, user, &count, err);
	(void)sqlite3_finalize(rows);
	audit_db_close(&db);
	return rc;
}
