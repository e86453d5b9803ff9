// SPDX-License-Identifier: GPL-2.0
#include "why/deep/deep_code.h"

#include <errno.h>

#include "disasm/fetch.h"
#include "util/address.h"
#include "util/cleanup.h"
#include "why/deep/deep_compute.h"

/* The addresses of functions. Of those that the kernel does not have they stay 0. */
static void find_all(struct symbols *symbols, const char *const *names, size_t count, uint64_t *ret)
{
	struct symbol sym;

	for (size_t i = 0; i < count; i++)
		if (!symbols_by_name(symbols, "", names[i], 0, &sym))
			ret[i] = sym.addr;
}

/* Symbols say where the entry code begins and ends. What it calls is known by name only. */
int deep_code_find(struct symbols *symbols, struct deep_code *ret_code)
{
	static const char *const calls[] = {"do_syscall_64", "do_fast_syscall_32",
					    "do_int80_syscall_32", "do_int80_emulation"};
	/* The second has another name where GCC changed its arguments. */
	static const char *const switches[] = {"__switch_to_asm", "finish_task_switch",
					       "finish_task_switch.isra.0"};
	static const char *const wakes[] = {"try_to_wake_up", "wake_up_process", "wake_up_state"};
	static const char *const yields[] = {"__cond_resched", "__cond_resched_lock",
					     "preempt_schedule", "preempt_schedule_notrace"};
	struct deep_code code = {.symbols = symbols};
	struct symbol sym;

	_Static_assert(ARRAY_SIZE(yields) == ARRAY_SIZE(code.yields), "one each");
	_Static_assert(ARRAY_SIZE(calls) == ARRAY_SIZE(code.calls), "one each");
	_Static_assert(ARRAY_SIZE(wakes) == ARRAY_SIZE(code.wakes), "one each");
	if (symbols_by_name(symbols, "", "__entry_text_start", 0, &sym))
		return -ENOENT;
	code.start = sym.addr;
	if (symbols_by_name(symbols, "", "__entry_text_end", 0, &sym))
		return -ENOENT;
	code.end = sym.addr;
	if (!symbols_by_name(symbols, "", "asm_exc_int3", 0, &sym)) {
		code.int3_start = sym.addr;
		code.int3_end = sym.addr + sym.size;
	}
	find_all(symbols, calls, ARRAY_SIZE(calls), code.calls);
	for (size_t i = 0; i < ARRAY_SIZE(switches); i++)
		if (!symbols_by_name(symbols, "", switches[i], 0, &sym)) {
			code.switch_start[!!i] = sym.addr;
			code.switch_end[!!i] = sym.addr + sym.size;
		}
	if (!symbols_by_name(symbols, "", "__sched_text_start", 0, &sym))
		code.sched_start = sym.addr;
	if (!symbols_by_name(symbols, "", "__sched_text_end", 0, &sym))
		code.sched_end = sym.addr;
	find_all(symbols, wakes, ARRAY_SIZE(wakes), code.wakes);
	find_all(symbols, yields, ARRAY_SIZE(yields), code.yields);
	/* If the switch is not recognized, branches of another task would be in the path. */
	if (!code.switch_end[0] || !code.calls[0])
		return -ENOENT;
	*ret_code = code;
	return 0;
}

static bool in_sched(const struct deep_code *code, uint64_t addr)
{
	return addr >= code->sched_start && addr < code->sched_end;
}

enum deep_call_kind deep_code_call(const struct deep_code *code, uint64_t addr)
{
	uint8_t bytes[INSN_LEN_MAX];
	struct insn insn;
	uint64_t call, target;

	if (!code->text || in_sched(code, addr) || !deep_call_before(code->text, addr, &call) ||
	    insn_fetch(code->text, call, bytes, &insn))
		return DEEP_CALL_OTHER;
	target = insn.target;
	if (address_among(code->wakes, ARRAY_SIZE(code->wakes), target))
		return DEEP_CALL_WAKES;
	/* A static call goes through a jump, which the kernel patches. */
	if (!in_sched(code, target) && !insn_fetch(code->text, target, bytes, &insn) &&
	    insn.class == INSN_JMP)
		target = insn.target;
	if (!in_sched(code, target))
		return DEEP_CALL_OTHER;
	return address_among(code->yields, ARRAY_SIZE(code->yields), target) ? DEEP_CALL_YIELDS
									     : DEEP_CALL_WAITS;
}

enum deep_call_kind deep_code_left(const struct deep_code *code, const struct why_branch *branch)
{
	enum deep_call_kind kind = deep_code_call(code, branch->to);
	uint8_t bytes[INSN_LEN_MAX];
	struct insn insn;

	/* A jump over the call may lead there, too. */
	if (kind == DEEP_CALL_OTHER || insn_fetch(code->text, branch->from, bytes, &insn) ||
	    insn.class != INSN_RET)
		return DEEP_CALL_OTHER;
	return kind;
}
