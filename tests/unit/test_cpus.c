// SPDX-License-Identifier: GPL-2.0
/* capture/lbr_events: lists of CPUs, as /sys/devices/system/cpu/online has them */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

#include "capture/lbr/lbr_events.h"
#include "util/cleanup.h"

static int first_of(const char *list)
{
	char path[] = "/tmp/lbrsnoop-cpus.XXXXXX";
	int fd = mkstemp(path), first;

	assert_true(fd >= 0);
	assert_true(dprintf(fd, "%s\n", list) > 0);
	close(fd);
	first = cpus_first_online(path);
	unlink(path);
	return first;
}

/* CPU 0 can be taken offline: who takes it for granted gets -ENODEV. */
static void cpus_first_online_is_not_always_zero(void **state)
{
	assert_int_equal(first_of("0-3"), 0);
	assert_int_equal(first_of("1-3"), 1);
	assert_int_equal(first_of("7,12-15"), 7);
	assert_int_equal(first_of("64"), 64);
}

static void cpus_first_online_unknown_is_zero(void **state)
{
	assert_int_equal(cpus_first_online("/none"), 0);
	assert_int_equal(first_of("x"), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(cpus_first_online_is_not_always_zero),
		cmocka_unit_test(cpus_first_online_unknown_is_zero),
	};

	return cmocka_run_group_tests_name("cpus", tests, NULL, NULL);
}
