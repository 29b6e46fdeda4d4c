/* verdict: the rules, in order of precedence. */
#include "service/verdict.h"

#include <signal.h>

static struct verdict limit(enum outcome outcome, uint64_t hit)
{
	return (struct verdict){.outcome = outcome, .exit_code = -1, .limit_hit = hit};
}

static bool cpu_is_spent(const struct verdict_facts *facts)
{
	uint64_t limit_us = (uint64_t)facts->limits.cpu_ms * 1000;
	return facts->cpu_us >= (facts->rlimit_alone ? limit_us - limit_us / 4 : limit_us);
}

/* The process ended, or said that it was done. */
static struct verdict of_program(const struct verdict_facts *facts)
{
	struct verdict verdict = {.exit_code = facts->exit_code, .signal = facts->signal};

	if (facts->signal) {
		/* RLIMIT_CPU, the backstop behind the cgroup's count, ends by signal. */
		bool by_clock = facts->signal == SIGXCPU || facts->signal == SIGKILL;
		if (by_clock && cpu_is_spent(facts))
			return limit(OUTCOME_TIMEOUT_CPU, facts->limits.cpu_ms);
		verdict.exit_code = -1;
		verdict.outcome = OUTCOME_SIGNAL;
		return verdict;
	}
	if (facts->exit_code == 0)
		verdict.outcome = OUTCOME_OK;
	else
		verdict.outcome = facts->error_item ? OUTCOME_ERROR : OUTCOME_EXIT;
	return verdict;
}

struct verdict verdict_of(const struct verdict_facts *facts)
{
	if (facts->cause == END_FAULT || facts->cause == END_NONE)
		return limit(OUTCOME_INTERNAL, 0);
	if (facts->cause == END_CANCELLED)
		return limit(OUTCOME_CANCELLED, 0);
	if (facts->cause == END_DENIED)
		return limit(OUTCOME_DENIED, 0);
	/* The kernel may kill before its event reaches the service: its count decides. */
	if (facts->cause == END_MEMORY || facts->oom_kills > 0)
		return limit(OUTCOME_MEMORY, facts->limits.memory_bytes);
	if (facts->cause == END_OUTPUT)
		return limit(OUTCOME_OUTPUT, facts->limits.output_bytes);
	if (facts->cause == END_WALL)
		return limit(OUTCOME_TIMEOUT_WALL, facts->limits.wall_ms);
	if (facts->cause == END_CPU)
		return limit(OUTCOME_TIMEOUT_CPU, facts->limits.cpu_ms);
	return of_program(facts);
}
