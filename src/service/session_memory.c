/*
 * session_memory: what a session holds in all, and what its files may take of it.
 *
 * The cell's group is charged for what its own processes made. A file that the service writes for
 * it (an upload, a call's stdin) stands in the service's account: foreign to the group, and memory
 * of the session all the same. How much of that is left is what the cell's tmpfs hold less what the
 * group is charged for; so what the code deletes counts no more, whoever wrote it. It is taken off
 * the limit that the group gets for a call.
 *
 * What code holds in shared memory without a file looks like pages of its tmpfs: with that it can
 * hide what it was given, never more, and what hides it is charged.
 */
#include "service/session.h"

#include <errno.h>
#include <sys/vfs.h>

/* What an upload leaves free: a session whose limit is full to the brim could not run a call. */
#define ROOM_TO_RUN (16 * MIB)
#define PAGE 4096u

static int used_bytes(int folder_fd, uint64_t *sum)
{
	struct statfs status;
	if (fstatfs(folder_fd, &status) < 0)
		return -errno;
	*sum += (uint64_t)(status.f_blocks - status.f_bfree) * (uint64_t)status.f_bsize;
	return 0;
}

void session_gave(struct session *session, uint64_t bytes)
{
	session->given_bytes += (bytes + PAGE - 1) & ~(uint64_t)(PAGE - 1);
}

int session_memory(struct session *session, struct session_memory *ret_memory)
{
	const struct cell *cell = session->cell;
	struct cgroup_held held;
	uint64_t used = 0;

	*ret_memory = (struct session_memory){0};
	if (layer_in(cell->service->skip, LAYER_MEMORY))
		return 0; /* no limit is kept */
	int rc = cgroup_memory_held(&cell->cgroup, &held);
	ret_memory->held_bytes = held.anonymous + held.shared;
	if (rc < 0 || !session->given_bytes)
		return rc;
	rc = used_bytes(cell->work_fd, &used);
	if (!rc)
		rc = used_bytes(cell->tmp_fd, &used);
	if (!rc)
		rc = used_bytes(cell->shm_fd, &used);
	if (rc < 0)
		return rc;
	/* None of what is gone can come back, so the sum never says more than there is. */
	if (session->given_bytes > used)
		session->given_bytes = used;
	uint64_t foreign = used > held.shared ? used - held.shared : 0;
	ret_memory->foreign_bytes = foreign < session->given_bytes ? foreign : session->given_bytes;
	return 0;
}

int session_room(struct session *session, uint64_t limit_bytes, uint64_t *ret_bytes)
{
	struct session_memory memory;
	*ret_bytes = LIMIT_WORK_BYTES_MAX;
	if (!limit_bytes)
		limit_bytes = session->memory_bytes;
	if (layer_in(session->service->skip, LAYER_MEMORY))
		return 0;
	int rc = session_memory(session, &memory);
	uint64_t taken = memory.held_bytes + memory.foreign_bytes + ROOM_TO_RUN;
	if (rc < 0)
		return rc;
	uint64_t left = limit_bytes > taken ? limit_bytes - taken : 0;
	if (left < *ret_bytes)
		*ret_bytes = left & ~(uint64_t)(PAGE - 1);
	return 0;
}
