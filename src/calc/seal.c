/*
 * seal: descriptors, limits, privileges, filter, in this order, and no way back.
 *
 * The filter is classic BPF written by hand: 64-bit native calls only; the x32 numbers and every
 * other architecture are killed with the rest. A descriptor is compared by its low 32 bits, which
 * is all that the kernel takes of it.
 */
#include "calc/seal.h"

#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#if defined(__x86_64__) && defined(__LP64__)
#define NATIVE_ARCH AUDIT_ARCH_X86_64
#define FOREIGN_BIT 0x40000000u /* __X32_SYSCALL_BIT */
#elif defined(__aarch64__) && defined(__LP64__)
#define NATIVE_ARCH AUDIT_ARCH_AARCH64
#define FOREIGN_BIT 0x40000000u /* no native call is that large */
#else
#error "calc seals itself on x86-64 and arm64 only"
#endif

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "an argument's low half comes first");

#define STACK_BYTES (1024 * 1024)

static int close_between(int first, int last)
{
	if (first > last)
		return 0;
	return syscall(SYS_close_range, (unsigned)first, (unsigned)last, 0u) ? -errno : 0;
}

/* Closes every descriptor but the three. */
static int close_others(const struct calc_seal *seal)
{
	int kept[3] = {seal->in_fd, seal->out_fd, seal->error_fd};
	int from = 0;
	for (;;) {
		int next = INT32_MAX;
		for (int i = 0; i < 3; i++) {
			if (kept[i] >= from && kept[i] < next)
				next = kept[i];
		}
		int rc = close_between(from, next == INT32_MAX ? INT32_MAX : next - 1);
		if (rc || next == INT32_MAX)
			return rc;
		from = next + 1;
	}
}

static bool is_regular(int fd)
{
	struct stat status;
	return fd >= 0 && (fstat(fd, &status) != 0 || S_ISREG(status.st_mode));
}

/* A limit that is lower already stays. */
static int limit(__rlimit_resource_t resource, rlim_t value)
{
	struct rlimit limits;
	if (getrlimit(resource, &limits))
		return -errno;
	if (value < limits.rlim_max)
		limits.rlim_max = value;
	limits.rlim_cur = limits.rlim_max;
	return setrlimit(resource, &limits) ? -errno : 0;
}

/* A limit of no address space also stops the stack from growing, so it grows here. */
__attribute__((noinline)) static void touch_stack(void)
{
	volatile unsigned char stack[STACK_BYTES];
	for (size_t i = 0; i < sizeof(stack); i += 1024)
		stack[i] = 0;
}

static int set_limits(const struct calc_seal *seal)
{
	static const __rlimit_resource_t none[] = {RLIMIT_CORE, RLIMIT_NPROC, RLIMIT_NOFILE,
		RLIMIT_AS, RLIMIT_DATA, RLIMIT_MEMLOCK, RLIMIT_MSGQUEUE, RLIMIT_SIGPENDING,
		RLIMIT_LOCKS, RLIMIT_NICE, RLIMIT_RTPRIO};
	touch_stack();
	for (size_t i = 0; i < sizeof(none) / sizeof(none[0]); i++) {
		int rc = limit(none[i], 0);
		if (rc)
			return rc;
	}
	/* The limit counts from a file's start: to append to a long one it must stay open. */
	if (!is_regular(seal->out_fd) && !is_regular(seal->error_fd)) {
		int rc = limit(RLIMIT_FSIZE, 0);
		if (rc)
			return rc;
	}
	return seal->cpu_s ? limit(RLIMIT_CPU, seal->cpu_s) : 0;
}

static int drop_privileges(void)
{
	if (prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) || prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))
		return -errno;
	return 0;
}

#define LOAD(field) BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, field))
#define RETURN(verdict) BPF_STMT(BPF_RET | BPF_K, verdict)
/* Skips `yes` instructions where the loaded word is the value, else `no`. */
#define IF_EQUAL(value, yes, no) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, value, yes, no)

static int set_filter(const struct calc_seal *seal)
{
	/* -1 is no descriptor: such a comparison never holds for a call that would succeed. */
	struct sock_filter code[] = {
		/*  0 */ LOAD(arch),
		/*  1 */ IF_EQUAL(NATIVE_ARCH, 0, 11),
		/*  2 */ LOAD(nr),
		/*  3 */ BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, FOREIGN_BIT, 9, 0),
		/*  4 */ IF_EQUAL(SYS_exit_group, 9, 0),
		/*  5 */ IF_EQUAL(SYS_exit, 8, 0),
		/*  6 */ IF_EQUAL(SYS_read, 0, 2),
		/*  7 */ LOAD(args[0]),
		/*  8 */ IF_EQUAL((uint32_t)seal->in_fd, 5, 4),
		/*  9 */ IF_EQUAL(SYS_write, 0, 3),
		/* 10 */ LOAD(args[0]),
		/* 11 */ IF_EQUAL((uint32_t)seal->out_fd, 2, 0),
		/* 12 */ IF_EQUAL((uint32_t)seal->error_fd, 1, 0),
		/* 13 */ RETURN(SECCOMP_RET_KILL_PROCESS),
		/* 14 */ RETURN(SECCOMP_RET_ALLOW),
	};
	const struct sock_fprog program = {
		.len = sizeof(code) / sizeof(code[0]),
		.filter = code,
	};
	return syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0u, &program) ? -errno : 0;
}

int calc_seal(const struct calc_seal *seal, const char **ret_stage)
{
	int rc;
	*ret_stage = "descriptors";
	if ((rc = close_others(seal)) != 0)
		return rc;
	*ret_stage = "limits";
	if ((rc = set_limits(seal)) != 0)
		return rc;
	*ret_stage = "privileges";
	if ((rc = drop_privileges()) != 0)
		return rc;
	*ret_stage = "filter";
	return set_filter(seal);
}

void calc_leave(int status)
{
	for (;;)
		(void)syscall(SYS_exit_group, status);
}
