/* args_layers: a comma list of layer names. */
#include "cmd/args.h"

#include <errno.h>
#include <string.h>

static int take_layer(const char *flag, const char *name, layer_set *set, struct err *err)
{
	const char *names[LAYER_COUNT + 1] = {NULL};
	char shown[ARGS_SHOWN_BYTES];
	int layer = layer_by_name(name);

	if (layer >= 0) {
		*set |= 1u << layer;
		return 0;
	}
	for (int i = 0; i < LAYER_COUNT; i++)
		names[i] = layer_name((enum layer)i);
	const char *nearest = args_nearest(name, names);
	return err_set(err, -EINVAL, "usage", "%s names no layer '%s'%s%s; brig doctor lists them",
		flag, args_shown(name, shown), nearest ? ", did you mean " : "",
		nearest ? nearest : "");
}

int args_layers(const char *flag, const char *text, layer_set *set, struct err *err)
{
	char list[512];
	size_t length = strlen(text);
	char *rest = NULL;
	int rc = 0;

	if (length == 0 || length >= sizeof(list))
		return err_set(err, -EINVAL, "usage",
			"%s needs layers, parted by commas, as in memory,pids", flag);
	memcpy(list, text, length + 1);
	for (char *name = strtok_r(list, ",", &rest); name && !rc;
		name = strtok_r(NULL, ",", &rest))
		rc = take_layer(flag, name, set, err);
	return rc;
}
