/* run_request: the options of `brig run` as a job: code read, inputs opened and hashed. */
#ifndef BRIG_CMD_RUN_REQUEST_H
#define BRIG_CMD_RUN_REQUEST_H

#include "cmd/run_options.h"

/*
 * Fills an initialised spec. Everything is checked here, before anything is started. Returns an
 * exit status: 0; 2 for a path that cannot be read; 126 for a request that is refused; 125 where
 * the host fails (no memory, no random numbers). `err` then says why, in one line.
 */
int run_request_make(const struct run_options *options, struct job_spec *spec, struct err *err);

#endif
