/* A cell's folder read from outside: in order, whole, or said to be not. */
#include "check.h"

#include "alloc_fail.h"
#include "service/artifacts.h"
#include "service/folder.h"
#include "temp_folder.h"

static int folder_fd(const char *name)
{
	int fd = open(temp_path(name), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	assert_true(fd >= 0);
	return fd;
}

static void make_files(const char *folder, unsigned count)
{
	char name[64];
	assert_int_equal(mkdir(temp_path(folder), 0755), 0);
	for (unsigned i = 0; i < count; i++) {
		(void)snprintf(name, sizeof(name), "%s/f%03u", folder, (i * 7) % count);
		(void)temp_file(name, "x", 1);
	}
}

static void names_are_in_order(void **state)
{
	char *names[200], wanted[8];
	bool more = true;
	(void)state;
	make_files("order", 100);
	int fd = folder_fd("order");
	for (int round = 0; round < 2; round++) { /* the descriptor's place does not matter */
		assert_int_equal(folder_names(fd, names, COUNT(names), &more), 100);
		assert_false(more);
		for (unsigned i = 0; i < 100; i++) {
			(void)snprintf(wanted, sizeof(wanted), "f%03u", i);
			assert_string_equal(names[i], wanted);
			free(names[i]);
		}
	}
	assert_int_equal(folder_names(fd, names, 10, &more), 10);
	assert_true(more);
	for (unsigned i = 0; i < 10; i++)
		free(names[i]);
	(void)close(fd);
	assert_int_equal(folder_names(-1, names, 10, &more), -EBADF);
}

static void without_memory_a_folder_is_not_empty(void **state)
{
	char *names[16];
	(void)state;
	ALLOC_FAIL_OR_SKIP();
	make_files("memory", 8);
	int fd = folder_fd("memory");
	size_t open_before = check_fds();
	for (size_t n = 0;; n++) {
		long live = alloc_live;
		alloc_fail_at(n);
		int count = folder_names(fd, names, COUNT(names), NULL);
		if (!alloc_fail_end()) {
			assert_int_equal(count, 8);
			break;
		}
		assert_int_equal(count, -ENOMEM);
		assert_int_equal(alloc_live, live);
	}
	assert_int_equal(check_fds(), open_before);
	(void)close(fd);
}

/* Whatever is missing: each file is found, or what is not is told of. */
static void without_memory_artifacts_are_told_of(void **state)
{
	static struct artifacts artifacts;
	static const struct job_input input = {.name = "f000", .fd = -1};
	(void)state;
	ALLOC_FAIL_OR_SKIP();
	make_files("work", 4);
	int fd = folder_fd("work");
	for (size_t n = 0;; n++) {
		alloc_fail_at(n);
		artifacts_collect(&artifacts, fd, &input, 1, NULL);
		bool failed = alloc_fail_end();
		assert_true(artifacts.found_count == 3 || artifacts.skipped_count > 0);
		for (size_t i = 0; i < artifacts.found_count; i++)
			assert_memory_not_equal(artifacts.found[i].name.data, "f000", 4);
		artifacts_done(&artifacts);
		if (!failed)
			break;
	}
	(void)close(fd);
}

static void inputs_are_no_artifacts(void **state)
{
	enum { GIVEN = 90 };
	static struct artifacts artifacts;
	static struct job_input inputs[GIVEN];
	(void)state;
	make_files("given", 100);
	for (unsigned i = 0; i < GIVEN; i++)
		(void)snprintf(inputs[i].name, sizeof(inputs[i].name), "f%03u", GIVEN - 1 - i);
	int fd = folder_fd("given");
	artifacts_collect(&artifacts, fd, inputs, GIVEN, NULL);
	assert_int_equal(artifacts.found_count, 10);
	assert_int_equal(artifacts.skipped_count, 0);
	for (unsigned i = 0; i < 10; i++)
		assert_memory_equal(artifacts.found[i].name.data, "f09", 3);
	artifacts_done(&artifacts);
	(void)close(fd);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_are_in_order),
		cmocka_unit_test(without_memory_a_folder_is_not_empty),
		cmocka_unit_test(without_memory_artifacts_are_told_of),
		cmocka_unit_test(inputs_are_no_artifacts),
	};
	return cmocka_run_group_tests(tests, temp_folder_make, temp_folder_remove);
}
