/*
 * seccomp_build: the policy as BPF, built once by the service with libseccomp. Installing the
 * result costs microseconds in each cell; building it there would cost milliseconds.
 *
 * Source: seccomp_export_bpf(3), seccomp_attr_set(3).
 */
#ifndef BRIG_JAIL_SECCOMP_BUILD_H
#define BRIG_JAIL_SECCOMP_BUILD_H

#include "base/err.h"
#include "jail/seccomp_policy.h"
#include "wire/cell.h"

/*
 * Rules that name a call this libseccomp or the architecture does not know are left out: such a
 * call is then an unknown number and answered ENOSYS. The wrong architecture and x32 are of the
 * deadly class.
 */
int seccomp_build(const struct policy_rule *rules, size_t count, struct cell_filter *ret_filter,
	struct err *err) MUST_CHECK;

/* The same for an architecture by its AUDIT_ARCH_ token: x86-64 or aarch64. */
int seccomp_build_for(uint32_t arch, const struct policy_rule *rules, size_t count,
	struct cell_filter *ret_filter, struct err *err) MUST_CHECK;

#endif
