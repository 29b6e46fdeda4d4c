/* jobs: what is kept of jobs that are over, and that it never takes what living ones need. */
#include "check.h"

#include "api/jobs.h"
#include "base/fd.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

enum { DESCRIPTORS = 128, FILES_EACH = 8 };

static struct event_base *base;
static struct jobs jobs;
static struct role role = {.name = "research"}, other_role = {.name = "billing"};
static const struct who me = {.role = &role, .token = "ci"};
static const struct who colleague = {.role = &role, .token = "night"};
static const struct who other = {.role = &other_role, .token = "bill"};
static struct rlimit before;

static int set_up(void **state)
{
	(void)state;
	if (getrlimit(RLIMIT_NOFILE, &before) < 0)
		return -1;
	const struct rlimit few = {DESCRIPTORS, before.rlim_max};
	base = event_base_new();
	if (!base || setrlimit(RLIMIT_NOFILE, &few) < 0 || jobs_init(&jobs, base, "/tmp") < 0)
		return -1;
	jobs.file_bytes_max = 1000;
	return 0;
}

static int take_down(void **state)
{
	(void)state;
	jobs_done(&jobs);
	event_base_free(base);
	return setrlimit(RLIMIT_NOFILE, &before);
}

/* A job that ends with files of `bytes` each; how many of them were kept. */
static size_t job_of(
	const struct who *who, unsigned number, size_t files, uint64_t bytes, char *ret_id)
{
	size_t kept = 0;
	(void)snprintf(ret_id, JOB_ID_BYTES, "j%030u", number);
	struct record *record = jobs_add(&jobs, ret_id, who);
	assert_non_null(record);
	for (size_t i = 0; i < files; i++) {
		char name[32];
		struct job_file file = {.mime = "text/plain", .bytes = bytes, .fd = -1};
		(void)snprintf(name, sizeof(name), "file-%zu", i);
		if (jobs_file_new(&jobs, record, bytes, &file.fd) < 0)
			continue;
		assert_int_equal(jobs_file_add(&jobs, record, &file, span_text(name)), 0);
		kept++;
	}
	jobs_end(&jobs, record, OUTCOME_OK, span_text("{}"));
	return kept;
}

static size_t one_job(unsigned number, size_t files, uint64_t bytes, char *ret_id)
{
	return job_of(&me, number, files, bytes, ret_id);
}

static size_t files_of(const char *id)
{
	const struct record *record = jobs_find(&jobs, span_text(id));
	return record ? record->file_count : 0;
}

static void kept_files_leave_half_of_the_descriptors(void **state)
{
	char id[JOB_ID_BYTES], first[JOB_ID_BYTES];
	(void)state;
	assert_int_equal(one_job(0, FILES_EACH, 1, first), FILES_EACH);
	for (unsigned i = 1; i < 60; i++) {
		assert_int_equal(one_job(i, FILES_EACH, 1, id), FILES_EACH);
		assert_int_equal(files_of(id), FILES_EACH);
		assert_true(jobs.file_count <= DESCRIPTORS / 2);
	}
	/* The oldest went, and their records stay. */
	assert_int_equal(files_of(first), 0);
	assert_non_null(jobs_find(&jobs, span_text(first)));
	int spare = dup(0);
	assert_true(spare >= 0 && spare <= DESCRIPTORS / 2 + 16);
	(void)close(spare);
}

static void the_oldest_files_make_room_for_bytes(void **state)
{
	char first[JOB_ID_BYTES], second[JOB_ID_BYTES], third[JOB_ID_BYTES];
	(void)state;
	assert_int_equal(one_job(0, 1, 600, first), 1);
	assert_int_equal(one_job(1, 1, 300, second), 1);
	assert_int_equal(one_job(2, 1, 500, third), 1);
	assert_int_equal(files_of(first), 0);
	assert_int_equal(files_of(second), 1);
	assert_int_equal(jobs.file_bytes, 800);
	assert_int_equal(one_job(3, 1, 1001, first), 0);
}

/* Of 1,000 bytes: whoever wants more than it has a share of takes from itself. */
static void files_of_those_who_hold_less_stay(void **state)
{
	char mine[JOB_ID_BYTES], id[JOB_ID_BYTES], last[JOB_ID_BYTES];
	(void)state;
	assert_int_equal(job_of(&me, 0, 1, 300, mine), 1);
	for (unsigned i = 1; i < 20; i++)
		assert_int_equal(job_of(&other, i, 2, 150, id), 2);
	assert_int_equal(files_of(mine), 1);
	assert_int_equal(files_of(id), 2);
	assert_true(jobs.file_bytes <= 1000);
	/* A colleague of the same role takes from the role that holds most, too. */
	assert_int_equal(job_of(&colleague, 20, 1, 200, last), 1);
	assert_int_equal(files_of(mine), 1);
	/* Now the roles hold 500 each: the next that it wants comes from its own, of the one that
	 * has most of it, and never from the role that holds less. */
	assert_int_equal(job_of(&other, 21, 1, 100, id), 1);
	assert_int_equal(job_of(&colleague, 22, 1, 200, id), 1);
	assert_int_equal(files_of(mine) + files_of(last), 1);
	assert_int_equal(files_of(id), 1);
}

/* What nobody gives up for it is not kept, and nothing is lost for the attempt. */
static void a_file_beyond_its_share_is_not_kept(void **state)
{
	char mine[JOB_ID_BYTES], id[JOB_ID_BYTES];
	(void)state;
	assert_int_equal(job_of(&me, 0, 1, 500, mine), 1);
	assert_int_equal(job_of(&other, 1, 1, 600, id), 0);
	assert_int_equal(job_of(&other, 2, 1, 1001, id), 0);
	assert_int_equal(files_of(mine), 1);
	assert_int_equal(jobs.file_bytes, 500);
	assert_int_equal(jobs.file_count, 1);
	assert_int_equal(job_of(&other, 3, 1, 500, id), 1);
	assert_int_equal(files_of(mine), 1);
}

static void descriptors_are_shared_too(void **state)
{
	char mine[JOB_ID_BYTES], id[JOB_ID_BYTES];
	(void)state;
	assert_int_equal(job_of(&me, 0, FILES_EACH, 1, mine), FILES_EACH);
	for (unsigned i = 1; i < 60; i++)
		assert_int_equal(job_of(&other, i, FILES_EACH, 0, id), FILES_EACH);
	assert_int_equal(files_of(mine), FILES_EACH);
	assert_true(jobs.file_count <= DESCRIPTORS / 2);
}

static void records_of_those_who_hold_less_stay(void **state)
{
	char mine[JOB_ID_BYTES], first[JOB_ID_BYTES], id[JOB_ID_BYTES];
	(void)state;
	(void)one_job(0, 0, 0, mine);
	(void)job_of(&other, 1, 0, 0, first);
	for (unsigned i = 2; i < 2 * JOBS_RECORDS_MAX; i++)
		(void)job_of(&other, i, 0, 0, id);
	assert_int_equal(jobs.count, JOBS_RECORDS_MAX);
	assert_non_null(jobs_find(&jobs, span_text(mine)));
	assert_non_null(jobs_find(&jobs, span_text(id)));
	assert_null(jobs_find(&jobs, span_text(first)));
	/* Who comes anew is served, and loses nothing that it has got. */
	for (unsigned i = 0; i < 10; i++)
		(void)job_of(&colleague, 2 * JOBS_RECORDS_MAX + i, 0, 0, id);
	assert_non_null(jobs_find(&jobs, span_text(mine)));
	assert_int_equal(jobs.count, JOBS_RECORDS_MAX);
}

/* As many callers as places: who holds nothing yet gets the oldest of them. */
static void there_is_always_a_place_for_a_job(void **state)
{
	char first[JOB_ID_BYTES], id[JOB_ID_BYTES];
	struct who one = {.role = &role};
	(void)state;
	for (unsigned i = 0; i <= JOBS_RECORDS_MAX; i++) {
		(void)snprintf(one.token, sizeof(one.token), "token-%u", i);
		(void)job_of(&one, i, 0, 0, i ? id : first);
	}
	assert_null(jobs_find(&jobs, span_text(first)));
	assert_non_null(jobs_find(&jobs, span_text(id)));
	/* Those that run are never given up. */
	for (unsigned i = 0; i < JOBS_RECORDS_MAX; i++) {
		(void)snprintf(id, sizeof(id), "r%030u", i);
		assert_non_null(jobs_add(&jobs, id, &me));
	}
	assert_null(jobs_add(&jobs, "one-more", &other));
	assert_non_null(jobs_find(&jobs, span_text(id)));
}

static void results_of_those_who_hold_less_stay(void **state)
{
	enum { RESULT_BYTES = 4 << 20 };
	char *text = malloc(RESULT_BYTES), mine[JOB_ID_BYTES], id[JOB_ID_BYTES];
	struct record *record;
	(void)state;
	assert_non_null(text);
	memset(text, ' ', RESULT_BYTES);
	(void)one_job(0, 0, 0, mine);
	for (unsigned i = 1; i < 40; i++) {
		(void)snprintf(id, sizeof(id), "r%030u", i);
		record = jobs_add(&jobs, id, &other);
		assert_non_null(record);
		jobs_end(&jobs, record, OUTCOME_OK, span_of(text, RESULT_BYTES));
		assert_int_equal(record->result.len, RESULT_BYTES);
		assert_true(jobs.result_bytes <= JOBS_RESULT_BYTES_MAX);
	}
	free(text);
	assert_int_equal(jobs_find(&jobs, span_text(mine))->result.len, 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(
			kept_files_leave_half_of_the_descriptors, set_up, take_down),
		cmocka_unit_test_setup_teardown(
			the_oldest_files_make_room_for_bytes, set_up, take_down),
		cmocka_unit_test_setup_teardown(
			files_of_those_who_hold_less_stay, set_up, take_down),
		cmocka_unit_test_setup_teardown(
			a_file_beyond_its_share_is_not_kept, set_up, take_down),
		cmocka_unit_test_setup_teardown(descriptors_are_shared_too, set_up, take_down),
		cmocka_unit_test_setup_teardown(
			records_of_those_who_hold_less_stay, set_up, take_down),
		cmocka_unit_test_setup_teardown(
			there_is_always_a_place_for_a_job, set_up, take_down),
		cmocka_unit_test_setup_teardown(
			results_of_those_who_hold_less_stay, set_up, take_down),
	};
	return cmocka_run_group_tests_name("jobs", tests, NULL, NULL);
}
