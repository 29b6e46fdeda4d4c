/*
 * run_upload: a job as an HTTP request: JSON, or multipart where it has inputs or a standard input,
 * which are sent from their own descriptors and never held in memory.
 */
#ifndef BRIG_CMD_RUN_UPLOAD_H
#define BRIG_CMD_RUN_UPLOAD_H

#include "cmd/run_parts.h"

/* Head, code, then two for each input and for standard input, and the closing boundary. */
#define UPLOAD_PARTS_MAX (2 * (LIMIT_INPUTS + 1) + 3)

struct run_upload {
	struct buf text; /* all that is not a file's, in order */
	struct {
		int fd; /* -1: of the text; borrowed from the spec */
		uint64_t bytes;
	} parts[UPLOAD_PARTS_MAX];
	size_t part_count, next;
	uint64_t sent; /* of the next part */
	size_t text_at;
};

/* 0 or -ENOMEM. */
int run_upload_init(struct run_upload *upload, const struct run *run, const char *token) MUST_CHECK;
void run_upload_done(struct run_upload *upload);

bool run_upload_over(const struct run_upload *upload);

/* Sends what the socket takes now. 0 or -errno; a server that has hung up may have answered. */
int run_upload_step(struct run_upload *upload, int fd) MUST_CHECK;

#endif
