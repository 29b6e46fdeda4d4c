/*
 * main: the zygote. A warm CPython, one for each level of the image, from which runners are forked.
 *
 * It is started by the service inside the image's root with one SOCK_SEQPACKET on descriptor 3,
 * holds no secret, has one thread, and sees no job: a runner gets its job only after it has left
 * this process and is sealed. It ends when the service's end of the socket closes.
 */
#include "base/fd.h"
#include "jail/cgroup.h"
#include "jail/fds.h"
#include "jail/ns.h"
#include "wire/cell.h"
#include "wire/mutant.h"
#include "zygote/arenas.h"
#include "zygote/embed.h"
#include "zygote/gaps.h"
#include "zygote/immortal.h"
#include "zygote/runner.h"

#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#define CONTROL_FD 3

/* init's pidfd, five of the runner, the unified directory, the tasks files. */
#define SPAWN_FDS_MAX (2u + CELL_FD_COUNT + CELL_CGROUP_FDS_MAX)

static struct cell_filter filter;

static int greet(const char *level)
{
	static struct zygote_hello hello;
	struct zygote_ready ready = {.version = CELL_PROTOCOL_VERSION | MUTANT_VERSION};
	size_t none = 0;

	ssize_t got = fd_receive(CONTROL_FD, &hello, sizeof(hello), NULL, &none);
	if (got != (ssize_t)sizeof(hello))
		return -EPROTO;
	int rc = 0;
	if (hello.version != (CELL_PROTOCOL_VERSION | MUTANT_VERSION))
		rc = err_set(&ready.err, -EPROTO, "image",
			"the image speaks version %d of the cell's protocol, the service %u: run "
			"`brig image build`",
			CELL_PROTOCOL_VERSION | MUTANT_VERSION, hello.version);
	if (!rc) {
		filter = hello.filter;
		arenas_install();
		rc = embed_start(level, hello.cold != 0, &ready.err);
		if (!rc)
			rc = immortal_heap(&ready.err);
		if (!rc) {
			gaps_fill();
			arenas_collapse();
		}
	}
	ssize_t sent = fd_send(CONTROL_FD, &ready, sizeof(ready), NULL, 0);
	return rc ? rc : sent < 0 ? (int)sent : 0;
}

static void plan_from(const struct zygote_spawn *spawn, const int *fds, struct jail_plan *plan)
{
	size_t next = 0;
	*plan = (struct jail_plan){
		.init_pidfd = fds[next++],
		.cgroup_fd_count = spawn->cgroup_fds,
		.filter = &filter,
		.rlimits = {.file_bytes = spawn->file_bytes, .processes = spawn->processes},
		.skip = spawn->skip,
		.one_uid = spawn->one_uid,
	};
	for (size_t i = 0; i < CELL_FD_COUNT; i++)
		plan->stdio_fds[i] = fds[next++];
	next += spawn->has_unified;
	for (size_t i = 0; i < spawn->cgroup_fds; i++)
		plan->cgroup_fds[i] = fds[next++];
}

/*
 * One fork of the big heap, never two. A member of a pid namespace is always born into it, so the
 * zygote first names the cell's namespace for its children, and the child is made the service's
 * own (CLONE_PARENT): the service reaps it, else a dead cell's init would wait for ever.
 */
static pid_t spawn_runner(const struct zygote_spawn *spawn, const int *fds, struct err *err)
{
	struct jail_plan plan;
	plan_from(spawn, fds, &plan);
	int cgroup_fd = spawn->has_unified ? fds[1 + CELL_FD_COUNT] : -1;

#ifdef BRIG_MUTANT
	mutant_leave_out = spawn->skip;
#endif
	if (!LEFT_OUT(LAYER_PIDNS) && ns_join(plan.init_pidfd, CLONE_NEWPID, err) < 0)
		return err->code;
	embed_before_fork();
	pid_t pid = ns_clone_libc(CLONE_PARENT, cgroup_fd, NULL);
	if (pid == 0) {
		embed_after_fork_child();
		runner_main(&plan);
	}
	embed_after_fork_parent();
	if (pid < 0)
		return err_sys(err, pid, "pidns", "forking the runner");
	return pid;
}

static int serve_one(void)
{
	struct zygote_spawn spawn;
	struct zygote_answer answer = {.pid = -1};
	int fds[SPAWN_FDS_MAX];
	size_t count = SPAWN_FDS_MAX;

	ssize_t got = fd_receive(CONTROL_FD, &spawn, sizeof(spawn), fds, &count);
	if (got <= 0)
		return -ENODATA;
	answer.slot = spawn.slot;
	size_t wanted = 1u + CELL_FD_COUNT + (spawn.has_unified ? 1u : 0u) + spawn.cgroup_fds;
	if (got != (ssize_t)sizeof(spawn) || spawn.cgroup_fds > CELL_CGROUP_FDS_MAX ||
		spawn.has_unified > 1 || count != wanted)
		(void)err_set(&answer.err, -EPROTO, "zygote", "malformed spawn request");
	else
		answer.pid = spawn_runner(&spawn, fds, &answer.err);
	for (size_t i = 0; i < count; i++)
		(void)close(fds[i]);
	ssize_t sent = fd_send(CONTROL_FD, &answer, sizeof(answer), NULL, 0);
	return sent < 0 ? (int)sent : 0;
}

/* Whatever the service's caller ignores or blocks: Python takes SIGINT only where nobody did. */
static void reset_signals(void)
{
	sigset_t none;
	(void)sigemptyset(&none);
	(void)sigprocmask(SIG_SETMASK, &none, NULL);
	(void)signal(SIGINT, SIG_DFL);
}

int main(int argc, char **argv)
{
	if (argc != 2)
		return 2;
	reset_signals();
	if (greet(argv[1]) < 0)
		return 125;
	while (serve_one() == 0)
		;
	/* Not exit(): no handler of any preloaded module may run here. */
	_exit(0);
}
