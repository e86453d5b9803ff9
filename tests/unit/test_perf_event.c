// SPDX-License-Identifier: GPL-2.0
/* Expected: types and numbers of include/uapi/linux/perf_event.h. */
#include <errno.h>
#include <linux/perf_event.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "target/kinds/perf_event.h"
#include "util/cleanup.h"

static void target_parse_perf_events(void **state)
{
	static const struct {
		const char *text, *name;
		enum trigger_kind kind;
		uint32_t type;
		uint64_t config, period;
	} cases[] = {
		{"perf:page-faults", "page-faults", TRIGGER_PERF, PERF_TYPE_SOFTWARE,
		 PERF_COUNT_SW_PAGE_FAULTS, 1},
		{"perf:faults:7", "faults", TRIGGER_PERF, PERF_TYPE_SOFTWARE,
		 PERF_COUNT_SW_PAGE_FAULTS, 7},
		{"perf:cs", "cs", TRIGGER_PERF, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CONTEXT_SWITCHES,
		 1},
		{"perf:cpu-migrations:1", "cpu-migrations", TRIGGER_PERF, PERF_TYPE_SOFTWARE,
		 PERF_COUNT_SW_CPU_MIGRATIONS, 1},
		{"perf:cpu-clock", "cpu-clock", TRIGGER_PERF, PERF_TYPE_SOFTWARE,
		 PERF_COUNT_SW_CPU_CLOCK, 1000000},
		{"perf:cycles", "cycles", TRIGGER_PMI, PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES,
		 1000000},
		{"perf:branch-misses:1009", "branch-misses", TRIGGER_PMI, PERF_TYPE_HARDWARE,
		 PERF_COUNT_HW_BRANCH_MISSES, 1009},
		/* no raw number, though it begins with r */
		{"perf:ref-cycles", "ref-cycles", TRIGGER_PMI, PERF_TYPE_HARDWARE,
		 PERF_COUNT_HW_REF_CPU_CYCLES, 1000000},
		{"perf:r1a8:5", "r1a8", TRIGGER_PMI, PERF_TYPE_RAW, 0x1a8, 5},
		{"perf:rffffffffffffffff", "rffffffffffffffff", TRIGGER_PMI, PERF_TYPE_RAW,
		 UINT64_MAX, 1000000},
		{"perf:page-faults:9223372036854775807", "page-faults", TRIGGER_PERF,
		 PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS, INT64_MAX},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct target_spec spec;
		struct errmsg msg = {};

		assert_int_equal(target_parse(cases[i].text, &spec, &msg), 0);
		assert_string_equal(spec.name, cases[i].name);
		assert_int_equal(spec.kind, cases[i].kind);
		assert_int_equal(spec.event.type, cases[i].type);
		assert_true(spec.event.config == cases[i].config);
		assert_true(spec.event.period == cases[i].period);
		assert_int_equal(target_is_user(&spec), cases[i].kind == TRIGGER_PERF);
		target_spec_deinit(&spec);
	}
}

static void target_parse_perf_wrong_is_refused(void **state)
{
	static const char *const texts[] = {
		"perf:",
		"perf::5",
		"perf:dummy",
		"perf:r",
		"perf:rxyz",
		"perf:r11223344556677889",
		"perf:page-faults:",
		"perf:page-faults:0",
		"perf:page-faults:-1",
		"perf:page-faults:+1",
		"perf:page-faults: 1",
		"perf:page-faults:1k",
		"perf:page-faults:1:2",
		"perf:page-faults:9223372036854775808",
		"perf:page-faults:99999999999999999999",
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
		struct target_spec spec;
		struct errmsg msg = {};

		assert_int_equal(target_parse(texts[i], &spec, &msg), -EINVAL);
		assert_non_null(strstr(msg.text, texts[i]));
	}
}

/* All that there is, and what is nearest. */
static void target_parse_perf_unknown_lists_events(void **state)
{
	struct target_spec spec;
	struct errmsg msg = {};

	(void)state;
	assert_int_equal(target_parse("perf:page-fautls", &spec, &msg), -EINVAL);
	for (size_t i = 0; perf_event_at(i); i++)
		assert_non_null(strstr(msg.text, perf_event_at(i)->name));
	assert_non_null(strstr(msg.text, "did you mean page-faults"));
}

/* Two events are two probes, an event twice is one. */
static void probe_list_drop_twins_of_events(void **state)
{
	static const char *const texts[] = {"perf:cs", "perf:cycles", "perf:context-switches",
					    "perf:cs:2", "perf:r3c"};
	struct probe_list list = {};
	struct errmsg msg = {};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
		struct target_spec spec;

		assert_int_equal(target_parse(texts[i], &spec, &msg), 0);
		assert_int_equal(perf_event_add(NULL, &spec, &list, NULL), 0);
		target_spec_deinit(&spec);
	}
	assert_int_equal(probe_list_drop_twins(&list), 0);
	assert_int_equal(list.count, 4);
	assert_string_equal(list.items[0].trigger.target, "perf:cs");
	assert_string_equal(list.items[2].trigger.target, "perf:cs:2");
	probe_list_deinit(&list);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(target_parse_perf_events),
		cmocka_unit_test(target_parse_perf_wrong_is_refused),
		cmocka_unit_test(target_parse_perf_unknown_lists_events),
		cmocka_unit_test(probe_list_drop_twins_of_events),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
