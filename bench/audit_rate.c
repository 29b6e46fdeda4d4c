/*
 * audit_rate: how fast the redactor reads and the audit log takes rows, in each durability.
 *
 * Usage: audit_rate FOLDER [FILE]   FOLDER is on the disk to measure; FILE is text to redact
 * (this program itself without one). Prints one line for each.
 */
#include "audit/audit.h"
#include "audit/redact.h"
#include "base/clock.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define TEXT_BYTES (8u << 20)

static void need(int rc, const char *what)
{
	if (rc >= 0)
		return;
	(void)fprintf(stderr, "audit_rate: %s: %s\n", what, strerror(-rc));
	exit(1);
}

static void measure_redact(const char *what, const char *text, size_t chunk_bytes)
{
	struct redact *redact;
	struct buf out;
	buf_init(&out, 4 * TEXT_BYTES);
	need(redact_new(NULL, 0, &redact), "redact_new");
	uint64_t start_us = clock_now_us();
	for (size_t at = 0; at < TEXT_BYTES; at += chunk_bytes)
		need(redact_push(redact, text + at, chunk_bytes, &out), "redact_push");
	need(redact_finish(redact, &out), "redact_finish");
	uint64_t took_us = clock_now_us() - start_us;
	(void)printf("redact %s, chunks of %zu: %.0f MB/s\n", what, chunk_bytes,
		(double)TEXT_BYTES / (double)took_us);
	buf_done(&out);
	redact_free(redact);
}

static void fill(char *text, const char *path)
{
	FILE *file = fopen(path, "re");
	size_t bytes = file ? fread(text, 1, TEXT_BYTES, file) : 0;
	need(bytes ? 0 : -2, path);
	(void)fclose(file);
	for (size_t i = bytes; i < TEXT_BYTES; i++)
		text[i] = text[i - bytes];
}

static void remove_log(const char *path)
{
	static const char *const ends[] = {"", "-wal", "-shm", ".lock"};
	char name[4200];
	for (size_t i = 0; i < sizeof(ends) / sizeof(ends[0]); i++) {
		(void)snprintf(name, sizeof(name), "%s%s", path, ends[i]);
		(void)unlink(name);
	}
}

/* Two rows a job, a flush for each `group` of rows, a tick now and then as the dispatcher has it.
 */
static void measure_log(
	const char *path, enum audit_durability durability, size_t group, size_t rows)
{
	static const struct job_usage usage = {.wall_ms = 3, .cpu_ms = 2};
	const struct audit_options options = {.path = path, .durability = durability};
	struct audit_call call = {.role = "research",
		.token = "ci",
		.door = "rest",
		.tool = "run_sandboxed",
		.code = span_text("import pandas as pd\nprint(pd.read_csv('data.csv').head())\n"),
		.limits = &limits_default};
	const struct audit_end end = {
		.outcome = "ok", .usage = &usage, .output = span_text("   a  b\n0  1  2\n")};
	struct audit *audit;
	uint64_t longest_us = 0;
	char id[32];

	remove_log(path);
	need(audit_open(&options, &audit, NULL), path);
	uint64_t start_us = clock_now_us();
	for (size_t i = 0; i < rows; i++) {
		(void)snprintf(id, sizeof(id), "j%zu", i / 2);
		call.id = id;
		need(i % 2 ? audit_complete(audit, &call, &end, NULL, NULL)
			   : audit_accept(audit, &call, NULL, NULL),
			"audit");
		if (i % group != group - 1)
			continue;
		uint64_t flush_us = clock_now_us();
		need(audit_flush(audit, NULL), "audit_flush");
		flush_us = clock_now_us() - flush_us;
		longest_us = flush_us > longest_us ? flush_us : longest_us;
	}
	uint64_t took_us = clock_now_us() - start_us;
	(void)printf("audit %s, groups of %zu: %.0f rows/s, longest flush %.1f ms\n",
		durability == AUDIT_POWER ? "power" : "process", group,
		(double)rows * 1e6 / (double)took_us, (double)longest_us / 1000);
	audit_close(audit);
	remove_log(path);
}

int main(int argc, char **argv)
{
	static const size_t groups[] = {1, 16, 256};
	char path[4096];
	char *text = malloc(TEXT_BYTES);
	if (argc < 2 || !text) {
		(void)fputs("usage: audit_rate FOLDER [FILE]\n", stderr);
		return 2;
	}
	(void)snprintf(path, sizeof(path), "%s/audit_rate.db", argv[1]);
	fill(text, argc > 2 ? argv[2] : argv[0]);
	measure_redact("the file", text, 65536);
	measure_redact("the file", text, 4096);
	for (size_t i = 0; i < TEXT_BYTES; i++)
		text[i] = "0123456789abcdef"[(i * 2654435761u >> 13) & 15];
	measure_redact("hexadecimal", text, 65536);
	for (size_t i = 0; i < 3; i++)
		measure_log(path, AUDIT_PROCESS, groups[i], 20000);
	for (size_t i = 0; i < 3; i++)
		measure_log(path, AUDIT_POWER, groups[i], groups[i] == 1 ? 1000 : 20000);
	free(text);
	return 0;
}
