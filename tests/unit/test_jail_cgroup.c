/* cgroup: what is made of a group goes again where not all of it can be made. */
#include "check.h"

#include "jail/cgroup.h"
#include "temp_folder.h"

#include <sys/resource.h>

static void made_and_not_to_be_opened(void **state)
{
	struct cgroup_tree tree;
	struct cgroup cgroup;
	struct rlimit before, now;
	struct err err = {0};
	(void)state;

	for (size_t i = 0; i < CGROUP_COUNT; i++)
		tree.dirs[i] = -1;
	tree.v2 = false;
	assert_int_equal(mkdir(temp_path("memory"), 0755), 0);
	assert_int_equal(mkdir(temp_path("cpu"), 0755), 0);
	tree.dirs[CGROUP_MEMORY] = open(temp_path("memory"), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	tree.dirs[CGROUP_CPU] = open(temp_path("cpu"), O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	/* One descriptor is free: the second folder is made, and cannot be opened. */
	size_t open_before = check_fds();
	int next = dup(tree.dirs[CGROUP_MEMORY]);
	(void)close(next);
	assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
	now = before;
	now.rlim_cur = (rlim_t)next + 1;
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &now), 0);
	int rc = cgroup_make(&tree, "cell-0-1", &cgroup, &err);
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &before), 0);
	assert_int_equal(rc, -EMFILE);
	assert_int_equal(temp_count("memory"), 0);
	assert_int_equal(temp_count("cpu"), 0);
	assert_int_equal(check_fds(), open_before);

	assert_int_equal(cgroup_make(&tree, "cell-0-2", &cgroup, &err), 0);
	assert_int_equal(temp_count("cpu"), 1);
	assert_int_equal(cgroup_remove(&tree, &cgroup), 0);
	assert_int_equal(temp_count("cpu"), 0);
	(void)close(tree.dirs[CGROUP_MEMORY]);
	(void)close(tree.dirs[CGROUP_CPU]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(made_and_not_to_be_opened)};
	return cmocka_run_group_tests(tests, temp_folder_make, temp_folder_remove);
}
