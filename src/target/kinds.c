// SPDX-License-Identifier: GPL-2.0
#include "target/kinds.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "target/kinds/perf_event.h"
#include "target/preset.h"
#include "target/kinds/user.h"
#include "util/cleanup.h"

/* The first row is that of plain names. */
static const struct target_kind kinds[] = {
	{
		.parse = parse_function,
		.add = resolver_add_function,
		.written = "[MODULE:]NAME",
		.what = "a kernel function or glob, on its error return",
	},
	{
		.prefixes = {"fentry", "kfunc"},
		.kind = TRIGGER_FENTRY,
		.parse = parse_function,
		.add = resolver_add_function,
		.written = "fentry:NAME",
		.what = "its entry",
	},
	{
		.prefixes = {"fexit", "kretfunc"},
		.kind = TRIGGER_FEXIT,
		.parse = parse_function,
		.add = resolver_add_function,
		.written = "fexit:NAME",
		.what = "its error return, by a BPF trampoline",
	},
	{
		.prefixes = {"kprobe", "k"},
		.kind = TRIGGER_KPROBE,
		.parse = parse_insn,
		.add = resolver_add_function,
		.written = "kprobe:NAME[+OFFSET]",
		.what = "an instruction",
	},
	{
		.prefixes = {"kretprobe", "kr"},
		.kind = TRIGGER_KRETPROBE,
		.parse = parse_function,
		.add = resolver_add_function,
		.written = "kretprobe:NAME",
		.what = "its error return",
	},
	{
		.prefixes = {"kprobe.multi"},
		.kind = TRIGGER_MULTI,
		.parse = parse_function,
		.add = resolver_add_function,
		.written = "kprobe.multi:GLOB",
		.what = "error returns of many functions",
	},
	{
		.prefixes = {"hw"},
		.kind = TRIGGER_HW,
		.parse = parse_breakpoint,
		.add = resolver_add_breakpoint,
		.written = "hw:NAME[+OFFSET], hw:0xADDRESS, hw:[MODULE:]FILE:LINE",
		.what = "an instruction, by a hardware breakpoint",
	},
	{
		.prefixes = {"tracepoint", "t"},
		.kind = TRIGGER_TRACEPOINT,
		.parse = parse_tracepoint,
		.add = resolver_add_tracepoint,
		.written = "tracepoint:CATEGORY:NAME",
		.what = "a tracepoint",
	},
	{
		.prefixes = {"rawtracepoint", "rt"},
		.kind = TRIGGER_RAWTRACEPOINT,
		.parse = parse_function,
		.add = resolver_add_tracepoint,
		.written = "rawtracepoint:NAME",
		.what = "a tracepoint",
	},
	{
		.prefixes = {"uprobe", "u"},
		.kind = TRIGGER_UPROBE,
		.parse = user_parse,
		.add = resolver_add_user,
		.written = "uprobe:PATH:SYMBOL[+OFFSET]",
		.what = "an instruction of a program or library",
	},
	{
		.prefixes = {"uretprobe", "ur"},
		.kind = TRIGGER_URETPROBE,
		.parse = user_parse,
		.add = resolver_add_user,
		.written = "uretprobe:PATH:SYMBOL",
		.what = "a return there",
	},
	{
		.prefixes = {"bpf"},
		.kind = TRIGGER_FEXIT,
		.parse = bpf_program_parse,
		.add = bpf_program_add,
		.written = "bpf:NAME, bpf:ID",
		.what = "a BPF program's error return: 'lbrsnoop list bpf'",
		.list = "bpf",
		.for_each = bpf_program_for_each,
	},
	{
		.prefixes = {"perf"},
		.parse = perf_event_parse,
		.add = perf_event_add,
		.written = "perf:EVENT[:PERIOD]",
		.what = "page-faults, cycles, ...: 'lbrsnoop list perf'",
		.list = "perf",
	},
	{
		.prefixes = {"preset"},
		.parse = preset_parse,
		.add = preset_add,
		.written = "preset:NAME",
		.what = "warn, oops, oom, ...: 'lbrsnoop list presets'",
		.list = "presets",
		.for_each = preset_for_each,
	},
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

bool target_syntax_at(size_t index, struct target_syntax *ret_syntax)
{
	const struct target_kind *kind;

	if (index >= ARRAY_SIZE(kinds))
		return false;
	kind = &kinds[index];
	*ret_syntax = (struct target_syntax){
		.written = kind->written, .what = kind->what, .list = kind->list ?: ""};
	if (kind->prefixes[0])
		snprintf(ret_syntax->prefix, sizeof(ret_syntax->prefix), "%s:", kind->prefixes[0]);
	return true;
}

int target_list(const char *word, target_row_fn *visit, void *ctx, struct errmsg *msg)
{
	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++)
		if (kinds[i].for_each && !strcmp(kinds[i].list, word))
			return kinds[i].for_each(visit, ctx, msg);
	return -ENOENT;
}
