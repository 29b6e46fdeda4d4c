/* config_section: the keys of [server], [service] and [audit]. */
#include "tool/config_parse.h"

#include "base/nearest.h"

#include <arpa/inet.h>
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DAY_MS 86400000ull
#define HOUR_MS 3600000u

#define TAKE(name)                                                                                 \
	static void name(struct config_parse *parse, const char *rest __attribute__((unused)),     \
		const char *value)

static bool is_address(const char *host)
{
	unsigned char address[sizeof(struct in6_addr)];
	return strcmp(host, "localhost") == 0 || inet_pton(AF_INET, host, address) == 1;
}

/* ADDR:PORT or [ADDR]:PORT, numbers only: no name is looked up before it is served. */
static bool is_listen(const char *value)
{
	char host[CONFIG_VALUE_BYTES];
	unsigned char address[sizeof(struct in6_addr)];
	const char *colon = strrchr(value, ':');
	if (!colon || (size_t)(colon - value) >= sizeof(host))
		return false;
	size_t digits = strspn(colon + 1, "0123456789");
	if (digits == 0 || digits > 5 || colon[1 + digits] || strtoul(colon + 1, NULL, 10) > 65535)
		return false;
	size_t length = (size_t)(colon - value);
	memcpy(host, value, length);
	host[length] = 0;
	if (host[0] != '[')
		return is_address(host);
	if (length < 2 || host[length - 1] != ']')
		return false;
	host[length - 1] = 0;
	return inet_pton(AF_INET6, host + 1, address) == 1;
}

TAKE(server_listen)
{
	if (!is_listen(value))
		config_fault(parse, parse->line,
			"listen is ADDRESS:PORT in numbers, as in 127.0.0.1:7777 or [::1]:7777");
	else
		parse->config->server.listen = config_copy(parse, value);
}

TAKE(server_socket)
{
	if (strlen(value) > 107)
		config_fault(parse, parse->line,
			"socket is too long for a Unix socket: at most 107 bytes");
	else if (strcmp(value, "none") == 0)
		parse->config->server.socket = config_copy(parse, value);
	else
		(void)config_value_path(parse, "socket", value, &parse->config->server.socket);
}

TAKE(server_socket_group)
{
	if (config_value_name(parse, "socket_group", value, 32))
		parse->config->server.socket_group = config_copy(parse, value);
}

TAKE(server_user)
{
	if (strcmp(value, "root") == 0)
		config_fault(parse, parse->line,
			"user is not root: the dispatcher needs no privilege; make one with "
			"useradd --system brig");
	else if (config_value_name(parse, "user", value, 32))
		parse->config->server.user = config_copy(parse, value);
}

/* scheme://host[:port], without a path. */
static bool is_origin(const char *value)
{
	size_t scheme = strncmp(value, "https://", 8) == 0  ? 8
			: strncmp(value, "http://", 7) == 0 ? 7
							    : 0;
	const char *host = value + scheme;
	return scheme && *host &&
	       strspn(host, "abcdefghijklmnopqrstuvwxyz0123456789.-:[]") == strlen(host);
}

TAKE(server_public_url)
{
	if (!is_origin(value))
		config_fault(parse, parse->line,
			"public_url is http:// or https:// and a host in lower case, without a "
			"path, as in https://brig.example.com");
	else
		parse->config->server.public_url = config_copy(parse, value);
}

static void add_name(
	struct config_parse *parse, const char *key, const char *word, char **names, size_t *count)
{
	if (*count == CONFIG_NAMES_MAX)
		config_fault(
			parse, parse->line, "%s has at most %u entries", key, CONFIG_NAMES_MAX);
	else if ((names[*count] = config_copy(parse, word)))
		(*count)++;
}

static void add_host(struct config_parse *parse, const char *word)
{
	struct config_server *server = &parse->config->server;
	if (strspn(word, "abcdefghijklmnopqrstuvwxyz0123456789.-:[]") != strlen(word))
		config_fault(parse, parse->line,
			"hosts are names in lower case, as in brig.example.com, without http://");
	else
		add_name(parse, "hosts", word, server->hosts, &server->host_count);
}

TAKE(server_hosts)
{
	config_value_list(parse, "hosts", value, add_host);
}

static void add_origin(struct config_parse *parse, const char *word)
{
	struct config_server *server = &parse->config->server;
	if (!is_origin(word))
		config_fault(parse, parse->line,
			"origins are as a browser sends them, as in https://app.example.com");
	else
		add_name(parse, "origins", word, server->origins, &server->origin_count);
}

TAKE(server_origins)
{
	config_value_list(parse, "origins", value, add_origin);
}

TAKE(server_connections)
{
	(void)config_value_count(
		parse, "connections_max", value, 1, 65536, &parse->config->server.connections_max);
}

TAKE(server_body)
{
	(void)config_value_size(
		parse, "body_max", value, 64 * KIB, 1 * GIB, &parse->config->server.body_bytes_max);
}

TAKE(server_header)
{
	(void)config_value_size(parse, "header_max", value, 4 * KIB, 1 * MIB,
		&parse->config->server.header_bytes_max);
}

TAKE(server_read)
{
	(void)config_value_ms(
		parse, "read_timeout", value, HOUR_MS, &parse->config->server.read_timeout_ms);
}

TAKE(server_idle)
{
	(void)config_value_ms(
		parse, "idle_timeout", value, HOUR_MS, &parse->config->server.idle_timeout_ms);
}

TAKE(server_drain)
{
	(void)config_value_ms(
		parse, "drain_timeout", value, HOUR_MS, &parse->config->server.drain_timeout_ms);
}

TAKE(server_artifacts)
{
	(void)config_value_size(parse, "artifacts_max", value, 64 * MIB, 1024 * GIB,
		&parse->config->server.artifact_bytes_max);
}

TAKE(server_keep)
{
	(void)config_value_ms(parse, "artifacts_keep", value, 24 * HOUR_MS,
		&parse->config->server.artifact_keep_ms);
}

const struct config_key config_server_keys[] = {{"listen", server_listen, false},
	{"socket", server_socket, false}, {"socket_group", server_socket_group, false},
	{"user", server_user, false}, {"public_url", server_public_url, false},
	{"hosts", server_hosts, false}, {"origins", server_origins, false},
	{"connections_max", server_connections, false}, {"body_max", server_body, false},
	{"header_max", server_header, false}, {"read_timeout", server_read, false},
	{"idle_timeout", server_idle, false}, {"drain_timeout", server_drain, false},
	{"artifacts_max", server_artifacts, false}, {"artifacts_keep", server_keep, false},
	{NULL, NULL, false}};

static void add_layer(struct config_parse *parse, const char *word)
{
	const char *names[LAYER_COUNT + 1] = {NULL};
	int layer = layer_by_name(word);
	if (layer >= 0) {
		parse->config->service.allow_degraded |= 1u << layer;
		return;
	}
	for (int i = 0; i < LAYER_COUNT; i++)
		names[i] = layer_name((enum layer)i);
	const char *nearest = nearest_name(word, names);
	config_fault(parse, parse->line,
		"allow_degraded names no layer '%.32s'%s%s; brig doctor %s", word,
		nearest ? ", did you mean " : "", nearest ? nearest : "", "lists them");
}

TAKE(service_degraded)
{
	config_value_list(parse, "allow_degraded", value, add_layer);
}

TAKE(service_cells)
{
	(void)config_value_count(
		parse, "cells_max", value, 1, 1024, &parse->config->service.cells_max);
}

TAKE(service_jobs)
{
	(void)config_value_count(
		parse, "jobs_at_once", value, 1, 1024, &parse->config->service.jobs_at_once);
}

TAKE(service_silence)
{
	uint32_t *silence_ms = &parse->config->service.silence_max_ms;
	if (config_value_ms(parse, "silence_max", value, HOUR_MS, silence_ms) &&
		*silence_ms < CONFIG_SILENCE_MIN_MS)
		config_fault(parse, parse->line,
			"silence_max is at least 5s: what is shorter ends a service that is only "
			"busy");
}

const struct config_key config_service_keys[] = {{"allow_degraded", service_degraded, false},
	{"cells_max", service_cells, false}, {"jobs_at_once", service_jobs, false},
	{"silence_max", service_silence, false}, {NULL, NULL, false}};

TAKE(audit_db)
{
	(void)config_value_path(parse, "db", value, &parse->config->audit.db);
}

TAKE(audit_durability)
{
	bool power = strcmp(value, "power") == 0;
	if (!power && strcmp(value, "process") != 0)
		config_fault(parse, parse->line,
			"durability is process (survives SIGKILL) or power (waits for the disk)");
	else
		parse->config->audit.power = power;
}

TAKE(audit_days)
{
	uint32_t days;
	if (config_value_count(parse, "retention_days", value, 1, 36500, &days))
		parse->config->audit.retention_ms = days * DAY_MS;
}

TAKE(audit_bytes)
{
	(void)config_value_size(parse, "retention_bytes", value, 1 * MIB, 1024 * GIB,
		&parse->config->audit.retention_bytes);
}

TAKE(audit_head)
{
	uint32_t head_ms;
	if (config_value_ms(parse, "head_interval", value, 24 * HOUR_MS, &head_ms))
		parse->config->audit.head_ms = head_ms;
}

TAKE(audit_redact)
{
	if (value[0] != '/')
		config_fault(parse, parse->line,
			"redact_file is a path from the root, as in /etc/brig/redact");
	else if ((parse->config->audit.redact_file = config_copy(parse, value)))
		config_redact_file(parse, value);
}

const struct config_key config_audit_keys[] = {{"db", audit_db, false},
	{"durability", audit_durability, false}, {"retention_days", audit_days, false},
	{"retention_bytes", audit_bytes, false}, {"head_interval", audit_head, false},
	{"redact_file", audit_redact, false}, {NULL, NULL, false}};
