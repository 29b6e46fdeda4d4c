/* dispatcher: put together, turned, taken down. */
#include "api/dispatcher.h"

#include "api/call.h"
#include "api/log.h"
#include "api/mcp_stdio.h"
#include "api/rest.h"
#include "api/session_ask.h"
#include "api/session_change.h"
#include "base/clock.h"
#include "base/fd.h"
#include "tool/config_restart.h"

#include <errno.h>
#include <signal.h>
#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>

#define BODIES_BYTES_MAX (512ull * MIB)
#define DRAIN_TICK_US 20000
#define DRAIN_LAST_MS 5000u
#define GRACE_MS_MIN 30000u /* a service gives up its own parts sooner than that */

/* Everything that was begun is over and has been sent. */
static bool is_idle(const struct dispatcher *dispatcher)
{
	return TAILQ_EMPTY(&dispatcher->calls) && TAILQ_EMPTY(&dispatcher->exchanges) &&
	       TAILQ_EMPTY(&dispatcher->stdios) && TAILQ_EMPTY(&dispatcher->changes) &&
	       http_server_connections(dispatcher->http) == 0;
}

static void cancel_all(struct dispatcher *dispatcher)
{
	struct call *call = TAILQ_FIRST(&dispatcher->calls);
	while (call) {
		struct call *next = call_after(call);
		call_cancel(call);
		call = next;
	}
}

static void on_drain_tick(evutil_socket_t fd, short what, void *context)
{
	struct dispatcher *dispatcher = context;
	uint64_t now_ms = clock_now_ms();
	(void)fd;
	(void)what;
	if (is_idle(dispatcher) || now_ms > dispatcher->drain_limit_ms + DRAIN_LAST_MS)
		(void)event_base_loopbreak(dispatcher->base);
	else if (now_ms > dispatcher->drain_limit_ms)
		cancel_all(dispatcher);
}

void dispatcher_drain(struct dispatcher *dispatcher)
{
	const struct timeval tick = {.tv_usec = DRAIN_TICK_US};
	if (dispatcher->draining)
		return;
	dispatcher->draining = true;
	dispatcher->drain_limit_ms = clock_now_ms() + dispatcher->config->server.drain_timeout_ms;
	if (dispatcher->start->stdio_in < 0)
		log_line("drain", NULL);
	http_server_drain(dispatcher->http);
	mcp_stdio_drain(dispatcher);
	(void)event_add(dispatcher->drain_tick, &tick);
}

uint64_t dispatcher_grace_ms(const struct dispatcher *dispatcher)
{
	uint64_t twice_ms = 2ull * dispatcher->config->service.silence_max_ms;
	return twice_ms > GRACE_MS_MIN ? twice_ms : GRACE_MS_MIN;
}

static void set_hosts(struct dispatcher *dispatcher)
{
	const struct config_server *server = &dispatcher->config->server;
	size_t count = 0;
	for (size_t i = 0; i < server->host_count; i++)
		dispatcher->hosts[count++] = server->hosts[i];
	if (dispatcher->start->listen_host)
		dispatcher->hosts[count++] = dispatcher->start->listen_host;
	dispatcher->hosts[count] = NULL;
}

static struct http_limits http_limits_of(const struct config *config)
{
	return (struct http_limits){
		.read_ms = config->server.read_timeout_ms,
		.idle_ms = config->server.idle_timeout_ms,
		.head_bytes_max = config->server.header_bytes_max,
		.body_bytes_max = config->server.body_bytes_max,
	};
}

/* 0, or -errno where nothing has changed. */
static int load_again(struct dispatcher *dispatcher, struct config **ret_fresh, struct err *err)
{
	struct audit_options options;
	struct config *fresh;
	int rc = config_load(dispatcher->config->path, &fresh, err);
	if (rc < 0)
		return rc;
	ledger_options(fresh, dispatcher->start->audit_path, &options);
	rc = ledger_reload(&dispatcher->ledger, &options, err);
	if (rc < 0)
		config_unref(fresh);
	else
		*ret_fresh = fresh;
	return rc;
}

/* A key that is changed and cannot be taken over is no fault, and must not pass for done. */
static void tell_reloaded(const struct dispatcher *dispatcher)
{
	const struct config *config = dispatcher->config;
	char keys[CONFIG_KEYS_BYTES];
	if (config_restart_keys(dispatcher->started, config, keys))
		log_line("reloaded", "config", config->path, "needs_restart", keys, NULL);
	else
		log_line("reloaded", "config", config->path, NULL);
}

static void reload(struct dispatcher *dispatcher)
{
	struct config *fresh;
	struct err err = {0};
	if (!dispatcher->config->path)
		return;
	int rc = load_again(dispatcher, &fresh, &err);
	dispatcher->metrics.reloads[rc == 0]++;
	if (rc < 0) {
		log_fault("reload_failed", &err);
		return;
	}
	quota_reload(dispatcher->quota, fresh->roles, fresh->role_count);
	dispatcher->jobs.keep_ms = fresh->server.artifact_keep_ms;
	dispatcher->jobs.file_bytes_max = fresh->server.artifact_bytes_max;
	const struct http_limits limits = http_limits_of(fresh);
	http_server_set_limits(dispatcher->http, &limits);
	config_unref(dispatcher->config);
	dispatcher->config = fresh;
	set_hosts(dispatcher);
	session_reload_all(dispatcher);
	call_reload_all(dispatcher);
	tell_reloaded(dispatcher);
}

static void take_link(struct dispatcher *dispatcher, const struct control_message *message, int fd)
{
	/* Nothing has changed but what is known of it. */
	if (fd < 0 && message->why[0]) {
		links_note_why(&dispatcher->links, message->image, message->why);
		return;
	}
	/* What never was there, for this dispatcher, is not lost. */
	bool was_known = links_epoch(&dispatcher->links, message->image) > 0;
	dispatcher->metrics.service_losses += fd < 0 && was_known;
	if (fd >= 0 && fd_set_nonblock(fd, true) < 0)
		fd_close(&fd);
	if (links_set(&dispatcher->links, message->image, fd) < 0)
		log_line("fault", "error", "more images than links", NULL);
	sessions_link_changed(&dispatcher->sessions, message->image);
}

static void on_control(evutil_socket_t fd, short what, void *context)
{
	struct dispatcher *dispatcher = context;
	struct control_message message;
	int got_fd = -1;
	size_t count = 1;
	(void)what;
	ssize_t got = fd_receive(fd, &message, sizeof(message), &got_fd, &count);
	if (got != (ssize_t)sizeof(message)) {
		/* The parent has gone: so has what it started. */
		(void)event_base_loopbreak(dispatcher->base);
		return;
	}
	message.image[sizeof(message.image) - 1] = 0;
	message.why[sizeof(message.why) - 1] = 0;
	if (message.verb == CONTROL_LINK)
		take_link(dispatcher, &message, count ? TAKE_FD(got_fd) : -1);
	else if (message.verb == CONTROL_RELOAD)
		reload(dispatcher);
	else if (message.verb == CONTROL_RELOAD_FAILED)
		dispatcher->metrics.reloads[0]++;
	else if (message.verb == CONTROL_DRAIN)
		dispatcher_drain(dispatcher);
	fd_close(&got_fd); /* that is the answer to CONTROL_PING */
}

static int serve_http(struct dispatcher *dispatcher)
{
	const struct dispatcher_start *start = dispatcher->start;
	const struct http_options options = {
		.base = dispatcher->base,
		.connections_max = dispatcher->config->server.connections_max,
		.bodies_bytes_max = BODIES_BYTES_MAX,
		.limits = http_limits_of(dispatcher->config),
		.socket_group = start->socket_group,
		.on_head = rest_on_head,
		.on_request = rest_on_request,
		.on_answered = rest_on_answered,
		.user = dispatcher,
	};
	int rc = http_server_new(&options, &dispatcher->http);
	if (!rc && start->tcp_fd >= 0)
		rc = http_server_listen(dispatcher->http, start->tcp_fd);
	if (!rc && start->unix_fd >= 0)
		rc = http_server_listen(dispatcher->http, start->unix_fd);
	return rc;
}

/* epoll, or over stdio what also watches a file that somebody redirects from. */
static struct event_base *new_base(const struct dispatcher_start *start)
{
	struct event_config *config = event_config_new();
	struct event_base *base = NULL;
	if (!config)
		return NULL;
	if (start->stdio_in < 0 || event_config_require_features(config, EV_FEATURE_FDS) == 0)
		base = event_base_new_with_config(config);
	event_config_free(config);
	return base;
}

static int serve(struct dispatcher *dispatcher, struct err *err)
{
	const struct dispatcher_start *start = dispatcher->start;
	const struct config *config = dispatcher->config;
	struct audit_options options;
	ledger_options(config, start->audit_path, &options);
	int rc = sodium_init() < 0 ? -EIO : 0;
	dispatcher->base = rc ? NULL : new_base(start);
	if (!rc && !dispatcher->base)
		rc = -ENOMEM;
	if (!rc)
		rc = calc_client_start(&dispatcher->calc, dispatcher->base);
	if (rc < 0)
		return err_sys(err, rc, "dispatcher", "starting");
	rc = ledger_open(&dispatcher->ledger, dispatcher->base, &options, err);
	if (rc < 0)
		return rc;
	rc = quota_new(config->service.jobs_at_once, &dispatcher->quota);
	if (!rc)
		quota_reload(dispatcher->quota, config->roles, config->role_count);
	if (!rc)
		rc = jobs_init(&dispatcher->jobs, dispatcher->base, start->artifact_folder);
	if (!rc)
		rc = sessions_init(&dispatcher->sessions, dispatcher->base, &dispatcher->links);
	dispatcher->jobs.keep_ms = config->server.artifact_keep_ms;
	dispatcher->jobs.file_bytes_max = config->server.artifact_bytes_max;
	dispatcher->drain_tick =
		event_new(dispatcher->base, -1, EV_PERSIST, on_drain_tick, dispatcher);
	dispatcher->control = event_new(
		dispatcher->base, start->control_fd, EV_READ | EV_PERSIST, on_control, dispatcher);
	if (!rc && (!dispatcher->control || !dispatcher->drain_tick ||
			   event_add(dispatcher->control, NULL) < 0))
		rc = -ENOMEM;
	if (!rc)
		rc = serve_http(dispatcher);
	if (!rc && start->stdio_in >= 0)
		rc = mcp_stdio_serve(
			dispatcher, start->stdio_in, start->stdio_out, start->stdio_role);
	return rc ? err_sys(err, rc, "dispatcher", "starting") : 0;
}

static void take_down(struct dispatcher *dispatcher)
{
	dispatcher->draining = true;
	mcp_stdio_free_all(dispatcher);
	http_server_free(dispatcher->http);
	while (!TAILQ_EMPTY(&dispatcher->calls))
		call_abandon(TAILQ_FIRST(&dispatcher->calls));
	session_ask_free_all(dispatcher);
	session_change_free_all(dispatcher);
	calc_client_stop(&dispatcher->calc);
	if (dispatcher->ledger.audit)
		ledger_close(&dispatcher->ledger);
	sessions_done(&dispatcher->sessions);
	jobs_done(&dispatcher->jobs);
	quota_free(dispatcher->quota);
	links_done(&dispatcher->links);
	if (dispatcher->control)
		event_free(dispatcher->control);
	if (dispatcher->drain_tick)
		event_free(dispatcher->drain_tick);
	if (dispatcher->base)
		event_base_free(dispatcher->base);
	config_unref(dispatcher->config);
	config_unref(dispatcher->started);
}

int dispatcher_run(const struct dispatcher_start *start)
{
	static struct dispatcher dispatcher;
	const struct control_message ready = {.verb = CONTROL_READY};
	struct err err = {0};
	dispatcher.start = start;
	dispatcher.config = start->config;
	dispatcher.started = config_ref(start->config);
	TAILQ_INIT(&dispatcher.calls);
	TAILQ_INIT(&dispatcher.asks);
	TAILQ_INIT(&dispatcher.changes);
	TAILQ_INIT(&dispatcher.exchanges);
	TAILQ_INIT(&dispatcher.stdios);
	TAILQ_INIT(&dispatcher.sessions.open);
	TAILQ_INIT(&dispatcher.sessions.tombstones);
	links_init(&dispatcher.links);
	set_hosts(&dispatcher);
	(void)signal(SIGPIPE, SIG_IGN);
	int rc = serve(&dispatcher, &err);
	if (rc < 0) {
		log_fault("start_failed", &err);
		return 125;
	}
	ssize_t sent = fd_send(start->control_fd, &ready, sizeof(ready), NULL, 0);
	if (sent == (ssize_t)sizeof(ready))
		(void)event_base_dispatch(dispatcher.base);
	take_down(&dispatcher);
	return dispatcher.exit_status;
}
