/* audit: the queue of rows, and its commit. */
#include "audit/audit.h"

#include "audit/audit_lock.h"
#include "audit/audit_state.h"
#include "base/clock.h"
#include "base/fd.h"

#include <errno.h>
#include <sodium.h>
#include <stdlib.h>
#include <string.h>

static int take_options(struct audit *audit, const struct audit_options *options, struct err *err)
{
	struct redact *redact;
	int rc = redact_new(options->values, options->value_count, &redact);
	if (rc < 0)
		return err_set(err, rc, "audit",
			rc == -EINVAL ? "a value to redact is too short, too long or one too many"
				      : "cannot hold the values to redact");
	redact_free(audit->redact);
	audit->redact = redact;
	audit->retention_ms = options->retention_ms;
	audit->retention_bytes = options->retention_bytes;
	audit->head_ms = options->head_ms;
	audit->head_due_ms = 0;
	audit->retain_due_ms = 0;
	return 0;
}

/* In the place of SQLite's own hook, which would checkpoint in the middle of a flush. */
static int note_wal(void *user, sqlite3 *handle, const char *name, int pages)
{
	struct audit *audit = user;
	(void)handle;
	(void)name;
	audit->wal_pages = pages > 0 ? (size_t)pages : 0;
	return SQLITE_OK;
}

static int copy_wal(struct audit *audit, struct err *err)
{
	int code = sqlite3_wal_checkpoint_v2(
		audit->db.handle, NULL, SQLITE_CHECKPOINT_PASSIVE, NULL, NULL);
	if (code == SQLITE_OK)
		audit->wal_pages = 0;
	return code == SQLITE_OK || (code & 0xff) == SQLITE_BUSY
		       ? 0
		       : audit_db_fault(&audit->db, code, err);
}

/* The thread copies what is much, this the little that came meanwhile. */
static int shorten_wal(struct audit *audit, struct err *err)
{
	if (audit->wal && audit_wal_ended(audit->wal))
		return copy_wal(audit, err);
	if (audit->wal_pages < AUDIT_WAL_PAGES_BUSY)
		return 0;
	if (!audit->wal && audit_wal_start(audit->db.path, &audit->wal, NULL) < 0)
		return copy_wal(audit, err);
	audit_wal_ask(audit->wal);
	return audit->wal_pages < AUDIT_WAL_PAGES_MAX ? 0 : copy_wal(audit, err);
}

int audit_open_files(struct audit *audit, const struct audit_options *options, struct err *err)
{
	int rc = audit_db_open(&audit->db, options->path, options->durability, err);
	if (!rc)
		rc = audit_lock_open(options->path, &audit->lock_fd, err);
	if (!rc)
		(void)sqlite3_wal_hook(audit->db.handle, note_wal, audit);
	if (!rc && options->brief)
		(void)sqlite3_db_config(
			audit->db.handle, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, NULL);
	if (!rc)
		rc = audit_recover(audit, err);
	return rc ? rc : audit_place_note(audit, err);
}

int audit_open(const struct audit_options *options, struct audit **ret_audit, struct err *err)
{
	if (sodium_init() < 0)
		return err_set(err, -EIO, "audit", "libsodium does not start");
	struct audit *audit = calloc(1, sizeof(*audit));
	if (!audit)
		return err_sys(err, -ENOMEM, "audit", "cannot open the log");
	audit->lock_fd = -1;
	int rc = take_options(audit, options, err);
	if (!rc)
		rc = audit_open_files(audit, options, err);
	if (!rc)
		*ret_audit = audit;
	else
		audit_close(audit);
	return rc;
}

static void queued_free(struct audit_queued *queued)
{
	buf_done(&queued->storage);
	free(queued);
}

void audit_abandon(struct audit *audit)
{
	while (audit->queue) {
		struct audit_queued *queued = audit->queue;
		audit->queue = queued->next;
		queued_free(queued);
	}
	audit->queue_last = NULL;
	audit->queue_rows = 0;
	audit->queue_bytes = 0;
}

void audit_close(struct audit *audit)
{
	if (!audit)
		return;
	/* What cannot be written at the end was never said to be durable. */
	if (audit->queue && audit_flush(audit, NULL) < 0)
		audit_abandon(audit);
	audit_wal_stop(audit->wal);
	audit_db_close(&audit->db);
	fd_close(&audit->lock_fd);
	redact_free(audit->redact);
	free(audit);
}

int audit_reload(
	struct audit *audit, const struct audit_options *options, bool *ret_anew, struct err *err)
{
	*ret_anew = audit_present(audit, NULL) < 0;
	int rc = *ret_anew ? audit_begin_anew(audit, options, err) : 0;
	return rc ? rc : take_options(audit, options, err);
}

bool audit_has_room(const struct audit *audit, size_t rows)
{
	return audit->queue_rows + rows <= AUDIT_QUEUE_ROWS &&
	       audit->queue_bytes < AUDIT_QUEUE_BYTES;
}

static int enqueue(struct audit *audit, const char *kind, const struct audit_call *call,
	const struct audit_end *end, uint64_t *ret_ticket, struct err *err)
{
	if (!audit_has_room(audit, 1))
		return err_set(err, -ENOBUFS, "audit", "the queue of the audit log is full");
	struct audit_queued *queued = calloc(1, sizeof(*queued));
	if (!queued)
		return err_sys(err, -ENOMEM, "audit", "cannot hold a row");
	int rc = audit_row_make(&queued->row, kind, call, end, audit->redact, &queued->storage);
	if (rc < 0) {
		queued_free(queued);
		return err_sys(err, rc, "audit", "cannot make a row");
	}
	queued->row.writer = audit->writer;
	queued->ticket = ++audit->ticket;
	if (audit->queue_last)
		audit->queue_last->next = queued;
	else
		audit->queue = queued;
	audit->queue_last = queued;
	audit->queue_rows++;
	audit->queue_bytes += sizeof(*queued) + queued->storage.room;
	if (ret_ticket)
		*ret_ticket = queued->ticket;
	return 0;
}

int audit_accept(
	struct audit *audit, const struct audit_call *call, uint64_t *ret_ticket, struct err *err)
{
	return enqueue(audit, AUDIT_KIND_ACCEPTED, call, NULL, ret_ticket, err);
}

int audit_complete(struct audit *audit, const struct audit_call *call, const struct audit_end *end,
	uint64_t *ret_ticket, struct err *err)
{
	return enqueue(audit, AUDIT_KIND_COMPLETED, call, end, ret_ticket, err);
}

int audit_single(struct audit *audit, const struct audit_call *call, const struct audit_end *end,
	uint64_t *ret_ticket, struct err *err)
{
	unsigned char random[10];
	char id[2 * sizeof(random) + 2] = "c";
	if (call->id)
		return enqueue(audit, AUDIT_KIND_SINGLE, call, end, ret_ticket, err);
	struct audit_call named = *call;
	randombytes_buf(random, sizeof(random));
	(void)sodium_bin2hex(id + 1, sizeof(id) - 1, random, sizeof(random));
	named.id = id;
	return enqueue(audit, AUDIT_KIND_SINGLE, &named, end, ret_ticket, err);
}

static int track_open(struct audit *audit, const struct audit_row *row, struct err *err)
{
	static const enum audit_text texts[] = {AUDIT_TEXT_CALL, AUDIT_TEXT_ROLE, AUDIT_TEXT_TOKEN,
		AUDIT_TEXT_DOOR, AUDIT_TEXT_TOOL};
	bool accepted = span_is(row->texts[AUDIT_TEXT_KIND], AUDIT_KIND_ACCEPTED);
	if (!accepted && !span_is(row->texts[AUDIT_TEXT_KIND], AUDIT_KIND_COMPLETED))
		return 0;
	sqlite3_stmt *statement = accepted ? audit->db.open_add : audit->db.open_drop;
	int at[] = {1, 3, 4, 5, 6}, code = 0;
	for (size_t i = 0; i < (accepted ? 5u : 1u); i++) {
		const struct span *text = &row->texts[texts[i]];
		code |= sqlite3_bind_text64(statement, at[i],
			text->len ? (const char *)text->data : "", text->len, SQLITE_STATIC,
			SQLITE_UTF8);
	}
	if (accepted)
		code |= sqlite3_bind_int64(statement, 2, (sqlite3_int64)audit->writer);
	if (code == SQLITE_OK)
		code = sqlite3_step(statement);
	(void)sqlite3_reset(statement);
	return code == SQLITE_DONE ? 0 : audit_db_fault(&audit->db, code, err);
}

int audit_flush(struct audit *audit, struct err *err)
{
	struct audit_tail tail;
	uint64_t last = audit->ticket;
	if (!audit->queue)
		return 0;
	int rc = audit_present(audit, err);
	if (!rc)
		rc = audit_db_begin(&audit->db, err);
	if (rc < 0)
		return rc;
	/* From the database: another process may have written since. */
	rc = audit_db_tail(&audit->db, &tail, err);
	for (struct audit_queued *queued = audit->queue; !rc && queued; queued = queued->next) {
		rc = audit_db_append(&audit->db, &queued->row, &tail, err);
		if (!rc)
			rc = track_open(audit, &queued->row, err);
	}
	if (rc < 0) {
		audit_db_rollback(&audit->db);
		return rc;
	}
	rc = audit_db_commit(&audit->db, err);
	if (rc < 0)
		return rc;
	audit->tail = tail;
	audit->durable = last;
	audit_abandon(audit);
	/* What is written stays written where this fails; the next tick says so. */
	(void)shorten_wal(audit, NULL);
	return 0;
}

int audit_probe(struct audit *audit, struct err *err)
{
	/* No call's id is empty. Where nothing changes in the end the page is written all the same.
	 */
	static const char there_and_back[] = "INSERT INTO open_call VALUES('', 0, '', '', '', '');"
					     "DELETE FROM open_call WHERE call = ''";
	int rc = audit_present(audit, err);
	if (!rc)
		rc = audit_db_begin(&audit->db, err);
	if (rc < 0)
		return rc;
	rc = audit_db_run(&audit->db, there_and_back, err);
	if (!rc)
		return audit_db_commit(&audit->db, err);
	audit_db_rollback(&audit->db);
	return rc;
}

uint64_t audit_durable(const struct audit *audit)
{
	return audit->durable;
}

size_t audit_queued(const struct audit *audit)
{
	return audit->queue_rows;
}

struct audit_head audit_head(const struct audit *audit)
{
	struct audit_head head = {.seq = audit->tail.seq};
	(void)sodium_bin2hex(head.hash, sizeof(head.hash), audit->tail.hash, AUDIT_HASH_BYTES);
	return head;
}

int audit_tick(
	struct audit *audit, struct audit_head *ret_head, bool *ret_head_due, struct err *err)
{
	uint64_t now_ms = clock_now_ms();
	bool more = false, idle = audit->ticket == audit->tick_ticket;
	*ret_head_due = false;
	audit->tick_ticket = audit->ticket;
	int rc = audit_present(audit, err);
	if (!rc)
		rc = audit_flush(audit, err);
	if (!rc)
		rc = shorten_wal(audit, err);
	if (!rc && idle && audit->wal_pages >= AUDIT_WAL_PAGES_IDLE &&
		audit->wal_pages < AUDIT_WAL_PAGES_BUSY)
		rc = copy_wal(audit, err);
	if (!rc && now_ms >= audit->retain_due_ms) {
		rc = audit_retain(audit, audit_now_us(), &more, err);
		if (!rc && !more)
			audit->retain_due_ms = now_ms + AUDIT_RETAIN_MS;
	}
	if (!rc && audit->head_ms && now_ms >= audit->head_due_ms) {
		audit->head_due_ms = now_ms + audit->head_ms;
		*ret_head = audit_head(audit);
		*ret_head_due = audit->tail.seq > 0;
	}
	return rc;
}
