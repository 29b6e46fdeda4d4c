/*
 * audit_lock: which of the processes that ever wrote to a log still live.
 *
 * Each writer holds a lock on the byte of its number in PATH.lock for as long as it lives; the
 * kernel drops it however the process ends. fcntl's own locks are used because a forked child does
 * not inherit them; the price is that a process must open the file once only.
 *
 * Source: fcntl(2), F_SETLK and F_GETLK.
 */
#ifndef BRIG_AUDIT_AUDIT_LOCK_H
#define BRIG_AUDIT_AUDIT_LOCK_H

#include "base/err.h"

#include <stdbool.h>
#include <stdint.h>

/* Opens or makes PATH.lock. The caller owns the descriptor. */
int audit_lock_open(const char *path, int *ret_fd, struct err *err) MUST_CHECK;

/* Locks the byte of a new writer. -EBUSY where another process has it. */
int audit_lock_take(int fd, uint64_t writer, struct err *err) MUST_CHECK;

/* Whether another process holds the writer's byte. Where that cannot be told: true. */
bool audit_lock_alive(int fd, uint64_t writer);

#endif
