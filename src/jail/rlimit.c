/* rlimit: soft and hard alike, so that nothing can be raised again. */
#include "jail/rlimit.h"

#include <errno.h>
#include <stddef.h>
#include <sys/resource.h>

int rlimit_apply(const struct rlimit_plan *plan, struct err *err)
{
	const struct {
		int resource;
		rlim_t value;
	} limits[] = {
		{RLIMIT_CORE, 0},
		{RLIMIT_NOFILE, RLIMIT_DESCRIPTORS},
		{RLIMIT_FSIZE, plan->file_bytes},
		{RLIMIT_STACK, RLIMIT_STACK_BYTES},
		{RLIMIT_MEMLOCK, 0},
		{RLIMIT_MSGQUEUE, 0},
		{RLIMIT_NICE, 0},
		{RLIMIT_RTPRIO, 0},
		{RLIMIT_SIGPENDING, RLIMIT_SIGNALS},
	};
	for (size_t i = 0; i < sizeof(limits) / sizeof(limits[0]); i++) {
		struct rlimit limit = {.rlim_cur = limits[i].value, .rlim_max = limits[i].value};
		if (setrlimit((__rlimit_resource_t)limits[i].resource, &limit) < 0)
			return err_set(err, -errno, "rlimits",
				"setrlimit of resource %d to %llu: raise the host's hard limit",
				limits[i].resource, (unsigned long long)limits[i].value);
	}
	if (plan->processes) {
		struct rlimit limit = {.rlim_cur = plan->processes, .rlim_max = plan->processes};
		if (setrlimit(RLIMIT_NPROC, &limit) < 0)
			return err_sys(err, -errno, "rlimits", "RLIMIT_NPROC");
	}
	return 0;
}
