/* fsid: setfsuid and setfsgid, each checked. */
#include "jail/fsid.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/fsuid.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

static uid_t current_uid(void)
{
	return (uid_t)setfsuid((uid_t)-1); /* no uid: changes nothing and tells the present one */
}

static gid_t current_gid(void)
{
	return (gid_t)setfsgid((gid_t)-1);
}

static bool become(uid_t uid, gid_t gid)
{
	(void)setfsgid(gid);
	(void)setfsuid(uid);
	return current_uid() == uid && current_gid() == gid;
}

int fsid_become(uid_t uid, struct fsid *ret_before, struct err *err)
{
	*ret_before = (struct fsid){
		.uid = current_uid(),
		.gid = current_gid(),
		.umask = umask(0022),
		.dumpable = prctl(PR_GET_DUMPABLE, 0, 0, 0, 0) == 1,
	};
	if (become(uid, (gid_t)uid))
		return 0;
	fsid_return(ret_before);
	return err_set(err, -EPERM, "uid", "taking on the rights of uid %u", (unsigned)uid);
}

void fsid_return(const struct fsid *before)
{
	if (!become(before->uid, before->gid))
		abort();
	(void)umask(before->umask);
	if (before->dumpable)
		(void)prctl(PR_SET_DUMPABLE, 1, 0, 0, 0);
}
