/*
 * sample: what the clients of bench/ share. Each client is a process of its own, so that none waits
 * for another; all of them begin at once, when the last is ready; their samples lie in memory that
 * they share.
 */
#ifndef BRIG_BENCH_SAMPLE_H
#define BRIG_BENCH_SAMPLE_H

#include "base/clock.h"
#include "base/fd.h"
#include "wire/result.h"

#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum sample_stage {
	STAGE_QUEUE,
	STAGE_HANDOVER,
	STAGE_RUN,
	STAGE_DRAIN,
	STAGE_VERDICT,
	STAGE_REPLY, /* the rest: the way there and back, both ends of it */
	STAGE_COUNT,
};

struct sample {
	bool good; /* the answer came and was the right one */
	uint32_t us;
	uint32_t stages_us[STAGE_COUNT];
};

/* One client's whole work: `count` samples from `samples` on. Begins with sample_wait. 0 or -errno;
 * says on stderr what went wrong. */
typedef int sample_client(void *user, struct sample *samples, size_t count, int gate_fd);

/* A client is ready when it calls this; it returns when all are. */
static inline void sample_wait(int gate_fd)
{
	char end;
	while (read(gate_fd, &end, 1) > 0)
		;
}

static inline int sample_by_time(const void *a, const void *b)
{
	const struct sample *left = a, *right = b;
	return left->us < right->us ? -1 : left->us > right->us;
}

static inline int sample_by_number(const void *a, const void *b)
{
	const uint32_t *left = a, *right = b;
	return *left < *right ? -1 : *left > *right;
}

static inline uint32_t sample_stage_p50(
	const struct sample *samples, size_t count, enum sample_stage stage, uint32_t *room)
{
	for (size_t i = 0; i < count; i++)
		room[i] = samples[i].stages_us[stage];
	qsort(room, count, sizeof(*room), sample_by_number);
	return room[count / 2];
}

static inline void sample_print_stages(const struct sample *samples, size_t count)
{
	static const char *const names[STAGE_COUNT] = {
		"queue", "handover", "run", "drain", "verdict", "reply"};
	uint32_t *room = calloc(count, sizeof(*room));
	(void)printf(", \"stages_us\": {");
	for (unsigned i = 0; room && i < STAGE_COUNT; i++)
		(void)printf("%s\"%s\": %u", i ? ", " : "", names[i],
			sample_stage_p50(samples, count, (enum sample_stage)i, room));
	(void)printf("}");
	free(room);
}

/* One line of JSON. Sorts the samples. */
static inline void sample_report(
	struct sample *samples, size_t count, uint64_t elapsed_us, bool with_stages)
{
	size_t good = 0;
	for (size_t i = 0; i < count; i++)
		good += samples[i].good;
	qsort(samples, count, sizeof(*samples), sample_by_time);
	(void)printf("{\"jobs\": %zu, \"ok\": %zu, \"p50_us\": %u, \"p90_us\": %u, \"p99_us\": %u, "
		     "\"max_us\": %u, \"elapsed_us\": %llu, \"jobs_per_second\": %.1f",
		count, good, samples[count / 2].us, samples[count * 9 / 10].us,
		samples[count * 99 / 100].us, samples[count - 1].us, (unsigned long long)elapsed_us,
		(double)count * 1e6 / (double)elapsed_us);
	if (with_stages)
		sample_print_stages(samples, count);
	(void)printf("}\n");
}

/* Runs the clients and prints the report. The exit status: 0, or 1 where a client failed. */
static inline int sample_run(
	sample_client *client, void *user, size_t count, size_t clients, bool with_stages)
{
	size_t each = clients ? count / clients : 0;
	int gate[2];
	if (!each || pipe2(gate, O_CLOEXEC) < 0)
		return 2;
	count = each * clients;
	struct sample *samples = mmap(NULL, count * sizeof(*samples), PROT_READ | PROT_WRITE,
		MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (samples == MAP_FAILED)
		return 1;
	for (size_t i = 0; i < clients; i++) {
		if (fork() != 0)
			continue;
		(void)close(gate[1]);
		_exit(client(user, samples + i * each, each, gate[0]) < 0 ? 1 : 0);
	}
	/* Time for all of them to be there; a late one is late by its own fork alone. */
	(void)usleep(20000 + 1000 * (useconds_t)clients);
	uint64_t start_us = clock_now_us();
	(void)close(gate[1]);
	int status, failed = 0;
	while (wait(&status) > 0)
		failed |= status;
	sample_report(samples, count, clock_now_us() - start_us, with_stages);
	return failed ? 1 : 0;
}

#endif
