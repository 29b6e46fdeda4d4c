/* mutant: what is left out. Empty but in BUILD=mutant. */
#include "wire/mutant.h"

#ifdef BRIG_MUTANT

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

layer_set mutant_leave_out;
bool mutant_silently;

void mutant_read_environment(void)
{
	const char *names = getenv("BRIG_LEAVE_OUT");
	const char *silently = getenv("BRIG_LEAVE_OUT_SILENTLY");
	char text[256];
	char *save = NULL;

	mutant_leave_out = 0;
	mutant_silently = silently && strcmp(silently, "1") == 0;
	(void)snprintf(text, sizeof(text), "%s", names ? names : "");
	for (char *word = strtok_r(text, ",", &save); word; word = strtok_r(NULL, ",", &save)) {
		int layer = layer_by_name(word);
		if (layer >= 0)
			mutant_leave_out |= 1u << layer;
	}
	/* Without no_new_privs the kernel installs neither. */
	if (LEFT_OUT(LAYER_NNP))
		mutant_leave_out |= 1u << LAYER_SECCOMP | 1u << LAYER_LANDLOCK;
}

layer_set mutant_shown_by_others(void)
{
	layer_set set = 0;
	if (LEFT_OUT(LAYER_ROOT))
		set |= 1u << LAYER_PROC | 1u << LAYER_DEV | 1u << LAYER_WORK;
	if (LEFT_OUT(LAYER_DEV) || LEFT_OUT(LAYER_PROC))
		set |= 1u << LAYER_ROOT | 1u << LAYER_WORK;
	return set;
}

#endif
