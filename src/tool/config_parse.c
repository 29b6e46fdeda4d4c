/*
 * config_parse: lines, sections and keys.
 *
 * inih splits the lines; what it does not tell (numbers of lines, sections without keys, lines cut
 * for being too long, values continued by a blank) this reader sees for itself while it hands the
 * lines over.
 */
#include "tool/config_parse.h"

#include "base/buf.h"
#include "base/nearest.h"
#include "tool/text.h"

#include <ctype.h>
#include <errno.h>
#include <ini.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SHOWN_BYTES 60u

static const char *shown(const char *text, char out[SHOWN_BYTES])
{
	cleanup_buf struct buf line = {0};
	buf_init(&line, SHOWN_BYTES);
	if (text_add_line(&line, span_text(text), SHOWN_BYTES - 1) < 0)
		line.len = 0;
	(void)snprintf(
		out, SHOWN_BYTES, "%.*s", (int)line.len, line.len ? (const char *)line.data : "");
	return out;
}

void config_fault(struct config_parse *parse, int line, const char *format, ...)
{
	char text[512];
	va_list args;
	va_start(args, format);
	(void)vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	if (parse->section == CONFIG_ROLE && line == parse->line)
		parse->role_drafts[parse->config->role_count - 1].faulty = true;
	if (parse->section == CONFIG_TOKEN && line == parse->line)
		parse->token_drafts[parse->config->token_count - 1].faulty = true;
	const char *slash = strrchr(parse->path, '/');
	const char *file = slash && strlen(parse->path) > 80 ? slash + 1 : parse->path;
	if (parse->fault_count++ == 0)
		(void)err_set(&parse->first, -EINVAL, "config", "%s:%d: %s", file, line, text);
	if (parse->fault_count <= CONFIG_FAULTS_MAX &&
		buf_printf(&parse->faults, "%s:%d: %s\n", parse->path, line, text) == -ENOMEM)
		parse->out_of_memory = true;
}

char *config_copy(struct config_parse *parse, const char *text)
{
	char *copy = strdup(text);
	parse->out_of_memory |= copy == NULL;
	return copy;
}

static const char *const section_names[] = {[CONFIG_SERVER] = "server",
	[CONFIG_SERVICE] = "service",
	[CONFIG_AUDIT] = "audit",
	[CONFIG_ROLE] = "role",
	[CONFIG_TOKEN] = "token"};

static void begin_single(struct config_parse *parse, enum config_section section)
{
	if (parse->sections_seen & 1u << section) {
		config_fault(parse, parse->line, "a second [%s]; put its keys into the first",
			section_names[section]);
		return;
	}
	parse->sections_seen |= 1u << section;
	parse->section = section;
}

static void begin_unknown(struct config_parse *parse, const char *word)
{
	static const char *const names[] = {"server", "service", "audit", "role", "token", NULL};
	char text[SHOWN_BYTES];
	const char *nearest = nearest_name(word, names);
	if (nearest)
		config_fault(parse, parse->line, "unknown section [%s]; did you mean [%s%s]?",
			shown(word, text), nearest,
			strcmp(nearest, "role") == 0 || strcmp(nearest, "token") == 0 ? " NAME"
										      : "");
	else
		config_fault(parse, parse->line,
			"unknown section [%s]; there are server, service, audit, role NAME and "
			"token NAME",
			shown(word, text));
}

/* `header` is what stands between the brackets. */
static void begin_section(struct config_parse *parse, char *header)
{
	char *rest = NULL;
	const char *word = strtok_r(header, " \t", &rest);
	const char *name = word ? strtok_r(NULL, " \t", &rest) : NULL;
	const char *more = name ? strtok_r(NULL, " \t", &rest) : NULL;

	parse->section = CONFIG_NO_SECTION;
	parse->keys_seen = 0;
	if (!word) {
		config_fault(parse, parse->line, "a section without a name; write [role NAME]");
		return;
	}
	enum config_section section = CONFIG_TOKEN;
	while (section && strcmp(word, section_names[section]) != 0)
		section--;
	bool named = section == CONFIG_ROLE || section == CONFIG_TOKEN;
	if (!section)
		begin_unknown(parse, word);
	else if (more || (name && !named))
		config_fault(parse, parse->line, "[%s] takes %s", word,
			named ? "one name without blanks" : "no name");
	else if (named && !name)
		config_fault(parse, parse->line, "[%s] needs a name; write [%s NAME]", word, word);
	else if (!named)
		begin_single(parse, section);
	else if (section == CONFIG_ROLE ? config_role_begin(parse, name)
					: config_token_begin(parse, name))
		parse->section = section;
}

static void check_section(struct config_parse *parse, char *line)
{
	char *close = strchr(line, ']');
	const char *after = close ? close + 1 + strspn(close + 1, " \t\r") : "";
	if (!close || (*after && *after != ';')) {
		config_fault(parse, parse->line, "a section stands alone on its line, as in [%s]",
			"role research");
		parse->section = CONFIG_NO_SECTION;
		parse->section_fault_line = parse->line;
		return;
	}
	/* A copy: inih still has to find the line whole. */
	char header[INI_MAX_LINE];
	(void)snprintf(header, sizeof(header), "%.*s", (int)(close - line - 1), line + 1);
	begin_section(parse, header);
}

/* Looks at one line before inih does. `line` has no line break. */
static void check_line(struct config_parse *parse, char *line)
{
	size_t blanks = strspn(line, " \t\r\f\v");
	if (line[0] == '[')
		check_section(parse, line);
	else if (blanks && line[blanks] && line[blanks] != ';' && line[blanks] != '#') {
		config_fault(parse, parse->line,
			"a line that begins with a blank; begin each key at the start of its line");
		line[0] = 0;
	}
}

/* inih's reader: the next line into `out`. */
static char *next_line(char *out, int room, void *user)
{
	struct config_parse *parse = user;
	size_t left = parse->text.len - parse->at;
	if (left == 0 || room < 3)
		return NULL;
	const unsigned char *start = parse->text.data + parse->at;
	const unsigned char *end = memchr(start, '\n', left);
	size_t length = end ? (size_t)(end - start) : left;
	parse->at += length + (end ? 1 : 0);
	parse->line++;
	size_t fits = (size_t)room - 2;
	if (length > fits) {
		config_fault(parse, parse->line, "a line of more than %zu bytes; shorten it", fits);
		length = 0;
	}
	memcpy(out, start, length);
	out[length] = 0;
	check_line(parse, out);
	length = strlen(out);
	out[length] = '\n';
	out[length + 1] = 0;
	return out;
}

static const struct config_key *keys_of(enum config_section section)
{
	static const struct config_key *const tables[] = {[CONFIG_SERVER] = config_server_keys,
		[CONFIG_SERVICE] = config_service_keys,
		[CONFIG_AUDIT] = config_audit_keys,
		[CONFIG_ROLE] = config_role_keys,
		[CONFIG_TOKEN] = config_token_keys};
	return tables[section];
}

static void unknown_key(struct config_parse *parse, const struct config_key *keys, const char *name)
{
	const char *names[32] = {NULL};
	char text[SHOWN_BYTES];
	for (size_t i = 0; keys[i].name && i + 1 < sizeof(names) / sizeof(names[0]); i++)
		names[i] = keys[i].name;
	const char *nearest = nearest_name(name, names);
	config_fault(parse, parse->line, "[%s] has no key '%s'%s%s%s",
		section_names[parse->section], shown(name, text),
		nearest ? "; did you mean " : "; see etc/brig.ini for all keys",
		nearest ? nearest : "", nearest ? "?" : "");
}

static void take_key(struct config_parse *parse, const char *name, const char *value)
{
	const struct config_key *keys = keys_of(parse->section);
	char word[64];
	size_t length = strcspn(name, " \t"), place = 0;
	const char *rest = name[length] ? name + length + strspn(name + length, " \t") : NULL;
	(void)snprintf(word, sizeof(word), "%.*s", (int)length, name);
	while (keys[place].name && strcmp(keys[place].name, word) != 0)
		place++;
	const struct config_key *key = &keys[place];
	if (!key->name)
		unknown_key(parse, keys, word);
	else if (rest && !key->has_rest)
		config_fault(parse, parse->line, "%s takes no name; write %s = VALUE", word, word);
	else if (!rest && key->has_rest)
		config_fault(
			parse, parse->line, "%s needs a name; write %s NAME = VALUE", word, word);
	else if (!key->has_rest && (parse->keys_seen & 1u << place))
		config_fault(parse, parse->line, "%s is given twice; keep one", word);
	else if (!*value)
		config_fault(
			parse, parse->line, "%s has no value; give one or leave the key out", word);
	else {
		parse->keys_seen |= 1u << place;
		key->take(parse, rest, value);
	}
}

static int handle(void *user, const char *section, const char *name, const char *value)
{
	(void)section;
	struct config_parse *parse = user;
	if (parse->section != CONFIG_NO_SECTION)
		take_key(parse, name, value ? value : "");
	else if (parse->sections_seen == 0 && parse->config->role_count == 0 &&
		 parse->config->token_count == 0 && parse->fault_count == 0)
		config_fault(parse, parse->line,
			"a key before the first section; begin with [role NAME]");
	return 1;
}

void config_parse_text(struct config_parse *parse)
{
	int bad = ini_parse_stream(next_line, parse, handle, parse);
	if (bad == -2)
		parse->out_of_memory = true;
	else if (bad > 0 && bad != parse->section_fault_line)
		config_fault(
			parse, bad, "neither [section] nor key = value; comments begin with #");
	parse->section = CONFIG_NO_SECTION;
	config_roles_finish(parse);
	config_roots_finish(parse);
}
