/*
 * nearest: the name that a mistyped word most likely means, or NULL. `names` ends with NULL.
 * Time is bounded: words longer than 32 bytes are near nothing.
 */
#ifndef BRIG_BASE_NEAREST_H
#define BRIG_BASE_NEAREST_H

const char *nearest_name(const char *word, const char *const *names);

#endif
