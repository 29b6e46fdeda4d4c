/*
 * image_verbs: the parts of `brig image` that image.c hands out to, and what they share.
 *
 * Each verb gets its own argv (argv[0] is the verb) and returns the exit status. The two helpers
 * print one line, "brig: image: TEXT", on stderr and return the status.
 */
#ifndef BRIG_CMD_IMAGE_VERBS_H
#define BRIG_CMD_IMAGE_VERBS_H

#include "base/err.h"

enum { IMAGE_USAGE = 2, IMAGE_FAILED = 125 };

int image_list(int argc, char **argv);
int image_verify(int argc, char **argv);

int image_misused(const char *format, ...) __attribute__((format(printf, 1, 2)));
int image_failed(const struct err *err);

#endif
