/*
 * spool: a file of a request's body, written to the private store as it comes, never whole into
 * memory.
 *
 *	spool_init(&spool, dispatcher, max_bytes)
 *	spool_begin(&spool)		a file begins; the one before has been taken
 *	spool_add(&spool, piece)
 *	TAKE_FD(spool.fd), spool.bytes, spool_digest(&spool, digest)
 *	spool_done(&spool)		gives the room back
 *
 * `max_bytes` is of all files of the request; beside that all requests share SPOOL_BYTES_MAX, and
 * a quarter as many files as jobs may leave, for each holds a descriptor open.
 */
#ifndef BRIG_API_SPOOL_H
#define BRIG_API_SPOOL_H

#include "api/dispatcher.h"
#include "tool/digest.h"

#include <sodium.h>

#define SPOOL_BYTES_MAX (2 * GIB)

struct spool {
	struct dispatcher *dispatcher;
	int fd;		/* -1: no file is open */
	uint64_t bytes; /* of the file */
	uint64_t counted, max_bytes;
	size_t files; /* begun so far */
	bool unkept;  /* only counted and hashed: set after spool_init */
	crypto_hash_sha256_state hash;
};

void spool_init(struct spool *spool, struct dispatcher *dispatcher, uint64_t max_bytes);
void spool_done(struct spool *spool);

/* 0; -EBUSY all requests have too many files; -errno there is no room for one. */
int spool_begin(struct spool *spool) MUST_CHECK;

/* 0; -E2BIG the request has too much; -EBUSY all requests have; -errno it cannot be written. */
int spool_add(struct spool *spool, struct span piece) MUST_CHECK;

void spool_digest(struct spool *spool, unsigned char ret_digest[DIGEST_BYTES]);

#endif
