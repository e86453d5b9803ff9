// SPDX-License-Identifier: GPL-2.0
/* Which unit a control group is of; arguments that are hidden. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "cmd/option_args.h"
#include "export/journal.h"

/* Source: systemd.slice(5), systemd.service(5), systemd.scope(5); what systemctl status shows */
static void journal_unit_of_control_groups(void **state)
{
	static const char *const units[][2] = {
		{"/system.slice/nginx.service", "nginx.service"},
		{"/system.slice/docker.service/payload/x", "docker.service"},
		{"/user.slice/user-1000.slice/user@1000.service/app.slice/a.service", "a.service"},
		{"/user.slice/user-0.slice/session-3.scope", "session-3.scope"},
		{"/init.scope", "init.scope"},
		{"/system.slice", ""},
		{"/", ""},
		{"", ""},
		{"/.service", ""},
		{"/a.serviced/b", ""},
		{"a.service", "a.service"},
	};
	char unit[64];

	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++)
		assert_string_equal(journal_unit_of(units[i][0], unit, sizeof(unit)), units[i][1]);
	journal_unit_of("/abcdefgh.service", unit, 5);
	assert_string_equal(unit, "abcd");
}

static void args_hide_leaves_the_copy(void **state)
{
	char program[] = "lbrsnoop", option[] = "--journal", path[] = "/home/secret", empty[] = "";
	char *argv[] = {program, option, empty, path, NULL};
	char **copy = args_copy(4, argv);

	assert_non_null(copy);
	args_hide(4, argv);
	assert_string_equal(argv[0], "lbrsnoop");
	for (size_t i = 0; i < sizeof(path); i++)
		assert_int_equal(path[i], 0);
	for (size_t i = 0; i < sizeof(option); i++)
		assert_int_equal(option[i], 0);
	assert_string_equal(copy[0], "lbrsnoop");
	assert_string_equal(copy[1], "--journal");
	assert_string_equal(copy[2], "");
	assert_string_equal(copy[3], "/home/secret");
	assert_null(copy[4]);
	free(copy);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(journal_unit_of_control_groups),
		cmocka_unit_test(args_hide_leaves_the_copy),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
