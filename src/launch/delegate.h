/*
 * delegate: a cgroup subtree for the service, made by who may and given to who will use it.
 *
 *	v2	OWN/brig.N/		controllers enabled, owned by the service's uid
 *		OWN/brig.N/service	the service
 *		OWN/brig.N/making	its maker, its zygotes; made by it
 *		OWN/brig.N/cell-…	made by it
 *	v1	OWN/brig.N/ in the hierarchy of each controller; the first two in cpu's
 *
 * OWN is the caller's own cgroup for an ordinary user. Root takes the hierarchy's root: always the
 * same place, so that what a killed launcher left is found by the next one of its number. On v2
 * root takes its own group where that was delegated to it (systemd's Delegate=yes).
 */
#ifndef BRIG_LAUNCH_DELEGATE_H
#define BRIG_LAUNCH_DELEGATE_H

#include "base/err.h"
#include "wire/launch.h"

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>

struct delegation {
	int dirs[LAUNCH_CGROUP_COUNT]; /* OWN/brig.N; -1 where the hierarchy is absent or closed */
	char paths[LAUNCH_CGROUP_COUNT][PATH_MAX];
	int service_fd; /* unified leaf for the service; -1 */
	bool v2;
	char own[PATH_MAX];
};

void delegation_init(struct delegation *delegation);

/* Makes what can be made; a hierarchy that refuses is left out (the service then names the layers
 * that are missing). Remains of a dead instance of that number are removed first: -EBUSY where they
 * cannot be. */
int delegation_make(struct delegation *delegation, unsigned number, uint32_t uid, uint32_t gid,
	struct err *err) MUST_CHECK;

/* Lets stopped cells of a v1 hierarchy go on: on many kernels what is frozen there does not die of
 * a signal. */
void delegation_thaw(const struct delegation *delegation);

/* Removes it all, once the service has ended. */
void delegation_remove(struct delegation *delegation);

#endif
