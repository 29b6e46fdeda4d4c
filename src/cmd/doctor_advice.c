/* doctor_advice: one line for each layer that a host can lack. */
#include "cmd/doctor_advice.h"

#include <unistd.h>

static const char by_cgroup_user[] =
	"run brig in a delegated cgroup v2: systemd-run --user --scope -p Delegate=yes brig ...";
static const char by_cgroup_root[] =
	"mount cgroup v2 (or the v1 controllers memory, pids, cpu) writable in this environment";

static const char by_cgroup_root_memory[] =
	"mount cgroup v2 (or the v1 controller memory) writable in this environment; where the "
	"host "
	"swaps, have it counted (swapaccount=1) or switch it off (swapoff -a)";

const char *doctor_advice(enum layer layer)
{
	switch (layer) {
	case LAYER_UID:
		return "install uidmap and give this user a range in /etc/subuid and /etc/subgid";
	case LAYER_MEMORY:
		return geteuid() == 0 ? by_cgroup_root_memory : by_cgroup_user;
	case LAYER_PIDS:
	case LAYER_CPU:
		return geteuid() == 0 ? by_cgroup_root : by_cgroup_user;
	case LAYER_LANDLOCK:
		return "a kernel of 5.13 or newer with landlock in the lsm= list of its command "
		       "line";
	case LAYER_KEYRING:
		return "a kernel with CONFIG_KEYS";
	case LAYER_CAPS:
	case LAYER_NNP:
	case LAYER_PIDNS:
	case LAYER_ROOT:
	case LAYER_IMAGE:
	case LAYER_WORK:
	case LAYER_DEV:
	case LAYER_PROC:
	case LAYER_NET:
	case LAYER_IPC:
	case LAYER_SECCOMP:
	case LAYER_RLIMITS:
	case LAYER_DUMP:
	case LAYER_FDS:
	case LAYER_TTY:
	case LAYER_SPECULATION:
	case LAYER_COUNT:
		return NULL;
	}
	return NULL;
}
