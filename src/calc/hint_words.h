/*
 * hint_words: signs and words that people write, and what to write in their place. Each answers
 * NULL where it knows nothing of what stands at `at`, which ends in a NUL.
 */
#ifndef BRIG_CALC_HINT_WORDS_H
#define BRIG_CALC_HINT_WORDS_H

#include <stddef.h>

#define SANDBOX "use run_sandboxed"
#define NO_TRUTH "calculate gives numbers, not truth; " SANDBOX

/* Signs of a writer's keyboard, digits of other scripts, characters that nobody sees. */
const char *hint_symbol(const char *at);

/* A word that stands where an operator should; never NULL. */
const char *hint_word(const char *at, size_t bytes);

const char *hint_name(const char *at, size_t bytes);
const char *hint_function(const char *at, size_t bytes);

#endif
