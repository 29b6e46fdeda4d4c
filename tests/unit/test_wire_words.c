/* The words of the contract: outcomes, layers, limits. */
#include "check.h"

#include "wire/layer.h"
#include "wire/limits.h"
#include "wire/outcome.h"

static void outcomes(void **state)
{
	(void)state;
	static const char *const words[] = {"ok", "error", "exit", "signal", "timeout_wall",
		"timeout_cpu", "memory", "output", "denied", "cancelled", "rejected", "internal"};
	assert_int_equal(COUNT(words), OUTCOME_COUNT);
	for (size_t i = 0; i < COUNT(words); i++)
		assert_string_equal(outcome_name((enum outcome)i), words[i]);
	assert_string_equal(outcome_name((enum outcome)99), "internal");
}

static void layers(void **state)
{
	(void)state;
	static const char words[] = "uid caps nnp pidns root image work dev proc net ipc seccomp "
				    "landlock memory pids cpu rlimits dump fds tty keyring "
				    "speculation ";
	char seen[sizeof(words)] = "";
	for (int i = 0; i < LAYER_COUNT; i++) {
		const char *name = layer_name((enum layer)i);
		(void)strcat(strcat(seen, name), " ");
		assert_int_equal(layer_by_name(name), i);
		assert_true(strlen(layer_purpose((enum layer)i)) > 0);
	}
	assert_string_equal(seen, words);
	assert_int_equal(layer_by_name("nothing"), -1);
	assert_string_equal(layer_name((enum layer)99), "unknown");
	assert_string_equal(layer_state_name(LAYER_NOT_OFFERED), "not offered");
}

static void defaults(void **state)
{
	(void)state;
	assert_int_equal(limits_default.wall_ms, 30000);
	assert_int_equal(limits_default.cpu_ms, 20000);
	assert_int_equal(limits_default.memory_bytes, 512 << 20);
	assert_int_equal(limits_default.output_bytes, 32 << 20);
	assert_int_equal(limits_default.work_bytes, 256 << 20);
	assert_int_equal(limits_default.work_inodes, 16384);
	assert_int_equal(limits_default.processes, 64);
	assert_int_equal(limits_default.cpus, 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(outcomes),
		cmocka_unit_test(layers),
		cmocka_unit_test(defaults),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
