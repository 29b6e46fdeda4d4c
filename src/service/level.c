/* level: what a level's zygote preloads, as its file in the image says, and which one a job needs.
 */
#include "service/service.h"

#include "base/fd.h"
#include "service/enter.h"
#include "service/imports.h"

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

/* The barest level, or a warmer one where that has more of what the code asks for: its own list and
 * all barer ones', or a job that imports os and json beside pandas would get a cell without it. */
struct zygote *level_for(struct service *service, const struct job_spec *spec)
{
	struct span code = span_of(spec->code.data, spec->code.len);
	struct zygote *best = &service->zygotes[0];
	size_t best_count = 0, count = 0;

	for (size_t i = 0; i < service->level_count; i++) {
		struct zygote *zygote = &service->zygotes[i];
		if (spec->level[0] && strcmp(zygote->level, spec->level) == 0)
			return zygote;
		/* What a session without code yet will import is not known: the warmest. */
		if (!spec->level[0] && spec->session.use == SESSION_NEW && !spec->code.len)
			best = zygote;
		count += imports_covered(code, zygote->modules, zygote->module_count);
		if (count > best_count) {
			best = zygote;
			best_count = count;
		}
	}
	return best;
}
