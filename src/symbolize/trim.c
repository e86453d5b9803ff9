// SPDX-License-Identifier: GPL-2.0
#include "symbolize/trim.h"

#include <string.h>

#include "symbolize/tracing.h"
#include "symbolize/symbols.h"
#include "util/address.h"
#include "util/cleanup.h"

/**
 * enum code_class - whose code an address is
 * @CODE_OTHER: of the story, as far as is known
 * @CODE_MACHINERY: runs only on the way from a trigger to the snapshot
 * @CODE_HELPER: everybody's, and called by machinery
 * @CODE_THUNK: where returns and indirect branches go through
 * @CODE_RETURN_TRAMPOLINE: machinery that functions return to instead of to their caller
 * @CODE_IRQ_EXIT: ends interrupts and exceptions: goes back to anywhere
 */
enum code_class {
	CODE_OTHER = 0,
	CODE_MACHINERY,
	CODE_HELPER,
	CODE_THUNK,
	CODE_RETURN_TRAMPOLINE,
	CODE_IRQ_EXIT,
};

/** struct name_class - names that begin with, end with (*...), or are exactly (...$) @pattern */
struct name_class {
	const char *pattern;
	enum code_class class;
};

/* The first that fits counts. Names of Linux 5.16 to 6.18. */
static const struct name_class name_classes[] = {
	/* kernel/bpf/trampoline.c, arch/x86/net/bpf_jit_comp.c */
	{"bpf_trampoline_", CODE_RETURN_TRAMPOLINE},
	{"bpf_prog_", CODE_MACHINERY},
	{"bpf_dispatcher_", CODE_MACHINERY},
	{"__bpf_prog_enter", CODE_MACHINERY},
	{"__bpf_prog_exit", CODE_MACHINERY},
	{"__bpf_tramp_", CODE_MACHINERY},
	{"bpf_get_branch_snapshot", CODE_MACHINERY},
	{"*snapshot_branch_stack", CODE_MACHINERY},
	{"*snapshot_arch_branch_stack", CODE_MACHINERY},
	{"intel_pmu_lbr_", CODE_MACHINERY},
	{"intel_pmu_arch_lbr_", CODE_MACHINERY},
	{"__intel_pmu_disable_all", CODE_MACHINERY},
	{"amd_pmu_lbr_", CODE_MACHINERY},
	{"amd_pmu_v2_", CODE_MACHINERY},
	/* kernel/trace/rethook.c, arch/x86/kernel/rethook.c, kprobes/core.c, ftrace_64.S */
	{"arch_rethook_trampoline$", CODE_RETURN_TRAMPOLINE},
	{"kretprobe_trampoline$", CODE_RETURN_TRAMPOLINE},
	{"__kretprobe_trampoline$", CODE_RETURN_TRAMPOLINE},
	{"return_to_handler$", CODE_RETURN_TRAMPOLINE},
	{"arch_rethook_", CODE_MACHINERY},
	{"rethook_", CODE_MACHINERY},
	{"kretprobe_", CODE_MACHINERY},
	{"__kretprobe_", CODE_MACHINERY},
	{"trampoline_handler$", CODE_MACHINERY},
	{"kprobe_", CODE_MACHINERY},
	{"kprobes_", CODE_MACHINERY},
	{"__kprobe_", CODE_MACHINERY},
	{"aggr_pre_handler$", CODE_MACHINERY},
	{"aggr_post_handler$", CODE_MACHINERY},
	{"opt_pre_handler$", CODE_MACHINERY},
	{"optimized_callback$", CODE_MACHINERY},
	{"get_kprobe$", CODE_MACHINERY},
	{"setup_singlestep$", CODE_MACHINERY},
	{"fprobe_", CODE_MACHINERY},
	{"ftrace_", CODE_MACHINERY},
	{"arch_ftrace_", CODE_MACHINERY},
	{"__fentry__$", CODE_MACHINERY},
	{"asm_exc_int3$", CODE_MACHINERY},
	{"exc_int3$", CODE_MACHINERY},
	{"do_int3", CODE_MACHINERY},
	/* include/trace, kernel/trace/bpf_trace.c, kernel/trace/trace_event_perf.c */
	{"__SCT__tp_func_", CODE_MACHINERY},
	{"__traceiter_", CODE_MACHINERY},
	{"__bpf_trace_", CODE_MACHINERY},
	{"perf_trace_", CODE_MACHINERY},
	{"trace_event_raw_event_", CODE_MACHINERY},
	{"bpf_trace_run", CODE_MACHINERY},
	{"__bpf_trace_run", CODE_MACHINERY},
	{"trace_call_bpf$", CODE_MACHINERY},
	{"perf_call_bpf", CODE_MACHINERY},
	{"perf_syscall_", CODE_MACHINERY},
	{"perf_tp_event$", CODE_MACHINERY},
	/* kernel/events/core.c */
	{"__perf_sw_event$", CODE_MACHINERY},
	{"___perf_sw_event$", CODE_MACHINERY},
	{"perf_swevent_event$", CODE_MACHINERY},
	{"perf_swevent_overflow$", CODE_MACHINERY},
	{"perf_swevent_hrtimer$", CODE_MACHINERY},
	{"__perf_event_overflow$", CODE_MACHINERY},
	{"__perf_event_account_interrupt$", CODE_MACHINERY},
	{"bpf_overflow_handler$", CODE_MACHINERY},
	/* arch/x86/lib/retpoline.S */
	{"*_return_thunk", CODE_THUNK},
	{"__x86_indirect_", CODE_THUNK},
	{"srso_", CODE_THUNK},
	{"zen_untrain_ret", CODE_THUNK},
	{"retbleed_", CODE_THUNK},
	{"clear_bhb_loop", CODE_THUNK},
	{"__bhi_args", CODE_THUNK},
	{"__SCT__", CODE_THUNK},
	/* arch/x86/entry/entry_64.S */
	{"native_irq_return_", CODE_IRQ_EXIT},
	{"native_iret$", CODE_IRQ_EXIT},
	{"common_interrupt_return", CODE_IRQ_EXIT},
	{"restore_regs_and_return_to_kernel", CODE_IRQ_EXIT},
	{"swapgs_restore_regs_and_return_to_usermode", CODE_IRQ_EXIT},
	{"paranoid_exit", CODE_IRQ_EXIT},
	{"error_return", CODE_IRQ_EXIT},
	{"asm_", CODE_IRQ_EXIT},
	{"end_repeat_nmi", CODE_IRQ_EXIT},
	{"nmi_restore", CODE_IRQ_EXIT},
	{"xen_iret", CODE_IRQ_EXIT},
	/* what the above call */
	{"migrate_disable$", CODE_HELPER},
	{"migrate_enable$", CODE_HELPER},
	{"__rcu_read_lock$", CODE_HELPER},
	{"__rcu_read_unlock$", CODE_HELPER},
	{"rcu_read_", CODE_HELPER},
	{"rcu_is_watching$", CODE_HELPER},
	{"rcu_nmi_", CODE_HELPER},
	{"preempt_count_", CODE_HELPER},
	{"bpf_get_", CODE_HELPER},
	{"bpf_ktime_get_", CODE_HELPER},
	{"sched_clock", CODE_HELPER},
	{"native_sched_clock", CODE_HELPER},
	{"perf_swevent_", CODE_HELPER},
	{"native_read_msr", CODE_HELPER},
	{"native_write_msr", CODE_HELPER},
	{"memcpy", CODE_HELPER},
	{"memset", CODE_HELPER},
};

/**
 * struct trim_place - what is known of one end of a branch
 * @kernel: in the kernel's half
 * @in_func: of the function that triggered
 * @start: a function begins here; @debug: that is asm_exc_debug
 */
struct trim_place {
	enum code_class class;
	bool kernel;
	bool in_func;
	bool start;
	bool debug;
};

/** struct trim_entry - ... and of both */
struct trim_entry {
	struct trim_place from;
	struct trim_place to;
};

/** struct trimmer - one snapshot being trimmed; the newest entry is the last */
struct trimmer {
	const struct snapshot *snap;
	struct symbols *syms;
	size_t count;
	struct trim_entry entries[BRANCHES_MAX];
};

static bool name_matches(const char *name, const char *pattern)
{
	size_t len = strlen(pattern), name_len;

	if (pattern[0] == '*') {
		name_len = strlen(name);
		return name_len >= len - 1 && strcmp(name + name_len - (len - 1), pattern + 1) == 0;
	}
	if (pattern[len - 1] == '$')
		return strncmp(name, pattern, len - 1) == 0 && name[len - 1] == '\0';
	return strncmp(name, pattern, len) == 0;
}

static enum code_class find_class(const struct symbol *sym)
{
	for (size_t i = 0; i < ARRAY_SIZE(name_classes); i++) {
		const char *pattern = name_classes[i].pattern;

		if ((pattern[0] == sym->name[0] || pattern[0] == '*') &&
		    name_matches(sym->name, pattern))
			return name_classes[i].class;
	}
	return CODE_OTHER;
}

static enum code_class class_of_symbol(struct symbols *syms, const struct symbol *sym)
{
	uint8_t *note = symbols_note(syms, sym->name, NOTE_TRIM);

	if (!*note)
		*note = (uint8_t)(1 + find_class(sym));
	return (enum code_class)(*note - 1);
}

static struct trim_place classify(struct trimmer *trim, uint64_t addr, struct symbol *ret_sym)
{
	const struct trigger *trigger = trim->snap->trigger;
	struct trim_place place = {.class = CODE_OTHER};

	*ret_sym = (struct symbol){};
	place.kernel = address_is_kernel(addr);
	place.in_func = trigger->func_addr && addr - trigger->func_addr < trigger->func_size;
	if (!place.kernel || symbols_find(trim->syms, addr, ret_sym) || place.in_func)
		return place;
	place.start = addr == ret_sym->addr;
	place.debug = place.start && !strcmp(ret_sym->name, "asm_exc_debug");
	place.in_func = trigger->function && trigger->function[0] &&
			symbols_same_function(ret_sym, trigger->function,
					      trigger->module ? trigger->module : "");
	if (!place.in_func)
		place.class = class_of_symbol(trim->syms, ret_sym);
	return place;
}

static bool is_machinery(enum code_class class)
{
	return class == CODE_MACHINERY || class == CODE_RETURN_TRAMPOLINE;
}

/*
 * The branch that went into a thunk which entry @i comes out of; @i itself if it comes out of
 * none. The same as @i if that is not in the snapshot any more.
 */
static size_t origin_of(const struct trimmer *trim, size_t i)
{
	size_t at = i;

	while (at > 0 && trim->entries[at].from.class == CODE_THUNK)
		at--;
	return trim->entries[at].from.class == CODE_THUNK ? i : at;
}

/* Does this branch come out of the story's code, directly or through a thunk? */
static bool leaves_story(const struct trimmer *trim, size_t i)
{
	return trim->entries[origin_of(trim, i)].from.class == CODE_OTHER;
}

/* How many entries stay if the newest that stays is @i, and thunks that carry on from it. */
static size_t keep_with_thunks(const struct trimmer *trim, size_t i)
{
	while (i + 1 < trim->count && trim->entries[i].to.class == CODE_THUNK &&
	       trim->entries[i + 1].from.class == CODE_THUNK)
		i++;
	return i + 1;
}

/*
 * The newest call of machinery by the story's code; both ends are known, and what machinery
 * calls comes back to the middle of it. If there is none, but machinery, all that the snapshot
 * holds was taken since that call.
 */
static size_t keep_to_call(const struct trimmer *trim)
{
	bool machinery = false;

	for (size_t i = trim->count; i-- > 0;) {
		const struct trim_entry *entry = &trim->entries[i];

		if (is_machinery(entry->to.class) && entry->to.start && leaves_story(trim, i))
			return i + 1;
		machinery = machinery || is_machinery(entry->from.class);
	}
	return machinery ? 0 : trim->count;
}

/*
 * Calls or returns are not recorded: everything up to the newest entry that is no machinery's,
 * nor of a function that it calls. May show too much, but hides nothing of the story.
 */
static size_t keep_by_names(const struct trimmer *trim)
{
	size_t keep = trim->count, machinery = trim->count;

	for (; keep > 0; keep--) {
		enum code_class class = trim->entries[keep - 1].from.class;

		if (is_machinery(class))
			machinery = keep - 1;
		else if (class == CODE_OTHER)
			break;
	}
	/* Helpers and thunks before the first machinery are the story's own. */
	return machinery;
}

static size_t keep_otherwise(const struct trimmer *trim)
{
	return trim->snap->path_ok ? keep_to_call(trim) : keep_by_names(trim);
}

/* The function has returned, to machinery that stands for its caller. */
static size_t keep_to_return(const struct trimmer *trim)
{
	size_t function = trim->count, border = trim->count, keep;

	for (size_t i = trim->count; i-- > 0 && function == trim->count;) {
		if (border == trim->count && trim->entries[i].to.class == CODE_RETURN_TRAMPOLINE &&
		    leaves_story(trim, i))
			border = i;
		if (trim->entries[i].from.in_func)
			function = i;
	}
	if (function < trim->count && trim->snap->path_ok) {
		keep = keep_with_thunks(trim, function);
		/* If it did not leave for the trampoline, another function returned for it. */
		if (trim->entries[keep - 1].to.class == CODE_RETURN_TRAMPOLINE ||
		    border == trim->count || border < keep)
			return keep;
	}
	return border < trim->count ? border + 1 : keep_otherwise(trim);
}

/* Nothing of a function comes before the call at its entry: endbr64, then the call. */
#define FENTRY_CALL_MAX 9

/* The function was entered, or the probed instruction of it reached. */
static size_t keep_to_entry(const struct trimmer *trim)
{
	const struct snapshot *snap = trim->snap;

	for (size_t i = trim->count; i-- > 0;) {
		const struct trim_entry *entry = &trim->entries[i];
		uint64_t offset = snap->branches[i].from - snap->trigger->func_addr;

		if (entry->to.in_func)
			return i + 1;
		/* Into machinery by the call at its entry, or by the breakpoint's exception. */
		if (entry->from.in_func)
			return is_machinery(entry->to.class) || offset < FENTRY_CALL_MAX ? i
											 : i + 1;
	}
	return keep_otherwise(trim);
}

/* Did an LBR that records every branch end somewhere else than in the function? */
static bool ends_elsewhere(const struct trimmer *trim)
{
	const struct snapshot *snap = trim->snap;

	return trim->count && snap->path_ok && snap->trigger->function &&
	       snap->trigger->function[0] && !trim->entries[trim->count - 1].to.in_func;
}

/*
 * Entries up to the debug exception. The CPU stops recording before it (SDM vol. 3B, 17.4.2). AMD's
 * manual leaves open whether the transfer to the handler is recorded first (APM vol. 2, 13.1.1.8).
 * If an AMD CPU goes on all the same, everything from the exception on is the capture's; if the
 * exception is no longer in the record, that is every entry.
 */
static size_t keep_before_exception(const struct trimmer *trim)
{
	const struct snapshot *snap = trim->snap;

	/* Its start: what it calls returns to the middle. */
	for (size_t i = trim->count; i-- > 0;)
		if (trim->entries[i].to.debug)
			return i;
	if (snap->lbr && snap->lbr->supported & LBR_HAS_SPEC && ends_elsewhere(trim))
		return 0;
	return trim->count;
}

/* From the newest branch that ended in user space on the kernel was at work, handling the trap. */
static size_t keep_to_user(const struct trimmer *trim)
{
	size_t keep = trim->count;

	while (keep > 0 && trim->entries[keep - 1].to.kernel)
		keep--;
	return keep;
}

/* Up to the newest branch into the function at fault, from where it ran on to its end. */
static size_t keep_into_function(const struct trimmer *trim)
{
	struct symbol fault, sym;
	size_t keep = trim->count;

	if (symbols_find(trim->syms, trim->snap->ip, &fault))
		return 0;
	for (; keep > 0; keep--) {
		uint64_t to = trim->snap->branches[keep - 1].to;

		if (to <= trim->snap->ip && !symbols_find(trim->syms, to, &sym) &&
		    sym.addr == fault.addr)
			break;
	}
	return keep;
}

/*
 * The exception, or the call that prints a WARN's text; and nothing, if not even that is left.
 *
 * The driver of architectural LBR throws away what it cannot classify, exceptions in the kernel
 * among it (branch_type() of arch/x86/events/utils.c): there the exception is never found.
 */
static size_t keep_to_fault(const struct trimmer *trim)
{
	size_t keep = trim->count;

	while (keep > 0 && trim->snap->branches[keep - 1].from != trim->snap->ip)
		keep--;
	if (keep > 0)
		return keep - 1;
	return trim->snap->lbr->supported & LBR_HAS_TYPE ? keep_into_function(trim) : 0;
}

static bool any_to_kernel(const struct trimmer *trim)
{
	for (size_t i = 0; i < trim->count; i++)
		if (trim->entries[i].to.kernel)
			return true;
	return false;
}

/*
 * Up to the call that tells of the event. That of a clock comes in the interrupt of its timer,
 * which is there for the capture alone.
 */
static size_t keep_to_event(const struct trimmer *trim)
{
	size_t keep;
	struct symbol sym;

	/* The kernel's are filtered out, ours among them. */
	if (!any_to_kernel(trim))
		return trim->count;
	keep = keep_otherwise(trim);
	if (keep && !symbols_find(trim->syms, trim->snap->branches[keep - 1].to, &sym) &&
	    !strcmp(sym.name, "perf_swevent_hrtimer"))
		return keep_to_fault(trim);
	return keep;
}

static size_t keep_count(const struct trimmer *trim)
{
	switch (trigger_traits(trim->snap->trigger->kind)->spends) {
	case SPENDS_FROM_RETURN:
		return keep_to_return(trim);
	case SPENDS_FROM_ENTRY:
		return keep_to_entry(trim);
	case SPENDS_TRACER:
		return keep_otherwise(trim);
	case SPENDS_FROM_EXCEPTION:
		return keep_before_exception(trim);
	case SPENDS_FROM_FAULT:
		return keep_to_fault(trim);
	case SPENDS_FROM_EVENT:
		return keep_to_event(trim);
	case SPENDS_KERNEL:
		return keep_to_user(trim);
	default:
		return trim->count;
	}
}

/* The newest branch from user space into the kernel, or 0. */
static size_t kernel_entry(const struct snapshot *snap, size_t keep)
{
	for (size_t i = keep; i-- > 0;)
		if (!address_is_kernel(snap->branches[i].from) &&
		    address_is_kernel(snap->branches[i].to))
			return i;
	return 0;
}

void snapshot_trim(struct snapshot *snap, struct symbols *syms)
{
	struct trimmer trim = {.snap = snap, .syms = syms};
	struct branch_symbols found[BRANCHES_MAX];
	size_t keep;

	trim.count = snap->count < BRANCHES_MAX ? snap->count : BRANCHES_MAX;
	keep = trim.count;
	if (snap->trigger && snap->trigger->kind != TRIGGER_NONE) {
		for (size_t i = 0; i < trim.count; i++) {
			const struct branch *br = &snap->branches[i];

			trim.entries[i].from = classify(&trim, br->from, &found[i].from);
			trim.entries[i].to = classify(&trim, br->to, &found[i].to);
		}
		keep = keep_count(&trim);
	}
	snap->wasted = (uint32_t)(trim.count - keep);
	snap->shown_from = trigger_is_user(snap->trigger) ? 0 : (uint32_t)kernel_entry(snap, keep);
	snapshot_mark_tracing(snap, syms, found);
}
