/*
 * spawn_latency: the same program again and again, and how long each took from its start to its
 * end.
 *
 *	spawn_latency COUNT CLIENTS PROGRAM [ARGUMENT]...
 *
 * Prints one line of JSON, as the other clients do. Output goes to /dev/null; a status other than 0
 * is a job that was not ok.
 */
#include "sample.h"

#include <errno.h>
#include <spawn.h>
#include <string.h>

extern char **environ;

static int run_one(char **argv, const posix_spawn_file_actions_t *actions, struct sample *sample)
{
	pid_t pid;
	int status;
	uint64_t start_us = clock_now_us();
	int rc = posix_spawnp(&pid, argv[0], actions, NULL, argv, environ);
	if (rc)
		return -rc;
	if (waitpid(pid, &status, 0) < 0)
		return -errno;
	sample->us = (uint32_t)(clock_now_us() - start_us);
	sample->good = status == 0;
	return 0;
}

static int client(void *user, struct sample *samples, size_t count, int gate_fd)
{
	char **argv = user;
	posix_spawn_file_actions_t actions;
	int rc = -posix_spawn_file_actions_init(&actions);
	for (int fd = 0; !rc && fd < 2; fd++)
		rc = -posix_spawn_file_actions_addopen(
			&actions, fd, "/dev/null", fd ? O_WRONLY : O_RDONLY, 0);
	sample_wait(gate_fd);
	for (size_t i = 0; !rc && i < count; i++)
		rc = run_one(argv, &actions, &samples[i]);
	if (rc < 0)
		(void)fprintf(stderr, "%s: %s\n", argv[0], strerror(-rc));
	return rc;
}

int main(int argc, char **argv)
{
	if (argc < 4) {
		(void)fprintf(stderr, "usage: spawn_latency COUNT CLIENTS PROGRAM [ARGUMENT]...\n");
		return 2;
	}
	return sample_run(
		client, argv + 3, strtoul(argv[1], NULL, 10), strtoul(argv[2], NULL, 10), false);
}
