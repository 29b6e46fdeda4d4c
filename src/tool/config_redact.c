/* config_redact: the operator's own values that no log may show, a line each. */
#include "tool/config_parse.h"

#include "base/fd.h"

#include <errno.h>
#include <fcntl.h>
#include <sodium.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int read_file(
	struct config_parse *parse, const char *path, unsigned char **ret_text, size_t *ret_bytes)
{
	struct stat status;
	cleanup_fd int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	if (fd < 0 || fstat(fd, &status) < 0 || !S_ISREG(status.st_mode)) {
		config_fault(parse, parse->line, "redact_file: %.160s: %s", path,
			fd < 0 ? strerrordesc_np(errno) : "no regular file; name one");
		return -EINVAL;
	}
	if (status.st_mode & 07) {
		config_fault(parse, parse->line,
			"redact_file: everybody may read %.140s; chgrp it to the dispatcher's "
			"group and chmod 640",
			path);
		return -EPERM;
	}
	if (status.st_size > (off_t)CONFIG_FILE_BYTES_MAX) {
		config_fault(parse, parse->line, "redact_file: %.160s is larger than 1 MiB", path);
		return -E2BIG;
	}
	size_t bytes = (size_t)status.st_size;
	unsigned char *text = malloc(bytes + 1);
	int rc = !text ? -ENOMEM : fd_read_all(fd, text, bytes);
	if (rc < 0) {
		parse->out_of_memory |= rc == -ENOMEM;
		if (rc != -ENOMEM)
			config_fault(parse, parse->line, "redact_file: %.160s: %s", path,
				strerrordesc_np(-rc));
		free(text);
		return rc;
	}
	*ret_text = text;
	*ret_bytes = bytes;
	return 0;
}

static bool add(struct config_parse *parse, const unsigned char *value, size_t bytes, size_t line)
{
	struct config_audit *audit = &parse->config->audit;
	if (bytes < CONFIG_REDACT_BYTES_MIN || bytes > CONFIG_REDACT_BYTES_MAX) {
		config_fault(parse, parse->line,
			"redact_file: line %zu has %zu bytes; values have %u to %u", line, bytes,
			CONFIG_REDACT_BYTES_MIN, CONFIG_REDACT_BYTES_MAX);
		return false;
	}
	if (audit->redact_value_count == CONFIG_REDACT_VALUES_MAX) {
		config_fault(parse, parse->line, "redact_file: more than %u values",
			CONFIG_REDACT_VALUES_MAX);
		return false;
	}
	struct span *grown =
		reallocarray(audit->redact_values, audit->redact_value_count + 1, sizeof(*grown));
	unsigned char *copy = grown ? malloc(bytes) : NULL;
	if (grown)
		audit->redact_values = grown;
	if (!copy) {
		parse->out_of_memory = true;
		return false;
	}
	memcpy(copy, value, bytes);
	grown[audit->redact_value_count++] = span_of(copy, bytes);
	return true;
}

void config_redact_file(struct config_parse *parse, const char *path)
{
	unsigned char *text;
	size_t bytes, line = 0;
	if (read_file(parse, path, &text, &bytes) < 0)
		return;
	for (size_t at = 0; at < bytes;) {
		const unsigned char *end = memchr(text + at, '\n', bytes - at);
		size_t length = end ? (size_t)(end - text) - at : bytes - at;
		size_t next = at + length + (end ? 1 : 0);
		line++;
		if (length && text[at + length - 1] == '\r')
			length--;
		if (length && !add(parse, text + at, length, line))
			break;
		at = next;
	}
	sodium_memzero(text, bytes);
	free(text);
}
