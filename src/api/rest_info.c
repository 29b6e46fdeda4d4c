/* rest_info: what the server says of itself. */
#include "api/rest.h"

#include "api/openapi.h"
#include "api/stats.h"
#include "tool/schema.h"

#include <stdio.h>

void dispatcher_schema_facts(const struct dispatcher *dispatcher, const struct role *role,
	struct schema_facts *ret_facts)
{
	*ret_facts = (struct schema_facts){
		.python = dispatcher->start->python,
		.advertise = dispatcher->start->advertise,
		.role = role,
	};
}

void rest_health(struct rest *rest)
{
	rest_answer(rest, 200, JSON_TYPE, span_text("{\"status\": \"ok\"}"));
}

/* The cause may name what is the host's: it is for this host, and in the log for everybody else. */
static void tell_no_service(struct rest *rest)
{
	const char *why = links_why(&rest->dispatcher->links);
	char words[LINK_WHY_BYTES + 64];
	if (!why) {
		rest_problem(rest, 503, NULL, "the interpreter service is being started", 1);
		return;
	}
	(void)snprintf(words, sizeof(words), "the interpreter service cannot be started: %s",
		who_is_here(rest->exchange) ? why : "the server's log says why");
	rest_problem(rest, 503, NULL, words, 5);
}

void rest_ready(struct rest *rest)
{
	const struct dispatcher *dispatcher = rest->dispatcher;
	char words[200];
	if (dispatcher->draining)
		rest_problem(rest, 503, NULL, "shutting down", 5);
	else if (!ledger_ready(&dispatcher->ledger, words, sizeof(words)))
		rest_problem(rest, 503, NULL, words, 5);
	else if (dispatcher->calc.fd < 0)
		rest_problem(rest, 503, NULL, "the worker for arithmetic is being started",
			calc_client_retry_s(&dispatcher->calc));
	else if (!links_ready(&dispatcher->links))
		tell_no_service(rest);
	else
		rest_answer(rest, 200, JSON_TYPE, span_text("{\"status\": \"ready\"}"));
}

static void on_stats(void *user, const struct stats_sum *services)
{
	struct rest *rest = user;
	struct dispatcher *dispatcher = rest->dispatcher;
	const struct quota_count jobs = quota_count(dispatcher->quota, NULL);
	struct metrics_gauges gauges = {
		.running = jobs.running,
		.waiting = jobs.waiting,
		.connections = http_server_connections(dispatcher->http),
		.records = dispatcher->jobs.count,
		.artifact_bytes = dispatcher->jobs.file_bytes,
		.audit_queued = audit_queued(dispatcher->ledger.audit),
		.audit_lost = dispatcher->ledger.is_lost,
		.audit_failures = dispatcher->ledger.failures,
	};
	for (size_t i = 0; i < dispatcher->links.count; i++)
		gauges.services_up += dispatcher->links.link[i].fd >= 0;
	cleanup_buf struct buf text = {0};
	buf_init(&text, 1 * MIB);
	if (metrics_text(&dispatcher->metrics, &gauges, services, &text) < 0)
		rest_problem(rest, 503, NULL, "out of memory", 1);
	else
		rest_answer(rest, 200, "text/plain; version=0.0.4; charset=utf-8",
			span_of(text.data, text.len));
}

static void metrics_gone(struct rest *rest)
{
	stats_forget(rest->user);
}

void rest_metrics(struct rest *rest)
{
	rest->user = stats_ask(rest->dispatcher, on_stats, rest);
	if (rest->user)
		rest->on_gone = metrics_gone;
	else
		rest_problem(rest, 503, NULL, "out of memory", 1);
}

void rest_tools(struct rest *rest)
{
	struct schema_facts facts;
	dispatcher_schema_facts(rest->dispatcher, rest->who.role, &facts);
	cleanup_json json_t *object = json_object();
	if (json_put(object, "tools", schema_tools(&facts, SCHEMA_MCP)) < 0)
		rest_problem(rest, 503, NULL, "out of memory", 1);
	else
		rest_json(rest, 200, object);
}

void rest_openapi(struct rest *rest)
{
	cleanup_json json_t *document = openapi_document(rest->url_base);
	if (document)
		rest_json(rest, 200, document);
	else
		rest_problem(rest, 503, NULL, "out of memory", 1);
}

void rest_resource_metadata(struct rest *rest)
{
	cleanup_json json_t *object =
		json_pack("{s:o, s:[s], s:s}", "resource", json_sprintf("%s/mcp", rest->url_base),
			"bearer_methods_supported", "header", "resource_name", "brig");
	if (object)
		rest_json(rest, 200, object);
	else
		rest_problem(rest, 503, NULL, "out of memory", 1);
}
