/*
 * cell: the messages inside the privileged half: service to maker, zygote and init as fixed
 * structs over SOCK_SEQPACKET (one message, one struct), and service to the sealed runner as
 * frames over two pipes.
 *
 * The zygote is baked into the image, so CELL_PROTOCOL_VERSION goes up whenever anything in this
 * file or in `_brig`'s interface changes; an image of another version is refused by name.
 */
#ifndef BRIG_WIRE_CELL_H
#define BRIG_WIRE_CELL_H

#include "base/err.h"
#include "wire/layer.h"

#include <stdint.h>

#define CELL_PROTOCOL_VERSION 4

#define CELL_FILTER_MAX 1024u /* BPF instructions */
#define CELL_CGROUP_FDS_MAX 6u
#define CELL_INLINE_FILE_BYTES (32u * 1024u)

/* Where things are inside the cell. */
#define CELL_WORK_DIR "/mnt/data"
#define CELL_TMP_DIR "/tmp"
#define CELL_SHM_DIR "/dev/shm"
#define CELL_SPOOL_NAME ".brig" /* in /tmp: where the runtime leaves charts */
#define CELL_STDIN_NAME "stdin" /* in the spool: what a call of a session reads */
#define CELL_HOSTNAME "cell"
#define CELL_UID 1000u /* of the job, inside */
#define CELL_INIT_UID 0u

/* The runner's descriptors: the golden set of layer "fds". */
#define CELL_FD_CONTROL_IN 3
#define CELL_FD_CONTROL_OUT 4
#define CELL_FD_COUNT 5

struct cell_filter {
	uint32_t count;
	uint32_t reserved;
	uint64_t code[CELL_FILTER_MAX]; /* struct sock_filter, eight bytes each */
};

/* service → maker: make a cell's namespaces and its init. Descriptors: [init's socket,
 * unified cgroup directory if has_unified, network namespace if has_net]. */
struct maker_request {
	uint32_t slot;
	uint8_t has_unified;
	uint8_t has_net; /* else a new one is made and comes back with the answer */
	uint8_t reserved[2];
};

/* maker → service. Descriptors: [pidfd, network namespace if it was made]. */
struct maker_answer {
	int32_t pid;
	uint32_t slot;
	struct err err; /* code 0 where it worked */
};

enum init_verb {
	INIT_SETUP = 1, /* descriptors: cgroup attach files */
	INIT_RESIZE = 2,
	INIT_FILE = 3,	/* a small input: its bytes follow the struct */
	INIT_MOUNT = 4, /* a large input: descriptor of a detached mount */
};

struct init_request {
	uint32_t verb;
	uint32_t cgroup_fds;
	uint64_t work_bytes;
	uint64_t work_inodes;
	uint64_t tmp_bytes;
	layer_set skip;	  /* layers that the operator allowed to be missing and that are */
	uint32_t one_uid; /* init and job share a uid: inputs need the read-only mount */
	uint32_t file_bytes;
	uint32_t replace; /* what bears the name already goes first: later calls of a session */
	char name[256];
};

/* init → service. After INIT_SETUP with descriptors [work folder, /tmp, /dev/shm]. */
#define INIT_FOLDERS 3u
struct init_answer {
	uint32_t verb;
	struct err err;
};

/* service → zygote, first message. Then the zygote answers zygote_ready. */
struct zygote_hello {
	uint32_t version;
	uint32_t cold; /* for a service that runs one job: preload nothing, the cell imports */
	char level[16];
	struct cell_filter filter;
};

struct zygote_ready {
	uint32_t version;
	struct err err;
};

/* service → zygote: fork a runner into a cell. Descriptors: [init's pidfd, stdin, stdout, stderr,
 * control in, control out, unified cgroup directory if has_unified, cgroup attach files]. */
struct zygote_spawn {
	uint32_t slot;
	uint32_t cgroup_fds;
	uint8_t has_unified;
	uint8_t one_uid;
	uint8_t reserved[2];
	layer_set skip;
	uint32_t processes;  /* RLIMIT_NPROC where the pids layer is missing, else 0 */
	uint64_t file_bytes; /* RLIMIT_FSIZE */
	unsigned char seed[16];
};

struct zygote_answer {
	int32_t pid;
	uint32_t slot;
	struct err err;
};

/* Frames on the runner's control pipes (wire/frame.h). */
enum cell_type {
	/* service → runner */
	CELL_RELEASE = 1, /* CELL_TAG_AWAITED; the listener has been taken: go on to park */
	CELL_JOB = 2,	  /* in a session again and again */
	/* runner → service */
	CELL_SEALED = 16, /* CELL_TAG_LISTENER */
	CELL_FAILED = 17, /* CELL_TAG_ERR: a layer could not be set up */
	CELL_PARKED = 18,
	CELL_ITEM = 19,	 /* CELL_TAG_KIND, CELL_TAG_PAYLOAD */
	CELL_DONE = 20,	 /* CELL_TAG_EXIT */
	CELL_BEGUN = 21, /* of a session's call: from here on SIGINT reaches its code */
};

enum cell_tag {
	CELL_TAG_LISTENER = 1,
	CELL_TAG_ERR = 2,
	CELL_TAG_KIND = 3,
	CELL_TAG_PAYLOAD = 4,
	CELL_TAG_EXIT = 5,
	CELL_TAG_CODE = 6,
	CELL_TAG_INPUT_NAME = 7, /* one field for each input */
	CELL_TAG_CHART_FORMAT = 8,
	CELL_TAG_TABLE_CSV = 9,
	CELL_TAG_WALL_MS = 10,
	CELL_TAG_CPU_MS = 11,
	CELL_TAG_MEMORY_BYTES = 12,
	CELL_TAG_PROCESSES = 13,
	CELL_TAG_CALL = 14, /* its number: what the runner sends of another call is passed over */
	CELL_TAG_SESSION = 15, /* a call of a session, and the name of its context */
	CELL_TAG_STDIN = 16,   /* of such a call: 0 where it lies in the spool, else the errno that
				  kept it away */
	CELL_TAG_AWAITED = 17, /* a job waits for this cell: what only shortens later is left out */
};

#endif
