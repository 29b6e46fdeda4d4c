/* session_words: by the code alone, so that no path of the host can be in them. */
#include "api/session_words.h"

#include <errno.h>

struct session_words session_words(const struct err *err)
{
	switch (err->code) {
	case -ENOENT:
		return (struct session_words){404, "no such file or folder", "not_found"};
	case -EISDIR:
		return (struct session_words){409, "this is a folder", "invalid_argument"};
	case -ENOTDIR:
		return (struct session_words){
			409, "a part of the path is a file, not a folder", "invalid_argument"};
	case -EEXIST:
	case -ENOTEMPTY:
		return (struct session_words){409, "it is there already", "already_exists"};
	case -EDQUOT:
		return (struct session_words){507, err->text, "resource_exhausted"};
	case -EAGAIN:
		return (struct session_words){409, err->text, "aborted"};
	case -ENOBUFS:
		return (struct session_words){503, err->text, "unavailable"};
	case -ENOSPC:
	case -EFBIG:
		return (struct session_words){507,
			"no room in the session's work folder; remove files first",
			"resource_exhausted"};
	case -EACCES:
	case -EPERM:
	case -EROFS:
	case -EBUSY:
		return (struct session_words){403,
			"this file is read-only, or not the session's own", "permission_denied"};
	case -ELOOP:
		return (struct session_words){403,
			"a part of the path is a symbolic link, which is not followed",
			"permission_denied"};
	case -EXDEV:
		return (struct session_words){
			403, "this is a given file, which is not read back", "permission_denied"};
	case -EINVAL:
		return (struct session_words){422, err->text, "invalid_argument"};
	case -ESRCH:
		return (struct session_words){410,
			"this session is lost; its variables and files are gone. Pass session: "
			"\"new\" to begin again",
			"unavailable"};
	case -ECONNRESET:
		return (struct session_words){
			503, "the interpreter service went away; try again", "unavailable"};
	case -EMFILE:
		return (struct session_words){503,
			"the interpreter service is out of file descriptors; try again later",
			"unavailable"};
	default:
		return (struct session_words){500, "the file cannot be used", "internal"};
	}
}
