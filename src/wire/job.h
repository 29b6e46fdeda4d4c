/*
 * job: one request to run code, as it crosses from a client to the service.
 *
 * REST, MCP and the command line meet in this one type. The encoded form is self-contained:
 * inputs are named and hashed in it, and the descriptors that carry them are transport.
 *
 * Ownership: a job_spec owns its code, its inputs and every descriptor in it.
 *
 * Channel: one stream socket a job. The client sends CHANNEL_JOB with the descriptors, and may
 * send CHANNEL_CANCEL or close its end, which cancels too. The service answers with any number of
 * CHANNEL_STDOUT and CHANNEL_STDERR (only where the job asked to stream), then CHANNEL_RESULT.
 */
#ifndef BRIG_WIRE_JOB_H
#define BRIG_WIRE_JOB_H

#include "base/buf.h"
#include "base/err.h"
#include "base/span.h"
#include "wire/frame.h"
#include "wire/limits.h"
#include "wire/session.h"

#include <stdbool.h>

enum channel_type {
	CHANNEL_JOB = 1,
	CHANNEL_CANCEL = 2,
	CHANNEL_STDOUT = 3,
	CHANNEL_STDERR = 4,
	CHANNEL_RESULT = 5,
	CHANNEL_SESSION = 6,	  /* instead of CHANNEL_JOB: wire/session.h */
	CHANNEL_SESSION_DONE = 7, /* the one answer to it */
};

/* The one field of CHANNEL_STDOUT and CHANNEL_STDERR: bytes as the job wrote them. */
enum channel_tag { CHANNEL_TAG_DATA = 1 };

/* The largest CHANNEL_JOB: the code and 64 inputs' names, with room to spare. */
#define JOB_FRAME_BYTES_MAX (LIMIT_CODE_BYTES + 64 * KIB)

enum chart_format { CHART_PNG, CHART_SVG };

enum session_use {
	SESSION_NONE, /* one jail for this one job */
	SESSION_NEW,  /* its cell stays; empty code: it is made and nothing is run */
	SESSION_USE,  /* in the cell of an earlier call */
};

struct job_session {
	enum session_use use;
	char id[SESSION_ID_BYTES];	     /* chosen by the client that begins it, unguessable */
	char context[SESSION_CONTEXT_BYTES]; /* which __main__ of the session; empty: the first */
	uint64_t idle_ms, life_ms;	     /* SESSION_NEW: the limits of the whole */
};

struct job_input {
	char name[LIMIT_INPUT_NAME_BYTES + 1];
	uint64_t bytes;
	unsigned char sha256[32];
	int fd; /* readable from offset 0 by pread: a regular file or a memfd; -1 while decoding */
};

struct job_spec {
	char id[40];	 /* ASCII letters, digits, '-'; chosen by the client, unguessable */
	struct buf code; /* UTF-8, may hold NUL: Python then reports a SyntaxError */
	struct job_limits limits;
	struct job_input *inputs;
	uint32_t input_count;
	int stdin_fd; /* as an input's; -1 where there is none */
	uint64_t stdin_bytes;
	enum chart_format chart_format;
	bool table_csv;
	bool stream;
	bool receipt;
	char level[16]; /* zygote level; empty lets the service choose by the imports */
	char role[64];	/* whose job it is: slots are shared out between roles */
	bool isolate;	/* the role's jobs come from zygotes of its own */
	struct job_session session;
};

void job_spec_init(struct job_spec *spec);
void job_spec_done(struct job_spec *spec);
#define cleanup_job_spec __attribute__((cleanup(job_spec_done)))

/*
 * Adds an input. `fd` is taken also on failure. -EINVAL with a text that names the fault for a
 * name that is empty, longer than 255 bytes, not UTF-8, "." or "..", or that holds '/', NUL or a
 * control character; -EEXIST for a second input of one name; -E2BIG beyond 64 inputs or 256 MiB.
 */
int job_spec_add_input(struct job_spec *spec, const char *name, uint64_t bytes,
	const unsigned char sha256[32], int fd, struct err *err) MUST_CHECK;

/* The check of a name alone, with the same texts. */
int job_input_name_check(const void *name, size_t bytes, struct err *err) MUST_CHECK;

/*
 * Appends the CHANNEL_JOB frame. `fds` (room for LIMIT_INPUTS + 1) gets the descriptors to send
 * with it, still owned by the spec: the inputs' in order, then stdin's where there is one.
 */
int job_spec_encode(
	const struct job_spec *spec, struct buf *out, int *fds, size_t *ret_fd_count) MUST_CHECK;

/*
 * Reads a CHANNEL_JOB frame into an initialised spec; takes `fds` (closed on failure). Every limit
 * is checked against its ceiling. -EBADMSG or -E2BIG, with a text.
 */
int job_spec_decode(struct span fields, int *fds, size_t fd_count, struct job_spec *spec,
	struct err *err) MUST_CHECK;

#endif
