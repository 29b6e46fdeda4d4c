/* rest: what every request goes through. */
#include "api/rest.h"

#include "api/e2b.h"
#include "api/log.h"
#include "http/origin.h"
#include "http/problem.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define E2B_METHODS (HTTP_GET | HTTP_POST | HTTP_PUT | HTTP_DELETE)
#define E2B_BOX (ROUTE_E2B | ROUTE_E2B_BOX)

static const struct route routes[] = {
	{"/v1/calculate", HTTP_POST, ROUTE_CALCULATE, rest_calculate, NULL},
	{"/v1/run", HTTP_POST, ROUTE_RUN, rest_run, rest_run_begin},
	{"/mcp", HTTP_POST, ROUTE_MCP, rest_mcp, NULL},
	{"/mcp/lines", HTTP_GET, ROUTE_MCP, rest_mcp_lines, NULL},
	{"/v1/tools", HTTP_GET | HTTP_HEAD, 0, rest_tools, NULL},
	{"/v1/jobs", HTTP_GET | HTTP_HEAD, 0, rest_jobs, NULL},
	{"/v1/jobs/*", HTTP_GET | HTTP_HEAD | HTTP_DELETE, 0, rest_job, NULL},
	{"/v1/sessions", HTTP_POST | HTTP_GET | HTTP_HEAD, 0, rest_sessions, NULL},
	{"/v1/sessions/*", HTTP_GET | HTTP_HEAD | HTTP_PUT | HTTP_DELETE, ROUTE_RAW, rest_session,
		rest_session_begin},
	{"/v1/whoami", HTTP_GET | HTTP_HEAD, 0, rest_whoami, NULL},
	{"/v1/audit", HTTP_GET | HTTP_HEAD, 0, rest_audit, NULL},
	{"/v1/audit/*", HTTP_GET | HTTP_HEAD, 0, rest_audit, NULL},
	{"/sandboxes", HTTP_POST | HTTP_GET, ROUTE_E2B, e2b_sandboxes, NULL},
	{"/v2/sandboxes", HTTP_POST | HTTP_GET, ROUTE_E2B, e2b_sandboxes, NULL},
	{"/sandboxes/*", E2B_METHODS, ROUTE_E2B | ROUTE_RAW, e2b_sandbox, e2b_any_begin},
	{"/v2/sandboxes/*", E2B_METHODS, ROUTE_E2B | ROUTE_RAW, e2b_sandbox, e2b_any_begin},
	{"/templates*", E2B_METHODS, ROUTE_E2B | ROUTE_RAW, e2b_not_here, e2b_any_begin},
	{"/v2/templates*", E2B_METHODS, ROUTE_E2B | ROUTE_RAW, e2b_not_here, e2b_any_begin},
	{"/v3/templates*", E2B_METHODS, ROUTE_E2B | ROUTE_RAW, e2b_not_here, e2b_any_begin},
	{"/volumes*", E2B_METHODS, ROUTE_E2B | ROUTE_RAW, e2b_not_here, e2b_any_begin},
	{"/secrets*", E2B_METHODS, ROUTE_E2B | ROUTE_RAW, e2b_not_here, e2b_any_begin},
	{"/snapshots*", E2B_METHODS, ROUTE_E2B | ROUTE_RAW, e2b_not_here, e2b_any_begin},
	{"/health", HTTP_GET, E2B_BOX, e2b_health, NULL},
	{"/files", HTTP_GET | HTTP_POST, E2B_BOX | ROUTE_RAW, e2b_files, e2b_files_begin},
	{"/filesystem.Filesystem/*", HTTP_POST, E2B_BOX | ROUTE_RAW | ROUTE_E2B_RPC, e2b_filesystem,
		e2b_any_begin},
	{"/process.Process/*", HTTP_POST, E2B_BOX | ROUTE_RAW | ROUTE_E2B_RPC, e2b_process,
		e2b_any_begin},
	{"/contexts", HTTP_POST | HTTP_GET, E2B_BOX, e2b_contexts, NULL},
	{"/contexts/*", HTTP_POST | HTTP_DELETE, E2B_BOX | ROUTE_RAW, e2b_context, e2b_any_begin},
	{"/execute", HTTP_POST, E2B_BOX | ROUTE_RUN, e2b_execute, NULL},
	{"/healthz", HTTP_GET | HTTP_HEAD, ROUTE_OPEN, rest_health, NULL},
	{"/readyz", HTTP_GET | HTTP_HEAD, ROUTE_OPEN, rest_ready, NULL},
	{"/metrics", HTTP_GET | HTTP_HEAD, ROUTE_METRICS, rest_metrics, NULL},
	{"/openapi.json", HTTP_GET | HTTP_HEAD, ROUTE_OPEN, rest_openapi, NULL},
	{"/.well-known/oauth-protected-resource", HTTP_GET | HTTP_HEAD, ROUTE_OPEN,
		rest_resource_metadata, NULL},
	{"/.well-known/oauth-protected-resource/mcp", HTTP_GET | HTTP_HEAD, ROUTE_OPEN,
		rest_resource_metadata, NULL},
	{"/", HTTP_GET | HTTP_HEAD, ROUTE_OPEN, rest_page, NULL},
	{"/page/*", HTTP_GET | HTTP_HEAD, ROUTE_OPEN, rest_page, NULL},
	{"/licenses.txt", HTTP_GET | HTTP_HEAD, ROUTE_OPEN, rest_page, NULL},
};

void rest_free(struct rest *rest)
{
	ledger_forget(&rest->dispatcher->ledger, &rest->wait);
	who_done(&rest->who);
	free(rest);
}

void rest_answer(struct rest *rest, int status, const char *type, struct span body)
{
	http_answer(rest->exchange, status, type, body);
	rest_free(rest);
}

void rest_json(struct rest *rest, int status, const json_t *value)
{
	cleanup_buf struct buf body = {0};
	buf_init(&body, HTTP_OUT_BYTES_MAX / 2);
	if (json_write(value, &body) < 0)
		rest_problem(rest, 500, NULL, "out of memory", 0);
	else
		rest_answer(rest, status, JSON_TYPE, span_of(body.data, body.len));
}

void rest_problem(struct rest *rest, int status, const char *field, const char *detail,
	uint32_t retry_after_s)
{
	char seconds[16];
	if (status == 503 && !retry_after_s)
		retry_after_s = 1;
	if (retry_after_s) {
		(void)snprintf(seconds, sizeof(seconds), "%u", retry_after_s);
		http_add_field(rest->exchange, "Retry-After", seconds);
	}
	if (rest->route && rest->route->flags & ROUTE_E2B) {
		e2b_problem(rest, status, detail);
		return;
	}
	http_problem(rest->exchange, status, field, "%s", detail);
	rest_free(rest);
}

void rest_fault(struct rest *rest, const struct request_fault *fault)
{
	rest_problem(rest, fault->status, fault->field[0] ? fault->field : NULL, fault->detail, 0);
}

static bool path_matches(const char *pattern, struct span path, struct span *ret_rest)
{
	size_t length = strlen(pattern);
	*ret_rest = span_of("", 0);
	if (length && pattern[length - 1] == '*') {
		/* Behind a slash something has to come. */
		size_t least = length > 1 && pattern[length - 2] == '/' ? length : length - 1;
		if (path.len < least || memcmp(path.data, pattern, length - 1) != 0)
			return false;
		*ret_rest = span_of(path.data + length - 1, path.len - length + 1);
		return true;
	}
	return span_is(path, pattern);
}

static const struct route *find_route(struct span path, struct span *ret_rest)
{
	for (size_t i = 0; i < sizeof(routes) / sizeof(routes[0]); i++)
		if (path_matches(routes[i].path, path, ret_rest))
			return &routes[i];
	return NULL;
}

/* The file's mode keeps others out already; this says so again, by uid. */
static bool peer_allowed(const struct rest *rest)
{
	const struct http_peer *peer = &rest->exchange->peer;
	if (!peer->is_unix || peer->uid == 0 || peer->uid == getuid())
		return true;
	return peer->in_group;
}

/* The same, of the page that made the request, if one did. */
static bool check_page(struct rest *rest)
{
	const struct http_head *head = rest->exchange->head;
	struct span origin = http_field(head, "origin");
	bool listed = rest_cors_allow(rest), reads = head->method & (HTTP_GET | HTTP_HEAD);
	if (http_field_count(head, "origin") > 1) {
		rest_problem(rest, 403, NULL, "more than one Origin", 0);
		return false;
	}
	if (origin.data && !listed &&
		!origin_own(origin, http_field(head, "host"),
			rest->dispatcher->config->server.public_url)) {
		rest_problem(rest, 403, NULL,
			"requests from pages of this Origin are refused; add it to `origins` in "
			"[server]",
			0);
		return false;
	}
	/* Some browsers leave Origin out, and forms may. */
	if (!origin.data && !reads && origin_foreign_site(http_field(head, "sec-fetch-site"))) {
		rest_problem(rest, 403, NULL,
			"a page of another origin made this request and does not say which: "
			"Sec-Fetch-Site without Origin",
			0);
		return false;
	}
	return true;
}

/* true where the request may go on; else it has been answered. */
static bool check_place(struct rest *rest)
{
	const struct http_head *head = rest->exchange->head;
	const char *const *hosts = rest->dispatcher->hosts;
	struct span host = http_field(head, "host");
	if (!peer_allowed(rest)) {
		rest_problem(rest, 403, NULL, "this socket is not for your user", 0);
		return false;
	}
	if (!origin_host_ok(host, hosts)) {
		rest_problem(rest, 403, NULL,
			"this server does not go by the name in Host; add it to `hosts` in "
			"[server]",
			0);
		return false;
	}
	if (!check_page(rest))
		return false;
	const struct config_server *server = &rest->dispatcher->config->server;
	if (server->public_url)
		(void)snprintf(rest->url_base, sizeof(rest->url_base), "%s", server->public_url);
	else if (!rest->exchange->peer.is_unix)
		(void)snprintf(rest->url_base, sizeof(rest->url_base), "http://%.*s", (int)host.len,
			host.data ? (const char *)host.data : "");
	return true;
}

static bool check_route(struct rest *rest)
{
	const struct http_head *head = rest->exchange->head;
	static const struct {
		enum http_method method;
		const char *name;
	} names[] = {{HTTP_GET, "GET"}, {HTTP_HEAD, "HEAD"}, {HTTP_POST, "POST"}, {HTTP_PUT, "PUT"},
		{HTTP_DELETE, "DELETE"}};
	char allow[64] = "";
	rest->route = find_route(head->path, &rest->rest_of_path);
	if (!rest->route) {
		rest_problem(rest, 404, NULL, "no such route; /openapi.json lists them", 0);
		return false;
	}
	if (rest->route->methods & head->method)
		return true;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (rest->route->methods & names[i].method) {
			size_t used = strlen(allow);
			(void)snprintf(allow + used, sizeof(allow) - used, "%s%s", used ? ", " : "",
				names[i].name);
		}
	if (rest_cors_preflight(rest, allow))
		return false;
	http_add_field(rest->exchange, "Allow", allow);
	rest_problem(rest, 405, NULL, "this route has other methods, see Allow", 0);
	return false;
}

static void refuse_unknown(struct rest *rest)
{
	char value[400];
	bool presented = http_field(rest->exchange->head, "authorization").data != NULL;
	(void)snprintf(value, sizeof(value),
		"Bearer %sresource_metadata=\"%s/.well-known/oauth-protected-resource\"",
		presented ? "error=\"invalid_token\", " : "", rest->url_base);
	http_add_field(rest->exchange, "WWW-Authenticate", value);
	const char *detail =
		presented ? "this token is not known; see the [token] sections of the configuration"
			  : "a token is needed: send Authorization: Bearer TOKEN";
	if (rest_tool(rest))
		rest_refuse_stranger(rest, detail);
	else
		rest_problem(rest, 401, NULL, detail, 0);
}

static bool check_caller(struct rest *rest)
{
	if (rest->route->flags & ROUTE_OPEN)
		return true;
	if (rest->route->flags & ROUTE_E2B)
		return e2b_check_caller(rest);
	enum who_verdict verdict = who_of(rest->dispatcher->config, rest->exchange,
		rest->route->flags & ROUTE_MCP ? "mcp" : "rest", &rest->who);
	if (verdict == WHO_TOKEN_IN_URL) {
		rest_problem(rest, 400, NULL,
			"a token in the URL is refused: URLs are logged; send it as Authorization: "
			"Bearer",
			0);
		return false;
	}
	bool near = who_is_here(rest->exchange);
	bool presented = http_field(rest->exchange->head, "authorization").data != NULL;
	if (verdict == WHO_KNOWN || (rest->route->flags & ROUTE_METRICS && near && !presented))
		return true;
	refuse_unknown(rest);
	return false;
}

static bool type_is(struct span type, const char *wanted)
{
	const unsigned char *end = type.len ? memchr(type.data, ';', type.len) : NULL;
	return http_same(
		http_trim(span_of(type.data, end ? (size_t)(end - type.data) : type.len)), wanted);
}

static bool check_type(struct rest *rest)
{
	const struct http_head *head = rest->exchange->head;
	struct span type = http_field(head, "content-type");
	struct request_fault fault;
	/* Nobody holds a connection with a body that is not known by a token or a place. */
	if (!rest->who.role && (head->content_bytes || head->chunked)) {
		rest_problem(rest, 413, NULL, "this route takes no body", 0);
		return false;
	}
	if (rest->route->flags & ROUTE_RAW)
		return rest->route->begin(rest);
	if (head->method != HTTP_POST || type_is(type, JSON_TYPE))
		return true;
	if (rest->route->begin && type_is(type, "multipart/form-data"))
		return rest->route->begin(rest);
	const char *detail = rest->route->begin
				     ? "send Content-Type: application/json, or multipart/form-data"
				     : "send Content-Type: application/json";
	const struct audit_call what = {.tool = rest_tool(rest)};
	(void)request_refuse(&fault, 415, "", "%s", detail);
	if (what.tool)
		rest_refuse_call(rest, &what, &fault);
	else
		rest_fault(rest, &fault);
	return false;
}

static void look_at_accept(struct rest *rest)
{
	struct span list = http_field(rest->exchange->head, "accept"), range;
	while (http_list_next(&list, &range)) {
		const unsigned char *semi = range.len ? memchr(range.data, ';', range.len) : NULL;
		size_t used = semi ? (size_t)(semi - range.data) + 1 : range.len;
		if (!type_is(range, "text/event-stream"))
			continue;
		rest->wants_events = true;
		if (http_same(http_trim(span_of(range.data + used, range.len - used)),
			    "display=text"))
			rest->wants_display = true;
	}
}

static void on_gone(struct http_exchange *exchange)
{
	struct rest *rest = exchange->user;
	if (exchange->refused.detail)
		rest_note_refused(rest);
	if (rest->on_gone)
		rest->on_gone(rest);
	rest_free(rest);
}

void rest_on_head(void *user, struct http_exchange *exchange)
{
	struct rest *rest = calloc(1, sizeof(*rest));
	if (!rest) {
		http_problem(exchange, 503, NULL, "out of memory");
		return;
	}
	rest->dispatcher = user;
	rest->exchange = exchange;
	exchange->user = rest;
	exchange->on_gone = on_gone;
	look_at_accept(rest);
	(void)(check_place(rest) && check_route(rest) && check_caller(rest) && check_type(rest));
}

void rest_on_request(void *user, struct http_exchange *exchange)
{
	struct rest *rest = exchange->user;
	(void)user;
	if (!rest->refused)
		rest->route->handle(rest);
}

void rest_on_answered(void *user, const struct http_exchange *exchange)
{
	struct dispatcher *dispatcher = user;
	unsigned class = (unsigned)exchange->status / 100;
	dispatcher->metrics.requests[class < 6 ? class : 0]++;
}
