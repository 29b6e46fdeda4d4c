/* level: what a level's zygote preloads, as its file in the image says. */
#include "service/service.h"

#include "base/fd.h"
#include "service/enter.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define LEVEL_BYTES_MAX 8192u

/* The level's file in the image: one module a line. Only the top-level name counts. */
static int read_modules(struct zygote *zygote, struct err *err)
{
	char path[64];
	(void)snprintf(path, sizeof(path), ENTER_IMAGE "/usr/lib/brig/levels/%s", zygote->level);
	cleanup_fd int fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return err_set(err, -errno, "image",
			"the image has no level %s: run `brig image build`", zygote->level);
	char *text = calloc(1, LEVEL_BYTES_MAX);
	if (!text)
		return err_sys(err, -ENOMEM, "image", "reading a level");
	zygote->module_text = text;
	ssize_t got = read(fd, text, LEVEL_BYTES_MAX - 1);
	if (got < 0)
		return err_sys(err, -errno, "image", "reading a level");
	char *save = NULL;
	for (char *line = strtok_r(text, "\r\n", &save);
		line && zygote->module_count < ZYGOTE_MODULES_MAX;
		line = strtok_r(NULL, "\r\n", &save)) {
		line[strcspn(line, ".")] = 0;
		zygote->modules[zygote->module_count++] = line;
	}
	return 0;
}

int zygote_init(struct service *service, struct zygote *zygote, const char *level, struct err *err)
{
	*zygote = (struct zygote){.service = service, .warmth = (uint32_t)service->level_count};
	for (size_t i = 0; i < 2; i++)
		zygote->warm[i] = (struct warm){.zygote = zygote, .pidfd = -1, .control_fd = -1};
	(void)snprintf(zygote->level, sizeof(zygote->level), "%s", level);
	return read_modules(zygote, err);
}
