/* audit_wal: one thread, one connection, one pass after another. */
#include "audit/audit_wal.h"

#include "audit/audit_db.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>

#define STACK_BYTES (256u * 1024u)

enum pass {
	PASS_NONE,
	PASS_ASKED,
	PASS_ENDED,
	PASS_NO_MORE, /* the owner closes the log */
};

struct audit_wal {
	struct audit_db db; /* the thread's alone, once it runs */
	pthread_t thread;
	pthread_mutex_t lock;
	pthread_cond_t changed;
	enum pass pass; /* guarded by `lock` */
};

static void *run_passes(void *context)
{
	struct audit_wal *wal = context;
	(void)pthread_mutex_lock(&wal->lock);
	while (wal->pass != PASS_NO_MORE) {
		if (wal->pass != PASS_ASKED) {
			(void)pthread_cond_wait(&wal->changed, &wal->lock);
			continue;
		}
		(void)pthread_mutex_unlock(&wal->lock);
		/* What it leaves, the owner's own checkpoint does or reports. */
		(void)sqlite3_wal_checkpoint_v2(
			wal->db.handle, NULL, SQLITE_CHECKPOINT_PASSIVE, NULL, NULL);
		(void)pthread_mutex_lock(&wal->lock);
		if (wal->pass == PASS_ASKED)
			wal->pass = PASS_ENDED;
	}
	(void)pthread_mutex_unlock(&wal->lock);
	return NULL;
}

/* Signals are the event loop's: the thread is born with all of them blocked. */
static int start_thread(struct audit_wal *wal)
{
	pthread_attr_t attributes;
	sigset_t all, before;
	int fault = pthread_attr_init(&attributes);
	if (fault)
		return -fault;
	(void)sigfillset(&all);
	(void)pthread_sigmask(SIG_SETMASK, &all, &before);
	fault = pthread_attr_setstacksize(&attributes, STACK_BYTES);
	if (!fault)
		fault = pthread_create(&wal->thread, &attributes, run_passes, wal);
	(void)pthread_sigmask(SIG_SETMASK, &before, NULL);
	(void)pthread_attr_destroy(&attributes);
	return -fault;
}

int audit_wal_start(const char *path, struct audit_wal **ret_wal, struct err *err)
{
	struct audit_wal *wal = calloc(1, sizeof(*wal));
	if (!wal)
		return err_sys(err, -ENOMEM, "audit", "cannot start the checkpoints");
	int rc = audit_db_open_copier(&wal->db, path, err);
	if (!rc) {
		(void)pthread_mutex_init(&wal->lock, NULL);
		(void)pthread_cond_init(&wal->changed, NULL);
		rc = start_thread(wal);
		if (rc < 0)
			rc = err_sys(
				err, rc, "audit", "cannot start the thread of the checkpoints");
	}
	if (rc < 0) {
		audit_db_close(&wal->db);
		free(wal);
		return rc;
	}
	*ret_wal = wal;
	return 0;
}

static void set_pass(struct audit_wal *wal, enum pass pass)
{
	wal->pass = pass;
	(void)pthread_cond_signal(&wal->changed);
}

void audit_wal_ask(struct audit_wal *wal)
{
	(void)pthread_mutex_lock(&wal->lock);
	if (wal->pass == PASS_NONE)
		set_pass(wal, PASS_ASKED);
	(void)pthread_mutex_unlock(&wal->lock);
}

bool audit_wal_ended(struct audit_wal *wal)
{
	(void)pthread_mutex_lock(&wal->lock);
	bool ended = wal->pass == PASS_ENDED;
	if (ended)
		wal->pass = PASS_NONE;
	(void)pthread_mutex_unlock(&wal->lock);
	return ended;
}

void audit_wal_stop(struct audit_wal *wal)
{
	if (!wal)
		return;
	(void)pthread_mutex_lock(&wal->lock);
	set_pass(wal, PASS_NO_MORE);
	(void)pthread_mutex_unlock(&wal->lock);
	(void)pthread_join(wal->thread, NULL);
	(void)pthread_mutex_destroy(&wal->lock);
	(void)pthread_cond_destroy(&wal->changed);
	audit_db_close(&wal->db);
	free(wal);
}
