// SPDX-License-Identifier: GPL-2.0
#include "symbolize/stack_frame.h"

#include <string.h>

/*
 * Entry code that an exception or interrupt calls: what stands below it in the stack is no return
 * address. Source: arch/x86/include/asm/idtentry.h, asm_*; arch/x86/entry/entry_64.S
 */
static bool is_interrupt_entry(const char *name)
{
	return !strncmp(name, "asm_exc_", 8) || !strncmp(name, "asm_sysvec_", 11) ||
	       !strncmp(name, "asm_common_interrupt", 20) || !strcmp(name, "end_repeat_nmi") ||
	       !strncmp(name, "asm_spurious_interrupt", 22);
}

static bool find(struct symbols *symbols, uint64_t addr, struct symbol *ret_sym)
{
	return symbols && !symbols_find(symbols, addr, ret_sym);
}

static bool is_exact(struct symbols *symbols, const struct snapshot *snap, uint32_t index)
{
	struct symbol before;

	if (!index || (snap->regs && snap->stack[index] == snap->regs[PTREG_IP]))
		return true;
	return find(symbols, snap->stack[index - 1] - 1, &before) &&
	       is_interrupt_entry(before.name);
}

void backtrace_frame(struct symbols *symbols, const struct snapshot *snap, uint32_t index,
		     struct backtrace_frame *ret_frame)
{
	uint64_t addr = snap->stack[index];
	bool exact = is_exact(symbols, snap, index);

	*ret_frame = (struct backtrace_frame){
		.addr = addr,
		.probe = exact ? addr : addr - 1,
		.is_return = !exact,
	};
	ret_frame->known = find(symbols, ret_frame->probe, &ret_frame->sym);
}

uint32_t backtrace_first(struct symbols *symbols, const struct snapshot *snap)
{
	struct symbol sym;
	uint32_t first = 0;

	for (uint32_t i = 0; snap->regs && i < snap->stack_count; i++)
		if (snap->stack[i] == snap->regs[PTREG_IP])
			return i;
	while (first < snap->stack_count && find(symbols, snap->stack[first] - 1, &sym) &&
	       symbol_is_bpf(&sym))
		first++;
	return first < snap->stack_count ? first : 0;
}
