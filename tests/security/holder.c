/*
 * holder: an interpreter service for the tests, with as many cells as they ask for, behind a Unix
 * socket that `brig run --socket` understands. It ends, and with it every cell, when its standard
 * input closes.
 *
 *	holder SOCKET CELLS [LAYER,LAYER…]	the layers that may be missing
 */
#include "base/fd.h"
#include "launch/launch.h"

#include <errno.h>
#include <poll.h>
#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

static int listen_at(const char *path)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	if (strlen(path) >= sizeof(address.sun_path))
		return -ENAMETOOLONG;
	(void)strcpy(address.sun_path, path);
	cleanup_fd int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (fd < 0 || bind(fd, (const struct sockaddr *)&address, sizeof(address)) < 0 ||
		listen(fd, 64) < 0)
		return -errno;
	return TAKE_FD(fd);
}

static layer_set parse_layers(char *names)
{
	layer_set set = 0;
	char *save = NULL;
	for (char *word = strtok_r(names, ",", &save); word; word = strtok_r(NULL, ",", &save)) {
		int layer = layer_by_name(word);
		if (layer >= 0)
			set |= 1u << layer;
	}
	return set;
}

static void serve(const struct launch *launch, int listen_fd)
{
	struct pollfd watched[] = {
		{.fd = listen_fd, .events = POLLIN},
		{.fd = STDIN_FILENO, .events = POLLIN},
		{.fd = launch_ended_fd(launch), .events = POLLIN},
	};
	for (;;) {
		struct err err = {0};
		if (poll(watched, 3, -1) < 0 && errno != EINTR)
			return;
		if (watched[1].revents || watched[2].revents)
			return;
		if (!watched[0].revents)
			continue;
		cleanup_fd int channel_fd = accept4(listen_fd, NULL, NULL, SOCK_CLOEXEC);
		if (channel_fd >= 0 && launch_pass(launch, channel_fd, &err) < 0)
			(void)fprintf(stderr, "holder: %s\n", err.text);
	}
}

int main(int argc, char **argv)
{
	struct err err = {0};
	struct launch *launch = NULL;

	if (argc < 3 || sodium_init() < 0) {
		(void)fprintf(stderr, "usage: holder SOCKET CELLS [LAYER,LAYER...]\n");
		return 2;
	}
	const struct launch_options options = {
		.cells_max = (unsigned)strtoul(argv[2], NULL, 10),
		.allow_degraded = argc > 3 ? parse_layers(argv[3]) : 0,
	};
	cleanup_fd int listen_fd = listen_at(argv[1]);
	if (listen_fd < 0) {
		(void)fprintf(stderr, "holder: %s: %s\n", argv[1], strerror(-listen_fd));
		return 125;
	}
	if (launch_start(&options, &launch, &err) < 0) {
		(void)fprintf(stderr, "holder: %s: %s\n", err.stage, err.text);
		return 125;
	}
	(void)puts("ready");
	(void)fflush(stdout);
	serve(launch, listen_fd);
	launch_free(launch);
	(void)unlink(argv[1]);
	return 0;
}
