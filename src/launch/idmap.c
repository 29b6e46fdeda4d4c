/* idmap: choosing and writing. */
#include "launch/idmap.h"

#include "base/fd.h"
#include "wire/launch.h"

#include <errno.h>
#include <fcntl.h>
#include <pwd.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

/* The first range of `file` (subuid(5): name-or-uid:start:count) for the calling user. */
static bool find_range(const char *file, uint32_t *ret_start, uint32_t *ret_count)
{
	char line[256], number[16];
	const struct passwd *user = getpwuid(getuid());
	bool found = false;

	(void)snprintf(number, sizeof(number), "%u", getuid());
	FILE *ranges = fopen(file, "re");
	while (ranges && !found && fgets(line, sizeof(line), ranges)) {
		char *start = strchr(line, ':');
		if (!start)
			continue;
		*start++ = 0;
		if (strcmp(line, number) != 0 && (!user || strcmp(line, user->pw_name) != 0))
			continue;
		unsigned long first, count;
		if (sscanf(start, "%lu:%lu", &first, &count) == 2 && count >= 2) {
			*ret_start = (uint32_t)first;
			*ret_count = count < LAUNCH_UIDS - 1 ? (uint32_t)count : LAUNCH_UIDS - 1;
			found = true;
		}
	}
	if (ranges)
		(void)fclose(ranges);
	return found;
}

void idmap_choose(unsigned number, struct idmap *ret_map)
{
	uint32_t gid_count;
	*ret_map = (struct idmap){.root = geteuid(), .root_gid = getegid()};
	if (geteuid() == 0) {
		uint32_t base = IDMAP_ROOT_BASE + number * LAUNCH_UIDS;
		ret_map->root = ret_map->root_gid = base;
		ret_map->start = ret_map->gid_start = base + 1;
		ret_map->count = LAUNCH_UIDS - 1;
		return;
	}
	if (access("/usr/bin/newuidmap", X_OK) < 0 || access("/usr/bin/newgidmap", X_OK) < 0 ||
		!find_range("/etc/subuid", &ret_map->start, &ret_map->count) ||
		!find_range("/etc/subgid", &ret_map->gid_start, &gid_count)) {
		ret_map->count = 0;
		return;
	}
	ret_map->by_helper = true;
	if (gid_count < ret_map->count)
		ret_map->count = gid_count;
}

static int write_proc(pid_t pid, const char *name, const char *text, struct err *err)
{
	char path[64];
	(void)snprintf(path, sizeof(path), "/proc/%d/%s", (int)pid, name);
	int rc = fd_write_file(AT_FDCWD, path, text);
	return rc < 0 ? err_sys(err, rc, "uid", path) : 0;
}

static int write_directly(const struct idmap *map, pid_t pid, struct err *err)
{
	char uids[64], gids[64];
	(void)snprintf(uids, sizeof(uids), "0 %u 1\n", map->root);
	(void)snprintf(gids, sizeof(gids), "0 %u 1\n", map->root_gid);
	if (map->count) {
		size_t used = strlen(uids);
		(void)snprintf(
			uids + used, sizeof(uids) - used, "1 %u %u\n", map->start, map->count);
		used = strlen(gids);
		(void)snprintf(
			gids + used, sizeof(gids) - used, "1 %u %u\n", map->gid_start, map->count);
	}
	/* Without privilege a gid map is allowed only once setgroups is denied. */
	int rc = geteuid() ? write_proc(pid, "setgroups", "deny", err) : 0;
	if (!rc)
		rc = write_proc(pid, "uid_map", uids, err);
	if (!rc)
		rc = write_proc(pid, "gid_map", gids, err);
	return rc;
}

static int run_helper(const char *helper, pid_t pid, uint32_t own, uint32_t start, uint32_t count,
	struct err *err)
{
	char pid_text[16], own_text[16], start_text[16], count_text[16];
	char zero[] = "0", one[] = "1", first[] = "1", path[64];
	char *argv[] = {path, pid_text, zero, own_text, one, first, start_text, count_text, NULL};
	pid_t child;
	int status = 0;

	(void)snprintf(path, sizeof(path), "%s", helper);
	(void)snprintf(pid_text, sizeof(pid_text), "%d", (int)pid);
	(void)snprintf(own_text, sizeof(own_text), "%u", own);
	(void)snprintf(start_text, sizeof(start_text), "%u", start);
	(void)snprintf(count_text, sizeof(count_text), "%u", count);
	int rc = posix_spawn(&child, path, NULL, NULL, argv, environ);
	if (rc)
		return err_sys(err, -rc, "uid", helper);
	if (waitpid(child, &status, 0) != child || !WIFEXITED(status) || WEXITSTATUS(status) != 0)
		return err_set(err, -EPERM, "uid", "%s refused the range of /etc/subuid", helper);
	return 0;
}

int idmap_write(const struct idmap *map, pid_t pid, struct err *err)
{
	if (!map->by_helper)
		return write_directly(map, pid, err);
	int rc = run_helper("/usr/bin/newuidmap", pid, map->root, map->start, map->count, err);
	if (!rc)
		rc = run_helper(
			"/usr/bin/newgidmap", pid, map->root_gid, map->gid_start, map->count, err);
	return rc;
}
