/* redact_name: which names look as if their value were secret. */
#include "audit/redact_parts.h"

#include <ctype.h>
#include <string.h>

#define NAME_BYTES_MAX 80u

static bool ends_with(const char *text, size_t length, const char *end)
{
	size_t bytes = strlen(end);
	return length >= bytes && memcmp(text + length - bytes, end, bytes) == 0;
}

static bool holds_one(const char *text, const char *const *words)
{
	for (; *words; words++)
		if (strstr(text, *words))
			return true;
	return false;
}

static bool ends_with_one(const char *text, size_t length, const char *const *words)
{
	for (; *words; words++)
		if (ends_with(text, length, *words))
			return true;
	return false;
}

/* What is said of a secret is none: password_length, secret_id, token_count. */
static bool is_about(const char *text, size_t length)
{
	static const char *const ends[] = {"id", "ids", "length", "len", "count", "size", "field",
		"fields", "name", "names", "type", "types", "url", "uri", "path", "file", "policy",
		"hint", "prompt", "regex", "pattern", "label", "strength", "score", "column", "col",
		"hash", "expires", "expiry", "ttl", "limit", "max", "min", "valid", "required",
		"enabled", "reset", "index", "arn", "version", "manager", "error", "status",
		"input", "form", "help", "title", "placeholder", "changed", "date", "at", "age",
		"rate", "usage", "list", "set", "map", NULL};
	return ends_with_one(text, length, ends);
}

/* "db_pass", "smtp-pwd": the word stands alone at the end. */
static bool last_word_is(struct span name, const char *word)
{
	size_t length = strlen(word);
	if (name.len < length ||
		strncasecmp((const char *)name.data + name.len - length, word, length) != 0)
		return false;
	if (name.len == length)
		return true;
	unsigned char before = name.data[name.len - length - 1];
	/* "first pass: …" is prose. */
	if (before == ' ')
		return false;
	bool hump = islower(before) && isupper(name.data[name.len - length]);
	return hump || !isalnum(before);
}

/* Words of other languages, as they look without what is no letter of ASCII: "contraseña". */
static const char *const foreign[] = {"passwort", "kennwort", "contrasena", "contrasea",
	"motdepasse", "wachtwoord", "losenord", "lsenord", NULL};

/* Two letters of each word that is looked for: most names have none of them. */
static bool may_hold_one(const char *text)
{
	for (; text[0] && text[1]; text++) {
		char a = text[0], b = text[1];
		if ((a == 's' && b == 's') || (a == 'c' && b == 'r') || (a == 'k' && b == 'e') ||
			(a == 'w' && (b == 'd' || b == 't' || b == 'o')) ||
			(a == 'u' && b == 't') || (a == 'a' && b == 's') ||
			(a == 'n' && (b == 'h' || b == 'o')) || (a == 'p' && b == 'w'))
			return true;
	}
	return false;
}

enum redact_name redact_name_kind(struct span name)
{
	static const char *const password[] = {
		"password", "passwd", "passphrase", "secret", "privatekey", "credential", NULL};
	static const char *const token[] = {"apikey", "accesskey", "authkey", "signingkey",
		"encryptionkey", "masterkey", "accountkey", "storagekey", "sharedkey", "deploykey",
		"authtoken", "accesstoken", "refreshtoken", "apitoken", "sessiontoken", NULL};
	char plain[NAME_BYTES_MAX + 1];
	size_t length = 0;
	for (size_t i = 0; i < name.len && length < NAME_BYTES_MAX; i++)
		if (isalnum(name.data[i]))
			plain[length++] = (char)tolower(name.data[i]);
	plain[length] = 0;
	if (length < 2 || !may_hold_one(plain) || is_about(plain, length))
		return NAME_PLAIN;
	if (ends_with(plain, length, "authorization"))
		return NAME_HEADER;
	if ((holds_one(plain, password) && !strstr(plain, "secretar")) ||
		holds_one(plain, foreign) || last_word_is(name, "senha"))
		return NAME_PASSWORD;
	if (last_word_is(name, "pw"))
		return NAME_SHORT;
	/* PWD and OLDPWD are the shell's folders. */
	if ((last_word_is(name, "pwd") && !span_is(name, "PWD") && !span_is(name, "OLDPWD")) ||
		last_word_is(name, "pass"))
		return NAME_PASSWORD;
	if (holds_one(plain, token) || ends_with(plain, length, "token") ||
		last_word_is(name, "auth") || last_word_is(name, "jwt"))
		return NAME_TOKEN;
	return NAME_PLAIN;
}
