// SPDX-License-Identifier: GPL-2.0
#include "target/switches.h"

#include <stdio.h>
#include <string.h>

#include "util/cleanup.h"

static bool is_zero(const char *path)
{
	_cleanup_fclose_ FILE *file = fopen(path, "re");

	return file && getc(file) == '0';
}

struct switches switches_read_at(const char *kprobes, const char *ftrace)
{
	return (struct switches){.kprobes_off = is_zero(kprobes), .ftrace_off = is_zero(ftrace)};
}

/* Where the function has ENDBR64, the tracer's place is behind it. */
static bool is_entry(const struct trigger *trigger)
{
	return trigger->addr == trigger->func_addr || trigger->addr == trigger->func_addr + 4;
}

/* The kernel patches a BPF program without ftrace: register_fentry() of kernel/bpf/trampoline.c. */
static bool is_bpf_program(const struct trigger *trigger)
{
	return trigger->module && !strcmp(trigger->module, "bpf");
}

const char *switches_stop(const struct switches *switches, const struct probe *probe)
{
	const struct trigger *trigger = &probe->trigger;
	const struct trigger_traits *traits = trigger_traits(trigger->kind);

	if (switches->ftrace_off && !is_bpf_program(trigger) &&
	    (traits->by_ftrace || (traits->by_kprobes && is_entry(trigger))))
		return "it would never fire: kernel.ftrace_enabled is 0; " SWITCH_FTRACE_ON;
	if (switches->ftrace_off && probe_needs_exit(probe))
		return "its check at the function's exit would never fire: kernel.ftrace_enabled "
		       "is 0; " SWITCH_FTRACE_ON;
	if (switches->kprobes_off && traits->by_kprobes)
		return "it would never fire: kprobes are switched off; " SWITCH_KPROBES_ON;
	return NULL;
}

struct switches switches_read(void)
{
	return switches_read_at("/sys/kernel/debug/kprobes/enabled",
				"/proc/sys/kernel/ftrace_enabled");
}
