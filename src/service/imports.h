/*
 * imports: a quick look at which modules the code asks for. A wrong answer costs time, never
 * correctness: the cell imports whatever its zygote did not.
 */
#ifndef BRIG_SERVICE_IMPORTS_H
#define BRIG_SERVICE_IMPORTS_H

#include "base/span.h"

#include <stddef.h>

/* How many of the `modules` (top-level names) are named by an import statement of `code`: of its
 * first 256 KiB and 1,024 names. */
size_t imports_covered(struct span code, const char *const *modules, size_t count);

#endif
