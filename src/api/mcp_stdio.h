/*
 * mcp_stdio: MCP over a pair of pipes, or over a connection that was upgraded: one JSON message a
 * line, both ways.
 *
 * The end of the input ends the client: what is under way has a moment to finish, then it is
 * cancelled.
 *
 * Source: MCP 2025-11-25, "Transports", stdio.
 */
#ifndef BRIG_API_MCP_STDIO_H
#define BRIG_API_MCP_STDIO_H

#include "api/dispatcher.h"

/* The protocol that a connection to /mcp/lines is upgraded to. */
#define MCP_LINES_PROTOCOL "brig-mcp-lines"

struct mcp_stdio;

/* Serves this process's own client; its end ends the process. `role` NULL: local. 0 or -errno. */
int mcp_stdio_serve(
	struct dispatcher *dispatcher, int in_fd, int out_fd, const char *role) MUST_CHECK;

/* Whether there is a place for one more connection of that caller. They may rest for as long as
 * they like, so they are few, and nobody has all of them. */
bool mcp_stdio_has_place(const struct dispatcher *dispatcher, const struct who *who);

/* Serves a connection; takes `fd`. `ahead` is what came on it already. */
void mcp_stdio_adopt(
	struct dispatcher *dispatcher, const struct who *who, int fd, struct span ahead);

/* Takes no more messages: each ends once what it has is answered. */
void mcp_stdio_drain(struct dispatcher *dispatcher);

/* Closes all of them. */
void mcp_stdio_free_all(struct dispatcher *dispatcher);

#endif
