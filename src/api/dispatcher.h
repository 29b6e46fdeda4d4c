/*
 * dispatcher: the unprivileged process that speaks HTTP and MCP, knows callers, keeps the audit
 * log, and never runs a caller's text.
 *
 * The privileged parent (cmd/serve) forks it, and dispatcher_run() never returns to the parent's
 * code. It is given its sockets, its configuration and a control socket; over that it gets the
 * links to the interpreter services, and orders.
 */
#ifndef BRIG_API_DISPATCHER_H
#define BRIG_API_DISPATCHER_H

#include "api/calc_client.h"
#include "api/jobs.h"
#include "api/ledger.h"
#include "api/links.h"
#include "api/metrics.h"
#include "api/sessions.h"
#include "http/server.h"
#include "tool/config.h"
#include "tool/quota.h"

#define ADVERTISE_BYTES 1024u

/* One message of the control socket (SOCK_SEQPACKET). */
enum control_verb {
	CONTROL_LINK =
		1, /* parent → dispatcher: a link for `image`; without a descriptor it is gone */
	CONTROL_RELOAD,	       /* parent → dispatcher: the configuration file has changed */
	CONTROL_RELOAD_FAILED, /* parent → dispatcher: it has, and is at fault */
	CONTROL_DRAIN,	       /* parent → dispatcher: finish what runs, then leave */
	CONTROL_PING,	       /* parent → dispatcher: close the descriptor that comes with it */
	CONTROL_READY,	       /* dispatcher → parent */
};

struct control_message {
	uint32_t verb;
	char image[LINK_IMAGE_BYTES];
	char why[LINK_WHY_BYTES]; /* of a link without a descriptor: why it cannot be had; "" */
};

struct dispatcher_start {
	struct config *config; /* taken */
	int control_fd;
	int tcp_fd, unix_fd;	 /* listening; -1 without */
	int stdio_in, stdio_out; /* MCP over a pair of pipes; -1 without */
	const char *stdio_role;	 /* NULL: local */
	const char *listen_host; /* the address of tcp_fd, as a Host field has it; NULL */
	const char *audit_path;
	const char *artifact_folder; /* NULL: in memory */
	gid_t socket_group;	     /* who may use the Unix socket beside this user and root */
	char python[24];	     /* of the default image, for the tools' descriptions */
	char advertise[ADVERTISE_BYTES];
};

struct schema_facts;

/* Calls of nobody who is known: few of them are worth a row. */
struct strangers {
	uint64_t minute_ms; /* when it began */
	uint32_t calls;	    /* in it */
	uint64_t left_out;  /* since the last row of one */
};

struct dispatcher {
	const struct dispatcher_start *start;
	struct event_base *base;
	struct config *config, *started; /* as it is, and as it was at the start */
	struct http_server *http;
	struct ledger ledger;
	struct calc_client calc;
	struct links links;
	struct quota *quota;
	struct jobs jobs;
	struct sessions sessions;
	struct metrics metrics;
	struct event *control, *drain_tick;
	uint64_t drain_limit_ms;			   /* when what still runs is cancelled */
	TAILQ_HEAD(mcp_exchanges, mcp_exchange) exchanges; /* MCP's that are not over */
	TAILQ_HEAD(, mcp_stdio) stdios;
	const char *hosts[CONFIG_NAMES_MAX + 2];
	TAILQ_HEAD(, call) calls;	      /* of run_sandboxed that are not over */
	TAILQ_HEAD(, session_ask) asks;	      /* about sessions that are not answered */
	TAILQ_HEAD(, session_change) changes; /* of sessions' files, without their rows yet */
	uint64_t upload_bytes;		      /* of inputs that are being read */
	size_t upload_files;		      /* likewise */
	struct strangers strangers;
	bool draining;
	int exit_status;
};

/* Serves until it is drained or its parent goes away. Returns the process's exit status. */
int dispatcher_run(const struct dispatcher_start *start);

/* Takes nothing new, lets what runs finish (within the configuration's limit), then leaves. */
void dispatcher_drain(struct dispatcher *dispatcher);

/* What a service gets beyond a job's own limits, before it is held to have forgotten the job:
 * longer than the parent needs to find a service silent and end it. */
uint64_t dispatcher_grace_ms(const struct dispatcher *dispatcher);

/* What the tools' descriptions say to a role (NULL: to all). */
void dispatcher_schema_facts(const struct dispatcher *dispatcher, const struct role *role,
	struct schema_facts *ret_facts);

#endif
