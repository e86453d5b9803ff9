// SPDX-License-Identifier: GPL-2.0
/* src/why/origin: which of the hits made the error of a call */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <errno.h>

#include <cmocka.h>

#include "../symbol_table.h"
#include "../text_bytes.h"
#include "snapshot/snapshot.h"
#include "why/origin.h"

#define BASE	 0xffffffff81000000ULL
#define IN_CASE	 BASE
#define PLAIN	 (BASE + 0x20)
#define SYS_CALL (BASE + 0x40)

/*
 * in_case:       00 mov $-22,%eax   05 cmp %rdi,%rsi   08 jl 0f   0a mov $0,%eax   0f ret
 * plain:         20 mov $-22,%eax   25 ret
 * __x64_sys_one: 40 call in_case   45 test %eax,%eax   47 jne 4e   49 call plain   4e ret
 */
static const uint8_t code[0x60] =
	"\xb8\xea\xff\xff\xff\x48\x39\xfe\x7c\x05\xb8\x00\x00\x00\x00\xc3"
	"\xcc\xcc\xcc\xcc\xcc\xcc\xcc\xcc\xcc\xcc\xcc\xcc\xcc\xcc\xcc\xcc"
	"\xb8\xea\xff\xff\xff\xc3\xcc\xcc\xcc\xcc\xcc\xcc\xcc\xcc\xcc\xcc"
	"\xcc\xcc\xcc\xcc\xcc\xcc\xcc\xcc\xcc\xcc\xcc\xcc\xcc\xcc\xcc\xcc"
	"\xe8\xbb\xff\xff\xff\x85\xc0\x75\x05\xe8\xd2\xff\xff\xff\xc3\xcc";

static const char table[] = "ffffffff81000000 T in_case\n"
			    "ffffffff81000020 T plain\n"
			    "ffffffff81000040 T __x64_sys_one\n"
			    "ffffffff81000060 T end\n"
			    "ffffffff81000070 T further\n";

static const struct text_bytes listing = {BASE, code, sizeof(code)};
static const struct text_source text = {.read = text_bytes_read, .ctx = (void *)&listing};

static int open_table(void **state)
{
	return symbol_table_setup(state, table);
}

static struct site site_at(struct symbols *symbols, uint64_t addr)
{
	struct site site = {.addr = addr, .watch = addr};

	assert_int_equal(symbols_find(symbols, addr, &site.sym), 0);
	return site;
}

static struct why_hit hit_at(uint32_t site, uint64_t addr, uint64_t behind, uint32_t order)
{
	return (struct why_hit){.ip = addr,
				.order = order,
				.site = site,
				.err = EINVAL,
				.frames = 2,
				.stack = {addr, behind}};
}

/* strndup_user(s, LONG_MAX) of load_module(): 13 bytes are no more than that, and it went on. */
static void errno_in_case_that_registers_rule_out_is_not_it(void **state)
{
	struct site items[] = {site_at(*state, IN_CASE), site_at(*state, PLAIN)};
	struct sites sites = {.items = items, .count = 2};
	/* The newest first. */
	struct why_hit hits[] = {hit_at(0, IN_CASE, SYS_CALL + 5, 2),
				 hit_at(1, PLAIN, SYS_CALL + 0xe, 1)};
	struct failure failure = {.err = EINVAL, .hits = hits, .hit_count = 1};
	struct origin origin;

	hits[0].regs[PTREG_SI] = 5;
	hits[0].regs[PTREG_DI] = 13;
	assert_ptr_equal(origin_choose(&failure, &sites, &text, *state).hit, &hits[0]);
	hits[0].regs[PTREG_SI] = INT64_MAX;
	assert_null(origin_choose(&failure, &sites, &text, *state).hit);
	failure.hit_count = 2;
	origin = origin_choose(&failure, &sites, &text, *state);
	assert_ptr_equal(origin.hit, &hits[1]);
	assert_null(origin.rival);
	/* Seen behind it, the registers are others. */
	items[0].watch += 5;
	items[0].reg = PTREG_AX;
	failure.hit_count = 1;
	assert_ptr_equal(origin_choose(&failure, &sites, &text, *state).hit, &hits[0]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(errno_in_case_that_registers_rule_out_is_not_it),
	};

	return cmocka_run_group_tests_name("origin", tests, open_table, symbol_table_teardown);
}
