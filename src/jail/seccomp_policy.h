/*
 * seccomp_policy: which system calls a cell may make, as data.
 *
 * What no rule names, or whose arguments match none of its rules, is answered ENOSYS: libraries
 * take that for an older kernel and fall back (glibc from clone3 only on ENOSYS).
 */
#ifndef BRIG_JAIL_SECCOMP_POLICY_H
#define BRIG_JAIL_SECCOMP_POLICY_H

#include <stddef.h>
#include <stdint.h>

enum policy_action {
	POLICY_ALLOW,
	POLICY_NOTHING, /* answer 0 and do nothing */
	POLICY_EPERM,
	POLICY_EOPNOTSUPP,
	POLICY_EAFNOSUPPORT,
	POLICY_DEADLY, /* notify the supervisor, which kills */
};

enum policy_test {
	TEST_NONE,
	TEST_EQUAL,	  /* all 64 bits */
	TEST_EQUAL_32,	  /* the low 32 bits: the kernel takes an int */
	TEST_MASKED_ZERO, /* (argument & value) == 0 */
};

struct policy_rule {
	const char *syscall;
	enum policy_action action;
	struct {
		enum policy_test test;
		uint8_t argument; /* 0–5 */
		uint64_t value;
	} tests[2];
	const char *why;
};

extern const struct policy_rule seccomp_policy[];
extern const size_t seccomp_policy_count;

/* What a cell's init may call: place inputs, resize its tmpfs, reap, end. */
extern const struct policy_rule seccomp_init_policy[];
extern const size_t seccomp_init_policy_count;

#endif
