/*
 * The filter of a cell and that of its init, interpreted: what libseccomp made of the policy's
 * table answers for every number and every boundary of an argument what the table says.
 */
#include "check.h"

#include "bpf.h"
#include "jail/seccomp_build.h"
#include "jail/seccomp_policy.h"

#include <linux/audit.h>
#include <seccomp.h>
#include <sys/syscall.h>

#define NUMBERS 601u /* 0 to 600 */
#define X32 0x40000000u
#define BROADEST 6u

struct policy {
	uint32_t arch; /* AUDIT_ARCH_ */
	const struct policy_rule *rules;
	size_t count;
	int numbers[1024]; /* of each rule; negative where there is no such call */
	struct cell_filter filter;
	struct sock_filter code[CELL_FILTER_MAX];
	bool visited[CELL_FILTER_MAX];
	struct bpf_program program;
};

static struct policy cell, init, arm_cell, arm_init;
static struct policy *const all[] = {&cell, &init, &arm_cell, &arm_init};

static void build(
	struct policy *policy, uint32_t arch, const struct policy_rule *rules, size_t count)
{
	struct err err = {0};
	assert_true(count <= COUNT(policy->numbers));
	*policy = (struct policy){.arch = arch, .rules = rules, .count = count};
	assert_int_equal(seccomp_build_for(arch, rules, count, &policy->filter, &err), 0);
	memcpy(policy->code, policy->filter.code, policy->filter.count * sizeof(policy->code[0]));
	policy->program = (struct bpf_program){
		.code = policy->code, .count = policy->filter.count, .visited = policy->visited};
	for (size_t i = 0; i < count; i++) {
		policy->numbers[i] = seccomp_syscall_resolve_name_arch(arch, rules[i].syscall);
	}
}

static int set_up(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(all); i++) {
		uint32_t arch = i < 2 ? AUDIT_ARCH_X86_64 : AUDIT_ARCH_AARCH64;
		if (i % 2)
			build(all[i], arch, seccomp_init_policy, seccomp_init_policy_count);
		else
			build(all[i], arch, seccomp_policy, seccomp_policy_count);
	}
	return 0;
}

static uint32_t answer_of(enum policy_action action)
{
	static const uint32_t answers[] = {
		[POLICY_ALLOW] = SECCOMP_RET_ALLOW,
		[POLICY_NOTHING] = SECCOMP_RET_ERRNO,
		[POLICY_EPERM] = SECCOMP_RET_ERRNO | EPERM,
		[POLICY_EOPNOTSUPP] = SECCOMP_RET_ERRNO | EOPNOTSUPP,
		[POLICY_EAFNOSUPPORT] = SECCOMP_RET_ERRNO | EAFNOSUPPORT,
		[POLICY_DEADLY] = SECCOMP_RET_USER_NOTIF,
	};
	return answers[action];
}

static bool test_holds(const struct policy_rule *rule, const uint64_t *arguments)
{
	for (size_t i = 0; i < 2; i++) {
		uint64_t have = arguments[rule->tests[i].argument];
		uint64_t want = rule->tests[i].value;
		switch (rule->tests[i].test) {
		case TEST_NONE:
			break;
		case TEST_EQUAL:
			if (have != want)
				return false;
			break;
		case TEST_EQUAL_32:
			if ((uint32_t)have != (uint32_t)want)
				return false;
			break;
		case TEST_MASKED_ZERO:
			if (have & want)
				return false;
			break;
		}
	}
	return true;
}

/* What the table says, less the rule `without` (or none: SIZE_MAX). */
static uint32_t by_table(
	const struct policy *policy, int number, const uint64_t *arguments, size_t without)
{
	for (size_t i = 0; i < policy->count; i++)
		if (i != without && policy->numbers[i] == number &&
			test_holds(&policy->rules[i], arguments))
			return answer_of(policy->rules[i].action);
	return SECCOMP_RET_ERRNO | ENOSYS;
}

static uint32_t by_filter(
	const struct policy *policy, uint32_t arch, uint32_t number, const uint64_t *arguments)
{
	struct seccomp_data data = {.nr = (int)number, .arch = arch};
	memcpy(data.args, arguments, sizeof(data.args));
	return bpf_run(&policy->program, &data);
}

static void compare(const struct policy *policy, uint32_t number, const uint64_t *arguments)
{
	uint32_t got = by_filter(policy, policy->arch, number, arguments);
	uint32_t want = by_table(policy, (int)number, arguments, SIZE_MAX);
	if (got != want)
		fail_msg("number %u (%llx %llx %llx %llx): the filter says %x, the table %x",
			number, (unsigned long long)arguments[0], (unsigned long long)arguments[1],
			(unsigned long long)arguments[2], (unsigned long long)arguments[3], got,
			want);
}

/* The value, its neighbours, its halves, and with foreign bits in the upper half. */
static size_t boundaries(uint64_t value, uint64_t *out)
{
	size_t count = 0;
	const uint64_t fixed[] = {0, 1, UINT64_MAX, UINT32_MAX, 1ull << 31, 1ull << 32, 1ull << 63,
		value, value - 1, value + 1, ~value, (uint32_t)value, value | 1ull << 32,
		value | 1ull << 63, (uint64_t)(int32_t)(uint32_t)value};
	for (size_t i = 0; i < COUNT(fixed); i++)
		out[count++] = fixed[i];
	for (unsigned bit = 0; bit < 64; bit++)
		out[count++] = value ^ 1ull << bit;
	return count;
}

static void compare_around(const struct policy *policy, const struct policy_rule *rule, int number)
{
	uint64_t first[96], second[96];
	size_t first_count = boundaries(rule->tests[0].value, first);
	size_t second_count = boundaries(rule->tests[1].value, second);
	if (rule->tests[1].test == TEST_NONE)
		second_count = 1;
	static const uint64_t elsewhere[] = {0, UINT64_MAX};
	for (size_t rest = 0; rest < COUNT(elsewhere); rest++)
		for (size_t i = 0; i < first_count; i++)
			for (size_t j = 0; j < second_count; j++) {
				uint64_t arguments[6];
				for (size_t k = 0; k < BROADEST; k++)
					arguments[k] = elsewhere[rest];
				arguments[rule->tests[0].argument] = first[i];
				if (rule->tests[1].test != TEST_NONE)
					arguments[rule->tests[1].argument] = second[j];
				compare(policy, (uint32_t)number, arguments);
			}
}

static void whole_range(const struct policy *policy)
{
	for (uint32_t number = 0; number < NUMBERS; number++) {
		for (unsigned bit = 0; bit <= 64; bit++) {
			uint64_t value = bit == 64 ? UINT64_MAX : bit ? 1ull << bit : 0;
			uint64_t arguments[6] = {value, value, value, value, value, value};
			compare(policy, number, arguments);
		}
	}
	for (size_t i = 0; i < policy->count; i++)
		if (policy->numbers[i] >= 0 && policy->rules[i].tests[0].test != TEST_NONE)
			compare_around(policy, &policy->rules[i], policy->numbers[i]);
}

static void cell_by_table(void **state)
{
	(void)state;
	whole_range(&cell);
}

static void init_by_table(void **state)
{
	(void)state;
	whole_range(&init);
}

static void aarch64_by_table(void **state)
{
	(void)state;
	whole_range(&arm_cell);
	whole_range(&arm_init);
}

/* Arguments that a rule asks for. */
static void good_arguments(const struct policy_rule *rule, uint64_t *arguments)
{
	memset(arguments, 0, BROADEST * sizeof(*arguments));
	for (size_t i = 0; i < 2; i++)
		if (rule->tests[i].test == TEST_EQUAL || rule->tests[i].test == TEST_EQUAL_32)
			arguments[rule->tests[i].argument] = rule->tests[i].value;
}

/* Every rule is met by a good argument and left by a bad one; without it the answer is another. */
static void each_rule(const struct policy *policy)
{
	for (size_t i = 0; i < policy->count; i++) {
		const struct policy_rule *rule = &policy->rules[i];
		uint64_t arguments[6];
		if (policy->numbers[i] < 0)
			continue; /* this libseccomp does not know the call: ENOSYS */
		good_arguments(rule, arguments);
		uint32_t with =
			by_filter(policy, policy->arch, (uint32_t)policy->numbers[i], arguments);
		assert_int_equal(with, answer_of(rule->action));
		if (by_table(policy, policy->numbers[i], arguments, i) == with)
			fail_msg("rule %zu (%s) is redundant", i, rule->syscall);
		for (size_t t = 0; t < 2; t++) {
			if (rule->tests[t].test == TEST_NONE)
				continue;
			uint64_t bad[6];
			memcpy(bad, arguments, sizeof(bad));
			bad[rule->tests[t].argument] = rule->tests[t].test == TEST_MASKED_ZERO
							       ? rule->tests[t].value
							       : 0x7abcdef0;
			assert_int_not_equal(
				by_filter(policy, policy->arch, (uint32_t)policy->numbers[i], bad),
				with);
		}
	}
}

static void rules_of_cell(void **state)
{
	(void)state;
	each_rule(&cell);
}

static void rules_of_init(void **state)
{
	(void)state;
	each_rule(&init);
}

static void rules_of_aarch64(void **state)
{
	(void)state;
	each_rule(&arm_cell);
	each_rule(&arm_init);
}

static void foreign_numbers(void **state)
{
	(void)state;
	static const uint32_t arches[] = {AUDIT_ARCH_I386, AUDIT_ARCH_X86_64, AUDIT_ARCH_AARCH64,
		AUDIT_ARCH_ARM, 0, UINT32_MAX, AUDIT_ARCH_PPC64};
	const uint64_t none[6] = {0};
	for (size_t p = 0; p < COUNT(all); p++)
		for (uint32_t number = 0; number < NUMBERS; number++) {
			for (size_t i = 0; i < COUNT(arches); i++)
				if (arches[i] != all[p]->arch)
					assert_int_equal(by_filter(all[p], arches[i], number, none),
						SECCOMP_RET_USER_NOTIF);
			if (all[p]->arch == AUDIT_ARCH_X86_64)
				assert_int_equal(
					by_filter(all[p], all[p]->arch, X32 | number, none),
					SECCOMP_RET_USER_NOTIF);
		}
	static const uint32_t odd[] = {UINT32_MAX, 0x80000000u, INT32_MAX, 100000, 0xbfffffffu};
	for (size_t i = 0; i < COUNT(odd); i++) {
		uint32_t got = by_filter(&cell, AUDIT_ARCH_X86_64, odd[i], none);
		assert_true(got == SECCOMP_RET_USER_NOTIF || got == (SECCOMP_RET_ERRNO | ENOSYS));
	}
}

struct wanted {
	int number;
	uint32_t answer;
	uint64_t arguments[6];
};

static void expect(const struct policy *policy, const struct wanted *wanted, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		uint32_t got = by_filter(
			policy, policy->arch, (uint32_t)wanted[i].number, wanted[i].arguments);
		if (got != wanted[i].answer)
			fail_msg("line %zu, number %d: %x for %x", i, wanted[i].number, got,
				wanted[i].answer);
	}
}

/* Written down once more by hand, so that a slip in the table itself shows. */
static void by_hand(void **state)
{
	(void)state;
	static const struct wanted wanted[] = {
		{SYS_socket, SECCOMP_RET_ERRNO | EAFNOSUPPORT, {2, 1}},
		{SYS_socketpair, SECCOMP_RET_ALLOW, {1, 1}},
		{SYS_socketpair, SECCOMP_RET_ERRNO | ENOSYS, {2, 1}},
		{SYS_clone, SECCOMP_RET_ALLOW, {0x01200011}},
		{SYS_clone, SECCOMP_RET_ALLOW, {0x003d0f00}},
		{SYS_clone, SECCOMP_RET_ERRNO | ENOSYS, {0x10000011}},
		{SYS_clone, SECCOMP_RET_ERRNO | ENOSYS, {0x7c020011}},
		{SYS_clone, SECCOMP_RET_ERRNO | ENOSYS, {0x01208011}},
		{SYS_clone, SECCOMP_RET_ERRNO | ENOSYS, {0x00000111}},
		{SYS_clone3, SECCOMP_RET_ERRNO | ENOSYS, {0}},
		{SYS_fork, SECCOMP_RET_ERRNO | EPERM, {0}},
		{SYS_vfork, SECCOMP_RET_ERRNO | EPERM, {0}},
		{SYS_execve, SECCOMP_RET_ERRNO | EPERM, {0}},
		{SYS_execveat, SECCOMP_RET_ERRNO | EPERM, {0}},
		{SYS_io_uring_setup, SECCOMP_RET_ERRNO | ENOSYS, {0}},
		{SYS_io_uring_enter, SECCOMP_RET_ERRNO | ENOSYS, {0}},
		{SYS_userfaultfd, SECCOMP_RET_ERRNO | ENOSYS, {0}},
		{SYS_openat2, SECCOMP_RET_ERRNO | ENOSYS, {0}},
		/* RWF_NOWAIT tells what the page cache holds; the C library falls back without it.
		 */
		{SYS_preadv2, SECCOMP_RET_ERRNO | ENOSYS, {0}},
		{SYS_pwritev2, SECCOMP_RET_ERRNO | ENOSYS, {0}},
		{SYS_ptrace, SECCOMP_RET_USER_NOTIF, {0}},
		{SYS_process_vm_writev, SECCOMP_RET_USER_NOTIF, {0}},
		{SYS_bpf, SECCOMP_RET_USER_NOTIF, {0}},
		{SYS_keyctl, SECCOMP_RET_USER_NOTIF, {0}},
		{SYS_mount, SECCOMP_RET_USER_NOTIF, {0}},
		{SYS_unshare, SECCOMP_RET_USER_NOTIF, {0}},
		{SYS_setns, SECCOMP_RET_USER_NOTIF, {0}},
		{SYS_open_by_handle_at, SECCOMP_RET_USER_NOTIF, {0}},
		{SYS_seccomp, SECCOMP_RET_USER_NOTIF, {0}},
		{SYS_setuid, SECCOMP_RET_ERRNO | EPERM, {0}},
		{SYS_splice, SECCOMP_RET_ERRNO | EPERM, {0}},
		{SYS_memfd_create, SECCOMP_RET_ERRNO | EPERM, {0}},
		{SYS_flock, SECCOMP_RET_ERRNO | EPERM, {0}},
		{SYS_fgetxattr, SECCOMP_RET_ERRNO | EOPNOTSUPP, {0}},
		{SYS_fadvise64, SECCOMP_RET_ERRNO, {0, 0, 0, 4}},
		{SYS_madvise, SECCOMP_RET_ERRNO, {0, 0, 20}},
		{SYS_madvise, SECCOMP_RET_ERRNO, {0, 0, 21}},
		{SYS_madvise, SECCOMP_RET_ALLOW, {0, 0, 4}},
		{SYS_madvise, SECCOMP_RET_ERRNO | ENOSYS, {0, 0, 100}},
		{SYS_mmap, SECCOMP_RET_ALLOW, {0, 4096, 3, 0x22}},
		{SYS_mmap, SECCOMP_RET_ERRNO | ENOSYS, {0, 4096, 3, 0x40022}},
		{SYS_fcntl, SECCOMP_RET_ALLOW, {1, 4, 0x800}},
		{SYS_fcntl, SECCOMP_RET_ERRNO | ENOSYS, {1, 4, 0x4000}},
		{SYS_fcntl, SECCOMP_RET_ERRNO | ENOSYS, {1, 1031, 4096}},
		{SYS_fcntl, SECCOMP_RET_ERRNO | ENOSYS, {1, 1024, 0}},
		{SYS_fcntl, SECCOMP_RET_ALLOW, {1, 5}},		  /* F_GETLK */
		{SYS_fcntl, SECCOMP_RET_ERRNO, {1, 6}},		  /* F_SETLK */
		{SYS_fcntl, SECCOMP_RET_ERRNO, {1, 7}},		  /* F_SETLKW */
		{SYS_fcntl, SECCOMP_RET_ERRNO | ENOSYS, {1, 37}}, /* F_OFD_SETLK */
		{SYS_fcntl, SECCOMP_RET_ERRNO, {1, 0x100000006}}, /* the kernel sees 32 bits */
		{SYS_ioctl, SECCOMP_RET_ERRNO | ENOSYS, {0, 0x5412}},
		{SYS_ioctl, SECCOMP_RET_ERRNO | ENOSYS, {0, 0x541c}},
		{SYS_ioctl, SECCOMP_RET_ALLOW, {0, 0x100005401}},
		{SYS_prlimit64, SECCOMP_RET_ALLOW, {0, 7, 0, 1}},
		{SYS_prlimit64, SECCOMP_RET_ERRNO | ENOSYS, {0, 7, 1, 0}},
		{SYS_prlimit64, SECCOMP_RET_ERRNO | ENOSYS, {1, 7, 0, 0}},
		{SYS_prctl, SECCOMP_RET_ERRNO | ENOSYS, {22}},
		{SYS_sysinfo, SECCOMP_RET_ERRNO | ENOSYS, {0}},
		{SYS_timer_create, SECCOMP_RET_ERRNO | ENOSYS, {0}},
		{SYS_read, SECCOMP_RET_ALLOW, {0}},
		{SYS_exit_group, SECCOMP_RET_ALLOW, {0}},
	};
	expect(&cell, wanted, COUNT(wanted));
}

/* The same for aarch64, by the numbers of include/uapi/asm-generic/unistd.h. */
static void aarch64_by_hand(void **state)
{
	(void)state;
	static const struct wanted wanted[] = {
		{198, SECCOMP_RET_ERRNO | EAFNOSUPPORT, {2, 1}}, /* socket */
		{199, SECCOMP_RET_ALLOW, {1, 1}},		 /* socketpair */
		{199, SECCOMP_RET_ERRNO | ENOSYS, {2, 1}},
		{203, SECCOMP_RET_ERRNO | ENOSYS, {0}}, /* connect */
		{220, SECCOMP_RET_ALLOW, {0x01200011}}, /* clone */
		{220, SECCOMP_RET_ALLOW, {0x003d0f00}}, /* */
		{220, SECCOMP_RET_ERRNO | ENOSYS, {0x10000011}},
		{435, SECCOMP_RET_ERRNO | ENOSYS, {0}},	      /* clone3 */
		{221, SECCOMP_RET_ERRNO | EPERM, {0}},	      /* execve */
		{281, SECCOMP_RET_ERRNO | EPERM, {0}},	      /* execveat */
		{425, SECCOMP_RET_ERRNO | ENOSYS, {0}},	      /* io_uring_setup */
		{282, SECCOMP_RET_ERRNO | ENOSYS, {0}},	      /* userfaultfd */
		{437, SECCOMP_RET_ERRNO | ENOSYS, {0}},	      /* openat2 */
		{117, SECCOMP_RET_USER_NOTIF, {0}},	      /* ptrace */
		{271, SECCOMP_RET_USER_NOTIF, {0}},	      /* process_vm_writev */
		{280, SECCOMP_RET_USER_NOTIF, {0}},	      /* bpf */
		{241, SECCOMP_RET_USER_NOTIF, {0}},	      /* perf_event_open */
		{219, SECCOMP_RET_USER_NOTIF, {0}},	      /* keyctl */
		{40, SECCOMP_RET_USER_NOTIF, {0}},	      /* mount */
		{97, SECCOMP_RET_USER_NOTIF, {0}},	      /* unshare */
		{268, SECCOMP_RET_USER_NOTIF, {0}},	      /* setns */
		{265, SECCOMP_RET_USER_NOTIF, {0}},	      /* open_by_handle_at */
		{277, SECCOMP_RET_USER_NOTIF, {0}},	      /* seccomp */
		{146, SECCOMP_RET_ERRNO | EPERM, {0}},	      /* setuid */
		{76, SECCOMP_RET_ERRNO | EPERM, {0}},	      /* splice */
		{279, SECCOMP_RET_ERRNO | EPERM, {0}},	      /* memfd_create */
		{32, SECCOMP_RET_ERRNO | EPERM, {0}},	      /* flock */
		{10, SECCOMP_RET_ERRNO | EOPNOTSUPP, {0}},    /* fgetxattr */
		{223, SECCOMP_RET_ERRNO, {0, 0, 0, 4}},	      /* fadvise64 */
		{233, SECCOMP_RET_ERRNO, {0, 0, 21}},	      /* madvise */
		{222, SECCOMP_RET_ALLOW, {0, 4096, 3, 0x22}}, /* mmap */
		{222, SECCOMP_RET_ERRNO | ENOSYS, {0, 4096, 3, 0x40022}},
		{25, SECCOMP_RET_ALLOW, {1, 4, 0x800}},	  /* fcntl, O_NONBLOCK */
		{25, SECCOMP_RET_ALLOW, {1, 4, 0x20c00}}, /* with O_LARGEFILE as it is here */
		{25, SECCOMP_RET_ERRNO | ENOSYS, {1, 4, 0x10000}}, /* O_DIRECT as it is here */
		{25, SECCOMP_RET_ERRNO | ENOSYS, {1, 1031, 4096}}, /* F_SETPIPE_SZ */
		{29, SECCOMP_RET_ERRNO | ENOSYS, {0, 0x5412}},	   /* ioctl, TIOCSTI */
		{261, SECCOMP_RET_ERRNO | ENOSYS, {0, 7, 1, 0}},   /* prlimit64 */
		{179, SECCOMP_RET_ERRNO | ENOSYS, {0}},		   /* sysinfo */
		{56, SECCOMP_RET_ALLOW, {0}},			   /* openat */
		{63, SECCOMP_RET_ALLOW, {0}},			   /* read */
		{94, SECCOMP_RET_ALLOW, {0}},			   /* exit_group */
	};
	expect(&arm_cell, wanted, COUNT(wanted));
}

/* Every instruction is reached by some call of the tests above: none is dead. Runs after them. */
static void no_dead_code(void **state)
{
	(void)state;
	for (size_t p = 0; p < COUNT(all); p++) {
		assert_true(all[p]->filter.count <= CELL_FILTER_MAX);
		for (size_t i = 0; i < all[p]->filter.count; i++)
			if (!all[p]->visited[i])
				fail_msg("filter %zu: instruction %zu is never reached", p, i);
	}
}

static void reasons(void **state)
{
	(void)state;
	for (size_t i = 0; i < seccomp_policy_count; i++)
		assert_true(strlen(seccomp_policy[i].why) > 3);
	for (size_t i = 0; i < seccomp_init_policy_count; i++)
		assert_true(strlen(seccomp_init_policy[i].why) > 3);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(cell_by_table),
		cmocka_unit_test(init_by_table),
		cmocka_unit_test(aarch64_by_table),
		cmocka_unit_test(rules_of_cell),
		cmocka_unit_test(rules_of_init),
		cmocka_unit_test(rules_of_aarch64),
		cmocka_unit_test(foreign_numbers),
		cmocka_unit_test(by_hand),
		cmocka_unit_test(aarch64_by_hand),
		cmocka_unit_test(no_dead_code),
		cmocka_unit_test(reasons),
	};
	return cmocka_run_group_tests(tests, set_up, NULL);
}
