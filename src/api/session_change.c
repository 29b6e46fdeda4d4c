/* session_change: what is needed for the row is kept here, apart from the request that asked. */
#include "api/session_change.h"

#include "api/session_audit.h"

#include <errno.h>
#include <stdlib.h>

struct session_change {
	TAILQ_ENTRY(session_change) link;
	struct dispatcher *dispatcher;
	struct who who;
	enum session_verb verb;
	char id[SESSION_ID_BYTES], path[SESSION_PATH_BYTES];
	struct buf subject;
	uint64_t bytes;
	unsigned char digest[DIGEST_BYTES];
	session_changed *changed; /* NULL: nobody waits */
	void *user;
};

static void change_free(struct session_change *change)
{
	TAILQ_REMOVE(&change->dispatcher->changes, change, link);
	buf_done(&change->subject);
	who_done(&change->who);
	free(change);
}

static const char *tool_of(enum session_verb verb)
{
	return verb == SESSION_MOVE	? SESSION_TOOL_MOVE
	       : verb == SESSION_MKDIR	? SESSION_TOOL_MKDIR
	       : verb == SESSION_REMOVE ? SESSION_TOOL_REMOVE
					: SESSION_TOOL_WRITE;
}

static int queue_row(const struct session_change *change, int rc)
{
	const struct audit_input input = {
		.name = change->path, .bytes = change->bytes, .sha256 = change->digest};
	const struct session_deed deed = {
		.tool = tool_of(change->verb),
		.session = change->id,
		.subject = span_of(change->subject.data, change->subject.len),
		.input = change->verb == SESSION_WRITE ? &input : NULL,
		.rc = rc,
	};
	return session_audit(change->dispatcher, &change->who, &deed);
}

static void on_answered(void *user, struct session_answer *answer)
{
	struct session_change *change = user;
	session_changed *changed = change->changed;
	void *waiting = change->user;
	int rc = queue_row(change, answer->err.code);
	change_free(change);
	if (changed)
		changed(waiting, answer, rc);
}

static struct session_change *change_new(struct dispatcher *dispatcher, const struct who *who,
	const struct session *session, const struct session_request *request)
{
	struct session_change *change = calloc(1, sizeof(*change));
	if (!change)
		return NULL;
	TAILQ_INSERT_TAIL(&dispatcher->changes, change, link);
	change->dispatcher = dispatcher;
	who_copy(&change->who, who);
	change->verb = request->verb;
	change->bytes = request->bytes;
	memcpy(change->id, session->id, sizeof(change->id));
	memcpy(change->path, request->path, sizeof(change->path));
	buf_init(&change->subject, 2 * SESSION_PATH_BYTES + 8);
	int rc = buf_add_text(&change->subject, request->path);
	if (!rc && request->verb == SESSION_MOVE)
		rc = buf_printf(&change->subject, " -> %s", request->target);
	if (!rc)
		return change;
	change_free(change);
	return NULL;
}

struct session_change *session_change(struct dispatcher *dispatcher, const struct who *who,
	struct session *session, struct session_request *request,
	const unsigned char digest[DIGEST_BYTES], session_changed *changed, void *user)
{
	struct session_change *change = change_new(dispatcher, who, session, request);
	if (!change) {
		session_request_done(request);
		return NULL;
	}
	if (digest)
		memcpy(change->digest, digest, sizeof(change->digest));
	change->changed = changed;
	change->user = user;
	if (session_ask(dispatcher, session, request, on_answered, change))
		return change;
	change_free(change);
	return NULL;
}

void session_change_leave(struct session_change *change)
{
	change->changed = NULL;
}

void session_change_free_all(struct dispatcher *dispatcher)
{
	struct session_change *change, *next;
	for (change = TAILQ_FIRST(&dispatcher->changes); change; change = next) {
		next = TAILQ_NEXT(change, link);
		(void)!queue_row(change, -ECONNRESET);
		change_free(change);
	}
}
