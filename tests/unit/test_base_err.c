/* err: one fault, filled in or not. */
#include "check.h"

#include "base/err.h"

static void is_filled_in(void **state)
{
	(void)state;
	struct err err = {0};
	assert_int_equal(err_set(&err, -EPERM, "landlock", "rule %d: %s", 3, "no"), -EPERM);
	assert_int_equal(err.code, -EPERM);
	assert_string_equal(err.stage, "landlock");
	assert_string_equal(err.text, "rule 3: no");
	assert_int_equal(err_set(NULL, -EPERM, "x", "y"), -EPERM);
}

static void says_what_the_system_says(void **state)
{
	(void)state;
	struct err err = {0};
	assert_int_equal(err_sys(&err, -ENOENT, "open", "no image"), -ENOENT);
	assert_string_equal(err.text, "no image: No such file or directory");
	assert_int_equal(err_sys(&err, -99999, "open", "odd"), -99999);
	assert_string_equal(err.text, "odd: unknown error");
}

static void is_cut_to_its_size(void **state)
{
	(void)state;
	struct err err = {0};
	char large[1000];
	memset(large, 'a', sizeof(large) - 1);
	large[sizeof(large) - 1] = 0;
	(void)err_set(&err, -EINVAL, large, "%s", large);
	assert_int_equal(strlen(err.stage), sizeof(err.stage) - 1);
	assert_int_equal(strlen(err.text), sizeof(err.text) - 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(is_filled_in),
		cmocka_unit_test(says_what_the_system_says),
		cmocka_unit_test(is_cut_to_its_size),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
