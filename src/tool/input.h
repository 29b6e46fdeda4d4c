/*
 * input: a file or stream of the caller's as a descriptor that the service can read by pread.
 *
 * Regular files are passed on as they are. What cannot be read twice (a FIFO, a terminal, a file
 * of /proc that claims to be empty) is first copied into a memfd, up to the cap and no further.
 *
 * Source: memfd_create(2), fcntl(2) for the seals.
 */
#ifndef BRIG_TOOL_INPUT_H
#define BRIG_TOOL_INPUT_H

#include "base/err.h"
#include "base/span.h"

#include <stdint.h>

/*
 * Opens `path` for reading. 0 with a descriptor that the caller owns, and its size; -E2BIG where it
 * is larger than `max_bytes`; -EISDIR; else the -errno of opening or reading. `err` gets the
 * fault without the path, which the caller shows in its own way.
 */
int input_open(const char *path, uint64_t max_bytes, int *ret_fd, uint64_t *ret_bytes,
	struct err *err) MUST_CHECK;

/* Copies everything from `fd` (borrowed, read to its end) into a sealed memfd. As above. */
int input_copy(
	int fd, uint64_t max_bytes, int *ret_fd, uint64_t *ret_bytes, struct err *err) MUST_CHECK;

/* A sealed memfd with these bytes. */
int input_of_bytes(struct span bytes, int *ret_fd, struct err *err) MUST_CHECK;

#endif
