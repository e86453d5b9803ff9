// SPDX-License-Identifier: GPL-2.0
#include "target/preset.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/cleanup.h"

#define PLACES_MAX ARRAY_SIZE(((struct preset *)NULL)->places)

/* Early places of faults, the first functions on the way that a breakpoint may stand on. */
#define AT_UD2                                                                                     \
	{                                                                                          \
		{"hw:report_bug"}, FAULT_UD2, false                                                \
	}
#define AT_WARN_PRINTK                                                                             \
	{                                                                                          \
		{"hw:__warn_printk"}, FAULT_WARN_PRINTK, false                                     \
	}
#define AT_PAGE_FAULT                                                                              \
	{                                                                                          \
		{"hw:page_fault_oops"}, FAULT_PAGE, false                                          \
	}
#define AT_FIXUP                                                                                   \
	{                                                                                          \
		{"hw:fixup_exception"}, FAULT_FIXUP, false                                         \
	}

/*
 * What has no fault_place cannot be entered without the error: nothing is asked in between. In this
 * order "all" gives the debug registers away.
 */
static const struct preset presets[] = {
	{
		.name = "warn",
		.what = "WARN(), WARN_ON() and the like: the kernel is surprised, and goes on",
		.source = "lib/bug.c: report_bug(); kernel/panic.c: __warn_printk(), __warn()",
		.places = {{{"kprobe:__warn"}, FAULT_WARN}, AT_UD2, AT_WARN_PRINTK},
	},
	{
		.name = "oops",
		.what = "an exception that the kernel does not expect of itself: bug, page-fault, "
			"general-protection, others",
		.source = "arch/x86/mm/fault.c: page_fault_oops(); arch/x86/kernel/dumpstack.c: "
			  "die(), die_addr()",
		.places = {{{"kprobe:page_fault_oops"}, FAULT_PAGE_OOPS},
			   {{"kprobe:die"}, FAULT_DIE},
			   {{"kprobe:die_addr"}, FAULT_DIE_ADDR},
			   AT_UD2,
			   AT_PAGE_FAULT,
			   AT_FIXUP},
	},
	{
		.name = "bug",
		.what = "BUG(), BUG_ON()",
		.source = "lib/bug.c: report_bug(); arch/x86/kernel/dumpstack.c: die()",
		.places = {{{"kprobe:die"}, FAULT_DIE_BUG}, AT_UD2},
		.part = true,
	},
	{
		.name = "page-fault",
		.what = "the kernel itself used a bad address",
		.source = "arch/x86/mm/fault.c: page_fault_oops(); arch/x86/mm/extable.c: "
			  "fixup_exception()",
		.places = {{{"kprobe:page_fault_oops"}, FAULT_PAGE_OOPS}, AT_PAGE_FAULT, AT_FIXUP},
		.part = true,
	},
	{
		.name = "general-protection",
		.what = "the kernel itself used an address that is none, or an instruction or MSR "
			"wrongly",
		.source = "arch/x86/kernel/dumpstack.c: die_addr(); arch/x86/mm/extable.c: "
			  "fixup_exception()",
		.places = {{{"kprobe:die_addr"}, FAULT_DIE_ADDR}, AT_FIXUP},
		.part = true,
	},
	{
		.name = "panic",
		.what = "the kernel gives up; with --flight the branches are in the crash dump",
		.source = "kernel/panic.c: panic(), since 6.17 vpanic()",
		.places = {{{"hw:vpanic", "hw:panic"}}},
	},
	{
		.name = "oom",
		.what = "the OOM killer has chosen a process, of the system or of a memory cgroup",
		.source = "mm/oom_kill.c: out_of_memory()",
		.places = {{{"hw:oom_kill_process", "tracepoint:oom:mark_victim"}}},
	},
	{
		.name = "segfault",
		.what = "a program's fault: SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGTRAP; its own "
			"branches before it",
		.source = "kernel/signal.c: force_sig_fault(), force_sig()",
		.places = {{{"force_sig_info_to_task"}}},
		.program = true,
	},
	{
		.name = "machine-check",
		.what = "the processor reports an error of the hardware",
		.source =
			"arch/x86/kernel/cpu/mce/core.c: machine_check_poll(), do_machine_check()",
		.places = {{{"hw:mce_log", "tracepoint:mce:mce_record"}}},
	},
	{
		.name = "error-report",
		.what = "KASAN, KFENCE: memory used that was freed, or beside its end",
		.source = "mm/kasan/report.c: kasan_report(); mm/kfence/report.c: "
			  "kfence_report_error(); arch/x86/mm/extable.c: fixup_exception()",
		.places = {{{"hw:kasan_report"}, FAULT_PLACE_NONE, true},
			   {{"hw:kfence_report_error"}, FAULT_KFENCE, true},
			   AT_FIXUP},
		.needs = "KASAN or KFENCE (CONFIG_KFENCE=y)",
	},
	{
		.name = "printk",
		.what = "a line of the kernel's log at level err or above (crit, alert, emerg)",
		.source = "kernel/printk/printk.c: vprintk_emit()",
		.places = {{{"hw:vprintk_emit"}, FAULT_PRINTK}},
	},
	{
		.name = "soft-lockup",
		.what = "a CPU has not scheduled for twice kernel.watchdog_thresh; the log tells "
			"of the culprit, no branch does",
		.source = "kernel/watchdog.c: watchdog_timer_fn(), by what it prints",
		.places = {{{"kprobe:vprintk_emit"}, FAULT_PRINTK_LOCKUP}},
	},
	{
		.name = "hung-task",
		.what = "a task sleeps in D state for longer than kernel.hung_task_timeout_secs; "
			"the branches are khungtaskd's, the log tells of the task",
		.source = "kernel/hung_task.c: check_hung_task()",
		.places = {{{"tracepoint:sched:sched_process_hang"}}},
		.until_oops = true,
	},
	{
		.name = "rcu-stall",
		.what = "RCU's grace period does not end; the log tells of the culprit, no branch "
			"does",
		.source = "kernel/rcu/tree_stall.h: print_cpu_stall(), print_other_cpu_stall(), by "
			  "what they print",
		.places = {{{"kprobe:vprintk_emit"}, FAULT_PRINTK_STALL}},
	},
};

int preset_for_each(target_row_fn *visit, void *ctx, struct errmsg *msg)
{
	int stop = 0;

	(void)msg;
	for (size_t i = 0; i < ARRAY_SIZE(presets) && !stop; i++) {
		char target[64];

		snprintf(target, sizeof(target), "preset:%s", presets[i].name);
		stop = visit((const char *[]){target, presets[i].what, presets[i].source}, ctx);
	}
	return stop;
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
static int add_signal(struct resolver *resolver, const char *name, struct probe_list *list,
		      struct errmsg *msg)
{
	struct symbol sym;
	struct probe *probe;

	if (resolver_symbol(resolver, name, &sym))
		return errmsg_set(msg, -ENOENT, "no function '%s' in this kernel", name);
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

static int add_target(struct resolver *resolver, const char *target, struct probe_list *list,
		      struct errmsg *msg)
{
	struct target_spec spec;
	int err = target_parse(target, &spec, msg);

	if (err)
		return err;
	err = resolver_add(resolver, &spec, list, msg);
	target_spec_deinit(&spec);
	return err;
}

static bool is_early(enum fault_place fault)
{
	return fault > FAULT_PLACE_NONE && fault < FAULT_WARN;
}

static int name_probe(struct probe *probe, const struct preset *preset,
		      const struct preset_place *place)
{
	struct trigger *trigger = &probe->trigger;

	trigger->preset = true;
	free(trigger->target);
	if (asprintf(&trigger->target, "preset:%s", preset->name) < 0) {
		trigger->target = NULL;
		return -ENOMEM;
	}
	probe->place = place->fault;
	probe->optional = is_early(place->fault);
	probe->gives_way = trigger->kind == TRIGGER_HW && !is_early(place->fault);
	return 0;
}

static int add_place(struct resolver *resolver, const struct preset *preset,
		     const struct preset_place *place, struct probe_list *list, struct errmsg *msg)
{
	size_t before = list->count;
	int err = -ENOENT;

	for (size_t i = 0; err && i < ARRAY_SIZE(place->targets) && place->targets[i]; i++)
		err = preset->program ? add_signal(resolver, place->targets[i], list, msg)
				      : add_target(resolver, place->targets[i], list, msg);
	for (size_t i = before; !err && i < list->count; i++)
		err = name_probe(&list->items[i], preset, place);
	return err;
}

/* Does place @index have to be there, now that @any of those of which one is enough is, or none? */
static bool must_have(const struct preset *preset, size_t index, bool any)
{
	const struct preset_place *place = &preset->places[index];

	if (is_early(place->fault))
		return false;
	if (!place->either)
		return true;
	return !any && (index + 1 == PLACES_MAX || !place[1].either);
}

/* Documentation/admin-guide/tainted-kernels.rst: bit 7, "kernel died recently" */
static bool has_oopsed(void)
{
	_cleanup_fclose_ FILE *f = fopen("/proc/sys/kernel/tainted", "re");
	unsigned long long tainted;

	return f && fscanf(f, "%llu", &tainted) == 1 && tainted & 1 << 7;
}

/* Without an early place there are fewer entries left; without the others, nothing. */
static int add_preset(struct resolver *resolver, const struct preset *preset,
		      struct probe_list *list, struct errmsg *msg)
{
	bool any = false;

	for (size_t i = 0; i < PLACES_MAX && preset->places[i].targets[0]; i++) {
		const struct preset_place *place = &preset->places[i];
		struct errmsg why = {};
		int err = add_place(resolver, preset, place, list, &why);

		if (err == -ENOMEM)
			return err;
		any = any || (place->either && !err);
		if (err && must_have(preset, i, any) && preset->needs)
			return errmsg_set(msg, err,
					  "preset:%s is not available here: this kernel was built "
					  "without %s",
					  preset->name, preset->needs);
		if (err && must_have(preset, i, any))
			return errmsg_set(msg, err, "preset:%s is not available here: %s",
					  preset->name, why.text);
		if (err && !place->either)
			errmsg_add(msg, "%spreset:%s keeps fewer entries here: %s",
				   msg->text[0] ? "; " : "", preset->name, why.text);
	}
	if (preset->until_oops && has_oopsed())
		errmsg_add(msg,
			   "%spreset:%s: this kernel has oopsed, and does not look for such tasks "
			   "any more: reboot it",
			   msg->text[0] ? "; " : "", preset->name);
	return 0;
}

int preset_add(struct resolver *resolver, const struct target_spec *spec, struct probe_list *list,
	       struct errmsg *msg)
{
	const struct preset *one = preset_find(spec->name);
	size_t before = list->count;

	if (one)
		return add_preset(resolver, one, list, msg);
	for (size_t i = 0; i < ARRAY_SIZE(presets); i++) {
		struct errmsg why = {};
		int err;

		if (presets[i].program || presets[i].part)
			continue;
		err = add_preset(resolver, &presets[i], list, &why);
		if (err == -ENOMEM)
			return err;
		if (why.text[0])
			errmsg_add(msg, "%s%s", msg->text[0] ? "; " : "", why.text);
	}
	return list->count > before ? 0 : -ENOENT;
}
