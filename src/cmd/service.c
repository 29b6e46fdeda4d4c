/*
 * service: `brig service`. The parent of the interpreter service: it owns the socket, asks the
 * kernel who is at the other end of each connection, and passes it on as a channel. A service that
 * dies is started again; its jobs' clients see their channels close.
 */
#include "cmd/service.h"

#include "base/clock.h"
#include "base/fd.h"
#include "cmd/args_fill.h"
#include "cmd/cmd.h"
#include "cmd/listen.h"
#include "launch/launch.h"
#include "launch/pulse.h"
#include "tool/config.h"
#include "wire/launch.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define CELLS_DEFAULT 64u
#define PARK_MIN 2u
#define PARK_MAX 32u
#define RESTART_PAUSE_MS 200
#define RESTARTS_IN_A_ROW 10u
#define ROOM_PAUSE_NS 10000000L /* how long until a full link is looked at again */

static const char help[] =
	"usage: brig service [--socket PATH] [--image NAME] [--cells N] [--park N]\n"
	"                    [--zygote-jobs N] [--allow-degraded LAYERS]\n"
	"\n"
	"Runs the interpreter service alone. `brig run` of the same user finds it by its socket.\n"
	"\n"
	"  --socket PATH            where to listen (root: /run/brig/service.sock, others: below\n"
	"                           XDG_RUNTIME_DIR)\n"
	"  --image NAME             the image that cells run in (else BRIG_IMAGE, else default)\n"
	"  --cells N                how many jobs run at once (64)\n"
	"  --park N                 the most cells kept ready for jobs to come (32; 0: none)\n"
	"  --zygote-jobs N          an interpreter is replaced after that many forks (2000)\n"
	"  --allow-degraded LAYERS  serve although the host lacks these; see brig doctor\n"
	"\n"
	"A line of JSON on stderr says when it is ready. SIGTERM ends it and all its cells.\n";

static volatile sig_atomic_t stop_asked;

static void on_stop(int number)
{
	(void)number;
	stop_asked = 1;
}

/* 0, 1 where the help was asked for, -EINVAL. */
static int parse(int argc, char **argv, struct launch_options *options, const char **ret_socket,
	struct err *err)
{
	const struct args_slot slots[] = {
		{"--socket", .text = ret_socket},
		{"--image", .text = &options->image},
		{"--allow-degraded", .layers = &options->allow_degraded},
		{"--cells", .count = &options->cells_max, .min = 1, .max = LAUNCH_CELLS_MAX},
		{"--park", .count = &options->park_max, .max = LAUNCH_CELLS_MAX},
		{"--zygote-jobs", .count = &options->zygote_jobs, .min = 1, .max = 1000000},
	};
	int rc = args_fill("service", argc, argv, slots, sizeof(slots) / sizeof(slots[0]), err);
	if (options->park_min > options->park_max)
		options->park_min = options->park_max;
	return rc;
}

static void accept_one(int listen_fd, const struct launch *launch)
{
	struct err err;
	cleanup_fd int fd = accept4(listen_fd, NULL, NULL, SOCK_CLOEXEC);
	if (fd < 0)
		return;
	if (listen_peer_is_us(fd))
		(void)!launch_pass(launch, fd, &err);
}

/* Serves until asked to stop (0) or until the service has ended (-ECHILD). */
static int serve(int listen_fd, const struct launch *launch, const sigset_t *wait_mask)
{
	struct pollfd watched[] = {
		{.fd = listen_fd, .events = POLLIN},
		{.fd = launch_ended_fd(launch), .events = POLLIN},
		{.fd = -1, .events = POLLIN},
	};
	cleanup_pulse struct pulse pulse;
	pulse_start(&pulse, clock_now_ms());
	while (!stop_asked) {
		struct timespec wait = pulse_wait(&pulse, clock_now_ms());
		bool takes = launch_takes(launch);
		watched[0].fd = takes ? listen_fd : -1;
		watched[2].fd = pulse.fd;
		if (!takes && (wait.tv_sec > 0 || wait.tv_nsec > ROOM_PAUSE_NS))
			wait = (struct timespec){.tv_nsec = ROOM_PAUSE_NS};
		if (ppoll(watched, 3, &wait, wait_mask) < 0)
			continue;
		if (watched[1].revents)
			return -ECHILD;
		if (watched[0].revents)
			accept_one(listen_fd, launch);
		if (watched[2].revents)
			pulse_answered(&pulse);
		if (pulse_turn(
			    &pulse, launch_ping, launch, CONFIG_SILENCE_MAX_MS, clock_now_ms())) {
			(void)fprintf(stderr, "{\"event\": \"service_silent\"}\n");
			launch_kill(launch);
		}
	}
	return 0;
}

static void hold_signals(sigset_t *wait_mask)
{
	const struct sigaction action = {.sa_handler = on_stop};
	sigset_t held;
	(void)sigemptyset(&held);
	(void)sigaddset(&held, SIGTERM);
	(void)sigaddset(&held, SIGINT);
	(void)sigprocmask(SIG_BLOCK, &held, wait_mask);
	(void)sigaction(SIGTERM, &action, NULL);
	(void)sigaction(SIGINT, &action, NULL);
	(void)signal(SIGPIPE, SIG_IGN);
}

static void say_ready(const char *path)
{
	cleanup_buf struct buf shown = {0};
	listen_describe(path, &shown);
	(void)fprintf(stderr, "{\"event\": \"ready\", \"socket\": %.*s}\n", (int)shown.len,
		(const char *)shown.data);
}

static int run(
	const struct launch_options *options, int listen_fd, const char *path, struct err *err)
{
	const struct timespec pause = {.tv_nsec = RESTART_PAUSE_MS * 1000000L};
	sigset_t wait_mask;
	unsigned failures = 0;
	int rc = -ECHILD;

	hold_signals(&wait_mask);
	while (rc == -ECHILD && failures < RESTARTS_IN_A_ROW && !stop_asked) {
		struct launch *launch = NULL;
		uint64_t started_ms = clock_now_ms();
		rc = launch_start(options, &launch, err);
		if (rc < 0)
			break;
		say_ready(path);
		rc = serve(listen_fd, launch, &wait_mask);
		launch_free(launch);
		if (rc < 0) {
			(void)fprintf(stderr, "{\"event\": \"service_died\"}\n");
			(void)nanosleep(&pause, NULL);
			failures = clock_now_ms() - started_ms < 10000 ? failures + 1 : 0;
		}
	}
	if (rc == -ECHILD && !stop_asked)
		return err_set(err, rc, "service", "the service dies as soon as it is started");
	return stop_asked ? 0 : rc;
}

int cmd_service(int argc, char **argv)
{
	struct launch_options options = {
		.cells_max = CELLS_DEFAULT, .park_min = PARK_MIN, .park_max = PARK_MAX};
	const char *socket_path = NULL;
	char usual[PATH_MAX];
	struct err err = {0};

	int rc = parse(argc, argv, &options, &socket_path, &err);
	if (rc > 0) {
		(void)fputs(help, stdout);
		return CMD_OK;
	}
	if (!rc && !socket_path) {
		rc = launch_socket_path(usual, sizeof(usual));
		socket_path = usual;
		if (rc < 0)
			(void)err_set(&err, rc, "usage",
				"XDG_RUNTIME_DIR is not set: say where to listen with --socket");
	}
	if (rc < 0) {
		(void)fprintf(stderr, "brig: service: %s\n", err.text);
		return CMD_USAGE;
	}
	cleanup_fd int listen_fd = listen_unix(socket_path, 0600, &err);
	rc = listen_fd < 0 ? listen_fd : run(&options, listen_fd, socket_path, &err);
	if (listen_fd >= 0)
		(void)unlink(socket_path);
	if (rc < 0)
		(void)fprintf(stderr, "brig: service: %s: %s\n", err.stage, err.text);
	return rc < 0 ? CMD_INTERNAL : CMD_OK;
}
