/*
 * serve_parent: one poll loop.
 *
 * The danger is a child that inherits more than it is given: the dispatcher's fork closes every
 * descriptor that is not in its start (serve_dispatcher.c), and the services are executed anew
 * (launch/program.c).
 */
#include "cmd/serve_parent.h"

#include "api/log.h"
#include "base/clock.h"
#include "base/fd.h"
#include "cmd/cmd.h"
#include "cmd/serve_dispatcher.h"
#include "cmd/serve_half.h"
#include "cmd/serve_notify.h"
#include "cmd/serve_store.h"
#include "launch/launch.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#define CELLS_DEFAULT 64u
#define PARK_MIN 2u
#define PARK_MAX 32u

struct instance {
	char image[LINK_IMAGE_BYTES];
	struct launch *launch;
	struct half half;
};

struct parent {
	struct serve_parent_options *options;
	struct instance instances[LINKS_MAX];
	size_t instance_count;
	struct half dispatcher;
	pid_t pid;
	int control_fd, signal_fd;
	bool was_ready, stopping;
	int exit_status;
};

static void send_control(struct parent *parent, uint32_t verb, const char *image, int fd)
{
	struct control_message message = {.verb = verb};
	(void)snprintf(message.image, sizeof(message.image), "%s", image);
	if (parent->control_fd >= 0)
		(void)!fd_send(parent->control_fd, &message, sizeof(message), &fd, fd >= 0 ? 1 : 0);
}

/* It could not be started, again. */
static void send_why(struct parent *parent, const char *image, const struct err *cause)
{
	struct control_message message = {.verb = CONTROL_LINK};
	(void)snprintf(message.image, sizeof(message.image), "%s", image);
	(void)snprintf(message.why, sizeof(message.why), "%s", cause->text);
	if (parent->control_fd >= 0)
		(void)!fd_send(parent->control_fd, &message, sizeof(message), NULL, 0);
}

static void send_link(struct parent *parent, const struct instance *instance)
{
	int fd = instance->launch ? launch_link_fd(instance->launch) : -1;
	send_control(parent, CONTROL_LINK, instance->image, fd);
	fd_close(&fd);
}

static int start_service(struct parent *parent, struct instance *instance, struct err *err)
{
	const struct config_service *service = &parent->options->config->service;
	const struct launch_options options = {
		.image = instance->image[0] ? instance->image : NULL,
		.allow_degraded = parent->options->allow_degraded | service->allow_degraded,
		.cells_max = service->cells_max ? service->cells_max : CELLS_DEFAULT,
		.park_min = PARK_MIN,
		.park_max = PARK_MAX,
	};
	half_starting(&instance->half);
	int rc = launch_start(&options, &instance->launch, err);
	if (rc < 0) {
		instance->launch = NULL;
		half_ended(&instance->half);
		return rc;
	}
	half_serves(&instance->half);
	send_link(parent, instance);
	return 0;
}

/* One for each image that a role runs code in. */
static int start_services(struct parent *parent, struct err *err)
{
	const struct config *config = parent->options->config;
	int rc = 0;
	for (size_t i = 0; !rc && i < config->role_count; i++) {
		const struct role *role = &config->roles[i];
		size_t at = 0;
		while (at < parent->instance_count &&
			strcmp(parent->instances[at].image, role->image) != 0)
			at++;
		const char *only = parent->options->only_role;
		if (!(role->tools & ROLE_RUN_SANDBOXED) || at < parent->instance_count ||
			(only && strcmp(only, role->name) != 0))
			continue;
		if (at == LINKS_MAX)
			return err_set(err, -ENOSPC, "service",
				"the roles name more than %u images", LINKS_MAX);
		struct instance *instance = &parent->instances[parent->instance_count++];
		(void)snprintf(instance->image, sizeof(instance->image), "%s", role->image);
		rc = start_service(parent, instance, err);
	}
	return rc;
}

static int start_dispatcher(struct parent *parent, struct err *err)
{
	int pair[2];
	half_starting(&parent->dispatcher);
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) < 0)
		return err_sys(err, -errno, "dispatcher", "socketpair");
	pid_t pid = fork();
	if (pid == 0)
		serve_dispatcher_become(parent->options, pair[1]);
	(void)close(pair[1]);
	if (pid < 0) {
		(void)close(pair[0]);
		return err_sys(err, -errno, "dispatcher", "fork");
	}
	parent->pid = pid;
	parent->control_fd = pair[0];
	for (size_t i = 0; i < parent->instance_count; i++)
		send_link(parent, &parent->instances[i]);
	return 0;
}

static void on_dispatcher_ended(struct parent *parent, int status)
{
	bool clean = WIFEXITED(status) && WEXITSTATUS(status) == 0;
	fd_close(&parent->control_fd);
	half_ended(&parent->dispatcher);
	parent->pid = 0;
	if (parent->stopping || parent->options->ends_with_dispatcher || !parent->was_ready) {
		parent->exit_status = clean ? CMD_OK : CMD_INTERNAL;
		parent->stopping = true;
		return;
	}
	log_line("dispatcher_died", NULL);
}

static void reap(struct parent *parent)
{
	int status;
	if (parent->pid > 0 && waitpid(parent->pid, &status, WNOHANG) == parent->pid)
		on_dispatcher_ended(parent, status);
}

static void reload(struct parent *parent)
{
	struct config *fresh, *old = parent->options->config;
	struct err err = {0};
	if (!old->path)
		return;
	int rc = config_load(old->path, &fresh, &err);
	if (!rc && serve_store_readable(&parent->options->user, fresh, &err) < 0) {
		rc = err.code;
		config_unref(fresh);
	}
	if (rc < 0) {
		log_fault("reload_failed", &err);
		send_control(parent, CONTROL_RELOAD_FAILED, "", -1);
		return;
	}
	serve_notify("RELOADING=1");
	parent->options->config = fresh;
	config_unref(old);
	/* What a new role needs is started; what none needs any more is left for the next start. */
	if (start_services(parent, &err) < 0)
		log_fault("service", &err);
	send_control(parent, CONTROL_RELOAD, "", -1);
	serve_notify("READY=1");
}

static void on_signal(struct parent *parent)
{
	struct signalfd_siginfo info;
	if (read(parent->signal_fd, &info, sizeof(info)) != (ssize_t)sizeof(info))
		return;
	if (info.ssi_signo == SIGCHLD) {
		reap(parent);
	} else if (info.ssi_signo == SIGHUP) {
		reload(parent);
	} else if (parent->stopping) {
		if (parent->pid > 0)
			(void)kill(parent->pid, SIGKILL);
	} else {
		parent->stopping = true;
		/* Who comes now is refused at once, and may go to another. */
		fd_close(&parent->options->start.tcp_fd);
		fd_close(&parent->options->start.unix_fd);
		serve_notify("STOPPING=1");
		send_control(parent, CONTROL_DRAIN, "", -1);
	}
}

static void on_control(struct parent *parent)
{
	struct control_message message;
	size_t none = 0;
	ssize_t got = fd_receive(parent->control_fd, &message, sizeof(message), NULL, &none);
	if (got != (ssize_t)sizeof(message)) {
		fd_close(&parent->control_fd);
		return;
	}
	if (message.verb != CONTROL_READY)
		return;
	/* Not before: to open a large log may take its time. Over stdio a client that waits in vain
	 * ends it all by itself. */
	if (!parent->options->ends_with_dispatcher)
		half_serves(&parent->dispatcher);
	if (parent->was_ready)
		return;
	parent->was_ready = true;
	if (parent->options->ready)
		parent->options->ready(parent->options->ready_user);
	serve_notify("READY=1");
}

static void on_service_ended(struct parent *parent, struct instance *instance)
{
	log_line("service_died", NULL);
	launch_free(instance->launch);
	instance->launch = NULL;
	send_link(parent, instance);
	half_ended(&instance->half);
}

static int ping_dispatcher(const void *user, int answer_fd)
{
	const struct parent *parent = user;
	const struct control_message message = {.verb = CONTROL_PING};
	struct pollfd control = {.fd = parent->control_fd, .events = POLLOUT};
	if (poll(&control, 1, 0) == 0)
		return -EAGAIN;
	ssize_t sent = fd_send(parent->control_fd, &message, sizeof(message), &answer_fd, 1);
	return sent < 0 ? (int)sent : 0;
}

/* One that gives no sign of life holds its callers for ever: it is ended, and started again. */
static void feel_pulses(struct parent *parent)
{
	uint32_t limit_ms = parent->options->config->service.silence_max_ms;
	char limit[24];
	(void)snprintf(limit, sizeof(limit), "%u", limit_ms);
	for (size_t i = 0; i < parent->instance_count; i++) {
		struct instance *instance = &parent->instances[i];
		if (!half_is_silent(&instance->half, launch_ping, instance->launch, limit_ms))
			continue;
		log_line("service_silent", "image",
			instance->image[0] ? instance->image : "default", "silence_max_ms", limit,
			NULL);
		launch_kill(instance->launch);
	}
	if (half_is_silent(&parent->dispatcher, ping_dispatcher, parent, limit_ms)) {
		log_line("dispatcher_silent", "silence_max_ms", limit, NULL);
		(void)kill(parent->pid, SIGKILL);
	}
}

static void start_again(struct parent *parent)
{
	uint64_t now_ms = clock_now_ms();
	struct err err = {0};
	for (size_t i = 0; i < parent->instance_count && !parent->stopping; i++) {
		struct instance *instance = &parent->instances[i];
		if (!instance->launch && instance->half.again_ms <= now_ms &&
			start_service(parent, instance, &err) < 0) {
			log_fault("service", &err);
			send_why(parent, instance->image, &err);
		}
	}
	if (!parent->pid && !parent->stopping && parent->dispatcher.again_ms <= now_ms &&
		start_dispatcher(parent, &err) < 0) {
		log_fault("dispatcher", &err);
		half_ended(&parent->dispatcher);
	}
}

static int next_wait_ms(const struct parent *parent)
{
	uint64_t now_ms = clock_now_ms();
	uint64_t next_ms = half_due_ms(&parent->dispatcher, parent->pid > 0);
	for (size_t i = 0; i < parent->instance_count; i++) {
		const struct instance *instance = &parent->instances[i];
		uint64_t due_ms = half_due_ms(&instance->half, instance->launch != NULL);
		if (due_ms < next_ms)
			next_ms = due_ms;
	}
	if (next_ms == UINT64_MAX)
		return -1;
	return next_ms > now_ms ? (int)(next_ms - now_ms) : 0;
}

static void watch_services(
	const struct parent *parent, struct pollfd *ended, struct pollfd *answers)
{
	for (size_t i = 0; i < parent->instance_count; i++) {
		const struct instance *instance = &parent->instances[i];
		int ended_fd = instance->launch ? launch_ended_fd(instance->launch) : -1;
		ended[i] = (struct pollfd){.fd = ended_fd, .events = POLLIN};
		answers[i] =
			(struct pollfd){.fd = half_answer_fd(&instance->half), .events = POLLIN};
	}
}

static void turn(struct parent *parent)
{
	struct pollfd watched[3 + 2 * LINKS_MAX] = {
		{.fd = parent->signal_fd, .events = POLLIN},
		{.fd = parent->control_fd, .events = POLLIN},
		{.fd = half_answer_fd(&parent->dispatcher), .events = POLLIN},
	};
	size_t instances = parent->instance_count;
	struct pollfd *ended = watched + 3, *answers = ended + instances;
	watch_services(parent, ended, answers);
	if (poll(watched, 3 + 2 * instances, next_wait_ms(parent)) < 0)
		return;
	if (watched[1].revents)
		on_control(parent);
	if (watched[2].revents)
		pulse_answered(&parent->dispatcher.pulse);
	for (size_t i = 0; i < instances; i++) {
		if (answers[i].revents)
			pulse_answered(&parent->instances[i].half.pulse);
		if (ended[i].revents)
			on_service_ended(parent, &parent->instances[i]);
	}
	feel_pulses(parent);
	if (watched[0].revents)
		on_signal(parent);
	start_again(parent);
}

static int hold_signals(void)
{
	static const int numbers[] = {SIGTERM, SIGINT, SIGHUP, SIGCHLD};
	sigset_t held;
	(void)sigemptyset(&held);
	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++)
		(void)sigaddset(&held, numbers[i]);
	(void)sigprocmask(SIG_BLOCK, &held, NULL);
	(void)signal(SIGPIPE, SIG_IGN);
	int fd = signalfd(-1, &held, SFD_CLOEXEC);
	return fd < 0 ? -errno : fd;
}

int serve_parent_run(struct serve_parent_options *options)
{
	static struct parent parent;
	struct err err = {0};
	parent.options = options;
	parent.control_fd = -1;
	/* Before the first fork: nothing may be lost between that and the loop. */
	int rc = parent.signal_fd = hold_signals();
	if (rc >= 0)
		rc = start_services(&parent, &err);
	if (rc >= 0)
		rc = start_dispatcher(&parent, &err);
	if (rc < 0) {
		(void)fprintf(stderr, "brig: %s: %s\n", err.stage, err.text);
		parent.exit_status = CMD_INTERNAL;
	}
	while (rc >= 0 && (!parent.stopping || parent.pid > 0))
		turn(&parent);
	for (size_t i = 0; i < parent.instance_count; i++) {
		half_leave(&parent.instances[i].half);
		launch_free(parent.instances[i].launch);
	}
	half_leave(&parent.dispatcher);
	fd_close(&parent.control_fd);
	fd_close(&parent.signal_fd);
	config_unref(options->config);
	return parent.exit_status;
}
