/*
 * rest: the routes of HTTP. What every request goes through stands in rest.c; what a route does, in
 * a file for each family.
 *
 *	Host, Origin, peer ─► route, method ─► caller ─► content type ─► body ─► handler
 */
#ifndef BRIG_API_REST_H
#define BRIG_API_REST_H

#include "api/dispatcher.h"
#include "api/request.h"
#include "api/who.h"

#define JSON_TYPE "application/json"

/* One request, from its head to its answer. Freed when it was answered or the client has gone. */
struct rest {
	struct dispatcher *dispatcher;
	struct http_exchange *exchange;
	const struct route *route;
	struct who who;
	struct span rest_of_path; /* what a pattern that ends in a star stands for */
	char url_base[300];
	bool from_listed_origin; /* of `origins` in [server] */
	bool wants_events;	 /* Accept: text/event-stream */
	bool wants_display;	 /* … with the parameter display=text */
	struct ledger_wait wait; /* for the row of a refusal, which is: */
	struct request_fault fault;
	uint32_t retry_after_s;
	bool refused; /* the answer waits for that row alone */
	void *user;   /* the handler's own */
	void (*on_gone)(struct rest *rest);
};

struct route {
	const char *path; /* a trailing * matches the rest, slashes too */
	unsigned methods;
	unsigned flags;
	/* The body is there. Answers now, or keeps `rest` and sets on_gone. */
	void (*handle)(struct rest *rest);
	/* For bodies that are no JSON: the head is there. NULL: 415 for anything but JSON. */
	bool (*begin)(struct rest *rest);
};

enum route_flag {
	ROUTE_OPEN = 1,	   /* needs no caller */
	ROUTE_METRICS = 2, /* loopback or a token */
	ROUTE_MCP = 4,
	ROUTE_RAW = 8, /* `begin` decides about any body */
	/* E2B's: the account's side, a sandbox's side, and of that what is spoken over Connect. */
	ROUTE_E2B = 16,
	ROUTE_E2B_BOX = 32,
	ROUTE_E2B_RPC = 64,
	/* A request is a call of that tool, however it ends. */
	ROUTE_CALCULATE = 128,
	ROUTE_RUN = 256,
};

void rest_on_head(void *user, struct http_exchange *exchange);
void rest_on_request(void *user, struct http_exchange *exchange);
void rest_on_answered(void *user, const struct http_exchange *exchange);

/* Answers, and frees `rest`. */
void rest_answer(struct rest *rest, int status, const char *type, struct span body);
void rest_json(struct rest *rest, int status, const json_t *value);
void rest_fault(struct rest *rest, const struct request_fault *fault);
void rest_problem(struct rest *rest, int status, const char *field, const char *detail,
	uint32_t retry_after_s);
/* The exchange has ended some other way. */
void rest_free(struct rest *rest);

/* rest_tools.c */
void rest_calculate(struct rest *rest);
void rest_run(struct rest *rest);
bool rest_run_begin(struct rest *rest);
/* Starts the job of a spec that is ready; takes the spec. */
void rest_run_spec(struct rest *rest, struct job_spec *spec);
/* rest_refuse.c: answers once the row is written; whatever still comes of the body is dropped.
 *
 * A caller without the tool learns only that, whatever the request says. */
void rest_refuse_tool(struct rest *rest, const struct audit_call *what, const char *why);
/* A call that its caller has got wrong. */
void rest_refuse_call(
	struct rest *rest, const struct audit_call *what, const struct request_fault *fault);
/* The tool that the request is a call of, or NULL. */
const char *rest_tool(const struct rest *rest);
/* 401 to a call of a tool. Few a minute have a row; the next row counts the others. */
void rest_refuse_stranger(struct rest *rest, const char *detail);
/* The server refuses the request by itself: too large, too slow, malformed. It answers behind this:
 * the row is written by then. */
void rest_note_refused(struct rest *rest);
/* rest_cors.c: tells the browser that the page which asks may read the answer, if its origin is a
 * listed one: then true. */
bool rest_cors_allow(struct rest *rest);
/* Answers a preflight of such a page about a route with those methods; false where it is none. */
bool rest_cors_preflight(struct rest *rest, const char *methods);
/* rest_upload.c */
void rest_run_uploaded(struct rest *rest);
/* rest_jobs.c */
void rest_jobs(struct rest *rest);
void rest_job(struct rest *rest);
/* rest_sessions.c */
void rest_sessions(struct rest *rest);
void rest_session(struct rest *rest);
bool rest_session_begin(struct rest *rest);
/* rest_session_files.c: of the session, "" or a path; the body of a PUT is in its spool. */
void rest_session_files(struct rest *rest, struct session *session, struct span path);
bool rest_session_upload_begin(struct rest *rest, struct session *session, struct span path);
/* Nothing will come of a PUT whose body was read. */
void rest_session_upload_drop(struct rest *rest);
/* rest_info.c */
void rest_health(struct rest *rest);
void rest_ready(struct rest *rest);
void rest_metrics(struct rest *rest);
void rest_tools(struct rest *rest);
void rest_openapi(struct rest *rest);
void rest_resource_metadata(struct rest *rest);
/* page.c */
void rest_page(struct rest *rest);
/* rest_whoami.c */
void rest_whoami(struct rest *rest);
json_t *rest_limits(const struct job_limits *limits); /* those that a request may name; or NULL */
/* rest_audit.c */
void rest_audit(struct rest *rest);
/* mcp_http.c */
void rest_mcp(struct rest *rest);
void rest_mcp_lines(struct rest *rest);

#endif
