/*
 * upload_room: whether what a client uploads into a session will find room there, asked while it
 * still comes. The service has the last word when it writes; this only spares both sides the rest
 * of a body that would be refused.
 *
 *	upload_room_ask(&room, dispatcher, session, least, on_short, user)	with the head
 *	upload_room_short(&room, bytes)		with each piece
 *	upload_room_refuse(&room, …)		where it is short: its row, then 507 with
 *room.words; what still comes meanwhile is dropped upload_room_leave(&room)		the body is
 *complete, or its client has gone
 *
 * Threads: the loop's.
 */
#ifndef BRIG_API_UPLOAD_ROOM_H
#define BRIG_API_UPLOAD_ROOM_H

#include "api/rest.h"
#include "api/session_ask.h"

struct upload_room {
	struct session_ask *ask;
	bool known, refused;
	uint64_t room_bytes, least_bytes;
	void (*on_short)(void *user);
	void *user;
	char words[sizeof(((struct err *)0)->text)]; /* once it is short */
};

/* `least_bytes`: what the body will have in files at least, by its head. `on_short` is called from
 * the loop where that is too much. Without memory nothing is asked, and the write itself will tell.
 */
void upload_room_ask(struct upload_room *room, struct dispatcher *dispatcher,
	struct session *session, uint64_t least_bytes, void (*on_short)(void *user), void *user);

/* Whether that much is known to be too much; then `words` say so. */
bool upload_room_short(struct upload_room *room, uint64_t bytes);

/* The row of a refusal, once: `written` comes when it is in the log. 0 or -errno. */
int upload_room_refuse(struct upload_room *room, struct rest *rest, const char *id,
	const char *path, void (*written)(struct ledger_wait *wait, int rc)) MUST_CHECK;

void upload_room_leave(struct upload_room *room);

#endif
