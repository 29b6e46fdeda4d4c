/* seccomp: one system call, and nothing that could allocate before it. */
#include "jail/seccomp.h"

#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

_Static_assert(sizeof(struct sock_filter) == sizeof(uint64_t), "a BPF instruction is eight bytes");

int seccomp_install(const struct cell_filter *filter, int *ret_listener, struct err *err)
{
	struct sock_filter code[CELL_FILTER_MAX];
	if (filter->count == 0 || filter->count > CELL_FILTER_MAX)
		return err_set(
			err, -EINVAL, "seccomp", "a filter of %u instructions", filter->count);
	memcpy(code, filter->code, filter->count * sizeof(code[0]));
	struct sock_fprog program = {.len = (unsigned short)filter->count, .filter = code};
	unsigned flags = ret_listener ? SECCOMP_FILTER_FLAG_NEW_LISTENER : 0;
	long rc = syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, flags, &program);
	if (rc < 0)
		return err_sys(err, -errno, "seccomp", "installing the filter");
	if (ret_listener)
		*ret_listener = (int)rc;
	return 0;
}
