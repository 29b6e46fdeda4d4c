/*
 * image_hash: the content hash of an image's root.
 *
 * For a file (root.erofs) the SHA-256 of its bytes. For a folder (root/) the SHA-256 over one
 * record for every entry below it, depth first, names in byte order; a record is the fields below,
 * each ended by a NUL, PATH relative to the folder:
 *
 *	"d" MODE PATH          MODE: permission bits in octal
 *	"f" MODE SIZE SHA256 PATH
 *	"l" TARGET PATH
 *
 * Owners and times are left out: a folder made by an ordinary user has other owners. Devices,
 * pipes and sockets do not belong into an image and end the walk with -EBADMSG.
 *
 * `root_fd` is borrowed. `ret_hex` receives 64 digits and a NUL, `ret_bytes` the bytes of all
 * files. -EBADMSG, -ELOOP beyond 64 levels, -E2BIG beyond a million entries, or the errno of a
 * failed call. Threads: none shared. sodium_init() must have been called.
 */
#ifndef BRIG_CMD_IMAGE_HASH_H
#define BRIG_CMD_IMAGE_HASH_H

#include "base/err.h"

#include <stdint.h>

#define IMAGE_HASH_HEX 65

int image_hash(int root_fd, char ret_hex[IMAGE_HASH_HEX], uint64_t *ret_bytes) MUST_CHECK;

#endif
