/*
 * digest: SHA-256 of what a descriptor holds.
 *
 * digest_fd reads exactly `bytes` by pread from offset 0, in pieces, so the descriptor's own offset
 * stays. 0, -errno, or -ENODATA where the file is shorter than said.
 * Source: libsodium's crypto_hash_sha256.
 */
#ifndef BRIG_TOOL_DIGEST_H
#define BRIG_TOOL_DIGEST_H

#include "base/err.h"

#include <stddef.h>
#include <stdint.h>

#define DIGEST_BYTES 32u
#define DIGEST_HEX_BYTES (2 * DIGEST_BYTES + 1)

int digest_fd(int fd, uint64_t bytes, unsigned char ret_digest[DIGEST_BYTES]) MUST_CHECK;
void digest_hex(const unsigned char digest[DIGEST_BYTES], char out[DIGEST_HEX_BYTES]);

#endif
