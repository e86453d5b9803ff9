// SPDX-License-Identifier: GPL-2.0
/* Stacks and registers: which frames are shown, what they are called, how they look */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "render/backtrace.h"
#include "symbolize/stack_frame.h"
#include "util/cleanup.h"

#define KERNEL 0xffffffff81000000ull
#define BPF    0xffffffffc0000000ull

static struct symbols *symbols;

static const struct symbol table[] = {
	{"report_bug", "", KERNEL, 0x100},
	{"asm_exc_invalid_op", "", KERNEL + 0x100, 0x100},
	{"alpha", "mod", KERNEL + 0x200, 0x100},
	{"beta", "", KERNEL + 0x300, 0x100},
	{"asm_sysvec_apic_timer_interrupt", "", KERNEL + 0x400, 0x100},
	{"delta", "", KERNEL + 0x500, 0x100},
	{"bpf_prog_12_preset_fentry", "bpf", BPF, 0x100},
	{"bpf_trampoline_1", "bpf", BPF + 0x1000, 0x100},
};

/* As an exception leaves it: the handler, the function at fault, and its callers. */
static const uint64_t fault_stack[] = {
	KERNEL + 0x10,	/* report_bug */
	KERNEL + 0x110, /* asm_exc_invalid_op */
	KERNEL + 0x220, /* alpha, at fault */
	KERNEL + 0x400, /* beta called, as its last instruction */
	KERNEL + 0x410, /* asm_sysvec_apic_timer_interrupt */
	KERNEL + 0x500, /* delta, interrupted at its first instruction */
};

static char *print(const struct snapshot *snap, bool raw, bool regs)
{
	struct backtrace_view view = {.symbols = symbols, .text.raw = raw};
	char *text = NULL;
	size_t len;
	FILE *out = open_memstream(&text, &len);

	assert_non_null(out);
	if (regs)
		render_registers(out, snap, &view);
	else
		render_backtrace(out, snap, &view);
	fclose(out);
	return text;
}

static void backtrace_fault_begins_where_it_happened(void **state)
{
	struct trigger trigger = {.kind = TRIGGER_FAULT};
	uint64_t regs[PTREG_COUNT] = {[PTREG_IP] = KERNEL + 0x220};
	struct snapshot snap = {.trigger = &trigger,
				.regs = regs,
				.stack = fault_stack,
				.stack_count = ARRAY_SIZE(fault_stack)};
	_cleanup_free_ char *text = NULL, *all = NULL, *none = NULL;

	(void)state;
	assert_int_equal(backtrace_first(symbols, &snap), 2);
	text = print(&snap, false, false);
	assert_string_equal(text, "  stack\n"
				  "    alpha+0x20 [mod]\n"
				  "    beta+0x100\n"
				  "    asm_sysvec_apic_timer_interrupt+0x10\n"
				  "    delta+0\n\n");
	snap.stack_cut = true;
	all = print(&snap, true, false);
	assert_string_equal(all, "  stack\n"
				 "    report_bug+0x10\n"
				 "    asm_exc_invalid_op+0x10\n"
				 "    alpha+0x20 [mod]\n"
				 "    beta+0x100\n"
				 "    asm_sysvec_apic_timer_interrupt+0x10\n"
				 "    delta+0\n"
				 "    ... and further ones, which were not kept\n\n");
	snap.stack = NULL;
	none = print(&snap, false, false);
	assert_string_equal(none, "");
}

/* fentry: the programs that took the snapshot come first; they are no frames of the event. */
static void backtrace_tracing_is_left_out(void **state)
{
	static const uint64_t stack[] = {BPF + 0x20, BPF + 0x1020, KERNEL + 0x305, KERNEL + 0x520};
	struct trigger trigger = {.kind = TRIGGER_FENTRY};
	struct snapshot snap = {
		.trigger = &trigger, .stack = stack, .stack_count = ARRAY_SIZE(stack)};
	struct backtrace_frame frame;

	(void)state;
	assert_int_equal(backtrace_first(symbols, &snap), 2);
	backtrace_frame(symbols, &snap, 2, &frame);
	assert_true(frame.known && frame.is_return);
	assert_string_equal(frame.sym.name, "beta");
	/* nothing else there: all is shown */
	snap.stack_count = 2;
	assert_int_equal(backtrace_first(symbols, &snap), 0);
	assert_int_equal(backtrace_first(NULL, &snap), 0);
}

static void registers_all_stand_in_their_places(void **state)
{
	struct trigger trigger = {.kind = TRIGGER_FAULT};
	uint64_t regs[PTREG_COUNT];
	struct snapshot snap = {.trigger = &trigger, .regs = regs};
	_cleanup_free_ char *text = NULL, *none = NULL;

	(void)state;
	for (uint64_t i = 0; i < PTREG_COUNT; i++)
		regs[i] = 0xa0 + i;
	regs[PTREG_IP] = KERNEL + 0x220;
	regs[PTREG_CS] = 0xabcd00000010; /* as FRED does */
	regs[PTREG_SS] = 0x18;
	regs[PTREG_FLAGS] = 0x10246;
	text = print(&snap, false, true);
	/* numbered as in struct pt_regs: r15 0xa0, ... di 0xae, orig_ax 0xaf, ... sp 0xb3 */
	assert_string_equal(
		text, "  registers\n"
		      "    RIP 0010:alpha+0x20 [mod]\n"
		      "    RSP 0018:00000000000000b3  EFLAGS 00010246\n"
		      "    RAX 00000000000000aa  RBX 00000000000000a5  RCX 00000000000000ab\n"
		      "    RDX 00000000000000ac  RSI 00000000000000ad  RDI 00000000000000ae\n"
		      "    RBP 00000000000000a4  R08 00000000000000a9  R09 00000000000000a8\n"
		      "    R10 00000000000000a7  R11 00000000000000a6  R12 00000000000000a3\n"
		      "    R13 00000000000000a2  R14 00000000000000a1  R15 00000000000000a0\n\n");
	snap.regs = NULL;
	none = print(&snap, false, true);
	assert_string_equal(none, "");
}

static int setup(void **state)
{
	(void)state;
	if (symbols_open_empty(&symbols))
		return -1;
	for (size_t i = 0; i < ARRAY_SIZE(table); i++)
		if (symbols_add(symbols, &table[i]))
			return -1;
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	symbols_close(symbols);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(backtrace_fault_begins_where_it_happened),
		cmocka_unit_test(backtrace_tracing_is_left_out),
		cmocka_unit_test(registers_all_stand_in_their_places),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
