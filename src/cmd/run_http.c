/*
 * run_http: the job through a dispatcher: one request, whose answer is a stream of events, and one
 * loop that sends, receives and writes as each descriptor allows.
 */
#include "cmd/run_parts.h"

#include "base/clock.h"
#include "base/fd.h"
#include "cmd/cmd.h"
#include "cmd/interrupt.h"
#include "cmd/run_report.h"
#include "cmd/run_spool.h"
#include "cmd/run_told.h"
#include "cmd/run_upload.h"
#include "http/answer.h"
#include "http/events.h"
#include "tool/json.h"

#include <errno.h>
#include <poll.h>
#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>

#define RECEIVE_BYTES (64u * 1024u)
#define EVENT_BYTES_MAX (2 * RESULT_FRAME_BYTES_MAX + 64 * KIB)
#define PROBLEM_BYTES_MAX (64 * KIB)

struct exchange {
	struct run *run;
	const struct serving *serving;
	int fd;
	struct run_upload upload;
	struct answer answer;
	struct events events;
	struct buf problem; /* the body of a refusal */
	struct run_spool spool;
	struct run_told told;
	char job_id[40];
	bool has_result, cancel_sent;
	uint64_t heard_ms; /* when the server last said or took something */
	int status;	   /* of the refusal that came; 0 for none */
	struct err refusal;
};

/* {"status", "detail"} of a refusal, whether it came instead of the stream or in it. */
static int take_problem(struct exchange *exchange, struct span data)
{
	cleanup_json json_t *object =
		json_loadb((const char *)data.data, data.len, JSON_ALLOW_NUL, NULL);
	exchange->status = (int)json_integer_value(json_object_get(object, "status"));
	if (!exchange->status)
		exchange->status = exchange->answer.status;
	serving_refusal(exchange->status, data, &exchange->refusal);
	return 0;
}

static int take_output(struct exchange *exchange, bool is_stderr, struct span data)
{
	cleanup_json json_t *object =
		json_loadb((const char *)data.data, data.len, JSON_ALLOW_NUL, NULL);
	struct span text = json_text(json_object_get(object, "text"));
	struct span coded = json_text(json_object_get(object, "base64"));
	size_t bytes = 0;
	if (exchange->run->options.json)
		return 0;
	if (!coded.len)
		return run_spool_add(&exchange->spool, is_stderr, text);
	unsigned char *raw = malloc(coded.len);
	if (!raw)
		return -ENOMEM;
	int rc = sodium_base642bin(raw, coded.len, (const char *)coded.data, coded.len, NULL,
			 &bytes, NULL, sodium_base64_VARIANT_ORIGINAL) < 0
			 ? -EBADMSG
			 : run_spool_add(&exchange->spool, is_stderr, span_of(raw, bytes));
	free(raw);
	return rc;
}

static int take_job(struct exchange *exchange, struct span data)
{
	cleanup_json json_t *object =
		json_loadb((const char *)data.data, data.len, JSON_ALLOW_NUL, NULL);
	struct span id = json_text(json_object_get(object, "job_id"));
	(void)snprintf(exchange->job_id, sizeof(exchange->job_id), "%.*s", (int)id.len,
		id.len ? (const char *)id.data : "");
	return 0;
}

static int take_event(struct exchange *exchange, const char *name, struct span data)
{
	if (strcmp(name, "stdout") == 0 || strcmp(name, "stderr") == 0)
		return take_output(exchange, name[3] == 'e', data);
	if (strcmp(name, "job") == 0)
		return take_job(exchange, data);
	if (strcmp(name, "display") == 0)
		return run_told_display(&exchange->told, data);
	if (strcmp(name, "problem") == 0)
		return take_problem(exchange, data);
	if (strcmp(name, "result") != 0)
		return 0;
	exchange->has_result = true;
	return run_told_result(&exchange->told, data);
}

static int take_piece(struct exchange *exchange, struct span piece)
{
	const char *name;
	struct span data;
	if (exchange->answer.status != 200)
		return buf_add(&exchange->problem, piece.data, piece.len);
	int rc = events_feed(&exchange->events, piece);
	while (!rc && (rc = events_next(&exchange->events, &name, &data)) > 0)
		rc = take_event(exchange, name, data);
	return rc;
}

static bool is_over(const struct exchange *exchange)
{
	return exchange->has_result || exchange->status != 0;
}

static int receive(struct exchange *exchange)
{
	static unsigned char bytes[RECEIVE_BYTES];
	struct span piece;
	ssize_t got = recv(exchange->fd, bytes, sizeof(bytes), MSG_DONTWAIT);
	if (got < 0)
		return errno == EAGAIN || errno == EINTR ? 0 : -errno;
	int rc = answer_feed(&exchange->answer, span_of(bytes, (size_t)got));
	while (!rc && (rc = answer_next(&exchange->answer, &piece)) > 0)
		rc = take_piece(exchange, piece);
	if (rc < 0 || is_over(exchange))
		return rc;
	bool whole = answer_over(&exchange->answer);
	if (whole && exchange->answer.status != 200)
		return take_problem(
			exchange, span_of(exchange->problem.data, exchange->problem.len));
	return whole || got == 0 ? -ECONNRESET : 0;
}

static int handle_interrupts(struct exchange *exchange)
{
	char target[64];
	if (interrupt_count > 1)
		return -EINTR;
	if (!interrupt_count || exchange->cancel_sent || is_over(exchange))
		return 0;
	/* Nothing has been accepted yet: hanging up is enough. */
	if (!exchange->job_id[0])
		return -EINTR;
	exchange->cancel_sent = true;
	(void)snprintf(target, sizeof(target), "/v1/jobs/%s", exchange->job_id);
	(void)!serving_request(exchange->serving, "DELETE", span_text(target), NULL, NULL, NULL);
	return 0;
}

static int step(struct exchange *exchange)
{
	int out_fd = run_spool_fd(&exchange->spool);
	bool over = is_over(exchange), sending = !over && !run_upload_over(&exchange->upload);
	struct pollfd watched[] = {
		{.fd = over ? -1 : exchange->fd,
			.events = (short)(POLLIN | (sending ? POLLOUT : 0))},
		{.fd = out_fd, .events = POLLOUT},
	};
	int rc = handle_interrupts(exchange);
	if (rc < 0)
		return rc;
	const struct timespec pause = {.tv_sec = 1};
	int ready = ppoll(watched, 2, &pause, &exchange->run->wait_mask);
	if (ready < 0)
		return errno == EINTR ? 0 : -errno;
	if (watched[0].revents)
		exchange->heard_ms = clock_now_ms();
	else if (!over && clock_now_ms() - exchange->heard_ms > SERVING_SILENCE_SECONDS * 1000u)
		return -ETIMEDOUT;
	if (watched[0].revents & POLLOUT)
		rc = run_upload_step(&exchange->upload, exchange->fd);
	/* A server that hung up in the middle may have said why. */
	if (rc == -EPIPE || rc == -ECONNRESET) {
		exchange->upload.next = exchange->upload.part_count;
		rc = 0;
	}
	if (!rc && watched[0].revents & (POLLIN | POLLHUP | POLLERR))
		rc = receive(exchange);
	if (!rc && watched[1].revents) {
		rc = exchange->run->output_rc = run_spool_step(&exchange->spool);
		if (!rc)
			rc = run_check_reader(exchange->run);
	}
	return rc;
}

static int converse(struct exchange *exchange)
{
	int rc = run_upload_init(&exchange->upload, exchange->run, exchange->serving->token);
	while (!rc && (!is_over(exchange) || run_spool_fd(&exchange->spool) >= 0))
		rc = step(exchange);
	/* What came before it broke is shown all the same. */
	while (rc == -ECONNRESET && run_spool_fd(&exchange->spool) >= 0)
		if (run_spool_step(&exchange->spool) < 0)
			break;
	return rc;
}

static int report_result(struct exchange *exchange)
{
	struct run *run = exchange->run;
	struct err cause = {0};
	if (run->options.out_folder &&
		run_told_fetch(&exchange->told, exchange->serving, &cause) < 0) {
		run_complain(&run->err, cause.text);
		return CMD_INTERNAL;
	}
	int status = run_told_report(run, &exchange->told);
	return interrupt_count ? CMD_CANCELLED : status;
}

static int report(struct exchange *exchange, int rc)
{
	struct run *run = exchange->run;
	struct err cause = {0};
	if (run->output_rc < 0) {
		(void)err_sys(&cause, run->output_rc, "report", "cannot write the job's output");
		run_complain(&run->err, cause.text);
		return CMD_INTERNAL;
	}
	if (rc == -EPIPE && run->out.closed)
		return CMD_SIGNAL_BASE + SIGPIPE;
	if (rc < 0 && interrupt_count) {
		(void)err_set(&cause, -EINTR, "run", "given up before the job's result came");
		return run_refuse(run, OUTCOME_CANCELLED, &cause);
	}
	if (rc == -ECONNRESET)
		(void)err_set(&cause, rc, "serve",
			"the brig that serves went away before the job's result came; run it "
			"again");
	else if (rc == -ETIMEDOUT)
		(void)err_set(&cause, rc, "serve",
			"the brig that serves has said nothing for %u s: it is overloaded, stuck "
			"or stopped; try again, and look at its log",
			SERVING_SILENCE_SECONDS);
	else if (rc < 0)
		(void)err_sys(&cause, rc, "serve", "speaking with the brig that serves");
	if (rc < 0)
		return run_refuse(run, OUTCOME_INTERNAL, &cause);
	/* 408 is a server that had no time to read, and no fault of the request. */
	bool theirs = exchange->status >= 500 || exchange->status == 408;
	if (exchange->status)
		return run_refuse(
			run, theirs ? OUTCOME_INTERNAL : OUTCOME_REJECTED, &exchange->refusal);
	return report_result(exchange);
}

int run_http(struct run *run, const struct serving *serving, int fd)
{
	static struct exchange exchange;
	exchange = (struct exchange){
		.run = run, .serving = serving, .fd = fd, .heard_ms = clock_now_ms()};
	answer_init(&exchange.answer);
	events_init(&exchange.events, EVENT_BYTES_MAX);
	buf_init(&exchange.problem, PROBLEM_BYTES_MAX);
	run_spool_init(&exchange.spool, &run->out, &run->err);
	run_told_init(&exchange.told);
	interrupt_hold();
	(void)signal(SIGPIPE, SIG_IGN);
	int status = report(&exchange, converse(&exchange));
	run_upload_done(&exchange.upload);
	answer_done(&exchange.answer);
	events_done(&exchange.events);
	buf_done(&exchange.problem);
	run_spool_done(&exchange.spool);
	run_told_done(&exchange.told);
	fd_close(&exchange.fd);
	return status;
}
