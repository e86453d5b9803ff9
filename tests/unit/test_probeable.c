// SPDX-License-Identifier: GPL-2.0
/* Which triggers the kernel allows: by its lists, and by what a function takes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "target/probeable.h"
#include "util/cleanup.h"

#define BY_TRACER (1u << TRIGGER_FENTRY | 1u << TRIGGER_FEXIT)
#define BY_PROBE  (1u << TRIGGER_KPROBE | 1u << TRIGGER_KRETPROBE | 1u << TRIGGER_HW)
#define BY_MULTI  (1u << TRIGGER_MULTI)

/* As the files of Linux 6.1 look. */
static char traced[] = "vfs_read\ndo_mmap\nmigrate_disable\n__traceiter_initcall_level\n"
		       "btrfs_open [btrfs]\n";
static char blacklist[] = "0xffffffff81c00000-0xffffffff81c00010\tnotify_die\n"
			  "rubbish\n"
			  "0xffffffff82000000-0xffffffff82000100\t\n";

static unsigned int kinds_of(const char *release, const char *module, const char *name,
			     uint32_t words, uint64_t addr)
{
	struct function func = {.name = name, .module = module, .words = words};
	FILE *traced_file = fmemopen(traced, strlen(traced), "r");
	FILE *blacklist_file = fmemopen(blacklist, strlen(blacklist), "r");
	struct probeable *probeable;
	unsigned int kinds;

	assert_int_equal(probeable_create(traced_file, blacklist_file, release, &probeable), 0);
	fclose(traced_file);
	fclose(blacklist_file);
	kinds = probeable_kinds(probeable, &func, addr);
	probeable_destroy(probeable);
	return kinds;
}

static void kinds_plain_function_all(void **state)
{
	(void)state;
	assert_int_equal(kinds_of("6.1.0-56-amd64", "", "vfs_read", 4, 0xffffffff81000000),
			 BY_TRACER | BY_PROBE | BY_MULTI);
}

static void kinds_not_traceable_no_trampoline(void **state)
{
	(void)state;
	assert_int_equal(kinds_of("6.1.0", "", "native_sched_clock", 0, 0xffffffff81000000),
			 BY_PROBE);
	/* A name that is the beginning of one on the list, and one that such a name begins. */
	assert_int_equal(kinds_of("6.1.0", "", "vfs_rea", 0, 0xffffffff81000000), BY_PROBE);
	assert_int_equal(kinds_of("6.1.0", "", "vfs_readv", 0, 0xffffffff81000000), BY_PROBE);
}

static void kinds_module_by_its_name(void **state)
{
	(void)state;
	assert_int_equal(kinds_of("6.1.0", "btrfs", "btrfs_open", 1, 0xffffffffc0000000),
			 BY_TRACER | BY_PROBE | BY_MULTI);
	assert_int_equal(kinds_of("6.1.0", "", "btrfs_open", 1, 0xffffffffc0000000), BY_PROBE);
	assert_int_equal(kinds_of("6.1.0", "xfs", "btrfs_open", 1, 0xffffffffc0000000), BY_PROBE);
}

static void kinds_blacklisted_no_probe(void **state)
{
	(void)state;
	assert_int_equal(kinds_of("6.1.0", "", "vfs_read", 4, 0xffffffff81c00000), BY_TRACER);
	assert_int_equal(kinds_of("6.1.0", "", "vfs_read", 4, 0xffffffff81c0000f), BY_TRACER);
	assert_int_equal(kinds_of("6.1.0", "", "vfs_read", 4, 0xffffffff81c00010),
			 BY_TRACER | BY_PROBE | BY_MULTI);
	assert_int_equal(kinds_of("6.1.0", "", "other", 4, 0xffffffff82000080), 0);
}

/* The kernel lists functions and sections that they are in, as they were registered. */
static void forbidden_in_ranges_that_overlap_in_any_order(void **state)
{
	static char list[] = "0x3000-0x4000\touter\n"
			     "0x1000-0x1010\tfirst\n"
			     "0x3100-0x3200\tinner\n"
			     "0x3f00-0x4800\tfurther\n"
			     "0x1010-0x1020\tnext\n";
	static const uint64_t in[] = {0x1000, 0x100f, 0x1010, 0x101f, 0x3000,
				      0x3150, 0x3200, 0x3fff, 0x47ff},
			      out[] = {0, 0xfff, 0x1020, 0x2fff, 0x4800, UINT64_MAX};
	FILE *file = fmemopen(list, strlen(list), "r");
	struct probeable *probeable;

	(void)state;
	assert_int_equal(probeable_create(NULL, file, "6.1.0", &probeable), 0);
	fclose(file);
	for (size_t i = 0; i < sizeof(in) / sizeof(*in); i++)
		assert_true(probeable_forbidden(probeable, in[i]));
	for (size_t i = 0; i < sizeof(out) / sizeof(*out); i++)
		assert_false(probeable_forbidden(probeable, out[i]));
	probeable_destroy(probeable);
}

static void kinds_many_arguments_since_6_6(void **state)
{
	const uint64_t addr = 0xffffffff81000000;

	(void)state;
	assert_int_equal(kinds_of("6.1.0", "", "do_mmap", 6, addr),
			 BY_TRACER | BY_PROBE | BY_MULTI);
	assert_int_equal(kinds_of("6.1.0", "", "do_mmap", 8, addr), BY_PROBE | BY_MULTI);
	assert_int_equal(kinds_of("6.5.13", "", "do_mmap", 8, addr), BY_PROBE | BY_MULTI);
	assert_int_equal(kinds_of("6.6.0", "", "do_mmap", 8, addr),
			 BY_TRACER | BY_PROBE | BY_MULTI);
	assert_int_equal(kinds_of("6.12.117+deb12-amd64", "", "do_mmap", 12, addr),
			 BY_TRACER | BY_PROBE | BY_MULTI);
	assert_int_equal(kinds_of("7.0.1", "", "do_mmap", 13, addr), BY_PROBE | BY_MULTI);
	assert_int_equal(kinds_of("7.0.1", "", "do_mmap", FUNCTION_WORDS_NONE, addr),
			 BY_PROBE | BY_MULTI);
}

static void kinds_of_bpf_s_own_no_trampoline(void **state)
{
	(void)state;
	assert_int_equal(kinds_of("6.1.0", "", "migrate_disable", 0, 0xffffffff81000000), BY_PROBE);
}

/* Two entries, by hand: at 0xffffffff82000000 and 16 behind it; code, target, key. */
static void kinds_static_key_at_the_start_no_kprobe(void **state)
{
	static const int32_t table[8] = {-0x1000000, 0x40, 0, 0, 0x0ff0, 0x40, 0, 0};
	struct function func = {.name = "native_sched_clock", .module = "", .words = 0};
	struct probeable *probeable;

	(void)state;
	assert_int_equal(probeable_create(NULL, NULL, "6.1.0", &probeable), 0);
	assert_int_equal(
		probeable_add_jump_table(probeable, table, sizeof(table), 0xffffffff82000000), 0);
	assert_int_equal(probeable_kinds(probeable, &func, 0xffffffff81000000),
			 BY_TRACER | 1u << TRIGGER_HW | BY_MULTI);
	assert_int_equal(probeable_kinds(probeable, &func, 0xffffffff82001000),
			 BY_TRACER | 1u << TRIGGER_HW | BY_MULTI);
	assert_int_equal(probeable_kinds(probeable, &func, 0xffffffff81000001),
			 BY_TRACER | BY_PROBE | BY_MULTI);
	probeable_destroy(probeable);
}

static void kinds_without_lists_all(void **state)
{
	struct function func = {.name = "whatever", .module = "", .words = 1};
	struct probeable *probeable;

	(void)state;
	assert_int_equal(probeable_create(NULL, NULL, "6.1.0", &probeable), 0);
	assert_int_equal(probeable_kinds(probeable, &func, 0xffffffff81000000),
			 BY_TRACER | BY_PROBE | BY_MULTI);
	probeable_destroy(probeable);
	probeable_destroy(NULL);
}

/* What rcu_read_unlock() of a handler's own program comes by; its neighbours in the list, and none.
 */
static void handler_comes_by(void **state)
{
	static const char *const in[] = {
		"__rcu_read_unlock", "__bpf_ringbuf_reserve",  "trace_call_bpf",   "migrate_enable",
		"htab_map_hash",     "_raw_spin_lock_irqsave", "_raw_spin_trylock"};
	static const char *const out[] = {"__rcu_read_unloc",
					  "__rcu_read_unlock_",
					  "path_openat",
					  "rcu_read_unlock_special",
					  "",
					  "zzz"};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(in); i++)
		assert_true(probeable_by_handler(in[i]));
	for (size_t i = 0; i < ARRAY_SIZE(out); i++)
		assert_false(probeable_by_handler(out[i]));
}

/* What the kernel makes of a function's first bytes while a tracer comes, is there, and goes. */
static void begins_with_fentry_while_it_is_patched(void **state)
{
	static const uint8_t begins[][9] = {
		{0x0f, 0x1f, 0x44, 0x00, 0x00},
		{0xcc, 0x1f, 0x44, 0x00, 0x00},
		{0xcc, 0x12, 0x34, 0x00, 0x00},
		{0xe8, 0x12, 0x34, 0x00, 0x00},
		{0xf3, 0x0f, 0x1e, 0xfa, 0xcc, 0x12, 0x34, 0x00, 0x00},
	};
	static const uint8_t push[9] = {0x55, 0xcc};

	(void)state;
	for (size_t i = 0; i < sizeof(begins) / sizeof(*begins); i++)
		assert_true(begins_with_fentry(begins[i], sizeof(begins[i])));
	assert_false(begins_with_fentry(push, sizeof(push)));
	assert_false(begins_with_fentry(begins[1], 4));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(begins_with_fentry_while_it_is_patched),
		cmocka_unit_test(kinds_plain_function_all),
		cmocka_unit_test(kinds_not_traceable_no_trampoline),
		cmocka_unit_test(kinds_module_by_its_name),
		cmocka_unit_test(kinds_blacklisted_no_probe),
		cmocka_unit_test(forbidden_in_ranges_that_overlap_in_any_order),
		cmocka_unit_test(kinds_many_arguments_since_6_6),
		cmocka_unit_test(kinds_of_bpf_s_own_no_trampoline),
		cmocka_unit_test(kinds_static_key_at_the_start_no_kprobe),
		cmocka_unit_test(kinds_without_lists_all),
		cmocka_unit_test(handler_comes_by),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
