/*
 * cell_latency: the same job again and again over a service's socket, and how long each took.
 *
 *	cell_latency SOCKET COUNT CLIENTS CODE [PAUSE_US [PATH:NAME]...]
 *
 * Prints one line of JSON: how many were ok, the quantiles of the time from connecting to the
 * result, and the median of each stage. All clients begin at once, so that COUNT = CLIENTS is a
 * burst. PATH:NAME is an input.
 */
#include "sample.h"

#include "tool/cell_client.h"
#include "tool/input.h"
#include "tool/job_id.h"

#include <errno.h>
#include <sodium.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>

struct load {
	const char *socket_path, *code;
	useconds_t pause_us;
	char **inputs;
	int input_count;
};

static int dial(const char *path)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	(void)snprintf(address.sun_path, sizeof(address.sun_path), "%s", path);
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (fd >= 0 && connect(fd, (const struct sockaddr *)&address, sizeof(address)) == 0)
		return fd;
	fd_close(&fd);
	return -errno;
}

static int add_input(struct job_spec *spec, const char *word, struct err *err)
{
	unsigned char digest[32] = {0}; /* the service does not look at it */
	char path[4096];
	int fd;
	uint64_t bytes;
	const char *colon = strrchr(word, ':');
	if (!colon)
		return err_set(err, -EINVAL, "usage", "an input is PATH:NAME");
	(void)snprintf(path, sizeof(path), "%.*s", (int)(colon - word), word);
	int rc = input_open(path, LIMIT_INPUT_BYTES, &fd, &bytes, err);
	return rc ? rc : job_spec_add_input(spec, colon + 1, bytes, digest, fd, err);
}

static int make_spec(const struct load *load, struct job_spec *spec, struct err *err)
{
	job_spec_init(spec);
	if (job_id_make(spec->id) < 0 || buf_add_text(&spec->code, load->code) < 0)
		return -ENOMEM;
	int rc = 0;
	for (int i = 0; !rc && i < load->input_count; i++)
		rc = add_input(spec, load->inputs[i], err);
	return rc;
}

static void take_stages(const struct job_result *result, struct sample *sample)
{
	const struct job_stages *stages = &result->stages;
	const uint64_t inside[] = {stages->queue_us, stages->handover_us, stages->run_us,
		stages->drain_us, stages->verdict_us};
	uint64_t sum = 0;
	for (size_t i = 0; i < sizeof(inside) / sizeof(inside[0]); i++) {
		sample->stages_us[i] = (uint32_t)inside[i];
		sum += inside[i];
	}
	sample->stages_us[STAGE_REPLY] = sample->us > sum ? (uint32_t)(sample->us - sum) : 0;
}

static int run_one(const struct load *load, struct sample *sample, struct err *err)
{
	const struct cell_client client = {0};
	struct job_spec spec cleanup_job_spec;
	struct job_result result cleanup_job_result;

	job_result_init(&result);
	int rc = make_spec(load, &spec, err);
	if (rc < 0)
		return rc;
	uint64_t start_us = clock_now_us();
	cleanup_fd int fd = dial(load->socket_path);
	if (fd < 0)
		return err_sys(err, fd, "socket", load->socket_path);
	rc = cell_client_run(&client, fd, &spec, &result, err);
	if (rc < 0)
		return rc;
	sample->us = (uint32_t)(clock_now_us() - start_us);
	sample->good = result.outcome == OUTCOME_OK;
	take_stages(&result, sample);
	if (!sample->good)
		(void)fprintf(stderr, "%s %s %s\n", outcome_name(result.outcome),
			result.fault.stage, result.fault.text);
	return 0;
}

static int client(void *user, struct sample *samples, size_t count, int gate_fd)
{
	const struct load *load = user;
	struct err err = {0};
	int rc = 0;
	sample_wait(gate_fd);
	for (size_t i = 0; !rc && i < count; i++) {
		rc = run_one(load, &samples[i], &err);
		if (load->pause_us)
			(void)usleep(load->pause_us);
	}
	if (rc < 0)
		(void)fprintf(stderr, "%s: %s\n", err.stage, err.text);
	return rc;
}

int main(int argc, char **argv)
{
	if (argc < 5 || sodium_init() < 0) {
		(void)fprintf(stderr, "usage: cell_latency SOCKET COUNT CLIENTS CODE "
				      "[PAUSE_US [PATH:NAME]...]\n");
		return 2;
	}
	struct load load = {.socket_path = argv[1], .code = argv[4]};
	if (argc > 5)
		load.pause_us = (useconds_t)strtoul(argv[5], NULL, 10);
	if (argc > 6) {
		load.inputs = argv + 6;
		load.input_count = argc - 6;
	}
	return sample_run(
		client, &load, strtoul(argv[2], NULL, 10), strtoul(argv[3], NULL, 10), true);
}
