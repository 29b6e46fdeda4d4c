/* gaps: see the header. What is taken here is never given back. */
#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include "zygote/gaps.h"

#include <malloc.h>
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

#define BLOCK_MAX_BYTES (64u * 1024)
#define BLOCK_MIN_BYTES 24u
#define STEP_BYTES 16u

#define OBJECT_MAX_BYTES 512u
#define POOL_BYTES (16u * 1024)
/* Of one size; far above what a warm interpreter has free. */
#define OBJECTS_MAX 65536u

/* Large to small, so that few blocks fill a large gap. A block from the heap's end means that there
 * is no gap of that size any more. */
static void fill_malloc(void)
{
	const struct mallinfo2 info = mallinfo2();
	const uintptr_t end = (uintptr_t)sbrk(0) - info.keepcost;
	size_t left = info.fordblks > info.keepcost ? info.fordblks - info.keepcost : 0;

	for (size_t bytes = BLOCK_MAX_BYTES; bytes >= BLOCK_MIN_BYTES;
		bytes -= bytes > 1024 ? bytes / 8 & ~(size_t)15 : STEP_BYTES) {
		while (left >= bytes) {
			void *block = malloc(bytes);
			if (!block || (uintptr_t)block >= end) {
				free(block);
				break;
			}
			left -= bytes;
		}
	}
}

/* Until a pool begins that has nothing else in it. */
static void fill_pools(void)
{
	for (size_t bytes = STEP_BYTES; bytes <= OBJECT_MAX_BYTES; bytes += STEP_BYTES) {
		for (unsigned i = 0; i < OBJECTS_MAX; i++) {
			const char *block = PyObject_Malloc(bytes);
			if (!block)
				return;
			const unsigned *pool =
				(const void *)((uintptr_t)block & ~(uintptr_t)(POOL_BYTES - 1));
			if (*pool == 1)
				break;
		}
	}
}

void gaps_fill(void)
{
	fill_pools();
	/* Merges what is free and gives whole pages of it back: a block laid over them touches
	 * its own head only. */
	(void)malloc_trim(0);
	fill_malloc();
	(void)malloc_trim(0);
}
