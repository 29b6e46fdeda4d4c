/*
 * mcp_http: POST /mcp. One message in, one reply out: as JSON, or as the last event of a stream
 * where there was progress to tell.
 *
 * A client of the modern era that goes away cancels its request. In the older eras it does not:
 * only notifications/cancelled does, and what tells one client's request ids from another's is the
 * session id that initialize gave out; nothing else is kept by it.
 *
 * Source: MCP 2026-07-28 and 2025-11-25, "Transports", Streamable HTTP.
 */
#include "api/mcp_serve.h"
#include "api/mcp_stdio.h"
#include "api/rest.h"
#include "api/sse.h"
#include "tool/job_id.h"

#include <stdlib.h>

struct post {
	struct rest *rest;
	struct mcp_exchange *exchange;
	bool begun;
};

static int send_event(struct post *post, const json_t *message)
{
	cleanup_buf struct buf line = {0}, text = {0};
	buf_init(&line, HTTP_OUT_BYTES_MAX / 3);
	buf_init(&text, HTTP_OUT_BYTES_MAX / 3 + 64);
	int rc = json_write(message, &line);
	if (!rc)
		rc = sse_event(&text, "message", span_of(line.data, line.len));
	if (rc < 0)
		return rc;
	if (!post->begun) {
		http_add_field(post->rest->exchange, "X-Accel-Buffering", "no");
		http_stream_begin(post->rest->exchange, 200, "text/event-stream");
		post->begun = true;
	}
	http_stream_add(post->rest->exchange, span_of(text.data, text.len));
	return 0;
}

/* A session's id is not looked up again: it sets apart, and opens nothing. */
static void offer_session(struct rest *rest, const json_t *reply)
{
	char id[JOB_ID_BYTES];
	const json_t *result = json_object_get(reply, "result");
	if (json_object_get(result, "protocolVersion") && job_id_make(id) == 0) {
		id[0] = 's';
		http_add_field(rest->exchange, "Mcp-Session-Id", id);
	}
}

static void on_reply(void *user, int status, const json_t *reply)
{
	struct post *post = user;
	struct rest *rest = post->rest;
	if (post->begun) {
		(void)!send_event(post, reply);
		free(post);
		http_stream_end(rest->exchange);
		rest_free(rest);
		return;
	}
	free(post);
	offer_session(rest, reply);
	rest_json(rest, status, reply);
}

static void on_nothing(void *user)
{
	struct post *post = user;
	struct rest *rest = post->rest;
	free(post);
	rest_answer(rest, 202, NULL, span_of("", 0));
}

static void on_notify(void *user, const json_t *notification)
{
	(void)!send_event(user, notification);
}

static void on_gone(struct rest *rest)
{
	struct post *post = rest->user;
	mcp_exchange_leave(post->exchange, mcp_exchange_is_modern(post->exchange));
	free(post);
}

void rest_mcp(struct rest *rest)
{
	static const struct mcp_transport plain = {.reply = on_reply, .nothing = on_nothing};
	static const struct mcp_transport events = {
		.reply = on_reply, .nothing = on_nothing, .notify = on_notify};
	struct post *post = calloc(1, sizeof(*post));
	char scope[MCP_SCOPE_BYTES] = "";
	if (!post) {
		rest_problem(rest, 503, NULL, "out of memory", 1);
		return;
	}
	post->rest = rest;
	struct span session = http_field(rest->exchange->head, "mcp-session-id");
	if (session.data)
		(void)snprintf(
			scope, sizeof(scope), "%.*s", (int)session.len, (const char *)session.data);
	struct mcp_exchange *exchange = mcp_serve(rest->dispatcher, &rest->who, scope,
		rest->exchange->body, rest->exchange->head, rest->url_base,
		rest->wants_events ? &events : &plain, post);
	/* Answered already, and then `post` and `rest` are gone. */
	if (!exchange)
		return;
	post->exchange = exchange;
	rest->user = post;
	rest->on_gone = on_gone;
}

/* `brig mcp` hands its client's pipe through here, so that one core serves both. */
void rest_mcp_lines(struct rest *rest)
{
	struct span wanted = http_field(rest->exchange->head, "upgrade");
	cleanup_buf struct buf ahead = {0};
	if (!rest->exchange->peer.is_unix || !http_same(wanted, MCP_LINES_PROTOCOL)) {
		rest_problem(rest, 404, NULL, "no such route; /openapi.json lists them", 0);
		return;
	}
	if (!mcp_stdio_has_place(rest->dispatcher, &rest->who)) {
		rest_problem(rest, 503, NULL,
			"too many clients over lines; end one, or raise connections_max in "
			"[server]",
			5);
		return;
	}
	buf_init(&ahead, HTTP_BODY_BYTES_MAX);
	int fd = http_upgrade(rest->exchange, MCP_LINES_PROTOCOL, &ahead);
	if (fd >= 0)
		mcp_stdio_adopt(rest->dispatcher, &rest->who, fd, span_of(ahead.data, ahead.len));
	rest_free(rest);
}
