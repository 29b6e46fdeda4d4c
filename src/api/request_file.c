/* request_file: content, base64 or a path below one of the role's roots, as an input. */
#include "api/request.h"

#include "base/fd.h"
#include "tool/input.h"

#include <errno.h>
#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>

struct place {
	char at[32]; /* "files[2]" */
	struct request_fault *fault;
};

static int refuse(const struct place *place, int status, const char *member, const char *detail)
{
	char field[48];
	(void)snprintf(field, sizeof(field), "%s%s%s", place->at, member[0] ? "." : "", member);
	return request_refuse(place->fault, status, field, "%s: %s", field, detail);
}

static int add_bytes(
	const struct place *place, const char *name, struct span bytes, struct job_spec *spec)
{
	unsigned char digest[32];
	struct err err = {0};
	int fd;
	if (input_of_bytes(bytes, &fd, &err) < 0)
		return refuse(place, 500, "", err.text);
	(void)crypto_hash_sha256(digest, bytes.data, bytes.len);
	int rc = job_spec_add_input(spec, name, bytes.len, digest, fd, &err);
	return rc ? refuse(place, rc == -E2BIG ? 413 : 422, "name", err.text) : 0;
}

static int add_base64(
	const struct place *place, const char *name, struct span text, struct job_spec *spec)
{
	size_t room = text.len / 4 * 3 + 3, bytes = 0;
	const char *end = NULL;
	unsigned char *decoded = malloc(room);
	if (!decoded)
		return refuse(place, 500, "", "out of memory");
	int rc = sodium_base642bin(decoded, room, (const char *)text.data, text.len, "\r\n", &bytes,
		&end, sodium_base64_VARIANT_ORIGINAL);
	if (rc != 0 || (size_t)(end - (const char *)text.data) != text.len)
		rc = refuse(place, 422, "content_base64", "not base64 with its padding");
	else
		rc = add_bytes(place, name, span_of(decoded, bytes), spec);
	free(decoded);
	return rc;
}

static int add_path(const struct place *place, const char *name, struct span path,
	const struct role *role, struct job_spec *spec)
{
	struct err err = {0};
	int rc = role_add_path(role, spec, path, name, &err);
	if (rc < 0)
		return refuse(place, rc == -E2BIG ? 413 : rc == -EIO ? 500 : 422, "path", err.text);
	return 0;
}

/* The name as text; NULL where it is absent. -errno where it is none. */
static int take_name(const struct place *place, const json_t *file, const char **ret_name)
{
	const json_t *value = json_object_get(file, "name");
	struct err err = {0};
	*ret_name = NULL;
	if (!value)
		return 0;
	struct span name = json_text(value);
	if (!json_is_string(value))
		return refuse(place, 422, "name", "must be a string");
	if (job_input_name_check(name.data, name.len, &err) < 0)
		return refuse(place, 422, "name", err.text);
	*ret_name = json_string_value(value);
	return 0;
}

int request_file(const json_t *file, size_t number, const struct role *role, struct job_spec *spec,
	struct request_fault *ret_fault)
{
	static const char *const known[] = {"name", "content", "content_base64", "path", NULL};
	struct place place = {.fault = ret_fault};
	const json_t *given = NULL;
	const char *name, *which = NULL;
	char prefix[40];

	(void)snprintf(place.at, sizeof(place.at), "files[%zu]", number);
	(void)snprintf(prefix, sizeof(prefix), "%s.", place.at);
	if (!json_is_object(file))
		return refuse(&place, 422, "", "must be an object of name and content");
	int rc = request_known(file, prefix, known, ret_fault);
	if (!rc)
		rc = take_name(&place, file, &name);
	for (size_t i = 1; !rc && known[i]; i++) {
		const json_t *value = json_object_get(file, known[i]);
		if (value && given)
			return refuse(&place, 422, known[i],
				"only one of content, content_base64 and path");
		if (value && !json_is_string(value))
			return refuse(&place, 422, known[i], "must be a string");
		which = value ? known[i] : which;
		given = value ? value : given;
	}
	if (rc < 0)
		return rc;
	if (!given)
		return refuse(&place, 422, "", "content, content_base64 or path is missing");
	if (!name && which != known[3])
		return refuse(&place, 422, "name", "missing");
	if (which == known[1])
		return add_bytes(&place, name, json_text(given), spec);
	if (which == known[2])
		return add_base64(&place, name, json_text(given), spec);
	return add_path(&place, name, json_text(given), role, spec);
}
