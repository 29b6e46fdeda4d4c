/* landlock: the rule set of a cell. */
#include "jail/landlock.h"

#include "base/fd.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/landlock.h>
#include <stdint.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Bits by their numbers: the build's headers may be older than the kernel that runs. */
#define FS_ACCESS_ABI1 0x1fffull  /* EXECUTE … MAKE_SYM */
#define FS_REFER (1ull << 13)	  /* ABI 2 */
#define FS_TRUNCATE (1ull << 14)  /* ABI 3 */
#define FS_IOCTL_DEV (1ull << 15) /* ABI 5 */
#define NET_ALL 3ull		  /* ABI 4: bind and connect TCP */
#define SCOPE_ALL 3ull		  /* ABI 6: abstract sockets, signals */

#define FS_EXECUTE (1ull << 0)
#define FS_WRITE_FILE (1ull << 1)
#define FS_READ_FILE (1ull << 2)
#define FS_READ_DIR (1ull << 3)
#define FS_MAKE_CHAR (1ull << 6)
#define FS_MAKE_BLOCK (1ull << 11)

struct ruleset_attr {
	uint64_t handled_access_fs, handled_access_net, scoped;
};

int landlock_abi(void)
{
	long abi = syscall(SYS_landlock_create_ruleset, NULL, 0, LANDLOCK_CREATE_RULESET_VERSION);
	return abi < 0 ? -errno : (int)abi;
}

static int allow(int ruleset_fd, const char *path, uint64_t access, struct err *err)
{
	cleanup_fd int path_fd = open(path, O_PATH | O_CLOEXEC);
	if (path_fd < 0)
		return err_sys(err, -errno, "landlock", path);
	struct landlock_path_beneath_attr rule = {.allowed_access = access, .parent_fd = path_fd};
	if (syscall(SYS_landlock_add_rule, ruleset_fd, LANDLOCK_RULE_PATH_BENEATH, &rule, 0) < 0)
		return err_sys(err, -errno, "landlock", path);
	return 0;
}

int landlock_restrict(const char *const *writable, size_t count, struct err *err)
{
	int abi = landlock_abi();
	if (abi < 1)
		return err_sys(err, abi, "landlock", "the kernel has no Landlock");

	uint64_t handled = FS_ACCESS_ABI1 | (abi >= 2 ? FS_REFER : 0) |
			   (abi >= 3 ? FS_TRUNCATE : 0) | (abi >= 5 ? FS_IOCTL_DEV : 0);
	struct ruleset_attr attr = {
		.handled_access_fs = handled,
		.handled_access_net = abi >= 4 ? NET_ALL : 0,
		.scoped = abi >= 6 ? SCOPE_ALL : 0,
	};
	/* An older kernel refuses a struct with trailing bytes that are not zero only. */
	cleanup_fd int ruleset_fd =
		(int)syscall(SYS_landlock_create_ruleset, &attr, sizeof(attr), 0);
	if (ruleset_fd < 0)
		return err_sys(err, -errno, "landlock", "landlock_create_ruleset");

	int rc = allow(ruleset_fd, "/", FS_READ_FILE | FS_READ_DIR, err);
	if (!rc)
		rc = allow(ruleset_fd, "/dev", FS_READ_FILE | FS_READ_DIR | FS_WRITE_FILE, err);
	uint64_t work = handled & ~(FS_EXECUTE | FS_MAKE_CHAR | FS_MAKE_BLOCK | FS_IOCTL_DEV);
	for (size_t i = 0; !rc && i < count; i++)
		rc = allow(ruleset_fd, writable[i], work, err);
	if (rc < 0)
		return rc;
	if (syscall(SYS_landlock_restrict_self, ruleset_fd, 0) < 0)
		return err_sys(err, -errno, "landlock", "landlock_restrict_self");
	return abi;
}
