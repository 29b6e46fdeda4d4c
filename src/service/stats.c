/*
 * stats: counting what there is at the moment of asking. Groups and namespaces are read from the
 * kernel, so that one which brig lost sight of would show.
 */
#include "service/service.h"

#include "base/fd.h"
#include "service/procfs.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *const kinds[] = {"user", "pid", "mnt", "net", "ipc", "uts", "cgroup"};
#define KINDS (sizeof(kinds) / sizeof(kinds[0]))
/* Those of each slot's init, and the network that a slot keeps. */
#define NAMESPACES_MAX (LAUNCH_CELLS_MAX * (KINDS + 1))

void stats_count_kill(struct service *service, enum outcome outcome)
{
	static const enum outcome outcomes[STATS_KILL_COUNT] = {
		[STATS_KILL_WALL] = OUTCOME_TIMEOUT_WALL,
		[STATS_KILL_CPU] = OUTCOME_TIMEOUT_CPU,
		[STATS_KILL_MEMORY] = OUTCOME_MEMORY,
		[STATS_KILL_OUTPUT] = OUTCOME_OUTPUT,
		[STATS_KILL_DENIED] = OUTCOME_DENIED,
		[STATS_KILL_CANCELLED] = OUTCOME_CANCELLED,
		[STATS_KILL_FAULT] = OUTCOME_INTERNAL,
	};
	for (size_t i = 0; i < STATS_KILL_COUNT; i++)
		service->kills[i] += outcomes[i] == outcome;
}

static enum stats_state state_of(const struct cell *cell)
{
	switch (cell->state) {
	case CELL_FREE:
		return STATS_FREE;
	case CELL_MAKING:
	case CELL_SETTING_UP:
	case CELL_SPAWNING:
	case CELL_SEALING:
	case CELL_PARKING:
		return STATS_MAKING;
	case CELL_PARKED_IDLE:
		return STATS_PARKED;
	case CELL_PLACING:
	case CELL_RUNNING:
		return STATS_RUNNING;
	case CELL_FREEZING:
		return cell->collected ? STATS_DYING : STATS_RUNNING;
	case CELL_SESSION_IDLE:
		return STATS_SESSION;
	case CELL_DYING:
		break;
	}
	return STATS_DYING;
}

/* Zygotes of roles have the image's levels too, by name. */
static size_t level_of(const struct service *service, const struct cell *cell)
{
	for (size_t i = 0; cell->zygote && i < service->level_count; i++)
		if (strcmp(service->zygotes[i].level, cell->zygote->level) == 0)
			return i;
	return LAUNCH_LEVELS_MAX;
}

static uint32_t count_zygotes(const struct service *service)
{
	uint32_t count = 0;
	for (size_t i = 0; i < service->zygote_count; i++)
		for (size_t w = 0; w < 2; w++)
			count += service->zygotes[i].warm[w].state != WARM_OFF;
	return count;
}

/* In one hierarchy: each cell has a group of the same name in all of them. */
static uint32_t count_cgroups(const struct cgroup_tree *tree)
{
	uint32_t count = 0;
	int at = CGROUP_COUNT - 1;
	while (at >= 0 && tree->dirs[at] < 0)
		at--;
	int copy = at < 0 ? -1 : openat(tree->dirs[at], ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *dir = copy < 0 ? NULL : fdopendir(copy);
	for (const struct dirent *entry; dir && (entry = readdir(dir));)
		count += entry->d_type == DT_DIR && strncmp(entry->d_name, "cell-", 5) == 0;
	if (dir)
		(void)closedir(dir);
	else
		fd_close(&copy);
	return count;
}

static int compare(const void *left, const void *right)
{
	const uint64_t *a = left, *b = right;
	return (*a > *b) - (*a < *b);
}

static uint32_t count_different(uint64_t *inodes, size_t count)
{
	uint32_t different = 0;
	qsort(inodes, count, sizeof(*inodes), compare);
	for (size_t i = 0; i < count; i++)
		different += i == 0 || inodes[i] != inodes[i - 1];
	return different;
}

static uint32_t count_namespaces(const struct service *service)
{
	static uint64_t inodes[NAMESPACES_MAX];
	struct stat net;
	size_t count = 0;
	uint64_t own[KINDS];
	for (size_t k = 0; k < KINDS; k++)
		own[k] = procfs_namespace(service->proc_fd, getpid(), kinds[k]);
	for (uint32_t i = 0; i < service->cell_count; i++) {
		const struct cell *cell = &service->cells[i];
		if (cell->net_fd >= 0 && fstat(cell->net_fd, &net) == 0)
			inodes[count++] = net.st_ino;
		for (size_t k = 0; cell->init_pid > 0 && k < KINDS; k++) {
			uint64_t inode =
				procfs_namespace(service->proc_fd, cell->init_pid, kinds[k]);
			if (inode && inode != own[k])
				inodes[count++] = inode;
		}
	}
	return count_different(inodes, count);
}

void stats_answer(const struct service *service, int fd)
{
	struct service_stats stats = {
		.bytes = sizeof(stats),
		.level_count = (uint32_t)service->level_count,
		.zygotes = count_zygotes(service),
		.cgroups = count_cgroups(&service->tree),
		.namespaces = count_namespaces(service),
		.cells_parked = service->cells_parked,
		.cells_failed = service->cells_failed,
	};
	const struct job *job;
	for (size_t i = 0; i < service->level_count; i++)
		(void)snprintf(
			stats.levels[i], sizeof(stats.levels[i]), "%s", service->zygotes[i].level);
	for (uint32_t i = 0; i < service->cell_count; i++) {
		const struct cell *cell = &service->cells[i];
		stats.cells[state_of(cell)][level_of(service, cell)]++;
	}
	TAILQ_FOREACH(job, &service->waiting, queue)
	stats.queued++;
	memcpy(stats.kills, service->kills, sizeof(stats.kills));
	/* A fresh socket has room for it: this does not block. */
	(void)!fd_send(fd, &stats, sizeof(stats), NULL, 0);
	fd_close(&fd);
}
