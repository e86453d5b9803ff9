// SPDX-License-Identifier: GPL-2.0
/* Functions written by hand; expected values are read off the listing. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../symbol_table.h"
#include "../text_bytes.h"
#include "target/choose.h"

#define BASE 0xffffffff81000000ULL

/*
 * one:   00 jmp other      two:   10 test %eax,%eax     other:  30 ret
 *                                 12 js other
 *                                 14 jmp other
 * three: 20 js other
 *        22 jmp one
 *
 * many:  40 js +6             and five times more, at 48, 50, 58, 60, 68
 *        42 mov $-22,%eax
 *        47 ret
 *        70 xor %eax,%eax
 *        72 ret
 */
static const uint8_t code[0x80] = "\xeb\x2e\xcc\xcc\xcc\xcc\xcc\xcc\xcc\xcc\xcc\xcc\xcc\xcc\xcc\xcc"
				  "\x85\xc0\x78\x1c\xeb\x1a\xcc\xcc\xcc\xcc\xcc\xcc\xcc\xcc\xcc\xcc"
				  "\x78\x0e\xeb\xdc\xcc\xcc\xcc\xcc\xcc\xcc\xcc\xcc\xcc\xcc\xcc\xcc"
				  "\xc3\xcc\xcc\xcc\xcc\xcc\xcc\xcc\xcc\xcc\xcc\xcc\xcc\xcc\xcc\xcc"
				  "\x78\x06\xb8\xea\xff\xff\xff\xc3\x78\x06\xb8\xea\xff\xff\xff\xc3"
				  "\x78\x06\xb8\xea\xff\xff\xff\xc3\x78\x06\xb8\xea\xff\xff\xff\xc3"
				  "\x78\x06\xb8\xea\xff\xff\xff\xc3\x78\x06\xb8\xea\xff\xff\xff\xc3"
				  "\x31\xc0\xc3\xcc\xcc\xcc\xcc\xcc\xcc\xcc\xcc\xcc\xcc\xcc\xcc";

static const char table[] = "ffffffff81000000 T one\n"
			    "ffffffff81000010 T two\n"
			    "ffffffff81000020 T three\n"
			    "ffffffff81000030 T other\n"
			    "ffffffff81000040 T many\n"
			    "ffffffff81000080 T end\n";

static const struct text_bytes listing = {BASE, code, sizeof(code)};

static const struct text_source text = {.read = text_bytes_read, .ctx = (void *)&listing};

/* Set: memory runs out where an array grows. */
static bool no_memory;

void *__real_realloc(void *old, size_t size);
void *__wrap_realloc(void *old, size_t size);

void *__wrap_realloc(void *old, size_t size)
{
	return no_memory ? NULL : __real_realloc(old, size);
}

static int open_table(void **state)
{
	return symbol_table_setup(state, table);
}

/* A function whose trigger is ours to choose. */
static struct probe candidate(uint64_t addr, uint64_t size)
{
	return (struct probe){
		.trigger = {.kind = TRIGGER_FEXIT, .func_addr = addr, .func_size = size},
		.fallback = true};
}

static void choose_triggers_return_gets_a_breakpoint(void **state)
{
	struct choose_options opts = {.symbols = *state, .text = &text};
	struct probe probe = candidate(BASE + 0x30, 0x10);
	struct probe_list list = {.items = &probe, .count = 1};
	struct errmsg msg = {};

	assert_int_equal(choose_triggers(&opts, &list, &msg), 0);
	assert_int_equal(probe.trigger.kind, TRIGGER_HW);
	assert_int_equal(probe.site_count, 1);
	assert_true(probe.sites[0] == BASE + 0x30);
	assert_string_equal(probe.hw_reason, "");
}

static void choose_triggers_tail_calls_are_told(void **state)
{
	static const struct {
		uint64_t offset, size;
		const char *said;
	} cases[] = {
		{0x00, 0x10, "it leaves by 1 tail call, which returns elsewhere: trace other"},
		{0x10, 0x10, "it leaves by 2 tail calls, which return elsewhere: trace other"},
		{0x20, 0x10, "it leaves by 2 tail calls, which return elsewhere"},
	};

	for (size_t i = 0; i < 3; i++) {
		struct choose_options opts = {.symbols = *state, .text = &text};
		struct probe probe = candidate(BASE + cases[i].offset, cases[i].size);
		struct probe_list list = {.items = &probe, .count = 1};
		struct errmsg msg = {};

		assert_int_equal(choose_triggers(&opts, &list, &msg), 0);
		assert_int_equal(probe.trigger.kind, TRIGGER_FEXIT);
		assert_string_equal(probe.hw_reason, cases[i].said);
	}
}

/* Bit EINVAL, as -e EINVAL sets it. */
static const uint64_t only_einval[64] = {1ull << EINVAL};

/* choose_triggers() for the function many; @from: its text. */
static int choose_many(struct symbols *symbols, const struct text_source *from, bool rotate,
		       uint32_t btf_id, struct probe_list *ret_list, struct errmsg *msg)
{
	struct choose_options opts = {.symbols = symbols,
				      .text = from,
				      .at_errno = true,
				      .rotate = rotate,
				      .errnos = only_einval};
	struct probe *probe;

	*ret_list = (struct probe_list){0};
	probe = probe_list_add(ret_list);
	assert_non_null(probe);
	*probe = candidate(BASE + 0x40, 0x40);
	probe->btf_id = btf_id;
	probe->trigger.target = strdup("many");
	probe->trigger.function = strdup("many");
	probe->trigger.module = strdup("");
	return choose_triggers(&opts, ret_list, msg);
}

static void choose_triggers_more_errno_sites_than_registers_take_turns(void **state)
{
	struct probe_list list;
	struct errmsg msg = {};

	assert_int_equal(choose_many(*state, &text, false, 1, &list, &msg), -EINVAL);
	assert_non_null(strstr(msg.text, "'many': no hardware breakpoint: 6 of its instructions "
					 "load these errnos, and 4 debug registers are free; let "
					 "them take turns with --rotate"));
	probe_list_deinit(&list);

	assert_int_equal(choose_many(*state, &text, true, 0, &list, &msg), 0);
	assert_int_equal(list.count, 2);
	assert_int_equal(list.items[0].site_count, 4);
	assert_int_equal(list.items[1].site_count, 2);
	for (uint32_t i = 0; i < 6; i++) {
		const struct probe *probe = &list.items[i / 4];

		assert_int_equal(probe->trigger.kind, TRIGGER_HW);
		assert_int_equal(probe->site_kind, SITE_ERRNO);
		assert_int_equal(probe->group, i / 4 + 1);
		assert_true(probe->sites[i % 4] == BASE + 0x42 + 8 * i);
		assert_int_equal(probe->site_err[i % 4], EINVAL);
		assert_true(probe->site_certain[i % 4]);
	}
	probe_list_deinit(&list);
}

/* One that drops its errno makes all of them uncertain: a program on the exit sees to them all. */
static void choose_triggers_last_errno_site_uncertain_all_are(void **state)
{
	uint8_t changed[sizeof(code)];
	struct text_bytes bytes = {BASE, changed, sizeof(changed)};
	struct text_source from = {.read = text_bytes_read, .ctx = &bytes};
	struct probe_list list;
	struct errmsg msg = {};

	memcpy(changed, code, sizeof(changed));
	changed[0x6f] = 0x90; /* nop: on to xor %eax,%eax */
	assert_int_equal(choose_many(*state, &from, true, 1, &list, &msg), 0);
	assert_int_equal(list.count, 2);
	for (uint32_t i = 0; i < 6; i++)
		assert_false(list.items[i / 4].site_certain[i % 4]);
	probe_list_deinit(&list);
	assert_int_equal(choose_many(*state, &from, true, 0, &list, &msg), -EINVAL);
	assert_non_null(strstr(msg.text, "it may drop the errno again"));
	probe_list_deinit(&list);
}

#define WHY "the kernel accepts them, and they never fire"

/* Chooses for @probe where no breakpoint can be had; there is no text to be read either. */
static int choose_without(struct symbols *symbols, struct probe *probe, bool at_errno,
			  struct errmsg *msg)
{
	struct text_source none = {};
	struct choose_options opts = {
		.symbols = symbols, .text = &none, .at_errno = at_errno, .no_breakpoints = WHY};
	struct probe_list list = {.items = probe, .count = 1};

	*msg = (struct errmsg){};
	return choose_triggers(&opts, &list, msg);
}

static void choose_triggers_no_breakpoints_auto_keeps_the_next(void **state)
{
	struct probe probe = candidate(BASE + 0x30, 0x10), others = {};
	struct errmsg msg;

	assert_int_equal(choose_without(*state, &probe, false, &msg), 0);
	assert_int_equal(probe.trigger.kind, TRIGGER_FEXIT);
	assert_int_equal(probe.site_count, 0);
	assert_string_equal(probe.hw_reason, WHY);
	/* what the user named has nothing to do with them */
	others.trigger.kind = TRIGGER_KPROBE;
	assert_int_equal(choose_without(*state, &others, true, &msg), 0);
	assert_string_equal(others.hw_reason, "");
}

static void choose_triggers_no_breakpoints_what_needs_them_is_refused(void **state)
{
	struct probe at_errno = candidate(BASE + 0x40, 0x40), forced = at_errno, place = {};
	struct errmsg msg;

	at_errno.trigger.target = forced.trigger.target = strdup("many");
	assert_int_equal(choose_without(*state, &at_errno, true, &msg), -EOPNOTSUPP);
	assert_non_null(strstr(msg.text, "'many': " WHY "; without --at errno"));
	forced.trigger.kind = TRIGGER_HW;
	forced.site_kind = SITE_RETURN;
	forced.fallback = false;
	assert_int_equal(choose_without(*state, &forced, false, &msg), -EOPNOTSUPP);
	assert_non_null(strstr(msg.text, "'many': " WHY "; -T auto"));
	place.trigger = (struct trigger){.kind = TRIGGER_HW, .target = forced.trigger.target};
	assert_int_equal(choose_without(*state, &place, false, &msg), -EOPNOTSUPP);
	assert_non_null(strstr(msg.text, "'many': " WHY "; fentry:"));
	free(forced.trigger.target);
}

static void choose_triggers_no_breakpoints_presets_give_way(void **state)
{
	struct probe panic = {.trigger.kind = TRIGGER_HW, .gives_way = true, .btf_id = 7};
	struct probe printk = {
		.trigger.kind = TRIGGER_HW, .gives_way = true, .btf_id = 7, .place = FAULT_PRINTK};
	struct probe early = {.trigger.kind = TRIGGER_HW, .optional = true, .place = FAULT_UD2};
	struct errmsg msg;

	assert_int_equal(choose_without(*state, &panic, false, &msg), 0);
	assert_int_equal(panic.trigger.kind, TRIGGER_FENTRY);
	assert_string_equal(panic.hw_reason, WHY);
	assert_int_equal(choose_without(*state, &printk, false, &msg), 0);
	assert_int_equal(printk.trigger.kind, TRIGGER_KPROBE);
	/* only arming it leaves it out, with a warning */
	assert_int_equal(choose_without(*state, &early, false, &msg), 0);
	assert_int_equal(early.trigger.kind, TRIGGER_HW);
	assert_string_equal(early.hw_reason, WHY);
}

/* It says so: another trigger, with "its text cannot be read", would be a guess. */
static void choose_triggers_no_memory_is_an_error(void **state)
{
	struct choose_options opts = {.symbols = *state, .text = &text};
	struct probe probe = candidate(BASE + 0x30, 0x10);
	struct probe_list list = {.items = &probe, .count = 1};
	struct errmsg msg = {};
	int err;

	no_memory = true;
	err = choose_triggers(&opts, &list, &msg);
	no_memory = false;
	assert_int_equal(err, -ENOMEM);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(choose_triggers_no_memory_is_an_error),
		cmocka_unit_test(choose_triggers_return_gets_a_breakpoint),
		cmocka_unit_test(choose_triggers_tail_calls_are_told),
		cmocka_unit_test(choose_triggers_more_errno_sites_than_registers_take_turns),
		cmocka_unit_test(choose_triggers_last_errno_site_uncertain_all_are),
		cmocka_unit_test(choose_triggers_no_breakpoints_auto_keeps_the_next),
		cmocka_unit_test(choose_triggers_no_breakpoints_what_needs_them_is_refused),
		cmocka_unit_test(choose_triggers_no_breakpoints_presets_give_way),
	};

	return cmocka_run_group_tests_name("choose", tests, open_table, symbol_table_teardown);
}
