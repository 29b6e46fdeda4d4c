/* words: lists of words with commas between them, as mount options and cgroup controllers are told.
 */
#ifndef BRIG_BASE_WORDS_H
#define BRIG_BASE_WORDS_H

#include <stdbool.h>
#include <stddef.h>

/* Whether `list` has the `bytes` bytes at `word` as one of its words, whole. */
bool words_have(const char *list, const char *word, size_t bytes);

#endif
