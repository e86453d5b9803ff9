// SPDX-License-Identifier: GPL-2.0
/* Which commands unload modules: of these "why" must not hold any. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "cmd/why/unloads.h"

#define COMMAND(...) ((char *[]){__VA_ARGS__, NULL})

static void a_program_that_unloads(void **state)
{
	(void)state;
	assert_true(unloads_modules(COMMAND("rmmod", "nlmon")));
	assert_true(unloads_modules(COMMAND("/usr/sbin/modprobe", "-r", "nlmon")));
	assert_true(unloads_modules(COMMAND("setpriv", "--reuid=65534", "rmmod", "nlmon")));
	assert_true(unloads_modules(COMMAND("kmod", "unload", "nlmon")));
}

static void in_a_script(void **state)
{
	(void)state;
	assert_true(unloads_modules(COMMAND("sh", "-c", "cd /tmp;rmmod nlmon")));
	assert_true(unloads_modules(COMMAND("sh", "-c", "x=$(/sbin/rmmod nlmon 2>&1)")));
	assert_true(unloads_modules(COMMAND("sh", "-c", "rmmod")));
}

static void others_do_not(void **state)
{
	(void)state;
	assert_false(
		unloads_modules(COMMAND("cat", "rmmod.txt", "/etc/modprobe.d", "/lib/kmod/x")));
	assert_false(unloads_modules(COMMAND("insmod", "f", "xrmmod", "rmmods", "")));
	assert_false(unloads_modules(COMMAND("sh", "-c", "")));
	assert_false(unloads_modules((char *[]){NULL}));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_program_that_unloads),
		cmocka_unit_test(in_a_script),
		cmocka_unit_test(others_do_not),
	};

	return cmocka_run_group_tests_name("unloads", tests, NULL, NULL);
}
