/*
 * worker: the loop behind calc_worker_run.
 *
 * Whatever has come in is answered before the next read, and the answers leave in one write.
 */
#include "calc/worker.h"

#include "base/fd.h"
#include "calc/arena.h"
#include "calc/calc.h"
#include "calc/seal.h"

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define HEAD 4
#define INPUT_BYTES (32 * 1024)
#define OUTPUT_BYTES (4 * CALC_ANSWER_MAX)

_Static_assert(CALC_JSON_SIZE + HEAD <= CALC_ANSWER_MAX, "an answer fits");
_Static_assert(CALC_SOURCE_MAX + HEAD <= INPUT_BYTES, "a request fits");

struct worker {
	int in_fd, out_fd;
	struct calc *calc;
	size_t have; /* bytes in `input` */
	size_t skip; /* bytes of an expression that is too long, still to come */
	size_t owed; /* bytes in `output` */
	struct calc_result result;
	unsigned char input[INPUT_BYTES];
	unsigned char output[OUTPUT_BYTES];
};

static uint32_t get_length(const unsigned char *at)
{
	return at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
}

static void put_length(unsigned char *at, uint32_t length)
{
	for (int i = 0; i < HEAD; i++)
		at[i] = (unsigned char)(length >> 8 * i);
}

static int flush(struct worker *worker)
{
	int rc = fd_write_all(worker->out_fd, worker->output, worker->owed);
	worker->owed = 0;
	return rc;
}

static int answer(struct worker *worker, const unsigned char *expression, size_t bytes)
{
	if (worker->owed + CALC_ANSWER_MAX > sizeof(worker->output)) {
		int rc = flush(worker);
		if (rc)
			return rc;
	}
	calc_eval(worker->calc, (const char *)expression, bytes, &worker->result);
	unsigned char *head = worker->output + worker->owed;
	size_t length = calc_json(&worker->result, (char *)head + HEAD);
	put_length(head, (uint32_t)length);
	worker->owed += HEAD + length;
	return 0;
}

/* Takes one request from input[*used ..]; false when the rest of it has not come yet. */
static int take(struct worker *worker, size_t *used, bool *ret_taken)
{
	size_t have = worker->have - *used;
	const unsigned char *at = worker->input + *used;
	*ret_taken = false;
	if (worker->skip) {
		size_t passed = have < worker->skip ? have : worker->skip;
		worker->skip -= passed;
		*used += passed;
		*ret_taken = passed > 0;
		return 0;
	}
	if (have < HEAD)
		return 0;
	uint32_t bytes = get_length(at);
	if (bytes > CALC_REQUEST_MAX)
		return -EMSGSIZE;
	if (bytes <= CALC_SOURCE_MAX && have < HEAD + bytes)
		return 0;
	*ret_taken = true;
	*used += HEAD;
	if (bytes > CALC_SOURCE_MAX) {
		/* Any text of that length gets the same answer. */
		worker->skip = bytes;
		return answer(worker, worker->input, CALC_SOURCE_MAX + 1);
	}
	*used += bytes;
	return answer(worker, at + HEAD, bytes);
}

static int take_all(struct worker *worker)
{
	size_t used = 0;
	bool taken = true;
	while (taken) {
		int rc = take(worker, &used, &taken);
		if (rc)
			return rc;
	}
	worker->have -= used;
	memmove(worker->input, worker->input + used, worker->have);
	return worker->owed ? flush(worker) : 0;
}

static int serve(struct worker *worker)
{
	for (;;) {
		if (worker->have >= sizeof(worker->input))
			return -EMSGSIZE; /* take_all leaves less than one request: for the compiler
					   */
		ssize_t got = read(worker->in_fd, worker->input + worker->have,
			sizeof(worker->input) - worker->have);
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return -errno;
		if (!got)
			return worker->have || worker->skip ? -ENODATA : 0;
		worker->have += (size_t)got;
		int rc = take_all(worker);
		if (rc)
			return rc;
	}
}

int calc_worker_run(int in_fd, int out_fd, const char **ret_stage)
{
	static struct worker worker;
	*ret_stage = NULL;
	worker.in_fd = in_fd;
	worker.out_fd = out_fd;
	worker.have = worker.skip = worker.owed = 0;
	worker.calc = calc_new();
	if (!worker.calc)
		return -ENOMEM;
	calc_arena_install();
	const struct calc_seal seal = {.in_fd = in_fd, .out_fd = out_fd, .error_fd = -1};
	int rc = calc_seal(&seal, ret_stage);
	if (rc)
		return rc;
	*ret_stage = NULL;
	return serve(&worker);
}
