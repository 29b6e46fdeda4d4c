/*
 * zygote: the warm interpreters. One for each level, started when first needed, asked to fork a
 * runner for each cell, started anew when it dies.
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
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define LEVEL_BYTES_MAX 8192u

static void on_message(evutil_socket_t fd, short what, void *context);

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
	*zygote = (struct zygote){
		.service = service,
		.index = (uint32_t)(zygote - service->zygotes),
		.pidfd = -1,
		.control_fd = -1,
	};
	(void)snprintf(zygote->level, sizeof(zygote->level), "%s", level);
	return read_modules(zygote, err);
}

struct zygote *zygote_for(struct service *service, const struct job_spec *spec)
{
	for (size_t i = 0; spec->level[0] && i < service->zygote_count; i++)
		if (strcmp(service->zygotes[i].level, spec->level) == 0)
			return &service->zygotes[i];
	struct span code = span_of(spec->code.data, spec->code.len);
	/* The barest level but where a warmer one has something that the code asks for. */
	struct zygote *best = &service->zygotes[0];
	size_t best_count = imports_covered(code, best->modules, best->module_count);
	for (size_t i = 1; i < service->zygote_count; i++) {
		struct zygote *zygote = &service->zygotes[i];
		size_t count = imports_covered(code, zygote->modules, zygote->module_count);
		if (count > best_count) {
			best = zygote;
			best_count = count;
		}
	}
	return best;
}

static void zygote_close(struct zygote *zygote)
{
	if (zygote->read)
		event_free(zygote->read);
	if (zygote->ended)
		event_free(zygote->ended);
	zygote->read = zygote->ended = NULL;
	fd_close(&zygote->control_fd);
	fd_close(&zygote->pidfd);
	zygote->pid = 0;
	zygote->state = ZYGOTE_OFF;
}

/* The cells that wait for it will wait in vain. */
static void fail_cells(struct zygote *zygote)
{
	struct service *service = zygote->service;
	for (uint32_t i = 0; i < service->cell_count; i++)
		if (service->cells[i].zygote == zygote &&
			service->cells[i].state == CELL_SPAWNING) {
			service->cells[i].state = CELL_SEALING; /* no answer is on its way */
			cell_fail(&service->cells[i], &zygote->fault);
		}
}

static void zygote_lost(struct zygote *zygote)
{
	if (zygote->pidfd >= 0)
		(void)syscall(SYS_pidfd_send_signal, zygote->pidfd, 9, NULL, 0);
	zygote->failures++;
	if (!zygote->fault.code)
		(void)err_set(
			&zygote->fault, -ECHILD, "zygote", "the %s zygote ended", zygote->level);
	if (zygote->pidfd >= 0)
		(void)waitid(P_PIDFD, (id_t)zygote->pidfd, &(siginfo_t){0}, WEXITED);
	zygote_close(zygote);
	fail_cells(zygote);
	service_dispatch(zygote->service);
}

void zygote_start(struct zygote *zygote)
{
	struct zygote_hello hello = {.version = CELL_PROTOCOL_VERSION};
	struct service *service = zygote->service;
	int pair[2];

	memset(&zygote->fault, 0, sizeof(zygote->fault));
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) < 0) {
		zygote->failures++;
		(void)err_sys(&zygote->fault, -errno, "zygote", "socketpair");
		return;
	}
	zygote->control_fd = pair[0];
	zygote->state = ZYGOTE_STARTING;
	memcpy(hello.level, zygote->level, sizeof(hello.level));
	hello.filter = service->filter;
	/* It waits in the socket until the zygote is there to read it. */
	int rc = (int)fd_send(pair[0], &hello, sizeof(hello), NULL, 0);
	if (rc > 0)
		rc = maker_ask_zygote(&service->maker, service->cell_count + zygote->index,
			zygote->level, pair[1], &zygote->fault);
	(void)close(pair[1]);
	zygote->read = event_new(
		service->base, zygote->control_fd, EV_READ | EV_PERSIST, on_message, zygote);
	if (rc < 0 || !zygote->read || event_add(zygote->read, NULL) < 0)
		zygote_lost(zygote);
}

void zygote_on_born(struct zygote *zygote, const struct maker_answer *answer, int pidfd)
{
	zygote->pid = answer->pid;
	zygote->pidfd = pidfd;
	if (answer->err.code || pidfd < 0) {
		zygote->fault = answer->err;
		zygote_lost(zygote);
	}
}

static void on_ready(struct zygote *zygote, const struct zygote_ready *ready)
{
	if (ready->err.code) {
		zygote->fault = ready->err;
		zygote->failures = ZYGOTE_FAILURES_MAX; /* trying again would fail again */
		zygote_lost(zygote);
		return;
	}
	zygote->state = ZYGOTE_READY;
	zygote->failures = 0;
	service_dispatch(zygote->service);
}

static void on_message(evutil_socket_t fd, short what, void *context)
{
	struct zygote *zygote = context;
	union {
		struct zygote_ready ready;
		struct zygote_answer answer;
	} message;
	size_t none = 0;
	(void)what;

	memset(&message, 0, sizeof(message));
	ssize_t got = fd_receive(fd, &message, sizeof(message), NULL, &none);
	if (zygote->state == ZYGOTE_STARTING && got == (ssize_t)sizeof(message.ready))
		on_ready(zygote, &message.ready);
	else if (zygote->state == ZYGOTE_READY && got == (ssize_t)sizeof(message.answer) &&
		 message.answer.slot < zygote->service->cell_count)
		cell_on_spawned(&zygote->service->cells[message.answer.slot], &message.answer);
	else if (got != -EAGAIN)
		zygote_lost(zygote);
}

int zygote_spawn(struct zygote *zygote, struct cell *cell, struct err *err)
{
	struct service *service = cell->service;
	int fds[2 + CELL_FD_COUNT + CELL_CGROUP_FDS_MAX];
	int tasks[CELL_CGROUP_FDS_MAX];
	size_t count = 0, task_count = 0;
	struct zygote_spawn spawn = {
		.slot = cell->slot,
		.has_unified = cell->cgroup.dirs[CGROUP_UNIFIED] >= 0,
		.one_uid = service->start.one_uid,
		.skip = service->skip,
		.cpu_seconds = LIMIT_CPU_MS_MAX / 1000 + 5,
		.processes = layer_in(service->skip, LAYER_PIDS) ? limits_default.processes : 0,
		.file_bytes = limits_default.work_bytes,
	};
	if (zygote->state != ZYGOTE_READY)
		return err_set(err, -ECHILD, "zygote", "the %s zygote is gone", zygote->level);
	int rc = cgroup_attach_files(&cell->cgroup, tasks, &task_count, err);
	if (rc < 0)
		return rc;
	spawn.cgroup_fds = (uint32_t)task_count;
	fds[count++] = cell->init_pidfd;
	for (size_t i = 0; i < CELL_FD_COUNT; i++)
		fds[count++] = cell->child_fds[i];
	if (spawn.has_unified)
		fds[count++] = cell->cgroup.dirs[CGROUP_UNIFIED];
	for (size_t i = 0; i < task_count; i++)
		fds[count++] = tasks[i];
	ssize_t sent = fd_send(zygote->control_fd, &spawn, sizeof(spawn), fds, count);
	while (task_count)
		fd_close(&tasks[--task_count]);
	return sent < 0 ? err_sys(err, (int)sent, "zygote", "asking the zygote") : 0;
}
