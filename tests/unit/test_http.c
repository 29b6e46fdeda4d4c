/* http: the parts without I/O: heads, chunks, multipart, origins. */
#include "check.h"

#include "http/answer.h"
#include "http/chunked.h"
#include "http/events.h"
#include "http/multipart.h"
#include "http/origin.h"
#include "http/parse.h"

static int parse(const char *text, struct http_head *head, struct http_fault *fault)
{
	*fault = (struct http_fault){0};
	return http_parse(span_text(text), head, fault);
}

static void reads_a_head(void **state)
{
	(void)state;
	static struct http_head head;
	struct http_fault fault;
	const char *text =
		"POST /v1/run?a=b HTTP/1.1\r\nHost:  localhost \r\nContent-Length: 12\r\n"
		"X-Two: a\r\nX-Two: b\r\nExpect: 100-Continue\r\n\r\n";
	assert_int_equal(http_head_bytes(span_text(text)), strlen(text));
	assert_int_equal(http_head_bytes(span_of(text, strlen(text) - 1)), 0);
	assert_int_equal(parse(text, &head, &fault), 0);
	assert_int_equal(head.method, HTTP_POST);
	assert_true(span_is(head.path, "/v1/run") && span_is(head.query, "a=b"));
	assert_true(span_is(http_field(&head, "host"), "localhost"));
	assert_int_equal(http_field_count(&head, "x-two"), 2);
	assert_int_equal(head.content_bytes, 12);
	assert_true(head.keep_alive && head.expects_continue && !head.chunked);
	assert_null(http_field(&head, "absent").data);
}

static void keeps_alive_as_asked(void **state)
{
	(void)state;
	static struct http_head head;
	struct http_fault fault;
	static const struct {
		const char *text;
		bool wanted;
	} cases[] = {
		{"GET / HTTP/1.1\r\nHost: a\r\n\r\n", true},
		{"GET / HTTP/1.1\r\nHost: a\r\nConnection: x, Close\r\n\r\n", false},
		{"GET / HTTP/1.0\r\nHost: a\r\n\r\n", false},
		{"GET / HTTP/1.0\r\nHost: a\r\nConnection: keep-alive\r\n\r\n", true},
	};
	for (size_t i = 0; i < COUNT(cases); i++) {
		assert_int_equal(parse(cases[i].text, &head, &fault), 0);
		assert_int_equal(head.keep_alive, cases[i].wanted);
	}
}

static void refuses_what_is_in_doubt(void **state)
{
	(void)state;
	static struct http_head head;
	struct http_fault fault;
	static const struct {
		const char *text;
		int status;
	} cases[] = {
		{"GET / HTTP/1.1\r\n\r\n", 400},
		{"GET  / HTTP/1.1\r\nHost: a\r\n\r\n", 400},
		{"GET / HTTP/1.1 \r\nHost: a\r\n\r\n", 400},
		{"GET / HTTP/1.2\r\nHost: a\r\n\r\n", 505},
		{"GET x HTTP/1.1\r\nHost: a\r\n\r\n", 400},
		{"G\x01T / HTTP/1.1\r\nHost: a\r\n\r\n", 400},
		{"GET / HTTP/1.1\r\nHost: a\r\n x\r\n\r\n", 400},
		{"GET / HTTP/1.1\r\nHost: a\r\nA b: c\r\n\r\n", 400},
		{"GET / HTTP/1.1\r\nHost: a\r\nA: \rb\r\n\r\n", 400},
		{"POST / HTTP/1.1\r\nHost: a\r\nContent-Length: +1\r\n\r\n", 400},
		{"POST / HTTP/1.1\r\nHost: a\r\nContent-Length:\r\n\r\n", 400},
		{"POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nContent-Length: 1\r\n\r\n",
			400},
		{"POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 9999999999999999999\r\n\r\n", 400},
		{"POST / HTTP/1.0\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n", 400},
		{"POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: x, chunked\r\n\r\n", 501},
	};
	for (size_t i = 0; i < COUNT(cases); i++) {
		assert_int_equal(parse(cases[i].text, &head, &fault), -EBADMSG);
		assert_int_equal(fault.status, cases[i].status);
		assert_non_null(fault.detail);
	}
}

static void knows_its_names(void **state)
{
	(void)state;
	static const char *const hosts[] = {"brig.example.com", NULL};
	static const char *const good[] = {"localhost", "LocalHost:80", "127.0.0.1:7777", "[::1]",
		"[::1]:80", "brig.example.com:443"};
	static const char *const bad[] = {"", ":80", "localhost:", "localhost:x", "localhost:1:2",
		"[::1", "[::1]x", "::1", "evil.example", "localhost.evil.example", "127.0.0.1.x"};
	for (size_t i = 0; i < COUNT(good); i++)
		assert_true(origin_host_ok(span_text(good[i]), hosts));
	for (size_t i = 0; i < COUNT(bad); i++)
		assert_false(origin_host_ok(span_text(bad[i]), hosts));
	assert_false(origin_host_ok(span_of(NULL, 0), NULL));
}

/* A page of another port is another program's, whatever its name. */
static void knows_its_own_pages(void **state)
{
	(void)state;
	static const struct {
		const char *origin, *host, *public_url;
		bool own;
	} cases[] = {
		{"http://localhost:7777", "localhost:7777", NULL, true},
		{"http://127.0.0.1:7777", "LOCALHOST:7777", NULL, true},
		{"http://[::1]:7777", "127.0.0.1:7777", NULL, true},
		{"http://localhost", "localhost:80", NULL, true},
		{"http://localhost", "localhost", NULL, true},
		{"http://localhost:5173", "localhost:7777", NULL, false},
		{"http://localhost", "localhost:7777", NULL, false},
		{"http://localhost:7777", "localhost", NULL, false},
		{"https://localhost:7777", "localhost:7777", NULL, false},
		{"https://localhost", "localhost:443", "https://localhost", true},
		{"http://brig.example.com", "brig.example.com", NULL, true},
		{"https://brig.example.com", "Brig.example.com", NULL, true},
		{"https://brig.example.com", "brig.example.com:443", NULL, true},
		{"https://brig.example.com:444", "brig.example.com", NULL, false},
		{"http://brig.example.com:443", "brig.example.com", NULL, false},
		{"https://brig.example.com", "127.0.0.1:7777", NULL, false},
		{"https://brig.example.com", "127.0.0.1:7777", "https://brig.example.com", true},
		{"http://localhost:80", "brig.example.com:80", NULL, false},
		{"http://brig.example.com.evil", "brig.example.com", NULL, false},
		{"http://localhost:65536", "localhost:0", NULL, false},
		{"http://localhost:0", "localhost:0", NULL, false},
		{"http://", "localhost", NULL, false},
		{"http://localhost:7777/", "localhost:7777", NULL, false},
		{"http://localhost:7777 http://evil", "localhost:7777", NULL, false},
		{"null", "localhost", "https://brig.example.com", false},
		{"file://localhost", "localhost", NULL, false},
		{"", "localhost", NULL, false},
	};
	for (size_t i = 0; i < COUNT(cases); i++)
		if (origin_own(span_text(cases[i].origin), span_text(cases[i].host),
			    cases[i].public_url) != cases[i].own)
			fail_msg("%s at %s", cases[i].origin, cases[i].host);
	assert_false(origin_own(span_of(NULL, 0), span_text("localhost"), NULL));
	assert_false(origin_own(span_text("http://localhost"), span_of(NULL, 0), NULL));
	assert_true(origin_foreign_site(span_text("cross-site")));
	assert_true(origin_foreign_site(span_text("same-site")));
	assert_false(origin_foreign_site(span_text("same-origin")));
	assert_false(origin_foreign_site(span_text("none")));
	assert_false(origin_foreign_site(span_of(NULL, 0)));
}

static void puts_chunks_together(void **state)
{
	(void)state;
	static const char text[] = "4;x=\"y\"\r\nWiki\r\n005\r\npedia\r\n0\r\nA: b\r\n\r\nrest";
	/* In one piece, and a byte at a time. */
	for (size_t step = 1; step <= sizeof(text); step += sizeof(text) - 1) {
		struct chunked chunked = {0};
		char whole[32] = "";
		size_t at = 0, end = 0, used = 0;
		struct span piece;
		while (chunked.state != CHUNKED_OVER) {
			end = end + step < sizeof(text) - 1 ? end + step : sizeof(text) - 1;
			while (chunked_next(&chunked, span_of(text + at, end - at), &used, &piece) >
				0) {
				if (piece.len)
					strncat(whole, (const char *)piece.data, piece.len);
				at += used;
			}
		}
		assert_string_equal(whole, "Wikipedia");
		assert_string_equal(text + at, "rest");
	}
}

static void refuses_broken_chunks(void **state)
{
	(void)state;
	static const char *const broken[] = {"x\r\n", "\r\n", "1\r\nabc", "fffffffffffff\r\n",
		"-1\r\n", "1 x\r\n", "1;x\n2\r\n", "1;\r;\r\n", "1 \x0b\r\n",
		"0\r\nA: b\nC: d\r\n\r\n"};
	for (size_t i = 0; i < COUNT(broken); i++) {
		struct chunked chunked = {0};
		struct span left = span_text(broken[i]), piece;
		size_t used = 0;
		int rc;
		while ((rc = chunked_next(&chunked, left, &used, &piece)) > 0)
			left = span_of(left.data + used, left.len - used);
		assert_int_equal(rc, -EBADMSG);
	}
}

struct seen {
	char text[256];
};

static int on_begin(void *user, struct span name, struct span file)
{
	struct seen *seen = user;
	size_t used = strlen(seen->text);
	(void)snprintf(seen->text + used, sizeof(seen->text) - used, "<%.*s|%.*s>", (int)name.len,
		(const char *)name.data, (int)file.len, file.data ? (const char *)file.data : "");
	return 0;
}

static int on_data(void *user, struct span piece)
{
	struct seen *seen = user;
	strncat(seen->text, (const char *)piece.data, piece.len);
	return 0;
}

static int on_end(void *user)
{
	struct seen *seen = user;
	strcat(seen->text, "/");
	return 0;
}

static void takes_multipart_apart(void **state)
{
	(void)state;
	static const char body[] = "--b\r\nContent-Disposition: form-data; "
				   "name=\"code\"\r\n\r\n1\r\n--\r\n\r\n--b\r\n"
				   "Content-Type: x\r\ncontent-disposition: form-data; name=f; "
				   "filename=\"a b\"\r\n\r\n"
				   "\r\n--b\r\nContent-Disposition: form-data; name=g; "
				   "filename=x; filename*=UTF-8''a%22%3Bb\r\n\r\n2"
				   "\r\n--b--\r\nepilogue";
	for (size_t step = 1; step < sizeof(body); step += 3) {
		struct seen seen = {""};
		const struct multipart_events events = {
			.begin = on_begin, .data = on_data, .end = on_end, .user = &seen};
		struct multipart multipart;
		assert_int_equal(
			multipart_init(&multipart,
				span_text("multipart/form-data; charset=x; boundary=b"), &events),
			0);
		for (size_t at = 0; at < sizeof(body) - 1; at += step) {
			size_t left = sizeof(body) - 1 - at;
			assert_int_equal(multipart_feed(&multipart,
						 span_of(body + at, left < step ? left : step)),
				0);
		}
		assert_true(multipart_over(&multipart));
		assert_string_equal(seen.text, "<code|>1\r\n--\r\n/<f|a b>/<g|a\";b>2/");
		multipart_done(&multipart);
	}
}

/* How the head of a part names its file, and what that is; NULL where it is refused. */
static void reads_names_of_files(void **state)
{
	(void)state;
	static const char *const cases[][2] = {
		{"name=f; filename=\"a\\\"b.csv\"", "<f|a\"b.csv>/"},
		{"name=f; filename=\"a\\\\\"", "<f|a\\>/"},
		{"name=f; filename=\"C:\\dir\\a.csv\"", "<f|C:\\dir\\a.csv>/"},
		{"name=f; filename=\"a;b; name=x\"", "<f|a;b; name=x>/"},
		{"filename=\"x; name=y\"; name=f", "<f|x; name=y>/"},
		{"filename=\"x\\\"; name=y\"; name=f", "<f|x\"; name=y>/"},
		{"NAME=f ;FileName= a b ", "<f|a b>/"},
		{"name=f; flag; filename=\"\"", "<f|>/"},
		{"name=\"a\\\"b\"", "<a\"b|>/"},
		{"name=f; filename*=UTF-8''a%22; filename=\"b\\\"\"", "<f|a\">/"},
		{"name=f; filename=\"a\\\"", NULL},
		{"name=f; filename=\"a", NULL},
		{"name=\"f", NULL},
		{"filename=\"name=f\"", NULL},
		{"flag", NULL},
		{"", NULL},
	};
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct seen seen = {""};
		const struct multipart_events events = {
			.begin = on_begin, .data = on_data, .end = on_end, .user = &seen};
		struct multipart multipart;
		char body[200];
		(void)snprintf(body, sizeof(body),
			"--b\r\nContent-Disposition: form-data; %s\r\n\r\n\r\n--b--\r\n",
			cases[i][0]);
		assert_int_equal(multipart_init(&multipart,
					 span_text("multipart/form-data; boundary=\"b\""), &events),
			0);
		int rc = multipart_feed(&multipart, span_text(body));
		assert_int_equal(rc, cases[i][1] ? 0 : -EBADMSG);
		if (cases[i][1])
			assert_string_equal(seen.text, cases[i][1]);
		multipart_done(&multipart);
	}
}

static const char streamed[] =
	"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n"
	"8\r\nevent: a\r\nb\r\n\ndata: 1\n\n:\r\n19\r\n\n\nevent: b\ndata: {}\n\n: "
	"\n\n\r\n0\r\n\r\n";

/* However it is cut, the same events come out. */
static void reads_a_stream_of_events(void **state)
{
	(void)state;
	for (size_t step = 1; step < sizeof(streamed); step++) {
		struct answer answer;
		struct events events;
		char seen[64] = "";
		answer_init(&answer);
		events_init(&events, 4096);
		for (size_t at = 0; at < sizeof(streamed) - 1; at += step) {
			size_t left = sizeof(streamed) - 1 - at;
			struct span piece, data;
			const char *name;
			assert_false(answer_over(&answer));
			assert_int_equal(answer_feed(&answer,
						 span_of(streamed + at, left < step ? left : step)),
				0);
			while (answer_next(&answer, &piece) > 0) {
				assert_int_equal(events_feed(&events, piece), 0);
				while (events_next(&events, &name, &data) > 0)
					(void)snprintf(seen + strlen(seen),
						sizeof(seen) - strlen(seen), "%s=%.*s;", name,
						(int)data.len, data.data);
			}
		}
		assert_true(answer_over(&answer));
		assert_int_equal(answer.status, 200);
		assert_string_equal(answer.type, "text/event-stream");
		assert_string_equal(seen, "a=1;b={};");
		answer_done(&answer);
		events_done(&events);
	}
}

static void reads_an_answer_with_a_length(void **state)
{
	(void)state;
	static const char text[] = "HTTP/1.1 403 Forbidden\r\ncontent-length: 5\r\n\r\n12345HTTP/";
	struct answer answer;
	struct span piece;
	answer_init(&answer);
	assert_int_equal(answer_feed(&answer, span_text(text)), 0);
	assert_int_equal(answer_next(&answer, &piece), 1);
	assert_true(span_is(piece, "12345"));
	assert_true(answer_over(&answer));
	assert_int_equal(answer.status, 403);
	answer_done(&answer);
}

static void refuses_what_is_no_answer(void **state)
{
	(void)state;
	static const char *const texts[] = {"HTTP/1.0 200 OK\r\n\r\n", "HTTP/1.1 20\r\n\r\n",
		"SSH-2.0-x\r\n\r\n", "HTTP/1.1 200 OK\r\nno colon\r\n\r\n",
		"HTTP/1.1 200 OK\r\ncontent-length:\r\n\r\n"};
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		struct answer answer;
		struct span piece;
		answer_init(&answer);
		assert_int_equal(answer_feed(&answer, span_text(texts[i])), 0);
		assert_int_equal(answer_next(&answer, &piece), -EBADMSG);
		answer_done(&answer);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(reads_a_head),
		cmocka_unit_test(keeps_alive_as_asked),
		cmocka_unit_test(refuses_what_is_in_doubt),
		cmocka_unit_test(knows_its_names),
		cmocka_unit_test(knows_its_own_pages),
		cmocka_unit_test(puts_chunks_together),
		cmocka_unit_test(refuses_broken_chunks),
		cmocka_unit_test(takes_multipart_apart),
		cmocka_unit_test(reads_names_of_files),
		cmocka_unit_test(reads_a_stream_of_events),
		cmocka_unit_test(reads_an_answer_with_a_length),
		cmocka_unit_test(refuses_what_is_no_answer),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
