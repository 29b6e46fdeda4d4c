/* shares: two short lists, gone through where something has to give way. */
#include "api/shares.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void shares_init(struct shares *shares)
{
	TAILQ_INIT(&shares->roles);
	TAILQ_INIT(&shares->callers);
}

static struct share *find(const struct share_list *list, const struct share *wanted)
{
	struct share *share;
	TAILQ_FOREACH(share, list, link)
	if (strcmp(share->role_name, wanted->role_name) == 0 &&
		strcmp(share->token, wanted->token) == 0 &&
		strcmp(share->owner, wanted->owner) == 0)
		return share;
	return NULL;
}

static struct share *find_or_make(struct share_list *list, const struct share *wanted)
{
	struct share *share = find(list, wanted);
	if (share)
		return share;
	share = malloc(sizeof(*share));
	if (!share)
		return NULL;
	*share = *wanted;
	TAILQ_INSERT_TAIL(list, share, link);
	return share;
}

static void free_if_empty(struct share_list *list, struct share *share)
{
	if (share->held[SHARE_RECORDS])
		return;
	TAILQ_REMOVE(list, share, link);
	free(share);
}

struct share *share_take(struct shares *shares, const struct who *who)
{
	struct share wanted = {0};
	(void)snprintf(wanted.role_name, sizeof(wanted.role_name), "%s", who->role->name);
	struct share *role = find_or_make(&shares->roles, &wanted);
	if (!role)
		return NULL;
	wanted.role = role;
	(void)snprintf(wanted.token, sizeof(wanted.token), "%s", who->token);
	(void)snprintf(wanted.owner, sizeof(wanted.owner), "%s", who->owner);
	struct share *share = find_or_make(&shares->callers, &wanted);
	if (share)
		share_hold(share, SHARE_RECORDS, 1);
	else
		free_if_empty(&shares->roles, role);
	return share;
}

void share_leave(struct shares *shares, struct share *share)
{
	struct share *role = share->role;
	share_drop(share, SHARE_RECORDS, 1);
	free_if_empty(&shares->callers, share);
	free_if_empty(&shares->roles, role);
}

void share_hold(struct share *share, enum share_kind kind, uint64_t amount)
{
	share->held[kind] += amount;
	share->role->held[kind] += amount;
}

void share_drop(struct share *share, enum share_kind kind, uint64_t amount)
{
	share->held[kind] -= amount;
	share->role->held[kind] -= amount;
}

void share_spare(struct share *share, enum share_kind kind, bool is_spare)
{
	uint64_t change = is_spare ? 1 : UINT64_MAX; /* one more, one less */
	share->spare[kind] += change;
	share->role->spare[kind] += change;
}

/*
 * Who of the list, of one role where that is given, holds the most. `asking` (NULL: is none of
 * them) pays for itself before its equals do, and those who hold less do not pay for it at all.
 */
static struct share *largest(const struct share_list *list, enum share_kind kind,
	const struct share *role, struct share *asking)
{
	struct share *share, *most = asking && asking->spare[kind] ? asking : NULL;
	uint64_t least = asking ? asking->held[kind] : 0;
	TAILQ_FOREACH(share, list, link)
	{
		bool is_one = share->spare[kind] && (!role || share->role == role);
		if (is_one &&
			(most ? share->held[kind] > most->held[kind] : share->held[kind] >= least))
			most = share;
	}
	return most;
}

struct share *share_largest(const struct shares *shares, enum share_kind kind, struct share *asking)
{
	const struct share *role = largest(&shares->roles, kind, NULL, asking->role);
	if (!role)
		return NULL;
	return largest(&shares->callers, kind, role, role == asking->role ? asking : NULL);
}
