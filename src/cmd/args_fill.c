/* args_fill: flags in the order in which they stand; the last of a name counts. */
#include "cmd/args_fill.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define ID_HELP 1
#define ID_FIRST 2

static int take_count(const struct args_slot *slot, const char *text, struct err *err)
{
	size_t digits = strspn(text, "0123456789");
	unsigned long count = strtoul(text, NULL, 10);
	if (!digits || text[digits] || count < slot->min || count > slot->max)
		return err_set(err, -EINVAL, "usage", "%s takes a number from %u to %u", slot->name,
			slot->min, slot->max);
	*slot->count = (unsigned)count;
	return 0;
}

static int take(const struct args_slot *slot, const char *value, struct err *err)
{
	if (slot->layers)
		return args_layers(slot->name, value, slot->layers, err);
	if (slot->count)
		return take_count(slot, value, err);
	if (slot->text)
		*slot->text = value;
	else
		*slot->is_set = true;
	return 0;
}

int args_fill(const char *verb, int argc, char **argv, const struct args_slot *slots, size_t count,
	struct err *err)
{
	struct args_flag flags[ARGS_SLOTS_MAX + 2] = {
		{"-h", ID_HELP, false}, {"--help", ID_HELP, false}};
	struct args args = {.argc = argc, .argv = argv, .flags = flags, .flag_count = count + 2};
	const char *value;
	int id;
	for (size_t i = 0; i < count && i < ARGS_SLOTS_MAX; i++)
		flags[2 + i] = (struct args_flag){
			slots[i].name, ID_FIRST + (int)i, slots[i].is_set == NULL};
	while ((id = args_next(&args, &value, err)) != ARGS_END) {
		if (id == ARGS_FAULT)
			return -EINVAL;
		if (id == ARGS_WORD)
			return err_set(
				err, -EINVAL, "usage", "brig %s takes no words: see -h", verb);
		if (id == ID_HELP)
			return 1;
		int rc = take(&slots[id - ID_FIRST], value, err);
		if (rc < 0)
			return rc;
	}
	return 0;
}
