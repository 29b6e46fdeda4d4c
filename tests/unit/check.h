/* check: what every unit test needs: cmocka in its order of headers, and a few helpers. */
#ifndef BRIG_TESTS_UNIT_CHECK_H
#define BRIG_TESTS_UNIT_CHECK_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* How many descriptors this process has open. */
static inline size_t check_fds(void)
{
	size_t count = 0;
	DIR *folder = opendir("/proc/self/fd");
	assert_non_null(folder);
	while (readdir(folder))
		count++;
	(void)closedir(folder);
	return count;
}

/* A memfd that holds these bytes. */
static inline int check_memfd(const void *data, size_t bytes)
{
	int fd = memfd_create("check", MFD_CLOEXEC);
	assert_true(fd >= 0);
	assert_int_equal(write(fd, data, bytes), (ssize_t)bytes);
	return fd;
}

static inline void assert_bytes(const void *data, size_t bytes, const char *wanted)
{
	assert_int_equal(bytes, strlen(wanted));
	assert_memory_equal(data, wanted, bytes);
}

#endif
