/*
 * Allocations that fail, one after the other: the configuration, the redactor and the audit log
 * say so, lose nothing, and leave a log that verifies.
 */
#include "check.h"

#include "alloc_fail.h"
#include "temp_folder.h"

#include "audit/audit.h"
#include "audit/audit_verify.h"
#include "audit/redact.h"
#include "tool/config.h"
#include "tool/quota.h"

#include <sodium.h>

#define ROUNDS_MAX 20000u

/* Runs `work` with the nth allocation failing until none does. `work` returns 0 or -errno. */
static void each_failure(int (*work)(void), bool enomem_only)
{
	assert_int_equal(work(), 0);
	for (size_t n = 0;; n++) {
		assert_true(n < ROUNDS_MAX);
		long live = alloc_live;
		alloc_fail_at(n);
		int rc = work();
		bool hit = alloc_fail_end();
		if (alloc_live != live)
			fail_msg("allocation %zu: %ld not freed", n, alloc_live - live);
		if (!hit)
			break;
		/* What can do without may: then it is as good as done. */
		if (rc != 0 && rc != -ENOMEM && enomem_only)
			fail_msg("allocation %zu: %d", n, rc);
	}
}

static int load_config(void)
{
	struct config *config = NULL;
	struct err err = {0};
	int rc = config_load(temp_path("brig.ini"), &config, &err);
	assert_true(rc == 0 || err.text[0]);
	assert_true((rc == 0) == (config != NULL));
	config_unref(config);
	return rc;
}

static void configuration(void **state)
{
	(void)state;
	ALLOC_FAIL_OR_SKIP();
	FILE *file = fopen(temp_path("values"), "we");
	assert_non_null(file);
	(void)fputs("first-value\nsecond-value\n", file);
	assert_int_equal(fchmod(fileno(file), 0600), 0);
	assert_int_equal(fclose(file), 0);
	assert_int_equal(mkdir(temp_path("root"), 0755), 0);
	file = fopen(temp_path("brig.ini"), "we");
	assert_non_null(file);
	(void)fprintf(file,
		"[server]\nlisten = 127.0.0.1:0\nhosts = a, b\norigins = https://c\n"
		"[audit]\ndb = /var/lib/brig/x.db\nredact_file = %s\n"
		"[role a]\ntools = calculate, run_sandboxed\nfile_root r = %s\n"
		"[role b]\ntools = calculate\n[token t]\nrole = a\nsha256 = %s\n",
		temp_path("values"), temp_path("root"),
		"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa");
	assert_int_equal(fclose(file), 0);
	/* Where the list of users cannot be read for lack of memory it counts as empty. */
	each_failure(load_config, false);
}

static int redact_something(void)
{
	const struct span values[] = {span_text("configured-1"), span_text("configured-2")};
	struct redact *redact = NULL;
	struct buf out;
	buf_init(&out, 1 << 20);
	int rc = redact_new(values, 2, &redact);
	for (size_t i = 0; !rc && i < 400; i++)
		rc = redact_push(redact, "password = 'hunter2' configured-1 plain text ", 45, &out);
	if (!rc)
		rc = redact_finish(redact, &out);
	redact_free(redact);
	buf_done(&out);
	return rc;
}

static void redactor(void **state)
{
	(void)state;
	ALLOC_FAIL_OR_SKIP();
	each_failure(redact_something, true);
}

static char db[80];

static int log_something(void)
{
	static const unsigned char sha256[32];
	static unsigned serial;
	const struct audit_input input = {.name = "data.csv", .sha256 = sha256};
	const struct audit_options options = {.path = db};
	struct audit *audit = NULL;
	struct err err = {0};
	char id[32];
	(void)snprintf(id, sizeof(id), "j%u", serial++);
	struct audit_call call = {.id = id,
		.role = "a",
		.tool = "run_sandboxed",
		.code = span_text("print(1)"),
		.inputs = &input,
		.input_count = 1,
		.limits = &limits_default};
	const struct audit_end end = {.outcome = "ok", .output = span_text("1")};
	int rc = audit_open(&options, &audit, &err);
	if (!rc)
		rc = audit_accept(audit, &call, NULL, &err);
	if (!rc)
		rc = audit_flush(audit, &err);
	if (!rc)
		rc = audit_complete(audit, &call, &end, NULL, &err);
	if (!rc)
		rc = audit_flush(audit, &err);
	assert_true(rc == 0 || err.text[0]);
	if (audit)
		audit_abandon(audit);
	audit_close(audit);
	return rc;
}

static void log_of_calls(void **state)
{
	(void)state;
	ALLOC_FAIL_OR_SKIP();
	/* In memory: thousands of logs are opened and closed. */
	char folder[] = "/dev/shm/brig-alloc-XXXXXX";
	assert_non_null(mkdtemp(folder));
	(void)snprintf(db, sizeof(db), "%s/audit.db", folder);
	each_failure(log_something, false);
	struct audit_verdict verdict;
	struct err err = {0};
	if (audit_verify(db, NULL, &verdict, &err) < 0)
		fail_msg("%s", err.text);
	assert_true(verdict.rows > 4);
	assert_int_equal(nftw(folder, temp_remove_one, 16, FTW_DEPTH | FTW_PHYS), 0);
}

static int ask_quota(void)
{
	struct quota *quota = NULL;
	const struct quota_asker somebody = {.caller = "somebody"};
	struct quota_ticket ticket;
	struct role role = {.name = "a", .jobs_at_once = 1, .queue_max = 4};
	int rc = quota_new(2, &quota);
	for (size_t i = 0; !rc && i < 3; i++)
		if (quota_ask(quota, &role, &somebody, 0, &ticket) == QUOTA_REFUSE)
			rc = -ENOMEM;
	quota_free(quota);
	return rc;
}

static void quotas(void **state)
{
	(void)state;
	ALLOC_FAIL_OR_SKIP();
	each_failure(ask_quota, true);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(configuration),
		cmocka_unit_test(redactor),
		cmocka_unit_test(log_of_calls),
		cmocka_unit_test(quotas),
	};
	if (sodium_init() < 0)
		return 1;
	return cmocka_run_group_tests_name(
		"audit_alloc", tests, temp_folder_make, temp_folder_remove);
}
