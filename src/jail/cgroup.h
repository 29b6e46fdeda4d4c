/*
 * cgroup: one control group for each cell, below directories that were delegated to the service.
 *
 * Two worlds behind one face. On v2 the unified hierarchy has the controllers. On v1 each
 * controller has a hierarchy of its own, and where a unified one without controllers is mounted
 * beside them it still gives birth into the group, freezing and killing.
 *
 * Everything goes by directory descriptors, opened before the service lost the host's file system.
 *
 * Source: Documentation/admin-guide/cgroup-v2.rst, cgroup-v1/memory.rst, cgroup-v1/pids.rst.
 */
#ifndef BRIG_JAIL_CGROUP_H
#define BRIG_JAIL_CGROUP_H

#include "base/err.h"
#include "wire/cell.h"
#include "wire/layer.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum cgroup_controller {
	CGROUP_MEMORY,
	CGROUP_CPU,
	CGROUP_CPUACCT, /* absent where the hierarchy of cpu, or the unified one, has it too */
	CGROUP_PIDS,
	CGROUP_FREEZER, /* absent where the unified one freezes */
	CGROUP_UNIFIED,
	CGROUP_COUNT,
};

/* The delegated directories; -1 where there is none. On v2 only CGROUP_UNIFIED is set. */
struct cgroup_tree {
	int dirs[CGROUP_COUNT];
	bool v2; /* the unified hierarchy has the controllers */
};

struct cgroup {
	int dirs[CGROUP_COUNT];
	bool v2;
	bool frozen_by_v1; /* its own freezer holds it, for want of a unified one that could */
	char name[32];
};

struct cgroup_limits {
	uint64_t memory_bytes;
	uint32_t processes; /* tasks in all, init included */
	uint32_t cpus;
};

struct cgroup_usage {
	uint64_t cpu_us;	    /* each figure is 0 where the layer is missing */
	uint64_t memory_peak_bytes; /* 0 where the kernel does not count it */
	uint32_t processes_peak;    /* 0 where the kernel does not count it */
	uint64_t oom_kills;
};

/* A struct that owns nothing yet. */
void cgroup_init(struct cgroup *cgroup);

/* The layers (memory, pids, cpu) that this tree can give. */
layer_set cgroup_layers(const struct cgroup_tree *tree);

/* Makes the group `name` in every hierarchy. What it made goes again on failure. */
int cgroup_make(const struct cgroup_tree *tree, const char *name, struct cgroup *ret_cgroup,
	struct err *err) MUST_CHECK;

/*
 * A group beside the cells' for processes of the service itself, in that hierarchy alone that
 * shares out CPU time; one without directories where there is none. A wish, as is joining it, which
 * the process that calls does.
 */
void cgroup_make_beside(
	const struct cgroup_tree *tree, const char *name, struct cgroup *ret_cgroup);
void cgroup_join_beside(const struct cgroup *cgroup);

/* Whether it runs only while no other group of the tree wants the CPU. Before Linux 5.15 it has the
 * least share there is instead. A wish, and no layer: without the controller nothing is done. */
void cgroup_yield(const struct cgroup *cgroup, bool yields);

/* Sets the limits of those layers that are not in `skip`. May be called again for a new job. */
int cgroup_limit(const struct cgroup *cgroup, const struct cgroup_limits *limits, layer_set skip,
	struct err *err) MUST_CHECK;

/*
 * Opens the files (at most CELL_CGROUP_FDS_MAX) to which a v1 task writes "0" to join; none on v2,
 * where processes are born into dirs[CGROUP_UNIFIED].
 */
int cgroup_attach_files(
	const struct cgroup *cgroup, int *fds, size_t *ret_count, struct err *err) MUST_CHECK;

/* Joins: writes "0" to each, in the process that joins. Writing another's pid stalls for ms. */
int cgroup_attach_self(const int *fds, size_t count, struct err *err) MUST_CHECK;

/* Asks for all tasks to stop. Settled when cgroup_frozen says so. -ENOTSUP where it cannot. */
int cgroup_freeze(struct cgroup *cgroup) MUST_CHECK;

/* 1 all stopped, 0 not yet, -errno. */
int cgroup_frozen(const struct cgroup *cgroup) MUST_CHECK;

/* Lets a group that cgroup_freeze stopped run again. */
int cgroup_resume(struct cgroup *cgroup) MUST_CHECK;

/* Lets what v1's freezer holds run again, so that killed tasks can die; a v2 group needs no thawing
 * for that. */
void cgroup_thaw(struct cgroup *cgroup);

/* Reads all figures. -errno (-EMFILE, -ENOMEM) where one could not be read: then none is known. */
int cgroup_read_usage(const struct cgroup *cgroup, struct cgroup_usage *ret_usage) MUST_CHECK;

/* The CPU time alone, in microseconds, for those who ask often. 0 or -errno as above. */
int cgroup_cpu_us(const struct cgroup *cgroup, uint64_t *ret_us) MUST_CHECK;

/* What no reclaim gives back without swap: its processes' own, and pages of tmpfs and of shared
 * memory that they made. Zeroes where the layer is missing. 0 or -errno as above. */
struct cgroup_held {
	uint64_t anonymous, shared;
};
int cgroup_memory_held(const struct cgroup *cgroup, struct cgroup_held *ret_held) MUST_CHECK;

/* Starts the memory peak anew where the kernel can (v1). */
void cgroup_reset_peak(const struct cgroup *cgroup);

/*
 * A descriptor that becomes readable when the group runs out of memory (v1), or -ENOTSUP: then
 * watch memory.events.
 */
int cgroup_oom_eventfd(const struct cgroup *cgroup, struct err *err) MUST_CHECK;

/* Removes the group everywhere. -EBUSY while a task dies: call again. Closes it when it is gone. */
int cgroup_remove(const struct cgroup_tree *tree, struct cgroup *cgroup) MUST_CHECK;

/* Forgets the group without removing it. */
void cgroup_close(struct cgroup *cgroup);

/* Reads a short file of the group into `text`, without the line's end. For receipts. */
int cgroup_read(const struct cgroup *cgroup, enum cgroup_controller controller, const char *file,
	char *text, size_t room) MUST_CHECK;

#endif
