/*
 * quantity: sizes and durations as people write them.
 *
 * A decimal number of at most three places and a unit, in any case. What is too large to count
 * becomes UINT64_MAX, which its ceiling then takes down. False where the text is malformed.
 */
#ifndef BRIG_BASE_QUANTITY_H
#define BRIG_BASE_QUANTITY_H

#include <stdbool.h>
#include <stdint.h>

/* "512M": bytes, or K, M, G (KiB, MiB, GiB) of 1,024. */
bool quantity_size(const char *text, uint64_t *ret_bytes);

/* "10s", "1.5m", "250ms": ms, s, m. */
bool quantity_duration(const char *text, uint64_t *ret_ms);

#endif
