/* spool: written, counted, hashed. */
#include "api/spool.h"

#include "base/fd.h"

#include <errno.h>

#define FILES_SHARE 4u

void spool_init(struct spool *spool, struct dispatcher *dispatcher, uint64_t max_bytes)
{
	*spool = (struct spool){.dispatcher = dispatcher, .fd = -1, .max_bytes = max_bytes};
}

void spool_done(struct spool *spool)
{
	if (!spool->unkept)
		spool->dispatcher->upload_bytes -= spool->counted;
	spool->dispatcher->upload_files -= spool->files;
	spool->counted = 0;
	spool->files = 0;
	fd_close(&spool->fd);
}

int spool_begin(struct spool *spool)
{
	fd_close(&spool->fd);
	spool->bytes = 0;
	(void)crypto_hash_sha256_init(&spool->hash);
	if (spool->unkept)
		return 0;
	struct dispatcher *dispatcher = spool->dispatcher;
	if (dispatcher->upload_files >= dispatcher->jobs.file_count_max / FILES_SHARE)
		return -EBUSY;
	int rc = jobs_scratch_file(&dispatcher->jobs, &spool->fd);
	if (rc < 0)
		return rc;
	spool->files++;
	dispatcher->upload_files++;
	return 0;
}

int spool_add(struct spool *spool, struct span piece)
{
	if (piece.len > spool->max_bytes - spool->counted)
		return -E2BIG;
	if (!spool->unkept && piece.len > SPOOL_BYTES_MAX - spool->dispatcher->upload_bytes)
		return -EBUSY;
	spool->counted += piece.len;
	spool->bytes += piece.len;
	(void)crypto_hash_sha256_update(&spool->hash, piece.data, piece.len);
	if (spool->unkept)
		return 0;
	spool->dispatcher->upload_bytes += piece.len;
	return fd_write_all(spool->fd, piece.data, piece.len);
}

void spool_digest(struct spool *spool, unsigned char ret_digest[DIGEST_BYTES])
{
	(void)crypto_hash_sha256_final(&spool->hash, ret_digest);
}
