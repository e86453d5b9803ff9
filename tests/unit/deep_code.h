/* SPDX-License-Identifier: GPL-2.0 */
/* deep_code.h - code that the tests of why/proof/deep_check.h let runs execute */
#ifndef LBRSNOOP_TESTS_UNIT_DEEP_CODE_H
#define LBRSNOOP_TESTS_UNIT_DEEP_CODE_H

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "../symbol_table.h"
#include "util/cleanup.h"
#include "why/proof/deep_check.h"

/* No file has a use for all of this. */
#define UNUSED __attribute__((unused))

#define CODE	    0xffffffff81000000ull
#define KPROBE_CODE 0xffffffffc0000100ull
#define MODULE	    0xffffffffc0010000ull

/*
 *	00: call 10
 *	05: nop, nop
 *	07: je 20	(not taken)
 *	09: je 0c	(not taken: over one instruction)
 *	0b: nop
 *	0c: jmp *%rax	(to 30)
 *	10: je 14	(taken)
 *	12: nop, nop
 *	14: ret
 *	20: ret
 *	30: nop, jmp 36
 *	33: nop, nop, nop
 *	36: nop		(the error)
 */
UNUSED static uint8_t code[0x40] = {
	[0x00] = 0xe8, 0x0b, 0,	   0,	 0,    0x90,	      0x90,
	0x74,	       0x17, 0x74, 0x01, 0x90, 0xff,	      0xe0,
	[0x10] = 0x74, 0x02, 0x90, 0x90, 0xc3, [0x20] = 0xc3, [0x30] = 0x90,
	0xeb,	       0x03, 0x90, 0x90, 0x90, 0x90,	      0x90,
	0x90,	       0xc3, 0xc3, 0xc3, 0xc3, 0xc3,	      0xc3,
	0xc3};

#define AT(n) (CODE + (n))
#define SP    0xffffc90000004000ull
/* What code is called at 0x10 and behind. */
#define SP_AT(n) (SP - ((n) >= 0x10 && (n) < 0x20 ? 8 : 0))

UNUSED static const struct why_branch way[] = {{AT(0x3f), AT(0)},    {AT(0), AT(0x10)},
					       {AT(0x10), AT(0x14)}, {AT(0x14), AT(0x05)},
					       {AT(0x0c), AT(0x30)}, {AT(0x31), AT(0x36)}};
UNUSED static const struct deep_known known = {.branches = way, .count = 6, .end = AT(0x36)};

UNUSED static int read_code(void *ctx, uint64_t addr, void *buf, size_t len)
{
	if (addr < CODE || addr + len > CODE + sizeof(code))
		return -EFAULT;
	memcpy(buf, code + (addr - CODE), len);
	return 0;
}

UNUSED static const struct text_source text = {.read = read_code};

/* Addresses that are refused. */
UNUSED static uint64_t refused[12];

UNUSED static int probe(void *ctx, uint64_t addr)
{
	for (size_t i = 0; i < sizeof(refused) / sizeof(refused[0]); i++)
		if (refused[i] == addr)
			return -EINVAL;
	return 0;
}

/* No kprobe stands on the path, for a record to begin at or to tell where the jump leads to. */
UNUSED static void refuse_path(void)
{
	static const uint8_t ats[] = {0x00, 0x05, 0x06, 0x07, 0x0c, 0x10, 0x14, 0x30};

	for (size_t i = 0; i < sizeof(ats); i++)
		refused[4 + i] = AT(ats[i]);
}

UNUSED static struct symbols *symbols;

UNUSED static void arm(struct deep_check *check, size_t max)
{
	assert_int_equal(deep_check_make(&text, symbols, &known, true, check), 0);
	assert_int_equal(deep_check_arm(check, &text, max, 4, probe, NULL), 0);
}

UNUSED static bool is_armed(const struct deep_check *check, unsigned int at)
{
	for (size_t i = 0; i < check->armed_count; i++)
		if (check->armed[i] == AT(at))
			return true;
	return false;
}

/* Before these branches, the newest first, the run may have left the path. */
UNUSED static void assert_blind(const struct deep_blind *blind, const bool *wanted, size_t count)
{
	for (size_t i = 0; i < count; i++)
		assert_int_equal(blind[i].newer > 0, wanted[i]);
}

/* A hit of the path's run; with ELSEWHERE the jump leads to another place. */
#define ELSEWHERE 0x80
UNUSED static struct deep_hit hit_at(uint8_t at)
{
	const uint64_t to = at & ELSEWHERE ? AT(0x36) : AT(0x30);

	at &= 0x7f;
	return (struct deep_hit){.ip = AT(at), .regs[PTREG_SP] = SP_AT(at), .regs[PTREG_AX] = to};
}

UNUSED static bool compare(const struct deep_check *check, const uint8_t *ats, size_t count,
			   size_t *ret_first, struct deep_blind *ret_blind, bool *ret_excursions)
{
	static struct deep_hit hits[16];

	for (size_t i = 0; i < count; i++)
		hits[i] = hit_at(ats[i]);
	return deep_check_compare(check, hits, count, true, ret_first, ret_blind, ret_excursions);
}

UNUSED static int setup(void **state)
{
	memset(refused, 0, sizeof(refused));
	return 0;
}

UNUSED static int setup_symbols(void **state)
{
	symbols = symbol_table(
		"ffffffff81000000 T code\nffffffff81000040 T more\nffffffff81400000 T end\n"
		"ffffffffc0000000 t kprobe_optinsn_page [__builtin__kprobes]\n"
		"ffffffffc0010000 t in_module [module]\n");
	return symbols ? 0 : -1;
}

UNUSED static int teardown_symbols(void **state)
{
	symbols_close(symbols);
	return 0;
}

/* One more, that no fork asked for. */
UNUSED static void add_kprobe(struct deep_check *check, unsigned int at)
{
	assert_int_equal(deep_check_view(check, AT(at)), 0);
	check->view_count--;
}

#endif
