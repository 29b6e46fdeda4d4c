/*
 * source: what is done to text before and after it is parsed.
 */
#ifndef BRIG_CALC_SOURCE_H
#define BRIG_CALC_SOURCE_H

#include <stdbool.h>
#include <stddef.h>

/* Moves both ends past the characters that Python's str.strip() strips. */
void source_strip(const char **source, size_t *bytes);

/* Whether a terminal shows the character, in a column of its own, and does nothing else. */
bool is_shown(unsigned point);

#endif
