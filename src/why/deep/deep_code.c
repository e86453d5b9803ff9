// SPDX-License-Identifier: GPL-2.0
#include "why/deep/deep_code.h"

#include <errno.h>

#include "util/cleanup.h"

/* The kernel says where its entry code is; only names tell what a system call goes to. */
int deep_code_find(struct symbols *symbols, struct deep_code *ret_code)
{
	static const char *const calls[] = {"do_syscall_64", "do_fast_syscall_32",
					    "do_int80_syscall_32", "do_int80_emulation"};
	/* The second has another name where GCC changed its arguments. */
	static const char *const switches[] = {"__switch_to_asm", "finish_task_switch",
					       "finish_task_switch.isra.0"};
	struct deep_code code = {};
	struct symbol sym;

	_Static_assert(ARRAY_SIZE(calls) == ARRAY_SIZE(code.calls), "one each");
	if (symbols_by_name(symbols, "", "__entry_text_start", 0, &sym))
		return -ENOENT;
	code.start = sym.addr;
	if (symbols_by_name(symbols, "", "__entry_text_end", 0, &sym))
		return -ENOENT;
	code.end = sym.addr;
	for (size_t i = 0; i < ARRAY_SIZE(calls); i++)
		if (!symbols_by_name(symbols, "", calls[i], 0, &sym))
			code.calls[i] = sym.addr;
	for (size_t i = 0; i < ARRAY_SIZE(switches); i++)
		if (!symbols_by_name(symbols, "", switches[i], 0, &sym)) {
			code.switch_start[!!i] = sym.addr;
			code.switch_end[!!i] = sym.addr + sym.size;
		}
	/* Without the switch, what it did on behalf of the task would stand in the path. */
	if (!code.switch_end[0] || !code.calls[0])
		return -ENOENT;
	*ret_code = code;
	return 0;
}
