/*
 * seccomp_policy: the table. One rule a line; a call with several rules is allowed where any of
 * them matches. The reason stands with the first rule of its kind.
 */
#include "jail/seccomp_policy.h"

#include <asm/ioctls.h>
#include <fcntl.h>
#include <linux/fadvise.h>
#include <linux/prctl.h>
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/socket.h>

#define ALLOW(name, reason)                                                                        \
	{                                                                                          \
		name, POLICY_ALLOW, {{TEST_NONE, 0, 0}}, reason                                    \
	}
#define ALLOW_IF(name, test, argument, value, reason)                                              \
	{                                                                                          \
		name, POLICY_ALLOW, {{test, argument, value}}, reason                              \
	}
#define ALLOW_IF2(name, t1, a1, v1, t2, a2, v2, reason)                                            \
	{                                                                                          \
		name, POLICY_ALLOW, {{t1, a1, v1}, {t2, a2, v2}}, reason                           \
	}
#define ANSWER(name, action, reason)                                                               \
	{                                                                                          \
		name, action, {{TEST_NONE, 0, 0}}, reason                                          \
	}
#define ANSWER_IF(name, action, test, argument, value, reason)                                     \
	{                                                                                          \
		name, action, {{test, argument, value}}, reason                                    \
	}

/* pthread_create and fork as the C library asks for them: exact sets, so that no CLONE_NEW*,
 * CLONE_PARENT, CLONE_UNTRACED or CLONE_VM without CLONE_THREAD can slip in. */
#define CLONE_OF_THREAD                                                                            \
	(CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SYSVSEM | CLONE_SIGHAND | CLONE_THREAD |        \
		CLONE_SETTLS | CLONE_PARENT_SETTID | CLONE_CHILD_CLEARTID)
#define CLONE_OF_FORK (CLONE_CHILD_SETTID | CLONE_CHILD_CLEARTID | SIGCHLD)

/* One table for x86-64 and aarch64, where the numbers of commands, advice, requests and clone's
 * flags are the same. O_LARGEFILE, which F_GETFL shows and F_SETFL ignores, has two: each is
 * O_NOFOLLOW on the other architecture, which F_SETFL ignores as well. O_DIRECT is in neither's
 * set. */
#define O_LARGEFILE_OF_BOTH (0100000 | 0400000)
#define F_SETFL_REFUSED (~(uint64_t)(O_ACCMODE | O_NONBLOCK | O_APPEND | O_LARGEFILE_OF_BOTH))

#define LOCKS_REASON "memory that no limit counts; seen by others through the shared image"

const struct policy_rule seccomp_policy[] = {
	/* Files and descriptors: the mounts, Landlock and ids decide what can be reached. */
	ALLOW("read", "bytes over descriptors"),
	ALLOW("write", "bytes over descriptors"),
	ALLOW("readv", "bytes over descriptors"),
	ALLOW("writev", "bytes over descriptors"),
	ALLOW("pread64", "bytes over descriptors"),
	ALLOW("pwrite64", "bytes over descriptors"),
	ALLOW("preadv", "bytes over descriptors"),
	ALLOW("pwritev", "bytes over descriptors"),
	ALLOW("lseek", "bytes over descriptors"),
	ALLOW("close", "bytes over descriptors"),
	ALLOW("close_range", "bytes over descriptors"),
	ALLOW("dup", "bytes over descriptors"),
	ALLOW("dup2", "bytes over descriptors"),
	ALLOW("dup3", "bytes over descriptors"),
	ALLOW("pipe2", "bytes over descriptors"),
	ALLOW("sendfile", "bytes over descriptors"),
	ALLOW("copy_file_range", "bytes over descriptors"),
	ALLOW_IF("fadvise64", TEST_EQUAL_32, 3, POSIX_FADV_NORMAL, "read-ahead hints"),
	ALLOW_IF("fadvise64", TEST_EQUAL_32, 3, POSIX_FADV_RANDOM, "read-ahead hints"),
	ALLOW_IF("fadvise64", TEST_EQUAL_32, 3, POSIX_FADV_SEQUENTIAL, "read-ahead hints"),
	ALLOW_IF("fadvise64", TEST_EQUAL_32, 3, POSIX_FADV_WILLNEED, "read-ahead hints"),
	ALLOW_IF("fadvise64", TEST_EQUAL_32, 3, POSIX_FADV_NOREUSE, "read-ahead hints"),
	ANSWER_IF("fadvise64", POLICY_NOTHING, TEST_EQUAL_32, 3, POSIX_FADV_DONTNEED,
		"would evict the shared image for everyone"),
	ALLOW("openat", "paths inside the cell's own mounts"),
	ALLOW("newfstatat", "paths inside the cell's own mounts"),
	ALLOW("fstat", "paths inside the cell's own mounts"),
	ALLOW("stat", "paths inside the cell's own mounts"),
	ALLOW("lstat", "paths inside the cell's own mounts"),
	ALLOW("statx", "paths inside the cell's own mounts"),
	ALLOW("access", "paths inside the cell's own mounts"),
	ALLOW("faccessat", "paths inside the cell's own mounts"),
	ALLOW("faccessat2", "paths inside the cell's own mounts"),
	ALLOW("readlink", "paths inside the cell's own mounts"),
	ALLOW("readlinkat", "paths inside the cell's own mounts"),
	ALLOW("getcwd", "paths inside the cell's own mounts"),
	ALLOW("chdir", "paths inside the cell's own mounts"),
	ALLOW("fchdir", "paths inside the cell's own mounts"),
	ALLOW("getdents64", "paths inside the cell's own mounts"),
	ALLOW("statfs", "paths inside the cell's own mounts"),
	ALLOW("fstatfs", "paths inside the cell's own mounts"),
	ALLOW("mkdir", "paths inside the cell's own mounts"),
	ALLOW("mkdirat", "paths inside the cell's own mounts"),
	ALLOW("rmdir", "paths inside the cell's own mounts"),
	ALLOW("unlink", "paths inside the cell's own mounts"),
	ALLOW("unlinkat", "paths inside the cell's own mounts"),
	ALLOW("rename", "paths inside the cell's own mounts"),
	ALLOW("renameat", "paths inside the cell's own mounts"),
	ALLOW("renameat2", "paths inside the cell's own mounts"),
	ALLOW("link", "paths inside the cell's own mounts"),
	ALLOW("linkat", "paths inside the cell's own mounts"),
	ALLOW("symlink", "paths inside the cell's own mounts"),
	ALLOW("symlinkat", "paths inside the cell's own mounts"),
	ALLOW("chmod", "paths inside the cell's own mounts"),
	ALLOW("fchmod", "paths inside the cell's own mounts"),
	ALLOW("fchmodat", "paths inside the cell's own mounts"),
	ALLOW("fchown", "paths inside the cell's own mounts"),
	ALLOW("truncate", "paths inside the cell's own mounts"),
	ALLOW("ftruncate", "paths inside the cell's own mounts"),
	ALLOW("fallocate", "paths inside the cell's own mounts"),
	ALLOW("fsync", "paths inside the cell's own mounts"),
	ALLOW("fdatasync", "paths inside the cell's own mounts"),
	ALLOW("utimensat", "paths inside the cell's own mounts"),
	ALLOW("umask", "paths inside the cell's own mounts"),

	/* Memory. Huge pages of hugetlbfs are not charged to the memory cgroup. */
	ALLOW_IF("mmap", TEST_MASKED_ZERO, 3, MAP_HUGETLB, "heap, libraries, arrays"),
	ALLOW("munmap", "heap, libraries, arrays"),
	ALLOW("mremap", "heap, libraries, arrays"),
	ALLOW("mprotect", "heap, libraries, arrays"),
	ALLOW("msync", "heap, libraries, arrays"),
	ALLOW("brk", "heap, libraries, arrays"),
	ALLOW_IF("madvise", TEST_EQUAL_32, 2, MADV_NORMAL, "advice on the process's own memory"),
	ALLOW_IF("madvise", TEST_EQUAL_32, 2, MADV_RANDOM, "advice on the process's own memory"),
	ALLOW_IF(
		"madvise", TEST_EQUAL_32, 2, MADV_SEQUENTIAL, "advice on the process's own memory"),
	ALLOW_IF("madvise", TEST_EQUAL_32, 2, MADV_WILLNEED, "advice on the process's own memory"),
	ALLOW_IF("madvise", TEST_EQUAL_32, 2, MADV_DONTNEED, "advice on the process's own memory"),
	ALLOW_IF("madvise", TEST_EQUAL_32, 2, MADV_FREE, "advice on the process's own memory"),
	ALLOW_IF("madvise", TEST_EQUAL_32, 2, MADV_DONTFORK, "advice on the process's own memory"),
	ALLOW_IF("madvise", TEST_EQUAL_32, 2, MADV_DOFORK, "advice on the process's own memory"),
	ALLOW_IF("madvise", TEST_EQUAL_32, 2, MADV_HUGEPAGE, "advice on the process's own memory"),
	ALLOW_IF(
		"madvise", TEST_EQUAL_32, 2, MADV_NOHUGEPAGE, "advice on the process's own memory"),
	ALLOW_IF("madvise", TEST_EQUAL_32, 2, MADV_DONTDUMP, "advice on the process's own memory"),
	ALLOW_IF("madvise", TEST_EQUAL_32, 2, MADV_DODUMP, "advice on the process's own memory"),
	ALLOW_IF(
		"madvise", TEST_EQUAL_32, 2, MADV_WIPEONFORK, "advice on the process's own memory"),
	ALLOW_IF(
		"madvise", TEST_EQUAL_32, 2, MADV_KEEPONFORK, "advice on the process's own memory"),
	ANSWER_IF("madvise", POLICY_NOTHING, TEST_EQUAL_32, 2, MADV_COLD,
		"would push out shared pages"),
	ANSWER_IF("madvise", POLICY_NOTHING, TEST_EQUAL_32, 2, MADV_PAGEOUT,
		"would push out shared pages"),

	/* Threads, processes, identity. */
	ALLOW_IF("clone", TEST_EQUAL, 0, CLONE_OF_THREAD, "pthread_create"),
	ALLOW_IF("clone", TEST_EQUAL, 0, CLONE_OF_FORK, "fork, for multiprocessing"),
	ALLOW("futex", "threads"),
	ALLOW("set_robust_list", "threads"),
	ALLOW("rseq", "threads"),
	ALLOW("arch_prctl", "threads"),
	ALLOW("sched_yield", "threads"),
	ALLOW("sched_getaffinity", "threads"),
	ALLOW("getcpu", "threads"),
	ALLOW("gettid", "reads or changes only the caller's own place"),
	ALLOW("getpid", "reads or changes only the caller's own place"),
	ALLOW("getppid", "reads or changes only the caller's own place"),
	ALLOW("getuid", "reads or changes only the caller's own place"),
	ALLOW("geteuid", "reads or changes only the caller's own place"),
	ALLOW("getgid", "reads or changes only the caller's own place"),
	ALLOW("getegid", "reads or changes only the caller's own place"),
	ALLOW("getresuid", "reads or changes only the caller's own place"),
	ALLOW("getresgid", "reads or changes only the caller's own place"),
	ALLOW("getgroups", "reads or changes only the caller's own place"),
	ALLOW("getpgrp", "reads or changes only the caller's own place"),
	ALLOW("getpgid", "reads or changes only the caller's own place"),
	ALLOW("getsid", "reads or changes only the caller's own place"),
	ALLOW("setsid", "reads or changes only the caller's own place"),
	ALLOW("setpgid", "reads or changes only the caller's own place"),
	ALLOW("uname", "figures of the process, the kernel's name, random bytes"),
	ALLOW("getrusage", "figures of the process, the kernel's name, random bytes"),
	ALLOW("times", "figures of the process, the kernel's name, random bytes"),
	ALLOW("getrandom", "figures of the process, the kernel's name, random bytes"),
	ALLOW_IF2("prlimit64", TEST_EQUAL_32, 0, 0, TEST_EQUAL, 2, 0, "reading its own limits"),
	ALLOW_IF("prctl", TEST_EQUAL_32, 0, PR_SET_NAME, "thread names"),
	ALLOW_IF("prctl", TEST_EQUAL_32, 0, PR_GET_NAME, "getters"),
	ALLOW_IF("prctl", TEST_EQUAL_32, 0, PR_GET_DUMPABLE, "getters"),
	ALLOW_IF("prctl", TEST_EQUAL_32, 0, PR_GET_NO_NEW_PRIVS, "getters"),
	ALLOW_IF("prctl", TEST_EQUAL_32, 0, PR_GET_SECCOMP, "getters"),
	ALLOW_IF("prctl", TEST_EQUAL_32, 0, PR_CAPBSET_READ, "getters"),

	/* Time, signals, waiting. */
	ALLOW("clock_gettime", "time; timers are bounded by RLIMIT_NOFILE"),
	ALLOW("clock_getres", "time; timers are bounded by RLIMIT_NOFILE"),
	ALLOW("clock_nanosleep", "time; timers are bounded by RLIMIT_NOFILE"),
	ALLOW("nanosleep", "time; timers are bounded by RLIMIT_NOFILE"),
	ALLOW("gettimeofday", "time; timers are bounded by RLIMIT_NOFILE"),
	ALLOW("time", "time; timers are bounded by RLIMIT_NOFILE"),
	ALLOW("setitimer", "time; timers are bounded by RLIMIT_NOFILE"),
	ALLOW("getitimer", "time; timers are bounded by RLIMIT_NOFILE"),
	ALLOW("alarm", "time; timers are bounded by RLIMIT_NOFILE"),
	ALLOW("pause", "time; timers are bounded by RLIMIT_NOFILE"),
	ALLOW("timerfd_create", "time; timers are bounded by RLIMIT_NOFILE"),
	ALLOW("timerfd_settime", "time; timers are bounded by RLIMIT_NOFILE"),
	ALLOW("timerfd_gettime", "time; timers are bounded by RLIMIT_NOFILE"),
	ALLOW("rt_sigaction", "signals within the pid namespace"),
	ALLOW("rt_sigprocmask", "signals within the pid namespace"),
	ALLOW("rt_sigreturn", "signals within the pid namespace"),
	ALLOW("rt_sigpending", "signals within the pid namespace"),
	ALLOW("rt_sigtimedwait", "signals within the pid namespace"),
	ALLOW("sigaltstack", "signals within the pid namespace"),
	ALLOW("restart_syscall", "signals within the pid namespace"),
	ALLOW("kill", "signals within the pid namespace"),
	ALLOW("tgkill", "signals within the pid namespace"),
	ALLOW("poll", "waiting and ending"),
	ALLOW("ppoll", "waiting and ending"),
	ALLOW("select", "waiting and ending"),
	ALLOW("pselect6", "waiting and ending"),
	ALLOW("epoll_create1", "waiting and ending"),
	ALLOW("epoll_ctl", "waiting and ending"),
	ALLOW("epoll_wait", "waiting and ending"),
	ALLOW("epoll_pwait", "waiting and ending"),
	ALLOW("eventfd2", "waiting and ending"),
	ALLOW("wait4", "waiting and ending"),
	ALLOW("waitid", "waiting and ending"),
	ALLOW("exit", "waiting and ending"),
	ALLOW("exit_group", "waiting and ending"),

	/* asyncio wakes its loop through a socket pair; nothing else may be a socket. */
	ALLOW_IF("socketpair", TEST_EQUAL_32, 0, AF_UNIX, "asyncio's self-pipe"),
	ALLOW("recvfrom", "on those pairs"),
	ALLOW("sendto", "on those pairs"),
	ALLOW("shutdown", "on those pairs"),
	ALLOW("getsockopt", "on those pairs"),
	ALLOW("getsockname", "on those pairs"),
	ALLOW("getpeername", "on those pairs"),
	ANSWER("socket", POLICY_EAFNOSUPPORT, "libraries degrade cleanly"),

	/* fcntl and ioctl: never leases, owners, pipe sizes, packet or signal mode, never a
	   terminal. */
	ALLOW_IF("fcntl", TEST_EQUAL_32, 1, F_DUPFD, "descriptor flags"),
	ALLOW_IF("fcntl", TEST_EQUAL_32, 1, F_DUPFD_CLOEXEC, "descriptor flags"),
	ALLOW_IF("fcntl", TEST_EQUAL_32, 1, F_GETFD, "descriptor flags"),
	ALLOW_IF("fcntl", TEST_EQUAL_32, 1, F_SETFD, "descriptor flags"),
	ALLOW_IF("fcntl", TEST_EQUAL_32, 1, F_GETFL, "descriptor flags"),
	ALLOW_IF2("fcntl", TEST_EQUAL_32, 1, F_SETFL, TEST_MASKED_ZERO, 2, F_SETFL_REFUSED,
		"only O_NONBLOCK and O_APPEND"),
	/* The kernel charges record locks to no cgroup and counts them against no limit
	   (RLIMIT_LOCKS has no effect since Linux 2.4.25); on a file of the image or a device they
	   would be seen by other jobs. Within one process they exclude nobody, so a database that
	   one process uses does not notice. */
	ALLOW_IF("fcntl", TEST_EQUAL_32, 1, F_GETLK, "finds no lock, as none is kept"),
	ANSWER_IF("fcntl", POLICY_NOTHING, TEST_EQUAL_32, 1, F_SETLK, LOCKS_REASON),
	ANSWER_IF("fcntl", POLICY_NOTHING, TEST_EQUAL_32, 1, F_SETLKW, LOCKS_REASON),
	ALLOW_IF("ioctl", TEST_EQUAL_32, 1, TCGETS, "isatty and plain descriptor calls"),
	ALLOW_IF("ioctl", TEST_EQUAL_32, 1, FIONREAD, "isatty and plain descriptor calls"),
	ALLOW_IF("ioctl", TEST_EQUAL_32, 1, FIOCLEX, "isatty and plain descriptor calls"),
	ALLOW_IF("ioctl", TEST_EQUAL_32, 1, FIONCLEX, "isatty and plain descriptor calls"),
	ALLOW_IF("ioctl", TEST_EQUAL_32, 1, FIONBIO, "isatty and plain descriptor calls"),
	ALLOW_IF("ioctl", TEST_EQUAL_32, 1, TIOCGWINSZ, "isatty and plain descriptor calls"),

	/* A clear Python error rather than a fallback. */
	ANSWER("execve", POLICY_EPERM, "no program can be started"),
	ANSWER("execveat", POLICY_EPERM, "no program can be started"),
	ANSWER("fork", POLICY_EPERM, "no program can be started"),
	ANSWER("vfork", POLICY_EPERM, "no program can be started"),
	ANSWER("mbind", POLICY_EPERM, "OpenBLAS asks; failure is harmless"),
	ANSWER("set_mempolicy", POLICY_EPERM, "OpenBLAS asks; failure is harmless"),
	ANSWER("get_mempolicy", POLICY_EPERM, "OpenBLAS asks; failure is harmless"),
	ANSWER("migrate_pages", POLICY_EPERM, "OpenBLAS asks; failure is harmless"),
	ANSWER("move_pages", POLICY_EPERM, "OpenBLAS asks; failure is harmless"),
	ANSWER("flock", POLICY_EPERM, "would signal across jobs through the shared image"),
	ANSWER("inotify_init", POLICY_EPERM, "would signal across jobs through the shared image"),
	ANSWER("inotify_init1", POLICY_EPERM, "would signal across jobs through the shared image"),
	ANSWER("inotify_add_watch", POLICY_EPERM,
		"would signal across jobs through the shared image"),
	ANSWER("fanotify_init", POLICY_EPERM, "would signal across jobs through the shared image"),
	ANSWER("fanotify_mark", POLICY_EPERM, "would signal across jobs through the shared image"),
	ANSWER("splice", POLICY_EPERM, "page-cache tricks; exec from memory"),
	ANSWER("tee", POLICY_EPERM, "page-cache tricks; exec from memory"),
	ANSWER("vmsplice", POLICY_EPERM, "page-cache tricks; exec from memory"),
	ANSWER("memfd_create", POLICY_EPERM, "page-cache tricks; exec from memory"),
	ANSWER("memfd_secret", POLICY_EPERM, "page-cache tricks; exec from memory"),
	ANSWER("mknod", POLICY_EPERM, "needs a privilege"),
	ANSWER("mknodat", POLICY_EPERM, "needs a privilege"),
	ANSWER("mlock", POLICY_EPERM, "needs a privilege"),
	ANSWER("mlock2", POLICY_EPERM, "needs a privilege"),
	ANSWER("mlockall", POLICY_EPERM, "needs a privilege"),
	ANSWER("chroot", POLICY_EPERM, "needs a privilege"),
	ANSWER("chown", POLICY_EPERM, "needs a privilege"),
	ANSWER("lchown", POLICY_EPERM, "needs a privilege"),
	ANSWER("fchownat", POLICY_EPERM, "needs a privilege"),
	ANSWER("setuid", POLICY_EPERM, "identity is fixed"),
	ANSWER("setgid", POLICY_EPERM, "identity is fixed"),
	ANSWER("setreuid", POLICY_EPERM, "identity is fixed"),
	ANSWER("setregid", POLICY_EPERM, "identity is fixed"),
	ANSWER("setresuid", POLICY_EPERM, "identity is fixed"),
	ANSWER("setresgid", POLICY_EPERM, "identity is fixed"),
	ANSWER("setfsuid", POLICY_EPERM, "identity is fixed"),
	ANSWER("setfsgid", POLICY_EPERM, "identity is fixed"),
	ANSWER("setgroups", POLICY_EPERM, "identity is fixed"),
	ANSWER("capset", POLICY_EPERM, "identity is fixed"),
	ANSWER("shmget", POLICY_EPERM, "no System V or POSIX message objects"),
	ANSWER("shmat", POLICY_EPERM, "no System V or POSIX message objects"),
	ANSWER("shmctl", POLICY_EPERM, "no System V or POSIX message objects"),
	ANSWER("shmdt", POLICY_EPERM, "no System V or POSIX message objects"),
	ANSWER("semget", POLICY_EPERM, "no System V or POSIX message objects"),
	ANSWER("semop", POLICY_EPERM, "no System V or POSIX message objects"),
	ANSWER("semctl", POLICY_EPERM, "no System V or POSIX message objects"),
	ANSWER("semtimedop", POLICY_EPERM, "no System V or POSIX message objects"),
	ANSWER("msgget", POLICY_EPERM, "no System V or POSIX message objects"),
	ANSWER("msgsnd", POLICY_EPERM, "no System V or POSIX message objects"),
	ANSWER("msgrcv", POLICY_EPERM, "no System V or POSIX message objects"),
	ANSWER("msgctl", POLICY_EPERM, "no System V or POSIX message objects"),
	ANSWER("mq_open", POLICY_EPERM, "no System V or POSIX message objects"),
	ANSWER("mq_unlink", POLICY_EPERM, "no System V or POSIX message objects"),
	ANSWER("mq_timedsend", POLICY_EPERM, "no System V or POSIX message objects"),
	ANSWER("mq_timedreceive", POLICY_EPERM, "no System V or POSIX message objects"),
	ANSWER("mq_notify", POLICY_EPERM, "no System V or POSIX message objects"),
	ANSWER("mq_getsetattr", POLICY_EPERM, "no System V or POSIX message objects"),
	ANSWER("sched_setaffinity", POLICY_EPERM, "its share of the machine is fixed"),
	ANSWER("sched_setscheduler", POLICY_EPERM, "its share of the machine is fixed"),
	ANSWER("sched_setparam", POLICY_EPERM, "its share of the machine is fixed"),
	ANSWER("sched_setattr", POLICY_EPERM, "its share of the machine is fixed"),
	ANSWER("setpriority", POLICY_EPERM, "its share of the machine is fixed"),
	ANSWER("ioprio_set", POLICY_EPERM, "its share of the machine is fixed"),
	ANSWER("name_to_handle_at", POLICY_EPERM, "side channels of the page cache"),
	ANSWER("mincore", POLICY_EPERM, "side channels of the page cache"),
	ANSWER("cachestat", POLICY_EPERM, "side channels of the page cache"),

	/* Extended attributes: ENOSYS or EPERM would break shutil.copytree. */
	ANSWER("setxattr", POLICY_EOPNOTSUPP, "tmpfs without attributes"),
	ANSWER("lsetxattr", POLICY_EOPNOTSUPP, "tmpfs without attributes"),
	ANSWER("fsetxattr", POLICY_EOPNOTSUPP, "tmpfs without attributes"),
	ANSWER("getxattr", POLICY_EOPNOTSUPP, "tmpfs without attributes"),
	ANSWER("lgetxattr", POLICY_EOPNOTSUPP, "tmpfs without attributes"),
	ANSWER("fgetxattr", POLICY_EOPNOTSUPP, "tmpfs without attributes"),
	ANSWER("listxattr", POLICY_EOPNOTSUPP, "tmpfs without attributes"),
	ANSWER("llistxattr", POLICY_EOPNOTSUPP, "tmpfs without attributes"),
	ANSWER("flistxattr", POLICY_EOPNOTSUPP, "tmpfs without attributes"),
	ANSWER("removexattr", POLICY_EOPNOTSUPP, "tmpfs without attributes"),
	ANSWER("lremovexattr", POLICY_EOPNOTSUPP, "tmpfs without attributes"),
	ANSWER("fremovexattr", POLICY_EOPNOTSUPP, "tmpfs without attributes"),

	/* Never legitimate in a job: the supervisor is told which, and kills. */
	ANSWER("ptrace", POLICY_DEADLY, "other processes' memory"),
	ANSWER("process_vm_readv", POLICY_DEADLY, "other processes' memory"),
	ANSWER("process_vm_writev", POLICY_DEADLY, "other processes' memory"),
	ANSWER("bpf", POLICY_DEADLY, "kernel programs"),
	ANSWER("perf_event_open", POLICY_DEADLY, "kernel programs"),
	ANSWER("seccomp", POLICY_DEADLY, "kernel programs"),
	ANSWER("add_key", POLICY_DEADLY, "keyrings"),
	ANSWER("request_key", POLICY_DEADLY, "keyrings"),
	ANSWER("keyctl", POLICY_DEADLY, "keyrings"),
	ANSWER("mount", POLICY_DEADLY, "mounts"),
	ANSWER("umount2", POLICY_DEADLY, "mounts"),
	ANSWER("pivot_root", POLICY_DEADLY, "mounts"),
	ANSWER("move_mount", POLICY_DEADLY, "mounts"),
	ANSWER("fsopen", POLICY_DEADLY, "mounts"),
	ANSWER("fsconfig", POLICY_DEADLY, "mounts"),
	ANSWER("fsmount", POLICY_DEADLY, "mounts"),
	ANSWER("fspick", POLICY_DEADLY, "mounts"),
	ANSWER("open_tree", POLICY_DEADLY, "mounts"),
	ANSWER("mount_setattr", POLICY_DEADLY, "mounts"),
	ANSWER("setns", POLICY_DEADLY, "namespaces"),
	ANSWER("unshare", POLICY_DEADLY, "namespaces"),
	ANSWER("kexec_load", POLICY_DEADLY, "kernel code"),
	ANSWER("kexec_file_load", POLICY_DEADLY, "kernel code"),
	ANSWER("init_module", POLICY_DEADLY, "kernel code"),
	ANSWER("finit_module", POLICY_DEADLY, "kernel code"),
	ANSWER("delete_module", POLICY_DEADLY, "kernel code"),
	ANSWER("open_by_handle_at", POLICY_DEADLY, "files outside every mount"),
};

const size_t seccomp_policy_count = sizeof(seccomp_policy) / sizeof(seccomp_policy[0]);

const struct policy_rule seccomp_init_policy[] = {
	ALLOW("write", "requests of the service"),
	ALLOW("close", "requests of the service"),
	ALLOW("recvmsg", "requests of the service"),
	ALLOW("sendmsg", "requests of the service"),
	ALLOW("openat", "placing inputs"),
	ALLOW("unlinkat", "inputs that replace those of a session's earlier calls"),
	ALLOW("umount2", "inputs that replace those of a session's earlier calls"),
	ALLOW("move_mount", "large inputs, the size of the work folder"),
	ALLOW("mount", "large inputs, the size of the work folder"),
	ALLOW("ppoll", "waiting and reaping"),
	ALLOW("wait4", "waiting and reaping"),
	ALLOW("rt_sigreturn", "waiting and reaping"),
	ALLOW("restart_syscall", "waiting and reaping"),
	ALLOW("exit", "ending"),
	ALLOW("exit_group", "ending"),
};

const size_t seccomp_init_policy_count =
	sizeof(seccomp_init_policy) / sizeof(seccomp_init_policy[0]);
