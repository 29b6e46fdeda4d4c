/* test_service_verdict: every rule of the verdict, and which wins over which. */
#include "check.h"

#include "service/verdict.h"

#include <signal.h>

static struct verdict_facts facts_of(enum end_cause cause)
{
	return (struct verdict_facts){
		.cause = cause,
		.exit_code = 0,
		.limits = limits_default,
		.syscall = -1,
	};
}

static void test_program(void **state)
{
	struct verdict_facts facts = facts_of(END_DONE);
	(void)state;

	assert_int_equal(verdict_of(&facts).outcome, OUTCOME_OK);
	facts.exit_code = 3;
	assert_int_equal(verdict_of(&facts).outcome, OUTCOME_EXIT);
	assert_int_equal(verdict_of(&facts).exit_code, 3);
	facts.exit_code = 1;
	facts.error_item = true;
	assert_int_equal(verdict_of(&facts).outcome, OUTCOME_ERROR);
	/* A program may claim an error and still end well: its exit code is what it is. */
	facts.exit_code = 0;
	assert_int_equal(verdict_of(&facts).outcome, OUTCOME_OK);
}

static void test_signal(void **state)
{
	struct verdict_facts facts = facts_of(END_EXITED);
	(void)state;

	facts.exited = true;
	facts.exit_code = -1;
	facts.signal = SIGSEGV;
	assert_int_equal(verdict_of(&facts).outcome, OUTCOME_SIGNAL);
	assert_int_equal(verdict_of(&facts).signal, SIGSEGV);
	assert_int_equal(verdict_of(&facts).exit_code, -1);
	/* A SIGSYS that the job raises itself is a signal, not a denial. */
	facts.signal = SIGSYS;
	assert_int_equal(verdict_of(&facts).outcome, OUTCOME_SIGNAL);
	/* SIGXCPU is the clock's only where the CPU is spent. */
	facts.signal = SIGXCPU;
	assert_int_equal(verdict_of(&facts).outcome, OUTCOME_SIGNAL);
	facts.cpu_us = (uint64_t)limits_default.cpu_ms * 1000 - 1;
	assert_int_equal(verdict_of(&facts).outcome, OUTCOME_SIGNAL);
	/* The kernel's ticks for RLIMIT_CPU run ahead of the time really had. */
	facts.rlimit_alone = true;
	assert_int_equal(verdict_of(&facts).outcome, OUTCOME_TIMEOUT_CPU);
	facts.cpu_us /= 2;
	assert_int_equal(verdict_of(&facts).outcome, OUTCOME_SIGNAL);
	facts.rlimit_alone = false;
	facts.cpu_us = (uint64_t)limits_default.cpu_ms * 1000;
	assert_int_equal(verdict_of(&facts).outcome, OUTCOME_TIMEOUT_CPU);
	assert_int_equal(verdict_of(&facts).limit_hit, limits_default.cpu_ms);
}

static void test_limits(void **state)
{
	static const struct {
		enum end_cause cause;
		enum outcome outcome;
	} cases[] = {
		{END_WALL, OUTCOME_TIMEOUT_WALL},
		{END_CPU, OUTCOME_TIMEOUT_CPU},
		{END_MEMORY, OUTCOME_MEMORY},
		{END_OUTPUT, OUTCOME_OUTPUT},
		{END_DENIED, OUTCOME_DENIED},
		{END_CANCELLED, OUTCOME_CANCELLED},
		{END_FAULT, OUTCOME_INTERNAL},
		{END_NONE, OUTCOME_INTERNAL},
	};
	(void)state;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct verdict_facts facts = facts_of(cases[i].cause);
		/* Whatever the job said of itself changes nothing. */
		facts.error_item = true;
		assert_int_equal(verdict_of(&facts).outcome, cases[i].outcome);
		assert_int_equal(verdict_of(&facts).exit_code, -1);
	}
}

static void test_memory_by_the_kernels_count(void **state)
{
	static const enum end_cause causes[] = {
		END_DONE, END_EXITED, END_WALL, END_CPU, END_OUTPUT, END_MEMORY};
	(void)state;

	/* The kernel may kill before its event is heard. */
	for (size_t i = 0; i < sizeof(causes) / sizeof(causes[0]); i++) {
		struct verdict_facts facts = facts_of(causes[i]);
		facts.oom_kills = 1;
		facts.signal = SIGKILL;
		assert_int_equal(verdict_of(&facts).outcome, OUTCOME_MEMORY);
		assert_int_equal(verdict_of(&facts).limit_hit, limits_default.memory_bytes);
	}
	/* Exit status 137 alone is not memory. */
	struct verdict_facts facts = facts_of(END_DONE);
	facts.exit_code = 137;
	assert_int_equal(verdict_of(&facts).outcome, OUTCOME_EXIT);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_program),
		cmocka_unit_test(test_signal),
		cmocka_unit_test(test_limits),
		cmocka_unit_test(test_memory_by_the_kernels_count),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
