/*
 * call: one call of run_sandboxed, from whichever door, until its reply may leave.
 *
 *	admission ─► quota ─► audit "accepted" ─► channel to the service ─► result ─► files stored
 *─► audit "completed" ─► done
 *
 * A call refused on the way ends with `done` too, once its refusal is in the audit log. `done` is
 * never called from within call_start. The call frees itself after it.
 *
 * Threads: the loop's.
 */
#ifndef BRIG_API_CALL_H
#define BRIG_API_CALL_H

#include "api/dispatcher.h"
#include "api/request.h"
#include "tool/cell_stream.h"
#include "tool/json.h"
#include "tool/view.h"
#include "wire/job.h"

struct call;

struct call_end {
	int status;		/* 0: it ran, or was cancelled; else the HTTP status of a refusal */
	const char *detail;	/* of a refusal */
	const char *field;	/* at fault; NULL */
	uint32_t retry_after_s; /* for 429 and 503 */
	const char *job_id;
	enum outcome outcome;
	json_t *result;		   /* the object of the contract; borrowed; NULL for a refusal */
	const json_t *table_texts; /* of its `tables`, as a terminal shows them; or NULL */
	char *const *chart_urls;   /* where each of the object's charts is kept, or NULLs */
	struct span text;	   /* the same as JSON text */
	const struct view *view;   /* what it was made from; borrowed; NULL for a refusal */
};

struct call_sink {
	void (*accepted)(void *user, const char *job_id);	      /* may be NULL */
	void (*output)(void *user, bool is_stderr, struct span data); /* where spec.stream */
	void (*done)(void *user, const struct call_end *end);
	void *user;
};

/*
 * Takes the spec's contents (it is left initialised and empty), also on failure. `who` is copied.
 * `url_base` is how urls of files begin, "http://HOST"; empty: relative ones. NULL where memory is
 * out.
 */
struct call *call_start(struct dispatcher *dispatcher, const struct who *who, struct job_spec *spec,
	const char *url_base, const struct call_sink *sink);

/* Ends the job; its result will say `cancelled`, unless it is over already. */
void call_cancel(struct call *call);

/* After a reload: the jobs of callers that the configuration knows no more are cancelled, and what
 * they did is told to nobody but the log. */
void call_reload_all(struct dispatcher *dispatcher);

/* The client has gone: nothing of the sink is called any more, and the job is cancelled. */
void call_leave(struct call *call);

/* Backpressure: the job's output is not taken from the service meanwhile. */
void call_pause(struct call *call, bool pause);

/* The process ends: no row, no reply. */
void call_abandon(struct call *call);

/* The wall limits of all calls that the services have, together: the longest that one more can have
 * to wait for its turn. */
uint64_t call_walls_ms(const struct dispatcher *dispatcher);

/* The next of the dispatcher's calls, or NULL. */
struct call *call_after(struct call *call);

const char *call_job_id(const struct call *call);

/* The quota has a place for the waiting call of that ticket. */
void call_promote(struct dispatcher *dispatcher);

/* Writes the one audit row of a call that is refused before there is a call. `what` is its tool,
 * code and whatever else is known of it; role, token and door are taken from `who`. */
int call_audit_refusal(struct dispatcher *dispatcher, const struct who *who,
	const struct audit_call *what, const char *why) MUST_CHECK;

/*
 * The same for a call that its caller has got wrong. It counts among its role's calls a minute;
 * where those are used up, `fault` becomes that, with the time to wait.
 */
int call_audit_fault(struct dispatcher *dispatcher, const struct who *who,
	const struct audit_call *what, struct request_fault *fault,
	uint32_t *ret_retry_after_s) MUST_CHECK;

#endif
