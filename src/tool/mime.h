/*
 * mime: the media type of a file that a job left, by what its first bytes say and else by its
 * extension. The name is the job's own, so an extension never makes bytes into an image or a
 * document that they are not: then it is "application/octet-stream".
 *
 * `head` are the file's first MIME_HEAD_BYTES or fewer. The result is static.
 * Source: https://www.iana.org/assignments/media-types, https://mimesniff.spec.whatwg.org
 */
#ifndef BRIG_TOOL_MIME_H
#define BRIG_TOOL_MIME_H

#include "base/span.h"

#define MIME_HEAD_BYTES 512u

const char *mime_of(struct span name, struct span head);

#endif
