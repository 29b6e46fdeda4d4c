/*
 * mcp: the Model Context Protocol without any I/O: a message is read, and either answered at once
 * or found to be a call that somebody else has to make; results are put into its shapes.
 *
 * Two eras are spoken: 2026-07-28 (every request carries its version, no handshake) and 2025-11-25
 * and before (initialize). A message says itself which it belongs to.
 *
 * Threads: none shared. Source: https://modelcontextprotocol.io/specification/2026-07-28 and
 * /2025-11-25; JSON-RPC 2.0.
 */
#ifndef BRIG_API_MCP_H
#define BRIG_API_MCP_H

#include "http/parse.h"
#include "tool/json.h"
#include "tool/schema.h"

#define MCP_MODERN_VERSION "2026-07-28"
#define MCP_LATEST_LEGACY "2025-11-25"
#define MCP_SCHEME "brig://jobs/"

enum mcp_code {
	MCP_PARSE_ERROR = -32700,
	MCP_INVALID_REQUEST = -32600,
	MCP_METHOD_NOT_FOUND = -32601,
	MCP_INVALID_PARAMS = -32602,
	MCP_INTERNAL = -32603,
	MCP_NO_RESOURCE = -32002, /* of the older eras */
	MCP_HEADER_MISMATCH = -32020,
	MCP_UNSUPPORTED_VERSION = -32022,
};

struct mcp_fault {
	int code;
	int status; /* the HTTP status that goes with it */
	char message[256];
	json_t *data; /* or NULL */
};

enum mcp_kind { MCP_REQUEST, MCP_NOTIFICATION, MCP_RESPONSE };

struct mcp_message {
	json_t *root; /* owns the rest */
	enum mcp_kind kind;
	bool modern;
	const char *method;	/* "" in a response */
	const json_t *id;	/* NULL but in a request */
	const json_t *params;	/* an object, or NULL */
	const json_t *progress; /* the token, or NULL */
};

void mcp_message_done(struct mcp_message *message);

/*
 * Reads one message. `head` is that of the HTTP request that carries it, NULL over stdio: its
 * fields have to agree with the message. 0, or -errno with `ret_fault`; the message then holds at
 * most the id, to answer with.
 */
int mcp_decode(struct span text, const struct http_head *head, struct mcp_message *ret_message,
	struct mcp_fault *ret_fault) MUST_CHECK;

enum mcp_action {
	MCP_ANSWER,  /* `result` is there */
	MCP_FAULT,   /* `fault` is there */
	MCP_NOTHING, /* a notification or response: nothing to say */
	MCP_CALL,    /* tools/call of `tool` with `arguments` */
	MCP_LIST,    /* resources/list */
	MCP_READ,    /* resources/read of `uri` */
	MCP_CANCEL,  /* of the request with the id `cancels` */
};

struct mcp_step {
	enum mcp_action action;
	json_t *result; /* owned by the caller */
	struct mcp_fault fault;
	enum role_tool tool; /* 0 where the call is refused with `fault` */
	bool is_malformed;   /* … as it is no call, and not for the role's sake */
	const char *tool_name;
	const json_t *arguments; /* an object; borrowed from the message, or NULL */
	struct span uri;
	const json_t *cancels;
};

/* What is to be done about a message. */
void mcp_step(const struct mcp_message *message, const struct schema_facts *facts,
	struct mcp_step *ret_step);

int mcp_refuse(struct mcp_fault *fault, int code, int status, const char *format, ...)
	__attribute__((format(printf, 4, 5)));

/* {"jsonrpc", "id", "result"} with what the message's era adds to it; takes `result`. NULL where
 * memory is out. */
json_t *mcp_response(const struct mcp_message *message, json_t *result);
/* {"jsonrpc", "id", "error"}; takes the fault's data. */
json_t *mcp_error(const struct mcp_message *message, struct mcp_fault *fault);
/* notifications/progress for the message's token. */
json_t *mcp_progress(const struct mcp_message *message, double progress, const char *words);

/* Results of tools/call. Each a new reference, or NULL where memory is out. */
json_t *mcp_calculate_result(struct span answer);
/* `chart_urls`: where each chart is kept, in the result's order, or NULLs. */
json_t *mcp_run_result(const json_t *result, char *const *chart_urls);
/* A call that was refused: text that the model can act on. */
json_t *mcp_refusal_result(const char *text);

#endif
