/*
 * strangers: children that nobody told the service about: the runner of a zygote that was killed
 * between the fork and its answer. The service is its parent (CLONE_PARENT), and until it is reaped
 * the init of its cell cannot end.
 */
#include "service/service.h"

#include <sys/wait.h>

static bool is_known(const struct service *service, pid_t pid)
{
	if (pid == service->maker.pid)
		return true;
	for (uint32_t i = 0; i < service->cell_count; i++) {
		const struct cell *cell = &service->cells[i];
		if ((cell->init_pidfd >= 0 && cell->init_pid == pid) ||
			(cell->runner_pidfd >= 0 && cell->runner_pid == pid))
			return true;
	}
	for (size_t i = 0; i < 2 * service->zygote_count; i++) {
		const struct warm *warm = &service->zygotes[i / 2].warm[i % 2];
		if (warm->pidfd >= 0 && warm->pid == pid)
			return true;
	}
	return false;
}

void strangers_reap(const struct service *service)
{
	siginfo_t info = {0};

	/* Looked at first, not taken: a child that is known is reaped where its end is judged, and
	 * until then it may hide a stranger. */
	while (waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) == 0 && info.si_pid != 0 &&
		!is_known(service, info.si_pid)) {
		if (waitid(P_PID, (id_t)info.si_pid, &info, WEXITED | WNOHANG) < 0)
			return;
		info.si_pid = 0;
	}
}
