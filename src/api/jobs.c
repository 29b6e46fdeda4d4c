/* jobs: a table by id, a list by age. */
#include "api/jobs.h"

#include "base/clock.h"
#include "base/fd.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#define SWEEP_SECONDS 10
#define FILES_MOST 16384u

/* Ids are random: any few of their bits do. */
static size_t bucket_of(struct span id)
{
	size_t hash = 5381;
	for (size_t i = 0; i < id.len; i++)
		hash = hash * 33 + id.data[i];
	return hash % JOBS_BUCKETS;
}

static int64_t wall_clock_ms(void)
{
	struct timespec now;
	(void)clock_gettime(CLOCK_REALTIME, &now);
	return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static void drop_result(struct jobs *jobs, struct record *record)
{
	jobs->result_bytes -= record->result.len;
	buf_done(&record->result);
}

static void drop_files(struct jobs *jobs, struct record *record)
{
	for (size_t i = 0; i < record->file_count; i++) {
		jobs_file_forget(jobs, record->files[i].bytes);
		fd_close(&record->files[i].fd);
		free(record->files[i].name);
	}
	free(record->files);
	record->files = NULL;
	record->file_count = 0;
}

static void drop(struct jobs *jobs, struct record *record)
{
	SLIST_REMOVE(&jobs->buckets[bucket_of(span_text(record->id))], record, record, by_id);
	TAILQ_REMOVE(&jobs->records, record, by_age);
	jobs->count--;
	drop_result(jobs, record);
	drop_files(jobs, record);
	free(record);
}

static void on_sweep(evutil_socket_t fd, short what, void *context)
{
	struct jobs *jobs = context;
	uint64_t now_ms = clock_now_ms();
	(void)fd;
	(void)what;
	for (struct record *record = TAILQ_FIRST(&jobs->records), *next; record; record = next) {
		next = TAILQ_NEXT(record, by_age);
		if (record->state == RECORD_DONE && record->expires_ms <= now_ms)
			drop(jobs, record);
	}
}

/* Half of the descriptors that this process may have: the rest is for those who ask. */
static size_t files_most(void)
{
	struct rlimit limit;
	if (getrlimit(RLIMIT_NOFILE, &limit) < 0 || limit.rlim_cur / 2 > FILES_MOST)
		return FILES_MOST;
	return (size_t)limit.rlim_cur / 2;
}

int jobs_init(struct jobs *jobs, struct event_base *base, const char *folder)
{
	const struct timeval often = {.tv_sec = SWEEP_SECONDS};
	*jobs = (struct jobs){.folder_fd = -1, .file_count_max = files_most()};
	TAILQ_INIT(&jobs->records);
	if (folder)
		jobs->folder_fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	jobs->sweep = event_new(base, -1, EV_PERSIST, on_sweep, jobs);
	return jobs->sweep && event_add(jobs->sweep, &often) == 0 ? 0 : -ENOMEM;
}

void jobs_done(struct jobs *jobs)
{
	while (jobs->sweep && !TAILQ_EMPTY(&jobs->records))
		drop(jobs, TAILQ_FIRST(&jobs->records));
	if (jobs->sweep) {
		event_free(jobs->sweep);
		fd_close(&jobs->folder_fd);
	}
	jobs->sweep = NULL;
}

/* The oldest record that is over, or NULL. */
static struct record *oldest(struct jobs *jobs)
{
	struct record *record;
	TAILQ_FOREACH(record, &jobs->records, by_age)
	if (record->state == RECORD_DONE)
		return record;
	return NULL;
}

bool jobs_may_see(const struct record *record, const struct who *who)
{
	const struct who_made made = {record->role, record->token, record->owner};
	return who_may_see(who, &made);
}

struct record *jobs_add(struct jobs *jobs, const char *id, const struct who *who)
{
	struct record *old = jobs->count >= JOBS_RECORDS_MAX ? oldest(jobs) : NULL;
	if (old)
		drop(jobs, old);
	struct record *record = jobs->count < JOBS_RECORDS_MAX ? calloc(1, sizeof(*record)) : NULL;
	if (!record)
		return NULL;
	(void)snprintf(record->id, sizeof(record->id), "%s", id);
	(void)snprintf(record->role, sizeof(record->role), "%s", who->role->name);
	(void)snprintf(record->token, sizeof(record->token), "%s", who->token);
	(void)snprintf(record->owner, sizeof(record->owner), "%s", who->owner);
	record->accepted_ms = wall_clock_ms();
	buf_init(&record->result, JOBS_RESULT_BYTES_MAX);
	TAILQ_INSERT_TAIL(&jobs->records, record, by_age);
	SLIST_INSERT_HEAD(&jobs->buckets[bucket_of(span_text(id))], record, by_id);
	jobs->count++;
	return record;
}

struct record *jobs_find(struct jobs *jobs, struct span id)
{
	struct record *record;
	SLIST_FOREACH(record, &jobs->buckets[bucket_of(id)], by_id)
	if (span_is(id, record->id))
		return record;
	return NULL;
}

void jobs_end(struct jobs *jobs, struct record *record, enum outcome outcome, struct span result)
{
	struct record *old = TAILQ_FIRST(&jobs->records);
	record->state = RECORD_DONE;
	record->outcome = outcome;
	record->call = NULL;
	record->ended_ms = wall_clock_ms();
	record->expires_ms = clock_now_ms() + jobs->keep_ms;
	for (; old && jobs->result_bytes + result.len > JOBS_RESULT_BYTES_MAX;
		old = TAILQ_NEXT(old, by_age))
		drop_result(jobs, old);
	if (buf_add(&record->result, result.data, result.len) == 0)
		jobs->result_bytes += result.len;
}

static bool has_room(const struct jobs *jobs, uint64_t bytes)
{
	return jobs->file_bytes + bytes <= jobs->file_bytes_max &&
	       jobs->file_count < jobs->file_count_max;
}

static bool make_room(struct jobs *jobs, uint64_t bytes)
{
	struct record *old = TAILQ_FIRST(&jobs->records);
	for (; old && !has_room(jobs, bytes); old = TAILQ_NEXT(old, by_age))
		if (old->state == RECORD_DONE)
			drop_files(jobs, old);
	return has_room(jobs, bytes);
}

int jobs_scratch_file(struct jobs *jobs, int *ret_fd)
{
	int fd = -1;
	if (jobs->folder_fd >= 0)
		fd = openat(jobs->folder_fd, ".", O_TMPFILE | O_EXCL | O_RDWR | O_CLOEXEC, 0600);
	if (fd < 0)
		fd = memfd_create("brig-file", MFD_CLOEXEC);
	if (fd < 0)
		return -errno;
	*ret_fd = fd;
	return 0;
}

int jobs_file_new(struct jobs *jobs, uint64_t bytes, int *ret_fd)
{
	if (!make_room(jobs, bytes))
		return -ENOSPC;
	int rc = jobs_scratch_file(jobs, ret_fd);
	if (rc < 0)
		return rc;
	jobs->file_bytes += bytes;
	jobs->file_count++;
	return 0;
}

void jobs_file_forget(struct jobs *jobs, uint64_t bytes)
{
	jobs->file_bytes -= bytes;
	jobs->file_count--;
}

int jobs_file_add(
	struct jobs *jobs, struct record *record, const struct job_file *file, struct span name)
{
	struct job_file *files = NULL;
	struct job_file added = *file;
	if (record->file_count < JOBS_FILES_MAX)
		files = realloc(record->files, (record->file_count + 1) * sizeof(*files));
	if (files)
		record->files = files;
	added.name = files ? strndup((const char *)name.data, name.len) : NULL;
	if (!added.name) {
		jobs_file_forget(jobs, file->bytes);
		fd_close(&added.fd);
		return -ENOMEM;
	}
	record->files[record->file_count++] = added;
	return 0;
}

const struct job_file *jobs_file(const struct record *record, struct span name)
{
	for (size_t i = 0; i < record->file_count; i++)
		if (span_is(name, record->files[i].name))
			return &record->files[i];
	return NULL;
}
