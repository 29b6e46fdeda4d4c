/* jobs: what is kept of jobs that are over, and that it never takes what living ones need. */
#include "check.h"

#include "api/jobs.h"
#include "base/fd.h"

#include <errno.h>
#include <stdio.h>
#include <sys/resource.h>
#include <unistd.h>

enum { DESCRIPTORS = 128, FILES_EACH = 8 };

static struct event_base *base;
static struct jobs jobs;
static struct role role = {.name = "research"};
static const struct who me = {.role = &role, .token = "ci"};
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
static size_t one_job(unsigned number, size_t files, uint64_t bytes, char *ret_id)
{
	size_t kept = 0;
	(void)snprintf(ret_id, JOB_ID_BYTES, "j%030u", number);
	struct record *record = jobs_add(&jobs, ret_id, &me);
	assert_non_null(record);
	for (size_t i = 0; i < files; i++) {
		char name[32];
		struct job_file file = {.mime = "text/plain", .bytes = bytes, .fd = -1};
		(void)snprintf(name, sizeof(name), "file-%zu", i);
		if (jobs_file_new(&jobs, bytes, &file.fd) < 0)
			continue;
		assert_int_equal(jobs_file_add(&jobs, record, &file, span_text(name)), 0);
		kept++;
	}
	jobs_end(&jobs, record, OUTCOME_OK, span_text("{}"));
	return kept;
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(
			kept_files_leave_half_of_the_descriptors, set_up, take_down),
		cmocka_unit_test_setup_teardown(
			the_oldest_files_make_room_for_bytes, set_up, take_down),
	};
	return cmocka_run_group_tests_name("jobs", tests, NULL, NULL);
}
