/* run_request: reading what the command line names. */
#include "cmd/run_request.h"

#include "base/fd.h"
#include "base/utf8.h"
#include "cmd/args.h"
#include "cmd/cmd.h"
#include "tool/digest.h"
#include "tool/input.h"
#include "tool/job_id.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const unsigned char byte_order_mark[] = {0xef, 0xbb, 0xbf};

/* The fault of one path: too large is a refusal, whatever else goes wrong is about the path. */
static int blame(
	int rc, const char *flag, const char *path, const struct err *cause, struct err *err)
{
	char shown[ARGS_SHOWN_BYTES];
	(void)err_set(err, rc, "request", "%s%s%s: %s", flag, *flag ? " " : "",
		args_shown(path, shown), cause->text);
	return rc == -E2BIG ? CMD_REJECTED : rc == -ENOMEM ? CMD_INTERNAL : CMD_USAGE;
}

static int add_code(struct job_spec *spec, const void *code, size_t bytes, struct err *err)
{
	size_t bad;
	if (bytes > LIMIT_CODE_BYTES) {
		(void)err_set(err, -E2BIG, "request",
			"the code is larger than %llu KiB; move its data into a --file",
			LIMIT_CODE_BYTES / KIB);
		return CMD_REJECTED;
	}
	if (!utf8_valid(code, bytes, &bad)) {
		(void)err_set(err, -EILSEQ, "request",
			"the code is not UTF-8 at byte %zu; save it as UTF-8", bad);
		return CMD_REJECTED;
	}
	if (buf_add(&spec->code, code, bytes) < 0) {
		(void)err_sys(err, -ENOMEM, "request", "cannot hold the code");
		return CMD_INTERNAL;
	}
	return CMD_OK;
}

static int read_code(int fd, uint64_t bytes, struct job_spec *spec, struct err *err)
{
	cleanup_buf struct buf code = {0};
	buf_init(&code, LIMIT_CODE_BYTES);
	unsigned char *room = buf_reserve(&code, (size_t)bytes);
	ssize_t got = 0;
	while (bytes && room && code.len < bytes) {
		got = pread(fd, code.data + code.len, (size_t)bytes - code.len, (off_t)code.len);
		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			break;
		code.len += (size_t)got;
	}
	if ((bytes && !room) || got < 0) {
		(void)err_sys(err, room ? -errno : -ENOMEM, "request", "cannot read the code");
		return room ? CMD_USAGE : CMD_INTERNAL;
	}
	/* Editors on some systems begin a file with this mark; Python leaves it out as well. */
	size_t mark = sizeof(byte_order_mark);
	size_t skip = code.len >= mark && memcmp(code.data, byte_order_mark, mark) == 0 ? mark : 0;
	return add_code(spec, code.data + skip, code.len - skip, err);
}

static int take_code(const struct run_options *options, struct job_spec *spec, struct err *err)
{
	cleanup_fd int fd = -1;
	struct err cause = {0};
	uint64_t bytes = 0;
	int rc;

	if (options->code)
		return add_code(spec, options->code, strlen(options->code), err);
	if (strcmp(options->code_path, "-") == 0)
		rc = input_copy(STDIN_FILENO, LIMIT_CODE_BYTES, &fd, &bytes, &cause);
	else
		rc = input_open(options->code_path, LIMIT_CODE_BYTES, &fd, &bytes, &cause);
	if (rc == -E2BIG)
		return add_code(spec, NULL, LIMIT_CODE_BYTES + 1, err);
	if (rc < 0)
		return blame(rc, "", options->code_path, &cause, err);
	return read_code(fd, bytes, spec, err);
}

/*
 * PATH or PATH:NAME, where a path may hold colons itself: the longest one that exists wins.
 * `path` has room for the whole argument. NULL where none exists.
 */
static const char *split_path(const char *argument, char *path)
{
	struct stat status;
	size_t length = strlen(argument);

	memcpy(path, argument, length + 1);
	if (stat(path, &status) == 0) {
		const char *slash = strrchr(argument, '/');
		return slash ? slash + 1 : argument;
	}
	for (size_t i = length; i > 0; i--) {
		if (argument[i - 1] != ':')
			continue;
		path[i - 1] = 0;
		if (stat(path, &status) == 0)
			return argument + i;
	}
	return NULL;
}

static int add_file(const char *path, const char *name, struct job_spec *spec, struct err *err)
{
	unsigned char sha256[DIGEST_BYTES];
	struct err cause = {0};
	uint64_t bytes;
	int fd;

	int rc = input_open(path, LIMIT_INPUT_BYTES, &fd, &bytes, &cause);
	if (rc < 0)
		return blame(rc, "--file", path, &cause, err);
	rc = digest_fd(fd, bytes, sha256);
	if (rc < 0) {
		(void)err_sys(&cause, rc, "request", "cannot be read");
		fd_close(&fd);
		return blame(rc, "--file", path, &cause, err);
	}
	rc = job_spec_add_input(spec, name, bytes, sha256, fd, err);
	return rc == -ENOMEM ? CMD_INTERNAL : rc < 0 ? CMD_REJECTED : CMD_OK;
}

static int take_file(const char *argument, struct job_spec *spec, struct err *err)
{
	char shown[ARGS_SHOWN_BYTES];
	char *path = malloc(strlen(argument) + 1);
	if (!path) {
		(void)err_sys(err, -ENOMEM, "request", "cannot read the files");
		return CMD_INTERNAL;
	}
	const char *name = split_path(argument, path);
	int status = CMD_USAGE;
	if (name && path[0])
		status = add_file(path, name, spec, err);
	else
		(void)err_set(err, -ENOENT, "request",
			"--file %s: no such file; write PATH or PATH:NAME",
			args_shown(argument, shown));
	free(path);
	return status;
}

static int take_stdin(const char *path, struct job_spec *spec, struct err *err)
{
	cleanup_fd int fd = STDIN_FILENO;
	struct err cause = {0};
	uint64_t ignored;
	int rc = 0;

	if (strcmp(path, "-") != 0)
		rc = input_open(path, LIMIT_STDIN_BYTES, &fd, &ignored, &cause);
	/* Copied in any case: what the job reads stands still while it runs. */
	if (!rc)
		rc = input_copy(fd, LIMIT_STDIN_BYTES, &spec->stdin_fd, &spec->stdin_bytes, &cause);
	if (fd == STDIN_FILENO)
		fd = -1;
	return rc < 0 ? blame(rc, "--stdin", path, &cause, err) : CMD_OK;
}

static int take_session(const char *session, struct job_spec *spec)
{
	if (!session)
		return 0;
	spec->session.use = strcmp(session, "new") == 0 ? SESSION_NEW : SESSION_USE;
	spec->session.idle_ms = SESSION_IDLE_MS_DEFAULT;
	spec->session.life_ms = SESSION_LIFE_MS_DEFAULT;
	(void)snprintf(spec->session.id, sizeof(spec->session.id), "%s", session);
	return spec->session.use == SESSION_NEW ? session_id_make(spec->session.id) : 0;
}

int run_request_make(const struct run_options *options, struct job_spec *spec, struct err *err)
{
	spec->limits = options->limits;
	spec->chart_format = options->chart_format;
	spec->table_csv = options->table_csv;
	spec->receipt = options->receipt;
	spec->stream = !options->json;
	if (job_id_make(spec->id) < 0 || take_session(options->session, spec) < 0) {
		(void)err_sys(err, -EIO, "request", "the system gives no random numbers");
		return CMD_INTERNAL;
	}
	int status = take_code(options, spec, err);
	for (size_t i = 0; !status && i < options->file_count; i++)
		status = take_file(options->files[i], spec, err);
	if (!status && options->stdin_path)
		status = take_stdin(options->stdin_path, spec, err);
	return status;
}
