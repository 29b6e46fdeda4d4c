/* token: hashing what was presented, comparing without telling where it differs. */
#include "tool/token.h"

#include <errno.h>
#include <sodium.h>
#include <stdio.h>
#include <string.h>

const struct token *token_find(const struct token *tokens, size_t count, struct span presented)
{
	unsigned char sha256[TOKEN_HASH_BYTES];
	const struct token *found = NULL;

	if (presented.len == 0 || presented.len > TOKEN_BYTES_MAX)
		return NULL;
	(void)crypto_hash_sha256(sha256, presented.data, presented.len);
	for (size_t i = 0; i < count; i++)
		if (sodium_memcmp(sha256, tokens[i].sha256, sizeof(sha256)) == 0)
			found = &tokens[i];
	sodium_memzero(sha256, sizeof(sha256));
	return found;
}

int token_make(char ret_token[TOKEN_TEXT_BYTES], char ret_sha256[2 * TOKEN_HASH_BYTES + 1])
{
	static const char prefix[] = "brig_";
	unsigned char random[32], sha256[TOKEN_HASH_BYTES];
	const int variant = sodium_base64_VARIANT_URLSAFE_NO_PADDING;

	if (sodium_init() < 0)
		return -EIO;
	randombytes_buf(random, sizeof(random));
	memcpy(ret_token, prefix, sizeof(prefix));
	(void)sodium_bin2base64(ret_token + sizeof(prefix) - 1,
		TOKEN_TEXT_BYTES - sizeof(prefix) + 1, random, sizeof(random), variant);
	(void)crypto_hash_sha256(sha256, (const unsigned char *)ret_token, strlen(ret_token));
	(void)sodium_bin2hex(ret_sha256, 2 * TOKEN_HASH_BYTES + 1, sha256, sizeof(sha256));
	sodium_memzero(random, sizeof(random));
	return 0;
}

bool token_hash_read(const char *text, unsigned char ret_sha256[TOKEN_HASH_BYTES])
{
	unsigned char sha256[TOKEN_HASH_BYTES];
	size_t bytes = 0;

	if (strlen(text) != 2 * TOKEN_HASH_BYTES)
		return false;
	if (sodium_hex2bin(sha256, sizeof(sha256), text, 2 * TOKEN_HASH_BYTES, NULL, &bytes, NULL) <
			0 ||
		bytes != sizeof(sha256))
		return false;
	memcpy(ret_sha256, sha256, sizeof(sha256));
	return true;
}
