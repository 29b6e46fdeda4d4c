/* upload_room: one question, and its answer held against what comes. */
#include "api/upload_room.h"

#include "api/session_audit.h"

#include <errno.h>
#include <stdio.h>

bool upload_room_short(struct upload_room *room, uint64_t bytes)
{
	if (!room->known || bytes <= room->room_bytes)
		return false;
	(void)snprintf(room->words, sizeof(room->words), SESSION_NO_ROOM,
		(unsigned long long)(bytes + KIB - 1) / KIB,
		(unsigned long long)room->room_bytes / KIB);
	return true;
}

static void on_answer(void *user, struct session_answer *answer)
{
	struct upload_room *room = user;
	room->ask = NULL;
	room->known = !answer->err.code && answer->status.state != SESSION_LOST;
	room->room_bytes = answer->room_bytes;
	if (upload_room_short(room, room->least_bytes))
		room->on_short(room->user);
}

void upload_room_ask(struct upload_room *room, struct dispatcher *dispatcher,
	struct session *session, uint64_t least_bytes, void (*on_short)(void *user), void *user)
{
	struct session_request request;
	session_request_init(&request);
	request.verb = SESSION_STATE;
	*room = (struct upload_room){
		.least_bytes = least_bytes, .on_short = on_short, .user = user};
	/* A session that the service does not know yet would be taken for one that is lost. */
	if (session->heard)
		room->ask = session_ask(dispatcher, session, &request, on_answer, room);
}

void upload_room_leave(struct upload_room *room)
{
	if (room->ask)
		session_ask_leave(room->ask);
	room->ask = NULL;
}

int upload_room_refuse(struct upload_room *room, struct rest *rest, const char *id,
	const char *path, void (*written)(struct ledger_wait *wait, int rc))
{
	const struct session_deed deed = {.tool = SESSION_TOOL_WRITE,
		.session = id,
		.subject = span_text(path),
		.rc = -EDQUOT};
	room->refused = true;
	upload_room_leave(room);
	int rc = session_audit(rest->dispatcher, &rest->who, &deed);
	if (!rc)
		ledger_wait(&rest->dispatcher->ledger, &rest->wait, written);
	return rc;
}
