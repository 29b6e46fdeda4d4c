/*
 * request: a caller's JSON as a job, or as an expression. No effects but to make memfds and to open
 * files below the role's own roots.
 *
 * Whatever is not understood is refused with the name of the field: unknown members, duplicate
 * keys, wrong types, figures out of range. Nothing is guessed.
 *
 * All return 0, or -errno with `ret_fault` filled.
 */
#ifndef BRIG_API_REQUEST_H
#define BRIG_API_REQUEST_H

#include "base/err.h"
#include "base/span.h"
#include "tool/json.h"
#include "tool/role.h"
#include "wire/job.h"

struct request_fault {
	int status;	  /* 400 malformed, 413 too large, 422 not acceptable, 500 */
	char field[80];	  /* "limits.wall_ms", "files[2].name"; empty where none is at fault */
	char detail[300]; /* one line that names the fix */
};

int request_refuse(struct request_fault *fault, int status, const char *field, const char *format,
	...) __attribute__((format(printf, 4, 5)));

/* Reads a whole text as one object. */
int request_parse(
	struct span text, json_t **ret_object, struct request_fault *ret_fault) MUST_CHECK;

/* Names the first member of `object` that is not in `known` (ended by NULL). `prefix` "" or
 * "limits." goes before it. */
int request_known(const json_t *object, const char *prefix, const char *const *known,
	struct request_fault *ret_fault) MUST_CHECK;

/* The arguments of run_sandboxed, into an initialised spec. */
int request_run(const json_t *object, const struct role *role, struct job_spec *spec,
	struct request_fault *ret_fault) MUST_CHECK;

/* limits.{wall_ms, cpu_ms, memory_bytes, output_bytes} of an object that may have them. */
int request_limits(const json_t *object, struct job_limits *limits,
	struct request_fault *ret_fault) MUST_CHECK;

/* An id as a caller may write one: letters, digits, '-'. 0 or -EINVAL. */
int request_session_id(struct span text, char out[SESSION_ID_BYTES]) MUST_CHECK;

/* The arguments of calculate; the span points into `object`. */
int request_calculate(
	const json_t *object, struct span *ret_expr, struct request_fault *ret_fault) MUST_CHECK;

/* One of the request's files, `number` counted from 0. */
int request_file(const json_t *file, size_t number, const struct role *role, struct job_spec *spec,
	struct request_fault *ret_fault) MUST_CHECK;

#endif
