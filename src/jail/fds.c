/* fds: placing descriptors and closing the rest. */
#include "jail/fds.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

int fds_place(const int *fds, size_t count, struct err *err)
{
	int lifted[FDS_PLACED_MAX];
	if (count > FDS_PLACED_MAX)
		return err_set(err, -E2BIG, "fds", "too many descriptors to place");
	/* First above all targets, so that no dup2 overwrites one still to be placed. */
	for (size_t i = 0; i < count; i++) {
		lifted[i] = fcntl(fds[i], F_DUPFD_CLOEXEC, (int)FDS_PLACED_MAX);
		if (lifted[i] < 0)
			return err_sys(err, -errno, "fds", "F_DUPFD_CLOEXEC");
		(void)close(fds[i]);
	}
	for (size_t i = 0; i < count; i++) {
		if (dup2(lifted[i], (int)i) < 0)
			return err_sys(err, -errno, "fds", "dup2");
		(void)close(lifted[i]);
	}
	return 0;
}

int fds_close_from(unsigned first, struct err *err)
{
	if (syscall(SYS_close_range, first, ~0U, 0) < 0)
		return err_sys(err, -errno, "fds", "close_range");
	return 0;
}
