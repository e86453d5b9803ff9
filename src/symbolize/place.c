// SPDX-License-Identifier: GPL-2.0
/* place.c - names that the kernel's entry code and thunks have had since 5.16 */
#include "symbolize/place.h"

#include <string.h>

#include "symbolize/cold_part.h"
#include "symbolize/symbols.h"
#include "util/address.h"
#include "util/cleanup.h"

/* How a name is compared, and which of its addresses count. */
enum match {
	NAME_IS,     /* the whole name; its first instruction */
	NAME_STARTS, /* as the name begins; its first instruction */
	NAME_ENDS,   /* as the name ends; its first instruction */
	RANGE_IS,    /* the whole name; anywhere in it */
	RANGE_STARTS,
};

static const struct {
	const char *name;
	enum match match;
	enum place place;
} places[] = {
	/* arch/x86/include/asm/idtentry.h: asm_exc_*, asm_sysvec_*, asm_common_interrupt, ... */
	{"asm_int80_emulation", NAME_IS, PLACE_SYSCALL},
	{"asm_exc_", NAME_STARTS, PLACE_INTERRUPT},
	{"asm_sysvec_", NAME_STARTS, PLACE_INTERRUPT},
	{"asm_common_interrupt", NAME_IS, PLACE_INTERRUPT},
	{"asm_spurious_interrupt", NAME_IS, PLACE_INTERRUPT},
	{"xen_asm_exc_", NAME_STARTS, PLACE_INTERRUPT},
	/* One stub of IDT_ALIGN bytes for each vector. */
	{"irq_entries_start", RANGE_IS, PLACE_INTERRUPT},
	{"spurious_entries_start", RANGE_IS, PLACE_INTERRUPT},
	{"early_idt_handler_array", RANGE_IS, PLACE_INTERRUPT},
	/* arch/x86/entry/entry_64.S, entry_64_compat.S */
	{"entry_SYSCALL_64", NAME_IS, PLACE_SYSCALL},
	{"entry_SYSCALL_compat", NAME_IS, PLACE_SYSCALL},
	{"entry_SYSENTER_compat", NAME_IS, PLACE_SYSCALL},
	{"entry_INT80_compat", NAME_IS, PLACE_SYSCALL},
	/* arch/x86/lib/retpoline.S: __x86_, its_, srso_, retbleed_, call_depth_ */
	{"_return_thunk", NAME_ENDS, PLACE_RETURN_THUNK},
	{"__x86_indirect_", RANGE_STARTS, PLACE_INDIRECT_THUNK},
	/* srso_safe_ret, srso_alias_safe_ret; Zen's are "call srso_alias_safe_ret", which returns.
	 */
	{"_safe_ret", NAME_ENDS, PLACE_THUNK_PART},
	{"_untrain_ret", NAME_ENDS, PLACE_THUNK_PART},
	{"clear_bhb_loop", RANGE_IS, PLACE_THUNK_PART},
	/* Addresses that stand in for the caller's on the stack. */
	{"return_to_handler", NAME_IS, PLACE_RETURN_HOOK},
	{"arch_rethook_trampoline", NAME_IS, PLACE_RETURN_HOOK},
	{"__kretprobe_trampoline", NAME_IS, PLACE_RETURN_HOOK},
	/* arch/x86/kvm/vmx/vmenter.S: hands on an interrupt that arrived in a guest. */
	{"vmx_do_interrupt_", RANGE_STARTS, PLACE_CALLS_INTERRUPT},
	{"vmx_do_nmi_", RANGE_STARTS, PLACE_CALLS_INTERRUPT},
	/* tools/objtool/noreturns.h: those that checks made by the compiler or by macros call */
	{"__stack_chk_fail", NAME_IS, PLACE_NO_RETURN},
	{"fortify_panic", NAME_IS, PLACE_NO_RETURN},
	{"__fortify_panic", NAME_IS, PLACE_NO_RETURN},
	{"usercopy_abort", NAME_IS, PLACE_NO_RETURN},
	{"panic", NAME_IS, PLACE_NO_RETURN},
	{"do_exit", NAME_IS, PLACE_NO_RETURN},
	{"do_group_exit", NAME_IS, PLACE_NO_RETURN},
	{"make_task_dead", NAME_IS, PLACE_NO_RETURN},
	{"kthread_exit", NAME_IS, PLACE_NO_RETURN},
	{"__module_put_and_kthread_exit", NAME_IS, PLACE_NO_RETURN},
	{"__ubsan_handle_builtin_unreachable", NAME_IS, PLACE_NO_RETURN},
};

static bool starts_with(const char *s, const char *prefix)
{
	return !strncmp(s, prefix, strlen(prefix));
}

static bool ends_with(const char *s, const char *suffix)
{
	size_t len = strlen(s), want = strlen(suffix);

	return len >= want && !strcmp(s + len - want, suffix);
}

enum place place_of_symbol(const char *name, uint64_t offset)
{
	for (size_t i = 0; i < ARRAY_SIZE(places); i++) {
		const char *want = places[i].name;
		bool hit = false;

		switch (places[i].match) {
		case NAME_IS:
			hit = !offset && !strcmp(name, want);
			break;
		case NAME_STARTS:
			hit = !offset && starts_with(name, want);
			break;
		case NAME_ENDS:
			hit = !offset && ends_with(name, want);
			break;
		case RANGE_IS:
			hit = !strcmp(name, want);
			break;
		case RANGE_STARTS:
			hit = starts_with(name, want);
			break;
		}
		if (hit)
			return places[i].place;
	}
	return PLACE_ORDINARY;
}

bool place_is_thunk(enum place place)
{
	return place == PLACE_RETURN_THUNK || place == PLACE_INDIRECT_THUNK ||
	       place == PLACE_THUNK_PART;
}

enum place place_in_symbol(struct symbols *symbols, const struct symbol *sym, uint64_t addr)
{
	uint8_t *note = symbols_note(symbols, sym->name,
				     addr == sym->addr ? NOTE_PLACE_START : NOTE_PLACE_INSIDE);

	/* What counts is whether it is the first instruction. */
	if (!*note)
		*note = (uint8_t)(1 + place_of_symbol(sym->name, addr - sym->addr));
	return (enum place)(*note - 1);
}

enum place place_by_symbols(void *symbols, uint64_t addr)
{
	struct symbol sym;

	if (!address_is_kernel(addr) || symbols_find(symbols, addr, &sym))
		return PLACE_ORDINARY;
	return place_in_symbol(symbols, &sym, addr);
}

bool same_function_by_symbols(void *symbols, uint64_t a, uint64_t b)
{
	struct symbol in, at;

	if (symbols_find(symbols, a, &in) || symbols_find(symbols, b, &at))
		return false;
	return cold_part_same(&in, &at);
}
