/* run_upload: Source: RFC 7578, RFC 5987. */
#include "cmd/run_upload.h"

#include "http/percent.h"
#include "tool/json.h"

#include <errno.h>
#include <sodium.h>
#include <stdio.h>
#include <sys/socket.h>
#include <unistd.h>

#define PIECE_BYTES (64u * 1024u)
#define TEXT_BYTES (8 * LIMIT_CODE_BYTES)
#define MARK_BYTES 33u

struct form {
	struct buf body;
	char mark[MARK_BYTES];
	bool is_multipart;
};

/* What the command line left at its default the role decides. */
static int put_limits(json_t *request, const struct job_limits *limits)
{
	const struct {
		const char *key;
		uint64_t value, usual;
	} figures[] = {
		{"wall_ms", limits->wall_ms, limits_default.wall_ms},
		{"cpu_ms", limits->cpu_ms, limits_default.cpu_ms},
		{"memory_bytes", limits->memory_bytes, limits_default.memory_bytes},
		{"output_bytes", limits->output_bytes, limits_default.output_bytes},
	};
	json_t *object = json_object();
	int rc = json_put(request, "limits", object);
	for (size_t i = 0; !rc && i < sizeof(figures) / sizeof(figures[0]); i++)
		if (figures[i].value != figures[i].usual)
			rc = json_put(
				object, figures[i].key, json_integer((json_int_t)figures[i].value));
	return rc;
}

static int put_request(const struct run *run, struct buf *out)
{
	const struct job_spec *spec = &run->spec;
	cleanup_json json_t *request = json_object();
	int rc =
		json_put(request, "code", json_from_text(span_of(spec->code.data, spec->code.len)));
	if (!rc)
		rc = put_limits(request, &spec->limits);
	if (!rc && spec->chart_format == CHART_SVG)
		rc = json_put(request, "chart_format", json_string("svg"));
	if (!rc && spec->table_csv)
		rc = json_put(request, "table_csv", json_true());
	if (!rc && spec->session.use != SESSION_NONE)
		rc = json_put(request, "session",
			json_string(spec->session.use == SESSION_NEW ? "new" : spec->session.id));
	if (!rc && spec->receipt)
		rc = json_put(request, "receipt", json_true());
	return rc ? rc : json_write(request, out);
}

static int add_text(struct run_upload *upload, size_t from)
{
	upload->parts[upload->part_count].fd = -1;
	upload->parts[upload->part_count++].bytes = upload->text.len - from;
	return 0;
}

static int add_file(struct run_upload *upload, struct form *form, const char *field,
	const char *name, int fd, uint64_t bytes)
{
	size_t from = upload->text.len;
	int rc = buf_printf(&upload->text,
		"\r\n--%s\r\nContent-Disposition: form-data; name=\"%s\"%s", form->mark, field,
		name ? "; filename*=UTF-8''" : "");
	if (!rc && name)
		rc = percent_encode(span_text(name), &upload->text);
	if (!rc)
		rc = buf_add_text(&upload->text, "\r\n\r\n");
	if (rc < 0)
		return rc;
	(void)add_text(upload, from);
	upload->parts[upload->part_count].fd = fd;
	upload->parts[upload->part_count++].bytes = bytes;
	return 0;
}

static int add_parts(struct run_upload *upload, struct form *form, const struct job_spec *spec)
{
	int rc = 0;
	size_t from = upload->text.len;
	if (!form->is_multipart) {
		rc = buf_add(&upload->text, form->body.data, form->body.len);
		return rc ? rc : add_text(upload, from);
	}
	rc = buf_printf(&upload->text,
		"--%s\r\nContent-Disposition: form-data; name=\"request\"\r\n\r\n", form->mark);
	if (!rc)
		rc = buf_add(&upload->text, form->body.data, form->body.len);
	if (!rc)
		rc = add_text(upload, from);
	if (!rc && spec->stdin_fd >= 0)
		rc = add_file(upload, form, "stdin", NULL, spec->stdin_fd, spec->stdin_bytes);
	for (uint32_t i = 0; !rc && i < spec->input_count; i++)
		rc = add_file(upload, form, "file", spec->inputs[i].name, spec->inputs[i].fd,
			spec->inputs[i].bytes);
	from = upload->text.len;
	if (!rc)
		rc = buf_printf(&upload->text, "\r\n--%s--\r\n", form->mark);
	return rc ? rc : add_text(upload, from);
}

/* The head comes first and says how much follows: room for it is kept at the front. */
static int put_head(struct run_upload *upload, const struct form *form, const char *token)
{
	uint64_t bytes = 0;
	cleanup_buf struct buf head = {0};
	buf_init(&head, TEXT_BYTES + SERVING_TOKEN_BYTES + 1024);
	for (size_t i = 1; i < upload->part_count; i++)
		bytes += upload->parts[i].bytes;
	int rc = buf_printf(&head,
		"POST /v1/run HTTP/1.1\r\nHost: localhost\r\n"
		"Accept: text/event-stream;display=text\r\n%s%s%s"
		"Content-Type: %s%s\r\nContent-Length: %llu\r\n\r\n",
		token[0] ? "Authorization: Bearer " : "", token, token[0] ? "\r\n" : "",
		form->is_multipart ? "multipart/form-data; boundary=" : "application/json",
		form->is_multipart ? form->mark : "", (unsigned long long)bytes);
	if (!rc)
		rc = buf_add(&head, upload->text.data, upload->text.len);
	if (rc < 0)
		return rc;
	upload->parts[0].fd = -1;
	upload->parts[0].bytes = head.len - upload->text.len;
	buf_done(&upload->text);
	upload->text = head;
	head = (struct buf){0};
	return 0;
}

int run_upload_init(struct run_upload *upload, const struct run *run, const char *token)
{
	struct form form = {.is_multipart = run->spec.input_count || run->spec.stdin_fd >= 0};
	unsigned char random[(MARK_BYTES - 1) / 2];
	*upload = (struct run_upload){.part_count = 1};
	buf_init(&upload->text, TEXT_BYTES);
	buf_init(&form.body, TEXT_BYTES);
	randombytes_buf(random, sizeof(random));
	(void)sodium_bin2hex(form.mark, sizeof(form.mark), random, sizeof(random));
	int rc = put_request(run, &form.body);
	if (!rc)
		rc = add_parts(upload, &form, &run->spec);
	if (!rc)
		rc = put_head(upload, &form, token);
	buf_done(&form.body);
	if (rc < 0)
		run_upload_done(upload);
	return rc;
}

void run_upload_done(struct run_upload *upload)
{
	buf_done(&upload->text);
}

bool run_upload_over(const struct run_upload *upload)
{
	return upload->next == upload->part_count;
}

int run_upload_step(struct run_upload *upload, int fd)
{
	unsigned char piece[PIECE_BYTES];
	uint64_t left = upload->parts[upload->next].bytes - upload->sent;
	size_t bytes = left < sizeof(piece) ? (size_t)left : sizeof(piece);
	int from_fd = upload->parts[upload->next].fd;
	const unsigned char *data = upload->text.data + upload->text_at;
	ssize_t got = (ssize_t)bytes, sent = 0;
	if (from_fd >= 0) {
		got = pread(from_fd, piece, bytes, (off_t)upload->sent);
		data = piece;
	}
	if (got < 0 || (got == 0 && bytes))
		return got < 0 ? -errno : -ENODATA; /* the file was cut meanwhile */
	if (got)
		sent = send(fd, data, (size_t)got, MSG_NOSIGNAL | MSG_DONTWAIT);
	if (sent < 0)
		return errno == EAGAIN || errno == EINTR ? 0 : -errno;
	upload->sent += (uint64_t)sent;
	upload->text_at += from_fd < 0 ? (size_t)sent : 0;
	if (upload->sent == upload->parts[upload->next].bytes) {
		upload->next++;
		upload->sent = 0;
	}
	return 0;
}
