/* session_words: what a caller is told when something about a session's files did not go well. */
#ifndef BRIG_API_SESSION_WORDS_H
#define BRIG_API_SESSION_WORDS_H

#include "base/err.h"

struct session_words {
	int status; /* of HTTP */
	const char *text;
	const char *connect; /* the code in Connect's protocol */
};

/* For the fault of a session_answer, or of session_path_check. */
struct session_words session_words(const struct err *err);

#endif
