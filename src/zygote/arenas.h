/*
 * arenas: Python's small objects in one stretch of memory, so that once the zygote is warm the
 * kernel can keep it, and malloc's heap, in huge pages. A fork then copies one entry of the page
 * table for 2 MiB, and the end of a child drops one, where it would be 512 of each.
 *
 * Source: PyObject_SetArenaAllocator (CPython 3.13), madvise(2) MADV_COLLAPSE (Linux 6.1).
 */
#ifndef BRIG_ZYGOTE_ARENAS_H
#define BRIG_ZYGOTE_ARENAS_H

/* Before Python starts. Where the stretch cannot be had, Python keeps its own way. */
void arenas_install(void);

/* Once, when all is loaded. Older kernels and those without huge pages leave all as it is. */
void arenas_collapse(void);

#endif
