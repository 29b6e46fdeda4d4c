/* cgroup_find: /proc/self/mountinfo and /proc/self/cgroup. */
#include "launch/cgroup_find.h"

#include "base/words.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

struct hierarchy {
	char root[PATH_MAX / 4], point[PATH_MAX / 4];
};

/* 36 35 98:0 /root /point options … - cgroup cgroup rw,memory */
static bool parse_mount(const char *line, const char *controller, struct hierarchy *hierarchy)
{
	char type[32], options[256];
	const char *dash = strstr(line, " - ");
	if (!dash || sscanf(dash, " - %31s %*s %255s", type, options) != 2 ||
		sscanf(line, "%*d %*d %*s %1023s %1023s", hierarchy->root, hierarchy->point) != 2)
		return false;
	if (!*controller)
		return strcmp(type, "cgroup2") == 0;
	return strcmp(type, "cgroup") == 0 && words_have(options, controller, strlen(controller));
}

static int find_mount(const char *controller, struct hierarchy *hierarchy)
{
	char line[4096];
	int rc = -ENOENT;
	FILE *mounts = fopen("/proc/self/mountinfo", "re");
	if (!mounts)
		return -errno;
	while (rc < 0 && fgets(line, sizeof(line), mounts))
		if (parse_mount(line, controller, hierarchy))
			rc = 0;
	(void)fclose(mounts);
	return rc;
}

/* 4:memory:/path, or 0::/path for the unified hierarchy. */
static int find_own(const char *controller, char *path, size_t room)
{
	char line[PATH_MAX];
	int rc = -ENOENT;
	FILE *groups = fopen("/proc/self/cgroup", "re");
	if (!groups)
		return -errno;
	while (rc < 0 && fgets(line, sizeof(line), groups)) {
		char *names = strchr(line, ':');
		char *own = names ? strchr(names + 1, ':') : NULL;
		if (!own)
			continue;
		*own++ = 0;
		own[strcspn(own, "\n")] = 0;
		names++;
		if (*controller ? words_have(names, controller, strlen(controller)) : *names == 0) {
			(void)snprintf(path, room, "%s", own);
			rc = 0;
		}
	}
	(void)fclose(groups);
	return rc;
}

int cgroup_find(const char *controller, bool hierarchy_root, char *path, size_t room)
{
	struct hierarchy hierarchy;
	char own[PATH_MAX] = "/";

	int rc = find_mount(controller, &hierarchy);
	if (!rc && !hierarchy_root)
		rc = find_own(controller, own, sizeof(own));
	if (rc < 0)
		return rc;
	/* In a container the mount may show a subtree only: the path is then below that. */
	const char *below = own;
	size_t root_len = strlen(hierarchy.root);
	if (root_len > 1 && strncmp(own, hierarchy.root, root_len) == 0)
		below = own + root_len;
	else if (root_len > 1)
		below = "";
	int length =
		snprintf(path, room, "%s%s", hierarchy.point, strcmp(below, "/") == 0 ? "" : below);
	return length < 0 || (size_t)length >= room ? -ENAMETOOLONG : 0;
}
