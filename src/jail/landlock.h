/*
 * landlock: an allowlist of paths, a second wall behind the mounts.
 *
 * Every right that the running kernel knows is handled, so what no rule grants is denied: reading
 * anywhere, reading and writing below the work folders, writing to the five devices. Nothing may
 * be executed. From ABI 4 no TCP, from 5 no device ioctl, from 6 no abstract socket and no signal
 * outside the domain. Source: landlock(7), Documentation/userspace-api/landlock.rst.
 */
#ifndef BRIG_JAIL_LANDLOCK_H
#define BRIG_JAIL_LANDLOCK_H

#include "base/err.h"

#include <stddef.h>

/* The ABI of the running kernel, or -errno (-ENOSYS, or -EOPNOTSUPP where it is switched off). */
int landlock_abi(void);

/* `writable`: directories to be read and written. Needs no_new_privs. Returns the ABI or -errno. */
int landlock_restrict(const char *const *writable, size_t count, struct err *err) MUST_CHECK;

#endif
