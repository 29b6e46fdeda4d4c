/* procfs: what the kernel's words about a process mean. */
#include "check.h"

#include "service/procfs.h"

static int speculation(const char *bypass, const char *branch)
{
	char status[256], words[128];
	(void)snprintf(status, sizeof(status),
		"Seccomp:\t2\nSpeculation_Store_Bypass:\t%s\nSpeculationIndirectBranch:\t%s\nX:"
		"\t1\n",
		bypass, branch);
	int held = procfs_speculation(status, words, sizeof(words));
	assert_non_null(strstr(words, bypass));
	assert_non_null(strstr(words, branch));
	return held;
}

static void what_is_offered_is_held_or_not(void **state)
{
	(void)state;
	assert_int_equal(speculation("thread force mitigated", "conditional force disabled"), 1);
	assert_int_equal(speculation("not vulnerable", "always disabled"), 1);
	assert_int_equal(speculation("globally mitigated", "not affected"), 1);
	assert_int_equal(speculation("thread force mitigated", "always enabled"), 1);
	assert_int_equal(speculation("vulnerable", "always enabled"), 0);
	assert_int_equal(speculation("unknown", "unsupported"), 0);
	/* Left out, or in a way that the process itself could take back. */
	assert_int_equal(speculation("thread vulnerable", "conditional force disabled"), -1);
	assert_int_equal(speculation("thread force mitigated", "conditional enabled"), -1);
	assert_int_equal(speculation("thread mitigated", "not affected"), -1);
	assert_int_equal(speculation("vulnerable", "conditional disabled"), -1);
}

static void descriptors_are_listed_by_number(void **state)
{
	char list[128];
	int proc_fd = open("/proc", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	(void)state;
	procfs_descriptors(proc_fd, getpid(), list, sizeof(list));
	assert_memory_equal(list, "0 1", 3);
	procfs_descriptors(proc_fd, 0, list, sizeof(list));
	assert_string_equal(list, "");
	(void)close(proc_fd);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_offered_is_held_or_not),
		cmocka_unit_test(descriptors_are_listed_by_number),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
