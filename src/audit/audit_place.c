/*
 * audit_place: whether the log's files still are at their place, and a new log where they are not.
 *
 * A file that is removed or replaced under an open database stays open: rows would go on being
 * written to what nobody will ever read. The danger is to take what lies there now for the log:
 * whoever removed it may have put it there. So nothing is opened again before the operator says so.
 */
#include "audit/audit_state.h"

#include "audit/audit_lock.h"
#include "base/fd.h"

#include <errno.h>
#include <sodium.h>
#include <stdio.h>
#include <sys/stat.h>

static const char *const tails[AUDIT_FILES] = {"", "-wal", "-shm"};

/* The database's own name for it, links followed, as those of the two others are made from it. */
static int look(const struct audit *audit, size_t which, struct stat *ret_status)
{
	char path[4096];
	const char *name = sqlite3_db_filename(audit->db.handle, "main");
	int length =
		snprintf(path, sizeof(path), "%s%s", which ? name : audit->db.path, tails[which]);
	if (length < 0 || (size_t)length >= sizeof(path))
		return -ENAMETOOLONG;
	return stat(path, ret_status) < 0 ? -errno : 0;
}

static int tell_lost(const struct audit *audit, struct err *err)
{
	return err_set(err, -ESTALE, "audit",
		"%.80s: the log was removed or replaced; put the same file back with its -wal and "
		"-shm, or reload brig (SIGHUP) to begin a new one",
		audit->db.path);
}

int audit_place_note(struct audit *audit, struct err *err)
{
	int moved = 0;
	for (size_t i = 0; i < AUDIT_FILES; i++) {
		struct stat status;
		int rc = look(audit, i, &status);
		if (rc < 0)
			return tell_lost(audit, err);
		audit->places[i] = (struct audit_place){status.st_dev, status.st_ino};
	}
	/* Between being opened and being looked at it may have gone. */
	if (sqlite3_file_control(audit->db.handle, "main", SQLITE_FCNTL_HAS_MOVED, &moved) !=
			SQLITE_OK ||
		moved)
		return tell_lost(audit, err);
	return 0;
}

int audit_present(const struct audit *audit, struct err *err)
{
	if (!audit->db.handle)
		return err_set(err, -ESTALE, "audit",
			"the log could not be opened when brig was reloaded; mend that and reload "
			"it again (SIGHUP)");
	for (size_t i = 0; i < AUDIT_FILES; i++) {
		struct stat status;
		const struct audit_place *place = &audit->places[i];
		if (look(audit, i, &status) < 0 || status.st_dev != place->device ||
			status.st_ino != place->inode)
			return tell_lost(audit, err);
	}
	return 0;
}

/* The first thing that a new log says. */
static int write_begin(struct audit *audit, const struct audit_head *before, struct err *err)
{
	unsigned char random[10];
	char id[2 * sizeof(random) + 2] = "b", note[256];
	struct audit_row row = {.time_us = audit_now_us(), .writer = audit->writer};
	randombytes_buf(random, sizeof(random));
	(void)sodium_bin2hex(id + 1, sizeof(id) - 1, random, sizeof(random));
	(void)snprintf(note, sizeof(note),
		"{\"after\":%llu,\"hash\":\"%s\",\"why\":\"the log was removed or replaced\"}",
		(unsigned long long)before->seq, before->hash);
	audit_row_set(&row, AUDIT_TEXT_KIND, AUDIT_KIND_SINGLE);
	audit_row_set(&row, AUDIT_TEXT_CALL, id);
	audit_row_set(&row, AUDIT_TEXT_DOOR, "brig");
	audit_row_set(&row, AUDIT_TEXT_TOOL, "audit_begin");
	audit_row_set(&row, AUDIT_TEXT_OUTCOME, "ok");
	audit_row_set(&row, AUDIT_TEXT_NOTE, note);
	int rc = audit_db_begin(&audit->db, err);
	if (rc < 0)
		return rc;
	rc = audit_db_tail(&audit->db, &audit->tail, err);
	if (!rc)
		rc = audit_db_append(&audit->db, &row, &audit->tail, err);
	if (!rc)
		return audit_db_commit(&audit->db, err);
	audit_db_rollback(&audit->db);
	return rc;
}

/*
 * What was moved away gets its last rows, and a WAL that was left behind loses them: SQLite would
 * apply its pages to whatever lies at the database's place by now.
 * Source: https://www.sqlite.org/howtocorrupt.html, section 4.4
 */
static int empty_wal(struct audit *audit, struct err *err)
{
	int code = sqlite3_wal_checkpoint_v2(
		audit->db.handle, NULL, SQLITE_CHECKPOINT_TRUNCATE, NULL, NULL);
	if ((code & 0xff) == SQLITE_BUSY)
		return err_set(err, -EBUSY, "audit",
			"somebody reads the log that was removed or replaced: reload brig again "
			"once that is over");
	if (code != SQLITE_OK)
		return audit_db_fault(&audit->db, code, err);
	(void)sqlite3_db_config(audit->db.handle, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, NULL);
	return 0;
}

int audit_begin_anew(struct audit *audit, const struct audit_options *options, struct err *err)
{
	const struct audit_head before = audit->db.handle ? audit_head(audit) : audit->head_before;
	audit->head_before = before;
	audit_abandon(audit);
	audit_wal_stop(audit->wal);
	audit->wal = NULL;
	int rc = audit->db.handle ? empty_wal(audit, err) : 0;
	if (rc < 0)
		return rc;
	audit_db_close(&audit->db);
	fd_close(&audit->lock_fd);
	rc = audit_open_files(audit, options, err);
	if (!rc)
		rc = write_begin(audit, &before, err);
	if (rc < 0)
		audit_db_close(&audit->db);
	return rc;
}
