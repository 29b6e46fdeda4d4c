/* words: a search that takes no part of a word for it. */
#include "base/words.h"

#include <string.h>

bool words_have(const char *list, const char *word, size_t bytes)
{
	for (const char *at = list; at; at = strchr(at, ',')) {
		if (*at == ',')
			at++;
		if (strncmp(at, word, bytes) == 0 && (at[bytes] == ',' || at[bytes] == 0))
			return true;
	}
	return false;
}
