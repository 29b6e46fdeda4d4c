/*
 * links: the way to the interpreter services, one for each image that a role names.
 *
 * The privileged parent starts the services and hands over one end of a link for each; over it goes
 * one end of a stream socket for each job (wire/launch.h). A link that broke is replaced by the
 * parent; until then jobs are refused with 503.
 */
#ifndef BRIG_API_LINKS_H
#define BRIG_API_LINKS_H

#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define LINKS_MAX 8u
#define LINK_IMAGE_BYTES 72u
#define LINK_WHY_BYTES 228u

struct links {
	struct {
		char image[LINK_IMAGE_BYTES]; /* empty: the default one */
		int fd;			      /* -1: no service now */
		uint64_t epoch;		      /* how often it was set */
		char why[LINK_WHY_BYTES];     /* it cannot be had; "" where it is on its way */
	} link[LINKS_MAX];
	size_t count;
};

void links_init(struct links *links);
void links_done(struct links *links);

/* Takes `fd` (-1: the service is gone) as the link for an image. 0, -ENOSPC. */
int links_set(struct links *links, const char *image, int fd) MUST_CHECK;

/* What changes whenever the link for an image does: a session belongs to the one it began in. */
uint64_t links_epoch(const struct links *links, const char *image);

/* Why there is no service for an image that has none: for the operator, it may name what is the
 * host's. */
void links_note_why(struct links *links, const char *image, const char *why);

/* The first of those reasons, or NULL. */
const char *links_why(const struct links *links);

/* Whether every image that has been set has a service. */
bool links_ready(const struct links *links);

/* A new channel, non-blocking, for the caller. -ENOENT no such image, -EAGAIN no service now. */
int links_channel(struct links *links, const char *image, int *ret_fd) MUST_CHECK;

/* A socket, non-blocking, on which that service will answer with its figures (wire/stats.h).
 * -EAGAIN no service now. */
int links_ask(struct links *links, size_t index, int *ret_fd) MUST_CHECK;

#endif
