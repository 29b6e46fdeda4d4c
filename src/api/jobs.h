/*
 * jobs: what is known of each job, and the private store of what jobs left.
 *
 * A record is made when a job is accepted and kept for a while after it ended, as are its files: as
 * unlinked files in a folder of the dispatcher's own, which vanish with the process. Both are
 * capped. Who holds the most of it gives way, its oldest first (shares.h).
 *
 * Ownership: a record belongs to the table; `call` is borrowed from whoever runs the job. Pointers
 * to records are good until the loop turns, or until the record's call has ended.
 */
#ifndef BRIG_API_JOBS_H
#define BRIG_API_JOBS_H

#include "api/shares.h"
#include "api/who.h"
#include "base/buf.h"
#include "tool/digest.h"
#include "tool/job_id.h"
#include "wire/limits.h"
#include "wire/outcome.h"

#include <event2/event.h>
#include <sys/queue.h>

#define JOBS_RECORDS_MAX 4096u
#define JOBS_BUCKETS 1024u
#define JOBS_RESULT_BYTES_MAX (64 * MIB) /* of all results kept */
#define JOBS_FILES_MAX (LIMIT_ARTIFACTS + LIMIT_CHARTS)

struct call;

struct job_file {
	char *name; /* UTF-8 or not: the job's own bytes, without NUL */
	const char *mime;
	uint64_t bytes;
	unsigned char sha256[DIGEST_BYTES];
	int fd;
};

enum record_state { RECORD_QUEUED, RECORD_RUNNING, RECORD_DONE };

struct record {
	TAILQ_ENTRY(record) by_age;
	SLIST_ENTRY(record) by_id;
	char id[JOB_ID_BYTES];
	struct share *share; /* its maker's */
	char role[ROLE_NAME_BYTES], token[ROLE_NAME_BYTES], owner[WHO_OWNER_BYTES];
	enum record_state state;
	enum outcome outcome;
	int64_t accepted_ms, ended_ms; /* since 1970 */
	uint64_t expires_ms;	       /* monotonic; 0 while it runs */
	struct call *call;
	struct buf result; /* JSON; empty where it was given up */
	struct job_file *files;
	size_t file_count;
};

struct jobs {
	TAILQ_HEAD(jobs_by_age, record) records; /* the oldest first */
	SLIST_HEAD(, record) buckets[JOBS_BUCKETS];
	struct shares shares;
	size_t count;
	uint64_t result_bytes, file_bytes, file_bytes_max;
	size_t file_count, file_count_max; /* each holds a descriptor open */
	uint64_t keep_ms;
	int folder_fd; /* -1: files are kept in memory */
	struct event *sweep;
};

/* `folder` may be NULL. 0 or -ENOMEM. */
int jobs_init(struct jobs *jobs, struct event_base *base, const char *folder) MUST_CHECK;
void jobs_done(struct jobs *jobs);

/* NULL where memory is out, or where all records are of jobs that still run. */
struct record *jobs_add(struct jobs *jobs, const char *id, const struct who *who);
struct record *jobs_find(struct jobs *jobs, struct span id);

/* Whether the caller may know of the job and have what it left. */
bool jobs_may_see(const struct record *record, const struct who *who);

/* The job is over; keeps a copy of its result where there is room for it. */
void jobs_end(struct jobs *jobs, struct record *record, enum outcome outcome, struct span result);

/* A file of `bytes` to write to, for the record's caller. -ENOSPC where there is no room for it, or
 * only by taking from those who hold less than that caller would. */
int jobs_file_new(struct jobs *jobs, struct record *record, uint64_t bytes, int *ret_fd) MUST_CHECK;

/* An unlinked file for something that is read and then let go; not counted. 0 or -errno. */
int jobs_scratch_file(struct jobs *jobs, int *ret_fd) MUST_CHECK;

/* Gives room back that jobs_file_new had put aside. */
void jobs_file_forget(struct jobs *jobs, struct record *record, uint64_t bytes);

/* Adds a file that is complete; takes its descriptor, also on failure. */
int jobs_file_add(struct jobs *jobs, struct record *record, const struct job_file *file,
	struct span name) MUST_CHECK;

const struct job_file *jobs_file(const struct record *record, struct span name);

#endif
