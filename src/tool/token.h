/*
 * token: bearer tokens, of which brig keeps nothing but the SHA-256.
 *
 * A token is looked up by hashing what was presented and comparing it with every stored hash in
 * constant time. Tokens are random (token_make), so that a plain hash is enough.
 */
#ifndef BRIG_TOOL_TOKEN_H
#define BRIG_TOOL_TOKEN_H

#include "base/err.h"
#include "base/span.h"
#include "tool/role.h"

#include <stdbool.h>

#define TOKEN_BYTES_MAX 4096u /* longer ones match nothing */
#define TOKEN_TEXT_BYTES 64u
#define TOKEN_HASH_BYTES 32u

struct token {
	char name[ROLE_NAME_BYTES];
	unsigned char sha256[TOKEN_HASH_BYTES];
	const struct role *role;
};

/* The token that hashes to `presented`, or NULL. Looks at all of them, whatever matches. */
const struct token *token_find(const struct token *tokens, size_t count, struct span presented);

/* A fresh token, "brig_" and 256 random bits, and its SHA-256 in hexadecimal. 0 or -EIO. */
int token_make(
	char ret_token[TOKEN_TEXT_BYTES], char ret_sha256[2 * TOKEN_HASH_BYTES + 1]) MUST_CHECK;

/* 64 hexadecimal digits of either case. False where it is anything else. */
bool token_hash_read(const char *text, unsigned char ret_sha256[TOKEN_HASH_BYTES]);

#endif
