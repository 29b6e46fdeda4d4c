/*
 * image: the door of `brig image`. list and verify are image_show.c's; build becomes image/bake.
 *
 * Two more verbs serve bake alone and are not in the usage: `hash PATH` prints the content hash and
 * the bytes, `publish NEW TARGET` puts a finished folder in TARGET's place in one step.
 */
#include "cmd/image.h"

#include "base/fd.h"
#include "cmd/image_hash.h"
#include "cmd/image_verbs.h"
#include "launch/image_store.h"

#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <limits.h>
#include <sodium.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char usage[] =
	"usage: brig image build [--recipe FILE] [--name NAME] [--format erofs|dir] [--force]\n"
	"                        [--keep-build-root]\n"
	"       brig image list [--json]\n"
	"       brig image verify [NAME]\n"
	"\n"
	"An image is the read-only root of every cell: Python and its libraries. Images live in\n"
	"/var/lib/brig/images (root) or $XDG_DATA_HOME/brig/images; BRIG_IMAGE names another, by "
	"name\n"
	"or by its folder.\n"
	"\n"
	"  --recipe FILE      what to bake; the default recipe is image/default.ini\n"
	"  --name NAME        what to call it (default)\n"
	"  --format FORMAT    erofs: a file to mount; dir: a folder, where mounting needs root\n"
	"  --force            bake anew, with the packages that the mirror has today\n"
	"  --keep-build-root  keep what an unsuccessful bake has left, to look into it\n";

int image_misused(const char *format, ...)
{
	va_list args;
	va_start(args, format);
	(void)fputs("brig: image: ", stderr);
	(void)vfprintf(stderr, format, args);
	(void)fputs(" (see brig image -h)\n", stderr);
	va_end(args);
	return IMAGE_USAGE;
}

int image_failed(const struct err *err)
{
	(void)fprintf(stderr, "brig: image: %s\n", err->text);
	return err->code == -EINVAL ? IMAGE_USAGE : IMAGE_FAILED;
}

/* The bake script belongs to this program: in its source tree, or below its prefix. */
static int find_bake(char *self, char *bake, struct err *err)
{
	static const char *const places[] = {
		"../image/bake", "../../image/bake", "../share/brig/image/bake"};
	ssize_t n = readlink("/proc/self/exe", self, PATH_MAX);
	if (n < 0 || n == PATH_MAX)
		return err_sys(err, n < 0 ? -errno : -ENAMETOOLONG, "image", "/proc/self/exe");
	self[n] = '\0';
	int folder_len = (int)(strrchr(self, '/') - self);
	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
		char path[PATH_MAX];
		int len = snprintf(path, sizeof(path), "%.*s/%s", folder_len, self, places[i]);
		if (len > 0 && len < PATH_MAX && access(path, X_OK) == 0 && realpath(path, bake))
			return 0;
	}
	return err_set(err, -ENOENT, "image",
		"image/bake is not beside this program: run make install, or build/brig in its "
		"tree");
}

struct build_options {
	const char *name;
	char recipe[PATH_MAX];
	char *bake_argv[12];
	int bake_argc;
};

static int take_recipe(const char *path, struct build_options *options)
{
	if (!realpath(path, options->recipe) || access(options->recipe, R_OK) < 0)
		return image_misused("recipe %s: %s: name a readable file", path, strerror(errno));
	return 0;
}

static int parse_build(int argc, char **argv, struct build_options *options)
{
	static char recipe_flag[] = "--recipe", format_flag[] = "--format";
	static const struct option known[] = {{"recipe", required_argument, NULL, 'r'},
		{"name", required_argument, NULL, 'n'}, {"format", required_argument, NULL, 'f'},
		{"force", no_argument, NULL, 'p'}, {"keep-build-root", no_argument, NULL, 'p'},
		{"without-zygote", no_argument, NULL, 'p'}, {NULL, 0, NULL, 0}};
	char *format = NULL;
	opterr = 0;
	optind = 1;
	options->bake_argc = 1;
	for (int c; (c = getopt_long(argc, argv, "+:", known, NULL)) != -1;) {
		if (c == 'r' && take_recipe(optarg, options) != 0)
			return IMAGE_USAGE;
		if (c == 'n')
			options->name = optarg;
		if (c == 'f')
			format = optarg;
		if (c == ':')
			return image_misused("%s wants a value", argv[optind - 1]);
		if (c == '?')
			return image_misused("unknown flag %s", argv[optind - 1]);
		if (c == 'p' && options->bake_argc < 6)
			options->bake_argv[options->bake_argc++] = argv[optind - 1];
	}
	if (optind < argc)
		return image_misused("unexpected argument \"%s\"", argv[optind]);
	if (format && strcmp(format, "erofs") != 0 && strcmp(format, "dir") != 0)
		return image_misused("--format is erofs or dir, not \"%s\"", format);
	if (format) {
		options->bake_argv[options->bake_argc++] = format_flag;
		options->bake_argv[options->bake_argc++] = format;
	}
	if (options->recipe[0]) {
		options->bake_argv[options->bake_argc++] = recipe_flag;
		options->bake_argv[options->bake_argc++] = options->recipe;
	}
	return 0;
}

static int build(int argc, char **argv)
{
	struct build_options options = {0};
	struct image_ref ref;
	struct err err = {0};
	char self[PATH_MAX];
	char bake[PATH_MAX];
	int status = parse_build(argc, argv, &options);
	if (status != 0)
		return status;
	if (image_locate(options.name, &ref, &err) < 0 || find_bake(self, bake, &err) < 0)
		return image_failed(&err);
	if (setenv("BRIG_SELF", self, 1) < 0 || setenv("BRIG_STORE", ref.store, 1) < 0 ||
		setenv("BRIG_NAME", ref.name, 1) < 0) {
		(void)err_sys(&err, -errno, "image", "setenv");
		return image_failed(&err);
	}
	/* The shells that the bake runs know descriptors of one digit: hand on none but 0, 1, 2. */
	(void)close_range(3, ~0u, 0);
	options.bake_argv[0] = bake;
	(void)execv(bake, options.bake_argv);
	(void)err_sys(&err, -errno, "image", bake);
	return image_failed(&err);
}

static int hash(int argc, char **argv)
{
	struct err err = {0};
	char hex[IMAGE_HASH_HEX];
	uint64_t bytes = 0;
	if (argc != 2)
		return image_misused("hash wants one path");
	cleanup_fd int fd = open(argv[1], O_RDONLY | O_CLOEXEC);
	int rc = fd < 0 ? -errno : image_hash(fd, hex, &bytes);
	if (rc < 0) {
		(void)err_sys(&err, rc, "image", argv[1]);
		return image_failed(&err);
	}
	return printf("%s %llu\n", hex, (unsigned long long)bytes) < 0 ? IMAGE_FAILED : 0;
}

/* Afterwards NEW holds what TARGET was, or is gone where there was none. */
static int publish(int argc, char **argv)
{
	struct err err = {0};
	if (argc != 3)
		return image_misused("publish wants two folders");
	int rc = renameat2(AT_FDCWD, argv[1], AT_FDCWD, argv[2], RENAME_EXCHANGE);
	if (rc < 0 && errno == ENOENT)
		rc = renameat2(AT_FDCWD, argv[1], AT_FDCWD, argv[2], RENAME_NOREPLACE);
	if (rc == 0)
		return 0;
	(void)err_sys(&err, -errno, "image", argv[2]);
	return image_failed(&err);
}

int cmd_image(int argc, char **argv)
{
	static const struct {
		const char *name;
		int (*run)(int argc, char **argv);
	} verbs[] = {{"build", build}, {"list", image_list}, {"verify", image_verify},
		{"hash", hash}, {"publish", publish}};
	if (argc < 2)
		return image_misused("say build, list or verify");
	for (int i = 1; i < argc && i < 3; i++)
		if (strcmp(argv[i], "-h") == 0 || strcmp(argv[i], "--help") == 0)
			return fputs(usage, stdout) < 0 ? IMAGE_FAILED : 0;
	if (sodium_init() < 0)
		return image_failed(
			&(struct err){.code = -EIO, .text = "libsodium does not start"});
	for (size_t i = 0; i < sizeof(verbs) / sizeof(verbs[0]); i++)
		if (strcmp(argv[1], verbs[i].name) == 0)
			return verbs[i].run(argc - 1, argv + 1);
	return image_misused("unknown verb \"%s\": say build, list or verify", argv[1]);
}
