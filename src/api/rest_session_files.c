/*
 * rest_session_files: what stands in a session's work folder, listed, fetched, put, removed.
 *
 * A PUT's body goes to the private store as it comes and from there, whole, to the session: its
 * file is the old one or the new one, never half of it.
 */
#include "api/rest.h"

#include "api/session_ask.h"
#include "api/session_change.h"
#include "api/session_words.h"
#include "api/spool.h"
#include "api/upload_room.h"
#include "base/fd.h"
#include "http/percent.h"
#include "tool/mime.h"
#include "tool/text.h"
#include "tool/view.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

struct transfer {
	struct rest *rest;
	struct session_ask *ask;       /* that looks */
	struct session_change *change; /* that does not only look */
	enum session_verb verb;
	char id[SESSION_ID_BYTES];
	char path[SESSION_PATH_BYTES];
	struct spool spool;
	struct upload_room room; /* while the body comes */
	unsigned char digest[DIGEST_BYTES];
	struct session_words words; /* of what went wrong */
	char text[sizeof(((struct err *)0)->text)];
};

static void transfer_free(struct transfer *transfer)
{
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

/* Ends the transfer with a problem. */
static void fail(struct transfer *transfer, int status, const char *field, const char *detail)
{
	struct rest *rest = transfer->rest;
	rest->on_gone = NULL;
	rest_problem(rest, status, field, detail, 0);
	transfer_free(transfer);
}

static void on_row(struct ledger_wait *wait, int rc);

static void on_short(void *user)
{
	struct transfer *transfer = user;
	transfer->words = (struct session_words){507, transfer->room.words, NULL};
	if (upload_room_refuse(
		    &transfer->room, transfer->rest, transfer->id, transfer->path, on_row) < 0)
		fail(transfer, 503, NULL, "the audit log cannot be written; try again");
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

static int on_piece(struct http_exchange *exchange, struct span piece)
{
	struct rest *rest = exchange->user;
	struct transfer *transfer = rest->user;
	int rc = transfer->room.refused ? 0 : spool_add(&transfer->spool, piece);
	if (!rc && !transfer->room.refused &&
		upload_room_short(&transfer->room, transfer->spool.bytes))
		on_short(transfer);
	if (rc == -E2BIG)
		fail(transfer, 413, NULL, "the file is larger than a work folder, 256 MiB");
	else if (rc == -EBUSY)
		fail(transfer, 503, NULL, "too many large requests at once; try again");
	else if (rc < 0)
		fail(transfer, 503, NULL, "no room for the file; try again");
	return rc;
}

static int read_request(struct transfer *transfer, struct span encoded,
	struct session_request *request, struct err *err);

bool rest_session_upload_begin(struct rest *rest, struct session *session, struct span path)
{
	const struct http_head *head = rest->exchange->head;
	struct session_request request;
	struct err err = {0};
	struct transfer *transfer = transfer_new(rest);
	if (!transfer || spool_begin(&transfer->spool) < 0) {
		rest->on_gone = NULL;
		if (transfer)
			transfer_free(transfer);
		rest_problem(rest, 503, NULL, "no room for the file; try again", 1);
		return false;
	}
	session_request_init(&request);
	memcpy(transfer->id, session->id, sizeof(transfer->id));
	if (read_request(transfer, path, &request, &err) < 0) {
		fail(transfer, 422, "path", err.text);
		return false;
	}
	rest->exchange->sink = on_piece;
	rest->exchange->body_bytes_max = LIMIT_WORK_BYTES_MAX;
	upload_room_ask(&transfer->room, rest->dispatcher, session, head->content_bytes, on_short,
		transfer);
	return true;
}

void rest_session_upload_drop(struct rest *rest)
{
	if (!rest->user)
		return;
	transfer_free(rest->user);
	rest->user = NULL;
	rest->on_gone = NULL;
}

static void answer_written(struct transfer *transfer)
{
	struct rest *rest = transfer->rest;
	char hex[DIGEST_HEX_BYTES];
	digest_hex(transfer->digest, hex);
	cleanup_json json_t *object =
		json_pack("{s:o, s:I, s:s}", "name", view_name(span_text(transfer->path)), "bytes",
			(json_int_t)transfer->spool.bytes, "sha256", hex);
	rest->on_gone = NULL;
	transfer_free(transfer);
	if (object)
		rest_json(rest, 201, object);
	else
		rest_problem(rest, 503, NULL, "out of memory", 1);
}

/* The row of a change is in the log: the answer may leave. */
static void on_row(struct ledger_wait *wait, int rc)
{
	struct rest *rest = (struct rest *)(void *)((char *)wait - offsetof(struct rest, wait));
	struct transfer *transfer = rest->user;
	if (rc < 0) {
		fail(transfer, 503, NULL, ledger_why(&transfer->rest->dispatcher->ledger));
	} else if (transfer->words.status) {
		fail(transfer, transfer->words.status, NULL, transfer->words.text);
	} else if (transfer->verb == SESSION_WRITE) {
		answer_written(transfer);
	} else {
		rest->on_gone = NULL;
		transfer_free(transfer);
		rest_answer(rest, 204, NULL, span_of("", 0));
	}
}

static void note_fault(struct transfer *transfer, const struct err *err)
{
	if (!err->code)
		return;
	(void)snprintf(transfer->text, sizeof(transfer->text), "%s", err->text);
	transfer->words = session_words(err);
	if (transfer->words.text == err->text)
		transfer->words.text = transfer->text;
}

static void changed(void *user, struct session_answer *answer, int row_rc)
{
	struct transfer *transfer = user;
	struct rest *rest = transfer->rest;
	transfer->change = NULL;
	note_fault(transfer, &answer->err);
	if (row_rc < 0)
		fail(transfer, 503, NULL, ledger_why(&rest->dispatcher->ledger));
	else
		ledger_wait(&rest->dispatcher->ledger, &rest->wait, on_row);
}

static json_t *entry_json(const struct session_entry *entry)
{
	char at[TEXT_TIME_BYTES];
	bool folder = S_ISDIR(entry->mode);
	cleanup_json json_t *object = json_object();
	int rc = json_put(object, "name", view_name(entry->path));
	if (!rc)
		rc = json_put(object, "kind",
			json_string(folder		   ? "folder"
				    : S_ISREG(entry->mode) ? "file"
							   : "other"));
	if (!rc && !folder)
		rc = json_put(object, "bytes", json_integer((json_int_t)entry->bytes));
	if (!rc)
		rc = json_put(
			object, "modified_at", json_string(text_time(entry->modified_ms, at)));
	return rc ? NULL : TAKE_JSON(object);
}

static void answer_list(struct transfer *transfer, const struct session_answer *answer)
{
	struct rest *rest = transfer->rest;
	cleanup_json json_t *object = json_object();
	json_t *list = json_array();
	int rc = json_put(object, "files", list);
	for (uint32_t i = 0; !rc && i < answer->entry_count; i++)
		rc = json_push(list, entry_json(&answer->entries[i]));
	if (!rc)
		rc = json_put(object, "truncated", json_boolean(answer->more));
	rest->on_gone = NULL;
	transfer_free(transfer);
	if (rc < 0)
		rest_problem(rest, 503, NULL, "out of memory", 1);
	else
		rest_json(rest, 200, object);
}

static void answer_file(struct transfer *transfer, struct session_answer *answer)
{
	struct rest *rest = transfer->rest;
	unsigned char head[MIME_HEAD_BYTES];
	int fd = TAKE_FD(answer->fd);
	ssize_t got = pread(fd, head, sizeof(head), 0);
	const char *mime =
		mime_of(span_text(transfer->path), span_of(head, got > 0 ? (size_t)got : 0));
	rest->on_gone = NULL;
	transfer_free(transfer);
	http_add_field(rest->exchange, "Content-Disposition", "attachment");
	http_add_field(rest->exchange, "Content-Security-Policy", "sandbox; default-src 'none'");
	http_answer_file(rest->exchange, mime, fd, answer->bytes);
	rest_free(rest);
}

static void answered(void *user, struct session_answer *answer)
{
	struct transfer *transfer = user;
	transfer->ask = NULL;
	note_fault(transfer, &answer->err);
	if (transfer->words.status)
		fail(transfer, transfer->words.status, NULL, transfer->words.text);
	else if (transfer->verb == SESSION_LIST)
		answer_list(transfer, answer);
	else if (answer->fd < 0)
		fail(transfer, 404, NULL, "no such file or folder");
	else
		answer_file(transfer, answer);
}

/* The verb of a request, its path decoded and judged. 0 or -EINVAL. */
static int read_request(struct transfer *transfer, struct span encoded,
	struct session_request *request, struct err *err)
{
	enum http_method method = transfer->rest->exchange->head->method;
	cleanup_buf struct buf path = {0};
	buf_init(&path, SESSION_PATH_BYTES - 1);
	bool folder = !encoded.len || encoded.data[encoded.len - 1] == '/';
	if (folder && encoded.len && method == HTTP_PUT)
		return err_set(err, -EINVAL, "path",
			"a path that ends in '/' names a folder; give the file's path without it");
	if (folder && encoded.len)
		encoded.len--;
	if (percent_decode(encoded, &path) < 0)
		return err_set(
			err, -EINVAL, "path", "the path is too long, or not encoded as a URL's is");
	transfer->verb = method == HTTP_PUT	 ? SESSION_WRITE
			 : method == HTTP_DELETE ? SESSION_REMOVE
			 : folder		 ? SESSION_LIST
						 : SESSION_READ;
	int rc = method == HTTP_PUT ? session_new_path_check(path.data, path.len, err)
				    : session_path_check(path.data, path.len,
					      transfer->verb == SESSION_LIST, err);
	if (rc < 0)
		return rc;
	memcpy(transfer->path, path.len ? (const char *)path.data : "", path.len);
	memcpy(request->path, transfer->path, sizeof(request->path));
	request->verb = transfer->verb;
	request->depth = LIMIT_ARTIFACT_DEPTH;
	return 0;
}

void rest_session_files(struct rest *rest, struct session *session, struct span path)
{
	struct transfer *transfer = rest->user ? rest->user : transfer_new(rest);
	struct session_request request;
	struct err err = {0};
	session_request_init(&request);
	if (!transfer) {
		rest_problem(rest, 503, NULL, "out of memory", 1);
		return;
	}
	if (transfer->room.refused)
		return; /* as soon as its row is written */
	upload_room_leave(&transfer->room);
	memcpy(transfer->id, session->id, sizeof(transfer->id));
	if (read_request(transfer, path, &request, &err) < 0) {
		fail(transfer, 422, "path", err.text);
		return;
	}
	if (request.verb == SESSION_WRITE) {
		spool_digest(&transfer->spool, transfer->digest);
		request.fd = TAKE_FD(transfer->spool.fd);
		request.bytes = transfer->spool.bytes;
	}
	bool changes = request.verb == SESSION_WRITE || request.verb == SESSION_REMOVE;
	if (changes)
		transfer->change = session_change(rest->dispatcher, &rest->who, session, &request,
			transfer->digest, changed, transfer);
	else
		transfer->ask =
			session_ask(rest->dispatcher, session, &request, answered, transfer);
	if (!transfer->ask && !transfer->change)
		fail(transfer, 503, NULL, "the interpreter service is not there; try again");
}
