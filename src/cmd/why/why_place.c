// SPDX-License-Identifier: GPL-2.0
#include "cmd/why/why_place.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "target/choose.h"
#include "why/deep/deep_place.h"

/* What to write instead; "" if nothing comes near it. */
static void write_instead(const struct target_spec *spec, char *buf, size_t size)
{
	const char *colon = spec->module ? ":" : "", *module = spec->module ?: "";

	buf[0] = '\0';
	if (spec->is_glob || spec->preset || !spec->name || !strncmp(spec->text, "bpf:", 4))
		return;
	switch (spec->kind) {
	case TRIGGER_FEXIT:
	case TRIGGER_KRETPROBE:
	case TRIGGER_MULTI:
		snprintf(buf, size, "; write %s%s%s", module, colon, spec->name);
		break;
	case TRIGGER_FENTRY:
	case TRIGGER_KPROBE:
		snprintf(buf, size, "; write hw:%s%s%s", module, colon, spec->name);
		if (spec->offset)
			snprintf(buf + strlen(buf), size - strlen(buf), "+%#llx",
				 (unsigned long long)spec->offset);
		break;
	default:
		break;
	}
}

int why_place_check(const struct target_spec *spec, struct errmsg *msg)
{
	bool plain = spec->kind == TRIGGER_NONE || spec->kind == TRIGGER_HW;
	char instead[600];

	if (plain && !spec->is_glob && !spec->preset)
		return 0;
	write_instead(spec, instead, sizeof(instead));
	return errmsg_set(msg, -EINVAL,
			  "'%s': --deep leads to an instruction of the kernel, by a breakpoint: "
			  "NAME (an error return of one function), hw:NAME+OFFSET, hw:0xADDRESS or "
			  "hw:FILE:LINE%s",
			  spec->text, instead);
}

static int no_returns(const struct probe *probe, struct errmsg *msg)
{
	/* Of a trace that is what helps. */
	const char *rotate = strstr(probe->hw_reason, " (--rotate)");
	int len = (int)(rotate ? (size_t)(rotate - probe->hw_reason) : strlen(probe->hw_reason));

	return errmsg_set(msg, -EINVAL,
			  "'%s': --deep needs breakpoints on all of its returns: %.*s; name one "
			  "instruction of it instead, hw:%s+OFFSET",
			  probe->trigger.target, len, probe->hw_reason, probe->trigger.function);
}

static int several(const struct probe *probe, struct errmsg *msg)
{
	return errmsg_set(msg, -EINVAL,
			  "'%s': several functions are called so, and --deep leads to one place; "
			  "/proc/kallsyms has their addresses: hw:0xADDRESS+OFFSET names an "
			  "instruction of one",
			  probe->trigger.target);
}

/* Of a line there may be several probes, an instruction each. */
static int take(const struct probe *probe, struct deep_place *place, struct errmsg *msg)
{
	if (probe->namesakes)
		return several(probe, msg);
	if (probe->trigger.kind != TRIGGER_HW)
		return no_returns(probe, msg);
	/* What a function leaves in RAX that returns nothing is no value. */
	place->returns = probe->site_kind == SITE_RETURN && probe->ret != RETURN_NONE;
	place->wide = probe->ret == RETURN_S64;
	for (size_t i = 0; i < probe->site_count && place->end_count < HW_SITES_MAX; i++)
		place->ends[place->end_count++] = probe->sites[i];
	return 0;
}

int why_place_resolve(const struct target_spec *spec, const struct capture_options *filter,
		      struct symbols *symbols, struct lines *lines, const struct text_source *text,
		      const char *no_breakpoints, struct deep_place *ret, struct errmsg *msg)
{
	struct resolve_options options = {
		.symbols = symbols, .lines = lines, .errors_only = filter->errno_filter};
	struct choose_options choose = {.symbols = symbols, .text = text};
	struct resolver *resolver = NULL;
	struct probe_list probes = {};
	int err;

	if (no_breakpoints)
		return errmsg_set(msg, -EOPNOTSUPP, "'%s': %s", spec->text, no_breakpoints);
	err = resolver_create(&options, &resolver, msg);
	*ret = (struct deep_place){
		.errors = filter->errno_filter,
		.errnos = filter->errno_filter && !filter->errno_any ? filter->errnos : NULL,
	};
	err = err ?: resolver_add(resolver, spec, &probes, msg);
	err = err ?: choose_triggers(&choose, &probes, msg);
	for (size_t i = 0; !err && i < probes.count; i++)
		err = take(&probes.items[i], ret, msg);
	probe_list_deinit(&probes);
	resolver_destroy(resolver);
	return err;
}
