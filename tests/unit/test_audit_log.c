/* audit: rows, groups, the chain and what breaks it, retention, crashes, several writers. */
#include "check.h"

#include "audit/audit.h"
#include "audit/audit_db.h"
#include "audit/audit_query.h"
#include "audit/audit_state.h"
#include "audit/audit_verify.h"

#include <signal.h>
#include <sodium.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>

static char folder[64], path[100];

static void wipe(void)
{
	static const char *const ends[] = {"", "-wal", "-shm", ".lock"};
	char name[120];
	for (size_t i = 0; i < COUNT(ends); i++) {
		(void)snprintf(name, sizeof(name), "%s%s", path, ends[i]);
		(void)unlink(name);
	}
}

static int make_folder(void **state)
{
	(void)state;
	/* In memory: what the disk does at each flush is not what is tested. */
	(void)snprintf(folder, sizeof(folder), "/dev/shm/brig-audit-XXXXXX");
	if (!mkdtemp(folder)) {
		(void)snprintf(folder, sizeof(folder), "/tmp/brig-audit-XXXXXX");
		assert_non_null(mkdtemp(folder));
	}
	(void)snprintf(path, sizeof(path), "%s/audit.db", folder);
	return 0;
}

static int remove_folder(void **state)
{
	(void)state;
	wipe();
	return rmdir(folder);
}

static int fresh(void **state)
{
	(void)state;
	wipe();
	return 0;
}

static struct audit *open_with(const struct audit_options *options)
{
	struct audit *audit = NULL;
	struct err err = {0};
	struct audit_options named = *options;
	named.path = path;
	if (audit_open(&named, &audit, &err) < 0)
		fail_msg("%s", err.text);
	return audit;
}

static struct audit *open_plain(void)
{
	return open_with(&(struct audit_options){0});
}

static struct audit_call call_of(const char *id, const char *code)
{
	return (struct audit_call){.id = id,
		.role = "research",
		.token = "ci",
		.door = "rest",
		.tool = "run_sandboxed",
		.code = span_text(code),
		.limits = &limits_default};
}

static const struct job_usage usage = {.wall_ms = 7, .cpu_ms = 5, .memory_peak_bytes = 1 << 20};

static struct audit_end end_of(const char *outcome, const char *output)
{
	return (struct audit_end){.outcome = outcome, .usage = &usage, .output = span_text(output)};
}

static void accept_one(struct audit *audit, const char *id, const char *code)
{
	struct audit_call call = call_of(id, code);
	assert_int_equal(audit_accept(audit, &call, NULL, NULL), 0);
}

static void complete_one(struct audit *audit, const char *id)
{
	struct audit_call call = call_of(id, "");
	struct audit_end end = end_of("ok", "42\n");
	assert_int_equal(audit_complete(audit, &call, &end, NULL, NULL), 0);
}

static void fill(struct audit *audit, size_t calls)
{
	char id[32];
	for (size_t i = 0; i < calls; i++) {
		(void)snprintf(id, sizeof(id), "job%zu", i);
		accept_one(audit, id, "print(42)");
		complete_one(audit, id);
	}
	assert_int_equal(audit_flush(audit, NULL), 0);
}

static struct audit_verdict verified(void)
{
	struct audit_verdict verdict;
	struct err err = {0};
	if (audit_verify(path, NULL, &verdict, &err) < 0)
		fail_msg("%s", err.text);
	return verdict;
}

static void assert_broken(const char *text)
{
	struct audit_verdict verdict;
	struct err err = {0};
	assert_int_equal(audit_verify(path, NULL, &verdict, &err), -EBADMSG);
	if (!strstr(err.text, text))
		fail_msg("%s, not %s", err.text, text);
}

/* Changes the log behind the back of its triggers, as an intruder would. */
static void tamper(const char *sql)
{
	sqlite3 *handle;
	char *text = NULL;
	assert_int_equal(sqlite3_open(path, &handle), SQLITE_OK);
	assert_int_equal(sqlite3_exec(handle,
				 "DROP TRIGGER IF EXISTS entry_unchanged;"
				 "DROP TRIGGER IF EXISTS entry_kept",
				 NULL, NULL, NULL),
		SQLITE_OK);
	if (sqlite3_exec(handle, sql, NULL, NULL, &text) != SQLITE_OK)
		fail_msg("%s: %s", sql, text);
	assert_int_equal(sqlite3_close(handle), SQLITE_OK);
}

struct seen {
	size_t count;
	char outcome[32], code[256], output[256], kind[32], inputs[512], error[256], usage[256];
	uint64_t seq;
};

static void copy(char *out, size_t room, struct span text)
{
	(void)snprintf(out, room, "%.*s", (int)text.len, text.len ? (const char *)text.data : "");
}

static int see(const struct audit_found *found, void *user)
{
	struct seen *seen = user;
	if (seen->count++ == 0) {
		const struct audit_row *end = found->end.seq ? &found->end : &found->begin;
		copy(seen->outcome, sizeof(seen->outcome), audit_outcome(found));
		copy(seen->code, sizeof(seen->code), found->begin.texts[AUDIT_TEXT_CODE]);
		copy(seen->inputs, sizeof(seen->inputs), found->begin.texts[AUDIT_TEXT_INPUTS]);
		copy(seen->output, sizeof(seen->output), end->texts[AUDIT_TEXT_OUTPUT]);
		copy(seen->error, sizeof(seen->error), end->texts[AUDIT_TEXT_ERROR]);
		copy(seen->usage, sizeof(seen->usage), end->texts[AUDIT_TEXT_USAGE]);
		seen->seq = found->begin.seq;
	}
	return 0;
}

static struct seen list(const struct audit_filter *filter)
{
	struct seen seen = {0};
	struct err err = {0};
	if (audit_list(path, filter, see, &seen, &err) < 0)
		fail_msg("%s", err.text);
	return seen;
}

static int count_row(const struct audit_row *row, void *user)
{
	(void)row;
	++*(size_t *)user;
	return 0;
}

static void a_job_has_two_rows(void **state)
{
	(void)state;
	static const unsigned char sha256[32] = {0xab, 0xcd};
	const struct audit_input inputs[] = {{"data.csv", 12, sha256}, {"b\"c.csv", 3, sha256}};
	struct audit *audit = open_plain();
	struct audit_call call = call_of("j1", "print(6*7)");
	struct audit_end end = end_of("error", "out\n");
	uint64_t ticket = 0, later = 0;
	call.inputs = inputs;
	call.input_count = 2;
	end.error = span_text("ValueError: no");
	assert_int_equal(audit_accept(audit, &call, &ticket, NULL), 0);
	assert_int_equal(audit_queued(audit), 1);
	assert_true(audit_durable(audit) < ticket);
	assert_int_equal(list(&(struct audit_filter){0}).count, 0);
	assert_int_equal(audit_flush(audit, NULL), 0);
	assert_true(audit_durable(audit) >= ticket);
	struct seen seen = list(&(struct audit_filter){0});
	assert_int_equal(seen.count, 1);
	assert_string_equal(seen.outcome, "running");
	assert_int_equal(verified().open_calls, 1);
	assert_int_equal(audit_complete(audit, &call, &end, &later, NULL), 0);
	assert_true(later > ticket);
	assert_int_equal(audit_flush(audit, NULL), 0);
	seen = list(&(struct audit_filter){0});
	assert_int_equal(seen.count, 1);
	assert_string_equal(seen.outcome, "error");
	assert_string_equal(seen.code, "print(6*7)");
	assert_string_equal(seen.output, "out\n");
	assert_string_equal(seen.error, "ValueError: no");
	assert_non_null(strstr(seen.usage, "\"wall_ms\":7"));
	assert_non_null(
		strstr(seen.inputs, "\"name\":\"data.csv\",\"bytes\":12,\"sha256\":\"abcd"));
	assert_non_null(strstr(seen.inputs, "b\\\"c.csv"));
	struct audit_head head = audit_head(audit);
	struct audit_verdict verdict = verified();
	assert_int_equal(verdict.rows, 2);
	assert_int_equal(verdict.open_calls, 0);
	assert_int_equal(head.seq, 2);
	assert_string_equal(verdict.head, head.hash);
	audit_close(audit);
	assert_int_equal(verified().rows, 2);
	struct stat status;
	assert_int_equal(stat(path, &status), 0);
	assert_int_equal(status.st_mode & 0777, 0600);
}

static void a_refusal_has_one(void **state)
{
	(void)state;
	struct audit *audit = open_plain();
	struct audit_call call = {.role = "billing", .door = "mcp", .tool = "run_sandboxed"};
	struct audit_end end = {.outcome = "rejected", .error = span_text("no such tool")};
	call.code = span_text("import os");
	assert_int_equal(audit_single(audit, &call, &end, NULL, NULL), 0);
	assert_int_equal(audit_single(audit, &call, &end, NULL, NULL), 0);
	audit_close(audit);
	struct seen seen = list(&(struct audit_filter){.role = "billing", .outcome = "rejected"});
	assert_int_equal(seen.count, 2);
	assert_string_equal(seen.outcome, "rejected");
	assert_string_equal(seen.error, "no such tool");
	assert_int_equal(list(&(struct audit_filter){.role = "research"}).count, 0);
	assert_int_equal(verified().rows, 2);
}

static void bad_calls_are_refused(void **state)
{
	(void)state;
	struct audit *audit = open_plain();
	char id[80];
	memset(id, 'x', sizeof(id) - 1);
	id[79] = 0;
	struct audit_call call = call_of(NULL, "1");
	assert_int_equal(audit_accept(audit, &call, NULL, NULL), -EINVAL);
	call.id = "";
	assert_int_equal(audit_accept(audit, &call, NULL, NULL), -EINVAL);
	call.id = id;
	assert_int_equal(audit_accept(audit, &call, NULL, NULL), -EINVAL);
	assert_int_equal(audit_queued(audit), 0);
	for (size_t i = 0; i < AUDIT_QUEUE_ROWS; i++)
		complete_one(audit, "j");
	call.id = "j";
	struct audit_end end = end_of("ok", "");
	assert_int_equal(audit_complete(audit, &call, &end, NULL, NULL), -ENOBUFS);
	assert_int_equal(audit_flush(audit, NULL), 0);
	assert_int_equal(audit_complete(audit, &call, &end, NULL, NULL), 0);
	audit_abandon(audit);
	audit_close(audit);
	assert_int_equal(verified().rows, AUDIT_QUEUE_ROWS);
}

static void large_queues_are_bounded(void **state)
{
	(void)state;
	struct audit *audit = open_plain();
	char *code = malloc(1 << 20);
	assert_non_null(code);
	memset(code, 'x', 1 << 20);
	struct audit_call call = call_of("j", "");
	call.code = span_of(code, 1 << 20);
	size_t count = 0;
	int rc;
	while ((rc = audit_accept(audit, &call, NULL, NULL)) == 0)
		count++;
	assert_int_equal(rc, -ENOBUFS);
	assert_in_range(count, 20, 70);
	audit_abandon(audit);
	audit_close(audit);
	free(code);
}

/* Secrets in every place that the caller's text reaches; none is in the files. */
static void secrets_are_not_written(void **state)
{
	(void)state;
	static const unsigned char sha256[32];
	char secret[64], text[200];
	(void)snprintf(
		secret, sizeof(secret), "%s%s", "gh", "p_0123456789abcdefghijABCDEFGHIJ012345");
	(void)snprintf(text, sizeof(text), "x = '%s' # internal-value-9", secret);
	const struct span values[] = {span_text("internal-value-9")};
	const struct audit_input inputs[] = {{secret, 1, sha256}};
	struct audit *audit =
		open_with(&(struct audit_options){.values = values, .value_count = 1});
	struct audit_call call = call_of("j1", text);
	struct audit_end end = {.outcome = "error", .output = span_text(text)};
	call.stdin_head = span_text(text);
	call.inputs = inputs;
	call.input_count = 1;
	end.error = span_text(text);
	assert_int_equal(audit_accept(audit, &call, NULL, NULL), 0);
	assert_int_equal(audit_complete(audit, &call, &end, NULL, NULL), 0);
	call.tool = secret;
	call.session = secret;
	assert_int_equal(audit_single(audit, &call, &end, NULL, NULL), 0);
	/* A secret by its name in one text alone. */
	call = call_of("j2", "API_KEY = 'hunter2hunter2'");
	end = (struct audit_end){.outcome = "ok", .output = span_text("hunter2hunter2\n")};
	assert_int_equal(audit_accept(audit, &call, NULL, NULL), 0);
	assert_int_equal(audit_complete(audit, &call, &end, NULL, NULL), 0);
	audit_close(audit);
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct stat status;
	assert_true(fd >= 0 && fstat(fd, &status) == 0);
	void *file = mmap(NULL, (size_t)status.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	assert_true(file != MAP_FAILED);
	assert_null(memmem(file, (size_t)status.st_size, secret + 4, 8));
	assert_null(memmem(file, (size_t)status.st_size, "internal-value-9", 16));
	assert_null(memmem(file, (size_t)status.st_size, "hunter2hunter2", 14));
	assert_non_null(memmem(file, (size_t)status.st_size, "[redacted:github]", 17));
	assert_non_null(memmem(file, (size_t)status.st_size, "[redacted:configured]", 21));
	(void)munmap(file, (size_t)status.st_size);
	(void)close(fd);
	/* The hash of the original code stays. */
	unsigned char hash[32];
	char hex[65];
	(void)crypto_hash_sha256(hash, (const unsigned char *)text, strlen(text));
	(void)sodium_bin2hex(hex, sizeof(hex), hash, sizeof(hash));
	sqlite3 *handle;
	sqlite3_stmt *statement;
	assert_int_equal(sqlite3_open(path, &handle), SQLITE_OK);
	assert_int_equal(sqlite3_prepare_v2(handle,
				 "SELECT code_sha256, code_bytes FROM entry "
				 "WHERE kind = 'accepted'",
				 -1, &statement, NULL),
		SQLITE_OK);
	assert_int_equal(sqlite3_step(statement), SQLITE_ROW);
	assert_string_equal((const char *)sqlite3_column_text(statement, 0), hex);
	assert_int_equal(sqlite3_column_int(statement, 1), strlen(text));
	(void)sqlite3_finalize(statement);
	(void)sqlite3_close(handle);
}

static void long_and_odd_texts_are_kept_in_bounds(void **state)
{
	(void)state;
	struct audit *audit = open_plain();
	char *big = malloc(3 << 20);
	assert_non_null(big);
	memset(big, 'a', 3 << 20);
	/* A secret across the place where the output is cut: neither it nor a part of it stays. */
	(void)snprintf(big + AUDIT_OUTPUT_BYTES - 20, 60, " %s%s ", "gh",
		"p_0123456789abcdefghijABCDEFGHIJ012345");
	big[AUDIT_OUTPUT_BYTES + 25] = 'a';
	struct audit_call call = call_of("j1", "");
	struct audit_end end = {.outcome = "ok", .output = span_of(big, 3 << 20)};
	call.code = span_of(big, 3 << 20);
	call.stdin_head = span_of("a\0b\xff\xfe", 5);
	assert_int_equal(audit_single(audit, &call, &end, NULL, NULL), 0);
	audit_close(audit);
	free(big);
	sqlite3 *handle;
	sqlite3_stmt *statement;
	assert_int_equal(sqlite3_open(path, &handle), SQLITE_OK);
	assert_int_equal(sqlite3_prepare_v2(handle,
				 "SELECT length(code), length(output), code_bytes, stdin, "
				 "instr(output, 'p_0123') FROM entry",
				 -1, &statement, NULL),
		SQLITE_OK);
	assert_int_equal(sqlite3_step(statement), SQLITE_ROW);
	assert_in_range(sqlite3_column_int(statement, 0), (1 << 20) - 100, (1 << 20) + 10);
	assert_in_range(sqlite3_column_int(statement, 1), 4096, 4110);
	assert_int_equal(sqlite3_column_int(statement, 2), 3 << 20);
	assert_string_equal((const char *)sqlite3_column_text(statement, 3), "a\\x00b\\xff\\xfe");
	assert_int_equal(sqlite3_column_int(statement, 4), 0);
	(void)sqlite3_finalize(statement);
	(void)sqlite3_close(handle);
	assert_int_equal(verified().rows, 1);
}

static void filled(void **state)
{
	(void)fresh(state);
	struct audit *audit = open_plain();
	fill(audit, 10);
	audit_close(audit);
	assert_int_equal(verified().rows, 20);
}

static void changes_show(void **state)
{
	static const char *const columns[] = {"time_us = time_us + 1", "writer = 9",
		"code_bytes = 0", "kind = 'single'", "call = 'x'", "role = 'billing'", "token = ''",
		"door = 'x'", "tool = 'x'", "code = 'x'", "code_sha256 = ''", "stdin = 'x'",
		"inputs = 'x'", "limits = ''", "outcome = 'ok'", "usage = 'x'", "output = 'x'",
		"error = 'x'", "note = 'x'", "hash = zeroblob(32)", "code = code || ' '",
		"code = '', stdin = code"};
	char sql[128];
	for (size_t i = 0; i < COUNT(columns); i++) {
		filled(state);
		(void)snprintf(sql, sizeof(sql), "UPDATE entry SET %s WHERE seq = 7", columns[i]);
		tamper(sql);
		assert_broken("row 7 was changed");
	}
	filled(state);
	tamper("UPDATE entry SET prev = zeroblob(32) WHERE seq = 7");
	assert_broken("row 7 does not follow row 6");
	filled(state);
	tamper("UPDATE entry SET hash = x'00' WHERE seq = 7");
	assert_broken("the row after 6 was changed");
}

/* What reads the same and is of another type: no search for text finds a blob, and a text is after
 * every moment. */
static void changed_types_show(void **state)
{
	static const char *const columns[] = {"code = cast(code AS BLOB)", "role = x'61'",
		"time_us = time_us || 'x'", "code_bytes = code_bytes + 0.5", "note = NULL"};
	char sql[512];
	for (size_t i = 0; i < COUNT(columns); i++) {
		filled(state);
		(void)snprintf(sql, sizeof(sql),
			"PRAGMA writable_schema = ON; UPDATE sqlite_schema SET sql = replace("
			"replace(sql, ') STRICT', ')'), 'note TEXT NOT NULL', 'note TEXT')"
			" WHERE name = 'entry'; PRAGMA writable_schema = RESET;"
			"UPDATE entry SET %s WHERE seq = 7",
			columns[i]);
		tamper(sql);
		assert_broken("the row after 6 was changed");
	}
}

static void missing_rows_show(void **state)
{
	filled(state);
	tamper("DELETE FROM entry WHERE seq = 7");
	assert_broken("row 7 is missing");
	filled(state);
	tamper("DELETE FROM entry WHERE seq BETWEEN 5 AND 9");
	assert_broken("rows 5 to 9 are missing");
	filled(state);
	tamper("DELETE FROM entry WHERE seq = 7; UPDATE entry SET seq = seq - 1 WHERE seq > 7");
	assert_broken("row 7 does not follow row 6");
	filled(state);
	tamper("DELETE FROM entry WHERE seq <= 3");
	assert_broken("rows 1 to 3 are missing and no checkpoint");
	filled(state);
	tamper("DELETE FROM entry WHERE seq = 1; UPDATE entry SET seq = seq - 1");
	assert_broken("chained to another");
}

static void reordered_rows_show(void **state)
{
	filled(state);
	tamper("UPDATE entry SET seq = -1 WHERE seq = 7; UPDATE entry SET seq = 7 WHERE seq = 8;"
	       "UPDATE entry SET seq = 8 WHERE seq = -1");
	assert_broken("row 7 does not follow row 6");
	filled(state);
	tamper("INSERT INTO entry SELECT 21, time_us, writer, code_bytes, kind, call, role, token,"
	       "door, tool, code, code_sha256, stdin, inputs, limits, outcome, usage, output, "
	       "error,"
	       "note, prev, hash FROM entry WHERE seq = 20");
	assert_broken("row 21 does not follow row 20");
}

static void a_cut_tail_shows_against_a_head(void **state)
{
	filled(state);
	struct audit_verdict verdict = verified();
	struct err err = {0};
	char head[AUDIT_HASH_HEX_BYTES];
	(void)snprintf(head, sizeof(head), "%s", verdict.head);
	assert_int_equal(audit_verify(path, head, &verdict, &err), 0);
	assert_int_equal(verdict.kept_seq, 20);
	/* The head of a log that has grown since still stands. */
	struct audit *audit = open_plain();
	fill(audit, 2);
	audit_close(audit);
	assert_int_equal(audit_verify(path, head, &verdict, &err), 0);
	assert_int_equal(verdict.kept_seq, 20);
	tamper("DELETE FROM entry WHERE seq > 19");
	assert_int_equal(verified().rows, 19);
	assert_int_equal(audit_verify(path, head, &verdict, &err), -EBADMSG);
	assert_non_null(strstr(err.text, "no row has that head"));
	tamper("DELETE FROM entry");
	assert_int_equal(audit_verify(path, head, &verdict, &err), -EBADMSG);
	assert_int_equal(audit_verify(path, "abc", &verdict, &err), -EINVAL);
	head[3] = 'x';
	assert_int_equal(audit_verify(path, head, &verdict, &err), -EINVAL);
}

static void the_log_is_append_only(void **state)
{
	filled(state);
	sqlite3 *handle;
	assert_int_equal(sqlite3_open(path, &handle), SQLITE_OK);
	assert_int_not_equal(
		sqlite3_exec(handle, "UPDATE entry SET role = ''", NULL, NULL, NULL), SQLITE_OK);
	assert_int_not_equal(
		sqlite3_exec(handle, "DELETE FROM entry WHERE seq = 1", NULL, NULL, NULL),
		SQLITE_OK);
	assert_int_equal(sqlite3_close(handle), SQLITE_OK);
	assert_int_equal(verified().rows, 20);
}

static void drain_retention(struct audit *audit, uint64_t now_us)
{
	bool more = true;
	struct err err = {0};
	while (more)
		if (audit_retain(audit, now_us, &more, &err) < 0)
			fail_msg("%s", err.text);
}

static void age_leaves_a_checkpoint(void **state)
{
	filled(state);
	struct audit *audit = open_with(&(struct audit_options){.retention_ms = 3600000});
	drain_retention(audit, audit_now_us());
	assert_int_equal(verified().rows, 20);
	/* An hour later all of it is too old but the checkpoint that says so. */
	drain_retention(audit, audit_now_us() + 3601000000ull);
	struct audit_verdict verdict = verified();
	assert_int_equal(verdict.rows, 1);
	assert_int_equal(verdict.removed, 20);
	fill(audit, 5);
	verdict = verified();
	assert_int_equal(verdict.rows, 11);
	drain_retention(audit, audit_now_us() + 3601000000ull);
	assert_int_equal(verified().rows, 1);
	drain_retention(audit, audit_now_us() + 3601000000ull);
	assert_int_equal(verified().rows, 1);
	fill(audit, 5);
	audit_close(audit);
	assert_int_equal(verified().rows, 11);
	/* A checkpoint signs off no more than what it says. */
	verdict = verified();
	char sql[96];
	(void)snprintf(sql, sizeof(sql), "DELETE FROM entry WHERE seq = %llu",
		(unsigned long long)verdict.first_seq);
	tamper(sql);
	assert_broken("missing and no checkpoint");
}

static void size_keeps_the_latest(void **state)
{
	(void)fresh(state);
	struct audit *audit = open_with(&(struct audit_options){.retention_bytes = 1 << 20});
	char code[2001];
	memset(code, 'y', 2000);
	code[2000] = 0;
	for (size_t i = 0; i < 2000; i++)
		accept_one(audit, "x", code);
	/* All have one id here: only rows count. */
	audit_abandon(audit);
	struct audit_call call = call_of("x", code);
	struct audit_end end = end_of("ok", "");
	for (size_t i = 0; i < 3000; i++)
		assert_int_equal(audit_single(audit, &call, &end, NULL, NULL), 0);
	assert_int_equal(audit_flush(audit, NULL), 0);
	drain_retention(audit, audit_now_us());
	struct audit_verdict verdict = verified();
	assert_in_range(verdict.rows, 100, 600);
	assert_true(verdict.last_seq > 3000);
	audit_close(audit);
	struct stat status;
	assert_int_equal(stat(path, &status), 0);
	assert_true(status.st_size < 8 << 20);
}

static void ticks_hand_out_heads(void **state)
{
	(void)fresh(state);
	struct audit *audit = open_with(&(struct audit_options){.head_ms = 3600000});
	struct audit_head head;
	bool due = true;
	assert_int_equal(audit_tick(audit, &head, &due, NULL), 0);
	assert_false(due);
	audit_close(audit);
	audit = open_with(&(struct audit_options){.head_ms = 3600000});
	accept_one(audit, "j", "1");
	assert_int_equal(audit_tick(audit, &head, &due, NULL), 0);
	assert_true(due);
	assert_int_equal(head.seq, 1);
	assert_string_equal(head.hash, verified().head);
	assert_int_equal(audit_tick(audit, &head, &due, NULL), 0);
	assert_false(due);
	audit_close(audit);
}

/* A process that accepts calls and is killed; `live` also completes some. */
static pid_t start_writer(size_t calls, bool wait)
{
	int ready[2];
	char byte;
	assert_int_equal(pipe(ready), 0);
	pid_t pid = fork();
	if (pid == 0) {
		char id[32];
		struct audit *audit = open_plain();
		for (size_t i = 0; i < calls; i++) {
			(void)snprintf(id, sizeof(id), "w%d-%zu", (int)getpid(), i);
			accept_one(audit, id, "while True: pass");
			if (i % 2)
				complete_one(audit, id);
		}
		if (audit_flush(audit, NULL) < 0 || write(ready[1], "r", 1) != 1)
			_exit(1);
		if (wait)
			(void)pause();
		_exit(0);
	}
	assert_true(pid > 0);
	(void)close(ready[1]);
	assert_int_equal(read(ready[0], &byte, 1), 1);
	(void)close(ready[0]);
	return pid;
}

static void end_writer(pid_t pid)
{
	int status;
	(void)kill(pid, SIGKILL);
	assert_int_equal(waitpid(pid, &status, 0), pid);
}

static void the_dead_are_interrupted_the_living_not(void **state)
{
	(void)fresh(state);
	pid_t dead = start_writer(9, true), living = start_writer(4, true);
	assert_int_equal(list(&(struct audit_filter){.outcome = "running"}).count, 5 + 2);
	end_writer(dead);
	struct audit *audit = open_plain();
	assert_int_equal(list(&(struct audit_filter){.outcome = "interrupted"}).count, 5);
	assert_int_equal(list(&(struct audit_filter){.outcome = "running"}).count, 2);
	assert_int_equal(list(&(struct audit_filter){.outcome = "ok"}).count, 4 + 2);
	/* Two writers, one chain. */
	fill(audit, 3);
	assert_int_equal(verified().open_calls, 2);
	audit_close(audit);
	end_writer(living);
	audit = open_plain();
	assert_int_equal(list(&(struct audit_filter){.outcome = "running"}).count, 0);
	assert_int_equal(list(&(struct audit_filter){.outcome = "interrupted"}).count, 7);
	audit_close(audit);
	audit = open_plain();
	assert_int_equal(list(&(struct audit_filter){.outcome = "interrupted"}).count, 7);
	audit_close(audit);
	assert_int_equal(verified().open_calls, 0);
}

/* A child writes as fast as it can, telling after each flush; SIGKILL comes at any moment. */
static size_t write_until_killed(useconds_t after_us)
{
	int told[2];
	size_t flushed = 0;
	assert_int_equal(pipe(told), 0);
	pid_t pid = fork();
	if (pid == 0) {
		struct audit *audit =
			open_with(&(struct audit_options){.retention_bytes = 1 << 20});
		char id[64];
		for (size_t i = 0;; i++) {
			bool more;
			(void)snprintf(id, sizeof(id), "k%d-%zu", (int)getpid(), i);
			accept_one(audit, id, "print('some code')");
			complete_one(audit, id);
			if (audit_flush(audit, NULL) < 0 || write(told[1], "f", 1) != 1)
				_exit(1);
			if (i % 64 == 0 && audit_retain(audit, audit_now_us(), &more, NULL) < 0)
				_exit(1);
		}
	}
	assert_true(pid > 0);
	(void)close(told[1]);
	(void)usleep(after_us);
	end_writer(pid);
	char bytes[4096];
	ssize_t got;
	while ((got = read(told[0], bytes, sizeof(bytes))) > 0)
		flushed += (size_t)got;
	(void)close(told[0]);
	return flushed;
}

static void sigkill_at_any_moment_leaves_a_good_chain(void **state)
{
	(void)fresh(state);
	size_t flushed = 0;
	uint64_t before = 0;
	for (useconds_t i = 0; i < 25; i++) {
		flushed = write_until_killed(3000 + i * 1370);
		struct audit *audit = open_plain();
		audit_close(audit);
		struct audit_verdict verdict = verified();
		/* No flush that was told is missing: each has two rows. */
		assert_true(verdict.last_seq >= before + 2 * flushed);
		assert_int_equal(verdict.open_calls, 0);
		before = verdict.last_seq;
	}
}

static void a_full_disk_keeps_the_queue(void **state)
{
	(void)fresh(state);
	struct audit *audit = open_plain();
	struct rlimit limit, low;
	struct err err = {0};
	char code[4000];
	memset(code, 'z', sizeof(code) - 1);
	code[sizeof(code) - 1] = 0;
	fill(audit, 2);
	assert_int_equal(getrlimit(RLIMIT_FSIZE, &limit), 0);
	(void)signal(SIGXFSZ, SIG_IGN);
	low = limit;
	low.rlim_cur = 256 * 1024;
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &low), 0);
	for (size_t i = 0; i < 200; i++) {
		char id[16];
		(void)snprintf(id, sizeof(id), "f%zu", i);
		accept_one(audit, id, code);
	}
	uint64_t durable = audit_durable(audit);
	assert_true(audit_flush(audit, &err) < 0);
	assert_true(err.text[0] != 0);
	assert_int_equal(audit_queued(audit), 200);
	assert_int_equal(audit_durable(audit), durable);
	assert_int_equal(verified().rows, 4);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
	assert_int_equal(audit_probe(audit, &err), 0);
	assert_int_equal(verified().rows, 4);
	assert_int_equal(audit_flush(audit, NULL), 0);
	assert_int_equal(audit_queued(audit), 0);
	assert_int_equal(verified().rows, 204);
	assert_int_equal(audit_probe(audit, &err), 0);
	audit_close(audit);
	assert_int_equal(verified().open_calls, 200);
}

static void other_files_are_no_logs(void **state)
{
	(void)fresh(state);
	struct audit *audit = NULL;
	struct err err = {0};
	struct audit_verdict verdict;
	struct audit_options options = {.path = path};
	assert_int_equal(audit_verify(path, NULL, &verdict, &err), -ENOENT);
	int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
	char text[2000];
	memset(text, 't', sizeof(text));
	assert_int_equal(write(fd, text, sizeof(text)), (ssize_t)sizeof(text));
	(void)close(fd);
	assert_int_equal(audit_open(&options, &audit, &err), -EBADMSG);
	assert_non_null(strstr(err.text, path));
	wipe();
	sqlite3 *handle;
	assert_int_equal(sqlite3_open(path, &handle), SQLITE_OK);
	assert_int_equal(sqlite3_exec(handle, "CREATE TABLE t(x)", NULL, NULL, NULL), SQLITE_OK);
	(void)sqlite3_close(handle);
	assert_int_equal(audit_open(&options, &audit, &err), -EBADMSG);
	options.path = "/nonexistent/audit.db";
	assert_int_equal(audit_open(&options, &audit, &err), -ENOENT);
	assert_non_null(strstr(err.text, "make its folder"));
	assert_null(audit);
}

static void filters_find(void **state)
{
	(void)fresh(state);
	struct audit *audit = open_plain();
	struct audit_call call = call_of("a1", "import pandas as pd  # 100%_sure");
	struct audit_end end = end_of("ok", "Hello World");
	assert_int_equal(audit_single(audit, &call, &end, NULL, NULL), 0);
	fill(audit, 4);
	audit_close(audit);
	uint64_t now = audit_now_us();
	assert_int_equal(list(&(struct audit_filter){0}).count, 5);
	assert_int_equal(list(&(struct audit_filter){.limit = 2}).count, 2);
	assert_int_equal(list(&(struct audit_filter){.text = "hello w"}).count, 1);
	assert_int_equal(list(&(struct audit_filter){.text = "0%_s"}).count, 1);
	assert_int_equal(list(&(struct audit_filter){.text = "0%x"}).count, 0);
	assert_int_equal(list(&(struct audit_filter){.text = "print"}).count, 4);
	assert_int_equal(list(&(struct audit_filter){.text = "42"}).count, 4);
	assert_int_equal(list(&(struct audit_filter){.since_us = now}).count, 0);
	assert_int_equal(list(&(struct audit_filter){.until_us = now}).count, 5);
	assert_int_equal(
		list(&(struct audit_filter){.outcome = "ok", .role = "research"}).count, 5);
	assert_int_equal(list(&(struct audit_filter){0}).seq, 8);
	size_t rows = 0;
	assert_int_equal(audit_show(path, "job1", count_row, &rows, NULL), 0);
	assert_int_equal(rows, 2);
	rows = 0;
	assert_int_equal(audit_show(path, "5", count_row, &rows, NULL), 0);
	assert_int_equal(rows, 2);
	assert_int_equal(audit_show(path, "nobody", count_row, &rows, NULL), -ENOENT);
	assert_int_equal(audit_show(path, "", count_row, &rows, NULL), -ENOENT);
	rows = 0;
	assert_int_equal(audit_export(path, &(struct audit_filter){0}, count_row, &rows, NULL), 0);
	assert_int_equal(rows, 9);
	rows = 0;
	assert_int_equal(
		audit_export(path, &(struct audit_filter){.outcome = "ok"}, count_row, &rows, NULL),
		0);
	assert_int_equal(rows, 5);
}

static void a_reload_takes_new_values(void **state)
{
	(void)fresh(state);
	const struct span values[] = {span_text("new-secret-value")}, low[] = {span_text("x")};
	struct audit *audit = open_plain();
	struct audit_options options = {.values = values, .value_count = 1};
	bool is_anew = true;
	assert_int_equal(audit_reload(audit, &options, &is_anew, NULL), 0);
	assert_false(is_anew);
	struct audit_call call = call_of("r1", "new-secret-value");
	struct audit_end end = end_of("ok", "");
	assert_int_equal(audit_single(audit, &call, &end, NULL, NULL), 0);
	options.values = low;
	assert_int_equal(audit_reload(audit, &options, &is_anew, NULL), -EINVAL);
	call.id = "r2";
	assert_int_equal(audit_single(audit, &call, &end, NULL, NULL), 0);
	audit_close(audit);
	assert_int_equal(list(&(struct audit_filter){.text = "new-secret"}).count, 0);
	assert_int_equal(list(&(struct audit_filter){.text = "[redacted:configured]"}).count, 2);
}

/* Calls of processes that live for one call each: the chain goes on through the WAL they leave. */
static void brief_writers_leave_the_wal(void **state)
{
	(void)state;
	const struct audit_options brief = {.brief = true};
	char wal[120], id[32];
	struct stat status;
	(void)snprintf(wal, sizeof(wal), "%s-wal", path);
	for (size_t i = 0; i < 20; i++) {
		struct audit *audit = open_with(&brief);
		(void)snprintf(id, sizeof(id), "brief%zu", i);
		accept_one(audit, id, "print(42)");
		complete_one(audit, id);
		assert_int_equal(audit_flush(audit, NULL), 0);
		audit_close(audit);
		assert_int_equal(stat(wal, &status), 0);
		assert_true(status.st_size > 0);
	}
	assert_int_equal(verified().rows, 40);
	audit_close(open_plain());
	assert_int_equal(stat(wal, &status), -1);
	assert_int_equal(verified().rows, 40);
}

/* Rows without a pause: the WAL begins again all the same, copied behind their backs. */
static void a_long_wal_is_copied_while_rows_come(void **state)
{
	(void)state;
	enum { ROWS = 96, ROW_BYTES = 1 << 20 };
	char wal[120], id[32];
	struct stat status;
	off_t longest = 0;
	char *code = malloc(ROW_BYTES + 1);
	assert_non_null(code);
	memset(code, '#', ROW_BYTES);
	code[ROW_BYTES] = 0;
	(void)snprintf(wal, sizeof(wal), "%s-wal", path);
	struct audit *audit = open_plain();
	for (size_t i = 0; i < ROWS; i++) {
		(void)snprintf(id, sizeof(id), "long%zu", i);
		accept_one(audit, id, code);
		assert_int_equal(audit_flush(audit, NULL), 0);
		assert_int_equal(stat(wal, &status), 0);
		longest = status.st_size > longest ? status.st_size : longest;
	}
	/* Small ones until the last pass has ended: then the log is cut to what it may keep. */
	for (size_t i = 0; i < 100000 && status.st_size > 16 << 20; i++) {
		(void)snprintf(id, sizeof(id), "short%zu", i);
		accept_one(audit, id, "1");
		assert_int_equal(audit_flush(audit, NULL), 0);
		assert_int_equal(stat(wal, &status), 0);
	}
	assert_true(longest > 16 << 20);
	assert_true(status.st_size <= 16 << 20);
	audit_close(audit);
	assert_true(verified().rows >= ROWS);
	free(code);
}

/* Of a call that cost its caller nothing a head is kept, with the size and the hash of all of it.
 */
static void a_refusal_keeps_a_head_of_its_code(void **state)
{
	(void)state;
	static const char *const outcomes[] = {"rejected", "error", "ok"};
	enum { CODE_BYTES = 1 << 20 };
	struct audit *audit = open_plain();
	char *code = malloc(CODE_BYTES), hex[65];
	unsigned char hash[32];
	assert_non_null(code);
	memset(code, '#', CODE_BYTES);
	(void)crypto_hash_sha256(hash, (const unsigned char *)code, CODE_BYTES);
	(void)sodium_bin2hex(hex, sizeof(hex), hash, sizeof(hash));
	struct audit_call call = call_of(NULL, "");
	call.code = span_of(code, CODE_BYTES);
	for (size_t i = 0; i < COUNT(outcomes); i++) {
		const struct audit_end end = {.outcome = outcomes[i]};
		assert_int_equal(audit_single(audit, &call, &end, NULL, NULL), 0);
	}
	call.id = "j1";
	assert_int_equal(audit_accept(audit, &call, NULL, NULL), 0);
	audit_close(audit);
	free(code);
	sqlite3 *handle;
	sqlite3_stmt *statement;
	assert_int_equal(sqlite3_open(path, &handle), SQLITE_OK);
	assert_int_equal(sqlite3_prepare_v2(handle,
				 "SELECT outcome, length(code), code_sha256, code_bytes "
				 "FROM entry ORDER BY seq",
				 -1, &statement, NULL),
		SQLITE_OK);
	for (size_t i = 0; i < COUNT(outcomes) + 1; i++) {
		int whole = i < 2 ? AUDIT_REFUSED_CODE_BYTES : CODE_BYTES;
		assert_int_equal(sqlite3_step(statement), SQLITE_ROW);
		assert_in_range(sqlite3_column_int(statement, 1), whole, whole + 6);
		assert_string_equal((const char *)sqlite3_column_text(statement, 2), hex);
		assert_int_equal(sqlite3_column_int(statement, 3), CODE_BYTES);
	}
	(void)sqlite3_finalize(statement);
	(void)sqlite3_close(handle);
	assert_int_equal(verified().rows, COUNT(outcomes) + 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(a_job_has_two_rows, fresh),
		cmocka_unit_test_setup(a_refusal_has_one, fresh),
		cmocka_unit_test_setup(a_refusal_keeps_a_head_of_its_code, fresh),
		cmocka_unit_test_setup(bad_calls_are_refused, fresh),
		cmocka_unit_test_setup(large_queues_are_bounded, fresh),
		cmocka_unit_test_setup(secrets_are_not_written, fresh),
		cmocka_unit_test_setup(long_and_odd_texts_are_kept_in_bounds, fresh),
		cmocka_unit_test(changes_show),
		cmocka_unit_test(changed_types_show),
		cmocka_unit_test(missing_rows_show),
		cmocka_unit_test(reordered_rows_show),
		cmocka_unit_test(a_cut_tail_shows_against_a_head),
		cmocka_unit_test(the_log_is_append_only),
		cmocka_unit_test(age_leaves_a_checkpoint),
		cmocka_unit_test(size_keeps_the_latest),
		cmocka_unit_test(ticks_hand_out_heads),
		cmocka_unit_test(the_dead_are_interrupted_the_living_not),
		cmocka_unit_test(sigkill_at_any_moment_leaves_a_good_chain),
		cmocka_unit_test(a_full_disk_keeps_the_queue),
		cmocka_unit_test(other_files_are_no_logs),
		cmocka_unit_test(filters_find),
		cmocka_unit_test(a_reload_takes_new_values),
		cmocka_unit_test_setup(brief_writers_leave_the_wal, fresh),
		cmocka_unit_test_setup(a_long_wal_is_copied_while_rows_come, fresh),
	};
	return cmocka_run_group_tests_name("audit_log", tests, make_folder, remove_folder);
}
