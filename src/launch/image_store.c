/* image_store: from the environment to a folder, from manifest.ini to a struct. */
#include "launch/image_store.h"

#include <errno.h>
#include <ini.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define ROOT_STORE "/var/lib/brig/images"
#define DEFAULT_NAME "default"
#define MANIFEST_MAX_BYTES (256 * 1024)

int image_name_check(const char *name)
{
	size_t len = strlen(name);
	if (len == 0 || len >= IMAGE_NAME_BYTES || name[0] == '.' || name[0] == '-')
		return -EINVAL;
	return name[strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789._-")] ? -EINVAL : 0;
}

static int put(char *to, size_t room, const char *text)
{
	size_t len = strlen(text);
	if (len >= room)
		return -ENAMETOOLONG;
	memcpy(to, text, len + 1);
	return 0;
}

static int usual_store(char *store, struct err *err)
{
	if (geteuid() == 0)
		return put(store, PATH_MAX, ROOT_STORE);
	const char *base = getenv("XDG_DATA_HOME");
	const char *below = "/brig/images";
	if (!base || base[0] != '/') {
		base = getenv("HOME");
		below = "/.local/share/brig/images";
	}
	if (!base || base[0] != '/')
		return err_set(err, -ENOENT, "image", "HOME is not set: set it, or XDG_DATA_HOME");
	int n = snprintf(store, PATH_MAX, "%s%s", base, below);
	return n < 0 || n >= PATH_MAX ? -ENAMETOOLONG : 0;
}

/* BRIG_IMAGE with a slash: the parent folder is the store. */
static int split_folder(const char *path, struct image_ref *ref)
{
	char copy[PATH_MAX];
	int rc = put(copy, sizeof(copy), path);
	if (rc < 0)
		return rc;
	for (size_t len = strlen(copy); len > 1 && copy[len - 1] == '/'; len--)
		copy[len - 1] = '\0';
	char *slash = strrchr(copy, '/');
	rc = put(ref->name, sizeof(ref->name), slash + 1);
	if (rc < 0)
		return rc;
	slash[slash == copy] = '\0';
	return put(ref->store, sizeof(ref->store), copy);
}

int image_locate(const char *name, struct image_ref *ret_ref, struct err *err)
{
	struct image_ref ref = {0};
	const char *named = getenv("BRIG_IMAGE");
	int rc = 0;
	if (named && strchr(named, '/'))
		rc = split_folder(named, &ref);
	else
		rc = usual_store(ref.store, err);
	if (rc == -ENAMETOOLONG)
		return err_set(err, rc, "image", "the path of the images is too long: shorten it");
	if (rc < 0)
		return rc;
	if (!name && named && named[0] && !strchr(named, '/'))
		name = named;
	if (!name && !ref.name[0])
		name = DEFAULT_NAME;
	if ((name && put(ref.name, sizeof(ref.name), name) < 0) || image_name_check(ref.name) < 0)
		return err_set(err, -EINVAL, "image",
			"\"%.64s\" is no image name: use 1 to 64 of a-z 0-9 . _ -, first a letter "
			"or digit",
			name ? name : ref.name);
	*ret_ref = ref;
	return 0;
}

int image_path(const struct image_ref *ref, const char *leaf, char *path)
{
	int n = snprintf(path, PATH_MAX, "%s/%s/%s", ref->store, ref->name, leaf);
	return n < 0 || n >= PATH_MAX ? -ENAMETOOLONG : 0;
}

static int number(const char *text, uint64_t max, uint64_t *ret_value)
{
	char *end = NULL;
	errno = 0;
	unsigned long long value = strtoull(text, &end, 10);
	if (errno || end == text || *end || text[0] == '-' || value > max)
		return -EBADMSG;
	*ret_value = value;
	return 0;
}

/* inih hands over a continued value line by line: each adds its items. */
static void add_advertised(struct image_manifest *m, const char *list)
{
	while (*list) {
		list += strspn(list, ", ");
		size_t len = strcspn(list, ",");
		if (len == 0)
			return;
		if (m->advertise_count == IMAGE_ADVERTISE_MAX || len >= sizeof(m->advertise[0])) {
			m->too_many = 1;
			return;
		}
		char *item = m->advertise[m->advertise_count++];
		memcpy(item, list, len);
		item[len] = '\0';
		list += len;
	}
}

static int add_level(struct image_manifest *m, const char *name)
{
	for (uint32_t i = 0; i < m->level_count; i++)
		if (strcmp(m->levels[i], name) == 0)
			return 0;
	if (m->level_count == IMAGE_LEVELS_MAX) {
		m->too_many = 1;
		return 0;
	}
	return put(m->levels[m->level_count++], sizeof(m->levels[0]), name);
}

enum { SEEN_FORMAT = 1, SEEN_SHA256 = 2, SEEN_BYTES = 4, SEEN_PROTOCOL = 8, SEEN_ALL = 15 };

static int image_key(struct image_manifest *m, const char *key, const char *value)
{
	uint64_t n = 0;
	if (strcmp(key, "suite") == 0)
		return put(m->suite, sizeof(m->suite), value);
	if (strcmp(key, "python") == 0)
		return put(m->python, sizeof(m->python), value);
	if (strcmp(key, "built") == 0)
		return put(m->built, sizeof(m->built), value);
	if (strcmp(key, "build_root") == 0)
		return put(m->build_root, sizeof(m->build_root), value);
	if (strcmp(key, "advertise") == 0) {
		add_advertised(m, value);
	} else if (strcmp(key, "format") == 0) {
		m->seen |= SEEN_FORMAT;
		return put(m->format, sizeof(m->format), value);
	} else if (strcmp(key, "sha256") == 0) {
		m->seen |= SEEN_SHA256;
		return put(m->sha256, sizeof(m->sha256), value);
	} else if (strcmp(key, "bytes") == 0) {
		m->seen |= SEEN_BYTES;
		return number(value, UINT64_MAX, &m->bytes);
	} else if (strcmp(key, "protocol") == 0) {
		m->seen |= SEEN_PROTOCOL;
		int rc = number(value, UINT32_MAX, &n);
		m->protocol = (uint32_t)n;
		return rc;
	}
	return 0;
}

/* inih's convention: nonzero goes on, zero is an error on this line. */
static int on_pair(void *user, const char *section, const char *key, const char *value)
{
	struct image_manifest *m = user;
	if (strcmp(section, "image") == 0)
		return image_key(m, key, value) == 0;
	if (strncmp(section, "level ", 6) == 0)
		return add_level(m, section + 6) == 0;
	return 1;
}

static int manifest_sane(const struct image_manifest *m)
{
	if (m->seen != SEEN_ALL || m->too_many)
		return -EBADMSG;
	if (strcmp(m->format, "erofs") != 0 && strcmp(m->format, "dir") != 0)
		return -EBADMSG;
	return strlen(m->sha256) == 64 && strspn(m->sha256, "0123456789abcdef") == 64 ? 0
										      : -EBADMSG;
}

static int read_whole(const char *path, char *text, size_t room)
{
	FILE *file = fopen(path, "re");
	if (!file)
		return -errno;
	size_t bytes = fread(text, 1, room - 1, file);
	int rc = ferror(file) ? -EIO : bytes == room - 1 ? -EBADMSG : 0;
	(void)fclose(file);
	text[bytes] = '\0';
	return rc;
}

int image_manifest_read(
	const struct image_ref *ref, struct image_manifest *ret_manifest, struct err *err)
{
	char path[PATH_MAX];
	int rc = image_path(ref, "manifest.ini", path);
	if (rc < 0)
		return err_set(err, rc, "image", "the path of the images is too long: shorten it");
	char *text = malloc(MANIFEST_MAX_BYTES);
	if (!text)
		return err_sys(err, -ENOMEM, "image", path);
	struct image_manifest m = {0};
	rc = read_whole(path, text, MANIFEST_MAX_BYTES);
	if (rc == 0 && (ini_parse_string(text, on_pair, &m) != 0 || manifest_sane(&m) < 0))
		rc = -EBADMSG;
	free(text);
	if (rc == -ENOENT || rc == -ENOTDIR)
		return err_set(err, rc, "image", "no image %s in %.120s: run brig image build",
			ref->name, ref->store);
	if (rc == -EBADMSG)
		return err_set(
			err, rc, "image", "%.150s is damaged: run brig image build --force", path);
	if (rc < 0)
		return err_sys(err, rc, "image", path);
	*ret_manifest = m;
	return 0;
}
