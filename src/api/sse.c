/* sse: output as it comes. */
#include "api/sse.h"

#include "api/call.h"
#include "api/text_stream.h"
#include "http/problem.h"
#include "tool/render.h"

#include <errno.h>
#include <stdlib.h>

#define EVENT_BYTES_MAX (2 * RESULT_FRAME_BYTES_MAX)
#define KEEP_ALIVE_SECONDS 15

struct streamer {
	struct rest *rest;
	struct call *call;
	bool begun;
	struct text_stream text;
	struct event *keep_alive;
};

int sse_event(struct buf *out, const char *event, struct span data)
{
	int rc = event ? buf_printf(out, "event: %s\n", event) : 0;
	if (!rc)
		rc = buf_add_text(out, "data: ");
	if (!rc)
		rc = buf_add(out, data.data, data.len);
	return rc ? rc : buf_add_text(out, "\n\n");
}

static void begin(struct streamer *streamer)
{
	struct http_exchange *exchange = streamer->rest->exchange;
	if (streamer->begun)
		return;
	streamer->begun = true;
	http_add_field(exchange, "X-Accel-Buffering", "no");
	http_stream_begin(exchange, 200, "text/event-stream");
}

static void send_event(struct streamer *streamer, const char *event, struct span data)
{
	cleanup_buf struct buf text = {0};
	buf_init(&text, EVENT_BYTES_MAX);
	begin(streamer);
	if (sse_event(&text, event, data) == 0)
		http_stream_add(streamer->rest->exchange, span_of(text.data, text.len));
}

static void send_object(struct streamer *streamer, const char *event, json_t *object)
{
	cleanup_buf struct buf text = {0};
	buf_init(&text, EVENT_BYTES_MAX / 2);
	if (object && json_write(object, &text) == 0)
		send_event(streamer, event, span_of(text.data, text.len));
	json_decref(object);
}

static void on_accepted(void *user, const char *job_id)
{
	json_t *object = json_object();
	if (json_put(object, "job_id", json_string(job_id)) == 0)
		send_object(user, "job", object);
	else
		json_decref(object);
}

/* Takes `object`, which may be NULL: then there is nothing to say. */
static void send_output(struct streamer *streamer, bool is_stderr, json_t *object)
{
	if (object)
		send_object(streamer, is_stderr ? "stderr" : "stdout", object);
}

static void on_output(void *user, bool is_stderr, struct span data)
{
	struct streamer *streamer = user;
	send_output(streamer, is_stderr, text_stream_take_object(&streamer->text, is_stderr, data));
	if (http_stream_full(streamer->rest->exchange))
		call_pause(streamer->call, true);
}

static void on_room(struct http_exchange *exchange)
{
	struct rest *rest = exchange->user;
	struct streamer *streamer = rest->user;
	call_pause(streamer->call, false);
}

static void on_keep_alive(evutil_socket_t fd, short what, void *context)
{
	struct streamer *streamer = context;
	(void)fd;
	(void)what;
	if (streamer->begun)
		http_stream_add(streamer->rest->exchange, span_text(":\n\n"));
}

static void streamer_free(struct streamer *streamer)
{
	if (streamer->keep_alive)
		event_free(streamer->keep_alive);
	free(streamer);
}

static void on_gone(struct rest *rest)
{
	struct streamer *streamer = rest->user;
	call_leave(streamer->call);
	streamer_free(streamer);
}

static void send_problem(struct streamer *streamer, const struct call_end *end)
{
	cleanup_buf struct buf body = {0};
	buf_init(&body, 8 * KIB);
	if (problem_json(&body, end->status, end->field, end->detail) == 0)
		send_event(streamer, "problem", span_of(body.data, body.len));
}

static json_t *rendering(const struct view *view,
	int (*render)(const struct view *view, struct buf *out), size_t max)
{
	cleanup_buf struct buf text = {0};
	buf_init(&text, max);
	return render(view, &text) < 0 ? NULL : json_from_text(span_of(text.data, text.len));
}

/* The result as a terminal would show it, so that no client has to render it a second time. */
static void send_display(struct streamer *streamer, const struct view *view)
{
	json_t *object = json_object();
	int rc =
		json_put(object, "values", rendering(view, render_values, RENDER_VALUES_BYTES_MAX));
	if (!rc)
		rc = json_put(object, "notices",
			rendering(view, render_notices, RENDER_NOTICES_BYTES_MAX));
	if (!rc && view->result->receipt.present)
		rc = json_put(object, "receipt",
			rendering(view, render_receipt, RENDER_RECEIPT_BYTES_MAX));
	if (!rc)
		send_object(streamer, "display", object);
	else
		json_decref(object);
}

static void on_done(void *user, const struct call_end *end)
{
	struct streamer *streamer = user;
	struct rest *rest = streamer->rest;
	/* What never began to stream is refused as any request is. */
	if (end->status && !streamer->begun) {
		streamer_free(streamer);
		rest_problem(rest, end->status, end->field, end->detail, end->retry_after_s);
		return;
	}
	for (int i = 0; i < 2; i++)
		send_output(streamer, i == 1, text_stream_rest_object(&streamer->text, i == 1));
	if (!end->status && end->view && rest->wants_display)
		send_display(streamer, end->view);
	if (end->status)
		send_problem(streamer, end);
	else
		send_event(streamer, "result", end->text);
	streamer_free(streamer);
	http_stream_end(rest->exchange);
	rest_free(rest);
}

void sse_run(struct rest *rest, struct job_spec *spec)
{
	const struct timeval often = {.tv_sec = KEEP_ALIVE_SECONDS};
	struct streamer *streamer = calloc(1, sizeof(*streamer));
	if (!streamer) {
		rest_problem(rest, 503, NULL, "out of memory", 1);
		return;
	}
	const struct call_sink sink = {
		.accepted = on_accepted, .output = on_output, .done = on_done, .user = streamer};
	streamer->rest = rest;
	streamer->keep_alive =
		event_new(rest->dispatcher->base, -1, EV_PERSIST, on_keep_alive, streamer);
	if (streamer->keep_alive)
		(void)event_add(streamer->keep_alive, &often);
	streamer->call = call_start(rest->dispatcher, &rest->who, spec, rest->url_base, &sink);
	if (!streamer->call) {
		streamer_free(streamer);
		rest_problem(rest, 503, NULL, "out of memory", 1);
		return;
	}
	rest->user = streamer;
	rest->on_gone = on_gone;
	rest->exchange->on_room = on_room;
}
