/*
 * mcp_relay: standard input and output, carried to and from a running dispatcher. Nothing of what
 * goes through is looked at.
 */
#ifndef BRIG_CMD_MCP_RELAY_H
#define BRIG_CMD_MCP_RELAY_H

#include "base/err.h"

/*
 * Connects to the Unix socket (NULL: the usual places) and has the connection upgraded. The token
 * is read from the file that BRIG_TOKEN_FILE names, where that is set. The descriptor; -ENOENT or
 * -ECONNREFUSED where nobody serves there; -EACCES where the dispatcher refuses; others.
 */
int mcp_relay_connect(const char *path, struct err *err) MUST_CHECK;

/* Takes the connection; returns the exit status once either side has ended. */
int mcp_relay_run(int fd);

#endif
