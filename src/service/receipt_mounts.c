/* receipt_mounts: the layers that are mounts, from mountinfo and from the mounted folders
 * themselves.
 */
#include "service/receipt_parts.h"

#include "service/procfs.h"

#include <sodium.h>
#include <string.h>
#include <sys/vfs.h>

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

/* As large as init was asked to make them, in bytes and inodes: the folder itself is one. */
static bool bounded(int folder_fd)
{
	struct statfs status;
	return fstatfs(folder_fd, &status) == 0 &&
	       (uint64_t)status.f_blocks * (uint64_t)status.f_bsize == limits_default.work_bytes &&
	       status.f_files == limits_default.work_inodes + 1u;
}

static int read_work(struct reading *reading)
{
	static const char options[] = "rw,nosuid,nodev,noexec";
	const struct cell *cell = reading->cell;
	bool restricted = mounted(reading, CELL_WORK_DIR, options, "tmpfs") &&
			  mounted(reading, CELL_TMP_DIR, options, "tmpfs") &&
			  mounted(reading, CELL_SHM_DIR, options, "tmpfs");
	bool right_size = bounded(cell->work_fd) && bounded(cell->tmp_fd) && bounded(cell->shm_fd);
	return receipt_report(reading, LAYER_WORK, restricted && right_size, "three tmpfs, %s, %s",
		restricted ? "nosuid,nodev,noexec" : "with other options",
		right_size ? "256 MiB and 16,384 inodes each" : "of other sizes");
}

int receipt_read_mounts(struct reading *reading)
{
	static const char *const golden[] = {"/", "/dev", "/dev/null", "/dev/zero", "/dev/full",
		"/dev/urandom", "/dev/random", CELL_WORK_DIR, CELL_TMP_DIR, CELL_SHM_DIR};
	const size_t golden_count = sizeof(golden) / sizeof(golden[0]);
	struct procfs_mount mount;
	const char *at = reading->mounts;
	size_t count = 0, known = 0;
	bool found[sizeof(golden) / sizeof(golden[0])] = {false};
	bool proc = false, sealed_dev = true;
	char digits[17];

	while (procfs_next_mount(&at, &mount)) {
		count++;
		for (size_t i = 0; i < golden_count; i++)
			found[i] = found[i] || strcmp(mount.point, golden[i]) == 0;
		proc = proc || strcmp(mount.type, "proc") == 0 || strcmp(mount.type, "sysfs") == 0;
		if (strncmp(mount.point, "/dev/", 5) == 0 && strcmp(mount.point, CELL_SHM_DIR) != 0)
			sealed_dev =
				sealed_dev && procfs_has_options(mount.options, "nosuid,noexec");
	}
	hash_mounts(reading, digits);
	for (size_t i = 0; i < golden_count; i++)
		known += found[i];
	bool exact = count == golden_count && known == golden_count;
	int rc = receipt_report(reading, LAYER_ROOT, exact,
		"%zu mounts, %zu of them expected, sha256 %s", count, known, digits);
	bool image = mounted(reading, "/", "ro,nosuid,nodev", NULL);
	if (!rc)
		rc = receipt_report(reading, LAYER_IMAGE, image, "/ is %s",
			image ? "ro,nosuid,nodev" : "not read-only");
	if (!rc)
		rc = read_work(reading);
	bool dev = sealed_dev && mounted(reading, "/dev", "ro,nosuid,noexec", "tmpfs");
	if (!rc)
		rc = receipt_report(reading, LAYER_DEV, dev, "five devices on a %s tmpfs",
			dev ? "read-only" : "writable");
	if (!rc)
		rc = receipt_report(
			reading, LAYER_PROC, !proc, proc ? "proc or sysfs is mounted" : "absent");
	return rc;
}
