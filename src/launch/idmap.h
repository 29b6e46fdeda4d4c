/*
 * idmap: the identity maps of the outer user namespace.
 *
 * Root gives each instance a range of its own, above what systemd and containers use. An ordinary
 * user gets its own uid and, where /etc/subuid has a range for it and newuidmap is installed, that
 * range too; else a single uid.
 */
#ifndef BRIG_LAUNCH_IDMAP_H
#define BRIG_LAUNCH_IDMAP_H

#include "base/err.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* 0x70000000: beyond systemd's container range, below the sign bit. */
#define IDMAP_ROOT_BASE 1879048192u

struct idmap {
	bool by_helper; /* newuidmap and newgidmap write it */
	uint32_t root;	/* the uid outside that is 0 inside */
	uint32_t root_gid;
	uint32_t start, count; /* a range that follows from 1 inside; count 0: a single uid */
	uint32_t gid_start;
};

/* What this process can give to instance `number`. */
void idmap_choose(unsigned number, struct idmap *ret_map);

int idmap_write(const struct idmap *map, pid_t pid, struct err *err) MUST_CHECK;

#endif
