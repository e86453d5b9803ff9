// SPDX-License-Identifier: GPL-2.0
/* test_cgroup - where systemd puts units: paths as systemd-cgls of Debian 12 shows them */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "host/cgroup.h"

static void expect_path(const char *name, const char *path)
{
	char buf[256];

	assert_int_equal(cgroup_unit_path(name, buf, sizeof(buf)), 0);
	assert_string_equal(buf, path);
}

static void cgroup_unit_path_service_is_in_the_system_slice(void **state)
{
	(void)state;
	expect_path("nginx", "system.slice/nginx.service");
	expect_path("nginx.service", "system.slice/nginx.service");
	expect_path("ssh.socket", "system.slice/ssh.socket");
	expect_path("systemd-journald", "system.slice/systemd-journald.service");
}

/* A dot begins a type only where there is one of that name. */
static void cgroup_unit_path_dot_in_the_name_is_no_type(void **state)
{
	(void)state;
	expect_path("php8.2-fpm", "system.slice/php8.2-fpm.service");
	expect_path("php8.2-fpm.service", "system.slice/php8.2-fpm.service");
}

static void cgroup_unit_path_instance_is_in_its_templates_slice(void **state)
{
	(void)state;
	expect_path("postgresql@15-main",
		    "system.slice/system-postgresql.slice/postgresql@15-main.service");
	expect_path("serial-getty@ttyS0.service",
		    "system.slice/system-serial\\x2dgetty.slice/serial-getty@ttyS0.service");
}

static void cgroup_unit_path_slice_is_in_those_of_its_name(void **state)
{
	(void)state;
	expect_path("user.slice", "user.slice");
	expect_path("user-1000.slice", "user.slice/user-1000.slice");
	expect_path("a-b-c.slice", "a.slice/a-b.slice/a-b-c.slice");
	expect_path("-.slice", "");
}

static void cgroup_unit_path_too_long_is_said(void **state)
{
	char buf[16];

	(void)state;
	assert_int_equal(cgroup_unit_path("nginx", buf, sizeof(buf)), -ENAMETOOLONG);
	assert_int_equal(cgroup_unit_path("nginx", buf, 0), -ENAMETOOLONG);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(cgroup_unit_path_service_is_in_the_system_slice),
		cmocka_unit_test(cgroup_unit_path_dot_in_the_name_is_no_type),
		cmocka_unit_test(cgroup_unit_path_instance_is_in_its_templates_slice),
		cmocka_unit_test(cgroup_unit_path_slice_is_in_those_of_its_name),
		cmocka_unit_test(cgroup_unit_path_too_long_is_said),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
