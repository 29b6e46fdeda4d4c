/* serve_user: Source: setresuid(2), capabilities(7), PR_SET_NO_NEW_PRIVS, sticky folders. */
#include "cmd/serve_user.h"

#include "base/fd.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <limits.h>
#include <pwd.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
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

static int make_folder(const char *path, mode_t mode, struct err *err)
{
	char at[PATH_MAX];
	(void)snprintf(at, sizeof(at), "%s", path);
	for (char *slash = strchr(at + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
		*slash = 0;
		if (mkdir(at, 0755) < 0 && errno != EEXIST)
			return err_sys(err, -errno, "state", at);
		*slash = '/';
	}
	if (mkdir(at, mode) < 0 && errno != EEXIST)
		return err_sys(err, -errno, "state", at);
	return 0;
}

static int give(const char *path, int flags, uid_t uid, gid_t gid, mode_t mode, struct err *err)
{
	cleanup_fd int fd = open(path, flags | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0)
		return errno == ENOENT ? 0 : err_sys(err, -errno, "state", path);
	if (fchown(fd, uid, gid) < 0 || fchmod(fd, mode) < 0)
		return err_sys(err, -errno, "state", path);
	return 0;
}

int serve_user_prepare(const struct serve_user *user, const char *audit_path,
	const char *artifact_folder, struct err *err)
{
	static const char *const tails[] = {"", "-wal", "-shm", ".lock"};
	char path[PATH_MAX];
	(void)snprintf(path, sizeof(path), "%s", audit_path);
	char *slash = strrchr(path, '/');
	if (!slash || slash == path)
		return err_set(
			err, -EINVAL, "state", "%s is no place for an audit log", audit_path);
	*slash = 0;
	int rc = make_folder(path, user->drops ? 0755 : 0700, err);
	/* Sticky: the dispatcher may add files, and touch none that is not its own. */
	if (!rc && user->drops)
		rc = give(path, O_RDONLY | O_DIRECTORY, 0, user->gid, 01775, err);
	if (!rc)
		rc = make_folder(artifact_folder, 0700, err);
	if (!rc && user->drops)
		rc = give(artifact_folder, O_RDONLY | O_DIRECTORY, user->uid, user->gid, 0700, err);
	for (size_t i = 0; !rc && user->drops && i < sizeof(tails) / sizeof(tails[0]); i++) {
		int length = snprintf(path, sizeof(path), "%s%s", audit_path, tails[i]);
		if (length > 0 && (size_t)length < sizeof(path))
			rc = give(path, O_RDWR, user->uid, user->gid, 0600, err);
	}
	return rc;
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
