/* fds: exactly the descriptors of the golden set, and nothing else. Source: close_range(2) (5.9).
 */
#ifndef BRIG_JAIL_FDS_H
#define BRIG_JAIL_FDS_H

#include "base/err.h"

#include <stddef.h>

#define FDS_PLACED_MAX 8u

/*
 * Puts fds[i] at number i, without O_CLOEXEC, and closes the originals. `count` at most
 * FDS_PLACED_MAX.
 */
int fds_place(const int *fds, size_t count, struct err *err) MUST_CHECK;

/* Closes every descriptor from `first` on. */
int fds_close_from(unsigned first, struct err *err) MUST_CHECK;

#endif
