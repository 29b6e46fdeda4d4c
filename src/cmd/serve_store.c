/* serve_store: Source: faccessat(2), AT_EACCESS; sticky folders, inode(7). */
#include "cmd/serve_store.h"

#include "base/fd.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define SYSTEM_FOLDER "/var/lib/brig"

static const char *const tails[] = {"", "-wal", "-shm", ".lock"};
#define TAILS (sizeof(tails) / sizeof(tails[0]))

static int folder_of(const char *audit_path, char *folder, struct err *err)
{
	(void)snprintf(folder, PATH_MAX, "%s", audit_path);
	char *slash = strrchr(folder, '/');
	if (!slash || slash == folder)
		return err_set(
			err, -EINVAL, "state", "%s is no place for an audit log", audit_path);
	*slash = 0;
	return 0;
}

/* `*ret_made` where nobody had it before. */
static int make_folder(const char *path, mode_t mode, bool *ret_made, struct err *err)
{
	char at[PATH_MAX];
	(void)snprintf(at, sizeof(at), "%s", path);
	for (char *slash = strchr(at + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
		*slash = 0;
		if (mkdir(at, 0755) < 0 && errno != EEXIST)
			return err_sys(err, -errno, "state", at);
		*slash = '/';
	}
	*ret_made = mkdir(at, mode) == 0;
	return *ret_made || errno == EEXIST ? 0 : err_sys(err, -errno, "state", at);
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

static int give_log(
	const struct serve_user *user, const char *folder, const char *audit_path, struct err *err)
{
	char path[PATH_MAX];
	int rc = give(folder, O_RDONLY | O_DIRECTORY, 0, user->gid, 01775, err);
	for (size_t i = 0; !rc && i < TAILS; i++) {
		int length = snprintf(path, sizeof(path), "%s%s", audit_path, tails[i]);
		if (length > 0 && (size_t)length < sizeof(path))
			rc = give(path, O_RDWR, user->uid, user->gid, 0600, err);
	}
	return rc;
}

/* As the user itself, so that the folders above, ACLs and read-only mounts count. 0 or -errno. */
static int access_as(const struct serve_user *user, const char *path, int mode)
{
	if (!user->drops)
		return faccessat(AT_FDCWD, path, mode, AT_EACCESS) < 0 ? -errno : 0;
	int status;
	pid_t child = fork();
	if (child < 0)
		return -errno;
	if (child == 0) {
		if (setgroups(0, NULL) < 0 || setresgid(user->gid, user->gid, user->gid) < 0 ||
			setresuid(user->uid, user->uid, user->uid) < 0)
			_exit(EPERM);
		_exit(faccessat(AT_FDCWD, path, mode, AT_EACCESS) < 0 ? errno : 0);
	}
	while (waitpid(child, &status, 0) < 0)
		if (errno != EINTR)
			return -errno;
	return WIFEXITED(status) ? -WEXITSTATUS(status) : -EIO;
}

int serve_store_readable(
	const struct serve_user *user, const struct config *config, struct err *err)
{
	const char *const paths[] = {config->path, config->audit.redact_file};
	for (size_t i = 0; i < sizeof(paths) / sizeof(paths[0]); i++) {
		int rc = paths[i] ? access_as(user, paths[i], R_OK) : 0;
		if (rc < 0)
			return err_set(err, -EINVAL, "config",
				"%.100s: the dispatcher (uid %u, gid %u) could not read it at a "
				"reload: chgrp it to that group and chmod 640",
				paths[i], user->uid, user->gid);
	}
	return 0;
}

static int refuse_folder(const struct serve_user *user, const char *folder, struct err *err)
{
	bool fits = strlen(folder) <= 38;
	if (!user->drops)
		return err_set(err, -EINVAL, "state",
			"the audit log's folder %.130s cannot be written: name another place as "
			"`db` in [audit]",
			folder);
	return err_set(err, -EINVAL, "state",
		"%.90s cannot be written by the dispatcher (uid %u, gid %u) and is not brig's own: "
		"name a new one as `db` in [audit]%s%s%s",
		folder, user->uid, user->gid, fits ? ", as " : "", fits ? folder : "",
		fits ? "/brig/audit.db" : "");
}

static int check_files(const struct serve_user *user, const char *audit_path, struct err *err)
{
	char path[PATH_MAX];
	for (size_t i = 0; i < TAILS; i++) {
		int length = snprintf(path, sizeof(path), "%s%s", audit_path, tails[i]);
		if (length < 0 || (size_t)length >= sizeof(path))
			return err_set(
				err, -EINVAL, "state", "the path of the audit log is too long");
		struct stat found;
		if (stat(path, &found) < 0 ||
			(found.st_uid == user->uid && (found.st_mode & 0600) == 0600))
			continue;
		if (access_as(user, path, R_OK | W_OK) < 0)
			return err_set(err, -EINVAL, "state",
				"%.110s cannot be written by the dispatcher: chown %u:%u it, or "
				"name another file as `db` in [audit]",
				path, user->uid, user->gid);
	}
	return 0;
}

int serve_store_check(const struct serve_user *user, const char *audit_path, struct err *err)
{
	char folder[PATH_MAX], at[PATH_MAX];
	struct stat found;
	int rc = folder_of(audit_path, folder, err);
	if (rc < 0)
		return rc;
	if (stat(folder, &found) == 0) {
		/* A log that root's brig gives away at its start is good whatever it is now. */
		if (user->drops && strcmp(folder, SYSTEM_FOLDER) == 0)
			return 0;
		if (!S_ISDIR(found.st_mode) || access_as(user, folder, W_OK | X_OK) < 0)
			return refuse_folder(user, folder, err);
		return check_files(user, audit_path, err);
	}
	(void)strcpy(at, folder);
	for (char *slash = strrchr(at, '/'); slash && slash > at; slash = strrchr(at, '/')) {
		*slash = 0;
		if (stat(at, &found) < 0)
			continue;
		if (S_ISDIR(found.st_mode) && access_as(user, at, X_OK) == 0 &&
			faccessat(AT_FDCWD, at, W_OK | X_OK, AT_EACCESS) == 0)
			return 0;
		return err_set(err, -EINVAL, "state",
			"the audit log's folder %.60s cannot be made and reached below %.60s: name "
			"another place as `db` in [audit]",
			folder, at);
	}
	return 0;
}

int serve_store_prepare(const struct serve_user *user, const char *audit_path,
	const char *artifact_folder, struct err *err)
{
	char folder[PATH_MAX];
	bool made, artifacts_made;
	int rc = folder_of(audit_path, folder, err);
	if (!rc)
		rc = make_folder(folder, user->drops ? 0755 : 0700, &made, err);
	bool ours = !rc && (made || strcmp(folder, SYSTEM_FOLDER) == 0);
	if (!rc && user->drops && ours)
		rc = give_log(user, folder, audit_path, err);
	if (!rc)
		rc = serve_store_check(user, audit_path, err);
	if (!rc)
		rc = make_folder(artifact_folder, 0700, &artifacts_made, err);
	if (!rc && user->drops)
		rc = give(artifact_folder, O_RDONLY | O_DIRECTORY, user->uid, user->gid, 0700, err);
	return rc;
}
