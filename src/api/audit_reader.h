/*
 * audit_reader: reads the log for a caller, outside the loop.
 *
 * A selection over a large log takes longer than a turn of the loop may, and one process must not
 * have the log open twice. So each is a fresh exec of this program, `brig audit … --json`, whose
 * output is the answer: no descriptor and nothing of the dispatcher's memory goes along. They are
 * few at a time, each with a time limit and a cap on what it says.
 *
 * Threads: the loop's.
 */
#ifndef BRIG_API_AUDIT_READER_H
#define BRIG_API_AUDIT_READER_H

#include "api/dispatcher.h"

#define AUDIT_READER_WORDS_MAX 24u

struct audit_reader;

/* `status` is that of brig audit, or -1 where it was ended; `said` is what it printed. */
typedef void audit_reader_done(void *user, int status, struct span said);

/*
 * `words` (ended by NULL) follow `brig audit`; they are copied. `done` is called once and never
 * from within. 0, -EAGAIN where as many are at work as may be, or -errno.
 */
int audit_reader_start(struct dispatcher *dispatcher, const char *const *words,
	audit_reader_done *done, void *user, struct audit_reader **ret_reader) MUST_CHECK;

/* The client has gone: the reader is ended and `done` is not called. */
void audit_reader_leave(struct audit_reader *reader);

#endif
