/* image_show: `brig image list` and `brig image verify`, which read and never write. */
#include "base/fd.h"
#include "cmd/image_hash.h"
#include "cmd/image_verbs.h"
#include "launch/image_store.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define MIB (1024.0 * 1024.0)

static json_t *strings(const char *first, size_t stride, uint32_t count)
{
	json_t *array = json_array();
	for (uint32_t i = 0; i < count; i++)
		json_array_append_new(array, json_string(first + i * stride));
	return array;
}

/* The build root's path, or null where the cache has been removed. */
static json_t *build_root(const struct image_ref *ref, const struct image_manifest *m)
{
	char path[PATH_MAX];
	struct stat st;
	int n = snprintf(path, sizeof(path), "%s/%s", ref->store, m->build_root);
	if (!m->build_root[0] || n < 0 || n >= PATH_MAX || stat(path, &st) < 0)
		return json_null();
	return json_string(path);
}

static json_t *describe(const struct image_ref *ref, const struct image_manifest *m)
{
	char path[PATH_MAX];
	if (image_path(ref, "", path) < 0)
		return NULL;
	path[strlen(path) - 1] = '\0';
	return json_pack("{s:s, s:s, s:s, s:s, s:I, s:s, s:i, s:s, s:s, s:o, s:o, s:o}", "name",
		ref->name, "path", path, "format", m->format, "sha256", m->sha256, "bytes",
		(json_int_t)m->bytes, "python", m->python, "protocol", (int)m->protocol, "built",
		m->built, "suite", m->suite, "levels",
		strings(m->levels[0], sizeof(m->levels[0]), m->level_count), "advertise",
		strings(m->advertise[0], sizeof(m->advertise[0]), m->advertise_count), "build_root",
		build_root(ref, m));
}

static void print_row(const struct image_ref *ref, const struct image_manifest *m, int first)
{
	if (first)
		(void)printf("%-20s %-6s %9s  %-8s %-21s %s\n", "NAME", "FORMAT", "MIB", "PYTHON",
			"BUILT", "SHA256");
	(void)printf("%-20s %-6s %9.1f  %-8s %-21s %.16s\n", ref->name, m->format,
		(double)m->bytes / MIB, m->python, m->built, m->sha256);
}

static int is_image(const struct dirent *entry)
{
	return image_name_check(entry->d_name) == 0;
}

/* Into `array`, or where that is NULL onto stdout. A damaged image is named on stderr and does not
 * hide the others. Returns the exit status. */
static int list_store(struct image_ref *ref, json_t *array)
{
	struct err err = {0};
	struct dirent **names = NULL;
	int count = scandir(ref->store, &names, is_image, alphasort);
	if (count < 0 && errno != ENOENT) {
		(void)err_sys(&err, -errno, "image", ref->store);
		return image_failed(&err);
	}
	int shown = 0;
	int status = 0;
	for (int i = 0; i < count; i++) {
		struct image_manifest m;
		(void)snprintf(ref->name, sizeof(ref->name), "%.64s", names[i]->d_name);
		free(names[i]);
		int rc = image_manifest_read(ref, &m, &err);
		if (rc == -ENOENT || rc == -ENOTDIR)
			continue;
		if (rc < 0)
			status = image_failed(&err);
		else if (array && json_array_append_new(array, describe(ref, &m)) < 0)
			status = image_failed(&(struct err){.code = -EBADMSG,
				.text = "a manifest is not UTF-8: run brig image build --force"});
		else if (!array)
			print_row(ref, &m, shown++ == 0);
	}
	free(names);
	if (!array && !shown && status == 0)
		(void)printf("no images in %s: run brig image build\n", ref->store);
	return status;
}

int image_list(int argc, char **argv)
{
	struct err err = {0};
	struct image_ref ref;
	int as_json = argc == 2 && strcmp(argv[1], "--json") == 0;
	if (argc > 2 || (argc == 2 && !as_json))
		return image_misused("list takes --json or nothing, not \"%s\"", argv[argc - 1]);
	if (image_locate(NULL, &ref, &err) < 0)
		return image_failed(&err);
	json_t *array = as_json ? json_array() : NULL;
	int status = list_store(&ref, array);
	if (array) {
		(void)json_dumpf(array, stdout, JSON_INDENT(2));
		(void)putchar('\n');
		json_decref(array);
	}
	return status;
}

static int verify_content(
	const struct image_ref *ref, const struct image_manifest *m, struct err *err)
{
	char path[PATH_MAX];
	char hex[IMAGE_HASH_HEX];
	uint64_t bytes = 0;
	int rc = image_path(ref, strcmp(m->format, "dir") == 0 ? "root" : "root.erofs", path);
	if (rc < 0)
		return err_sys(err, rc, "image", ref->store);
	cleanup_fd int fd = open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
	rc = fd < 0 ? -errno : image_hash(fd, hex, &bytes);
	if (rc < 0)
		return err_set(err, rc, "image", "%.120s: %s: run brig image build --force", path,
			strerrordesc_np(-rc));
	if (bytes != m->bytes || strcmp(hex, m->sha256) != 0)
		return err_set(err, -EBADMSG, "image",
			"image %s does not match its manifest (%.16s, not %.16s): run brig image "
			"build --force",
			ref->name, hex, m->sha256);
	return 0;
}

int image_verify(int argc, char **argv)
{
	struct err err = {0};
	struct image_ref ref;
	struct image_manifest m;
	if (argc > 2 || (argc == 2 && argv[1][0] == '-'))
		return image_misused("verify takes one name, not \"%s\"", argv[argc - 1]);
	if (image_locate(argv[1], &ref, &err) < 0 || image_manifest_read(&ref, &m, &err) < 0 ||
		verify_content(&ref, &m, &err) < 0)
		return image_failed(&err);
	(void)printf("image %s: %s, %.1f MiB, sha256 %s matches its manifest\n", ref.name, m.format,
		(double)m.bytes / MIB, m.sha256);
	return 0;
}
