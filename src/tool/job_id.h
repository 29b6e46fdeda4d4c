/*
 * job_id: the name of a job, which is also the key to its files: 160 random bits, so that nobody
 * guesses another's. Letters and digits only.
 */
#ifndef BRIG_TOOL_JOB_ID_H
#define BRIG_TOOL_JOB_ID_H

#include "base/err.h"

#define JOB_ID_BYTES 40u

/* Fills `out`. 0, or -EIO where the system gives no randomness. */
int job_id_make(char out[JOB_ID_BYTES]) MUST_CHECK;

/* Fills `out` with one for a session, or for what opens one. */
int session_id_make(char out[JOB_ID_BYTES]) MUST_CHECK;

/* Fills `out` with a shorter one for a fault: it is looked up in a log, it opens nothing. */
int fault_id_make(char out[JOB_ID_BYTES]) MUST_CHECK;

#endif
