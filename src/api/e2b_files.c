/*
 * e2b_files: GET /files reads one file; POST /files writes one, or several as a form. What comes is
 * spooled first, then given to the session one file after another; each is there whole or not.
 */
#include "api/e2b.h"

#include "api/query.h"
#include "api/session_ask.h"
#include "api/session_change.h"
#include "api/session_words.h"
#include "api/spool.h"
#include "api/upload_room.h"
#include "base/fd.h"
#include "http/multipart.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#define FILES_MAX 64u
#define FORM_BYTES_MAX (1 * MIB)
#define BODY_BYTES_MAX (LIMIT_WORK_BYTES_MAX + FORM_BYTES_MAX)
#define FOLDER_ITSELF "path names the folder itself; name a file in it"
#define NO_SERVICE "the interpreter service is not there; try again"

struct file {
	char path[SESSION_PATH_BYTES];
	int fd;
	uint64_t bytes;
	unsigned char digest[DIGEST_BYTES];
};

struct transfer {
	struct rest *rest;
	struct session_ask *ask;       /* that reads */
	struct session_change *change; /* that writes */
	char id[SESSION_ID_BYTES];
	struct spool spool;
	struct upload_room room; /* while the body comes */
	struct multipart multipart;
	bool is_form, in_file;
	char given[SESSION_PATH_BYTES]; /* the query's path, decoded */
	bool has_path;
	struct file *files;
	size_t count, next;
	int status; /* of what went wrong */
	char words[sizeof(((struct err *)0)->text)];
};

static void transfer_free(struct transfer *transfer)
{
	for (size_t i = 0; i < transfer->count; i++)
		fd_close(&transfer->files[i].fd);
	free(transfer->files);
	multipart_done(&transfer->multipart);
	upload_room_leave(&transfer->room);
	spool_done(&transfer->spool);
	free(transfer);
}

static void on_gone(struct rest *rest)
{
	struct transfer *transfer = rest->user;
	if (transfer->ask)
		session_ask_leave(transfer->ask);
	if (transfer->change)
		session_change_leave(transfer->change);
	transfer_free(transfer);
}

static void fail(struct transfer *transfer, int status, const char *words)
{
	struct rest *rest = transfer->rest;
	rest->on_gone = NULL;
	rest->user = NULL;
	e2b_problem(rest, status, words);
	transfer_free(transfer);
}

static int note(struct transfer *transfer, int status, const char *words)
{
	transfer->status = status;
	(void)snprintf(transfer->words, sizeof(transfer->words), "%s", words);
	return -EINVAL;
}

/* The query's `path`. 0, or -EINVAL with words noted. */
static int take_query(struct transfer *transfer)
{
	cleanup_buf struct buf path = {0};
	buf_init(&path, SESSION_PATH_BYTES - 1);
	int rc = query_find(transfer->rest->exchange->head->query, "path", &path);
	if (rc < 0)
		return note(transfer, 400, "the path is too long, or not encoded as a URL's is");
	transfer->has_path = rc == 1;
	if (path.len)
		memcpy(transfer->given, path.data, path.len);
	return 0;
}

static int begin_file(struct transfer *transfer, struct span given)
{
	struct err err = {0};
	struct file *files =
		transfer->count < FILES_MAX
			? reallocarray(transfer->files, transfer->count + 1, sizeof(*files))
			: NULL;
	if (!files)
		return note(transfer, 413, "more than 64 files in one request");
	transfer->files = files;
	struct file *file = &files[transfer->count];
	*file = (struct file){.fd = -1};
	if (e2b_path(given, file->path, &err) < 0)
		return note(transfer, 400, err.text);
	if (!file->path[0])
		return note(transfer, 400, FOLDER_ITSELF);
	if (spool_begin(&transfer->spool) < 0)
		return note(transfer, 503, "no room for the file; try again");
	transfer->count++;
	transfer->in_file = true;
	return 0;
}

static int add_piece(struct transfer *transfer, struct span piece)
{
	int rc = spool_add(&transfer->spool, piece);
	if (rc == -E2BIG)
		return note(transfer, 413, "the files are larger than a sandbox's folder, 256 MiB");
	if (rc == -EBUSY)
		return note(transfer, 503, "too many large requests at once; try again");
	if (!rc && upload_room_short(&transfer->room, transfer->spool.counted))
		return note(transfer, 507, transfer->room.words);
	return rc ? note(transfer, 503, "no room for the file; try again") : 0;
}

static void end_file(struct transfer *transfer)
{
	struct file *file = &transfer->files[transfer->count - 1];
	file->bytes = transfer->spool.bytes;
	file->fd = TAKE_FD(transfer->spool.fd);
	spool_digest(&transfer->spool, file->digest);
	transfer->in_file = false;
}

static int on_part(void *user, struct span name, struct span file)
{
	struct transfer *transfer = user;
	if (!span_is(name, "file") || !file.data)
		return note(transfer, 400, "the form's parts must be files, named `file`");
	/* The query's path is for the one file; several bring their own. */
	bool own = !transfer->has_path;
	if (!own && transfer->count)
		return note(transfer, 400, "one path for several files; leave the path out");
	return begin_file(transfer, own ? file : span_text(transfer->given));
}

static int on_part_data(void *user, struct span piece)
{
	return add_piece(user, piece);
}

static int on_part_end(void *user)
{
	end_file(user);
	return 0;
}

static void on_rows(struct ledger_wait *wait, int rc);

/* Its row, then the answer. Negative where it has been answered. */
static int refuse_short(struct transfer *transfer)
{
	const char *path = transfer->count ? transfer->files[transfer->count - 1].path : "";
	int rc = upload_room_refuse(&transfer->room, transfer->rest, transfer->id, path, on_rows);
	if (rc < 0)
		fail(transfer, 503, "the audit log cannot be written; try again");
	return rc;
}

static void on_short(void *user)
{
	struct transfer *transfer = user;
	(void)note(transfer, 507, transfer->room.words);
	(void)!refuse_short(transfer);
}

static int on_piece(struct http_exchange *exchange, struct span piece)
{
	struct rest *rest = exchange->user;
	struct transfer *transfer = rest->user;
	if (transfer->room.refused)
		return 0; /* it is answered once its row is written */
	int rc = transfer->is_form ? multipart_feed(&transfer->multipart, piece)
				   : add_piece(transfer, piece);
	if (rc < 0 && transfer->status == 507)
		return refuse_short(transfer);
	if (rc < 0)
		fail(transfer, transfer->status ? transfer->status : 400,
			transfer->status ? transfer->words : "the multipart body is malformed");
	return rc;
}

static struct transfer *transfer_new(struct rest *rest)
{
	struct transfer *transfer = calloc(1, sizeof(*transfer));
	if (!transfer)
		return NULL;
	transfer->rest = rest;
	spool_init(&transfer->spool, rest->dispatcher, LIMIT_WORK_BYTES_MAX);
	rest->user = transfer;
	rest->on_gone = on_gone;
	return transfer;
}

static int begin_upload(struct transfer *transfer)
{
	static const struct multipart_events events = {
		.begin = on_part, .data = on_part_data, .end = on_part_end};
	const struct http_head *head = transfer->rest->exchange->head;
	struct span type = http_field(head, "content-type");
	struct span coding = http_field(head, "content-encoding");
	if (coding.data && !http_same(coding, "identity"))
		return note(transfer, 415, "send the file without Content-Encoding (gzip: false)");
	transfer->is_form =
		type.len >= 19 && http_same(span_of(type.data, 19), "multipart/form-data");
	if (!transfer->is_form)
		return transfer->has_path ? begin_file(transfer, span_text(transfer->given))
					  : note(transfer, 400, "the query lacks the file's path");
	if (multipart_init(&transfer->multipart, type, &events) < 0)
		return note(transfer, 400, "multipart/form-data without a boundary");
	transfer->multipart.events.user = transfer;
	return 0;
}

bool e2b_files_begin(struct rest *rest)
{
	/* What can be refused is refused before a body that may be large. */
	struct session *session = e2b_session(rest);
	struct transfer *transfer = session ? transfer_new(rest) : NULL;
	if (!transfer) {
		if (session)
			e2b_problem(rest, 503, "out of memory");
		return false;
	}
	bool writes = rest->exchange->head->method == HTTP_POST;
	memcpy(transfer->id, session->id, sizeof(transfer->id));
	if (take_query(transfer) < 0 || (writes && begin_upload(transfer) < 0)) {
		fail(transfer, transfer->status, transfer->words);
		return false;
	}
	if (!writes)
		return true;
	rest->exchange->sink = on_piece;
	rest->exchange->body_bytes_max = BODY_BYTES_MAX;
	/* What a form has around its files is not theirs. */
	uint64_t least = rest->exchange->head->content_bytes;
	if (transfer->is_form)
		least = least > FORM_BYTES_MAX ? least - FORM_BYTES_MAX : 0;
	upload_room_ask(&transfer->room, rest->dispatcher, session, least, on_short, transfer);
	return true;
}

static void note_fault(struct transfer *transfer, const struct err *err)
{
	const struct session_words words = session_words(err);
	(void)note(transfer, words.status, words.text);
}

static void on_read(void *user, struct session_answer *answer)
{
	struct transfer *transfer = user;
	struct rest *rest = transfer->rest;
	transfer->ask = NULL;
	if (answer->err.code || answer->fd < 0) {
		note_fault(transfer, &answer->err);
		fail(transfer, transfer->status, transfer->words);
		return;
	}
	rest->on_gone = NULL;
	rest->user = NULL;
	transfer_free(transfer);
	http_add_field(rest->exchange, "Content-Disposition", "attachment");
	http_answer_file(
		rest->exchange, "application/octet-stream", TAKE_FD(answer->fd), answer->bytes);
	rest_free(rest);
}

static void answer_written(struct transfer *transfer)
{
	struct rest *rest = transfer->rest;
	cleanup_json json_t *list = json_array();
	int rc = 0;
	for (size_t i = 0; !rc && i < transfer->count; i++)
		rc = json_push(list, e2b_written(transfer->files[i].path));
	if (rc < 0) {
		fail(transfer, 503, "out of memory");
		return;
	}
	rest->on_gone = NULL;
	rest->user = NULL;
	transfer_free(transfer);
	rest_json(rest, 200, list);
}

static void on_rows(struct ledger_wait *wait, int rc)
{
	struct rest *rest = (struct rest *)(void *)((char *)wait - offsetof(struct rest, wait));
	struct transfer *transfer = rest->user;
	if (rc < 0)
		fail(transfer, 503, ledger_why(&transfer->rest->dispatcher->ledger));
	else if (transfer->status)
		fail(transfer, transfer->status, transfer->words);
	else
		answer_written(transfer);
}

static void write_next(struct transfer *transfer);

static void on_written(void *user, struct session_answer *answer, int row_rc)
{
	struct transfer *transfer = user;
	struct rest *rest = transfer->rest;
	transfer->change = NULL;
	transfer->next++;
	if (answer->err.code)
		note_fault(transfer, &answer->err);
	if (row_rc < 0)
		fail(transfer, 503, ledger_why(&rest->dispatcher->ledger));
	else if (transfer->status || transfer->next == transfer->count)
		ledger_wait(&rest->dispatcher->ledger, &rest->wait, on_rows);
	else
		write_next(transfer);
}

static void write_next(struct transfer *transfer)
{
	struct file *file = &transfer->files[transfer->next];
	struct rest *rest = transfer->rest;
	struct session *session =
		sessions_by_id(&rest->dispatcher->sessions, span_text(transfer->id));
	struct session_request request;
	session_request_init(&request);
	request.verb = SESSION_WRITE;
	memcpy(request.path, file->path, sizeof(request.path));
	request.fd = TAKE_FD(file->fd);
	request.bytes = file->bytes;
	if (session)
		transfer->change = session_change(rest->dispatcher, &rest->who, session, &request,
			file->digest, on_written, transfer);
	session_request_done(&request);
	if (!session)
		fail(transfer, 502, "The sandbox is not running any more");
	else if (!transfer->change)
		fail(transfer, 503, NO_SERVICE);
}

static void read_file(struct transfer *transfer, struct session *session)
{
	struct session_request request;
	struct err err = {0};
	session_request_init(&request);
	request.verb = SESSION_READ;
	int rc = e2b_path(span_text(transfer->given), request.path, &err);
	if (!rc && !request.path[0])
		rc = err_set(&err, -EISDIR, "path", FOLDER_ITSELF);
	if (!rc)
		transfer->ask = session_ask(
			transfer->rest->dispatcher, session, &request, on_read, transfer);
	if (rc < 0)
		fail(transfer, 400, err.text);
	else if (!transfer->ask)
		fail(transfer, 503, NO_SERVICE);
}

void e2b_files(struct rest *rest)
{
	struct transfer *transfer = rest->user;
	if (transfer->room.refused)
		return;
	struct session *session = e2b_session(rest);
	if (!session) {
		transfer_free(transfer);
		return;
	}
	upload_room_leave(&transfer->room);
	if (rest->exchange->head->method != HTTP_POST) {
		read_file(transfer, session);
		return;
	}
	if (!transfer->is_form)
		end_file(transfer);
	if (transfer->is_form && !multipart_over(&transfer->multipart))
		fail(transfer, 400, "the multipart body has no end");
	else if (!transfer->count)
		fail(transfer, 400, "the form has no file");
	else
		write_next(transfer);
}
