/*
 * calc_client: the worker process that evaluates arithmetic, as seen from the loop.
 *
 * The worker is started by a fresh exec of this program, so that nothing of the dispatcher's
 * memory (tokens, audit) is in it; it then seals itself (calc/worker.h). Requests are pipelined;
 * answers come in their order. A worker that dies fails the requests in flight and is replaced, and
 * one that says nothing for CALC_SILENCE_SECONDS while it is asked is made to.
 *
 * Threads: the loop's.
 */
#ifndef BRIG_API_CALC_CLIENT_H
#define BRIG_API_CALC_CLIENT_H

#include "base/buf.h"
#include "base/span.h"

#include <event2/event.h>
#include <sys/queue.h>
#include <sys/types.h>

/* The words after the program's name that make it a worker, on descriptor 0. */
#define CALC_WORKER_VERB "serve"
#define CALC_WORKER_FLAG "--calc-worker"

/* Of a worker that needs microseconds for the dearest request: it is stopped, or stuck. */
#define CALC_SILENCE_SECONDS 10

/* The main function of that process. Returns its exit status. */
int calc_worker_main(void);

struct calc_wait {
	TAILQ_ENTRY(calc_wait) link;
	/* `answer` is the JSON object of calc.h, or has data NULL where the worker has died. */
	void (*answered)(struct calc_wait *wait, struct span answer);
};

struct calc_client {
	struct event_base *base;
	pid_t pid;
	int fd;
	struct event *read, *write, *restart, *silence;
	struct buf in, out;
	size_t sent;
	TAILQ_HEAD(, calc_wait) waits;
	unsigned failures; /* in a row */
};

int calc_client_start(struct calc_client *client, struct event_base *base) MUST_CHECK;
void calc_client_stop(struct calc_client *client);

/*
 * Sends an expression. 0, -ENOTCONN where there is no worker now: it is being started again;
 * -EAGAIN where too much is under way, -ENOMEM.
 * The wait must live until `answered`.
 */
int calc_client_ask(
	struct calc_client *client, struct calc_wait *wait, struct span expression) MUST_CHECK;

/* When it is worth while to ask again, in whole seconds above 0. */
uint32_t calc_client_retry_s(const struct calc_client *client);

#endif
