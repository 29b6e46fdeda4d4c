/* ledger: rows in groups, and the once-a-second work however busy it is. */
#include "check.h"
#include "temp_folder.h"

#include "api/ledger.h"

#include <fcntl.h>
#include <unistd.h>

#define WATCHDOG_SECONDS 30

/* As in the dispatcher: requests come in as I/O, which a turn of the loop sees to before timers. */
struct load {
	struct ledger ledger;
	struct event_base *base;
	struct ledger_wait waits[8];
	size_t told;
};

static struct load load;

static void on_written(struct ledger_wait *wait, int rc)
{
	assert_int_equal(rc, 0);
	load.told++;
	(void)wait;
	if (load.ledger.shown_head[0])
		(void)event_base_loopbreak(load.base);
}

static void queue_one(struct ledger_wait *wait)
{
	const struct audit_call call = {.role = "r",
		.door = "rest",
		.tool = "calculate",
		.code = {(const unsigned char *)"1", 1}};
	const struct audit_end end = {.outcome = "ok"};
	struct err err;
	assert_int_equal(ledger_room(&load.ledger, &err), 0);
	assert_int_equal(audit_single(load.ledger.audit, &call, &end, NULL, &err), 0);
	ledger_wait(&load.ledger, wait, on_written);
}

/* There is always more to read, so each turn of the loop queues rows. */
static void on_request(evutil_socket_t fd, short what, void *context)
{
	(void)fd;
	(void)what;
	(void)context;
	for (size_t i = 0; i < COUNT(load.waits); i++)
		if (!load.waits[i].waiting)
			queue_one(&load.waits[i]);
}

static void on_watchdog(evutil_socket_t fd, short what, void *context)
{
	(void)fd;
	(void)what;
	(void)context;
	(void)event_base_loopbreak(load.base);
}

static void ticks_under_constant_load(void **state)
{
	(void)state;
	const struct timeval limit = {.tv_sec = WATCHDOG_SECONDS};
	const struct audit_options options = {.path = temp_path("audit.db"), .head_ms = 1};
	struct err err = {0};
	load.base = event_base_new();
	assert_non_null(load.base);
	assert_int_equal(ledger_open(&load.ledger, load.base, &options, &err), 0);
	struct event *watchdog = event_new(load.base, -1, 0, on_watchdog, NULL);
	assert_int_equal(event_add(watchdog, &limit), 0);
	int pair[2];
	assert_int_equal(pipe2(pair, O_CLOEXEC), 0);
	assert_int_equal(write(pair[1], "x", 1), 1);
	struct event *request =
		event_new(load.base, pair[0], EV_READ | EV_PERSIST, on_request, NULL);
	assert_int_equal(event_add(request, NULL), 0);
	(void)event_base_dispatch(load.base);
	assert_true(load.told > COUNT(load.waits));
	assert_true(load.ledger.shown_head[0] != 0);
	for (size_t i = 0; i < COUNT(load.waits); i++)
		ledger_forget(&load.ledger, &load.waits[i]);
	event_free(watchdog);
	event_free(request);
	(void)close(pair[0]);
	(void)close(pair[1]);
	ledger_close(&load.ledger);
	event_base_free(load.base);
}

/* A log of its own for one test. */
struct place {
	struct ledger ledger;
	struct event_base *base;
	struct audit_options options;
	struct ledger_wait wait;
	int rc; /* that the wait was told; 1 until then */
};

static void on_told(struct ledger_wait *wait, int rc)
{
	struct place *place = (struct place *)(void *)((char *)wait - offsetof(struct place, wait));
	place->rc = rc;
}

static void open_place(struct place *place, const char *name)
{
	struct err err = {0};
	*place = (struct place){.base = event_base_new(), .rc = 1};
	place->options = (struct audit_options){.path = temp_path(name)};
	assert_non_null(place->base);
	assert_int_equal(ledger_open(&place->ledger, place->base, &place->options, &err), 0);
}

static void close_place(struct place *place)
{
	ledger_close(&place->ledger);
	event_base_free(place->base);
}

static void queue_in(struct place *place, struct span code)
{
	const struct audit_call call = {
		.role = "r", .door = "rest", .tool = "run_sandboxed", .code = code};
	const struct audit_end end = {.outcome = "rejected"};
	struct err err;
	assert_int_equal(ledger_room(&place->ledger, &err), 0);
	assert_int_equal(audit_single(place->ledger.audit, &call, &end, NULL, &err), 0);
}

/* Rows of one turn may be more than the queue holds at once, by their number or by their size. */
static void has_room_for_large_rows(void **state)
{
	static char code[AUDIT_CODE_BYTES];
	static struct place place;
	(void)state;
	memset(code, 'x', sizeof(code));
	open_place(&place, "large.db");
	for (size_t i = 0; i < AUDIT_QUEUE_BYTES / sizeof(code) + 2; i++)
		queue_in(&place, span_of(code, sizeof(code)));
	ledger_wait(&place.ledger, &place.wait, on_told);
	(void)event_base_loop(place.base, EVLOOP_NONBLOCK);
	assert_int_equal(place.rc, 0);
	close_place(&place);
}

/* A row that was queued for a log which is lost is in no log: whoever waits for it is told. */
static void tells_whose_rows_a_reload_drops(void **state)
{
	static struct place place;
	struct err err = {0};
	(void)state;
	open_place(&place, "lost.db");
	queue_in(&place, span_text("1"));
	ledger_wait(&place.ledger, &place.wait, on_told);
	assert_int_equal(unlink(place.options.path), 0);
	assert_int_equal(ledger_reload(&place.ledger, &place.options, &err), 0);
	(void)event_base_loop(place.base, EVLOOP_NONBLOCK);
	assert_int_equal(place.rc, -ESTALE);
	/* The new log is as good as any. */
	queue_in(&place, span_text("2"));
	ledger_wait(&place.ledger, &place.wait, on_told);
	(void)event_base_loop(place.base, EVLOOP_NONBLOCK);
	assert_int_equal(place.rc, 0);
	close_place(&place);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(ticks_under_constant_load),
		cmocka_unit_test(has_room_for_large_rows),
		cmocka_unit_test(tells_whose_rows_a_reload_drops)};
	return cmocka_run_group_tests(tests, temp_folder_make, temp_folder_remove);
}
