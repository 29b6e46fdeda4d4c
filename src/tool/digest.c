/* digest: hashing by descriptor. */
#include "tool/digest.h"

#include "base/fd.h"

#include <sodium.h>

#define PIECE_BYTES (64u * 1024u)

int digest_fd(int fd, uint64_t bytes, unsigned char ret_digest[DIGEST_BYTES])
{
	unsigned char piece[PIECE_BYTES], digest[DIGEST_BYTES];
	crypto_hash_sha256_state state;
	uint64_t at = 0;

	(void)crypto_hash_sha256_init(&state);
	while (at < bytes) {
		size_t wanted = bytes - at < sizeof(piece) ? (size_t)(bytes - at) : sizeof(piece);
		int rc = fd_pread_all(fd, piece, wanted, at);
		if (rc < 0)
			return rc;
		(void)crypto_hash_sha256_update(&state, piece, wanted);
		at += wanted;
	}
	(void)crypto_hash_sha256_final(&state, digest);
	for (size_t i = 0; i < DIGEST_BYTES; i++)
		ret_digest[i] = digest[i];
	return 0;
}

void digest_hex(const unsigned char digest[DIGEST_BYTES], char out[DIGEST_HEX_BYTES])
{
	(void)sodium_bin2hex(out, DIGEST_HEX_BYTES, digest, DIGEST_BYTES);
}
