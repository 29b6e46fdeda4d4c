/* hint: one sentence an outcome. */
#include "tool/hint.h"

#include "tool/syscall_name.h"
#include "tool/text.h"

#include <stdio.h>
#include <string.h>

const char *hint_signal_name(int number, char out[24])
{
	const char *name = sigabbrev_np(number);
	if (name)
		(void)snprintf(out, 24, "SIG%s", name);
	else
		(void)snprintf(out, 24, "signal %d", number);
	return out;
}

/* Strangers' words as one line of UTF-8. False where there are none, or no memory: then the general
 * hint of the outcome stands. */
static bool quote(struct span words, char out[HINT_BYTES])
{
	cleanup_buf struct buf line = {0};
	buf_init(&line, HINT_BYTES);
	if (words.len == 0 || text_add_line(&line, words, HINT_BYTES - 2) < 0)
		return false;
	(void)snprintf(out, HINT_BYTES, "%.*s", (int)line.len, (const char *)line.data);
	return true;
}

/* What the runtime tells of a job that has raised Python's limit of recursion, before such a job
 * ends in a way that it cannot report. A word of ours: only that it came is used. */
static bool is_forewarning(struct span offered)
{
	return span_is(offered, "recursion");
}

static bool goes_on(const struct session_status *session)
{
	return session->state == SESSION_ALIVE || session->state == SESSION_INTERRUPTED;
}

static void hint_error(const struct job_result *result, struct span offered, char out[HINT_BYTES])
{
	if (!is_forewarning(offered) && quote(offered, out))
		return;
	(void)snprintf(out, HINT_BYTES, "mend the line that the traceback names and send %s",
		goes_on(&result->session)
			? "only that part again; the session keeps the variables that were set "
			  "before it"
			: "the whole code again; nothing is kept from one call to the next");
}

static void hint_exit(const struct job_result *result, char out[HINT_BYTES])
{
	if (result->session.state == SESSION_LOST &&
		strcmp(result->session.lost_why, SESSION_WHY_SPOILED) == 0) {
		(void)snprintf(out, HINT_BYTES,
			"the code wrote to or closed a descriptor that it had not opened, the "
			"channel of its own results: leave descriptors above 2 alone (os.close, "
			"os.closerange, os.write, os.dup2), begin a new session and send the whole "
			"code again");
		return;
	}
	(void)snprintf(out, HINT_BYTES,
		"the program ended itself with exit code %d; sys.exit() without an argument ends "
		"it "
		"as ok",
		result->exit_code);
}

static void hint_signal(const struct job_result *result, char out[HINT_BYTES])
{
	char name[24];
	(void)snprintf(out, HINT_BYTES,
		"the program was ended by %s, from its own code or from a crash in a native "
		"library; leave out the call that comes last, or try it on less data",
		hint_signal_name(result->signal, name));
}

static void hint_recursion(const struct job_result *result, char out[HINT_BYTES])
{
	char limit[TEXT_FIGURE_BYTES], name[24];
	uint64_t bytes = result->limit_hit ? result->limit_hit : result->limits.memory_bytes;
	bool memory = result->outcome == OUTCOME_MEMORY;
	(void)snprintf(out, HINT_BYTES,
		"the %s %s%s after the code had raised the limit of recursion: give the function a "
		"case that stops, or use a loop, and leave out sys.setrecursionlimit",
		memory ? "job used" : "program was ended by",
		memory ? text_bytes(bytes, limit) : hint_signal_name(result->signal, name),
		memory ? ", its limit," : "");
}

static void hint_wall(const struct job_result *result, char out[HINT_BYTES])
{
	char limit[TEXT_FIGURE_BYTES];
	uint64_t ms = result->limit_hit ? result->limit_hit : result->limits.wall_ms;
	if (result->session.state == SESSION_LOST &&
		strcmp(result->session.lost_why, SESSION_WHY_OVER) == 0) {
		(void)snprintf(out, HINT_BYTES,
			"the session's life ended %s into this call, and the call with it: begin a "
			"new session and send again what is to be kept; its life can be no longer "
			"than the role's session_life",
			text_ms(ms, limit));
		return;
	}
	(void)snprintf(out, HINT_BYTES,
		"the job took %s, its limit; leave out sleeping and waiting, or do less in one "
		"call",
		text_ms(ms, limit));
}

static void hint_cpu(const struct job_result *result, char out[HINT_BYTES])
{
	char limit[TEXT_FIGURE_BYTES];
	uint64_t ms = result->limit_hit ? result->limit_hit : result->limits.cpu_ms;
	(void)snprintf(out, HINT_BYTES,
		"the job used %s of CPU time, its limit; look for an endless loop, use numpy or "
		"pandas in place of loops, or work on a sample",
		text_ms(ms, limit));
}

static void hint_memory(const struct job_result *result, char out[HINT_BYTES])
{
	char limit[TEXT_FIGURE_BYTES];
	uint64_t bytes = result->limit_hit ? result->limit_hit : result->limits.memory_bytes;
	/* A session that its memory ended is lost: this call found it too large to begin. */
	if (goes_on(&result->session)) {
		bool all = result->memory_most_bytes && bytes >= result->memory_most_bytes;
		(void)snprintf(out, HINT_BYTES,
			"the session already holds more than %s, %s: none of the code has run; %s, "
			"or begin a new session",
			text_bytes(bytes, limit),
			all ? "which is all that it may have" : "the limit of this call",
			all ? "remove files of its work folder from outside"
			    : "call with a higher limit and delete what is not needed");
		return;
	}
	(void)snprintf(out, HINT_BYTES,
		"the job used %s, its limit; read the file in chunks, keep only the columns that "
		"are needed, or work on a sample (files in the work folder count too)",
		text_bytes(bytes, limit));
}

static void hint_output(const struct job_result *result, char out[HINT_BYTES])
{
	char limit[TEXT_FIGURE_BYTES];
	uint64_t bytes = result->limit_hit ? result->limit_hit : result->limits.output_bytes;
	(void)snprintf(out, HINT_BYTES,
		"the job printed %s, its limit; print a summary, and write long output to a file",
		text_bytes(bytes, limit));
}

static void hint_denied(const struct job_result *result, char out[HINT_BYTES])
{
	char name[SYSCALL_NAME_BYTES];
	(void)snprintf(out, HINT_BYTES,
		"the program used the system call %s, which is never allowed here; do the work in "
		"Python itself, without it",
		syscall_name(result->syscall_arch, result->syscall, name));
}

static void hint_cancelled(const struct job_result *result, char out[HINT_BYTES])
{
	(void)snprintf(out, HINT_BYTES, "the job was cancelled before it ended; %s",
		goes_on(&result->session)
			? "the session keeps what it had done to variables and files until then"
			: "call again to run it from the start");
}

void hint_of(const struct job_result *result, struct span offered, const char *fault_id,
	char out[HINT_BYTES])
{
	bool ended = result->outcome == OUTCOME_MEMORY || result->outcome == OUTCOME_SIGNAL;
	out[0] = 0;
	if (ended && is_forewarning(offered)) {
		hint_recursion(result, out);
		return;
	}
	switch (result->outcome) {
	case OUTCOME_OK:
	case OUTCOME_COUNT:
		return;
	case OUTCOME_ERROR:
		return hint_error(result, offered, out);
	case OUTCOME_EXIT:
		return hint_exit(result, out);
	case OUTCOME_SIGNAL:
		return hint_signal(result, out);
	case OUTCOME_TIMEOUT_WALL:
		return hint_wall(result, out);
	case OUTCOME_TIMEOUT_CPU:
		return hint_cpu(result, out);
	case OUTCOME_MEMORY:
		return hint_memory(result, out);
	case OUTCOME_OUTPUT:
		return hint_output(result, out);
	case OUTCOME_DENIED:
		return hint_denied(result, out);
	case OUTCOME_CANCELLED:
		return hint_cancelled(result, out);
	case OUTCOME_REJECTED:
		/* Who refuses knows why: the text of the fault is its sentence for the caller. */
		if (!quote(span_text(result->fault.text), out))
			(void)snprintf(out, HINT_BYTES, "the request was refused");
		return;
	case OUTCOME_INTERNAL:
		(void)snprintf(out, HINT_BYTES,
			"a fault of the service, not of the code%s%s; try once more, then tell the "
			"operator",
			fault_id ? ", with the id " : "", fault_id ? fault_id : "");
		return;
	}
}
