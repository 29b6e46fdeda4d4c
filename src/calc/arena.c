/*
 * arena: blocks of powers of two, each size with a list of those given back.
 *
 * Source: the GMP manual, "Custom Allocation".
 */
#include "calc/arena.h"

#include "calc/seal.h"

#include <gmp.h>
#include <string.h>

#define SMALLEST 16u
#define SIZES 19 /* 16 bytes to 4 MiB */

struct block {
	struct block *next;
};

static _Alignas(16) unsigned char pool[CALC_ARENA_BYTES];
static size_t taken;
static struct block *spare[SIZES];

static unsigned size_index(size_t bytes)
{
	unsigned index = 0;
	while (index < SIZES && (size_t)SMALLEST << index < bytes)
		index++;
	return index;
}

static void *arena_alloc(size_t bytes)
{
	unsigned index = size_index(bytes);
	if (index < SIZES && spare[index]) {
		struct block *block = spare[index];
		spare[index] = block->next;
		return block;
	}
	size_t rounded = (size_t)SMALLEST << index;
	if (index >= SIZES || rounded > sizeof(pool) - taken)
		calc_leave(125);
	void *fresh = pool + taken;
	taken += rounded;
	return fresh;
}

static void arena_free(void *memory, size_t bytes)
{
	struct block *block = memory;
	if (!block)
		return;
	unsigned index = size_index(bytes);
	block->next = spare[index];
	spare[index] = block;
}

static void *arena_realloc(void *memory, size_t old_bytes, size_t new_bytes)
{
	if (size_index(old_bytes) == size_index(new_bytes))
		return memory;
	void *moved = arena_alloc(new_bytes);
	memcpy(moved, memory, old_bytes < new_bytes ? old_bytes : new_bytes);
	arena_free(memory, old_bytes);
	return moved;
}

void calc_arena_install(void)
{
	mp_set_memory_functions(arena_alloc, arena_realloc, arena_free);
}

size_t calc_arena_peak_bytes(void)
{
	return taken;
}
