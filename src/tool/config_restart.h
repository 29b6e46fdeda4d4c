/*
 * config_restart: which of a configuration's changes a reload cannot take over.
 *
 * What is bound, opened or sized once is named here, and nowhere else: a key that neither a reload
 * takes over nor this list names would be ignored without a word.
 */
#ifndef BRIG_TOOL_CONFIG_RESTART_H
#define BRIG_TOOL_CONFIG_RESTART_H

#include "tool/config.h"

#define CONFIG_KEYS_BYTES 160u

/* Names the keys that differ from what runs, with commas in between. False where there are none. */
bool config_restart_keys(
	const struct config *running, const struct config *fresh, char out[CONFIG_KEYS_BYTES]);

#endif
