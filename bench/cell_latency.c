/*
 * cell_latency: the same job again and again over a service's socket, and how long each took.
 *
 *	cell_latency SOCKET COUNT CLIENTS CODE [PAUSE_US]
 *
 * Prints one line of JSON: counts by outcome and the quantiles of the time from send to result.
 * Each client is a process of its own, so that none waits for another.
 */
#include "base/clock.h"
#include "base/fd.h"
#include "tool/cell_client.h"
#include "tool/job_id.h"

#include <errno.h>
#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

struct sample {
	uint32_t us;
	uint32_t outcome;
};

static int dial(const char *path)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	(void)snprintf(address.sun_path, sizeof(address.sun_path), "%s", path);
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (fd >= 0 && connect(fd, (const struct sockaddr *)&address, sizeof(address)) == 0)
		return fd;
	fd_close(&fd);
	return -errno;
}

static int run_one(const char *path, const char *code, struct sample *sample)
{
	const struct cell_client client = {0};
	struct job_spec spec cleanup_job_spec;
	struct job_result result cleanup_job_result;
	struct err err = {0};

	job_spec_init(&spec);
	job_result_init(&result);
	if (job_id_make(spec.id) < 0 || buf_add_text(&spec.code, code) < 0)
		return -ENOMEM;
	uint64_t start_us = clock_now_us();
	cleanup_fd int fd = dial(path);
	if (fd < 0)
		return fd;
	int rc = cell_client_run(&client, fd, &spec, &result, &err);
	if (rc < 0) {
		(void)fprintf(stderr, "%s: %s\n", err.stage, err.text);
		return rc;
	}
	sample->us = (uint32_t)(clock_now_us() - start_us);
	sample->outcome = (uint32_t)result.outcome;
	if (result.outcome == OUTCOME_INTERNAL)
		(void)fprintf(stderr, "%s: %s\n", result.fault.stage, result.fault.text);
	return 0;
}

static int by_time(const void *a, const void *b)
{
	const struct sample *left = a, *right = b;
	return left->us < right->us ? -1 : left->us > right->us;
}

static void report(struct sample *samples, size_t count, uint64_t elapsed_us)
{
	size_t outcomes[OUTCOME_COUNT] = {0};
	for (size_t i = 0; i < count; i++)
		outcomes[samples[i].outcome < OUTCOME_COUNT ? samples[i].outcome
							    : OUTCOME_INTERNAL]++;
	qsort(samples, count, sizeof(*samples), by_time);
	(void)printf("{\"jobs\": %zu, \"ok\": %zu, \"p50_us\": %u, \"p90_us\": %u, \"p99_us\": %u, "
		     "\"max_us\": %u, \"jobs_per_second\": %.1f}\n",
		count, outcomes[OUTCOME_OK], samples[count / 2].us, samples[count * 9 / 10].us,
		samples[count * 99 / 100].us, samples[count - 1].us,
		(double)count * 1e6 / (double)elapsed_us);
}

int main(int argc, char **argv)
{
	if (argc < 5) {
		(void)fprintf(stderr, "usage: cell_latency SOCKET COUNT CLIENTS CODE [PAUSE_US]\n");
		return 2;
	}
	size_t count = strtoul(argv[2], NULL, 10), clients = strtoul(argv[3], NULL, 10);
	useconds_t pause_us = argc > 5 ? (useconds_t)strtoul(argv[5], NULL, 10) : 0;
	size_t each = clients ? count / clients : 0;
	if (!each || sodium_init() < 0)
		return 2;
	count = each * clients;
	struct sample *samples = mmap(NULL, count * sizeof(*samples), PROT_READ | PROT_WRITE,
		MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (samples == MAP_FAILED)
		return 1;
	uint64_t start_us = clock_now_us();
	for (size_t client = 0; client < clients; client++) {
		if (fork() != 0)
			continue;
		for (size_t i = 0; i < each; i++) {
			if (run_one(argv[1], argv[4], &samples[client * each + i]) < 0)
				_exit(1);
			if (pause_us)
				(void)usleep(pause_us);
		}
		_exit(0);
	}
	int status, failed = 0;
	while (wait(&status) > 0)
		failed |= status;
	report(samples, count, clock_now_us() - start_us);
	return failed ? 1 : 0;
}
