/* seccomp_build: rules → libseccomp → a binary tree of BPF. */
#include "jail/seccomp_build.h"

#include "base/fd.h"

#include <errno.h>
#include <seccomp.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static uint32_t action_of(enum policy_action action)
{
	switch (action) {
	case POLICY_ALLOW:
		return SCMP_ACT_ALLOW;
	case POLICY_NOTHING:
		return SCMP_ACT_ERRNO(0);
	case POLICY_EPERM:
		return SCMP_ACT_ERRNO(EPERM);
	case POLICY_EOPNOTSUPP:
		return SCMP_ACT_ERRNO(EOPNOTSUPP);
	case POLICY_EAFNOSUPPORT:
		return SCMP_ACT_ERRNO(EAFNOSUPPORT);
	case POLICY_DEADLY:
		return SCMP_ACT_NOTIFY;
	}
	return SCMP_ACT_ERRNO(ENOSYS);
}

static struct scmp_arg_cmp compare(uint8_t argument, enum policy_test test, uint64_t value)
{
	struct scmp_arg_cmp cmp = {.arg = argument, .op = SCMP_CMP_MASKED_EQ};
	switch (test) {
	case TEST_EQUAL:
		cmp.op = SCMP_CMP_EQ;
		cmp.datum_a = value;
		break;
	case TEST_EQUAL_32:
		cmp.datum_a = 0xffffffffu;
		cmp.datum_b = value & 0xffffffffu;
		break;
	case TEST_NONE:
	case TEST_MASKED_ZERO:
		cmp.datum_a = value;
		cmp.datum_b = 0;
		break;
	}
	return cmp;
}

static int add_rule(
	scmp_filter_ctx context, uint32_t arch, const struct policy_rule *rule, struct err *err)
{
	struct scmp_arg_cmp tests[2];
	unsigned count = 0;

	/* Below zero: unknown, or one of libseccomp's own numbers for what an architecture lacks.
	   Rules are given by this machine's numbers; libseccomp translates. */
	int number = seccomp_syscall_resolve_name(rule->syscall);
	if (number == __NR_SCMP_ERROR || seccomp_syscall_resolve_name_arch(arch, rule->syscall) < 0)
		return 0;
	for (size_t i = 0; i < 2; i++)
		if (rule->tests[i].test != TEST_NONE)
			tests[count++] = compare(
				rule->tests[i].argument, rule->tests[i].test, rule->tests[i].value);
	int rc = seccomp_rule_add_array(context, action_of(rule->action), number, count, tests);
	if (rc < 0)
		return err_sys(err, rc, "seccomp", rule->syscall);
	return 0;
}

static int export_filter(scmp_filter_ctx context, struct cell_filter *ret_filter, struct err *err)
{
	/* libseccomp 2.5 exports to a descriptor only. */
	cleanup_fd int fd = memfd_create("filter", MFD_CLOEXEC);
	if (fd < 0)
		return err_sys(err, -errno, "seccomp", "memfd_create");
	int rc = seccomp_export_bpf(context, fd);
	if (rc < 0)
		return err_sys(err, rc, "seccomp", "seccomp_export_bpf");
	off_t bytes = lseek(fd, 0, SEEK_END);
	if (bytes <= 0 || (size_t)bytes > sizeof(ret_filter->code))
		return err_set(err, -E2BIG, "seccomp", "a filter of %lld bytes", (long long)bytes);
	memset(ret_filter, 0, sizeof(*ret_filter));
	if (pread(fd, ret_filter->code, (size_t)bytes, 0) != bytes)
		return err_sys(err, -EIO, "seccomp", "reading the filter back");
	ret_filter->count = (uint32_t)((size_t)bytes / sizeof(ret_filter->code[0]));
	return 0;
}

static int choose_arch(scmp_filter_ctx context, uint32_t arch)
{
	const uint32_t native = seccomp_arch_native();
	if (arch == native)
		return 0;
	int rc = seccomp_arch_add(context, arch);
	return rc ? rc : seccomp_arch_remove(context, native);
}

int seccomp_build(const struct policy_rule *rules, size_t count, struct cell_filter *ret_filter,
	struct err *err)
{
	return seccomp_build_for(seccomp_arch_native(), rules, count, ret_filter, err);
}

int seccomp_build_for(uint32_t arch, const struct policy_rule *rules, size_t count,
	struct cell_filter *ret_filter, struct err *err)
{
	scmp_filter_ctx context = seccomp_init(SCMP_ACT_ERRNO(ENOSYS));
	if (!context)
		return err_sys(err, -ENOMEM, "seccomp", "seccomp_init");
	int rc = choose_arch(context, arch);
	if (!rc)
		rc = seccomp_attr_set(context, SCMP_FLTATR_ACT_BADARCH, SCMP_ACT_NOTIFY);
	if (!rc) /* 2: a binary tree; a linear filter of this size costs several times as much */
		rc = seccomp_attr_set(context, SCMP_FLTATR_CTL_OPTIMIZE, 2);
	if (rc < 0)
		(void)err_sys(err, rc, "seccomp",
			"this host's seccomp cannot notify (Linux 5.0): seccomp_attr_set");
	for (size_t i = 0; !rc && i < count; i++)
		rc = add_rule(context, arch, &rules[i], err);
	if (!rc)
		rc = export_filter(context, ret_filter, err);
	seccomp_release(context);
	return rc;
}
