/*
 * seal: from a fork of the zygote to a sealed cell.
 *
 * The process comes in born into the cell's pid namespace (an unshare of it works for children
 * only) and, on v2, into its cgroup. It holds the capabilities of brig's own user namespace until
 * it has joined the cell's, where they reach nothing but the cell, and then none.
 */
#include "jail/seal.h"

#include "base/fd.h"
#include "jail/cgroup.h"
#include "jail/cred.h"
#include "jail/fds.h"
#include "jail/landlock.h"
#include "jail/ns.h"
#include "jail/seccomp.h"
#include "wire/mutant.h"

#include <errno.h>
#include <sched.h>
#include <unistd.h>

static int join_cgroup(const struct jail_plan *plan, struct err *err)
{
	return cgroup_attach_self(plan->cgroup_fds, plan->cgroup_fd_count, err);
}

/* After the cgroup: the cgroup namespace's root is where the process stands when it is made, and
 * init made it in the same group. */
static int join_namespaces(const struct jail_plan *plan, struct err *err)
{
	int flags = CLONE_NEWUSER | CLONE_NEWNS;
	if (!LEFT_OUT(LAYER_NET))
		flags |= CLONE_NEWNET;
	if (!LEFT_OUT(LAYER_IPC))
		flags |= CLONE_NEWIPC | CLONE_NEWUTS | CLONE_NEWCGROUP;
	return ns_join(plan->init_pidfd, flags, err);
}

static int leave_terminal_and_keys(const struct jail_plan *plan, struct err *err)
{
	int rc = LEFT_OUT(LAYER_TTY) ? 0 : cred_new_session(err);
	if (!rc && !layer_in(plan->skip, LAYER_KEYRING))
		rc = cred_new_keyring(err);
	return rc;
}

static int place_descriptors(const struct jail_plan *plan, struct err *err)
{
	int rc = fds_place(plan->stdio_fds, CELL_FD_COUNT, err);
	return rc || LEFT_OUT(LAYER_FDS) ? rc : fds_close_from(CELL_FD_COUNT, err);
}

static int drop_identity(const struct jail_plan *plan, struct err *err)
{
	uid_t uid = LEFT_OUT(LAYER_UID) ? CELL_INIT_UID : CELL_UID;
	int rc = LEFT_OUT(LAYER_CAPS) ? 0 : cred_drop_bounding(err);
	if (!rc)
		rc = cred_set_ids(uid, uid, plan->one_uid, err);
	if (!rc && !LEFT_OUT(LAYER_CAPS))
		rc = cred_drop_caps(err);
	if (!rc && !LEFT_OUT(LAYER_NNP))
		rc = cred_no_new_privs(err);
	if (!rc)
		rc = cred_dump(LEFT_OUT(LAYER_DUMP), err);
	return rc;
}

static int restrict_paths(const struct jail_plan *plan, struct err *err)
{
	static const char *const writable[] = {CELL_WORK_DIR, CELL_TMP_DIR, CELL_SHM_DIR};
	if (layer_in(plan->skip, LAYER_LANDLOCK))
		return 0;
	int abi = landlock_restrict(writable, sizeof(writable) / sizeof(writable[0]), err);
	return abi < 0 ? abi : 0;
}

static int restrict_calls(const struct jail_plan *plan, int *ret_listener, struct err *err)
{
	if (layer_in(plan->skip, LAYER_SECCOMP))
		return 0;
	return seccomp_install(plan->filter, ret_listener, err);
}

int jail_seal(const struct jail_plan *plan, int *ret_listener, struct err *err)
{
	*ret_listener = -1;

	int rc = join_cgroup(plan, err); /* memory pids cpu */
	if (!rc)
		rc = join_namespaces(plan, err); /* root image work dev proc net ipc */
	if (!rc)
		rc = leave_terminal_and_keys(plan, err); /* tty keyring */
	if (!rc)
		rc = place_descriptors(plan, err); /* fds */
	if (!rc)
		rc = drop_identity(plan, err); /* uid caps nnp dump */
	if (!rc && !LEFT_OUT(LAYER_SPECULATION))
		(void)cred_restrain_speculation(); /* speculation, where offered */
	if (!rc)
		rc = restrict_paths(plan, err); /* landlock */
	if (!rc && !LEFT_OUT(LAYER_RLIMITS))
		rc = rlimit_apply(&plan->rlimits, err); /* rlimits */
	if (!rc)
		rc = restrict_calls(plan, ret_listener, err); /* seccomp, last */
	if (!rc && chdir(CELL_WORK_DIR) < 0)
		rc = err_sys(err, -errno, "work", "entering the work folder");
	return rc;
}
