/*
 * ledger: audit rows in groups. Whoever has queued a row waits here until it is in the log, and
 * only then starts its job or sends its reply. One commit serves all that one turn of the loop
 * brought.
 *
 *	rc = audit_single(ledger->audit, &call, &end, NULL, &err);
 *	ledger_wait(ledger, &thing->wait, on_written);
 */
#ifndef BRIG_API_LEDGER_H
#define BRIG_API_LEDGER_H

#include "audit/audit.h"
#include "tool/config.h"

#include <event2/event.h>
#include <sys/queue.h>

struct ledger_wait {
	TAILQ_ENTRY(ledger_wait) link;
	/* `rc` is 0, or -errno: the row is not in the log and what it was to cover must not be. */
	void (*written)(struct ledger_wait *wait, int rc);
	bool waiting;
	uint64_t turn;
};

struct ledger {
	struct audit *audit;
	struct event *flush, *tick;
	TAILQ_HEAD(ledger_waits, ledger_wait) waits;
	char shown_head[AUDIT_HASH_HEX_BYTES]; /* the last that went to the log */
	uint64_t turn, failures, told_ms;
	int write_rc;  /* why the last rows could not be written; 0 while they can */
	int turn_rc;   /* why rows of this turn, that somebody waits for, were dropped; or 0 */
	bool is_lost;  /* the log is not at its place: no call is served */
	bool tick_due; /* the once-a-second work waits for the flush that is about to come */
};

/* How a configuration wants the log at `path`; it is borrowed. */
void ledger_options(
	const struct config *config, const char *path, struct audit_options *ret_options);

int ledger_open(struct ledger *ledger, struct event_base *base, const struct audit_options *options,
	struct err *err) MUST_CHECK;
void ledger_close(struct ledger *ledger);

void ledger_wait(struct ledger *ledger, struct ledger_wait *wait,
	void (*written)(struct ledger_wait *wait, int rc));

/* Whether rows can be written, as far as is known; else `words` say why they cannot. */
bool ledger_ready(const struct ledger *ledger, char *words, size_t room);

/* What a caller is told whose row could not be written. */
const char *ledger_why(const struct ledger *ledger);

/* Takes changed options over; begins a new log where the old one is lost. 0 or -errno. */
int ledger_reload(
	struct ledger *ledger, const struct audit_options *options, struct err *err) MUST_CHECK;

/* No longer interested: `written` is not called. The row is written all the same. */
void ledger_forget(struct ledger *ledger, struct ledger_wait *wait);

/* Writes what is queued now, for a row whose caller cannot wait for its turn. 0 or -errno. */
int ledger_write(struct ledger *ledger, struct err *err) MUST_CHECK;

/* Rows may be queued: makes room where the queue is full. 0 or -errno. */
int ledger_room(struct ledger *ledger, struct err *err) MUST_CHECK;

#endif
