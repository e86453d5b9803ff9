// SPDX-License-Identifier: GPL-2.0
/* test_lbr_cause - why there is no LBR, of processors and kernels that are made up here */
#include <errno.h>
#include <linux/perf_event.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "capture/lbr/lbr_cause.h"

#define ANY (PERF_SAMPLE_BRANCH_ANY | PERF_SAMPLE_BRANCH_KERNEL | PERF_SAMPLE_BRANCH_USER)

/* Lines of /proc/cpuinfo that are looked at. */
#define ZEN4                                                                                       \
	"vendor_id\t: AuthenticAMD\ncpu family\t: 25\nmodel\t\t: 17\n"                             \
	"model name\t: AMD EPYC 9654 96-Core Processor\n"
#define ZEN3                                                                                       \
	"vendor_id\t: AuthenticAMD\ncpu family\t: 25\nmodel\t\t: 1\n"                              \
	"model name\t: AMD EPYC 7763 64-Core Processor\n"
#define SKYLAKE                                                                                    \
	"vendor_id\t: GenuineIntel\ncpu family\t: 6\nmodel\t\t: 85\n"                              \
	"model name\t: Intel(R) Xeon(R) Gold 6130 CPU\nflags\t\t: fpu arch_perfmon\n"

static const char *cpuinfo;

FILE *__real_fopen(const char *path, const char *mode);
FILE *__wrap_fopen(const char *path, const char *mode);
int __wrap_access(const char *path, int mode);

FILE *__wrap_fopen(const char *path, const char *mode)
{
	if (strcmp(path, "/proc/cpuinfo") != 0)
		return __real_fopen(path, mode);
	return fmemopen((void *)cpuinfo, strlen(cpuinfo), "r");
}

/* There is a PMU. */
int __wrap_access(const char *path, int mode)
{
	(void)path;
	(void)mode;
	return 0;
}

static void expect_cause(const char *cpu, int err, const char *said, const char *not_said)
{
	struct errmsg msg = {};

	cpuinfo = cpu;
	assert_int_equal(lbr_cause(err, 0, ANY, &msg), -ENODEV);
	if (!strstr(msg.text, said))
		fail_msg("'%s' is not in '%s'", said, msg.text);
	if (strstr(msg.text, not_said))
		fail_msg("'%s' is in '%s'", not_said, msg.text);
}

/* amd_pmu_lbr_hw_config() of Linux 6.1 to 6.9: "LBR is not recommended in counting mode", -EINVAL.
 */
static void lbr_cause_zen4_before_linux_6_10_names_the_kernel(void **state)
{
	(void)state;
	expect_cause(ZEN4 "flags\t\t: fpu perfmon_v2 amd_lbr_v2\n", -EINVAL,
		     "Linux 6.10 and later can", "knows no last-branch records");
}

/* Linux before 6.1 has no name for the flag. */
static void lbr_cause_amd_without_the_flag_names_what_it_takes(void **state)
{
	(void)state;
	expect_cause(ZEN3 "flags\t\t: fpu\n", -EOPNOTSUPP, "EPYC 7763", "6.10 and later can");
	expect_cause(ZEN4 "flags\t\t: fpu\n", -EOPNOTSUPP, "Linux 6.10", "has no LbrExtV2");
}

static void lbr_cause_intel_without_lbr_names_the_driver(void **state)
{
	(void)state;
	expect_cause(SKYLAKE, -EINVAL, "driver knows no last-branch records", "AMD");
	expect_cause(SKYLAKE, -EOPNOTSUPP, "driver knows no last-branch records", "AMD");
}

static void lbr_cause_empty_amd_names_the_kernel(void **state)
{
	struct errmsg msg = {};

	(void)state;
	cpuinfo = ZEN4 "flags\t\t: fpu perfmon_v2 amd_lbr_v2\n";
	assert_int_equal(lbr_cause_empty(-ENOENT, 0, &msg), -ENODEV);
	assert_non_null(strstr(msg.text, "Linux 6.10 and later can"));
	cpuinfo = SKYLAKE;
	assert_int_equal(lbr_cause_empty(-ENOENT, 0, &msg), -ENODEV);
	assert_null(strstr(msg.text, "6.10"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lbr_cause_zen4_before_linux_6_10_names_the_kernel),
		cmocka_unit_test(lbr_cause_amd_without_the_flag_names_what_it_takes),
		cmocka_unit_test(lbr_cause_intel_without_lbr_names_the_driver),
		cmocka_unit_test(lbr_cause_empty_amd_names_the_kernel),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
