// SPDX-License-Identifier: GPL-2.0
/* Which functions of a glob share a kprobe.multi, and which are left out. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "target/wide.h"

#define TEXT  0xffffffff81000000ull
#define SPACE 16

/* Entries of functions, SPACE bytes apart, as Intel's manual and ftrace.c have them. */
static const uint8_t entries[][SPACE] = {
	{0x0f, 0x1f, 0x44, 0x00, 0x00, 0x55},			/* nopl; push */
	{0xf3, 0x0f, 0x1e, 0xfa, 0x0f, 0x1f, 0x44, 0x00, 0x00}, /* endbr64; nopl */
	{0x55, 0x48, 0x89, 0xe5},				/* push; mov: notrace */
	{0xe8, 0x00, 0x00, 0x00, 0x00, 0x55},			/* traced by somebody */
	{0xf3, 0x0f, 0x1e, 0xfa, 0x48, 0x89, 0xf8, 0xc3},	/* endbr64; mov; ret */
};

static int read_entries(void *ctx, uint64_t addr, void *buf, size_t len)
{
	(void)ctx;
	if (addr < TEXT || addr + len > TEXT + sizeof(entries))
		return -EFAULT;
	memcpy(buf, (const uint8_t *)entries + (addr - TEXT), len);
	return 0;
}

static struct probe *add(struct probe_list *list, const char *name, uint64_t addr)
{
	struct probe *probe = probe_list_add(list);

	assert_non_null(probe);
	probe->trigger.kind = TRIGGER_FEXIT;
	probe->trigger.target = strdup(name);
	probe->trigger.function = strdup(name);
	probe->trigger.module = strdup("");
	probe->trigger.addr = probe->trigger.func_addr = addr;
	probe->trigger.func_size = SPACE;
	probe->optional = probe->fallback = true;
	return probe;
}

static void add_many(struct probe_list *list, size_t count)
{
	for (size_t i = 0; i < count; i++)
		add(list, "tcp_close", TEXT + i * SPACE);
}

static size_t count_kind(const struct probe_list *list, enum trigger_kind kind)
{
	size_t count = 0;

	for (size_t i = 0; i < list->count; i++)
		count += list->items[i].trigger.kind == kind;
	return count;
}

static void wide_choose_few_functions_stay(void **state)
{
	struct probe_list list = {};

	(void)state;
	add_many(&list, WIDE_FUNCTIONS);
	wide_choose(&list);
	assert_int_equal(count_kind(&list, TRIGGER_FEXIT), WIDE_FUNCTIONS);
	assert_false(wide_any(&list));
	probe_list_deinit(&list);
}

static void wide_choose_many_functions_share(void **state)
{
	struct probe_list list = {};

	(void)state;
	add_many(&list, WIDE_FUNCTIONS + 1);
	wide_choose(&list);
	assert_int_equal(count_kind(&list, TRIGGER_MULTI), WIDE_FUNCTIONS + 1);
	assert_true(wide_any(&list));
	assert_int_equal(wide_undo(&list), WIDE_FUNCTIONS + 1);
	assert_int_equal(count_kind(&list, TRIGGER_FEXIT), WIDE_FUNCTIONS + 1);
	probe_list_deinit(&list);
}

/* fexit:NAME and -T fexit leave no choice; a plain name is worth a program of its own. */
static void wide_choose_what_was_named_stays(void **state)
{
	struct probe_list list = {};

	(void)state;
	add_many(&list, 3 * WIDE_FUNCTIONS);
	for (size_t i = 0; i < WIDE_FUNCTIONS; i++) {
		list.items[i].fallback = false;
		list.items[WIDE_FUNCTIONS + i].optional = false;
	}
	wide_choose(&list);
	assert_false(wide_any(&list));
	add(&list, "tcp_close", TEXT);
	wide_choose(&list);
	assert_int_equal(count_kind(&list, TRIGGER_MULTI), WIDE_FUNCTIONS + 1);
	probe_list_deinit(&list);
}

static void wide_undo_what_was_asked_for_stays(void **state)
{
	struct probe_list list = {};
	struct probe *probe = add(&list, "ksys_read", TEXT);

	(void)state;
	probe->trigger.kind = TRIGGER_MULTI;
	probe->fallback = false;
	assert_int_equal(wide_undo(&list), 0);
	assert_int_equal(count_kind(&list, TRIGGER_MULTI), 1);
	probe_list_deinit(&list);
}

static struct probeable *lists(const char *traced, const char *blacklist)
{
	FILE *traced_file = traced ? fmemopen((char *)traced, strlen(traced), "r") : NULL;
	FILE *blacklist_file = fmemopen((char *)blacklist, strlen(blacklist), "r");
	struct probeable *probeable;

	assert_int_equal(probeable_create(traced_file, blacklist_file, "6.1.0", &probeable), 0);
	if (traced_file)
		fclose(traced_file);
	fclose(blacklist_file);
	return probeable;
}

static void wide_sift_leaves_out_what_cannot_be_watched(void **state)
{
	static const struct text_source text = {.read = read_entries};
	struct probeable *probeable =
		lists(NULL, "0xffffffff81000030-0xffffffff81000040\texc_page_fault\n");
	struct wide_left_out left;
	struct probe_list list = {};

	(void)state;
	add(&list, "tcp_close", TEXT);
	add(&list, "tcp_bind", TEXT + SPACE);
	add(&list, "native_sched_clock", TEXT + 2 * SPACE);
	add(&list, "exc_page_fault", TEXT + 3 * SPACE);
	add(&list, "short_one", TEXT + 4 * SPACE);
	add(&list, "bpf_ringbuf_reserve", TEXT);
	add(&list, "an_alias", TEXT + SPACE);
	add(&list, "unreadable", TEXT + 100 * SPACE);
	for (size_t i = 0; i < list.count; i++)
		list.items[i].trigger.kind = TRIGGER_MULTI;
	/* Of another kind: none of its business. */
	add(&list, "fexit_of_notrace", TEXT + 2 * SPACE);
	assert_int_equal(wide_sift(&list, &text, probeable, &(struct traced){}, &left), 0);
	assert_int_equal(left.untraced, 3);
	assert_int_equal(left.forbidden, 1);
	assert_int_equal(left.own, 0); /* the second one at its address */
	assert_int_equal(list.count, 3);
	assert_string_equal(list.items[0].trigger.function, "tcp_close");
	assert_string_equal(list.items[1].trigger.function, "tcp_bind");
	assert_string_equal(list.items[2].trigger.function, "fexit_of_notrace");
	probe_list_deinit(&list);
	probeable_destroy(probeable);
}

static void wide_sift_the_tracer_knows_better_than_the_first_bytes(void **state)
{
	static const struct text_source text = {.read = read_entries};
	uint64_t known[] = {TEXT, TEXT + SPACE + 4};
	struct traced traced = {.addrs = known, .count = 2};
	struct probeable *probeable = lists(NULL, "");
	struct wide_left_out left;
	struct probe_list list = {};

	(void)state;
	add(&list, "tcp_close", TEXT)->trigger.kind = TRIGGER_MULTI;
	add(&list, "tcp_bind", TEXT + SPACE)->trigger.kind = TRIGGER_MULTI;
	/* It begins with a call of its own. */
	add(&list, "pte_pfn", TEXT + 3 * SPACE)->trigger.kind = TRIGGER_MULTI;
	assert_int_equal(wide_sift(&list, &text, probeable, &traced, &left), 0);
	assert_int_equal(left.untraced, 1);
	assert_int_equal(list.count, 2);
	assert_string_equal(list.items[1].trigger.function, "tcp_bind");
	probe_list_deinit(&list);
	probeable_destroy(probeable);
}

static void wide_sift_without_text_asks_the_tracer(void **state)
{
	struct probeable *probeable = lists("tcp_close\n", "");
	struct wide_left_out left;
	struct probe_list list = {};

	(void)state;
	add(&list, "tcp_close", TEXT)->trigger.kind = TRIGGER_MULTI;
	add(&list, "tcp_bind", TEXT + SPACE)->trigger.kind = TRIGGER_MULTI;
	add(&list, "rethook_hook", TEXT + 2 * SPACE)->trigger.kind = TRIGGER_MULTI;
	assert_int_equal(wide_sift(&list, NULL, probeable, &(struct traced){}, &left), 0);
	assert_int_equal(left.untraced, 1);
	assert_int_equal(left.own, 1);
	assert_int_equal(list.count, 1);
	probe_list_deinit(&list);
	probeable_destroy(probeable);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(wide_choose_few_functions_stay),
		cmocka_unit_test(wide_choose_many_functions_share),
		cmocka_unit_test(wide_choose_what_was_named_stays),
		cmocka_unit_test(wide_undo_what_was_asked_for_stays),
		cmocka_unit_test(wide_sift_leaves_out_what_cannot_be_watched),
		cmocka_unit_test(wide_sift_the_tracer_knows_better_than_the_first_bytes),
		cmocka_unit_test(wide_sift_without_text_asks_the_tracer),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
