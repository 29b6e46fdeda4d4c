/* config_restart: key by key. */
#include "tool/config_restart.h"

#include <stdio.h>
#include <string.h>

struct difference {
	const char *key;
	bool differs;
};

static bool differ(const char *a, const char *b)
{
	return strcmp(a ? a : "", b ? b : "") != 0;
}

bool config_restart_keys(
	const struct config *running, const struct config *fresh, char out[CONFIG_KEYS_BYTES])
{
	const struct config_server *server = &running->server, *new_server = &fresh->server;
	const struct config_service *service = &running->service, *new_service = &fresh->service;
	const struct difference all[] = {
		{"listen", differ(server->listen, new_server->listen)},
		{"socket", differ(server->socket, new_server->socket)},
		{"socket_group", differ(server->socket_group, new_server->socket_group)},
		{"user", differ(server->user, new_server->user)},
		{"connections_max", server->connections_max != new_server->connections_max},
		{"allow_degraded", service->allow_degraded != new_service->allow_degraded},
		{"cells_max", service->cells_max != new_service->cells_max},
		{"jobs_at_once in [service]", service->jobs_at_once != new_service->jobs_at_once},
		{"db", differ(running->audit.db, fresh->audit.db)},
		{"durability", running->audit.power != fresh->audit.power},
	};
	size_t used = 0;
	out[0] = 0;
	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		if (all[i].differs)
			used += (size_t)snprintf(out + used, CONFIG_KEYS_BYTES - used, "%s%s",
				used ? ", " : "", all[i].key);
	return used > 0;
}
