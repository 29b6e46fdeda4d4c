/*
 * gaps: what preloading has freed lies scattered over the heap; a child that fills such gaps copies
 * a page for nearly each block. Filling them once, in the zygote, makes a child's own blocks lie
 * side by side in pages of their own.
 *
 * Source: mallinfo2(3), malloc_trim(3); Objects/obmalloc.c of CPython 3.13 (pools of 16 KiB in
 * whose header the count of used blocks comes first).
 */
#ifndef BRIG_ZYGOTE_GAPS_H
#define BRIG_ZYGOTE_GAPS_H

/* Fills the gaps of malloc's heap and of Python's object allocator, and gives whole free pages back
 * to the kernel. Call last, before the first fork. Never fails: a gap that stays costs time. */
void gaps_fill(void);

#endif
