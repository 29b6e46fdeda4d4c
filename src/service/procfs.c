/* procfs: small readers. */
#include "service/procfs.h"

#include "base/fd.h"
#include "base/words.h"
#include "service/folder.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define DESCRIPTORS_SHOWN 32u

int procfs_read(int proc_fd, pid_t pid, const char *file, char *text, size_t room)
{
	char path[64];
	size_t used = 0;
	(void)snprintf(path, sizeof(path), "%d/%s", (int)pid, file);
	cleanup_fd int fd = openat(proc_fd, path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	while (used < room) {
		ssize_t got = read(fd, text + used, room - used);
		if (got < 0)
			return -errno;
		if (got == 0) {
			text[used] = 0;
			return 0;
		}
		used += (size_t)got;
	}
	return -E2BIG;
}

int procfs_line(const char *text, const char *key, char *out, size_t room)
{
	size_t len = strlen(key), used = 0;
	const char *line = text;

	while (line && strncmp(line, key, len) != 0) {
		line = strchr(line, '\n');
		line = line ? line + 1 : NULL;
	}
	if (!line)
		return -ENOENT;
	for (const char *c = line + len; *c && *c != '\n' && used + 1 < room; c++) {
		bool blank = isspace((unsigned char)*c) != 0;
		if (!blank)
			out[used++] = *c;
		else if (used && out[used - 1] != ' ')
			out[used++] = ' ';
	}
	while (used && out[used - 1] == ' ')
		used--;
	out[used] = 0;
	return 0;
}

uint64_t procfs_namespace(int proc_fd, pid_t pid, const char *name)
{
	char path[64], target[64];
	(void)snprintf(path, sizeof(path), "%d/ns/%s", (int)pid, name);
	ssize_t got = readlinkat(proc_fd, path, target, sizeof(target) - 1);
	if (got <= 0)
		return 0;
	target[got] = 0;
	const char *number = strchr(target, '[');
	return number ? strtoull(number + 1, NULL, 10) : 0;
}

bool procfs_next_mount(const char **at, struct procfs_mount *ret_mount)
{
	/* 36 35 98:0 /root /point options optional… - type source super-options */
	if (sscanf(*at, "%*d %*d %*s %*s %255s %127s", ret_mount->point, ret_mount->options) != 2)
		return false;
	const char *line_end = strchr(*at, '\n');
	const char *dash = strstr(*at, " - ");
	if (!line_end || !dash || dash > line_end || sscanf(dash + 3, "%31s", ret_mount->type) != 1)
		return false;
	*at = line_end + 1;
	return true;
}

bool procfs_has_options(const char *options, const char *wanted)
{
	while (*wanted) {
		size_t len = strcspn(wanted, ",");
		if (!words_have(options, wanted, len))
			return false;
		wanted += len + (wanted[len] == ',');
	}
	return true;
}

bool procfs_limit_is(const char *limits, const char *name, uint64_t value)
{
	char line[128];
	unsigned long long soft, hard;
	if (procfs_line(limits, name, line, sizeof(line)) < 0)
		return false;
	return sscanf(line, "%llu %llu", &soft, &hard) == 2 && soft == value && hard == value;
}

void procfs_descriptors(int proc_fd, pid_t pid, char *list, size_t room)
{
	char path[32], *names[DESCRIPTORS_SHOWN];
	size_t used = 0;
	(void)snprintf(path, sizeof(path), "%d/fd", (int)pid);
	cleanup_fd int dir_fd = openat(proc_fd, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	int count = -1;
	if (dir_fd >= 0)
		count = folder_names(dir_fd, names, DESCRIPTORS_SHOWN, NULL);
	list[0] = 0;
	for (int i = 0; i < count; i++) {
		int wrote = snprintf(list + used, room - used, "%s%s", used ? " " : "", names[i]);
		if (wrote > 0 && (size_t)wrote < room - used)
			used += (size_t)wrote;
		free(names[i]);
	}
}

int procfs_speculation(const char *status, char *words, size_t room)
{
	static const struct {
		const char *words;
		int held;
	} known[] = {
		{"thread force mitigated", 1},
		{"globally mitigated", 1},
		{"not vulnerable", 1},
		{"thread mitigated", -1},
		{"thread vulnerable", -1},
		{"conditional force disabled", 1},
		{"always disabled", 1},
		{"not affected", 1},
		{"conditional disabled", -1},
		{"conditional enabled", -1},
	};
	char bypass[40] = "unknown", branch[40] = "unknown";
	int held = 0;

	(void)procfs_line(status, "Speculation_Store_Bypass:", bypass, sizeof(bypass));
	(void)procfs_line(status, "SpeculationIndirectBranch:", branch, sizeof(branch));
	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		if (strcmp(known[i].words, bypass) == 0 || strcmp(known[i].words, branch) == 0)
			held = held < 0 ? held : known[i].held;
	(void)snprintf(words, room, "store bypass: %s, indirect branch: %s", bypass, branch);
	return held;
}

long procfs_tty(int proc_fd, pid_t pid)
{
	char text[1024];
	long tty;
	if (procfs_read(proc_fd, pid, "stat", text, sizeof(text)) < 0)
		return -1;
	/* The name in parentheses may hold anything: count from the last one. */
	const char *rest = strrchr(text, ')');
	if (!rest || sscanf(rest + 1, " %*c %*d %*d %*d %ld", &tty) != 1)
		return -1;
	return tty;
}

bool procfs_is_exiting(int proc_fd, pid_t pid)
{
	const unsigned pf_exiting = 0x4; /* include/linux/sched.h */
	char text[1024];
	unsigned flags;
	if (procfs_read(proc_fd, pid, "stat", text, sizeof(text)) < 0)
		return true;
	const char *rest = strrchr(text, ')');
	return rest && sscanf(rest + 1, " %*c %*d %*d %*d %*d %*d %u", &flags) == 1 &&
	       (flags & pf_exiting) != 0;
}
