/* layer: names and purposes. */
#include "wire/layer.h"

#include <stddef.h>
#include <string.h>

static const struct {
	const char *name, *purpose;
} layers[LAYER_COUNT] = {
	[LAYER_UID] = {"uid", "a user id of its own for each slot"},
	[LAYER_CAPS] = {"caps", "no capability in any set"},
	[LAYER_NNP] = {"nnp", "no new privileges by exec"},
	[LAYER_PIDNS] = {"pidns", "a process namespace with an init of its own"},
	[LAYER_ROOT] = {"root", "the host's file system out of reach"},
	[LAYER_IMAGE] = {"image", "the image read-only"},
	[LAYER_WORK] = {"work", "private, bounded work folders"},
	[LAYER_DEV] = {"dev", "five harmless devices only"},
	[LAYER_PROC] = {"proc", "no /proc and no /sys"},
	[LAYER_NET] = {"net", "an empty network namespace"},
	[LAYER_IPC] = {"ipc", "IPC, host name and cgroup namespaces"},
	[LAYER_SECCOMP] = {"seccomp", "an allowlist of system calls"},
	[LAYER_LANDLOCK] = {"landlock", "an allowlist of paths below the mounts"},
	[LAYER_MEMORY] = {"memory", "a memory limit kept by the kernel"},
	[LAYER_PIDS] = {"pids", "a limit on processes and threads"},
	[LAYER_CPU] = {"cpu", "a CPU quota and the kernel's own count of its use"},
	[LAYER_RLIMITS] = {"rlimits", "resource limits per process"},
	[LAYER_DUMP] = {"dump", "no core dump, not dumpable"},
	[LAYER_FDS] = {"fds", "five descriptors and no other"},
	[LAYER_TTY] = {"tty", "a session without terminal"},
	[LAYER_KEYRING] = {"keyring", "a fresh session keyring"},
	[LAYER_SPECULATION] = {"speculation", "speculative execution restrained, where offered"},
};

const char *layer_name(enum layer layer)
{
	return (unsigned)layer < LAYER_COUNT ? layers[layer].name : "unknown";
}

const char *layer_purpose(enum layer layer)
{
	return (unsigned)layer < LAYER_COUNT ? layers[layer].purpose : "";
}

const char *layer_state_name(enum layer_state state)
{
	switch (state) {
	case LAYER_ON:
		return "on";
	case LAYER_MISSING:
		return "missing";
	case LAYER_NOT_OFFERED:
		return "not offered";
	}
	return "missing";
}

int layer_by_name(const char *name)
{
	for (int i = 0; i < LAYER_COUNT; i++)
		if (strcmp(layers[i].name, name) == 0)
			return i;
	return -1;
}
