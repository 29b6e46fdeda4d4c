/* serve_user: Source: setresuid(2), capabilities(7), PR_SET_NO_NEW_PRIVS. */
#include "cmd/serve_user.h"

#include <errno.h>
#include <grp.h>
#include <pwd.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#define DESCRIPTORS 16384u

int serve_user_find(const char *user, const char *group, struct serve_user *ret, struct err *err)
{
	*ret = (struct serve_user){.uid = geteuid(), .gid = getegid(), .socket_group = (gid_t)-1};
	if (geteuid() != 0)
		return 0;
	const struct passwd *entry = getpwnam(user ? user : "brig");
	if (!entry && user)
		return err_set(err, -ENOENT, "user",
			"there is no user %s: make it, or name another "
			"as `user` in [server]",
			user);
	ret->drops = true;
	ret->uid = entry ? entry->pw_uid : SERVE_UID_FALLBACK;
	ret->gid = entry ? entry->pw_gid : SERVE_UID_FALLBACK;
	if (ret->uid == 0)
		return err_set(err, -EPERM, "user",
			"the dispatcher must not be root: name another "
			"user in [server]");
	const struct group *found = getgrnam(group ? group : "brig");
	if (!found && group)
		return err_set(err, -ENOENT, "user",
			"there is no group %s: make it, or name "
			"another as `socket_group` in [server]",
			group);
	if (found)
		ret->socket_group = found->gr_gid;
	return 0;
}

int serve_user_become(const struct serve_user *user, struct err *err)
{
	const struct rlimit no_core = {0};
	struct rlimit files;
	if (getrlimit(RLIMIT_NOFILE, &files) == 0) {
		files.rlim_cur = files.rlim_max < DESCRIPTORS ? files.rlim_max : DESCRIPTORS;
		(void)setrlimit(RLIMIT_NOFILE, &files);
	}
	if (user->drops &&
		(setgroups(0, NULL) < 0 || setresgid(user->gid, user->gid, user->gid) < 0 ||
			setresuid(user->uid, user->uid, user->uid) < 0))
		return err_sys(err, -errno, "user", "becoming the dispatcher's user");
	if (user->drops && setresuid(0, 0, 0) == 0)
		return err_set(err, -EPERM, "user", "root could be had again");
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0 || prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) < 0 ||
		setrlimit(RLIMIT_CORE, &no_core) < 0)
		return err_sys(err, -errno, "user", "giving up privileges");
	return 0;
}
