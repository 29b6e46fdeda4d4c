/*
 * shares: who holds how much of what the dispatcher keeps of jobs, and who is to give some up.
 *
 * What is kept has one bound for all callers. Where it is reached, whoever holds the most gives
 * way: of the roles the one with the most, and of its callers (a token, or who comes without one)
 * again the one with the most. So nobody loses anything to those who hold more, and a role of many
 * tokens holds no more than a role of one.
 *
 * Ownership: a share lives as long as there are records of its caller's.
 */
#ifndef BRIG_API_SHARES_H
#define BRIG_API_SHARES_H

#include "api/who.h"

#include <sys/queue.h>

enum share_kind {
	SHARE_RECORDS,
	SHARE_RESULT_BYTES,
	SHARE_FILES, /* how many: each holds a descriptor open */
	SHARE_FILE_BYTES,
	SHARE_KINDS
};

/* Of a caller; or of a role, which is the sum of its callers'. */
struct share {
	TAILQ_ENTRY(share) link;
	struct share *role; /* NULL in a role's own */
	char role_name[ROLE_NAME_BYTES], token[ROLE_NAME_BYTES], owner[WHO_OWNER_BYTES];
	uint64_t held[SHARE_KINDS];  /* also of jobs that run */
	uint64_t spare[SHARE_KINDS]; /* in how many records there is some that can be given up */
};

struct shares {
	TAILQ_HEAD(share_list, share) roles, callers; /* the oldest first */
};

void shares_init(struct shares *shares);

/* The caller's, with a record more in it; NULL where memory is out. */
struct share *share_take(struct shares *shares, const struct who *who);

/* Takes the record away again; the share is gone with its last. */
void share_leave(struct shares *shares, struct share *share);

void share_hold(struct share *share, enum share_kind kind, uint64_t amount);
void share_drop(struct share *share, enum share_kind kind, uint64_t amount);

/* A record holds something of that kind that can be given up; or no longer. */
void share_spare(struct share *share, enum share_kind kind, bool is_spare);

/*
 * The caller's share to take from for `asking`, whose wish is in what it holds already; NULL where
 * nobody has anything to give up, or only those who hold less than `asking` does.
 */
struct share *share_largest(
	const struct shares *shares, enum share_kind kind, struct share *asking);

#endif
