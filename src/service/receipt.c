/*
 * receipt: what the kernel says about this very cell, read back while it is parked.
 *
 * A layer that was set up but does not show is a fault, and the cell is never used: the receipt is
 * a check first and a report second. What the kernel does not show (Landlock, the keyring) rests
 * on the call's own success, which sealing reported.
 *
 * Source: proc(5), proc_pid_status(5), proc_pid_mountinfo(5).
 */
#include "service/receipt_parts.h"

#include "base/fd.h"
#include "jail/landlock.h"
#include "jail/rlimit.h"
#include "service/procfs.h"

#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

int receipt_report(struct reading *reading, enum layer layer, bool holds, const char *format, ...)
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
	unsigned uid = cell_uid(reading->cell);
	char wanted[64];

	(void)procfs_line(reading->status, "Uid:", uids, sizeof(uids));
	(void)procfs_line(reading->status, "Gid:", gids, sizeof(gids));
	(void)procfs_line(reading->status, "Groups:", groups, sizeof(groups));
	(void)snprintf(wanted, sizeof(wanted), "%u %u %u %u", uid, uid, uid, uid);
	bool holds = !service->start.one_uid && strcmp(uids, wanted) == 0 &&
		     strcmp(gids, wanted) == 0 && groups[0] == 0;
	return receipt_report(
		reading, LAYER_UID, holds, "uid %s, gid %s, groups [%s]", uids, gids, groups);
}

static int read_privilege(struct reading *reading)
{
	static const char *const sets[] = {"CapInh:", "CapPrm:", "CapEff:", "CapBnd:", "CapAmb:"};
	char text[64];
	bool zero = true;

	for (size_t i = 0; i < sizeof(sets) / sizeof(sets[0]); i++)
		zero = zero && procfs_line(reading->status, sets[i], text, sizeof(text)) == 0 &&
		       strtoull(text, NULL, 16) == 0;
	int rc = receipt_report(reading, LAYER_CAPS, zero, "five capability sets %s",
		zero ? "all zero" : "not all zero");
	bool held = procfs_line(reading->status, "NoNewPrivs:", text, sizeof(text)) == 0 &&
		    strcmp(text, "1") == 0;
	if (!rc)
		rc = receipt_report(reading, LAYER_NNP, held, "NoNewPrivs %s", text);
	char filters[16] = "?";
	held = procfs_line(reading->status, "Seccomp:", text, sizeof(text)) == 0 &&
	       strcmp(text, "2") == 0;
	/* Seccomp_filters is younger (5.9) than the mode. */
	(void)procfs_line(reading->status, "Seccomp_filters:", filters, sizeof(filters));
	if (!rc)
		rc = receipt_report(reading, LAYER_SECCOMP, held,
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
		int rc = receipt_report(reading, wanted[i].layer, own, "%s", detail);
		if (rc < 0)
			return rc;
	}
	return 0;
}

/* An unlimited v1 group shows a huge number: the figure itself counts, not that there is one. */
static int read_one_limit(struct reading *reading, enum layer layer,
	enum cgroup_controller controller, const char *v1, const char *v2, uint64_t most)
{
	char text[64] = "none";
	const struct cgroup *cgroup = &reading->cell->cgroup;
	bool holds = cgroup_read(cgroup, controller, cgroup->v2 ? v2 : v1, text, sizeof(text)) == 0;
	uint64_t value = holds && isdigit((unsigned char)text[0]) ? strtoull(text, NULL, 10) : 0;
	holds = value > 0 && value <= most && !reading->outside;
	return receipt_report(reading, layer, holds, "%s %s%s", cgroup->v2 ? v2 : v1, text,
		reading->outside ? " of a group in which the cell is not" : "");
}

/* Whether the runner is in each of the cell's groups: their limits are nothing to who is not. */
static bool is_in_its_groups(const struct cell *cell)
{
	static char text[16384];
	char end[40];
	int wanted = 0, found = 0;
	(void)snprintf(end, sizeof(end), "/%s\n", cell->cgroup.name);
	if (procfs_read(cell->service->proc_fd, cell->runner_pid, "cgroup", text, sizeof(text)) < 0)
		return false;
	for (size_t i = 0; i < CGROUP_COUNT; i++)
		wanted += cell->cgroup.dirs[i] >= 0;
	for (const char *at = text; (at = strstr(at, end)); at++)
		found++;
	return found == wanted;
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
	return receipt_report(reading, LAYER_TTY, tty == 0 && leads,
		"controlling terminal %ld, %s session of its own", tty, leads ? "a" : "no");
}

/* All that rlimit_apply sets: the soft and the hard limit alike. */
static int read_rlimits(struct reading *reading)
{
	static const struct {
		const char *name;
		uint64_t value;
	} wanted[] = {
		{"Max core file size", 0},
		{"Max open files", RLIMIT_DESCRIPTORS},
		{"Max file size", RUNNER_FILE_BYTES},
		{"Max stack size", RLIMIT_STACK_BYTES},
		{"Max locked memory", 0},
		{"Max msgqueue size", 0},
		{"Max nice priority", 0},
		{"Max realtime priority", 0},
		{"Max pending signals", RLIMIT_SIGNALS},
	};
	static char text[4096];
	const struct cell *cell = reading->cell;
	const char *other = NULL;
	if (procfs_read(cell->service->proc_fd, cell->runner_pid, "limits", text, sizeof(text)) < 0)
		text[0] = 0;
	for (size_t i = 0; i < sizeof(wanted) / sizeof(wanted[0]) && !other; i++)
		if (!procfs_limit_is(text, wanted[i].name, wanted[i].value))
			other = wanted[i].name;
	return receipt_report(reading, LAYER_RLIMITS, !other,
		"core 0, nofile %u, memlock 0 and six more%s%s", RLIMIT_DESCRIPTORS,
		other ? " expected, another " : "", other ? other : "");
}

/* The files of a process that is not dumpable belong to the root of U, not to its uid: where that
 * is the same one, as with a single id, the call's own success is all there is. */
static int read_dump(struct reading *reading)
{
	const struct service *service = reading->cell->service;
	struct stat status;
	char path[32];
	if (service->start.one_uid)
		return receipt_report(
			reading, LAYER_DUMP, true, "not dumpable; one id does not show it");
	(void)snprintf(path, sizeof(path), "%d/environ", (int)reading->cell->runner_pid);
	bool holds = fstatat(service->proc_fd, path, &status, 0) == 0 &&
		     status.st_uid != cell_uid(reading->cell);
	return receipt_report(reading, LAYER_DUMP, holds, holds ? "not dumpable" : "dumpable");
}

static int read_descriptors(struct reading *reading)
{
	char list[128];
	procfs_descriptors(
		reading->cell->service->proc_fd, reading->cell->runner_pid, list, sizeof(list));
	return receipt_report(reading, LAYER_FDS, strcmp(list, "0 1 2 3 4") == 0, "open: %s", list);
}

/* What was not offered shows as such; what was and is not held is a fault as any other. */
static int read_speculation(struct reading *reading)
{
	char text[64];
	int held = procfs_speculation(reading->status, text, sizeof(text));
	if (held != 0)
		return receipt_report(reading, LAYER_SPECULATION, held > 0, "%s", text);
	struct layer_report *report = &reading->receipt->layers[LAYER_SPECULATION];
	report->state = LAYER_NOT_OFFERED;
	(void)snprintf(report->detail, sizeof(report->detail), "%s", text);
	return 0;
}

/* The kernel shows neither a Landlock domain nor a keyring: sealing's own success stands for them.
 */
static int read_unshown(struct reading *reading)
{
	static int abi;
	layer_set skip = reading->cell->service->skip;
	if (!abi)
		abi = landlock_abi();
	int rc = receipt_report(
		reading, LAYER_LANDLOCK, abi > 0 && !layer_in(skip, LAYER_LANDLOCK), "ABI %d", abi);
	return rc ? rc
		  : receipt_report(reading, LAYER_KEYRING, !layer_in(skip, LAYER_KEYRING),
			    "a session keyring of its own");
}

static int read_process(struct reading *reading)
{
	int rc = read_rlimits(reading);
	if (!rc)
		rc = read_dump(reading);
	if (!rc)
		rc = read_descriptors(reading);
	if (!rc)
		rc = read_terminal(reading);
	if (!rc)
		rc = read_unshown(reading);
	return rc ? rc : read_speculation(reading);
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
	reading.outside = !is_in_its_groups(cell);
	rc = read_identity(&reading);
	if (!rc)
		rc = read_privilege(&reading);
	if (!rc)
		rc = read_namespaces(&reading);
	if (!rc)
		rc = receipt_read_mounts(&reading);
	if (!rc)
		rc = read_cgroup(&reading, &limits_default);
	if (!rc)
		rc = read_process(&reading);
	return rc;
}
