// SPDX-License-Identifier: GPL-2.0
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "snapshot/probe.h"

static struct probe *add(struct probe_list *list, enum trigger_kind kind, const char *function,
			 uint64_t addr)
{
	struct probe *probe = probe_list_add(list);

	assert_non_null(probe);
	probe->trigger.kind = kind;
	probe->trigger.target = strdup(function);
	probe->trigger.function = strdup(function);
	probe->trigger.module = strdup("");
	probe->trigger.addr = addr;
	return probe;
}

static void probe_list_drop_twins_same_place_keeps_the_first(void **state)
{
	struct probe_list list = {};

	(void)state;
	add(&list, TRIGGER_FEXIT, "b", 0x2000);
	add(&list, TRIGGER_FEXIT, "a", 0x1000);
	add(&list, TRIGGER_FEXIT, "b", 0x2000);
	add(&list, TRIGGER_FEXIT, "c", 0x3000);
	add(&list, TRIGGER_FEXIT, "b", 0x2000);
	assert_int_equal(probe_list_drop_twins(&list), 0);
	assert_int_equal(list.count, 3);
	assert_string_equal(list.items[0].trigger.function, "b");
	assert_string_equal(list.items[1].trigger.function, "a");
	assert_string_equal(list.items[2].trigger.function, "c");
	probe_list_deinit(&list);
}

static void probe_list_drop_twins_other_trigger_or_place_stays(void **state)
{
	struct probe_list list = {};

	(void)state;
	add(&list, TRIGGER_FEXIT, "a", 0x1000);
	add(&list, TRIGGER_FEXIT, "a", 0x1000)->fallback = true;
	add(&list, TRIGGER_FENTRY, "a", 0x1000);
	add(&list, TRIGGER_KPROBE, "a", 0x1004);
	add(&list, TRIGGER_KPROBE, "a", 0x1008);
	add(&list, TRIGGER_HW, "a", 0x1000);
	add(&list, TRIGGER_HW, "a", 0x1000)->site_kind = SITE_RETURN;
	add(&list, TRIGGER_TRACEPOINT, "sys_enter", 0)->category = strdup("raw_syscalls");
	add(&list, TRIGGER_TRACEPOINT, "sys_enter", 0)->category = strdup("syscalls");
	add(&list, TRIGGER_TRACEPOINT, "sys_exit", 0)->category = strdup("syscalls");
	assert_int_equal(probe_list_drop_twins(&list), 0);
	assert_int_equal(list.count, 10);
	probe_list_deinit(&list);
}

/* lbrsnoop 'a*' ab: what was also asked for by its name has to be armed. */
static void probe_list_drop_twins_named_twin_of_a_glob_is_required(void **state)
{
	struct probe_list list = {};

	(void)state;
	add(&list, TRIGGER_FEXIT, "aa", 0x1000)->optional = true;
	add(&list, TRIGGER_FEXIT, "ab", 0x2000)->optional = true;
	add(&list, TRIGGER_FEXIT, "ab", 0x2000);
	assert_int_equal(probe_list_drop_twins(&list), 0);
	assert_int_equal(list.count, 2);
	assert_true(list.items[0].optional);
	assert_false(list.items[1].optional);
	probe_list_deinit(&list);
}

static void probe_list_drop_twins_empty_or_one(void **state)
{
	struct probe_list list = {};

	(void)state;
	assert_int_equal(probe_list_drop_twins(&list), 0);
	add(&list, TRIGGER_FEXIT, "a", 0x1000);
	assert_int_equal(probe_list_drop_twins(&list), 0);
	assert_int_equal(list.count, 1);
	probe_list_deinit(&list);
}

static void probe_list_copy_has_parameters_of_its_own(void **state)
{
	struct probe_list list = {};
	struct probe *copy;

	(void)state;
	add(&list, TRIGGER_FEXIT, "a", 0x1000);
	list.items[0].parameters = calloc(1, sizeof(struct parameter));
	assert_non_null(list.items[0].parameters);
	strcpy(list.items[0].parameters[0].name, "size");
	list.items[0].parameter_count = 1;
	copy = probe_list_copy(&list, 0);
	assert_non_null(copy);
	assert_int_equal(copy->parameter_count, 1);
	assert_string_equal(copy->parameters[0].name, "size");
	assert_ptr_not_equal(copy->parameters, list.items[0].parameters);
	probe_list_deinit(&list);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(probe_list_drop_twins_same_place_keeps_the_first),
		cmocka_unit_test(probe_list_drop_twins_other_trigger_or_place_stays),
		cmocka_unit_test(probe_list_drop_twins_named_twin_of_a_glob_is_required),
		cmocka_unit_test(probe_list_drop_twins_empty_or_one),
		cmocka_unit_test(probe_list_copy_has_parameters_of_its_own),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
