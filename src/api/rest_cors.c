/*
 * rest_cors: pages of the origins that the operator names may call from a browser, and read what
 * comes back.
 *
 * Only those: a page of this server's own needs none of it, and a page of another program on this
 * host could otherwise act as the role `local`. No cookie is ever looked at, so that a page has
 * only what it holds itself, a token.
 *
 * Source: https://fetch.spec.whatwg.org/#http-cors-protocol
 */
#include "api/rest.h"

#include <stdio.h>
#include <string.h>

#define MAX_AGE_S "600"
#define ASKED_BYTES_MAX 1024u

static const char *listed(const struct config_server *server, struct span origin)
{
	for (size_t i = 0; origin.data && i < server->origin_count; i++)
		if (http_same(origin, server->origins[i]))
			return server->origins[i];
	return NULL;
}

bool rest_cors_allow(struct rest *rest)
{
	const struct config_server *server = &rest->dispatcher->config->server;
	const char *origin = listed(server, http_field(rest->exchange->head, "origin"));
	if (server->origin_count)
		http_add_field(rest->exchange, "Vary", "Origin");
	if (!origin)
		return false;
	http_add_field(rest->exchange, "Access-Control-Allow-Origin", origin);
	http_add_field(rest->exchange, "Access-Control-Expose-Headers",
		"Mcp-Session-Id, WWW-Authenticate, Retry-After, Location, Content-Disposition, "
		"ETag");
	rest->from_listed_origin = true;
	return true;
}

/* Names of fields and commas, as a browser writes them, and nothing that could end a field. */
static bool is_plain_list(struct span text)
{
	for (size_t i = 0; i < text.len; i++) {
		unsigned char c = text.data[i];
		bool word =
			(c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
		if (!word && c != '-' && c != '_' && c != ',' && c != ' ')
			return false;
	}
	return text.len > 0 && text.len <= ASKED_BYTES_MAX;
}

bool rest_cors_preflight(struct rest *rest, const char *methods)
{
	const struct http_head *head = rest->exchange->head;
	struct span asked = http_field(head, "access-control-request-headers");
	char fields[ASKED_BYTES_MAX + 1];
	if (head->method != HTTP_OPTIONS || !rest->from_listed_origin ||
		!http_field(head, "access-control-request-method").data)
		return false;
	http_add_field(rest->exchange, "Access-Control-Allow-Methods", methods);
	/* Which fields a client sends, its protocol says, E2B's and MCP's each their own: a field
	 * is no danger here, for none of them stands for the browser's user. */
	if (is_plain_list(asked)) {
		(void)snprintf(
			fields, sizeof(fields), "%.*s", (int)asked.len, (const char *)asked.data);
		http_add_field(rest->exchange, "Access-Control-Allow-Headers", fields);
	}
	/* https://wicg.github.io/private-network-access/: from a page of the Internet to this host.
	 */
	if (http_same(http_field(head, "access-control-request-private-network"), "true"))
		http_add_field(rest->exchange, "Access-Control-Allow-Private-Network", "true");
	http_add_field(rest->exchange, "Access-Control-Max-Age", MAX_AGE_S);
	http_add_field(rest->exchange, "Vary",
		"Access-Control-Request-Method, Access-Control-Request-Headers");
	rest_answer(rest, 204, NULL, span_of("", 0));
	return true;
}
