/* call_session: what a call in a session is to the table of sessions, from its start to its end. */
#include "api/call_parts.h"
#include "api/session_ask.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

static struct sessions *sessions_of(const struct call *call)
{
	return &call->dispatcher->sessions;
}

/* Open or lost; NULL where its caller has ended it. */
static struct session *find(const struct call *call)
{
	if (!call->session_open)
		return NULL;
	return sessions_find(sessions_of(call), &call->who, span_text(call->spec.session.id));
}

static int begin(struct call *call, struct err *err)
{
	struct job_session *wanted = &call->spec.session;
	struct session *session;
	int rc = sessions_begin(
		sessions_of(call), &call->who, wanted->idle_ms, wanted->life_ms, &session, err);
	if (rc < 0)
		return rc;
	memcpy(wanted->id, session->id, sizeof(wanted->id));
	wanted->idle_ms = session->idle_ms;
	wanted->life_ms = session->life_ms;
	session->limits = call->spec.limits;
	call->session_open = true;
	session->calls++;
	return 0;
}

static int join(struct call *call, struct err *err)
{
	struct session *session =
		sessions_find(sessions_of(call), &call->who, span_text(call->spec.session.id));
	int rc = session_check(session, err);
	if (rc < 0)
		return rc;
	call->session_open = true;
	session->calls++;
	return 0;
}

static int refusal(struct call *call, int rc, const struct err *err)
{
	if (!rc)
		return 0;
	(void)snprintf(call->detail, sizeof(call->detail), "%s", err->text);
	call->field = rc == -ENOENT || rc == -ESTALE ? "session" : NULL;
	call->retry_after_s = rc == -EDQUOT ? 5 : 0;
	switch (rc) {
	case -EPERM:
		return 403;
	case -ENOENT:
		return 404;
	case -ESTALE:
		return 410;
	case -EDQUOT:
		return 429;
	default:
		return 503;
	}
}

void call_session_limit(struct call *call)
{
	const struct session *session = call->spec.session.use != SESSION_USE
						? NULL
						: sessions_find(sessions_of(call), &call->who,
							  span_text(call->spec.session.id));
	if (session)
		session_limit(session, &call->spec.limits);
}

int call_session_admit(struct call *call)
{
	struct err err = {0};
	int rc = 0;
	if (call->spec.session.use == SESSION_NEW)
		rc = begin(call, &err);
	else if (call->spec.session.use == SESSION_USE)
		rc = join(call, &err);
	return refusal(call, rc, &err);
}

const char *call_session_image(const struct call *call)
{
	const struct session *session = find(call);
	return session ? session->image : call->who.role->image;
}

int call_session_opening(struct call *call)
{
	struct session *session = find(call);
	struct err err = {0};
	int rc = call->spec.session.use == SESSION_NONE ? 0 : session_check(session, &err);
	return refusal(call, rc, &err);
}

void call_session_opened(struct call *call)
{
	struct session *session = find(call);
	if (call->spec.session.use == SESSION_NEW && session)
		session->epoch = links_epoch(&call->dispatcher->links, session->image);
}

/*
 * The service would not: no such session any more, no room for one, no way to have one on this
 * host, or no memory for what the call brings. Nothing ran, so this is a refusal and no result. 0
 * or its status.
 */
static int refused_there(struct call *call)
{
	const struct err *fault = &call->result.fault;
	bool about =
		call->result.outcome == OUTCOME_INTERNAL && strcmp(fault->stage, "session") == 0;
	struct err err = {0};
	if (call->result.outcome == OUTCOME_INTERNAL && fault->code == -EAGAIN &&
		strcmp(fault->stage, "memory") == 0) {
		(void)snprintf(call->detail, sizeof(call->detail), "%s", fault->text);
		call->retry_after_s = 5;
		return 503;
	}
	if (!about)
		return 0;
	if (fault->code == -ESRCH)
		return refusal(call, session_check(find(call), &err), &err);
	(void)snprintf(call->detail, sizeof(call->detail), "%s", fault->text);
	call->retry_after_s = fault->code == -EAGAIN ? 5 : 0;
	return fault->code == -EAGAIN ? 429 : fault->code == -ENOTSUP ? 501 : 0;
}

int call_session_result(struct call *call)
{
	struct session_status *status = &call->result.session;
	struct session *session = find(call);
	if (!session)
		return refused_there(call);
	if (call->channel_lost)
		session_abandon(call->dispatcher, session, "the interpreter service went away");
	/* A call that never reached the service leaves its session as it was. */
	if (status->state == SESSION_ALONE &&
		(call->spec.session.use == SESSION_USE || session->lost))
		session_status_of(session, status);
	else
		sessions_heard(sessions_of(call), session, status);
	call->result.memory_most_bytes = session_limits_now(call->dispatcher, session).memory_bytes;
	if (call->spec.session.use == SESSION_NEW)
		session_hold(call->dispatcher, session); /* for a reload while it began */
	call->session_begun = status->state != SESSION_ALONE;
	return refused_there(call);
}

void call_session_release(struct call *call)
{
	struct session *session = find(call);
	call->session_open = false;
	if (!session || session->lost)
		return;
	session->calls--;
	bool is_new = call->spec.session.use == SESSION_NEW;
	/* Nobody knows the id of one whose beginner has gone, and one that did not come to be has
	 * none to know. */
	if (is_new && (call->left || !call->session_begun))
		session_end(call->dispatcher, session);
}
