/* fsid: files of another's, with another's rights, and everything as it was afterwards. */
#include "check.h"

#include "jail/fsid.h"
#include "temp_folder.h"

#include <sys/prctl.h>
#include <sys/stat.h>

#define OTHER 65534u

static void need_root(void)
{
	if (geteuid() == 0)
		return;
	print_message("skip: only root takes on another's rights\n");
	skip();
}

static uid_t owner(const char *path)
{
	struct stat status;
	assert_int_equal(stat(path, &status), 0);
	assert_int_equal(status.st_gid, status.st_uid);
	return status.st_uid;
}

static void make(const char *path)
{
	int fd = open(path, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0666);
	assert_true(fd >= 0);
	(void)close(fd);
}

static void rights_come_and_go(void **state)
{
	(void)state;
	need_root();
	const char *mine = temp_path("mine"), *theirs = temp_path("theirs");
	const char *closed = temp_path("closed");
	struct fsid before;
	struct err err;
	struct stat status;
	assert_int_equal(chmod(temp_folder, 0777), 0);
	make(closed);
	assert_int_equal(chmod(closed, 0600), 0);

	assert_int_equal(prctl(PR_SET_DUMPABLE, 1, 0, 0, 0), 0);
	mode_t mask = umask(0077);
	assert_int_equal(fsid_become(OTHER, &before, &err), 0);
	make(theirs);
	/* Root's right to overrule modes is gone, too. */
	assert_int_equal(open(closed, O_RDONLY | O_CLOEXEC), -1);
	assert_int_equal(errno, EACCES);
	fsid_return(&before);
	assert_int_equal(umask(mask), 0077);
	assert_int_equal(prctl(PR_GET_DUMPABLE, 0, 0, 0, 0), 1);
	make(mine);
	int fd = open(closed, O_RDONLY | O_CLOEXEC);
	assert_true(fd >= 0);
	(void)close(fd);
	assert_int_equal(owner(mine), 0);
	assert_int_equal(owner(theirs), OTHER);
	assert_int_equal(stat(theirs, &status), 0);
	assert_int_equal(status.st_mode & 07777, 0644);
}

static void ones_own_rights_change_nothing(void **state)
{
	(void)state;
	struct fsid before;
	struct err err;
	if (getegid() != (gid_t)geteuid()) {
		print_message("skip: this user's uid and gid differ\n");
		skip();
	}
	assert_int_equal(fsid_become(geteuid(), &before, &err), 0);
	assert_int_equal(before.uid, geteuid());
	fsid_return(&before);
}

static void what_is_refused_is_said(void **state)
{
	(void)state;
	struct fsid before;
	struct err err = {0};
	/* No uid: the kernel takes it for a question. */
	mode_t mask = umask(0077);
	assert_int_equal(fsid_become((uid_t)-1, &before, &err), -EPERM);
	assert_string_equal(err.stage, "uid");
	assert_int_equal(umask(mask), 0077);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rights_come_and_go),
		cmocka_unit_test(ones_own_rights_change_nothing),
		cmocka_unit_test(what_is_refused_is_said),
	};
	return cmocka_run_group_tests(tests, temp_folder_make, temp_folder_remove);
}
