/* run_spool: pieces, the oldest first. */
#include "cmd/run_spool.h"

#include "wire/limits.h"

#include <limits.h>
#include <sys/stat.h>

#define HELD_BYTES_MAX (2 * LIMIT_OUTPUT_BYTES_MAX + 16 * MIB)
#define DROP_BYTES (1 * MIB)

struct piece {
	size_t bytes;
	bool is_stderr;
};

void run_spool_init(struct run_spool *spool, struct sink *out, struct sink *err)
{
	*spool = (struct run_spool){.sinks = {out, err}};
	buf_init(&spool->held, HELD_BYTES_MAX);
}

void run_spool_done(struct run_spool *spool)
{
	buf_done(&spool->held);
}

int run_spool_add(struct run_spool *spool, bool is_stderr, struct span data)
{
	const struct piece piece = {.bytes = data.len, .is_stderr = is_stderr};
	if (!data.len)
		return 0;
	int rc = buf_add(&spool->held, &piece, sizeof(piece));
	return rc ? rc : buf_add(&spool->held, data.data, data.len);
}

static struct piece first_of(const struct run_spool *spool)
{
	struct piece piece;
	memcpy(&piece, spool->held.data + spool->used, sizeof(piece));
	return piece;
}

int run_spool_fd(const struct run_spool *spool)
{
	if (spool->used == spool->held.len)
		return -1;
	return spool->sinks[first_of(spool).is_stderr]->fd;
}

/* A pipe that polls as writable takes PIPE_BUF bytes; on a terminal each may become four. */
static size_t step_bytes(const struct sink *sink)
{
	struct stat status;
	if (sink->terminal)
		return PIPE_BUF / 4;
	bool is_file = fstat(sink->fd, &status) == 0 && S_ISREG(status.st_mode);
	return is_file || sink->closed ? 16 * PIPE_BUF : PIPE_BUF;
}

int run_spool_step(struct run_spool *spool)
{
	struct piece piece = first_of(spool);
	struct sink *sink = spool->sinks[piece.is_stderr];
	size_t most = step_bytes(sink), bytes = piece.bytes < most ? piece.bytes : most;
	const unsigned char *data = spool->held.data + spool->used + sizeof(piece);
	int rc = sink_write(sink, span_of(data, bytes));
	/* What is left of a piece gets a head of its own, over what has just been written. */
	spool->used += bytes;
	if (piece.bytes == bytes) {
		spool->used += sizeof(piece);
	} else {
		piece.bytes -= bytes;
		memcpy(spool->held.data + spool->used, &piece, sizeof(piece));
	}
	if (spool->used > DROP_BYTES || spool->used == spool->held.len) {
		buf_drop(&spool->held, spool->used);
		spool->used = 0;
	}
	return rc;
}
