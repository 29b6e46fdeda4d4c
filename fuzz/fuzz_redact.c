/*
 * fuzz_redact: any bytes through the redactor.
 *
 * It traps where the result depends on how the stream was cut, where a token that is planted into
 * the bytes survives, and where anything is held back for good.
 */
#include "audit/redact.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool holds)
{
	if (!holds)
		__builtin_trap();
}

static struct redact *redact_once(void)
{
	static struct redact *redact;
	const struct span values[] = {
		span_text("configured-value"), span_text("configured-value-2")};
	if (!redact)
		require(redact_new(values, 2, &redact) == 0);
	return redact;
}

static void push(struct redact *redact, const uint8_t *data, size_t size, struct buf *out)
{
	require(redact_push(redact, data, size, out) == 0);
}

static void same(const struct buf *a, const struct buf *b)
{
	require(a->len == b->len && (a->len == 0 || memcmp(a->data, b->data, a->len) == 0));
}

/* The first two bytes say how long the chunks are. */
static void cut_elsewhere(const uint8_t *data, size_t size)
{
	struct redact *redact = redact_once();
	cleanup_buf struct buf whole = {0}, cut = {0};
	buf_init(&whole, 16 * size + 4096);
	buf_init(&cut, 16 * size + 4096);
	require(redact_text(redact, span_of(data, size), &whole) == 0);
	for (size_t at = 0, n = 0; at < size; n++) {
		size_t piece = 1 + (size_t)(data[n % 2] + n) % 61;
		piece = piece < size - at ? piece : size - at;
		push(redact, data + at, piece, &cut);
		at += piece;
	}
	require(redact_finish(redact, &cut) == 0);
	same(&whole, &cut);
}

static void plant(const uint8_t *data, size_t size)
{
	static const char random[] = "Xq7Rk2Vw9LmTz4Bn8CdFh3GjKp6SsYaEu1Wo";
	struct redact *redact = redact_once();
	cleanup_buf struct buf out = {0};
	size_t middle = size / 2;
	if (memmem(data, size, random + 9, 4))
		return;
	buf_init(&out, 16 * size + 4096);
	push(redact, data, middle, &out);
	push(redact, (const uint8_t *)" ghp", 4, &out);
	push(redact, (const uint8_t *)"_", 1, &out);
	push(redact, (const uint8_t *)random, sizeof(random) - 1, &out);
	push(redact, data + middle, size - middle, &out);
	require(redact_finish(redact, &out) == 0);
	require(out.len == 0 || !memmem(out.data, out.len, random + 9, 18));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (size < 2)
		return 0;
	cut_elsewhere(data, size);
	plant(data, size);
	return 0;
}
