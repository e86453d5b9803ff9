// SPDX-License-Identifier: GPL-2.0
/* The order of steps and of events; sources are tables of times, sinks note what they are handed.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../symbol_table.h"
#include "pipeline/pipeline.h"

/** struct script - events of a source at @times, ended by 0; then @err */
struct script {
	const uint64_t *times;
	int err;
};

static struct trigger trigger = {.target = "open_it", .kind = TRIGGER_FEXIT};
static struct lbr_info lbr = {.model = "skylake", .depth = 32};
static struct symbols *symbols;
static char steps[256];

static void note(const char *step)
{
	strncat(steps, step, sizeof(steps) - strlen(steps) - 1);
}

static int next(void *ctx, struct snapshot *ret_snap, uint64_t *ret_lost)
{
	struct script *script = ctx;

	if (!*script->times)
		return script->err;
	snapshot_clear(ret_snap);
	ret_snap->ts_ns = *script->times++;
	ret_snap->trigger = &trigger;
	ret_snap->lbr = &lbr;
	*ret_lost = 1;
	return 1;
}

static bool prepare(void *ctx, struct snapshot *snap)
{
	(void)ctx;
	(void)snap;
	note("prepare ");
	return true;
}

static void classified(void *ctx, const struct snapshot *snap)
{
	(void)ctx;
	(void)snap;
	note("classified ");
}

static const struct source_ops plain = {.next = next};
static const struct source_ops live = {.prepare = prepare, .classified = classified};

static int keep(void *ctx, const struct event *event)
{
	assert_int_equal(event->code_changed, event->source->ops == &live);
	note("keep ");
	return *(int *)ctx;
}

static int show(void *ctx, const struct event *event)
{
	(void)event;
	note("show ");
	return *(int *)ctx;
}

static int list_time(void *ctx, const struct event *event)
{
	char text[16];

	(void)ctx;
	snprintf(text, sizeof(text), "%u ", (unsigned int)event->snap->ts_ns);
	note(text);
	return 0;
}

static bool is_even(void *ctx, const struct snapshot *snap)
{
	(void)ctx;
	return snap->ts_ns % 2 == 0;
}

static int on_ended(void *ctx, struct pipeline *pipeline, int err)
{
	(void)ctx;
	(void)pipeline;
	note(err ? "failed " : "ended ");
	return 0;
}

static int open_symbols(void **state)
{
	(void)state;
	symbols = symbol_table("ffffffff81000000 T open_it\nffffffff81000100 T end\n");
	return symbols ? 0 : -1;
}

static int close_symbols(void **state)
{
	(void)state;
	symbols_close(symbols);
	return 0;
}

static struct source source_of(struct script *script)
{
	return (struct source){.ops = &plain, .ctx = script, .symbols = symbols};
}

static struct pipeline *begin(void)
{
	struct pipeline *pipeline = calloc(1, sizeof(*pipeline));

	assert_non_null(pipeline);
	pipeline->source = (struct source){.ops = &live, .symbols = symbols};
	return pipeline;
}

/* @err: what the sink returns */
static void add_keep(struct pipeline *pipeline, int *err)
{
	pipeline_add_sink(pipeline, &(struct sink){.event = keep, .ctx = err, .as_captured = true});
}

/* One event goes through, in these steps. */
static void expect_steps(struct pipeline *pipeline, uint64_t ts_ns, int err, const char *wanted)
{
	struct snapshot snap = {.ts_ns = ts_ns, .trigger = &trigger, .lbr = &lbr};

	steps[0] = '\0';
	assert_int_equal(pipeline_event(pipeline, &snap, 0), err);
	assert_string_equal(steps, wanted);
}

static void end(struct pipeline *pipeline)
{
	pipeline_deinit(pipeline);
	free(pipeline);
}

static void pipeline_event_keeps_before_it_classifies(void **state)
{
	int fails = -EIO, works = 0;
	struct pipeline *pipeline = begin();

	(void)state;
	pipeline_add_sink(pipeline, &(struct sink){.event = show, .ctx = &works});
	add_keep(pipeline, &fails);
	expect_steps(pipeline, 1, -EIO, "prepare keep classified show ");
	end(pipeline);
}

/* It is asked once of each event; what it leaves out costs no classification. */
static void pipeline_event_of_a_sink_that_does_not_want_it(void **state)
{
	int works = 0;
	struct pipeline *pipeline = begin();

	(void)state;
	add_keep(pipeline, &works);
	pipeline_add_sink(pipeline, &(struct sink){.event = show, .wants = is_even, .ctx = &works});
	expect_steps(pipeline, 1, 0, "prepare keep ");
	expect_steps(pipeline, 2, 0, "prepare keep classified show ");
	end(pipeline);
}

static void pipeline_event_nobody_asks_is_not_classified(void **state)
{
	int works = 0;
	struct pipeline *pipeline = begin();

	(void)state;
	add_keep(pipeline, &works);
	expect_steps(pipeline, 1, 0, "prepare keep ");
	end(pipeline);
}

/* Runs two sources; @ret_run has the results. */
static int run_two(uint64_t max, struct pipeline_run *ret_run)
{
	static const uint64_t first[] = {2, 3, 8, 0}, second[] = {1, 4, 6, 0};
	struct script scripts[2] = {{first, -EBADMSG}, {second, 0}};
	struct pipeline *items = calloc(2, sizeof(*items));
	struct pipeline_run run = {
		.items = items, .count = 2, .wanted = is_even, .ended = on_ended, .max = max};
	int err;

	assert_non_null(items);
	steps[0] = '\0';
	for (int i = 0; i < 2; i++) {
		items[i].source = source_of(&scripts[i]);
		pipeline_add_sink(&items[i], &(struct sink){.event = list_time});
		assert_int_equal(pipeline_fill(&run, &items[i]), 0);
		assert_true(items[i].filled);
	}
	err = pipeline_run(&run);
	*ret_run = run;
	for (int i = 0; i < 2; i++)
		pipeline_deinit(&items[i]);
	free(items);
	return err;
}

static void pipeline_run_in_order_of_time_what_is_wanted(void **state)
{
	struct pipeline_run run;

	(void)state;
	assert_int_equal(run_two(0, &run), 0);
	assert_string_equal(steps, "2 4 6 ended 8 failed ");
	assert_int_equal(run.taken, 4);
	/* One before each, those of the others, too. */
	assert_int_equal(run.lost, 6);
	assert_false(run.sink_failed);
}

static void pipeline_run_stops_at_the_count(void **state)
{
	struct pipeline_run run;

	(void)state;
	assert_int_equal(run_two(2, &run), 0);
	assert_string_equal(steps, "2 4 ");
	assert_int_equal(run.taken, 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(pipeline_event_keeps_before_it_classifies),
		cmocka_unit_test(pipeline_event_nobody_asks_is_not_classified),
		cmocka_unit_test(pipeline_event_of_a_sink_that_does_not_want_it),
		cmocka_unit_test(pipeline_run_in_order_of_time_what_is_wanted),
		cmocka_unit_test(pipeline_run_stops_at_the_count),
	};

	return cmocka_run_group_tests(tests, open_symbols, close_symbols);
}
