/*
 * image_store: where images live, and what their manifests say.
 *
 * An image is a folder STORE/NAME with manifest.ini and root.erofs or root/. docs/image.md lists
 * the manifest's keys; the ones that are unknown here are skipped.
 *
 * Threads: none shared; the environment is read.
 * Source: XDG Base Directory Specification 0.8 (an XDG_DATA_HOME that is not absolute is ignored).
 */
#ifndef BRIG_LAUNCH_IMAGE_STORE_H
#define BRIG_LAUNCH_IMAGE_STORE_H

#include "base/err.h"

#include <limits.h>
#include <stdint.h>

#define IMAGE_NAME_BYTES 65 /* with its NUL */
#define IMAGE_LEVELS_MAX 8
#define IMAGE_ADVERTISE_MAX 64

struct image_ref {
	char store[PATH_MAX];
	char name[IMAGE_NAME_BYTES];
};

struct image_manifest {
	char suite[32];
	char format[8]; /* "erofs" or "dir" */
	char sha256[65];
	char python[24];
	char built[32];
	char build_root[128]; /* below the store; empty where it is not named */
	char advertise[IMAGE_ADVERTISE_MAX][64];
	char levels[IMAGE_LEVELS_MAX][16];
	uint64_t bytes;
	uint32_t protocol;
	uint32_t advertise_count;
	uint32_t level_count;
	uint32_t seen;	   /* private to the reader */
	uint32_t too_many; /* nonzero where advertise or the levels exceed their room */
};

/*
 * Which image is meant: `name`, or where that is NULL the one of BRIG_IMAGE, or "default". A
 * BRIG_IMAGE with a slash is the image's own folder, and its parent becomes the store; else the
 * store is /var/lib/brig/images for root and $XDG_DATA_HOME/brig/images for others.
 * -EINVAL for a name that is none, -ENAMETOOLONG, -ENOENT without HOME and XDG_DATA_HOME.
 */
int image_locate(const char *name, struct image_ref *ret_ref, struct err *err) MUST_CHECK;

/* 0, or -EINVAL: 1 to 64 of a-z 0-9 . _ - and no dot or hyphen in front. */
int image_name_check(const char *name) MUST_CHECK;

/* Reads STORE/NAME/manifest.ini. -ENOENT where it is absent, -EBADMSG where it makes no sense. */
int image_manifest_read(const struct image_ref *ref, struct image_manifest *ret_manifest,
	struct err *err) MUST_CHECK;

/* STORE/NAME/LEAF into `path` of PATH_MAX bytes; 0 or -ENAMETOOLONG. */
int image_path(const struct image_ref *ref, const char *leaf, char *path) MUST_CHECK;

#endif
