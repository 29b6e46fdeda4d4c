/*
 * service: the interpreter service. One thread, one event loop; owns the maker, the zygotes, the
 * slots and the jobs that wait for them.
 *
 *	link ─► channel ─► job ─► queue ─► cell (slot) ─► result ─► channel
 *
 * Rooms: channel.c speaks with the client, dispatch.c pairs jobs with cells, pool.c keeps some
 * parked, cell_make.c builds one, run.c watches its job, end.c judges and collects, cell_end.c
 *takes it down.
 */
#ifndef BRIG_SERVICE_SERVICE_H
#define BRIG_SERVICE_SERVICE_H

#include "base/buf.h"
#include "base/err.h"
#include "jail/cgroup.h"
#include "service/maker.h"
#include "service/output.h"
#include "service/verdict.h"
#include "service/zygote.h"
#include "wire/cell.h"
#include "wire/job.h"
#include "wire/launch.h"
#include "wire/result.h"
#include "wire/stats.h"

#include <event2/event.h>
#include <stdbool.h>
#include <sys/queue.h>
#include <sys/resource.h>
#include <sys/types.h>

struct service;
struct channel;
struct session;
struct errand;

/* The priority of what is done behind the answers: parking, and taking cells down. */
#define PRIORITY_BEHIND 2

enum cell_state {
	CELL_FREE,
	CELL_MAKING,	  /* the maker was asked for an init */
	CELL_SETTING_UP,  /* init mounts its folders */
	CELL_SPAWNING,	  /* the zygote was asked for a runner */
	CELL_SEALING,	  /* the runner puts up its layers */
	CELL_PARKING,	  /* sealed; rehearses */
	CELL_PARKED_IDLE, /* complete, sealed, waiting for its one job */
	CELL_PLACING,	  /* init places the inputs */
	CELL_RUNNING,
	CELL_FREEZING,	   /* the job is over; its processes are being stopped */
	CELL_SESSION_IDLE, /* frozen between two calls of its session */
	CELL_DYING,	   /* killed; waiting for the kernel to let go */
};

/* What a cell's descriptors are watched for. */
enum cell_watch {
	WATCH_INIT_SOCKET,
	WATCH_INIT_PIDFD,
	WATCH_RUNNER_PIDFD,
	WATCH_CONTROL,
	WATCH_CONTROL_WRITE,
	WATCH_STDOUT,
	WATCH_STDERR,
	WATCH_STDIN,
	WATCH_LISTENER,
	WATCH_OOM,
	WATCH_WALL,    /* timer: the job's wall limit; before, that of making a cell or of init */
	WATCH_CPU,     /* timer: when the CPU limit could be reached at the earliest */
	WATCH_COPY,    /* timer 0: the next piece of a large input */
	WATCH_YIELD,   /* timer: how long it yields before that is looked at */
	WATCH_CLEANUP, /* timer: the next try to remove the cgroup; the limit of freezing */
	WATCH_COUNT,
};

/* A place in the line of a session: of a call, or of a request. */
struct turn {
	TAILQ_ENTRY(turn) line;
	bool waits; /* else it is being served */
	struct session *session;
	struct job *job;
	struct errand *errand;
};

struct job {
	TAILQ_ENTRY(job) queue;
	bool yields; /* its cell: see yield.h */
	bool queued;
	bool stuck;    /* looked at in this round, and nothing to be done */
	uint32_t role; /* index of its share */
	bool counted;  /* in that share */
	struct service *service;
	struct channel *channel; /* NULL once the client has gone */
	struct cell *cell;	 /* NULL while it waits */
	struct zygote *level;	 /* which its code asks for: looked at once */
	struct job_spec spec;
	struct output out, err;
	struct buf items; /* payloads, one behind the other */
	struct {
		enum item_kind kind;
		size_t offset, bytes;
	} item[RESULT_ITEMS_MAX];
	size_t item_count;
	size_t frames_bytes;
	struct verdict_facts facts;
	struct err fault;
	uint64_t queued_us, given_us, started_us, ended_us, drained_us;
	uint64_t cpu_base_us;
	uint32_t wall_asked_ms; /* in a session, whose life may leave less */
	bool life_cut;
	uint64_t foreign_bytes; /* in a session: not its group's, and counted with it */
	struct turn turn;	/* in a session; its own where that is NULL */
	struct session_status status;
	uint32_t call;	       /* its number in the cell */
	bool begun;	       /* its code can be interrupted */
	bool interrupted;      /* it was, for facts.cause, and has a grace to end in */
	bool done;	       /* it said so */
	int stdin_errno;       /* a session's call: why its stdin could not be stored; 0 */
	uint32_t next_input;   /* the first that is not placed yet */
	uint64_t copied_bytes; /* of that one, where it is large */
	uint64_t stdin_sent;
	struct buf control_out; /* the CELL_JOB frame and how much of it is written */
	size_t control_sent;
};

struct cell {
	struct service *service;
	uint32_t slot;
	uint64_t sequence; /* how many cells this slot has had: names are never used twice */
	enum cell_state state;
	struct zygote *zygote;
	struct warm *warm; /* the process that was asked for the runner */
	bool answer_due;   /* of the maker or the zygote, and it will name this slot */
	bool orphan;	   /* the zygote died owing its answer: there may be a runner unheard of */
	struct job *job;
	struct session *session; /* which it belongs to, or NULL */
	bool frozen;		 /* by cgroup_freeze, between calls */
	uint32_t calls;		 /* that were sent to it */
	bool spoiled; /* the session's code wrote nonsense on the control pipe: nobody reads it */
	uint32_t cpu; /* where a running job is pinned (the last of its CPUs) */
	pid_t init_pid, runner_pid;
	int init_pidfd, runner_pidfd;
	int init_socket_fd;
	int net_fd; /* outlives the cell: checked and reused by the slot's next one */
	int work_fd, tmp_fd, shm_fd; /* its tmpfs */
	uint64_t work_bytes;	     /* the folder's size as it is set, without room for inputs */
	uint32_t work_inodes;
	int stdin_fd, stdout_fd, stderr_fd, control_in_fd, control_out_fd;
	int child_fds[CELL_FD_COUNT]; /* the runner's ends, until it has them */
	int listener_fd, oom_fd;
	int memory_watch; /* inotify: memory.events (v2); -1 */
	int input_mount_fd;
	int input_copy_fd;
	bool input_named; /* the copy has a name in the store */
	struct cgroup cgroup;
	struct {
		bool on;
		uint64_t looked_us, used_us; /* the job's CPU time then; 0 before a look */
	} yield;
	int join_fds[CELL_CGROUP_FDS_MAX]; /* how to get into it, until init and runner are */
	size_t join_count;
	bool collected;		/* the result has been sent */
	bool kill_first;	/* no freezer: collect once the cell is empty */
	unsigned cleanup_tries; /* to remove the cgroup, in vain */
	struct rusage spent;	/* of the runner and what it waited for, once it is reaped */
	struct buf control;	/* frames from the runner, the last of them not complete yet */
	size_t control_taken;	/* bytes of them that are done with */
	struct job_receipt receipt;
	struct event *watch[WATCH_COUNT];
};

/* Shares of the slots are per role. Index 0 is for all that do not fit the table. */
#define ROLES_MAX 64u

/* How many sessions that are no more are remembered, with why. */
#define SESSIONS_GONE 128u

struct role_share {
	char name[64];
	uint32_t active;
};

struct service {
	struct event_base *base;
	struct launch_message start;
	struct cgroup_tree tree;
	layer_set skip; /* allowed to be missing, and missing */
	struct cell_filter filter;
	char filter_hash[17]; /* of its code: the first digits of SHA-256 */
	struct maker maker;
	struct cgroup making; /* the group of the maker and the zygotes */
	bool making_yields;
	struct event *maker_event, *link_event, *control_event, *inotify_event;
	struct event *refill_event, *sizing_event;
	int control_fd, link_fd, proc_fd, inputs_fd, inotify_fd, meminfo_fd;
	int callers_fd_max; /* what callers send may have no higher number: the rest is for cells */
	struct zygote zygotes[ZYGOTES_MAX];
	size_t zygote_count, level_count;
	struct cell *cells;
	uint32_t cell_count;
	TAILQ_HEAD(, job) waiting;
	bool dispatching, dispatch_again;
	TAILQ_HEAD(, session) sessions;
	uint32_t session_count, spare_channels; /* the latter beyond callers_fd_max */
	struct {
		char id[SESSION_ID_BYTES];
		char why[96];
	} gone[SESSIONS_GONE];
	size_t gone_next;
	uint64_t park_after_us; /* parking rests until then: the last cell could not be made */
	struct role_share roles[ROLES_MAX];
	uint32_t role_count;
	uint32_t cpus;	     /* that it may run on */
	uint32_t making_max; /* of one level, for jobs that wait */
	char kernel[96];
	uint64_t kills[STATS_KILL_COUNT], cells_parked, cells_failed;
};

/* service.c */
int service_init(struct service *service, const struct launch_message *start,
	struct cgroup_tree tree, struct err *err) MUST_CHECK;

/* dispatch.c: which job gets which cell */
void dispatch_enqueue(struct service *service, struct job *job);
void dispatch(struct service *service);
void dispatch_forget(struct service *service, struct job *job);

/* pool.c: cells parked ahead of need */
int pool_init(struct service *service, struct err *err) MUST_CHECK;
/* With `leave_spare` the last ones of a level that are free stay free, for another role's jobs. */
struct cell *pool_take(struct service *service, struct zygote *wanted, bool leave_spare);
struct cell *pool_free_slot(struct service *service);
void pool_evict(struct service *service);
/* Whether as many cells of the level are being made as the machine has use for. */
bool pool_is_making(const struct service *service, const struct zygote *zygote);
void pool_refill_soon(struct service *service);
void pool_rest(struct service *service, const struct err *err);
/* What can be taken of the machine's memory before it is short. */
uint64_t pool_spare_bytes(const struct service *service);
_Noreturn void service_abandon(struct service *service, const char *why);

/* cell_make.c: from a free slot to a parked cell */
void cell_init(struct service *service, struct cell *cell, uint32_t slot);
void cell_make(struct cell *cell, struct zygote *zygote);
void cell_on_init_born(struct cell *cell, const struct maker_answer *answer, int pidfd, int net_fd);
void cell_on_spawned(struct cell *cell, const struct zygote_answer *answer);
void cell_on_sealed(struct cell *cell, int listener_number);
void cell_on_parked(struct cell *cell);
void cell_close_joins(struct cell *cell);
uint32_t cell_uid(const struct cell *cell); /* the job's, as the service sees it */

/* cell_end.c: a cell that ends, whatever it was doing */
void cell_fail(struct cell *cell, const struct err *err);
void cell_kill(struct cell *cell);
void cell_on_init_ended(evutil_socket_t fd, short what, void *context);
void cell_on_runner_ended(evutil_socket_t fd, short what, void *context);

/* cell_watch.c */
int cell_watch(struct cell *cell, enum cell_watch which, int fd, short what,
	event_callback_fn callback) MUST_CHECK;
int cell_timer(struct cell *cell, enum cell_watch which, uint64_t after_us,
	event_callback_fn callback) MUST_CHECK;
void cell_unwatch(struct cell *cell, enum cell_watch which);

/* control.c: frames from the runner */
void control_init(struct cell *cell);
void control_on_readable(evutil_socket_t fd, short what, void *context);
void control_drain(struct cell *cell);

/* inputs.c */
/* Whether init writes it into the work folder; else it is a mount and takes no room there. */
bool inputs_is_inline(const struct service *service, const struct job_input *input);
void inputs_place(struct cell *cell);
/* Bounds the time until init answers: a cell whose init is stopped fails its job. */
int inputs_await_init(struct cell *cell, struct err *err) MUST_CHECK;
void inputs_on_answer(struct cell *cell, const struct init_answer *answer);
void inputs_forget(struct cell *cell);

/* run.c: a job in a parked cell */
void run_begin(struct cell *cell);
void run_place(struct cell *cell);
void run_start(struct cell *cell);
void run_unstarted(struct cell *cell);		  /* a job that ends before its code was sent */
int run_watch_wall(struct cell *cell) MUST_CHECK; /* anew: the limit has changed */
void run_drain(struct cell *cell);
bool run_output_exceeded(const struct job *job); /* the hard limit of either stream */
void run_pause_output(struct cell *cell, bool pause);
void run_on_memory_event(struct cell *cell);
void run_on_output(evutil_socket_t fd, short what, void *context);

/* run_limits.c: what is set before the job, and whether its folder is right as it was parked */
int run_limit(struct cell *cell, struct err *err) MUST_CHECK;
bool run_folder_is_right(const struct cell *cell);
int run_ask_resize(struct cell *cell, struct err *err) MUST_CHECK;
int run_cpu_used_us(const struct cell *cell, uint64_t *ret_us) MUST_CHECK;

/* notify.c: the deadly class of system calls */
int notify_take(struct cell *cell, int listener_number, struct err *err) MUST_CHECK;
int notify_watch(struct cell *cell) MUST_CHECK; /* anew, for a later call */

/* end.c: verdict, collection, answer */
void end_job(struct cell *cell, enum end_cause cause);
/* A figure that the verdict needs could not be read: brig's own fault, never a guess. */
void end_unread(struct cell *cell, int rc);
void end_on_empty(struct cell *cell);
void end_answer_without_cell(struct job *job);

/* receipt.c */
int receipt_read(struct cell *cell, struct job_receipt *ret_receipt, struct err *err) MUST_CHECK;
/* Once more, what the group keeps, after a job's own limits were written. */
int receipt_read_limits(
	struct cell *cell, const struct job_limits *wanted, struct err *err) MUST_CHECK;

/* channel.c */
void channel_open(struct service *service, int fd);
void channel_stream(
	struct channel *channel, enum channel_type type, const void *data, size_t bytes);
void channel_answer(struct channel *channel, const struct job_result *result);
void channel_answer_errand(struct channel *channel, const struct session_answer *answer);
void channel_forget_job(struct channel *channel);

/* stats.c */
void stats_count_kill(struct service *service, enum outcome outcome);
/* Takes the socket, answers, and closes it. */
void stats_answer(const struct service *service, int fd);

/* session.c, session_line.c, session_call.c: see service/session.h */
void session_take_job(struct service *service, struct job *job);
void session_take_errand(struct service *service, struct errand *errand, struct span fields,
	int *fds, size_t fd_count);
void session_own(struct session *session, struct cell *cell);
void session_leave_line(struct turn *turn);
void session_end(struct session *session, const char *why);
void session_end_all(struct service *service, const char *why);
void session_prepare(struct cell *cell);
void session_input_failed(struct cell *cell, const struct err *err);
bool session_holds_back(struct cell *cell);
void session_refuse_memory(struct cell *cell);
bool session_interrupts(struct cell *cell, enum end_cause cause);
void session_on_begun(struct cell *cell);
bool session_stays(struct cell *cell, struct job *job);
void session_rest(struct cell *cell, const struct session_status *status);
void session_fill_uncalled(struct job *job);
void session_lose(struct cell *cell, struct job *job, char why[96]);
const struct job_input *session_inputs(const struct session *session, uint32_t *ret_count);
struct seen_list *session_seen(struct session *session);
struct errand *errand_new(struct service *service, struct channel *channel);
void errand_free(struct errand *errand);

/* job.c */
struct job *job_new(struct service *service, struct channel *channel);
void job_free(struct job *job);

#endif
