/* cred: ids, capabilities, securebits, no_new_privs, keyring, session, speculation. */
#include "jail/cred.h"

#include <errno.h>
#include <grp.h>
#include <linux/capability.h>
#include <linux/keyctl.h>
#include <linux/prctl.h>
#include <linux/securebits.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

int cred_drop_bounding(struct err *err)
{
	/* The kernel may know more capabilities than our headers: EINVAL marks the end. */
	for (int cap = 0; cap < 64; cap++) {
		if (prctl(PR_CAPBSET_DROP, cap, 0, 0, 0) == 0)
			continue;
		if (errno == EINVAL && cap > CAP_LAST_CAP)
			break;
		if (errno == EINVAL)
			continue;
		return err_sys(err, -errno, "caps", "PR_CAPBSET_DROP");
	}
	if (prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0) < 0)
		return err_sys(err, -errno, "caps", "PR_CAP_AMBIENT_CLEAR_ALL");
	int bits = SECBIT_NOROOT | SECBIT_NOROOT_LOCKED | SECBIT_NO_SETUID_FIXUP |
		   SECBIT_NO_SETUID_FIXUP_LOCKED | SECBIT_KEEP_CAPS_LOCKED |
		   SECBIT_NO_CAP_AMBIENT_RAISE | SECBIT_NO_CAP_AMBIENT_RAISE_LOCKED;
	if (prctl(PR_SET_SECUREBITS, bits, 0, 0, 0) < 0)
		return err_sys(err, -errno, "caps", "PR_SET_SECUREBITS");
	return 0;
}

int cred_set_ids(uid_t uid, gid_t gid, bool keep_groups, struct err *err)
{
	if (!keep_groups && setgroups(0, NULL) < 0)
		return err_sys(err, -errno, "uid", "setgroups");
	if (setresgid(gid, gid, gid) < 0)
		return err_sys(err, -errno, "uid", "setresgid");
	if (setresuid(uid, uid, uid) < 0)
		return err_sys(err, -errno, "uid", "setresuid");
	return 0;
}

int cred_drop_caps(struct err *err)
{
	struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
	struct __user_cap_data_struct none[_LINUX_CAPABILITY_U32S_3];

	memset(none, 0, sizeof(none));
	if (syscall(SYS_capset, &header, none) < 0)
		return err_sys(err, -errno, "caps", "capset");
	return 0;
}

int cred_no_new_privs(struct err *err)
{
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0)
		return err_sys(err, -errno, "nnp", "PR_SET_NO_NEW_PRIVS");
	return 0;
}

int cred_dump(bool dumpable, struct err *err)
{
	if (prctl(PR_SET_DUMPABLE, dumpable, 0, 0, 0) < 0)
		return err_sys(err, -errno, "dump", "PR_SET_DUMPABLE");
	return 0;
}

int cred_no_dump(struct err *err)
{
	return cred_dump(false, err);
}

int cred_new_session(struct err *err)
{
	if (setsid() < 0)
		return err_sys(err, -errno, "tty", "setsid");
	return 0;
}

int cred_new_keyring(struct err *err)
{
	if (syscall(SYS_keyctl, KEYCTL_JOIN_SESSION_KEYRING, NULL) < 0)
		return err_sys(err, -errno, "keyring", "KEYCTL_JOIN_SESSION_KEYRING");
	return 0;
}

int cred_restrain_speculation(void)
{
	unsigned long off = PR_SPEC_FORCE_DISABLE;
	int held = 0;
	held |= prctl(PR_SET_SPECULATION_CTRL, PR_SPEC_STORE_BYPASS, off, 0, 0) == 0;
	held |= prctl(PR_SET_SPECULATION_CTRL, PR_SPEC_INDIRECT_BRANCH, off, 0, 0) == 0;
	/* A core-scheduling cookie of its own: no stranger on the sibling thread. */
	held |= prctl(PR_SCHED_CORE, PR_SCHED_CORE_CREATE, 0, 0, 0) == 0;
	return held;
}
