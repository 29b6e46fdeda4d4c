/*
 * policy: the cell's filter as data, for the tests and for docs/seccomp.md.
 *
 *	policy json		every rule: name, number, action, tests
 *	policy markdown		the tables of docs/seccomp.md
 */
#include "jail/seccomp_policy.h"

#include <seccomp.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

static const char *const actions[] = {
	[POLICY_ALLOW] = "ALLOW",
	[POLICY_NOTHING] = "NOTHING",
	[POLICY_EPERM] = "EPERM",
	[POLICY_EOPNOTSUPP] = "EOPNOTSUPP",
	[POLICY_EAFNOSUPPORT] = "EAFNOSUPPORT",
	[POLICY_DEADLY] = "DEADLY",
};

static const char *const headings[] = {
	[POLICY_ALLOW] = "Allowed",
	[POLICY_NOTHING] = "Answered 0 and not done",
	[POLICY_EPERM] = "Refused with EPERM",
	[POLICY_EOPNOTSUPP] = "Refused with EOPNOTSUPP",
	[POLICY_EAFNOSUPPORT] = "Refused with EAFNOSUPPORT",
	[POLICY_DEADLY] = "Deadly: the supervisor is told the call's name and kills",
};

static int number_of(const char *name)
{
	int number = seccomp_syscall_resolve_name_arch(SCMP_ARCH_X86_64, name);
	return number == __NR_SCMP_ERROR ? -1 : number;
}

static void print_tests(const struct policy_rule *rule, bool json)
{
	static const char *const operators[] = {"", "==", "== (low 32 bits)", "& … == 0"};
	bool first = true;
	for (size_t i = 0; i < 2; i++) {
		unsigned argument = rule->tests[i].argument;
		const char *word = operators[rule->tests[i].test];
		unsigned long long value = rule->tests[i].value;
		if (rule->tests[i].test == TEST_NONE)
			continue;
		if (json)
			(void)printf(
				"%s[%u, \"%s\", %llu]", first ? "" : ", ", argument, word, value);
		else
			(void)printf("%sargument %u %s 0x%llx", first ? "" : " and ", argument,
				word, value);
		first = false;
	}
}

static void print_json(void)
{
	(void)fputs("[\n", stdout);
	for (size_t i = 0; i < seccomp_policy_count; i++) {
		const struct policy_rule *rule = &seccomp_policy[i];
		(void)printf(
			"%s{\"name\": \"%s\", \"number\": %d, \"action\": \"%s\", \"tests\": [",
			i ? ",\n" : "", rule->syscall, number_of(rule->syscall),
			actions[rule->action]);
		print_tests(rule, true);
		(void)fputs("]}", stdout);
	}
	(void)fputs("\n]\n", stdout);
}

/* Calls without tests that follow each other with one reason share a line. */
static size_t print_row(size_t at)
{
	const struct policy_rule *rule = &seccomp_policy[at];
	size_t next = at + 1;
	(void)printf("| `%s`", rule->syscall);
	while (next < seccomp_policy_count && rule->tests[0].test == TEST_NONE &&
		seccomp_policy[next].action == rule->action &&
		seccomp_policy[next].tests[0].test == TEST_NONE &&
		strcmp(seccomp_policy[next].why, rule->why) == 0)
		(void)printf(" `%s`", seccomp_policy[next++].syscall);
	(void)fputs(" | ", stdout);
	print_tests(rule, false);
	(void)printf(" | %s |\n", rule->why);
	return next;
}

/* Rows that say nothing on the other architecture. */
static void print_missing(void)
{
	const char *before = "";
	(void)fputs("\n### Not on aarch64\n\n", stdout);
	for (size_t i = 0; i < seccomp_policy_count; i++) {
		const char *name = seccomp_policy[i].syscall;
		if (strcmp(name, before) != 0 &&
			seccomp_syscall_resolve_name_arch(SCMP_ARCH_AARCH64, name) < 0)
			(void)printf("%s`%s`", before[0] ? ", " : "", name);
		if (seccomp_syscall_resolve_name_arch(SCMP_ARCH_AARCH64, name) < 0)
			before = name;
	}
	(void)fputs("\n", stdout);
}

static void print_markdown(void)
{
	for (size_t action = 0; action < sizeof(headings) / sizeof(headings[0]); action++) {
		(void)printf(
			"\n### %s\n\n| call | where | why |\n|---|---|---|\n", headings[action]);
		for (size_t i = 0; i < seccomp_policy_count;)
			i = seccomp_policy[i].action == (enum policy_action)action ? print_row(i)
										   : i + 1;
	}
	print_missing();
	(void)fputs("\n## The filter of a cell's init\n\n| call | why |\n|---|---|\n", stdout);
	for (size_t i = 0; i < seccomp_init_policy_count; i++)
		(void)printf("| `%s` | %s |\n", seccomp_init_policy[i].syscall,
			seccomp_init_policy[i].why);
}

int main(int argc, char **argv)
{
	bool json = argc == 2 && strcmp(argv[1], "json") == 0;
	if (!json && (argc != 2 || strcmp(argv[1], "markdown") != 0)) {
		(void)fputs("usage: policy json|markdown\n", stderr);
		return 2;
	}
	if (json)
		print_json();
	else
		print_markdown();
	return fflush(stdout) == 0 ? 0 : 1;
}
