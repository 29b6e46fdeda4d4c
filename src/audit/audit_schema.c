/* audit_schema: opening the log's database, and making it. */
#include "audit/audit_db.h"

#include "base/fd.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define APPLICATION_ID 0x62726967 /* "brig" */
#define SCHEMA_VERSION 1
#define BUSY_MS 2000

/*
 * `entry` is the log. Triggers keep it append-only against slips: nothing changes a row, and only
 * rows that a checkpoint signs off can go. `open_call` is no part of the chain: it says which calls
 * have no end yet, and whose they are.
 */
static const char schema[] =
	"CREATE TABLE entry(seq INTEGER PRIMARY KEY, time_us INTEGER NOT NULL,"
	" writer INTEGER NOT NULL, code_bytes INTEGER NOT NULL, kind TEXT NOT NULL,"
	" call TEXT NOT NULL, role TEXT NOT NULL, token TEXT NOT NULL, door TEXT NOT NULL,"
	" tool TEXT NOT NULL, code TEXT NOT NULL, code_sha256 TEXT NOT NULL, stdin TEXT NOT NULL,"
	" inputs TEXT NOT NULL, limits TEXT NOT NULL, outcome TEXT NOT NULL, usage TEXT NOT NULL,"
	" output TEXT NOT NULL, error TEXT NOT NULL, note TEXT NOT NULL, prev BLOB NOT NULL,"
	" hash BLOB NOT NULL) STRICT;"
	"CREATE INDEX entry_call ON entry(call);"
	"CREATE INDEX entry_checkpoint ON entry(seq) WHERE kind = 'checkpoint';"
	"CREATE TABLE open_call(call TEXT PRIMARY KEY, writer INTEGER NOT NULL,"
	" role TEXT NOT NULL, token TEXT NOT NULL, door TEXT NOT NULL, tool TEXT NOT NULL)"
	" STRICT, WITHOUT ROWID;"
	"CREATE TABLE writer(id INTEGER PRIMARY KEY AUTOINCREMENT, pid INTEGER NOT NULL) STRICT;"
	"CREATE TRIGGER entry_unchanged BEFORE UPDATE ON entry BEGIN"
	" SELECT raise(ABORT, 'the audit log is append-only'); END;"
	"CREATE TRIGGER entry_kept BEFORE DELETE ON entry WHEN OLD.seq > coalesce((SELECT"
	/* {"through":N,…: json_extract is not to be used in a trigger before SQLite 3.41. */
	" CAST(substr(note, 12) AS INTEGER) FROM entry WHERE kind = 'checkpoint'"
	" ORDER BY seq DESC LIMIT 1), 0) BEGIN"
	" SELECT raise(ABORT, 'the audit log is append-only'); END;";

/* Made by hand so that it is 0600 from birth, and by root for whom the folder belongs to. */
static int make_file(const char *path, struct err *err)
{
	char folder[PATH_MAX];
	struct stat status;
	cleanup_fd int fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
	if (fd < 0 && errno == EEXIST)
		return 0;
	if (fd < 0)
		return err_set(err, -errno, "audit",
			"%.140s: %s; make its folder, writable for "
			"this user",
			path, strerrordesc_np(errno));
	(void)snprintf(folder, sizeof(folder), "%s", path);
	if (geteuid() == 0 && stat(dirname(folder), &status) == 0 && S_ISDIR(status.st_mode) &&
		fchown(fd, status.st_uid, status.st_gid) < 0)
		return err_sys(err, -errno, "audit", path);
	return 0;
}

static int connect_to(struct audit_db *db, const char *path, int flags, struct err *err)
{
	db->path = strdup(path);
	if (!db->path)
		return err_sys(err, -ENOMEM, "audit", "cannot open the log");
	int code = sqlite3_open_v2(
		path, &db->handle, flags | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE, NULL);
	if (code != SQLITE_OK)
		return audit_db_fault(db, code, err);
	(void)sqlite3_busy_timeout(db->handle, BUSY_MS);
	(void)sqlite3_db_config(db->handle, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
	(void)sqlite3_db_config(db->handle, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
	return 0;
}

static int check_version(const struct audit_db *db, struct err *err)
{
	uint64_t application = 0, version = 0;
	int rc = audit_db_number(db, "PRAGMA application_id", &application, err);
	if (!rc)
		rc = audit_db_number(db, "PRAGMA user_version", &version, err);
	if (rc < 0)
		return rc;
	if (application != APPLICATION_ID)
		return err_set(err, -EBADMSG, "audit",
			"%.140s: a database, but no log of brig's; name another file", db->path);
	if (version != SCHEMA_VERSION)
		return err_set(err, -EBADMSG, "audit",
			"%.140s: written by another version of brig (schema %llu); name another "
			"file",
			db->path, (unsigned long long)version);
	return 0;
}

/* Two processes may do this at once: the second finds the schema there. */
static int make_schema(const struct audit_db *db, struct err *err)
{
	char sql[128];
	uint64_t tables = 0;
	(void)snprintf(sql, sizeof(sql), "PRAGMA application_id = %d; PRAGMA user_version = %d",
		APPLICATION_ID, SCHEMA_VERSION);
	int rc = audit_db_run(db, "BEGIN IMMEDIATE", err);
	if (rc < 0)
		return rc;
	rc = audit_db_number(db, "SELECT count(*) FROM sqlite_schema", &tables, err);
	if (!rc && tables == 0) {
		rc = audit_db_run(db, schema, err);
		if (!rc)
			rc = audit_db_run(db, sql, err);
	}
	if (!rc)
		rc = audit_db_run(db, "COMMIT", err);
	if (rc < 0)
		(void)sqlite3_exec(db->handle, "ROLLBACK", NULL, NULL, NULL);
	return rc;
}

static int prepare_all(struct audit_db *db, struct err *err)
{
	const struct {
		sqlite3_stmt **statement;
		const char *sql;
	} all[] = {{&db->begin, "BEGIN IMMEDIATE"}, {&db->commit, "COMMIT"},
		{&db->rollback, "ROLLBACK"},
		{&db->last, "SELECT seq, hash FROM entry ORDER BY seq DESC LIMIT 1"},
		{&db->insert, audit_db_insert},
		{&db->open_add, "INSERT OR REPLACE INTO open_call VALUES (?1, ?2, ?3, ?4, ?5, ?6)"},
		{&db->open_drop, "DELETE FROM open_call WHERE call = ?1"}};
	int rc = 0;
	for (size_t i = 0; !rc && i < sizeof(all) / sizeof(all[0]); i++)
		rc = audit_db_prepare(db, all[i].sql, all[i].statement, err);
	return rc;
}

int audit_db_open(
	struct audit_db *db, const char *path, enum audit_durability durability, struct err *err)
{
	/* WAL with NORMAL loses no commit to SIGKILL and is never damaged by a loss of power. */
	const char *sync = durability == AUDIT_POWER ? "PRAGMA synchronous = FULL"
						     : "PRAGMA synchronous = NORMAL";
	int rc = make_file(path, err);
	if (!rc)
		rc = connect_to(db, path, SQLITE_OPEN_READWRITE, err);
	if (!rc)
		rc = audit_db_run(db,
			"PRAGMA auto_vacuum = INCREMENTAL; PRAGMA journal_mode = WAL;"
			"PRAGMA journal_size_limit = 16777216;"
			"PRAGMA secure_delete = FAST; PRAGMA cache_size = -2048",
			err);
	if (!rc)
		rc = audit_db_run(db, sync, err);
	if (!rc)
		rc = make_schema(db, err);
	if (!rc)
		rc = check_version(db, err);
	return rc ? rc : prepare_all(db, err);
}

int audit_db_open_copier(struct audit_db *db, const char *path, struct err *err)
{
	int rc = connect_to(db, path, SQLITE_OPEN_READWRITE, err);
	return rc ? rc : check_version(db, err);
}

int audit_db_open_read(struct audit_db *db, const char *path, struct err *err)
{
	int rc = connect_to(db, path, SQLITE_OPEN_READONLY, err);
	if (rc == -ENOENT)
		return err_set(err, rc, "audit",
			"%.140s: no audit log there that this user may read; name it with --db",
			path);
	return rc ? rc : check_version(db, err);
}
