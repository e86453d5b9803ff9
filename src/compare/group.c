// SPDX-License-Identifier: GPL-2.0
#include "compare/group.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static bool same_text(const char *a, const char *b)
{
	return a && b ? !strcmp(a, b) : a == b;
}

bool is_decision(const struct ranking_decision *one, const struct ranking_decision *other)
{
	return one->place.off == other->place.off && one->rel == other->rel &&
	       one->taken == other->taken &&
	       same_text(one->place.function, other->place.function) &&
	       same_text(one->place.module, other->place.module);
}

bool group_has(const struct group *group, const struct ranking_call *call)
{
	if (group->failing != call->failing || !same_text(group->function, call->function))
		return false;
	return !call->failing || (group->build == call->build && group->err == call->err &&
				  group->made_off == call->made_at.off &&
				  same_text(group->made_function, call->made_at.function) &&
				  same_text(group->made_module, call->made_at.module) &&
				  is_decision(&group->decided, &call->decided));
}

static char *copy(const char *text)
{
	return text ? strdup(text) : NULL;
}

static bool is_missing(const char *text, const char *copied)
{
	return text && !copied;
}

int group_init(struct group *group, const struct ranking_call *call)
{
	*group = (struct group){.failing = call->failing, .function = strdup(call->function)};
	if (call->failing) {
		group->build = call->build;
		group->made_behind = true;
		group->err = call->err;
		group->made_function = copy(call->made_at.function);
		group->made_module = copy(call->made_at.module);
		group->made_off = call->made_at.off;
		group->decided = call->decided;
		group->decided.place.function = copy(call->decided.place.function);
		group->decided.place.module = copy(call->decided.place.module);
	}
	if (!group->function ||
	    (call->failing &&
	     (is_missing(call->made_at.function, group->made_function) ||
	      is_missing(call->made_at.module, group->made_module) ||
	      is_missing(call->decided.place.function, group->decided.place.function) ||
	      is_missing(call->decided.place.module, group->decided.place.module))))
		return -ENOMEM;
	return 0;
}

void group_deinit(struct group *group)
{
	free(group->function);
	free(group->made_function);
	free(group->made_module);
	free((char *)group->decided.place.function);
	free((char *)group->decided.place.module);
}

void group_note(struct group *group, const struct ranking_call *call)
{
	group->calls++;
	group->calls_of[call->build]++;
	group->complete[call->build] += call->complete;
	group->made_behind &= call->made_behind;
	group->erring += call->err != 0;
	if (call->has_value)
		value_range_note(&group->values, ARGUMENT_SIGNED, call->value);
	argument_ranges_note(&group->arguments, call->arguments, call->argument_count);
}
