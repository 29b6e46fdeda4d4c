/* job_id: unguessable names. */
#include "tool/job_id.h"

#include <errno.h>
#include <sodium.h>
#include <string.h>

/* Crockford's base 32 in lower case: no i, l, o, u, so that nothing reads as a word or a digit. */
static const char alphabet[] = "0123456789abcdefghjkmnpqrstvwxyz";

static int fill(char *out, const char *prefix, size_t digits)
{
	unsigned char random[32];

	if (sodium_init() < 0)
		return -EIO;
	randombytes_buf(random, sizeof(random));
	size_t at = strlen(prefix);
	memcpy(out, prefix, at);
	for (size_t i = 0; i < digits; i++)
		out[at + i] = alphabet[random[i] & 31u];
	out[at + digits] = 0;
	return 0;
}

int job_id_make(char out[JOB_ID_BYTES])
{
	return fill(out, "j", 32);
}

int session_id_make(char out[JOB_ID_BYTES])
{
	return fill(out, "s", 32);
}

int fault_id_make(char out[JOB_ID_BYTES])
{
	return fill(out, "f", 12);
}
