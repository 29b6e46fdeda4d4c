/* http: connections over a real socket: what is framed how, in which order, and who calls whom. */
#include "check.h"

#include "base/clock.h"
#include "http/server.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>

#define FILE_BYTES (8u * 1024u * 1024u)
#define LARGE_BYTES (300u * 1024u)
#define WATCHDOG_MS 30000u
#define IDLE_MS 100u
#define SLOW_MS 4500u /* beyond every limit that is not for a transfer */

struct fixture {
	struct event_base *base;
	struct http_server *server;
	struct event *later;
	struct http_exchange *waiting; /* for `later` */
	uint16_t port;
	size_t begun;	 /* requests whose head has come */
	bool answering;	 /* a handler is in http_answer, from the loop */
	bool was_called; /* meanwhile */
};

static struct fixture it;
static char large[LARGE_BYTES];

static int refuse_piece(struct http_exchange *exchange, struct span piece)
{
	(void)piece;
	http_answer(exchange, 413, "text/plain", span_text("enough"));
	return -EFBIG;
}

static void on_head(void *user, struct http_exchange *exchange)
{
	(void)user;
	it.begun++;
	it.was_called |= it.answering;
	if (span_is(exchange->head->path, "/sink"))
		exchange->sink = refuse_piece;
}

static void on_gone(struct http_exchange *exchange)
{
	(void)exchange;
	it.waiting = NULL;
}

static void on_request(void *user, struct http_exchange *exchange)
{
	const struct timeval none = {0};
	struct span path = exchange->head->path;
	(void)user;
	if (span_is(path, "/file")) {
		int fd = memfd_create("check", MFD_CLOEXEC);
		assert_true(fd >= 0);
		assert_int_equal(ftruncate(fd, FILE_BYTES), 0);
		http_answer_file(exchange, "text/plain", fd, FILE_BYTES);
	} else if (span_is(path, "/large")) {
		http_answer(exchange, 200, "text/plain", span_of(large, sizeof(large)));
	} else if (span_is(path, "/later")) {
		it.waiting = exchange;
		exchange->on_gone = on_gone;
		assert_int_equal(event_add(it.later, &none), 0);
	} else {
		http_answer(exchange, 200, "text/plain", span_text("small"));
	}
}

static void on_later(evutil_socket_t fd, short what, void *context)
{
	(void)fd;
	(void)what;
	(void)context;
	if (!it.waiting)
		return;
	it.answering = true;
	http_answer(it.waiting, 200, "text/plain", span_text("late"));
	it.answering = false;
}

static int set_up(void **state)
{
	struct sockaddr_in place = {
		.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	socklen_t length = sizeof(place);
	(void)state;
	it = (struct fixture){.base = event_base_new()};
	const struct http_options options = {.base = it.base,
		.connections_max = 16,
		.bodies_bytes_max = 1024 * 1024,
		.limits = {.read_ms = 10000,
			.idle_ms = IDLE_MS,
			.head_bytes_max = 65536,
			.body_bytes_max = 1024 * 1024},
		.socket_group = (gid_t)-1,
		.on_head = on_head,
		.on_request = on_request};
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	assert_true(fd >= 0);
	assert_int_equal(bind(fd, (struct sockaddr *)&place, length), 0);
	assert_int_equal(listen(fd, 16), 0);
	assert_int_equal(getsockname(fd, (struct sockaddr *)&place, &length), 0);
	it.port = place.sin_port;
	assert_int_equal(http_server_new(&options, &it.server), 0);
	assert_int_equal(http_server_listen(it.server, fd), 0);
	it.later = event_new(it.base, -1, 0, on_later, NULL);
	memset(large, 'l', sizeof(large));
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	http_server_free(it.server);
	event_free(it.later);
	event_base_free(it.base);
	return 0;
}

static int client(const char *text)
{
	const struct sockaddr_in place = {.sin_family = AF_INET,
		.sin_port = it.port,
		.sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	assert_true(fd >= 0);
	assert_true(connect(fd, (const struct sockaddr *)&place, sizeof(place)) == 0 ||
		    errno == EINPROGRESS);
	struct pollfd ready = {.fd = fd, .events = POLLOUT};
	assert_int_equal(poll(&ready, 1, (int)WATCHDOG_MS), 1);
	assert_int_equal(send(fd, text, strlen(text), MSG_NOSIGNAL), (ssize_t)strlen(text));
	return fd;
}

/* Reads until `end` stands at the end of what has come, or the other side closes. */
static char *talk(int fd, const char *end, size_t *ret_bytes)
{
	size_t bytes = 0, room = 3 * FILE_BYTES, length = strlen(end);
	char *got = malloc(room);
	uint64_t until_ms = clock_now_ms() + WATCHDOG_MS;
	assert_non_null(got);
	while (clock_now_ms() < until_ms) {
		(void)event_base_loop(it.base, EVLOOP_NONBLOCK);
		ssize_t more = recv(fd, got + bytes, room - bytes - 1, 0);
		if (more == 0 || (more < 0 && errno != EAGAIN))
			break;
		bytes += more > 0 ? (size_t)more : 0;
		if (length && bytes >= length && memcmp(got + bytes - length, end, length) == 0)
			break;
		if (more < 0)
			(void)usleep(100);
	}
	got[bytes] = 0;
	*ret_bytes = bytes;
	return got;
}

static size_t count_of(const char *text, size_t bytes, const char *word)
{
	size_t count = 0;
	const char *at = text;
	while ((at = memmem(at, bytes - (size_t)(at - text), word, strlen(word)))) {
		count++;
		at += strlen(word);
	}
	return count;
}

/* A sink that answers in the middle of a body leaves none of it to be taken for a request. */
static void takes_no_body_for_a_request(void **state)
{
	static const char smuggled[] = "GET /smuggled HTTP/1.1\r\nHost: localhost\r\n\r\n";
	char text[512];
	size_t bytes;
	(void)state;
	(void)snprintf(text, sizeof(text),
		"POST /sink HTTP/1.1\r\nHost: localhost\r\nContent-Length: %zu\r\n\r\n%s"
		"GET /after HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n",
		strlen(smuggled), smuggled);
	int fd = client(text);
	char *got = talk(fd, "", &bytes);
	assert_int_equal(count_of(got, bytes, "HTTP/1.1 413"), 1);
	assert_int_equal(count_of(got, bytes, "HTTP/1.1 200"), 1);
	assert_int_equal(it.begun, 2);
	free(got);
	(void)close(fd);
}

/* The rest of the body comes after the answer: then the connection cannot go on. */
static void closes_behind_half_a_body(void **state)
{
	static const char half[] =
		"POST /sink HTTP/1.1\r\nHost: localhost\r\nContent-Length: 60\r\n\r\n"
		"0123456789012345678901234567890123456789";
	static const char rest[] = "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n";
	size_t bytes;
	(void)state;
	int fd = client(half);
	char *got = talk(fd, "enough", &bytes);
	assert_int_equal(count_of(got, bytes, "HTTP/1.1 413"), 1);
	assert_int_equal(count_of(got, bytes, "Connection: close"), 1);
	free(got);
	(void)!send(fd, rest, strlen(rest), MSG_NOSIGNAL);
	got = talk(fd, "", &bytes);
	assert_int_equal(bytes, 0);
	assert_int_equal(it.begun, 1);
	free(got);
	(void)close(fd);
}

/* Nothing stands between a file's head and its bytes. */
static void answers_in_order_behind_a_file(void **state)
{
	static const char head_end[] = "\r\n\r\n";
	size_t bytes;
	(void)state;
	int fd = client("GET /file HTTP/1.1\r\nHost: localhost\r\n\r\n"
			"GET /file HTTP/1.1\r\nHost: localhost\r\n\r\n"
			"GET /small HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
	char *got = talk(fd, "", &bytes);
	const char *body = memmem(got, bytes, head_end, strlen(head_end));
	assert_non_null(body);
	body += strlen(head_end);
	assert_true(bytes - (size_t)(body - got) > FILE_BYTES);
	assert_null(memmem(body, FILE_BYTES, "HTTP/1.1", 8));
	assert_memory_equal(body + FILE_BYTES, "HTTP/1.1 200", 12);
	assert_int_equal(count_of(got, bytes, "HTTP/1.1 200"), 3);
	free(got);
	(void)close(fd);
}

/* However fast the socket takes a large answer, the next request is looked at. */
static void goes_on_behind_a_large_answer(void **state)
{
	size_t bytes;
	(void)state;
	int fd = client("GET /large HTTP/1.1\r\nHost: localhost\r\n\r\n"
			"GET /large HTTP/1.1\r\nHost: localhost\r\n\r\n"
			"GET /small HTTP/1.1\r\nHost: localhost\r\n\r\n");
	char *got = talk(fd, "small", &bytes);
	assert_int_equal(count_of(got, bytes, "HTTP/1.1 200"), 3);
	free(got);
	(void)close(fd);
}

/* Whoever answers later may still look at what is its own: the next request waits for the loop. */
static void answering_never_calls_back(void **state)
{
	size_t bytes;
	(void)state;
	int fd = client("GET /later HTTP/1.1\r\nHost: localhost\r\n\r\n"
			"GET /later HTTP/1.1\r\nHost: localhost\r\n\r\n"
			"GET /small HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
	char *got = talk(fd, "", &bytes);
	assert_int_equal(count_of(got, bytes, "HTTP/1.1 200"), 3);
	assert_int_equal(it.begun, 3);
	assert_false(it.was_called);
	free(got);
	(void)close(fd);
}

/* Neither the time between requests nor that of a last farewell cuts a transfer off. */
static void a_slow_reader_gets_it_all(void **state)
{
	size_t bytes;
	(void)state;
	int fds[] = {client("GET /file HTTP/1.1\r\nHost: localhost\r\n\r\n"),
		client("GET /file HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")};
	uint64_t until_ms = clock_now_ms() + SLOW_MS;
	while (clock_now_ms() < until_ms) {
		(void)event_base_loop(it.base, EVLOOP_NONBLOCK);
		(void)usleep(10000);
	}
	for (size_t i = 0; i < COUNT(fds); i++) {
		char *got = talk(fds[i], "", &bytes);
		assert_true(bytes > FILE_BYTES);
		free(got);
		(void)close(fds[i]);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(takes_no_body_for_a_request, set_up, tear_down),
		cmocka_unit_test_setup_teardown(closes_behind_half_a_body, set_up, tear_down),
		cmocka_unit_test_setup_teardown(answers_in_order_behind_a_file, set_up, tear_down),
		cmocka_unit_test_setup_teardown(goes_on_behind_a_large_answer, set_up, tear_down),
		cmocka_unit_test_setup_teardown(answering_never_calls_back, set_up, tear_down),
		cmocka_unit_test_setup_teardown(a_slow_reader_gets_it_all, set_up, tear_down),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
