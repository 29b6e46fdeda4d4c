/*
 * receipt: what the kernel says about this very cell, read back while it is parked.
 *
 * A layer that was set up but does not show is a fault, and the cell is never used: the receipt is
 * a check first and a report second. What the kernel does not show (Landlock, the keyring) rests
 * on the call's own success, which sealing reported.
 *
 * Source: proc(5), proc_pid_status(5), proc_pid_mountinfo(5).
 */
#include "service/service.h"

#include "base/fd.h"
#include "jail/landlock.h"
#include "jail/rlimit.h"
#include "service/procfs.h"

#include <ctype.h>
#include <errno.h>
#include <sodium.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct reading {
	struct cell *cell;
	struct job_receipt *receipt;
	struct err *err;
	const char *status; /* /proc/PID/status */
	const char *mounts; /* /proc/PID/mountinfo */
};

__attribute__((format(printf, 4, 5))) static int report(
	struct reading *reading, enum layer layer, bool holds, const char *format, ...)
{
	struct layer_report *layer_report = &reading->receipt->layers[layer];
	va_list args;
	va_start(args, format);
	(void)vsnprintf(layer_report->detail, sizeof(layer_report->detail), format, args);
	va_end(args);
	if (holds) {
		layer_report->state = LAYER_ON;
		return 0;
	}
	if (layer_in(reading->cell->service->skip, layer)) {
		layer_report->state = LAYER_MISSING;
		return 0;
	}
	return err_set(reading->err, -EPERM, layer_name(layer), "read back from the kernel: %s",
		layer_report->detail);
}

static int read_identity(struct reading *reading)
{
	const struct service *service = reading->cell->service;
	char uids[64] = "", gids[64] = "", groups[64] = "";
	unsigned uid = service->start.one_uid ? 0 : 2 + 2 * reading->cell->slot;
	char wanted[64];

	(void)procfs_line(reading->status, "Uid:", uids, sizeof(uids));
	(void)procfs_line(reading->status, "Gid:", gids, sizeof(gids));
	(void)procfs_line(reading->status, "Groups:", groups, sizeof(groups));
	(void)snprintf(wanted, sizeof(wanted), "%u %u %u %u", uid, uid, uid, uid);
	bool holds = !service->start.one_uid && strcmp(uids, wanted) == 0 &&
		     strcmp(gids, wanted) == 0 && groups[0] == 0;
	return report(reading, LAYER_UID, holds, "uid %s, gid %s, groups [%s]", uids, gids, groups);
}

static int read_privilege(struct reading *reading)
{
	static const char *const sets[] = {"CapInh:", "CapPrm:", "CapEff:", "CapBnd:", "CapAmb:"};
	char text[64];
	bool zero = true;

	for (size_t i = 0; i < sizeof(sets) / sizeof(sets[0]); i++)
		zero = zero && procfs_line(reading->status, sets[i], text, sizeof(text)) == 0 &&
		       strtoull(text, NULL, 16) == 0;
	int rc = report(reading, LAYER_CAPS, zero, "five capability sets %s",
		zero ? "all zero" : "not all zero");
	bool held = procfs_line(reading->status, "NoNewPrivs:", text, sizeof(text)) == 0 &&
		    strcmp(text, "1") == 0;
	if (!rc)
		rc = report(reading, LAYER_NNP, held, "NoNewPrivs %s", text);
	char filters[16] = "?";
	held = procfs_line(reading->status, "Seccomp:", text, sizeof(text)) == 0 &&
	       strcmp(text, "2") == 0;
	/* Seccomp_filters is younger (5.9) than the mode. */
	(void)procfs_line(reading->status, "Seccomp_filters:", filters, sizeof(filters));
	if (!rc)
		rc = report(reading, LAYER_SECCOMP, held,
			"mode %s, %s filter, %u instructions, sha256 %s", text, filters,
			reading->cell->service->filter.count, reading->cell->service->filter_hash);
	return rc;
}

/* The service's own never change: read once for each name. */
static uint64_t own_namespace(const struct service *service, const char *name)
{
	static struct {
		const char *name;
		uint64_t inode;
	} known[8];
	size_t i = 0;
	while (i < 8 && known[i].inode && strcmp(known[i].name, name) != 0)
		i++;
	if (i < 8 && known[i].inode)
		return known[i].inode;
	uint64_t inode = procfs_namespace(service->proc_fd, getpid(), name);
	if (i < 8) {
		known[i].name = name;
		known[i].inode = inode;
	}
	return inode;
}

static int read_namespaces(struct reading *reading)
{
	static const struct {
		enum layer layer;
		const char *names[3];
	} wanted[] = {
		{LAYER_PIDNS, {"pid", "user", NULL}},
		{LAYER_NET, {"net", NULL}},
		{LAYER_IPC, {"ipc", "uts", "cgroup"}},
	};
	for (size_t i = 0; i < sizeof(wanted) / sizeof(wanted[0]); i++) {
		char detail[128] = "";
		bool own = true;
		for (size_t n = 0; n < 3 && wanted[i].names[n]; n++) {
			uint64_t theirs = procfs_namespace(reading->cell->service->proc_fd,
				reading->cell->runner_pid, wanted[i].names[n]);
			uint64_t ours = own_namespace(reading->cell->service, wanted[i].names[n]);
			own = own && theirs && ours && theirs != ours;
			size_t used = strlen(detail);
			(void)snprintf(detail + used, sizeof(detail) - used, "%s%s:[%llu]",
				used ? " " : "", wanted[i].names[n], (unsigned long long)theirs);
		}
		int rc = report(reading, wanted[i].layer, own, "%s", detail);
		if (rc < 0)
			return rc;
	}
	return 0;
}

/* Whether the mount at `point` is there with all of `options` and of `type` (or any). */
static bool mounted(
	const struct reading *reading, const char *point, const char *options, const char *type)
{
	struct procfs_mount mount;
	const char *at = reading->mounts;
	while (procfs_next_mount(&at, &mount))
		if (strcmp(mount.point, point) == 0)
			return procfs_has_options(mount.options, options) &&
			       (!type || strcmp(mount.type, type) == 0);
	return false;
}

static void hash_text(crypto_hash_sha256_state *state, const char *text)
{
	(void)crypto_hash_sha256_update(state, (const unsigned char *)text, strlen(text) + 1);
}

/* Places, options and types in their order: one cell's are every cell's. */
static void hash_mounts(const struct reading *reading, char digits[17])
{
	unsigned char hash[crypto_hash_sha256_BYTES];
	crypto_hash_sha256_state state;
	struct procfs_mount mount;
	const char *at = reading->mounts;

	(void)crypto_hash_sha256_init(&state);
	while (procfs_next_mount(&at, &mount)) {
		hash_text(&state, mount.point);
		hash_text(&state, mount.options);
		hash_text(&state, mount.type);
	}
	(void)crypto_hash_sha256_final(&state, hash);
	(void)sodium_bin2hex(digits, 17, hash, 8);
}

static int read_mounts(struct reading *reading)
{
	static const char *const golden[] = {"/", "/dev", "/dev/null", "/dev/zero", "/dev/full",
		"/dev/urandom", "/dev/random", CELL_WORK_DIR, CELL_TMP_DIR, CELL_SHM_DIR};
	const size_t golden_count = sizeof(golden) / sizeof(golden[0]);
	struct procfs_mount mount;
	const char *at = reading->mounts;
	size_t count = 0, known = 0;
	bool proc = false, sealed_dev = true;
	char digits[17];

	while (procfs_next_mount(&at, &mount)) {
		count++;
		for (size_t i = 0; i < golden_count; i++)
			known += strcmp(mount.point, golden[i]) == 0;
		proc = proc || strcmp(mount.type, "proc") == 0 || strcmp(mount.type, "sysfs") == 0;
		if (strncmp(mount.point, "/dev/", 5) == 0 && strcmp(mount.point, CELL_SHM_DIR) != 0)
			sealed_dev =
				sealed_dev && procfs_has_options(mount.options, "nosuid,noexec");
	}
	hash_mounts(reading, digits);
	bool exact = count == golden_count && known == golden_count;
	int rc = report(reading, LAYER_ROOT, exact, "%zu mounts, %zu of them expected, sha256 %s",
		count, known, digits);
	bool image = mounted(reading, "/", "ro,nosuid,nodev", NULL);
	if (!rc)
		rc = report(reading, LAYER_IMAGE, image, "/ is %s",
			image ? "ro,nosuid,nodev" : "not read-only");
	bool work = mounted(reading, CELL_WORK_DIR, "rw,nosuid,nodev,noexec", "tmpfs") &&
		    mounted(reading, CELL_TMP_DIR, "rw,nosuid,nodev,noexec", "tmpfs") &&
		    mounted(reading, CELL_SHM_DIR, "rw,nosuid,nodev,noexec", "tmpfs");
	if (!rc)
		rc = report(reading, LAYER_WORK, work, "three tmpfs, %s",
			work ? "nosuid,nodev,noexec" : "with other options");
	bool dev = sealed_dev && mounted(reading, "/dev", "ro,nosuid,noexec", "tmpfs");
	if (!rc)
		rc = report(reading, LAYER_DEV, dev, "five devices on a %s tmpfs",
			dev ? "read-only" : "writable");
	if (!rc)
		rc = report(
			reading, LAYER_PROC, !proc, proc ? "proc or sysfs is mounted" : "absent");
	return rc;
}

/* An unlimited v1 group shows a huge number: the figure itself counts, not that there is one. */
static int read_one_limit(struct reading *reading, enum layer layer,
	enum cgroup_controller controller, const char *v1, const char *v2, uint64_t most)
{
	char text[64] = "none";
	const struct cgroup *cgroup = &reading->cell->cgroup;
	bool holds = cgroup_read(cgroup, controller, cgroup->v2 ? v2 : v1, text, sizeof(text)) == 0;
	uint64_t value = holds && isdigit((unsigned char)text[0]) ? strtoull(text, NULL, 10) : 0;
	holds = value > 0 && value <= most;
	return report(reading, layer, holds, "%s %s", cgroup->v2 ? v2 : v1, text);
}

static int read_cgroup(struct reading *reading, const struct job_limits *wanted)
{
	int rc = read_one_limit(reading, LAYER_MEMORY, CGROUP_MEMORY, "memory.limit_in_bytes",
		"memory.max", wanted->memory_bytes);
	if (!rc)
		rc = read_one_limit(reading, LAYER_PIDS, CGROUP_PIDS, "pids.max", "pids.max",
			wanted->processes + 1);
	if (!rc)
		rc = read_one_limit(reading, LAYER_CPU, CGROUP_CPU, "cpu.cfs_quota_us", "cpu.max",
			wanted->cpus * 100000);
	return rc;
}

/* In the innermost namespace, where a session of another process shows as 0. */
static long last_number(const char *status, const char *key)
{
	char line[64];
	if (procfs_line(status, key, line, sizeof(line)) < 0)
		return -1;
	const char *blank = strrchr(line, ' ');
	return strtol(blank ? blank + 1 : line, NULL, 10);
}

static int read_terminal(struct reading *reading)
{
	long tty = procfs_tty(reading->cell->service->proc_fd, reading->cell->runner_pid);
	long session = last_number(reading->status, "NSsid:");
	bool leads = session > 0 && session == last_number(reading->status, "NSpid:");
	return report(reading, LAYER_TTY, tty == 0 && leads,
		"controlling terminal %ld, %s session of its own", tty, leads ? "a" : "no");
}

static int read_process(struct reading *reading)
{
	const struct service *service = reading->cell->service;
	pid_t pid = reading->cell->runner_pid;
	char text[64] = "";
	char list[128];

	static char limits_text[4096];
	bool limits = procfs_read(service->proc_fd, pid, "limits", limits_text,
			      sizeof(limits_text)) == 0 &&
		      procfs_limit_is(limits_text, "Max core file size", 0) &&
		      procfs_limit_is(limits_text, "Max open files", RLIMIT_DESCRIPTORS) &&
		      procfs_limit_is(limits_text, "Max locked memory", 0);
	int rc = report(reading, LAYER_RLIMITS, limits, "core 0, nofile %u, memlock 0%s",
		RLIMIT_DESCRIPTORS, limits ? "" : " expected, others found");
	/* The files of a process that is not dumpable belong to the host's root, not to its uid. */
	struct stat status;
	char path[32];
	(void)snprintf(path, sizeof(path), "%d/environ", (int)pid);
	bool undumpable = fstatat(service->proc_fd, path, &status, 0) == 0 &&
			  status.st_uid != 2 + 2 * reading->cell->slot;
	if (!rc)
		rc = report(
			reading, LAYER_DUMP, undumpable, undumpable ? "not dumpable" : "dumpable");
	size_t count = procfs_descriptors(service->proc_fd, pid, list, sizeof(list));
	if (!rc)
		rc = report(reading, LAYER_FDS, count == CELL_FD_COUNT, "open: %s", list);
	if (!rc)
		rc = read_terminal(reading);
	int abi = landlock_abi();
	if (!rc)
		rc = report(reading, LAYER_LANDLOCK,
			abi > 0 && !layer_in(service->skip, LAYER_LANDLOCK), "ABI %d", abi);
	if (!rc)
		rc = report(reading, LAYER_KEYRING, !layer_in(service->skip, LAYER_KEYRING),
			"a session keyring of its own");
	(void)procfs_line(reading->status, "Speculation_Store_Bypass:", text, sizeof(text));
	reading->receipt->layers[LAYER_SPECULATION].state =
		strcmp(text, "thread force mitigated") == 0 || strcmp(text, "not vulnerable") == 0
			? LAYER_ON
			: LAYER_NOT_OFFERED;
	(void)snprintf(reading->receipt->layers[LAYER_SPECULATION].detail, 100, "store bypass: %s",
		text[0] ? text : "unknown");
	return rc;
}

int receipt_read_limits(struct cell *cell, const struct job_limits *wanted, struct err *err)
{
	struct reading reading = {.cell = cell, .receipt = &cell->receipt, .err = err};
	return read_cgroup(&reading, wanted);
}

int receipt_read(struct cell *cell, struct job_receipt *ret_receipt, struct err *err)
{
	static char status[8192], mounts[16384];
	struct service *service = cell->service;
	struct reading reading = {.cell = cell,
		.receipt = ret_receipt,
		.err = err,
		.status = status,
		.mounts = mounts};

	int rc = procfs_read(service->proc_fd, cell->runner_pid, "status", status, sizeof(status));
	if (!rc)
		rc = procfs_read(
			service->proc_fd, cell->runner_pid, "mountinfo", mounts, sizeof(mounts));
	if (rc < 0)
		return err_sys(err, rc, "cell", "reading the cell back");
	memset(ret_receipt, 0, sizeof(*ret_receipt));
	ret_receipt->present = true;
	(void)snprintf(ret_receipt->image, sizeof(ret_receipt->image), "%s", service->start.image);
	(void)snprintf(ret_receipt->kernel, sizeof(ret_receipt->kernel), "%s", service->kernel);
	(void)snprintf(ret_receipt->cgroup_version, sizeof(ret_receipt->cgroup_version), "%s",
		service->tree.v2		? "v2"
		: cgroup_layers(&service->tree) ? "v1"
						: "none");
	rc = read_identity(&reading);
	if (!rc)
		rc = read_privilege(&reading);
	if (!rc)
		rc = read_namespaces(&reading);
	if (!rc)
		rc = read_mounts(&reading);
	if (!rc)
		rc = read_cgroup(&reading, &limits_default);
	if (!rc)
		rc = read_process(&reading);
	return rc;
}
