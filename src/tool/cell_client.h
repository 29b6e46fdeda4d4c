/*
 * cell_client: one job over a connected channel, for a caller that has nothing else to wait for.
 *
 * The event loop of the dispatcher has its own way of waiting; both use cell_stream.
 */
#ifndef BRIG_TOOL_CELL_CLIENT_H
#define BRIG_TOOL_CELL_CLIENT_H

#include "base/span.h"
#include "wire/job.h"
#include "wire/result.h"

#include <signal.h>

struct cell_client {
	/* Called with the job's output as it comes, where the spec asks to stream. A failure ends
	 * the call with that code, which cancels the job. May be NULL. */
	int (*output)(void *user, bool is_stderr, struct span data);
	void *user;
	/* Counted up by the caller's signal handlers; the first cancels the job and goes on
	 * waiting for its result, the second gives up on it. May be NULL. */
	const volatile sig_atomic_t *interrupts;
	/* The mask while waiting: the handlers' signals open. NULL leaves it as it is. */
	const sigset_t *wait_mask;
};

/*
 * Sends the job and waits for its result. `channel_fd` is a connected stream socket, borrowed, and
 * is left non-blocking; the caller closes it, which cancels whatever is still running.
 * 0 and a result in `ret_result` (initialised by the caller); -EINTR given up; -ECONNRESET the
 * service went away; -EBADMSG; -EMSGSIZE; -ENOMEM; or what `output` returned.
 */
int cell_client_run(const struct cell_client *client, int channel_fd, const struct job_spec *spec,
	struct job_result *ret_result, struct err *err) MUST_CHECK;

#endif
