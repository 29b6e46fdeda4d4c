/* listen: a Unix socket to serve on, and who is at the other end. Source: unix(7) SO_PEERCRED. */
#ifndef BRIG_CMD_LISTEN_H
#define BRIG_CMD_LISTEN_H

#include "base/buf.h"
#include "base/err.h"

#include <stdbool.h>
#include <sys/types.h>

/*
 * A listening socket at `path`, with `mode`. Its folder is made where only that is missing; a
 * socket that nobody listens on any more is replaced. -EADDRINUSE where one answers, with a text.
 */
int listen_unix(const char *path, mode_t mode, struct err *err) MUST_CHECK;

/* The path as a JSON string, into an empty `out`: for the line that says where one serves. */
void listen_describe(const char *path, struct buf *out);

/* Whether the peer has our effective uid, or is root. */
bool listen_peer_is_us(int fd);

#endif
