/*
 * result: what the service knows of a job once it is over, as it crosses back to the client.
 *
 * Everything that came out of the cell is hostile bytes here: output as it was written, items as
 * the cell framed them. Only `tool` turns it into text and JSON. Descriptors are regular files of
 * the dead cell's work folder, opened read-only: copy what is needed and close them.
 *
 * Ownership: a job_result owns `storage`, which every span points into, and every descriptor.
 */
#ifndef BRIG_WIRE_RESULT_H
#define BRIG_WIRE_RESULT_H

#include "base/buf.h"
#include "base/err.h"
#include "base/span.h"
#include "wire/layer.h"
#include "wire/limits.h"
#include "wire/outcome.h"
#include "wire/session.h"

#include <stdbool.h>

/* Items 4 MiB, two streams' heads and tails, names of artifacts and of skipped files. */
#define RESULT_FRAME_BYTES_MAX (8 * MIB)
#define RESULT_ITEMS_MAX 256u
#define RESULT_SKIPPED_MAX 64u
#define RESULT_PATH_BYTES_MAX 4096u

/* What the cell's runtime reported. The payloads are its own JSON or text, unchecked. */
enum item_kind {
	ITEM_VALUE = 1, /* JSON: the last expression's value */
	ITEM_TABLE = 2, /* JSON: {"table": …, "text": …} of one display() */
	ITEM_CHART = 3, /* JSON: mime, width, height, title, alt, data; the image in `fd` */
	ITEM_ERROR = 4, /* JSON: type, message, line, traceback */
	ITEM_HINT = 5,	/* text, one line */
	ITEM_NOTE = 6,	/* text, one line */
};

struct job_item {
	enum item_kind kind;
	struct span payload;
	int fd;		/* a chart's image, else -1 */
	uint64_t bytes; /* of that image */
};

/* A stream's first LIMIT_TEXT_HEAD_BYTES and last LIMIT_TEXT_TAIL_BYTES, whole if they suffice. */
struct job_output {
	struct span head;
	struct span tail; /* empty where the head holds everything */
	uint64_t bytes;	  /* written by the job in all */
};

struct job_artifact {
	struct span name; /* relative path; any bytes but NUL */
	uint64_t bytes;
	int fd;
};

struct job_skipped {
	struct span name;
	struct span why; /* ASCII */
};

struct job_usage {
	uint64_t wall_ms;
	uint64_t cpu_ms;
	uint64_t memory_peak_bytes; /* 0 where no layer counts it; in a session on v2: so far */
	uint32_t processes_peak;    /* 0 where no layer counts it; in a session: so far */
};

/* Where the time of the job went inside the service, one stage behind the other. For those who
 * measure; no result shows it. */
struct job_stages {
	uint64_t queue_us;    /* until a cell was there for it */
	uint64_t handover_us; /* limits, inputs, until its code was sent */
	uint64_t run_us;      /* until it said that it was done, or was stopped */
	uint64_t drain_us;    /* until it stood still and its pipes were empty */
	uint64_t verdict_us;  /* until the result was ready to be sent */
};

struct job_receipt {
	bool present;
	struct layer_report layers[LAYER_COUNT];
	char image[96];	 /* its name and content hash */
	char kernel[96]; /* release of the host's kernel */
	char cgroup_version[16];
};

struct job_result {
	enum outcome outcome;
	int exit_code;	       /* -1 where the program did not end by itself */
	int signal;	       /* 0 where none ended it */
	int syscall;	       /* number, for OUTCOME_DENIED; else -1 */
	uint32_t syscall_arch; /* AUDIT_ARCH_* of that number */
	uint64_t limit_hit;    /* the limit that ended it, in its own unit; 0 where none */
	struct job_output out, err;
	struct job_item *items;
	size_t item_count;
	struct job_artifact *artifacts;
	size_t artifact_count;
	struct job_skipped *skipped;
	size_t skipped_count;
	struct job_usage usage;
	struct job_stages stages; /* 0 where the job did not come that far */
	struct job_limits
		limits; /* as applied; memory, processes, cpus 0 where nothing keeps them */
	struct job_receipt receipt;
	/* That a session's call may have; 0: not known. Not on the wire: for who knows the role. */
	uint64_t memory_most_bytes;
	struct session_status session;
	struct err fault; /* for OUTCOME_INTERNAL: for the operator's eyes, never in a result */
	struct buf storage;
};

void job_result_init(struct job_result *result);
void job_result_done(struct job_result *result);
#define cleanup_job_result __attribute__((cleanup(job_result_done)))

/*
 * Appends the CHANNEL_RESULT frame; `fds` (room for FD_MESSAGE_MAX) gets the descriptors in the
 * order in which items and artifacts stand, still owned by the result.
 */
int job_result_encode(const struct job_result *result, struct buf *out, int *fds,
	size_t *ret_fd_count) MUST_CHECK;

/*
 * Reads the fields of a CHANNEL_RESULT frame into an initialised result. Copies the bytes into
 * `storage`; takes `fds`, also on failure. -EBADMSG, -ENOMEM.
 */
int job_result_decode(
	struct span fields, int *fds, size_t fd_count, struct job_result *result) MUST_CHECK;

#endif
