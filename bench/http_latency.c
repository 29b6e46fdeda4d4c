/*
 * http_latency: the same POST again and again over kept connections, and how long each took.
 *
 *	http_latency ADDRESS:PORT /PATH COUNT CLIENTS TYPE BODY_FILE EXPECT [PAUSE_US]
 *
 * Prints one line of JSON: how many answers were a 200 that holds the text EXPECT, and the
 * quantiles of the time from the first byte sent to the last received. Each client has one
 * connection, made before all of them begin at once. BENCH_TOKEN in the environment is sent along.
 */
#include "sample.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <signal.h>
#include <string.h>
#include <sys/socket.h>

#define ANSWER_BYTES_MAX (16 * MIB)

struct load {
	struct sockaddr_in address;
	struct buf request;
	const char *expect;
	useconds_t pause_us;
};

static int parse_address(const char *word, struct sockaddr_in *address)
{
	char host[64];
	const char *colon = strrchr(word, ':');
	if (!colon || (size_t)(colon - word) >= sizeof(host))
		return -EINVAL;
	(void)snprintf(host, sizeof(host), "%.*s", (int)(colon - word), word);
	address->sin_family = AF_INET;
	address->sin_port = htons((uint16_t)strtoul(colon + 1, NULL, 10));
	return inet_pton(AF_INET, host, &address->sin_addr) == 1 ? 0 : -EINVAL;
}

static int read_file(const char *path, struct buf *out)
{
	FILE *file = fopen(path, "re");
	if (!file)
		return -errno;
	int rc = 0;
	for (size_t got = 1; !rc && got > 0;) {
		char piece[16384];
		got = fread(piece, 1, sizeof(piece), file);
		rc = buf_add(out, piece, got);
	}
	(void)fclose(file);
	return rc;
}

static int build_request(struct load *load, char **argv)
{
	struct buf body cleanup_buf;
	buf_init(&body, LIMIT_INPUT_BYTES + MIB);
	buf_init(&load->request, LIMIT_INPUT_BYTES + 2 * MIB);
	int rc = read_file(argv[6], &body);
	if (!rc)
		rc = buf_printf(&load->request,
			"POST %s HTTP/1.1\r\nHost: %s\r\nContent-Type: %s\r\n"
			"Content-Length: %zu\r\n",
			argv[2], argv[1], argv[5], body.len);
	const char *token = getenv("BENCH_TOKEN");
	if (!rc && token && token[0])
		rc = buf_printf(&load->request, "Authorization: Bearer %s\r\n", token);
	if (!rc)
		rc = buf_printf(&load->request, "\r\n");
	return rc ? rc : buf_add(&load->request, body.data, body.len);
}

static int dial(const struct load *load)
{
	const int on = 1;
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (fd >= 0 && setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on)) == 0 &&
		connect(fd, (const struct sockaddr *)&load->address, sizeof(load->address)) == 0)
		return fd;
	fd_close(&fd);
	return -errno;
}

/* The length of the whole answer once its head is there, 0 before, -EPROTO. */
static ssize_t answer_length(const char *answer)
{
	const char *end = strstr(answer, "\r\n\r\n");
	if (!end)
		return 0;
	const char *length = strcasestr(answer, "\r\nContent-Length:");
	if (!length || length > end)
		return -EPROTO;
	return end + 4 - answer + (ssize_t)strtoul(length + 17, NULL, 10);
}

static int receive(int fd, struct buf *answer)
{
	ssize_t whole = 0;
	answer->len = 0;
	while (whole == 0 || answer->len < (size_t)whole) {
		unsigned char *room = buf_reserve(answer, 65536);
		ssize_t got = room ? read(fd, room, 65535) : -1;
		if (got <= 0)
			return got < 0 ? -errno : -ECONNRESET;
		answer->len += (size_t)got;
		room[got] = 0;
		if (whole == 0)
			whole = answer_length((const char *)answer->data);
		if (whole < 0)
			return (int)whole;
	}
	return 0;
}

static int run_one(const struct load *load, int fd, struct buf *answer, struct sample *sample)
{
	uint64_t start_us = clock_now_us();
	int rc = fd_write_all(fd, load->request.data, load->request.len);
	/* A server that closed early may have said why. */
	if (!rc || rc == -EPIPE)
		rc = receive(fd, answer);
	if (rc < 0)
		return rc;
	sample->us = (uint32_t)(clock_now_us() - start_us);
	const char *text = (const char *)answer->data;
	sample->good = strncmp(text, "HTTP/1.1 200 ", 13) == 0 && strstr(text, load->expect);
	if (!sample->good)
		(void)fprintf(stderr, "unexpected answer: %.600s\n", text);
	return 0;
}

static int client(void *user, struct sample *samples, size_t count, int gate_fd)
{
	const struct load *load = user;
	struct buf answer cleanup_buf;
	buf_init(&answer, ANSWER_BYTES_MAX);
	cleanup_fd int fd = dial(load);
	int rc = fd < 0 ? fd : 0;
	sample_wait(gate_fd);
	for (size_t i = 0; !rc && i < count; i++) {
		rc = run_one(load, fd, &answer, &samples[i]);
		if (load->pause_us)
			(void)usleep(load->pause_us);
	}
	if (rc < 0)
		(void)fprintf(stderr, "http: %s\n", strerror(-rc));
	return rc;
}

int main(int argc, char **argv)
{
	struct load load = {0};
	(void)signal(SIGPIPE, SIG_IGN);
	if (argc < 8 || parse_address(argv[1], &load.address) < 0) {
		(void)fprintf(stderr, "usage: http_latency ADDRESS:PORT /PATH COUNT CLIENTS TYPE "
				      "BODY_FILE EXPECT [PAUSE_US]\n");
		return 2;
	}
	load.expect = argv[7];
	load.pause_us = argc > 8 ? (useconds_t)strtoul(argv[8], NULL, 10) : 0;
	int rc = build_request(&load, argv);
	if (rc < 0) {
		(void)fprintf(stderr, "%s: %s\n", argv[6], strerror(-rc));
		return 1;
	}
	return sample_run(
		client, &load, strtoul(argv[3], NULL, 10), strtoul(argv[4], NULL, 10), false);
}
