/* arenas: see the header. A child's new memory comes in small pages: it has to fit its limit. */
#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include "zygote/arenas.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>

#ifndef MADV_COLLAPSE
#define MADV_COLLAPSE 25
#endif

#define HUGE_BYTES (2ul << 20)
#define STRETCH_BYTES (128ul << 20) /* what lies beyond is mapped arena by arena */
#define FREE_MAX 1024u
/* Of an arena in CPython 3.13. The stacks of Python's frames come from here too, in pieces of other
 * sizes, which are mapped one by one. */
#define ARENA_BYTES (1ul << 20)

static struct {
	char *start, *next, *end;
	void *free[FREE_MAX]; /* given back, of ARENA_BYTES each */
	unsigned free_count;
	char *heap;
} stretch;

static char *round_up(char *at)
{
	return (char *)(((uintptr_t)at + HUGE_BYTES - 1) & ~(HUGE_BYTES - 1));
}

static void *take(void *context, size_t bytes)
{
	(void)context;
	if (stretch.free_count && bytes == ARENA_BYTES)
		return stretch.free[--stretch.free_count];
	if (bytes == ARENA_BYTES && (size_t)(stretch.end - stretch.next) >= bytes) {
		void *arena = stretch.next;
		stretch.next += bytes;
		return arena;
	}
	void *arena = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	return arena == MAP_FAILED ? NULL : arena;
}

static void give_back(void *context, void *arena, size_t bytes)
{
	char *at = arena;
	(void)context;
	bool ours = at >= stretch.start && at < stretch.end;
	if (ours && stretch.free_count < FREE_MAX) {
		(void)madvise(arena, bytes, MADV_DONTNEED);
		stretch.free[stretch.free_count++] = arena;
	} else {
		(void)munmap(arena, bytes);
	}
}

void arenas_install(void)
{
	PyObjectArenaAllocator allocator = {.alloc = take, .free = give_back};
	char *start = mmap(NULL, STRETCH_BYTES + HUGE_BYTES, PROT_READ | PROT_WRITE,
		MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (start == MAP_FAILED)
		return;
	stretch.heap = sbrk(0);
	stretch.start = stretch.next = round_up(start);
	stretch.end = stretch.start + STRETCH_BYTES;
	(void)madvise(stretch.start, STRETCH_BYTES, MADV_NOHUGEPAGE);
	PyObject_SetArenaAllocator(&allocator);
}

static void collapse(char *from, char *to)
{
	for (char *at = round_up(from); at + HUGE_BYTES <= to; at += HUGE_BYTES)
		(void)madvise(at, HUGE_BYTES, MADV_COLLAPSE);
}

void arenas_collapse(void)
{
	if (!stretch.start)
		return;
	(void)madvise(stretch.start, STRETCH_BYTES, MADV_HUGEPAGE);
	collapse(stretch.start, stretch.next);
	(void)madvise(stretch.start, STRETCH_BYTES, MADV_NOHUGEPAGE);
	collapse(stretch.heap, sbrk(0));
}
