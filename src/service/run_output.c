/* run_output: what the job writes on its standard streams. */
#include "service/service.h"

#include <errno.h>
#include <unistd.h>

#define READ_BYTES (64u * 1024u)

/* Reads once. Returns what read() did. */
static ssize_t take_output(struct cell *cell, int fd)
{
	static unsigned char piece[READ_BYTES];
	struct job *job = cell->job;
	bool is_err = fd == cell->stderr_fd;
	struct output *output = is_err ? &job->err : &job->out;
	uint64_t limit = job->spec.limits.output_bytes;
	uint64_t left = output->bytes < limit ? limit - output->bytes : 0;

	ssize_t got = read(fd, piece, sizeof(piece));
	if (got <= 0)
		return got;
	size_t keep = (uint64_t)got < left ? (size_t)got : (size_t)left;
	uint64_t before = output->bytes;
	if (output_add(output, piece, keep) < 0)
		keep = 0; /* no memory for it: counted, though not kept */
	output->bytes = before + (uint64_t)got;
	if (job->channel && job->spec.stream)
		channel_stream(job->channel, is_err ? CHANNEL_STDERR : CHANNEL_STDOUT, piece, keep);
	return got;
}

bool run_output_exceeded(const struct job *job)
{
	uint64_t limit = job->spec.limits.output_bytes;
	return job->out.bytes > limit || job->err.bytes > limit;
}

void run_on_output(evutil_socket_t fd, short what, void *context)
{
	struct cell *cell = context;
	struct job *job = cell->job;
	(void)what;

	ssize_t got = take_output(cell, fd);
	if (got == 0 || (got < 0 && errno != EAGAIN && errno != EINTR))
		cell_unwatch(cell, fd == cell->stderr_fd ? WATCH_STDERR : WATCH_STDOUT);
	if (run_output_exceeded(job))
		end_job(cell, END_OUTPUT);
}

void run_pause_output(struct cell *cell, bool pause)
{
	static const enum cell_watch watches[] = {WATCH_STDOUT, WATCH_STDERR};
	/* What is interrupted must be able to write its last words. */
	pause = pause && !(cell->job && cell->job->interrupted);
	for (size_t i = 0; i < 2; i++) {
		struct event *event = cell->watch[watches[i]];
		if (event && pause)
			(void)event_del(event);
		else if (event)
			(void)event_add(event, NULL);
	}
}

void run_drain(struct cell *cell)
{
	/* The job stands still or is gone: at most a pipe's capacity is left. Never wait for the
	 * end of the file, which an orphan could hold back. */
	const int fds[] = {cell->stdout_fd, cell->stderr_fd};
	for (size_t i = 0; i < 2; i++)
		while (take_output(cell, fds[i]) > 0)
			;
}
