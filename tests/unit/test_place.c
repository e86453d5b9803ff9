// SPDX-License-Identifier: GPL-2.0
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "symbolize/place.h"

/* arch/x86/lib/retpoline.S of Linux 6.1 and 6.12: each of these runs in the handler of a breakpoint
 */
static void test_thunks(void **state)
{
	static const char *const names[] = {
		"__x86_return_thunk",
		"srso_return_thunk",
		"srso_alias_return_thunk",
		"retbleed_return_thunk",
		"its_return_thunk",
		"call_depth_return_thunk",
		"srso_safe_ret",
		"srso_alias_safe_ret",
		"srso_untrain_ret",
		"srso_alias_untrain_ret",
		"retbleed_untrain_ret",
		"entry_untrain_ret",
		"__x86_indirect_thunk_rax",
		"__x86_indirect_thunk_array",
		"__x86_indirect_its_thunk_rax",
		"clear_bhb_loop",
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		assert_true(place_is_thunk(place_of_symbol(names[i], 0)));
}

/* Functions of C that the name alone makes look like one. */
static void test_no_thunks(void **state)
{
	static const char *const names[] = {"preempt_schedule_thunk", "warn_thunk_thunk",
					    "return_to_handler",      "retbleed_select_mitigation",
					    "srso_select_mitigation", "srso_show_state"};

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		assert_false(place_is_thunk(place_of_symbol(names[i], 0)));
}

static void test_inside(void **state)
{
	assert_int_equal(place_of_symbol("__x86_return_thunk", 0), PLACE_RETURN_THUNK);
	/* Not where a jump to it is a return. */
	assert_int_equal(place_of_symbol("__x86_return_thunk", 4), PLACE_ORDINARY);
	assert_int_equal(place_of_symbol("__x86_indirect_thunk_array", 0x40), PLACE_INDIRECT_THUNK);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_thunks),
		cmocka_unit_test(test_no_thunks),
		cmocka_unit_test(test_inside),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
