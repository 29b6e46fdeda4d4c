/*
 * seal: after it nothing but read, write and leaving is possible. Each attempt has a control: the
 * same call in a process that is not sealed.
 */
#include "check.h"

#include "calc/arena.h"
#include "calc/calc.h"
#include "calc/seal.h"

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>

enum { SURVIVED = 7 };

/* Runs `attempt` in a child, sealed or not; its wait status. The child may write to `out_fd`. */
static int run(void (*attempt)(int in_fd, int out_fd), bool sealed, int out_fd, int in_fd)
{
	pid_t pid = fork();
	assert_true(pid >= 0);
	if (!pid) {
		const char *stage;
		const struct calc_seal seal = {
			.in_fd = in_fd, .out_fd = out_fd, .error_fd = -1, .cpu_s = 5};
		if (sealed && calc_seal(&seal, &stage))
			_exit(99);
		attempt(in_fd, out_fd);
		calc_leave(SURVIVED);
	}
	int status;
	assert_int_equal(waitpid(pid, &status, 0), pid);
	return status;
}

static void try_open(int in_fd, int out_fd)
{
	(void)in_fd, (void)out_fd;
	(void)syscall(SYS_openat, AT_FDCWD, "/dev/null", O_RDONLY);
}

static void try_socket(int in_fd, int out_fd)
{
	(void)in_fd, (void)out_fd;
	(void)syscall(SYS_socket, AF_INET, SOCK_STREAM, 0);
}

static void try_mmap(int in_fd, int out_fd)
{
	(void)in_fd, (void)out_fd;
	(void)syscall(SYS_mmap, NULL, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
}

static void try_brk(int in_fd, int out_fd)
{
	(void)in_fd, (void)out_fd;
	(void)syscall(SYS_brk, 0);
}

static void try_clone(int in_fd, int out_fd)
{
	(void)in_fd, (void)out_fd;
	if (!syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0))
		_exit(0);
}

static void try_exec(int in_fd, int out_fd)
{
	(void)in_fd, (void)out_fd;
	char *const none[] = {NULL};
	(void)syscall(SYS_execve, "/nonexistent", none, none);
}

static void try_kill(int in_fd, int out_fd)
{
	(void)in_fd, (void)out_fd;
	(void)syscall(SYS_kill, getppid(), 0);
}

static void try_getpid(int in_fd, int out_fd)
{
	(void)in_fd, (void)out_fd;
	(void)syscall(SYS_getpid);
}

static void try_sleep(int in_fd, int out_fd)
{
	(void)in_fd, (void)out_fd;
	const struct timespec none = {0};
	(void)syscall(SYS_clock_nanosleep, CLOCK_MONOTONIC, 0, &none, NULL);
}

static void try_dup(int in_fd, int out_fd)
{
	(void)in_fd;
	(void)syscall(SYS_dup, out_fd);
}

static void try_seccomp(int in_fd, int out_fd)
{
	(void)in_fd, (void)out_fd;
	(void)syscall(SYS_prctl, PR_GET_SECCOMP, 0, 0, 0, 0);
}

static void try_read_output(int in_fd, int out_fd)
{
	(void)in_fd;
	char byte;
	(void)syscall(SYS_read, out_fd, &byte, 0);
}

static void try_write_input(int in_fd, int out_fd)
{
	(void)out_fd;
	(void)syscall(SYS_write, in_fd, "", 0);
}

static void try_write_high(int in_fd, int out_fd)
{
	(void)in_fd;
	(void)syscall(SYS_write, out_fd + 1, "", 0);
}

static void try_unknown(int in_fd, int out_fd)
{
	(void)in_fd, (void)out_fd;
	(void)syscall(100000);
}

#ifdef __x86_64__
static void try_x32(int in_fd, int out_fd)
{
	(void)in_fd;
	(void)syscall(0x40000000 | SYS_write, out_fd, "", 0);
}

/* exit(2) of the 32-bit table: allowed by number, not by architecture. */
static void try_int80(int in_fd, int out_fd)
{
	(void)in_fd, (void)out_fd;
	long number = 20; /* getpid */
	__asm__ volatile("int $0x80" : "+a"(number) : : "memory", "cc");
}
#endif

static void kills_all_else(void **state)
{
	(void)state;
	static void (*const attempts[])(int, int) = {
		try_open,
		try_socket,
		try_mmap,
		try_brk,
		try_clone,
		try_exec,
		try_kill,
		try_getpid,
		try_sleep,
		try_dup,
		try_seccomp,
		try_read_output,
		try_write_input,
		try_write_high,
		try_unknown,
#ifdef __x86_64__
		try_x32,
		try_int80,
#endif
	};
	int pipe_fds[2];
	assert_int_equal(pipe(pipe_fds), 0);
	for (size_t i = 0; i < COUNT(attempts); i++) {
		int status = run(attempts[i], true, pipe_fds[1], pipe_fds[0]);
		assert_true(WIFSIGNALED(status));
		assert_int_equal(WTERMSIG(status), SIGSYS);
		status = run(attempts[i], false, pipe_fds[1], pipe_fds[0]);
#ifdef __x86_64__
		/* A kernel may be without the 32-bit table; then the control dies by itself. */
		if (attempts[i] == try_int80 && WIFSIGNALED(status))
			continue;
#endif
		assert_true(WIFEXITED(status));
		assert_int_equal(WEXITSTATUS(status), SURVIVED);
	}
	(void)close(pipe_fds[0]);
	(void)close(pipe_fds[1]);
}

static void read_and_write(int in_fd, int out_fd)
{
	char word[3];
	if (read(in_fd, word, sizeof(word)) == 3 && write(out_fd, word, 3) == 3)
		calc_leave(42);
}

/* What an expression needs, up to the largest exact value, is there. */
static void evaluate(int in_fd, int out_fd)
{
	static struct calc_result result;
	static char json[CALC_JSON_SIZE];
	(void)in_fd;
	static struct calc *calc;
	if (!calc) {
		calc_arena_install();
		calc = calc_new();
		return;
	}
	calc_eval(calc, "1.1**1000 * 3 / 7 + 2**0.5 - 0x1p", 33, &result);
	calc_eval(calc, "1.1**1000", 9, &result);
	size_t length = calc_json(&result, json); /* the whole exact value */
	calc_leave(length > 1000 && write(out_fd, json, length) == (ssize_t)length ? 42 : 1);
}

static void lets_through_what_is_needed(void **state)
{
	(void)state;
	int in[2], out[2];
	char bytes[4096];
	assert_int_equal(pipe(in), 0);
	assert_int_equal(pipe(out), 0);
	assert_int_equal(write(in[1], "abc", 3), 3);
	int status = run(read_and_write, true, out[1], in[0]);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 42);
	assert_int_equal(read(out[0], bytes, sizeof(bytes)), 3);
	assert_memory_equal(bytes, "abc", 3);
	evaluate(-1, -1);
	status = run(evaluate, true, out[1], in[0]);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 42);
	assert_true(read(out[0], bytes, sizeof(bytes)) > 1000);
	for (int i = 0; i < 2; i++) {
		(void)close(in[i]);
		(void)close(out[i]);
	}
}

static void appends_to_a_file(void **state)
{
	(void)state;
	int in[2];
	assert_int_equal(pipe(in), 0);
	assert_int_equal(write(in[1], "abc", 3), 3);
	int file = check_memfd("0123456789", 10);
	int status = run(read_and_write, true, file, in[0]);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 42);
	assert_int_equal(lseek(file, 0, SEEK_END), 13);
	(void)close(file);
	(void)close(in[0]);
	(void)close(in[1]);
}

static void read_proc(pid_t pid, const char *name, char *text, size_t size)
{
	char path[64];
	(void)snprintf(path, sizeof(path), "/proc/%d/%s", pid, name);
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	assert_true(fd >= 0);
	size_t length = 0;
	ssize_t got;
	while ((got = read(fd, text + length, size - 1 - length)) > 0)
		length += (size_t)got;
	text[length] = '\0';
	(void)close(fd);
}

/* The value behind `name` on its line. */
static const char *field(const char *text, const char *name)
{
	const char *at = strstr(text, name);
	assert_non_null(at);
	at += strlen(name);
	return at + strspn(at, " \t");
}

static void expect_limit(const char *limits, const char *name, unsigned long value)
{
	char *end;
	const char *at = field(limits, name);
	assert_int_equal(strtoul(at, &end, 10), value);
	assert_int_equal(strtoul(end, NULL, 10), value);
}

static void is_seen_from_outside(void **state)
{
	(void)state;
	int in[2], out[2];
	char text[8192], byte;
	assert_int_equal(pipe(in), 0);
	assert_int_equal(pipe(out), 0);
	int spare = dup(in[0]);
	pid_t pid = fork();
	assert_true(pid >= 0);
	if (!pid) {
		const char *stage;
		const struct calc_seal seal = {
			.in_fd = in[0], .out_fd = out[1], .error_fd = 2, .cpu_s = 5};
		if (calc_seal(&seal, &stage))
			_exit(99);
		(void)!write(out[1], "s", 1);
		(void)!read(in[0], &byte, 1);
		calc_leave(0);
	}
	assert_int_equal(read(out[0], &byte, 1), 1);
	read_proc(pid, "status", text, sizeof(text));
	assert_int_equal(*field(text, "NoNewPrivs:"), '1');
	assert_int_equal(*field(text, "Seccomp:"), '2');
	read_proc(pid, "limits", text, sizeof(text));
	static const char *const none[] = {"Max core file size", "Max processes", "Max open files",
		"Max address space", "Max data size", "Max locked memory", "Max file size",
		"Max msgqueue size", "Max pending signals", "Max file locks", "Max nice priority",
		"Max realtime priority"};
	for (size_t i = 0; i < COUNT(none); i++)
		expect_limit(text, none[i], 0);
	expect_limit(text, "Max cpu time", 5);
	char path[64];
	(void)snprintf(path, sizeof(path), "/proc/%d/fd/%d", pid, spare);
	assert_int_equal(access(path, F_OK), -1);
	(void)snprintf(path, sizeof(path), "/proc/%d/fd/%d", pid, in[0]);
	assert_int_equal(faccessat(AT_FDCWD, path, F_OK, AT_SYMLINK_NOFOLLOW), 0);
	(void)close(in[1]);
	(void)close(in[0]);
	(void)close(spare);
	int status;
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
	(void)close(out[0]);
	(void)close(out[1]);
}

/* Makes one system call fail with EPERM from here on. */
static void refuse(int number)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (unsigned)number, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	const struct sock_fprog program = {.len = COUNT(code), .filter = code};
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
		syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &program))
		_exit(98);
}

/* Where the kernel refuses a step there is an error that names it, and no answer. */
static void fails_closed(void **state)
{
	(void)state;
	static const struct {
		int number;
		const char *stage;
	} cases[] = {
		{SYS_close_range, "descriptors"},
		{SYS_prlimit64, "limits"},
		{SYS_prctl, "privileges"},
		{SYS_seccomp, "filter"},
	};
	for (size_t i = 0; i < COUNT(cases); i++) {
		pid_t pid = fork();
		assert_true(pid >= 0);
		if (!pid) {
			const char *stage = "";
			const struct calc_seal seal = {
				.in_fd = -1, .out_fd = 1, .error_fd = 2, .cpu_s = 5};
			refuse(cases[i].number);
			int rc = calc_seal(&seal, &stage);
			_exit(rc == -EPERM && !strcmp(stage, cases[i].stage) ? 42 : 1);
		}
		int status;
		assert_int_equal(waitpid(pid, &status, 0), pid);
		assert_true(WIFEXITED(status));
		assert_int_equal(WEXITSTATUS(status), 42);
	}
}

static void keeps_a_lower_limit(void **state)
{
	(void)state;
	pid_t pid = fork();
	assert_true(pid >= 0);
	if (!pid) {
		const struct rlimit less = {1, 1};
		const char *stage;
		const struct calc_seal seal = {
			.in_fd = -1, .out_fd = 1, .error_fd = 2, .cpu_s = 1000};
		if (setrlimit(RLIMIT_CPU, &less) || calc_seal(&seal, &stage))
			_exit(1);
		calc_leave(42);
	}
	int status;
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 42);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(kills_all_else),
		cmocka_unit_test(lets_through_what_is_needed),
		cmocka_unit_test(appends_to_a_file),
		cmocka_unit_test(is_seen_from_outside),
		cmocka_unit_test(fails_closed),
		cmocka_unit_test(keeps_a_lower_limit),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
