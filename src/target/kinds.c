// SPDX-License-Identifier: GPL-2.0
#include "target/kinds.h"

#include <string.h>

#include "target/perf_event.h"
#include "target/preset.h"
#include "target/user.h"
#include "util/cleanup.h"

/* The first row is that of plain names. */
static const struct target_kind kinds[] = {
	{{NULL}, TRIGGER_NONE, parse_function, resolver_add_function},
	{{"fentry", "kfunc"}, TRIGGER_FENTRY, parse_function, resolver_add_function},
	{{"fexit", "kretfunc"}, TRIGGER_FEXIT, parse_function, resolver_add_function},
	{{"kprobe", "k"}, TRIGGER_KPROBE, parse_insn, resolver_add_function},
	{{"kretprobe", "kr"}, TRIGGER_KRETPROBE, parse_function, resolver_add_function},
	{{"kprobe.multi"}, TRIGGER_MULTI, parse_function, resolver_add_function},
	{{"tracepoint", "t"}, TRIGGER_TRACEPOINT, parse_tracepoint, resolver_add_tracepoint},
	{{"rawtracepoint", "rt"}, TRIGGER_RAWTRACEPOINT, parse_function, resolver_add_tracepoint},
	{{"hw"}, TRIGGER_HW, parse_breakpoint, resolver_add_breakpoint},
	{{"uprobe", "u"}, TRIGGER_UPROBE, user_parse, resolver_add_user},
	{{"uretprobe", "ur"}, TRIGGER_URETPROBE, user_parse, resolver_add_user},
	{{"perf"}, TRIGGER_NONE, perf_event_parse, perf_event_add},
	{{"preset"}, TRIGGER_NONE, preset_parse, preset_add},
};

static bool has_prefix(const char *text, const char *name, const char **ret_rest)
{
	size_t len = strlen(name);

	if (strncmp(text, name, len) || text[len] != ':')
		return false;
	*ret_rest = text + len + 1;
	return true;
}

const struct target_kind *target_kind_find(const char *text, const char **ret_rest)
{
	for (size_t i = 1; i < ARRAY_SIZE(kinds); i++)
		for (size_t k = 0; k < PREFIXES_MAX && kinds[i].prefixes[k]; k++)
			if (has_prefix(text, kinds[i].prefixes[k], ret_rest))
				return &kinds[i];
	*ret_rest = text;
	return &kinds[0];
}
