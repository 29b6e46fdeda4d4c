/* who: bearer tokens, loopback, and proxies. */
#include "api/who.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const char bearer[] = "bearer ";

void who_copy(struct who *to, const struct who *from)
{
	*to = *from;
	to->config = config_ref(from->config);
}

void who_done(struct who *who)
{
	config_unref(who->config);
	*who = (struct who){0};
}

/* RFC 6750, 2.3, which everybody is told not to use: it ends up in logs and histories. */
static bool token_in_query(struct span query)
{
	static const char *const names[] = {"access_token=", "token=", "api_key="};
	while (query.len) {
		const unsigned char *next = memchr(query.data, '&', query.len);
		size_t length = next ? (size_t)(next - query.data) : query.len;
		for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
			if (length >= strlen(names[i]) && strncasecmp((const char *)query.data,
								  names[i], strlen(names[i])) == 0)
				return true;
		size_t used = next ? length + 1 : length;
		query = span_of(query.data + used, query.len - used);
	}
	return false;
}

/* Any field that proxies add: some add no more than that the client came by https. */
static bool is_forwarded(const struct http_head *head)
{
	static const char prefix[] = "x-forwarded";
	static const char *const names[] = {"forwarded", "via", "x-real-ip", "x-client-ip",
		"x-cluster-client-ip", "x-original-forwarded-for", "true-client-ip",
		"cf-connecting-ip", "fastly-client-ip", "fly-client-ip",
		"x-envoy-external-address"};
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (http_field(head, names[i]).data)
			return true;
	for (size_t i = 0; i < head->field_count; i++) {
		struct span name = head->fields[i].name;
		if (name.len >= sizeof(prefix) - 1 &&
			http_same(span_of(name.data, sizeof(prefix) - 1), prefix))
			return true;
	}
	return false;
}

bool who_is_here(const struct http_exchange *exchange)
{
	bool near = exchange->peer.is_unix || exchange->peer.is_loopback;
	return near && !is_forwarded(exchange->head);
}

static void set_local(
	struct who *who, struct config *config, const struct role *role, const char *owner)
{
	who->config = config_ref(config);
	who->role = role;
	who->audit = role->audit;
	(void)snprintf(who->owner, sizeof(who->owner), "%s", owner);
}

static void set_token(struct who *who, struct config *config, const struct token *token)
{
	set_local(who, config, token->role, "");
	(void)snprintf(who->token, sizeof(who->token), "%s", token->name);
	memcpy(who->secret, token->sha256, sizeof(who->secret));
}

/* Without a token: the role `local`, from this host and for nobody who is farther away. */
static enum who_verdict who_is_near(
	struct config *config, const struct http_exchange *exchange, struct who *who)
{
	const struct role *local = config_role(config, CONFIG_LOCAL_ROLE);
	if (!local || !who_is_here(exchange))
		return WHO_UNKNOWN;
	const struct http_peer *peer = &exchange->peer;
	char owner[WHO_OWNER_BYTES] = "tcp";
	if (peer->is_unix)
		(void)snprintf(owner, sizeof(owner), "unix %u", (unsigned)peer->uid);
	set_local(who, config, local, owner);
	/* What nobody has configured: any user of the host reaches the TCP port, and all of the
	 * socket's group the socket. */
	if (!config->path && !(peer->is_unix && (peer->uid == 0 || peer->uid == getuid())))
		who->audit = false;
	return WHO_KNOWN;
}

struct span who_bearer(const struct http_head *head)
{
	struct span given = http_field(head, "authorization");
	size_t scheme = sizeof(bearer) - 1;
	bool known = given.len > scheme &&
		     strncasecmp((const char *)given.data, bearer, scheme) == 0 &&
		     http_field_count(head, "authorization") == 1;
	return known ? http_trim(span_of(given.data + scheme, given.len - scheme))
		     : span_of(NULL, 0);
}

enum who_verdict who_of(struct config *config, const struct http_exchange *exchange,
	const char *door, struct who *ret_who)
{
	*ret_who = (struct who){.door = door};
	if (exchange->head->query.len && token_in_query(exchange->head->query))
		return WHO_TOKEN_IN_URL;
	if (!http_field(exchange->head, "authorization").data)
		return who_is_near(config, exchange, ret_who);
	struct span text = who_bearer(exchange->head);
	const struct token *token = text.data ? config_token(config, text) : NULL;
	if (!token)
		return WHO_UNKNOWN;
	set_token(ret_who, config, token);
	return WHO_KNOWN;
}

enum who_verdict who_of_key(struct config *config, const struct http_exchange *exchange,
	struct span key, const char *door, struct who *ret_who)
{
	*ret_who = (struct who){.door = door};
	if (exchange->head->query.len && token_in_query(exchange->head->query))
		return WHO_TOKEN_IN_URL;
	const struct token *token = key.data ? config_token(config, key) : NULL;
	if (token)
		set_token(ret_who, config, token);
	else if (!key.data || !config->token_count)
		return who_is_near(config, exchange, ret_who);
	return token ? WHO_KNOWN : WHO_UNKNOWN;
}

static const struct token *token_of_name(const struct config *config, const char *name)
{
	for (size_t i = 0; i < config->token_count; i++)
		if (strcmp(config->tokens[i].name, name) == 0)
			return &config->tokens[i];
	return NULL;
}

bool who_again(struct config *config, const struct who_made *made, const unsigned char *secret,
	const char *door, struct who *ret_who)
{
	const struct role *role = config_role(config, made->role);
	*ret_who = (struct who){.door = door};
	if (role && !made->token[0]) {
		set_local(ret_who, config, role, made->owner);
		ret_who->audit = role->audit && config->path;
		return true;
	}
	const struct token *token = token_of_name(config, made->token);
	if (!role || !token || token->role != role ||
		(secret && memcmp(secret, token->sha256, TOKEN_HASH_BYTES) != 0))
		return false;
	set_token(ret_who, config, token);
	return true;
}

const char *who_gone_why(const struct config *config, const struct who_made *made)
{
	if (!config_role(config, made->role))
		return "its role is no more";
	return token_of_name(config, made->token) ? "its token has another role now"
						  : "its token is no more";
}

int who_of_name(struct config *config, const char *role, const char *door, struct who *ret_who)
{
	const struct role *found = config_role(config, role ? role : CONFIG_LOCAL_ROLE);
	*ret_who = (struct who){.door = door};
	if (!found)
		return -ENOENT;
	set_local(ret_who, config, found, "stdio");
	return 0;
}

bool who_is_maker(const struct who *who, const struct who_made *made)
{
	if (!who->role || strcmp(who->token, made->token) != 0)
		return false;
	return who->token[0] ? true
			     : strcmp(who->role->name, made->role) == 0 &&
				       strcmp(who->owner, made->owner) == 0;
}

bool who_may_see(const struct who *who, const struct who_made *made)
{
	return who->audit || who_is_maker(who, made);
}

int who_has_sessions(const struct who *who, struct err *err)
{
	int rc = role_allows(who->role, ROLE_TOOL_RUN, err);
	if (!rc && !who->role->sessions)
		rc = err_set(err, -EPERM, "role",
			"this role has no sessions (any more); an open one can only be ended");
	return rc;
}
