/* ledger: flushed at the end of each turn that queued something. */
#include "api/ledger.h"

#include "api/log.h"
#include "base/clock.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#define TELL_MS 1000u /* a log that fails says so once in this time */
#define ROWS_SPARE 64u

void ledger_options(
	const struct config *config, const char *path, struct audit_options *ret_options)
{
	*ret_options = (struct audit_options){
		.path = path,
		.durability = config->audit.power ? AUDIT_POWER : AUDIT_PROCESS,
		.retention_ms = config->audit.retention_ms,
		.retention_bytes = config->audit.retention_bytes,
		.head_ms = config->audit.head_ms,
		.values = config->audit.redact_values,
		.value_count = config->audit.redact_value_count,
	};
}

/* For those who wait already: what they wait for is in no log, and on_flush tells them. */
static void note_dropped(struct ledger *ledger, int rc)
{
	if (!ledger->turn_rc && !TAILQ_EMPTY(&ledger->waits))
		ledger->turn_rc = rc;
}

static void settle(struct ledger *ledger, int rc)
{
	struct ledger_wait *wait;
	ledger->turn++;
	while ((wait = TAILQ_FIRST(&ledger->waits)) && wait->turn < ledger->turn) {
		TAILQ_REMOVE(&ledger->waits, wait, link);
		wait->waiting = false;
		wait->written(wait, rc);
	}
}

/* Told when it goes and when it is back, not with each call in between. */
static void note_place(struct ledger *ledger, int rc, const struct err *err)
{
	bool is_lost = rc == -ESTALE;
	if (is_lost == ledger->is_lost)
		return;
	ledger->is_lost = is_lost;
	if (is_lost)
		log_fault("audit_lost", err);
	else
		log_line("audit_back", NULL);
}

/* The same of a log that is at its place and takes no rows: a full disk. */
static void note_write(struct ledger *ledger, int rc, const struct err *err)
{
	if (rc == -ESTALE)
		return;
	if (rc < 0 && !ledger->write_rc)
		log_fault("audit_unwritten", err);
	else if (!rc && ledger->write_rc)
		log_line("audit_back", NULL);
	ledger->write_rc = rc;
}

bool ledger_ready(const struct ledger *ledger, char *words, size_t room)
{
	const char *why = strerrordesc_np(-ledger->write_rc);
	if (ledger->is_lost)
		(void)snprintf(words, room, "%s", ledger_why(ledger));
	else if (ledger->write_rc)
		(void)snprintf(words, room,
			"the audit log cannot be written (%s), and no call is served until it can",
			why ? why : "unknown error");
	return !ledger->is_lost && !ledger->write_rc;
}

const char *ledger_why(const struct ledger *ledger)
{
	return ledger->is_lost ? "the audit log is not at its place any more: no call is served "
				 "until the operator has put it back or reloaded brig"
			       : "the audit log cannot be written; try again";
}

int ledger_reload(struct ledger *ledger, const struct audit_options *options, struct err *err)
{
	const struct audit_head before = audit_head(ledger->audit);
	struct err lost = {0};
	bool is_anew, had_rows = audit_queued(ledger->audit) > 0;
	int rc = audit_reload(ledger->audit, options, &is_anew, err);
	/* They were queued for the log that is lost, and went with it. */
	if (is_anew && had_rows)
		note_dropped(ledger, -ESTALE);
	if (!rc && is_anew)
		log_line("audit_begins", "after", before.hash, NULL);
	note_place(ledger, audit_present(ledger->audit, &lost), &lost);
	return rc;
}

static int flush(struct ledger *ledger)
{
	struct err err = {0};
	bool had_rows = audit_queued(ledger->audit) > 0;
	int rc = audit_flush(ledger->audit, &err);
	if (rc == -ESTALE)
		note_place(ledger, rc, &err);
	if (rc < 0 || had_rows)
		note_write(ledger, rc, &err);
	if (rc < 0) {
		/* Those calls are refused, so their rows must not appear later. */
		ledger->failures++;
		uint64_t now_ms = clock_now_ms();
		if (now_ms - ledger->told_ms >= TELL_MS && rc != -ESTALE)
			log_fault("audit", &err);
		ledger->told_ms = now_ms - ledger->told_ms >= TELL_MS ? now_ms : ledger->told_ms;
		audit_abandon(ledger->audit);
	}
	return rc;
}

/* What has been queued meanwhile is written too; on_flush then finds it done and tells. */
static void tick(struct ledger *ledger)
{
	struct audit_head head;
	struct err err = {0};
	bool due = false;
	ledger->tick_due = false;
	int rc = audit_tick(ledger->audit, &head, &due, &err);
	note_place(ledger, rc, &err);
	if (rc < 0 && rc != -ESTALE)
		log_fault("audit", &err);
	else if (!rc && due && strcmp(head.hash, ledger->shown_head) != 0) {
		(void)snprintf(ledger->shown_head, sizeof(ledger->shown_head), "%s", head.hash);
		log_line("audit_head", "hash", head.hash, NULL);
	}
	/* Whoever looks at /readyz first sends nobody here until this has gone well. */
	if (ledger->write_rc && !ledger->is_lost)
		note_write(ledger, audit_probe(ledger->audit, &err), &err);
}

static void on_flush(evutil_socket_t fd, short what, void *context)
{
	struct ledger *ledger = context;
	(void)fd;
	(void)what;
	int rc = flush(ledger);
	int earlier = ledger->turn_rc;
	ledger->turn_rc = 0;
	settle(ledger, rc ? rc : earlier);
	if (ledger->tick_due)
		tick(ledger);
}

/* Behind the answers where some wait for a row; under load that is at the next flush. */
static void on_tick(evutil_socket_t fd, short what, void *context)
{
	struct ledger *ledger = context;
	(void)fd;
	(void)what;
	ledger->tick_due = true;
	if (TAILQ_EMPTY(&ledger->waits))
		tick(ledger);
}

int ledger_open(struct ledger *ledger, struct event_base *base, const struct audit_options *options,
	struct err *err)
{
	const struct timeval second = {.tv_sec = 1};
	TAILQ_INIT(&ledger->waits);
	int rc = audit_open(options, &ledger->audit, err);
	if (rc < 0)
		return rc;
	ledger->flush = event_new(base, -1, 0, on_flush, ledger);
	ledger->tick = event_new(base, -1, EV_PERSIST, on_tick, ledger);
	if (!ledger->flush || !ledger->tick || event_add(ledger->tick, &second) < 0)
		return err_set(err, -ENOMEM, "audit", "out of memory");
	return 0;
}

void ledger_close(struct ledger *ledger)
{
	if (ledger->flush)
		event_free(ledger->flush);
	if (ledger->tick)
		event_free(ledger->tick);
	audit_close(ledger->audit);
	*ledger = (struct ledger){0};
}

void ledger_wait(struct ledger *ledger, struct ledger_wait *wait,
	void (*written)(struct ledger_wait *wait, int rc))
{
	wait->written = written;
	wait->waiting = true;
	wait->turn = ledger->turn;
	TAILQ_INSERT_TAIL(&ledger->waits, wait, link);
	/* Becomes active behind what this turn of the loop has found ready. */
	event_active(ledger->flush, EV_TIMEOUT, 0);
}

void ledger_forget(struct ledger *ledger, struct ledger_wait *wait)
{
	if (!wait->waiting)
		return;
	wait->waiting = false;
	TAILQ_REMOVE(&ledger->waits, wait, link);
}

int ledger_room(struct ledger *ledger, struct err *err)
{
	return audit_has_room(ledger->audit, ROWS_SPARE) ? 0 : ledger_write(ledger, err);
}

int ledger_write(struct ledger *ledger, struct err *err)
{
	int rc = flush(ledger);
	if (!rc)
		return 0;
	/* Nobody is told here, for the caller is in the middle of something. */
	note_dropped(ledger, rc);
	return err_set(err, rc, "audit", "%s", ledger_why(ledger));
}
