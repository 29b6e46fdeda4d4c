/*
 * fuzz_config: any text as a configuration file.
 *
 * A text is either good, and then each token has a role and each role a tool, or it has a fault
 * that names the file.
 */
#include "tool/config.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool holds)
{
	if (!holds)
		__builtin_trap();
}

static void check(const struct config *config)
{
	require(config->role_count > 0);
	for (size_t i = 0; i < config->role_count; i++) {
		const struct role *role = &config->roles[i];
		require(role->tools && config_role(config, role->name) == role);
		require(role->limits_default.wall_ms <= role->limits_max.wall_ms);
		require(role->limits_max.memory_bytes <= LIMIT_MEMORY_BYTES_MAX);
		for (size_t j = 0; j < role->root_count; j++)
			require(role->roots[j].path[0] == '/' && role->roots[j].path[1]);
	}
	for (size_t i = 0; i < config->token_count; i++)
		require(config->tokens[i].role != NULL);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static int fd = -1;
	char path[40];
	struct config *config = NULL;
	struct err err = {0};
	if (fd < 0)
		fd = memfd_create("config", MFD_CLOEXEC);
	require(fd >= 0 && ftruncate(fd, 0) == 0);
	require(pwrite(fd, data, size, 0) == (ssize_t)size);
	(void)snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	int rc = config_load(path, &config, &err);
	if (rc == 0)
		check(config);
	else
		require((rc == -EINVAL || rc == -E2BIG) && strstr(err.text, path) && !config);
	config_unref(config);
	return 0;
}
