/*
 * audit_wal: a thread that copies the write-ahead log into the database while rows are being
 * written.
 *
 * A checkpoint syncs the disk, which takes up to a second where much has gathered, and a caller
 * whose row is due then must not wait for it. What is committed while a pass runs is left in the
 * log: the owner copies that rest itself once the pass has ended, for only a log that is copied
 * whole begins again at its start.
 *
 * Source: https://www.sqlite.org/wal.html, section 2.1
 */
#ifndef BRIG_AUDIT_AUDIT_WAL_H
#define BRIG_AUDIT_AUDIT_WAL_H

#include "base/err.h"

#include <stdbool.h>

struct audit_wal;

/* Starts the thread, with a connection of its own to the database at `path`. */
int audit_wal_start(const char *path, struct audit_wal **ret_wal, struct err *err) MUST_CHECK;

/* Begins a pass. Returns at once; does nothing while one runs. */
void audit_wal_ask(struct audit_wal *wal);

/* Whether a pass has ended since this was last asked. A failed one has too: the rest is then
 * larger. */
bool audit_wal_ended(struct audit_wal *wal);

/* Waits for the end of a pass that runs. NULL does nothing. */
void audit_wal_stop(struct audit_wal *wal);

#endif
