/*
 * mcp_serve: messages of MCP carried out, for whichever transport brought them.
 *
 * A transport hands in the text of one message and gets, once and perhaps at once, either `reply`
 * with what to send back or `nothing` for what has no answer; before a reply there may be any
 * number of `notify`.
 *
 * Threads: the loop's.
 */
#ifndef BRIG_API_MCP_SERVE_H
#define BRIG_API_MCP_SERVE_H

#include "api/dispatcher.h"
#include "api/mcp.h"

#define MCP_SCOPE_BYTES 64u

struct mcp_exchange;

struct mcp_transport {
	/* `status` is the HTTP status that suits the reply. The reply is borrowed. */
	void (*reply)(void *user, int status, const json_t *reply);
	void (*nothing)(void *user);
	void (*notify)(void *user, const json_t *notification); /* NULL: no way to */
	bool drops_cancelled; /* what was cancelled ends with `nothing` */
};

/*
 * `scope` sets the request ids of one client apart from those of others. `head` as for mcp_decode;
 * `url_base` as for call_start. The exchange is over when `reply` or `nothing` was called, which
 * may be before this returns (then NULL); else it is returned.
 */
struct mcp_exchange *mcp_serve(struct dispatcher *dispatcher, const struct who *who,
	const char *scope, struct span text, const struct http_head *head, const char *url_base,
	const struct mcp_transport *transport, void *user);

/* Whether a message of the exchange is of the era in which a closed stream cancels. */
bool mcp_exchange_is_modern(const struct mcp_exchange *exchange);

/* The transport has gone: it is not called any more. With `cancel` the call is ended. */
void mcp_exchange_leave(struct mcp_exchange *exchange, bool cancel);

/* resources: resources/list and resources/read of the caller's own jobs' files. */
json_t *mcp_list_resources(struct dispatcher *dispatcher, const struct who *who);
/* NULL with a fault. */
json_t *mcp_read_resource(struct dispatcher *dispatcher, const struct who *who, struct span uri,
	bool modern, struct mcp_fault *ret_fault);

#endif
