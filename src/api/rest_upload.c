/*
 * rest_upload: POST /v1/run as multipart/form-data, for inputs larger than JSON should carry. Files
 * go to the private store as they come, never whole into memory.
 *
 * Parts: `request` (the JSON of /v1/run), `code` as text instead of in it, `stdin` as any bytes,
 * and any number of files, under whatever name, each with its file name.
 */
#include "api/rest.h"

#include "api/call.h"
#include "api/describe.h"
#include "api/spool.h"
#include "base/fd.h"
#include "http/multipart.h"
#include "http/problem.h"
#include "tool/input.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#define BODY_BYTES_MAX (LIMIT_INPUT_BYTES + 2 * HTTP_BODY_BYTES_MAX)

enum part { PART_REQUEST, PART_CODE, PART_STDIN, PART_FILE, PART_COUNT };

struct upload {
	struct rest *rest;
	struct multipart multipart;
	struct job_spec spec;
	enum part part;
	bool seen[PART_COUNT];
	struct buf text[PART_FILE];
	char name[LIMIT_INPUT_NAME_BYTES + 1];
	struct spool spool;
	struct request_fault fault;
	bool forbidden; /* read for the audit log alone: no file is kept */
	bool blind;	/* and what comes is no more looked at */
};

static void upload_free(struct upload *upload)
{
	spool_done(&upload->spool);
	multipart_done(&upload->multipart);
	job_spec_done(&upload->spec);
	for (int i = 0; i < PART_FILE; i++)
		buf_done(&upload->text[i]);
	free(upload);
}

static int begin_file(struct upload *upload, struct span file)
{
	struct err err = {0};
	if (job_input_name_check(file.data, file.len, &err) < 0)
		return request_refuse(&upload->fault, 422, "files", "%s", err.text);
	memcpy(upload->name, file.data, file.len);
	upload->name[file.len] = 0;
	int rc = spool_begin(&upload->spool);
	return rc ? request_refuse(&upload->fault, 503, "files", "no room for a file") : 0;
}

static int on_begin(void *user, struct span name, struct span file)
{
	struct upload *upload = user;
	static const char *const names[] = {"request", "code", "stdin"};
	upload->part = PART_FILE;
	for (int i = 0; i < PART_FILE; i++)
		if (span_is(name, names[i]))
			upload->part = (enum part)i;
	if (upload->part == PART_FILE && file.data)
		return begin_file(upload, file);
	if (upload->part == PART_FILE)
		return request_refuse(&upload->fault, 422, "",
			"unknown part '%.*s': known are request, code, stdin, and files with a "
			"name",
			(int)(name.len < 40 ? name.len : 40), (const char *)name.data);
	if (upload->seen[upload->part])
		return request_refuse(&upload->fault, 400, names[upload->part],
			"the part %s comes twice", names[upload->part]);
	upload->seen[upload->part] = true;
	return 0;
}

static int on_data(void *user, struct span piece)
{
	struct upload *upload = user;
	if (upload->part != PART_FILE) {
		if (!http_keep(upload->rest->exchange, piece.len))
			return request_refuse(&upload->fault, 503, "",
				"too many large requests at once; try again");
		int rc = buf_add(&upload->text[upload->part], piece.data, piece.len);
		return rc ? request_refuse(&upload->fault, 413, "", "a part is too large") : 0;
	}
	int rc = spool_add(&upload->spool, piece);
	if (rc == -E2BIG)
		return request_refuse(&upload->fault, 413, "files", "more than 256 MiB of files");
	if (rc == -EBUSY)
		return request_refuse(
			&upload->fault, 503, "files", "too many large requests at once; try again");
	return rc ? request_refuse(&upload->fault, 503, "files", "no room for a file") : 0;
}

static int on_end(void *user)
{
	struct upload *upload = user;
	unsigned char digest[32];
	struct err err = {0};
	if (upload->part != PART_FILE)
		return 0;
	spool_digest(&upload->spool, digest);
	int rc = job_spec_add_input(&upload->spec, upload->name, upload->spool.bytes, digest,
		TAKE_FD(upload->spool.fd), &err);
	return rc ? request_refuse(
			    &upload->fault, rc == -E2BIG ? 413 : 422, "files", "%s", err.text)
		  : 0;
}

static int malformed(struct upload *upload, int rc)
{
	if (rc == -EBADMSG || rc == -ENOSPC)
		return request_refuse(&upload->fault, 400, "", "the multipart body is malformed");
	return rc;
}

/* A part that may stand in `request` as well, but not in both. */
static int stands_twice(struct upload *upload, const json_t *object, enum part part)
{
	static const char *const keys[PART_COUNT] = {[PART_CODE] = "code", [PART_STDIN] = "stdin"};
	if (!upload->seen[part] || !json_object_get(object, keys[part]))
		return 0;
	return request_refuse(
		&upload->fault, 400, keys[part], "the field %s comes twice", keys[part]);
}

static int take_request(struct upload *upload, json_t **object)
{
	const struct buf *request = &upload->text[PART_REQUEST], *code = &upload->text[PART_CODE];
	int rc = 0;
	if (upload->seen[PART_REQUEST])
		rc = request_parse(span_of(request->data, request->len), object, &upload->fault);
	else if (!(*object = json_object()))
		rc = request_refuse(&upload->fault, 503, "", "out of memory");
	if (!rc)
		rc = stands_twice(upload, *object, PART_CODE);
	if (!rc)
		rc = stands_twice(upload, *object, PART_STDIN);
	if (!rc && upload->seen[PART_CODE] &&
		json_put(*object, "code", json_from_text(span_of(code->data, code->len))))
		rc = request_refuse(&upload->fault, 422, "code", "the part code is not UTF-8");
	return rc;
}

/* What was understood of it goes to the log. `forbidden`: the caller learns only that it may not.
 */
static void refuse(struct upload *upload, const struct err *forbidden)
{
	const struct buf *code = &upload->text[PART_CODE], *stdin_text = &upload->text[PART_STDIN];
	const struct request_fault fault = upload->fault;
	struct rest *rest = upload->rest;
	struct audit_input inputs[LIMIT_INPUTS];
	struct audit_call what;
	cleanup_json json_t *object = NULL;
	(void)!take_request(upload, &object);
	describe_unmade(&upload->spec,
		upload->seen[PART_CODE] ? span_of(code->data, code->len)
					: json_text(json_object_get(object, "code")),
		&what, inputs);
	what.stdin_head = span_of(stdin_text->data,
		stdin_text->len < AUDIT_LOOK_BYTES ? stdin_text->len : AUDIT_LOOK_BYTES);
	if (forbidden)
		rest_refuse_tool(rest, &what, forbidden->text);
	else
		rest_refuse_call(rest, &what, &fault);
	upload_free(upload);
}

static int on_piece(struct http_exchange *exchange, struct span piece)
{
	struct rest *rest = exchange->user;
	struct upload *upload = rest->user;
	if (upload->blind)
		return 0;
	int rc = malformed(upload, multipart_feed(&upload->multipart, piece));
	if (rc < 0 && upload->forbidden) {
		upload->blind = true;
		return 0;
	}
	if (rc < 0)
		refuse(upload, NULL);
	return 0;
}

static void on_gone(struct rest *rest)
{
	upload_free(rest->user);
}

bool rest_run_begin(struct rest *rest)
{
	const struct multipart_events events = {.begin = on_begin, .data = on_data, .end = on_end};
	struct err err;
	struct upload *upload = calloc(1, sizeof(*upload));
	if (!upload) {
		rest_problem(rest, 503, NULL, "out of memory", 1);
		return false;
	}
	upload->rest = rest;
	/* Refused once it has been read, as any other body is. */
	upload->forbidden = role_allows(rest->who.role, ROLE_TOOL_RUN, &err) < 0;
	spool_init(&upload->spool, rest->dispatcher, LIMIT_INPUT_BYTES);
	upload->spool.unkept = upload->forbidden;
	job_spec_init(&upload->spec);
	for (int i = 0; i < PART_FILE; i++)
		buf_init(&upload->text[i], HTTP_BODY_BYTES_MAX);
	int rc = multipart_init(
		&upload->multipart, http_field(rest->exchange->head, "content-type"), &events);
	if (rc < 0 && !upload->forbidden) {
		(void)request_refuse(
			&upload->fault, 400, "", "multipart/form-data without a boundary");
		refuse(upload, NULL);
		return false;
	}
	upload->blind = rc < 0;
	upload->multipart.events.user = upload;
	rest->user = upload;
	rest->on_gone = on_gone;
	rest->exchange->sink = on_piece;
	rest->exchange->body_bytes_max = BODY_BYTES_MAX;
	return true;
}

/* Here it may be any bytes, not text alone. */
static int take_stdin(struct upload *upload)
{
	const struct buf *text = &upload->text[PART_STDIN];
	struct err err;
	if (!upload->seen[PART_STDIN])
		return 0;
	upload->spec.stdin_bytes = text->len;
	int rc = input_of_bytes(span_of(text->data, text->len), &upload->spec.stdin_fd, &err);
	return rc ? request_refuse(&upload->fault, 503, "stdin", "%s", err.text) : 0;
}

void rest_run_uploaded(struct rest *rest)
{
	struct upload *upload = rest->user;
	cleanup_json json_t *object = NULL;
	cleanup_job_spec struct job_spec spec;
	struct err err;
	job_spec_init(&spec);
	if (upload->forbidden) {
		(void)!role_allows(rest->who.role, ROLE_TOOL_RUN, &err);
		refuse(upload, &err);
		return;
	}
	int rc = multipart_over(&upload->multipart)
			 ? 0
			 : request_refuse(&upload->fault, 400, "", "the multipart body has no end");
	if (!rc)
		rc = take_request(upload, &object);
	if (!rc)
		rc = request_run(object, rest->who.role, &upload->spec, &upload->fault);
	if (!rc)
		rc = take_stdin(upload);
	if (rc < 0) {
		refuse(upload, NULL);
		return;
	}
	spec = upload->spec;
	job_spec_init(&upload->spec);
	rest->on_gone = NULL;
	rest->exchange->sink = NULL;
	upload_free(upload);
	rest_run_spec(rest, &spec);
}
