/* config_value: the kinds of values that keys take. */
#include "tool/config_parse.h"

#include "base/quantity.h"
#include "tool/text.h"

#include <ctype.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

bool config_value_bool(
	struct config_parse *parse, const char *key, const char *value, bool *ret_yes)
{
	bool yes = strcmp(value, "yes") == 0;
	if (!yes && strcmp(value, "no") != 0) {
		config_fault(parse, parse->line, "%s is yes or no", key);
		return false;
	}
	*ret_yes = yes;
	return true;
}

bool config_value_count(struct config_parse *parse, const char *key, const char *value,
	uint32_t min, uint32_t max, uint32_t *ret_count)
{
	size_t digits = strspn(value, "0123456789");
	unsigned long count = digits && digits < 11 ? strtoul(value, NULL, 10) : ULONG_MAX;
	if (value[digits] || digits == 0 || count < min || count > max) {
		config_fault(
			parse, parse->line, "%s is a whole number from %u to %u", key, min, max);
		return false;
	}
	*ret_count = (uint32_t)count;
	return true;
}

bool config_value_size(struct config_parse *parse, const char *key, const char *value,
	uint64_t min_bytes, uint64_t max_bytes, uint64_t *ret_bytes)
{
	char low[TEXT_FIGURE_BYTES], high[TEXT_FIGURE_BYTES];
	uint64_t bytes;
	if (!quantity_size(value, &bytes)) {
		config_fault(parse, parse->line,
			"%s is a size: a number and K, M or G, as in %s = 512M", key, key);
		return false;
	}
	if (bytes < min_bytes || bytes > max_bytes) {
		config_fault(parse, parse->line, "%s is a size from %s to %s", key,
			text_bytes(min_bytes, low), text_bytes(max_bytes, high));
		return false;
	}
	*ret_bytes = bytes;
	return true;
}

bool config_value_ms(struct config_parse *parse, const char *key, const char *value,
	uint32_t max_ms, uint32_t *ret_ms)
{
	char high[TEXT_FIGURE_BYTES];
	uint64_t ms;
	if (!quantity_duration(value, &ms)) {
		config_fault(parse, parse->line,
			"%s is a duration: a number and ms, s or m, as in %s = 60s", key, key);
		return false;
	}
	if (ms == 0 || ms > max_ms) {
		config_fault(parse, parse->line, "%s is a duration of at least 1 ms and at most %s",
			key, text_ms(max_ms, high));
		return false;
	}
	*ret_ms = (uint32_t)ms;
	return true;
}

bool config_value_path(
	struct config_parse *parse, const char *key, const char *value, char **ret_path)
{
	if (value[0] != '/') {
		config_fault(parse, parse->line,
			"%s is a path from the root, as in %s = /srv/files", key, key);
		return false;
	}
	*ret_path = config_copy(parse, value);
	return *ret_path != NULL;
}

bool config_value_name(
	struct config_parse *parse, const char *what, const char *value, size_t max_bytes)
{
	size_t length = strlen(value);
	bool good = isalnum((unsigned char)value[0]) && length <= max_bytes;
	for (size_t i = 0; good && i < length; i++)
		good = isalnum((unsigned char)value[i]) || strchr("._-", value[i]);
	if (!good)
		config_fault(parse, parse->line,
			"%s is 1 to %zu letters, digits, '.', '_' and '-', and begins with a "
			"letter or digit",
			what, max_bytes);
	return good;
}

void config_value_list(struct config_parse *parse, const char *key, const char *value,
	void (*take)(struct config_parse *parse, const char *word))
{
	char word[CONFIG_VALUE_BYTES];
	for (const char *at = value;; at++) {
		at += strspn(at, " \t");
		size_t length = strcspn(at, ",");
		const char *next = at + length;
		while (length && (at[length - 1] == ' ' || at[length - 1] == '\t'))
			length--;
		if (length == 0 || length >= sizeof(word)) {
			config_fault(parse, parse->line,
				"%s is a list parted by single commas, without an empty place",
				key);
			return;
		}
		memcpy(word, at, length);
		word[length] = 0;
		take(parse, word);
		at = next;
		if (!*at)
			return;
	}
}

bool config_path_within(const char *path, const char *folder)
{
	size_t length = strlen(folder);
	if (length == 1 && folder[0] == '/')
		return path[0] == '/';
	return strncmp(path, folder, length) == 0 && (path[length] == 0 || path[length] == '/');
}
