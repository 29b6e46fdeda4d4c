/* words: whole words of a list, and nothing that only looks like one. */
#include "check.h"

#include "base/words.h"

static bool have(const char *list, const char *word)
{
	return words_have(list, word, strlen(word));
}

static void finds_whole_words_only(void **state)
{
	(void)state;
	assert_true(have("ro,nosuid,nodev", "ro"));
	assert_true(have("ro,nosuid,nodev", "nosuid"));
	assert_true(have("ro,nosuid,nodev", "nodev"));
	assert_false(have("ro,nosuid,nodev", "no"));
	assert_false(have("ro,nosuid,nodev", "rw"));
	assert_false(have("cpuset,cpuacct", "cpu"));
	assert_true(have("cpuset,cpu,cpuacct", "cpu"));
	assert_false(have("errors=remount-ro", "ro"));
	assert_false(have("", "ro"));
	assert_true(have(",,ro,", "ro"));
	assert_true(words_have("cpu,memory", "cpu,memory", 3));
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(finds_whole_words_only)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
