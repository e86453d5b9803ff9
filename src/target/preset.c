// SPDX-License-Identifier: GPL-2.0
#include "target/preset.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "util/cleanup.h"

/* Functions that cannot be entered without the error: nothing is asked in between. */
static const struct preset presets[] = {
	{
		.name = "panic",
		.what = "the kernel gives up; with --flight the branches are in the crash dump",
		.source = "kernel/panic.c: panic(), since 6.17 vpanic()",
		.places = {"hw:vpanic", "hw:panic"},
	},
	{
		.name = "oom",
		.what = "the OOM killer has chosen a process, of the system or of a memory cgroup",
		.source = "mm/oom_kill.c: out_of_memory()",
		.places = {"hw:oom_kill_process", "tracepoint:oom:mark_victim"},
	},
	{
		.name = "segfault",
		.what = "a program's fault: SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGTRAP; its own "
			"branches before it",
		.source = "kernel/signal.c: force_sig_fault(), force_sig()",
		.places = {"force_sig_info_to_task"},
		.program = true,
	},
};

const struct preset *preset_at(size_t index)
{
	return index < ARRAY_SIZE(presets) ? &presets[index] : NULL;
}

const struct preset *preset_find(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(presets); i++)
		if (!strcmp(presets[i].name, name))
			return &presets[i];
	return NULL;
}

int preset_parse(const char *name, struct target_spec *spec, struct errmsg *msg)
{
	if (strcmp(name, "all") && !preset_find(name)) {
		errmsg_set(msg, -EINVAL, "target '%s': no such preset; there are", spec->text);
		for (size_t i = 0; i < ARRAY_SIZE(presets); i++)
			errmsg_add(msg, " %s,", presets[i].name);
		errmsg_add(msg, " and all");
		return -EINVAL;
	}
	spec->preset = true;
	spec->name = strdup(name);
	return spec->name ? 0 : -ENOMEM;
}

/* The kernel's function that forces a signal on the program: the program's error is elsewhere. */
static int add_signal(struct resolver *resolver, const struct preset *preset,
		      struct probe_list *list, struct errmsg *msg)
{
	struct symbol sym;
	struct probe *probe;

	if (resolver_symbol(resolver, preset->places[0], &sym))
		return errmsg_set(msg, -ENOENT, "no function '%s' in this kernel",
				  preset->places[0]);
	probe = probe_list_add(list);
	if (!probe)
		return -ENOMEM;
	probe->trigger.kind = TRIGGER_SIGNAL;
	probe->trigger.addr = sym.addr;
	probe->trigger.function = strdup("");
	probe->trigger.module = strdup("");
	probe->ret = RETURN_NONE;
	return probe->trigger.function && probe->trigger.module ? 0 : -ENOMEM;
}

static int add_place(struct resolver *resolver, const char *place, struct probe_list *list,
		     struct errmsg *msg)
{
	struct target_spec spec;
	int err = target_parse(place, &spec, msg);

	if (err)
		return err;
	err = resolver_add(resolver, &spec, list, msg);
	target_spec_deinit(&spec);
	return err;
}

static int add_preset(struct resolver *resolver, const struct preset *preset,
		      struct probe_list *list, struct errmsg *msg)
{
	size_t before = list->count;
	struct errmsg why = {};
	int err = -ENOENT;

	if (preset->program)
		err = add_signal(resolver, preset, list, &why);
	for (size_t i = 0;
	     !preset->program && err && i < ARRAY_SIZE(preset->places) && preset->places[i]; i++)
		err = add_place(resolver, preset->places[i], list, &why);
	if (err)
		return errmsg_set(msg, err, "preset:%s cannot be had here: %s", preset->name,
				  why.text);
	for (size_t i = before; i < list->count; i++) {
		struct trigger *trigger = &list->items[i].trigger;

		trigger->preset = true;
		free(trigger->target);
		if (asprintf(&trigger->target, "preset:%s", preset->name) < 0) {
			trigger->target = NULL;
			return -ENOMEM;
		}
	}
	return 0;
}

int preset_add(struct resolver *resolver, const struct target_spec *spec, struct probe_list *list,
	       struct errmsg *msg)
{
	const struct preset *one = preset_find(spec->name);
	size_t before = list->count;
	struct errmsg why = {};

	if (one)
		return add_preset(resolver, one, list, msg);
	for (size_t i = 0; i < ARRAY_SIZE(presets); i++) {
		int err;

		if (presets[i].program)
			continue;
		err = add_preset(resolver, &presets[i], list, &why);
		if (err == -ENOMEM)
			return err;
		if (err)
			errmsg_add(msg, "%s%s", msg->text[0] ? "; " : "", why.text);
	}
	return list->count > before ? 0 : -ENOENT;
}
