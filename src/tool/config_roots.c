/*
 * config_roots: which folders may be a file root.
 *
 * A root hands files to whoever holds a token. So it may not be, contain or (but for homes) lie
 * below what no job may see: the root of the file system, home directories, /etc, /proc, /sys, /dev
 * and what is brig's own. Symbolic links are resolved first, and the resolved path is what is kept.
 */
#include "tool/config_parse.h"

#include <errno.h>
#include <limits.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* The uids of people; below are the system's own, whose homes are folders like /var/www. */
#define PEOPLE_UID_MIN 1000u
#define PEOPLE_UID_MAX 60000u

struct root_check {
	struct config_parse *parse;
	int line;
	const char *name; /* of the root */
	const char *path; /* resolved */
	bool good;
};

static void refuse(struct root_check *check, const char *verb, const char *what)
{
	/* /etc is /etc: there is nothing to explain. */
	if (check->good && strcmp(check->path, what) == 0)
		config_fault(check->parse, check->line,
			"file_root %s: %.120s is the system's; name a folder of its own, as in "
			"/srv/reports",
			check->name, check->path);
	else if (check->good)
		config_fault(check->parse, check->line,
			"file_root %s: %.120s %s %.120s; name a folder of its own, as in "
			"/srv/reports",
			check->name, check->path, verb, what);
	check->good = false;
}

/* `whole`: nothing below `folder` is allowed either. */
static void keep_off(struct root_check *check, const char *folder, const char *what, bool whole)
{
	char resolved[PATH_MAX];
	if (!folder || folder[0] != '/')
		return;
	if (!realpath(folder, resolved))
		(void)snprintf(resolved, sizeof(resolved), "%s", folder);
	if (strcmp(check->path, resolved) == 0)
		refuse(check, "is", what);
	else if (config_path_within(resolved, check->path))
		refuse(check, "contains", what);
	else if (whole && config_path_within(check->path, resolved))
		refuse(check, "lies in", what);
}

static void keep_off_homes(struct root_check *check)
{
	const struct passwd *user;
	keep_off(check, "/home", "the home directories", false);
	keep_off(check, "/root", "a home directory", false);
	setpwent();
	/* cppcheck-suppress getpwentCalled ; no second thread */
	while (check->good && (user = getpwent()))
		if (user->pw_uid == 0 ||
			(user->pw_uid >= PEOPLE_UID_MIN && user->pw_uid <= PEOPLE_UID_MAX) ||
			user->pw_uid == geteuid())
			keep_off(check, strcmp(user->pw_dir, "/") == 0 ? NULL : user->pw_dir,
				"a home directory", false);
	endpwent();
	keep_off(check, getenv("HOME"), "a home directory", false);
	/* Where the list of users does not say whose it is. */
	if (check->good && strncmp(check->path, "/home/", 6) == 0 && !strchr(check->path + 6, '/'))
		refuse(check, "is", "a home directory");
}

static void keep_off_data_home(struct root_check *check, const char *variable, const char *below)
{
	char folder[PATH_MAX];
	const char *home = getenv(variable);
	if (!home || home[0] != '/')
		return;
	int length = snprintf(folder, sizeof(folder), "%s%s", home, below);
	if (length > 0 && length < PATH_MAX)
		keep_off(check, folder, "brig's state", true);
}

static void keep_off_state(struct root_check *check)
{
	const struct config *config = check->parse->config;
	static const char *const folders[] = {"/var/lib/brig", "/run/brig", "/var/run/brig"};
	for (size_t i = 0; i < sizeof(folders) / sizeof(folders[0]); i++)
		keep_off(check, folders[i], "brig's state", true);
	keep_off_data_home(check, "XDG_DATA_HOME", "/brig");
	keep_off_data_home(check, "XDG_STATE_HOME", "/brig");
	keep_off_data_home(check, "XDG_RUNTIME_DIR", "/brig");
	keep_off_data_home(check, "HOME", "/.local/share/brig");
	keep_off_data_home(check, "HOME", "/.local/state/brig");
	keep_off(check, config->audit.db, "the audit log", true);
	keep_off(check, config->server.socket, "brig's socket", true);
	keep_off(check, config->path, "the configuration", true);
}

static void check_root(struct config_parse *parse, const struct role *role, size_t number, int line)
{
	static const char *const system[] = {"/etc", "/proc", "/sys", "/dev"};
	struct role_root *root = &parse->config->roles[role - parse->config->roles].roots[number];
	char resolved[PATH_MAX];
	struct stat status;

	if (!realpath(root->path, resolved)) {
		config_fault(parse, line, "file_root %s: %.160s: %s; make the folder first",
			root->name, root->path, strerrordesc_np(errno));
		return;
	}
	if (stat(resolved, &status) < 0 || !S_ISDIR(status.st_mode)) {
		config_fault(parse, line, "file_root %s: %.160s is no folder; name one", root->name,
			root->path);
		return;
	}
	struct root_check check = {
		.parse = parse, .line = line, .name = root->name, .path = resolved, .good = true};
	if (strcmp(resolved, "/") == 0)
		refuse(&check, "is", "the whole host");
	for (size_t i = 0; i < sizeof(system) / sizeof(system[0]); i++)
		keep_off(&check, system[i], system[i], true);
	keep_off_homes(&check);
	keep_off_state(&check);
	char *kept = config_copy(parse, resolved);
	if (kept) {
		free(root->path);
		root->path = kept;
	}
}

void config_roots_finish(struct config_parse *parse)
{
	for (size_t i = 0; i < parse->config->role_count; i++)
		for (size_t j = 0; j < parse->config->roles[i].root_count; j++)
			check_root(parse, &parse->config->roles[i], j, parse->root_lines[i][j]);
}
