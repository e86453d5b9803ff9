// SPDX-License-Identifier: GPL-2.0
/* What a person reads, held against docs/INTERFACE.md, "Flags". */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "render/branch_list.h"
#include "render/listing.h"

static struct trigger trigger = {
	.target = (char *)"some_function",
	.kind = TRIGGER_FEXIT,
	.function = (char *)"some_function",
	.module = (char *)"",
};

/* Six entries at 0x1000, 0x2000, ...: one from user space, three of the story, two wasted. */
static void fill(struct snapshot *snap, struct lbr_info *lbr)
{
	*lbr = (struct lbr_info){
		.model = "skylake", .depth = 32, .supported = LBR_HAS_MISPRED | LBR_HAS_CYCLES};
	*snap = (struct snapshot){
		.cpu = 3,
		.pid = 70,
		.tid = 70,
		.comm = "task",
		.trigger = &trigger,
		.has_retval = true,
		.retval = -2,
		.err = 2,
		.lbr = lbr,
		.count = 6,
		.shown_from = 1,
		.wasted = 2,
	};
	for (uint32_t i = 0; i < snap->count; i++)
		snap->branches[i] = (struct branch){
			.from = 0x1000u * (i + 1),
			.to = 0x1000u * (i + 1) + 0x10,
			.cycles = 100 + (int32_t)i,
			.mispred = TRI_CLEAR,
		};
}

static char *render(const struct snapshot *snap, bool raw)
{
	struct text_options opts = {.raw = raw, .addresses = raw};
	char *text = NULL;
	size_t len = 0;
	FILE *out = open_memstream(&text, &len);

	assert_non_null(out);
	render_text_snapshot(out, snap, NULL, &opts);
	assert_int_equal(fclose(out), 0);
	return text;
}

static void assert_has(const char *text, const char *part)
{
	if (!strstr(text, part))
		fail_msg("'%s' is not in:\n%s", part, text);
}

static void assert_lacks(const char *text, const char *part)
{
	if (strstr(text, part))
		fail_msg("'%s' is in:\n%s", part, text);
}

static void heading_tells_what_failed_where_and_what_is_useful(void **state)
{
	struct snapshot snap;
	struct lbr_info lbr;
	char *text;

	(void)state;
	fill(&snap, &lbr);
	text = render(&snap, false);
	assert_has(text, "some_function() = -ENOENT (No such file or directory)");
	assert_has(text, "task[70]");
	assert_has(text, "cpu 3");
	assert_has(text, "3 of 32 entries useful");
	assert_has(text, "2 spent by the capture");
	assert_has(text, "1 from before the kernel was entered");
	free(text);
}

static void heading_of_a_perf_event_tells_what_and_where(void **state)
{
	struct trigger event = {.target = "perf:page-faults", .kind = TRIGGER_PERF};
	struct snapshot snap;
	struct lbr_info lbr;
	char *text;

	(void)state;
	fill(&snap, &lbr);
	snap.trigger = &event;
	snap.has_retval = false;
	snap.err = 0;
	snap.ip = 0x401234;
	text = render(&snap, false);
	assert_has(text, "perf:page-faults at 0x401234  task[70]");
	free(text);
	event.function = "main";
	text = render(&snap, false);
	assert_has(text, "perf:page-faults in main at 0x401234  task[70]");
	free(text);
}

static void trimmed_view_shows_the_story_oldest_first(void **state)
{
	const char *first, *last;
	struct snapshot snap;
	struct lbr_info lbr;
	char *text;

	(void)state;
	fill(&snap, &lbr);
	text = render(&snap, false);
	first = strstr(text, "0x2000");
	last = strstr(text, "0x4000");
	assert_non_null(first);
	assert_non_null(last);
	assert_true(first < last);
	assert_lacks(text, "0x1000");
	assert_lacks(text, "0x5000");
	free(text);
	text = render(&snap, true);
	assert_has(text, "0x1000");
	assert_true(strstr(text, "spent by the capture itself") < strstr(text, "0x5000"));
	assert_true(strstr(text, "spent by the capture itself") > strstr(text, "0x4000"));
	free(text);
}

static void flags_show_what_is_set_and_reported_alone(void **state)
{
	struct snapshot snap;
	struct lbr_info lbr;
	char *text;

	(void)state;
	fill(&snap, &lbr);
	text = render(&snap, false);
	assert_has(text, "it reports mispredict, cycles");
	assert_has(text, "101");
	assert_lacks(text, "mispredicted");
	free(text);
	snap.branches[2].mispred = TRI_SET;
	text = render(&snap, false);
	assert_has(strstr(text, "0x3000"), "mispredicted");
	assert_lacks(strstr(text, "0x4000"), "mispredicted");
	free(text);
	/* Core 2 reports nothing but the addresses. */
	lbr = (struct lbr_info){.model = "core2", .depth = 4};
	for (uint32_t i = 0; i < snap.count; i++) {
		snap.branches[i].mispred = TRI_NOT_REPORTED;
		snap.branches[i].cycles = CYCLES_NOT_REPORTED;
	}
	text = render(&snap, false);
	assert_lacks(text, "mispredict");
	assert_lacks(text, "cycles");
	assert_lacks(text, "-1");
	free(text);
}

static void thread_and_control_characters_of_the_task(void **state)
{
	struct snapshot snap;
	struct lbr_info lbr;
	char *text;

	(void)state;
	fill(&snap, &lbr);
	snap.tid = 71;
	strcpy(snap.comm, "a\x1b]0;b\n");
	text = render(&snap, false);
	assert_has(text, "a\\x1b]0;b\\x0a[70/71]");
	assert_lacks(text, "\x1b");
	free(text);
}

static void return_value_that_is_no_error_is_printed(void **state)
{
	struct snapshot snap;
	struct lbr_info lbr;
	char *text;

	(void)state;
	fill(&snap, &lbr);
	snap.retval = 3;
	snap.err = 0;
	text = render(&snap, false);
	assert_has(text, "some_function() = 3  task");
	free(text);
	/* a pointer */
	snap.retval = (int64_t)0xffff888008002e40;
	text = render(&snap, false);
	assert_has(text, "0xffff888008002e40");
	free(text);
	snap.has_retval = false;
	snap.ip = 0xffffffff8145a7e0;
	text = render(&snap, false);
	assert_has(text, "some_function at 0xffffffff8145a7e0");
	assert_lacks(text, "() =");
	free(text);
}

static void nothing_left_is_said(void **state)
{
	struct trigger program = {.target = "x:f", .kind = TRIGGER_UPROBE, .function = "f"};
	struct snapshot snap;
	struct lbr_info lbr;
	char *text;

	(void)state;
	fill(&snap, &lbr);
	snap.wasted = 6;
	snap.shown_from = 0;
	text = render(&snap, false);
	assert_has(text, "0 of 32 entries useful, 6 spent by the capture");
	assert_has(text, "no branch of the traced code is left");
	free(text);
	snap.count = snap.wasted = 0;
	snap.dropped = 32;
	text = render(&snap, false);
	assert_has(text, "32 empty");
	assert_has(text, "the LBR was empty");
	free(text);
	snap.dropped = 30;
	snap.missing = 2;
	text = render(&snap, false);
	assert_has(text, "30 empty, 2 not in the dump");
	assert_has(text, "what the dump has of the LBR was empty");
	free(text);
	snap.dropped = 0;
	snap.missing = 32;
	text = render(&snap, false);
	assert_has(text, "32 not in the dump");
	assert_has(text, "the dump has no entry of the LBR in full");
	free(text);
	/* A program's: tasks were switched, of a fault perhaps on the way to its signal */
	snap.missing = 0;
	snap.dropped = 32;
	snap.trigger = &program;
	text = render(&snap, false);
	assert_has(text, "the LBR was empty: the kernel clears it when it switches to a task\n");
	free(text);
	program.kind = TRIGGER_SIGNAL;
	text = render(&snap, false);
	assert_has(text, "switches to a task, which it may between a fault and its signal\n");
	free(text);
}

/* One capture may have failures of a program and of the kernel with the same branches in it. */
static void listing_of_a_program_is_not_that_of_the_kernel(void **state)
{
	struct trigger program = {.target = "x:f", .kind = TRIGGER_URETPROBE, .function = "f"};
	struct listing *listing = listing_create();
	const struct text_source none = {0};
	struct text_options opts = {0};
	struct snapshot snap;
	struct lbr_info lbr;

	(void)state;
	assert_non_null(listing);
	fill(&snap, &lbr);
	for (int i = 0; i < 4; i++) {
		char *text = NULL;
		size_t len = 0;
		FILE *out = open_memstream(&text, &len);

		snap.trigger = i % 2 ? &program : &trigger;
		assert_non_null(out);
		assert_int_equal(render_listing(listing, out, &snap, &none, NULL, &opts), 0);
		assert_int_equal(fclose(out), 0);
		if (i % 2)
			assert_lacks(text, "branch in user space");
		else
			assert_has(text, "branch in user space");
		free(text);
	}
	listing_destroy(listing);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(heading_tells_what_failed_where_and_what_is_useful),
		cmocka_unit_test(heading_of_a_perf_event_tells_what_and_where),
		cmocka_unit_test(trimmed_view_shows_the_story_oldest_first),
		cmocka_unit_test(flags_show_what_is_set_and_reported_alone),
		cmocka_unit_test(thread_and_control_characters_of_the_task),
		cmocka_unit_test(return_value_that_is_no_error_is_printed),
		cmocka_unit_test(nothing_left_is_said),
		cmocka_unit_test(listing_of_a_program_is_not_that_of_the_kernel),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
