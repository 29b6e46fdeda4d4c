/* serve_setup: configuration, user, folders. */
#include "cmd/serve_setup.h"

#include "cmd/serve_paths.h"
#include "cmd/serve_store.h"
#include "launch/image_store.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static int read_config(const char *path, struct config **ret, struct err *err)
{
	char usual[PATH_MAX];
	if (!path && serve_config_path(usual) == 0 && access(usual, F_OK) == 0)
		path = usual;
	return path ? config_load(path, ret, err) : config_default(ret, err);
}

void serve_image_facts(char *python, size_t python_room, char *advertise, size_t advertise_room)
{
	static struct image_manifest manifest;
	struct image_ref ref;
	size_t used = 0;
	python[0] = advertise[0] = 0;
	if (image_locate(NULL, &ref, NULL) < 0 || image_manifest_read(&ref, &manifest, NULL) < 0)
		return;
	(void)snprintf(python, python_room, "%s", manifest.python);
	for (uint32_t i = 0; i < manifest.advertise_count && used < advertise_room; i++) {
		int length = snprintf(advertise + used, advertise_room - used, "%s%s",
			used ? ", " : "", manifest.advertise[i]);
		used += length > 0 ? (size_t)length : 0;
	}
}

static int audit_place(const struct config *config, char *out, struct err *err)
{
	const char *named = config->audit.db;
	int rc = 0;
	if (named && strlen(named) < PATH_MAX)
		(void)strcpy(out, named);
	else
		rc = serve_state_path("/audit.db", out);
	return rc < 0 ? err_set(err, rc, "state",
				"neither XDG_DATA_HOME nor HOME says where the audit log goes: set "
				"one, or `db` in [audit]")
		      : 0;
}

static int choose_paths(struct serve_parent_options *ret, struct err *err)
{
	static char audit_path[PATH_MAX], artifact_folder[PATH_MAX];
	int rc = audit_place(ret->config, audit_path, err);
	if (rc < 0)
		return rc;
	rc = serve_state_path("/artifacts", artifact_folder);
	if (rc < 0)
		return err_set(err, rc, "state",
			"neither XDG_DATA_HOME nor HOME says where artifacts go: set one");
	ret->start.audit_path = audit_path;
	ret->start.artifact_folder = artifact_folder;
	return serve_store_prepare(&ret->user, audit_path, artifact_folder, err);
}

/* That no image is there at all is said when one is needed, with how to bake it. */
static int check_images(const struct config *config, struct err *err)
{
	static struct image_manifest manifest;
	struct image_ref ref;
	int rc = 0;
	for (size_t i = 0; !rc && i < config->role_count; i++) {
		const struct role *role = &config->roles[i];
		if (!role->image[0] || !(role->tools & ROLE_RUN_SANDBOXED))
			continue;
		rc = image_locate(role->image, &ref, err);
		if (!rc && image_manifest_read(&ref, &manifest, NULL) < 0)
			rc = err_set(err, -EINVAL, "image",
				"[role %.32s] has image = %.64s, which is not here: brig image "
				"build --name bakes one, brig image list shows those that are "
				"there",
				role->name, role->image);
	}
	return rc;
}

int serve_setup_check(const char *path, struct err *err)
{
	char audit_path[PATH_MAX];
	struct config *config = NULL;
	struct serve_user user;
	int rc = config_load(path, &config, err);
	if (rc < 0)
		return rc;
	rc = serve_user_find(config->server.user, config->server.socket_group, &user, err);
	if (!rc)
		rc = audit_place(config, audit_path, err);
	if (!rc)
		rc = serve_store_check(&user, audit_path, err);
	if (!rc)
		rc = serve_store_readable(&user, config, err);
	if (!rc)
		rc = check_images(config, err);
	config_unref(config);
	return rc;
}

int serve_setup(const char *path, layer_set allow_degraded, struct serve_parent_options *ret,
	struct err *err)
{
	*ret = (struct serve_parent_options){.allow_degraded = allow_degraded};
	ret->start.tcp_fd = ret->start.unix_fd = ret->start.control_fd = -1;
	ret->start.stdio_in = ret->start.stdio_out = -1;
	int rc = read_config(path, &ret->config, err);
	if (rc < 0)
		return rc;
	rc = serve_user_find(
		ret->config->server.user, ret->config->server.socket_group, &ret->user, err);
	if (!rc)
		rc = choose_paths(ret, err);
	if (rc < 0) {
		config_unref(ret->config);
		return rc;
	}
	ret->start.socket_group = ret->user.socket_group;
	serve_image_facts(ret->start.python, sizeof(ret->start.python), ret->start.advertise,
		sizeof(ret->start.advertise));
	return 0;
}
