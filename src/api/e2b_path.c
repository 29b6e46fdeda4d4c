/*
 * e2b_path: E2B's clients name files from the root, or from /home/user. Here both /home/user and
 * /mnt/data are the work folder, and there is nothing else.
 */
#include "api/e2b.h"

#include "tool/text.h"
#include "tool/view.h"

#include <errno.h>
#include <stdio.h>
#include <sys/stat.h>

static const char *const roots[] = {E2B_HOME, "/mnt/data"};

/* Takes a root off the front of an absolute path. */
static bool strip_root(struct span *path)
{
	for (size_t i = 0; i < sizeof(roots) / sizeof(roots[0]); i++) {
		size_t length = strlen(roots[i]);
		bool below = path->len >= length && memcmp(path->data, roots[i], length) == 0 &&
			     (path->len == length || path->data[length] == '/');
		if (!below)
			continue;
		*path = span_of(path->data + length, path->len - length);
		return true;
	}
	return false;
}

/* The next name between slashes; false at the end. */
static bool next_part(struct span *rest, struct span *ret_part)
{
	while (rest->len && *rest->data == '/')
		*rest = span_of(rest->data + 1, rest->len - 1);
	if (!rest->len)
		return false;
	const unsigned char *slash = memchr(rest->data, '/', rest->len);
	size_t length = slash ? (size_t)(slash - rest->data) : rest->len;
	*ret_part = span_of(rest->data, length);
	*rest = span_of(rest->data + length, rest->len - length);
	return true;
}

int e2b_path(struct span given, char out[SESSION_PATH_BYTES], struct err *err)
{
	struct span part;
	size_t used = 0;
	out[0] = 0;
	if (given.len >= 2 && memcmp(given.data, "~/", 2) == 0)
		given = span_of(given.data + 2, given.len - 2);
	else if (given.len && *given.data == '/' && !strip_root(&given))
		return err_set(err, -EINVAL, "path",
			"%.*s is outside of the sandbox's folder: all its files are in /mnt/data, "
			"which is /home/user too",
			(int)(given.len < 60 ? given.len : 60), (const char *)given.data);
	while (next_part(&given, &part)) {
		if (span_is(part, "."))
			continue;
		if (used + part.len + 2 > SESSION_PATH_BYTES)
			return err_set(err, -EINVAL, "path", "the path is too long");
		if (used)
			out[used++] = '/';
		memcpy(out + used, part.data, part.len);
		used += part.len;
		out[used] = 0;
	}
	return session_path_check(out, used, true, err);
}

static const char *type_of(mode_t mode)
{
	if (S_ISDIR(mode))
		return "FILE_TYPE_DIRECTORY";
	if (S_ISLNK(mode))
		return "FILE_TYPE_SYMLINK";
	return S_ISREG(mode) ? "FILE_TYPE_FILE" : "FILE_TYPE_UNSPECIFIED";
}

/* As ls writes it: "-rw-r--r--". */
static void write_permissions(mode_t mode, char out[11])
{
	static const char letters[] = "rwxrwxrwx";
	out[0] = (char)(S_ISDIR(mode) ? 'd' : S_ISLNK(mode) ? 'l' : '-');
	for (size_t i = 0; i < 9; i++)
		out[1 + i] = (char)(mode & (0400u >> i) ? letters[i] : '-');
	out[10] = 0;
}

json_t *e2b_entry(struct span path, const struct session_entry *entry)
{
	char permissions[11], size[24], at[TEXT_TIME_BYTES];
	cleanup_buf struct buf whole = {0};
	const unsigned char *slash = path.len ? memrchr(path.data, '/', path.len) : NULL;
	struct span name =
		slash ? span_of(slash + 1, (size_t)(path.data + path.len - slash - 1)) : path;
	if (!path.len)
		name = span_text("user");
	buf_init(&whole, 2 * SESSION_PATH_BYTES);
	if (buf_add_text(&whole, path.len ? E2B_HOME "/" : E2B_HOME) < 0 ||
		(path.len && buf_add(&whole, path.data, path.len) < 0))
		return NULL;
	write_permissions(entry->mode, permissions);
	(void)snprintf(size, sizeof(size), "%llu", (unsigned long long)entry->bytes);
	return json_pack("{s:o, s:s, s:o, s:s, s:i, s:s, s:s, s:s, s:s}", "name", view_name(name),
		"type", type_of(entry->mode), "path", view_name(span_of(whole.data, whole.len)),
		"size", size, "mode", (int)(entry->mode & 07777), "permissions", permissions,
		"owner", "user", "group", "user", "modifiedTime",
		text_time(entry->modified_ms, at));
}

json_t *e2b_written(const char *path)
{
	char whole[sizeof(E2B_HOME) + SESSION_PATH_BYTES];
	const char *slash = strrchr(path, '/');
	(void)snprintf(whole, sizeof(whole), E2B_HOME "/%s", path);
	return json_pack("{s:o, s:s, s:o}", "name", view_name(span_text(slash ? slash + 1 : path)),
		"type", "file", "path", view_name(span_text(whole)));
}
