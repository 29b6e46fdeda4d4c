/*
 * fuzz_cell_control: what a cell writes on its control pipe, through to the end of its job. The
 * first byte chooses in which state the cell is. No process stands behind it: what would be killed,
 * frozen or read from the kernel is not there, as with a cell whose processes have just gone.
 */
#include "base/clock.h"
#include "base/fd.h"
#include "service/service.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);

#define PIPE_BYTES 60000u /* what a pipe holds without a reader */

static struct service service;
static struct cell cell;

static void require(bool holds)
{
	if (!holds)
		abort();
}

static void on_nothing(evutil_socket_t fd, short what, void *context)
{
	(void)fd;
	(void)what;
	(void)context;
}

static void prepare(void)
{
	if (service.base)
		return;
	service.base = event_base_new();
	require(service.base && event_base_priority_init(service.base, 3) == 0);
	TAILQ_INIT(&service.waiting);
	TAILQ_INIT(&service.sessions);
	for (size_t i = 0; i < CGROUP_COUNT; i++)
		service.tree.dirs[i] = -1;
	service.control_fd = service.link_fd = service.proc_fd = service.inputs_fd = -1;
	service.inotify_fd = service.meminfo_fd = -1;
	service.cells = &cell;
	service.cell_count = 1;
	service.refill_event = event_new(service.base, -1, 0, on_nothing, NULL);
	service.sizing_event = event_new(service.base, -1, 0, on_nothing, NULL);
	require(service.refill_event && service.sizing_event);
}

/* A cell in that state, and what it has written in its pipe. */
static void make_cell(enum cell_state state, const uint8_t *data, size_t bytes)
{
	int ends[2];
	cell_init(&service, &cell, 0);
	cgroup_init(&cell.cgroup);
	cell.sequence++;
	cell.state = state;
	cell.calls = state == CELL_RUNNING;
	if (state != CELL_PARKED_IDLE) {
		cell.job = job_new(&service, NULL);
		require(cell.job != NULL);
		cell.job->cell = &cell;
		cell.job->call = 1;
		cell.job->started_us = state == CELL_RUNNING ? clock_now_us() : 0;
	}
	require(pipe2(ends, O_CLOEXEC | O_NONBLOCK) == 0);
	require(write(ends[1], data, bytes) == (ssize_t)bytes);
	(void)close(ends[1]);
	cell.control_out_fd = ends[0];
	require(cell_watch(&cell, WATCH_CONTROL, ends[0], EV_READ | EV_PERSIST,
			control_on_readable) == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
	static const enum cell_state states[] = {CELL_RUNNING, CELL_RUNNING, CELL_RUNNING,
		CELL_SEALING, CELL_PARKING, CELL_PARKED_IDLE, CELL_PLACING};
	if (bytes < 1 || bytes > PIPE_BYTES)
		return 0;
	prepare();
	make_cell(states[data[0] % (sizeof(states) / sizeof(states[0]))], data + 1, bytes - 1);

	for (unsigned turn = 0; turn < 64 && cell.watch[WATCH_CONTROL]; turn++) {
		require(event_base_loop(service.base, EVLOOP_NONBLOCK) >= 0);
		if (cell.job)
			require(cell.job->item_count <= RESULT_ITEMS_MAX &&
				cell.job->items.len <= LIMIT_FRAMES_BYTES);
	}
	/* What the job did not end by itself ends here. */
	if (cell.job && cell.state == CELL_RUNNING)
		end_job(&cell, END_WALL);
	for (unsigned turn = 0; turn < 8 && cell.state != CELL_FREE; turn++)
		require(event_base_loop(service.base, EVLOOP_NONBLOCK) >= 0);
	if (cell.state != CELL_FREE) {
		const struct err over = {.code = -ECANCELED, .stage = "cell", .text = "over"};
		cell_fail(&cell, &over);
	}
	require(cell.state == CELL_FREE && !cell.job);
	return 0;
}
