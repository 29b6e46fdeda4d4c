/*
 * worker: calc as a process of its own that answers until its input ends.
 *
 * A request is a 32-bit little-endian length and that many bytes of expression; the answer is a
 * length likewise and the JSON object of calc_json(). Answers come in the order of the requests;
 * any number of requests may be under way, as long as the other end also reads.
 * An expression beyond CALC_SOURCE_MAX is passed over and answered with its LimitError; a length
 * beyond CALC_REQUEST_MAX ends the worker.
 */
#ifndef BRIG_CALC_WORKER_H
#define BRIG_CALC_WORKER_H

#define CALC_REQUEST_MAX (1024 * 1024)
#define CALC_ANSWER_MAX (16 * 1024)

/*
 * Seals this process (see seal.h) and serves. Both descriptors are blocking pipes or stream
 * sockets and may be the same. Returns only for the process to leave, by calc_leave(): 0 at the end
 * of the input, else -errno: of calc_seal (`*ret_stage` then says which step, else it is NULL),
 * -ENOMEM, -EMSGSIZE for a length out of bounds, -ENODATA for an input that ends within a request.
 * A signal's disposition is the caller's affair; SIGPIPE's default ends the worker as it should.
 */
int calc_worker_run(int in_fd, int out_fd, const char **ret_stage)
	__attribute__((warn_unused_result));

#endif
