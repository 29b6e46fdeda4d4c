/* cell_watch: the events of a cell, one place each, so that none outlives what it watches. */
#include "service/service.h"

#include <errno.h>

int cell_watch(
	struct cell *cell, enum cell_watch which, int fd, short what, event_callback_fn callback)
{
	cell_unwatch(cell, which);
	struct event *event = event_new(cell->service->base, fd, what, callback, cell);
	if (!event)
		return -ENOMEM;
	cell->watch[which] = event;
	if (event_add(event, NULL) == 0)
		return 0;
	cell_unwatch(cell, which); /* there is no event that never comes */
	return -ENOMEM;
}

int cell_timer(
	struct cell *cell, enum cell_watch which, uint64_t after_us, event_callback_fn callback)
{
	const struct timeval after = {
		.tv_sec = (time_t)(after_us / 1000000),
		.tv_usec = (suseconds_t)(after_us % 1000000),
	};
	cell_unwatch(cell, which);
	struct event *event = event_new(cell->service->base, -1, 0, callback, cell);
	if (!event)
		return -ENOMEM;
	cell->watch[which] = event;
	if (event_add(event, &after) == 0)
		return 0;
	cell_unwatch(cell, which);
	return -ENOMEM;
}

void cell_unwatch(struct cell *cell, enum cell_watch which)
{
	if (!cell->watch[which])
		return;
	event_free(cell->watch[which]);
	cell->watch[which] = NULL;
}
