/*
 * launch: what the privileged parent (in `brig`) and the service (`brig-service`) say to each
 *other.
 *
 * Two sockets: control (SOCK_SEQPACKET, descriptor 3 of the service) carries these messages; link
 * (SOCK_SEQPACKET, descriptor 4) carries one LINK_CHANNEL byte with one stream socket for each job,
 * and one LINK_FRESH byte when another client takes the link over: sessions that were begun before
 * it are nobody's any more and are ended.
 * The end of either ends the service and with it every cell: it is pid 1 of its own pid namespace.
 *
 *	parent → service	LAUNCH_START and its descriptors
 *	service → parent	LAUNCH_READY, or LAUNCH_FAILED with the fault
 *
 * The service is born in the outer user namespace U and executed there once that is mapped: it
 *never has a capability on the host. What only the host's root can do, mounting the image, the
 *parent does, and hands the detached mount over.
 */
#ifndef BRIG_WIRE_LAUNCH_H
#define BRIG_WIRE_LAUNCH_H

#include "base/err.h"
#include "wire/layer.h"

#include <stdbool.h>
#include <stdint.h>

#define LAUNCH_CONTROL_FD 3
#define LAUNCH_LINK_FD 4
#define LAUNCH_LEVELS_MAX 4u
#define LAUNCH_PATH_BYTES 4096u

/* How many uids the outer user namespace has: 0 is the service, two for each slot follow. */
#define LAUNCH_UIDS 4096u
#define LAUNCH_CELLS_MAX 1024u

#define LAUNCH_ZYGOTE_JOBS 2000u
#define LAUNCH_ZYGOTE_AGE_S 3600u

#define LINK_CHANNEL 'c'
#define LINK_FRESH 'f'
#define LINK_STATS 's' /* answered as wire/stats.h says */
#define LINK_PING 'p'  /* with a descriptor; to close it is the answer */

enum launch_verb {
	LAUNCH_START = 1,
	LAUNCH_READY = 2,
	LAUNCH_FAILED = 3,
};

enum launch_image { LAUNCH_IMAGE_EROFS = 1, LAUNCH_IMAGE_DIR = 2 };

/* The order of the delegated cgroup directories; the same as jail's own enumeration. */
enum launch_cgroup {
	LAUNCH_CGROUP_MEMORY,
	LAUNCH_CGROUP_CPU,
	LAUNCH_CGROUP_CPUACCT,
	LAUNCH_CGROUP_PIDS,
	LAUNCH_CGROUP_FREEZER,
	LAUNCH_CGROUP_UNIFIED,
	LAUNCH_CGROUP_COUNT,
};

/* Descriptors with LAUNCH_START: the image's detached mount where `image_path` is empty, then the
 * cgroup directories whose bits are set in `cgroups`, in order. */
struct launch_message {
	uint32_t verb;
	uint32_t cgroups;
	uint32_t cells_max;
	uint32_t park_min;     /* cells of each level kept ready without demand */
	uint32_t park_max;     /* of all levels, however great the demand; 0: none is parked */
	uint32_t zygote_jobs;  /* a zygote is replaced after that many forks */
	uint32_t zygote_age_s; /* or after that time */
	layer_set allow_degraded;
	uint8_t cgroup_v2;
	uint8_t one_uid; /* U maps a single uid */
	uint8_t level_count;
	uint8_t reserved;
	char levels[LAUNCH_LEVELS_MAX][16]; /* the first is the barest */
	char image[96];			    /* name and content hash, for receipts */
	char image_path[LAUNCH_PATH_BYTES]; /* an ordinary user's image: a directory */
	struct err err;			    /* LAUNCH_FAILED */
#ifdef BRIG_MUTANT
	layer_set leave_out;
	bool silently;
#endif
};

#endif
