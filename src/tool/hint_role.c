/* hint_role: one clause at the end of a sentence. */
#include "tool/hint_role.h"

#include "tool/role.h"

static const char advice[] = "use " ROLE_TOOL_RUN;

bool hint_names_sandbox(struct span hint)
{
	return hint.len && memmem(hint.data, hint.len, advice, sizeof(advice) - 1);
}

struct span hint_without_sandbox(struct span hint)
{
	static const char *const joints[] = {"; ", ", or ", " or "};
	const unsigned char *at =
		hint.len ? memmem(hint.data, hint.len, advice, sizeof(advice) - 1) : NULL;
	if (!at)
		return hint;
	for (size_t end = (size_t)(at - hint.data); end > 0; end--)
		for (size_t i = 0; i < sizeof(joints) / sizeof(joints[0]); i++) {
			size_t length = strlen(joints[i]);
			if (end >= length &&
				memcmp(hint.data + end - length, joints[i], length) == 0)
				return span_of(hint.data, end - length);
		}
	return span_of("", 0);
}
