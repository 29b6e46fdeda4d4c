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
	if (record->result.len)
		share_spare(record->share, SHARE_RESULT_BYTES, false);
	share_drop(record->share, SHARE_RESULT_BYTES, record->result.len);
	jobs->result_bytes -= record->result.len;
	buf_done(&record->result);
}

/* The record's files may be given up, or may no longer. */
static void spare_files(struct record *record, bool are_spare)
{
	share_spare(record->share, SHARE_FILES, are_spare);
	share_spare(record->share, SHARE_FILE_BYTES, are_spare);
}

static void drop_files(struct jobs *jobs, struct record *record)
{
	if (record->state == RECORD_DONE && record->file_count)
		spare_files(record, false);
	for (size_t i = 0; i < record->file_count; i++) {
		jobs_file_forget(jobs, record, record->files[i].bytes);
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
	if (record->state == RECORD_DONE)
		share_spare(record->share, SHARE_RECORDS, false);
	share_leave(&jobs->shares, record->share);
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
	shares_init(&jobs->shares);
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

static bool can_give(const struct record *record, enum share_kind kind)
{
	if (record->state != RECORD_DONE)
		return false;
	return kind == SHARE_RECORDS ||
	       (kind == SHARE_RESULT_BYTES ? record->result.len > 0 : record->file_count > 0);
}

/* The oldest record, of one caller's or (NULL) of all, that has something to give up. */
static struct record *oldest(struct jobs *jobs, enum share_kind kind, const struct share *share)
{
	struct record *record;
	TAILQ_FOREACH(record, &jobs->records, by_age)
	if ((!share || record->share == share) && can_give(record, kind))
		return record;
	return NULL;
}

/* The record that gives way to what `asking` wants, or NULL. */
static struct record *giver(struct jobs *jobs, enum share_kind kind, struct share *asking)
{
	const struct share *share = share_largest(&jobs->shares, kind, asking);
	return share ? oldest(jobs, kind, share) : NULL;
}

bool jobs_may_see(const struct record *record, const struct who *who)
{
	const struct who_made made = {record->role, record->token, record->owner};
	return who_may_see(who, &made);
}

/* A place in the table. A job is refused only where all records are of jobs that still run. */
static bool make_place(struct jobs *jobs, struct share *asking)
{
	struct record *old = NULL;
	if (jobs->count < JOBS_RECORDS_MAX)
		return true;
	old = giver(jobs, SHARE_RECORDS, asking);
	if (!old)
		old = oldest(jobs, SHARE_RECORDS, NULL);
	if (old)
		drop(jobs, old);
	return old != NULL;
}

struct record *jobs_add(struct jobs *jobs, const char *id, const struct who *who)
{
	struct share *share = share_take(&jobs->shares, who);
	struct record *record = NULL;
	if (share && make_place(jobs, share))
		record = calloc(1, sizeof(*record));
	if (!record) {
		if (share)
			share_leave(&jobs->shares, share);
		return NULL;
	}
	record->share = share;
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

static void keep_result(struct jobs *jobs, struct record *record, struct span result)
{
	struct record *old = record;
	share_hold(record->share, SHARE_RESULT_BYTES, result.len);
	jobs->result_bytes += result.len;
	while (old && jobs->result_bytes > JOBS_RESULT_BYTES_MAX) {
		old = giver(jobs, SHARE_RESULT_BYTES, record->share);
		if (old)
			drop_result(jobs, old);
	}
	if (old && buf_add(&record->result, result.data, result.len) == 0) {
		share_spare(record->share, SHARE_RESULT_BYTES, true);
		return;
	}
	share_drop(record->share, SHARE_RESULT_BYTES, result.len);
	jobs->result_bytes -= result.len;
}

void jobs_end(struct jobs *jobs, struct record *record, enum outcome outcome, struct span result)
{
	record->state = RECORD_DONE;
	record->outcome = outcome;
	record->call = NULL;
	record->ended_ms = wall_clock_ms();
	record->expires_ms = clock_now_ms() + jobs->keep_ms;
	share_spare(record->share, SHARE_RECORDS, true);
	if (record->file_count)
		spare_files(record, true);
	if (result.len && result.len <= JOBS_RESULT_BYTES_MAX)
		keep_result(jobs, record, result);
}

static void hold_file(struct jobs *jobs, struct record *record, uint64_t bytes)
{
	jobs->file_bytes += bytes;
	jobs->file_count++;
	share_hold(record->share, SHARE_FILE_BYTES, bytes);
	share_hold(record->share, SHARE_FILES, 1);
}

/* Whether what is held already, with the wish in it, has come to fit. */
static bool make_room(struct jobs *jobs, struct share *asking)
{
	for (;;) {
		bool too_many = jobs->file_count > jobs->file_count_max;
		if (!too_many && jobs->file_bytes <= jobs->file_bytes_max)
			return true;
		struct record *old = giver(jobs, too_many ? SHARE_FILES : SHARE_FILE_BYTES, asking);
		if (!old)
			return false;
		drop_files(jobs, old);
	}
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

int jobs_file_new(struct jobs *jobs, struct record *record, uint64_t bytes, int *ret_fd)
{
	if (bytes > jobs->file_bytes_max)
		return -ENOSPC;
	hold_file(jobs, record, bytes);
	int rc = make_room(jobs, record->share) ? jobs_scratch_file(jobs, ret_fd) : -ENOSPC;
	if (rc < 0)
		jobs_file_forget(jobs, record, bytes);
	return rc;
}

void jobs_file_forget(struct jobs *jobs, struct record *record, uint64_t bytes)
{
	jobs->file_bytes -= bytes;
	jobs->file_count--;
	share_drop(record->share, SHARE_FILE_BYTES, bytes);
	share_drop(record->share, SHARE_FILES, 1);
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
		jobs_file_forget(jobs, record, file->bytes);
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
