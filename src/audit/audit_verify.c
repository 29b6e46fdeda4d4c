/* audit_verify: walking the chain. */
#include "audit/audit_verify.h"

#include "audit/audit_db.h"
#include "tool/json.h"

#include <errno.h>
#include <sodium.h>
#include <stdio.h>
#include <string.h>

struct walk {
	struct audit_verdict *verdict;
	unsigned char last[AUDIT_HASH_BYTES];
	unsigned char before_first[AUDIT_HASH_BYTES]; /* what the first row is chained to */
	bool wants_head, found_head, signed_off;
	unsigned char head[AUDIT_HASH_BYTES];
};

/* Whether a checkpoint says that everything before the first row was removed on purpose. */
static bool signs_off(const struct walk *walk, const struct audit_row *row)
{
	json_t *note;
	char hex[AUDIT_HASH_HEX_BYTES];
	if (!span_is(row->texts[AUDIT_TEXT_KIND], AUDIT_KIND_CHECKPOINT) ||
		json_read(row->texts[AUDIT_TEXT_NOTE], &note) < 0)
		return false;
	(void)sodium_bin2hex(hex, sizeof(hex), walk->before_first, AUDIT_HASH_BYTES);
	json_int_t through = json_integer_value(json_object_get(note, "through"));
	bool good = through > 0 && (uint64_t)through + 1 == walk->verdict->first_seq &&
		    span_is(json_text(json_object_get(note, "hash")), hex);
	json_decref(note);
	return good;
}

static int check_first(struct walk *walk, const struct audit_row *row, struct err *err)
{
	static const unsigned char zeros[AUDIT_HASH_BYTES];
	walk->verdict->first_seq = row->seq;
	walk->verdict->removed = row->seq - 1;
	memcpy(walk->before_first, row->prev, AUDIT_HASH_BYTES);
	if (row->seq == 0 || (row->seq == 1 && memcmp(row->prev, zeros, sizeof(zeros)) != 0))
		return err_set(err, -EBADMSG, "audit",
			"row %llu stands first and is chained to another before it",
			(unsigned long long)row->seq);
	walk->signed_off = row->seq == 1;
	return 0;
}

static int check_place(const struct walk *walk, const struct audit_row *row, struct err *err)
{
	uint64_t wanted = walk->verdict->last_seq + 1;
	if (row->seq != wanted && row->seq == wanted + 1)
		return err_set(
			err, -EBADMSG, "audit", "row %llu is missing", (unsigned long long)wanted);
	if (row->seq != wanted)
		return err_set(err, -EBADMSG, "audit", "rows %llu to %llu are missing",
			(unsigned long long)wanted, (unsigned long long)row->seq - 1);
	if (memcmp(row->prev, walk->last, AUDIT_HASH_BYTES) != 0)
		return err_set(err, -EBADMSG, "audit",
			"row %llu does not follow row %llu: one of them was replaced or moved",
			(unsigned long long)row->seq, (unsigned long long)wanted - 1);
	return 0;
}

static int check_row(struct walk *walk, const struct audit_row *row, struct err *err)
{
	unsigned char hash[AUDIT_HASH_BYTES];
	struct audit_verdict *verdict = walk->verdict;
	int rc = verdict->rows == 0 ? check_first(walk, row, err) : check_place(walk, row, err);
	if (rc < 0)
		return rc;
	audit_row_hash(row, hash);
	if (memcmp(hash, row->hash, sizeof(hash)) != 0)
		return err_set(err, -EBADMSG, "audit", "row %llu was changed",
			(unsigned long long)row->seq);
	walk->signed_off |= signs_off(walk, row);
	if (walk->wants_head && memcmp(hash, walk->head, sizeof(hash)) == 0) {
		walk->found_head = true;
		verdict->kept_seq = row->seq;
	}
	memcpy(walk->last, hash, sizeof(hash));
	verdict->last_seq = row->seq;
	verdict->rows++;
	(void)sodium_bin2hex(verdict->head, sizeof(verdict->head), hash, sizeof(hash));
	return 0;
}

static int check_end(const struct walk *walk, struct err *err)
{
	const struct audit_verdict *verdict = walk->verdict;
	if (verdict->rows && !walk->signed_off)
		return err_set(err, -EBADMSG, "audit",
			"rows 1 to %llu are missing and no checkpoint signs them off",
			(unsigned long long)verdict->removed);
	if (walk->wants_head && !walk->found_head)
		return err_set(err, -EBADMSG, "audit",
			"no row has that head: the log was cut behind it, or it lies among the "
			"%llu rows that retention removed",
			(unsigned long long)verdict->removed);
	return 0;
}

static int walk_all(const struct audit_db *db, struct walk *walk, struct err *err)
{
	char sql[512];
	sqlite3_stmt *rows;
	(void)snprintf(sql, sizeof(sql), "SELECT %s FROM entry ORDER BY seq", audit_db_columns);
	int code, rc = audit_db_prepare(db, sql, &rows, err);
	if (rc < 0)
		return rc;
	while (!rc && (code = sqlite3_step(rows)) != SQLITE_DONE) {
		struct audit_row row;
		if (code != SQLITE_ROW)
			rc = audit_db_fault(db, code, err);
		else if (audit_db_read(rows, &row) < 0)
			rc = err_set(err, -EBADMSG, "audit",
				"the row after %llu was changed: it has no hash, or a column of "
				"another type",
				(unsigned long long)walk->verdict->last_seq);
		else
			rc = check_row(walk, &row, err);
	}
	(void)sqlite3_finalize(rows);
	return rc ? rc : check_end(walk, err);
}

int audit_verify(
	const char *path, const char *kept_head, struct audit_verdict *ret_verdict, struct err *err)
{
	struct audit_db db = {0};
	struct walk walk = {.verdict = ret_verdict, .wants_head = kept_head != NULL};
	size_t bytes = 0;
	*ret_verdict = (struct audit_verdict){0};
	if (sodium_init() < 0)
		return err_set(err, -EIO, "audit", "libsodium does not start");
	if (kept_head && (strlen(kept_head) != sizeof(walk.head) * 2 ||
				 sodium_hex2bin(walk.head, sizeof(walk.head), kept_head,
					 sizeof(walk.head) * 2, NULL, &bytes, NULL) < 0 ||
				 bytes != sizeof(walk.head)))
		return err_set(err, -EINVAL, "audit",
			"a head is 64 hexadecimal digits, as brig logs it and verify prints it");
	int rc = audit_db_open_read(&db, path, err);
	if (!rc)
		rc = audit_db_run(&db, "BEGIN", err);
	if (!rc)
		rc = walk_all(&db, &walk, err);
	if (!rc)
		rc = audit_db_number(
			&db, "SELECT count(*) FROM open_call", &ret_verdict->open_calls, err);
	audit_db_close(&db);
	return rc;
}
