// SPDX-License-Identifier: GPL-2.0
#include "symbolize/tracing.h"

#include <string.h>

#include "symbolize/place.h"
#include "symbolize/symbols.h"
#include "symbolize/user/userspace.h"
#include "util/address.h"
#include "util/cleanup.h"

/**
 * enum tracer - how the code of a tracer is entered, and with that, how it is left
 * @TRACER_TRAMPOLINE: jumped to, called or returned to, anywhere in it; left from within, to the
 *                     middle of a function: what it calls starts at a function's start
 * @TRACER_CALLED: called at its start; left to behind the call
 * @TRACER_EXCEPTION: entered by an exception at its start; left by an IRET
 * @TRACER_IN_EXCEPTION: proof that we are inside of such a one
 */
enum tracer {
	TRACER_NONE = 0,
	TRACER_TRAMPOLINE,
	TRACER_CALLED,
	TRACER_EXCEPTION,
	TRACER_IN_EXCEPTION,
};

/*
 * How these names begin, or, with $, what they are; # is a digit. Linux 5.16 to 6.18. The first
 * that fits counts.
 */
static const struct {
	const char *pattern;
	enum tracer tracer;
} tracers[] = {
	/* kernel/bpf/trampoline.c, arch/x86/net/bpf_jit_comp.c */
	{"bpf_trampoline_#", TRACER_TRAMPOLINE},
	/* arch/x86/kernel/ftrace_64.S: the labels within it are symbols, too */
	{"ftrace_caller", TRACER_TRAMPOLINE},
	{"ftrace_call$", TRACER_TRAMPOLINE},
	{"ftrace_regs_call", TRACER_TRAMPOLINE},
	{"ftrace_graph_caller$", TRACER_TRAMPOLINE},
	{"ftrace_epilogue$", TRACER_TRAMPOLINE},
	{"ftrace_stub", TRACER_TRAMPOLINE},
	{"ftrace_trampoline$", TRACER_TRAMPOLINE},
	{"return_to_handler$", TRACER_TRAMPOLINE},
	/* arch/x86/kernel/rethook.c, kprobes/core.c, kprobes/opt.c; kernel/kprobes.c */
	{"arch_rethook_trampoline", TRACER_TRAMPOLINE},
	{"__kretprobe_trampoline", TRACER_TRAMPOLINE},
	{"kretprobe_trampoline", TRACER_TRAMPOLINE},
	{"kprobe_insn_page", TRACER_TRAMPOLINE},
	{"kprobe_optinsn_page", TRACER_TRAMPOLINE},
	/* include/linux/tracepoint.h, include/trace/ */
	{"__SCT__tp_func_", TRACER_CALLED},
	{"__traceiter_", TRACER_CALLED},
	{"__bpf_trace_", TRACER_CALLED},
	{"trace_event_raw_event_", TRACER_CALLED},
	{"perf_syscall_enter$", TRACER_CALLED},
	{"perf_syscall_exit$", TRACER_CALLED},
	/* kernel/trace/trace_event_perf.c: no probes, for all their names */
	{"perf_trace_init$", TRACER_NONE},
	{"perf_trace_destroy$", TRACER_NONE},
	{"perf_trace_add$", TRACER_NONE},
	{"perf_trace_del$", TRACER_NONE},
	{"perf_trace_event_", TRACER_NONE},
	{"perf_trace_", TRACER_CALLED},
	/* arch/x86/entry/entry_64.S: INT3 of kprobes, #DB of breakpoints */
	{"asm_exc_int3$", TRACER_EXCEPTION},
	{"asm_exc_debug$", TRACER_EXCEPTION},
	{"exc_int3$", TRACER_IN_EXCEPTION},
	{"do_int3", TRACER_IN_EXCEPTION},
	{"exc_debug$", TRACER_IN_EXCEPTION},
	{"paranoid_exit$", TRACER_IN_EXCEPTION},
};

/* Where a kernel comes back from an exception: labels of entry_64.S around the IRET. */
static const char *const irets[] = {
	"native_irq_return_iret",
	"native_iret",
	"early_xen_iret_patch",
	"restore_regs_and_return_to_kernel",
};

/** struct spot - one end of a branch; @start: of a symbol */
struct spot {
	enum tracer tracer;
	bool thunk;
	bool iret;
	bool start;
};

/** struct branch_spots - ... and both */
struct branch_spots {
	struct spot from;
	struct spot to;
};

/**
 * struct marker - where the walk through the branches, oldest first, is
 * @in: whose code runs now
 * @call: address of the call that entered it
 * @origin: of the newest branch that came from no thunk
 */
struct marker {
	enum tracer in;
	uint64_t call;
	struct spot origin;
};

/* The instruction that a uprobe replaced is executed there, and functions return to there. */
static bool in_uprobes(struct symbols *syms, uint64_t addr)
{
	struct symbol sym;

	return !address_is_kernel(addr) && !symbols_find(syms, addr, &sym) &&
	       !strcmp(sym.name, USERSPACE_UPROBES);
}

/* A CALL takes up to 7 bytes, and a few more with prefixes. */
#define CALL_BYTES_MAX 9

static bool name_fits(const char *name, const char *pattern)
{
	while (*name && *name == *pattern) {
		name++;
		pattern++;
	}
	if (*pattern == '#')
		return *name >= '0' && *name <= '9';
	return !*pattern || (*pattern == '$' && !*name);
}

static enum tracer find_tracer(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(tracers); i++)
		if (name_fits(name, tracers[i].pattern))
			return tracers[i].tracer;
	return TRACER_NONE;
}

static enum tracer tracer_of(struct symbols *syms, const char *name)
{
	uint8_t *note = symbols_note(syms, name, NOTE_TRACER);

	if (!*note)
		*note = (uint8_t)(1 + find_tracer(name));
	return (enum tracer)(*note - 1);
}

static bool is_iret(struct symbols *syms, const char *name)
{
	uint8_t *note = symbols_note(syms, name, NOTE_IRET);

	for (size_t i = 0; !*note && i < ARRAY_SIZE(irets); i++)
		if (!strcmp(name, irets[i]))
			*note = 2;
	if (!*note)
		*note = 1;
	return *note == 2;
}

static struct spot look(struct symbols *syms, const struct symbol *sym, uint64_t addr)
{
	if (!sym->name)
		return (struct spot){.tracer = TRACER_NONE};
	return (struct spot){
		.tracer = tracer_of(syms, sym->name),
		.start = addr == sym->addr,
		.thunk = place_is_thunk(place_in_symbol(syms, sym, addr)),
		.iret = is_iret(syms, sym->name),
	};
}

static enum tracer entered(const struct spot *to)
{
	switch (to->tracer) {
	case TRACER_TRAMPOLINE:
		return TRACER_TRAMPOLINE;
	case TRACER_CALLED:
	case TRACER_EXCEPTION:
		return to->start ? to->tracer : TRACER_NONE;
	default:
		return TRACER_NONE;
	}
}

static bool left(const struct marker *m, const struct spot *to, uint64_t addr)
{
	switch (m->in) {
	case TRACER_TRAMPOLINE:
		return m->origin.tracer == TRACER_TRAMPOLINE && !to->tracer && !to->thunk &&
		       !to->start;
	case TRACER_CALLED:
		return addr > m->call && addr - m->call <= CALL_BYTES_MAX;
	default:
		return m->origin.iret && !to->iret;
	}
}

/* Whose code ran before the oldest branch? Told by how it is left, if it is. */
static enum tracer at_start(const struct branch_spots *spots, uint32_t count)
{
	bool exception = false;

	for (uint32_t i = 0; i < count; i++) {
		const struct spot *from = &spots[i].from, *to = &spots[i].to;

		exception |=
			from->tracer == TRACER_EXCEPTION || from->tracer == TRACER_IN_EXCEPTION;
		if (from->tracer == TRACER_TRAMPOLINE)
			return TRACER_TRAMPOLINE;
		if (from->iret && !to->iret)
			return exception ? TRACER_EXCEPTION : TRACER_NONE;
		if (entered(to))
			return TRACER_NONE;
	}
	return TRACER_NONE;
}

void snapshot_mark_tracing(struct snapshot *snap, struct symbols *syms,
			   const struct branch_symbols *found)
{
	uint32_t keep = snap->wasted < snap->count ? snap->count - snap->wasted : 0;
	struct branch_spots spots[BRANCHES_MAX];
	struct marker m = {0};
	bool before;

	snap->tracing = 0;
	if (!snap->path_ok || !snap->trigger || snap->trigger->kind == TRIGGER_NONE)
		return;
	if (keep > BRANCHES_MAX)
		keep = BRANCHES_MAX;
	for (uint32_t i = 0; i < keep; i++)
		spots[i] = (struct branch_spots){
			.from = look(syms, &found[i].from, snap->branches[i].from),
			.to = look(syms, &found[i].to, snap->branches[i].to)};
	m.in = at_start(spots, keep);
	before = m.in != TRACER_NONE;
	for (uint32_t i = 0; i < keep; i++) {
		struct branch *br = &snap->branches[i];
		const struct spot *from = &spots[i].from, *to = &spots[i].to;

		if (!from->thunk)
			m.origin = *from;
		if (m.in && left(&m, to, br->to))
			m.in = TRACER_NONE;
		else if (!m.in) {
			m.in = entered(to);
			m.call = br->from;
		}
		/* The newest one is where the story's code ends, not where the tracer's begins. */
		br->tracing = (m.in || in_uprobes(syms, br->to)) && (before || i + 1 < keep);
		if (i >= snap->shown_from)
			snap->tracing += br->tracing || before;
		before = br->tracing;
	}
}
