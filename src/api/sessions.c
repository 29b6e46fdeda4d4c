/* sessions: two lists; there are a few dozen at a time. */
#include "api/sessions.h"

#include "base/clock.h"
#include "tool/session_time.h"
#include "tool/text.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SWEEP_SECONDS 1
#define SPARE_MS 2000u /* the service's own clock has the first word */

static void forget(struct sessions *sessions, struct session *session)
{
	TAILQ_REMOVE(&sessions->tombstones, session, link);
	sessions->tombstone_count--;
	free(session);
}

static void let_go(struct session *session)
{
	if (session->user_free)
		session->user_free(session->user);
	session->user = NULL;
	session->user_free = NULL;
}

void sessions_drop(struct sessions *sessions, struct session *session)
{
	if (session->lost) {
		forget(sessions, session);
		return;
	}
	TAILQ_REMOVE(&sessions->open, session, link);
	let_go(session);
	free(session);
}

void sessions_lose(struct sessions *sessions, struct session *session, const char *why)
{
	if (session->lost)
		return;
	TAILQ_REMOVE(&sessions->open, session, link);
	let_go(session);
	session->lost = true;
	session->forget_ms = clock_now_ms() + SESSIONS_TOMBSTONE_MS;
	(void)snprintf(
		session->why, sizeof(session->why), "%s", why[0] ? why : "its process has ended");
	struct session *oldest = TAILQ_FIRST(&sessions->tombstones);
	if (oldest && sessions->tombstone_count >= SESSIONS_TOMBSTONES_MAX)
		forget(sessions, oldest);
	TAILQ_INSERT_TAIL(&sessions->tombstones, session, link);
	sessions->tombstone_count++;
}

static void expire(struct sessions *sessions, struct session *session)
{
	char figure[TEXT_FIGURE_BYTES], why[SESSIONS_WHY_BYTES];
	bool aged = session->life_until_ms <= session->idle_until_ms;
	(void)snprintf(why, sizeof(why),
		aged ? "it had reached its age of %s" : "it had no call for %s",
		text_ms(aged ? session->life_ms : session->idle_ms, figure));
	sessions_lose(sessions, session, why);
}

static void on_sweep(evutil_socket_t fd, short what, void *context)
{
	struct sessions *sessions = context;
	struct session *next;
	uint64_t now_ms = clock_now_ms();
	(void)fd;
	(void)what;
	for (struct session *at = TAILQ_FIRST(&sessions->open); at; at = next) {
		next = TAILQ_NEXT(at, link);
		uint64_t until_ms = at->idle_until_ms < at->life_until_ms ? at->idle_until_ms
									  : at->life_until_ms;
		if (!at->calls && until_ms + SPARE_MS < now_ms)
			expire(sessions, at);
	}
	for (struct session *at = TAILQ_FIRST(&sessions->tombstones); at; at = next) {
		next = TAILQ_NEXT(at, link);
		if (at->forget_ms < now_ms)
			forget(sessions, at);
	}
}

int sessions_init(struct sessions *sessions, struct event_base *base, struct links *links)
{
	const struct timeval often = {.tv_sec = SWEEP_SECONDS};
	sessions->links = links;
	sessions->sweep = event_new(base, -1, EV_PERSIST, on_sweep, sessions);
	return sessions->sweep && event_add(sessions->sweep, &often) == 0 ? 0 : -ENOMEM;
}

void sessions_done(struct sessions *sessions)
{
	struct session *next;
	for (struct session *at = TAILQ_FIRST(&sessions->open); at; at = next) {
		next = TAILQ_NEXT(at, link);
		sessions_drop(sessions, at);
	}
	for (struct session *at = TAILQ_FIRST(&sessions->tombstones); at; at = next) {
		next = TAILQ_NEXT(at, link);
		forget(sessions, at);
	}
	if (sessions->sweep)
		event_free(sessions->sweep);
	sessions->sweep = NULL;
}

/* Whether the role has as many as it may have; then `err` says who has them. */
static int count_of_role(const struct sessions *sessions, const struct who *who, struct err *err)
{
	const struct role *role = who->role;
	const struct session *session;
	unsigned count = 0, own = 0;
	TAILQ_FOREACH(session, &sessions->open, link)
	{
		count += strcmp(session->role, role->name) == 0;
		own += session_is_of(session, who);
	}
	if (count < role->sessions_max)
		return 0;
	if (own)
		return err_set(err, -EDQUOT, "session",
			"the role's limit sessions_max (%u) is reached: open are %u, and %u of "
			"them "
			"yours; end one that you need no more",
			role->sessions_max, count, own);
	return err_set(err, -EDQUOT, "session",
		"the role's limit sessions_max (%u) is reached: open are %u, all of other callers "
		"with this role; try again when one of them has ended",
		role->sessions_max, count);
}

static uint64_t granted(uint64_t wanted_ms, uint64_t max_ms)
{
	return wanted_ms && wanted_ms < max_ms ? wanted_ms : max_ms;
}

int sessions_begin(struct sessions *sessions, const struct who *who, uint64_t idle_ms,
	uint64_t life_ms, struct session **ret_session, struct err *err)
{
	const struct role *role = who->role;
	if (!role->sessions)
		return err_set(
			err, -EPERM, "session", "this role has no sessions; leave `session` out");
	int rc = count_of_role(sessions, who, err);
	if (rc < 0)
		return rc;
	struct session *session = calloc(1, sizeof(*session));
	if (!session || session_id_make(session->id) < 0) {
		free(session);
		return err_set(err, -ENOMEM, "session", "out of memory");
	}
	uint64_t now_ms = clock_now_ms();
	(void)snprintf(session->role, sizeof(session->role), "%s", role->name);
	(void)snprintf(session->token, sizeof(session->token), "%s", who->token);
	(void)snprintf(session->owner, sizeof(session->owner), "%s", who->owner);
	(void)snprintf(session->image, sizeof(session->image), "%s", role->image);
	session->begun_ms = session_now_ms();
	session->born_ms = now_ms;
	session->idle_asked = idle_ms > 0;
	session->life_ms = granted(life_ms, role->session_life_ms);
	/* A session may ask to stay idle for all its life. */
	session->idle_ms = granted(idle_ms, idle_ms ? session->life_ms : role->session_idle_ms);
	session->idle_until_ms = now_ms + session->idle_ms;
	session->life_until_ms = now_ms + session->life_ms;
	TAILQ_INSERT_TAIL(&sessions->open, session, link);
	*ret_session = session;
	return 0;
}

struct who_made session_made(const struct session *session)
{
	return (struct who_made){session->role, session->token, session->owner};
}

bool session_is_of(const struct session *session, const struct who *who)
{
	const struct who_made made = session_made(session);
	return who_is_maker(who, &made) &&
	       (session->lost || strcmp(session->role, who->role->name) == 0);
}

#define USUAL(member)                                                                              \
	do {                                                                                       \
		if (!limits->member)                                                               \
			limits->member = session->limits.member;                                   \
	} while (0)

#define BOUND(member)                                                                              \
	do {                                                                                       \
		if (!limits->member || limits->member > session->limits.member)                    \
			limits->member = session->limits.member;                                   \
	} while (0)

void session_limit(const struct session *session, struct job_limits *limits)
{
	USUAL(wall_ms);
	USUAL(cpu_ms);
	USUAL(output_bytes);
	BOUND(memory_bytes);
	BOUND(work_bytes);
	BOUND(work_inodes);
	BOUND(processes);
	BOUND(cpus);
}

static struct session *find_in(struct session_list *list, struct span id)
{
	struct session *session;
	TAILQ_FOREACH(session, list, link)
	if (span_is(id, session->id))
		return session;
	return NULL;
}

struct session *sessions_by_id(struct sessions *sessions, struct span id)
{
	return find_in(&sessions->open, id);
}

struct session *sessions_find(struct sessions *sessions, const struct who *who, struct span id)
{
	struct session *session = find_in(&sessions->open, id);
	if (!session)
		session = find_in(&sessions->tombstones, id);
	return session && session_is_of(session, who) ? session : NULL;
}

int session_check(const struct session *session, struct err *err)
{
	if (!session)
		return err_set(err, -ENOENT, "session",
			"no such session; pass session: \"new\" to begin one");
	if (session->lost)
		return err_set(err, -ESTALE, "session",
			"this session is lost: %s; its variables and files are gone. Pass "
			"session: \"new\" to begin again",
			session->why);
	return 0;
}

static uint64_t left(uint64_t until_ms, uint64_t now_ms)
{
	return until_ms > now_ms ? until_ms - now_ms : 0;
}

uint64_t session_life_left_ms(const struct session *session, const struct role *role)
{
	uint64_t most_ms = role->session_life_ms < SESSION_LIFE_MS_MAX ? role->session_life_ms
								       : SESSION_LIFE_MS_MAX;
	return left(session->born_ms + most_ms, clock_now_ms());
}

bool sessions_tighten(struct session *session, const struct role *role, uint64_t *ret_idle_ms,
	uint64_t *ret_life_ms)
{
	uint64_t now_ms = clock_now_ms(), life_ms = session_life_left_ms(session, role);
	uint64_t idle_max_ms = session->idle_asked ? role->session_life_ms : role->session_idle_ms;
	*ret_idle_ms = *ret_life_ms = 0;
	if (session->idle_ms > idle_max_ms)
		*ret_idle_ms = session->idle_ms = idle_max_ms;
	if (session->life_until_ms > now_ms + life_ms) {
		*ret_life_ms = life_ms ? life_ms : 1;
		session->life_until_ms = now_ms + life_ms;
		session->life_ms = role->session_life_ms;
	}
	return *ret_idle_ms || *ret_life_ms;
}

void sessions_heard(
	struct sessions *sessions, struct session *session, const struct session_status *status)
{
	uint64_t now_ms = clock_now_ms();
	if (session->lost || status->state == SESSION_ALONE)
		return;
	session->heard = true;
	if (status->state == SESSION_LOST) {
		sessions_lose(sessions, session, status->lost_why);
		return;
	}
	session->idle_until_ms = now_ms + status->idle_left_ms;
	session->life_until_ms = now_ms + status->life_left_ms;
}

void sessions_link_changed(struct sessions *sessions, const char *image)
{
	struct session *next;
	uint64_t epoch = links_epoch(sessions->links, image);
	for (struct session *at = TAILQ_FIRST(&sessions->open); at; at = next) {
		next = TAILQ_NEXT(at, link);
		if (strcmp(at->image, image) == 0 && at->epoch && at->epoch != epoch)
			sessions_lose(sessions, at, "the interpreter service was started again");
	}
}

void session_status_of(const struct session *session, struct session_status *ret_status)
{
	uint64_t now_ms = clock_now_ms();
	*ret_status = (struct session_status){
		.state = session->lost ? SESSION_LOST : SESSION_ALIVE,
		.idle_left_ms = left(session->idle_until_ms, now_ms),
		.life_left_ms = left(session->life_until_ms, now_ms),
	};
	(void)snprintf(ret_status->lost_why, sizeof(ret_status->lost_why), "%s", session->why);
}
