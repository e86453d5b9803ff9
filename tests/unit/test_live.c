// SPDX-License-Identifier: GPL-2.0
/* /dev/cpu is played by files: an MSR is read at the offset of its number, as in msr(4). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "decode/live.h"

static char dir[64];
static struct dump dump;
static struct notes notes;
static struct errmsg msg;

static void path_of(unsigned int cpu, const char *name, char *buf, size_t len)
{
	snprintf(buf, len, "%s/%u%s", dir, cpu, name);
}

static int setup(void **state)
{
	strcpy(dir, "/tmp/lbrsnoop-test-XXXXXX");
	return mkdtemp(dir) ? 0 : -1;
}

static int teardown(void **state)
{
	char path[128];

	for (unsigned int cpu = 0; cpu < 3; cpu++) {
		path_of(cpu, "/msr", path, sizeof(path));
		unlink(path);
		path_of(cpu, "", path, sizeof(path));
		rmdir(path);
	}
	dump_deinit(&dump);
	notes_deinit(&notes);
	return rmdir(dir);
}

/* A file as long as needed for MSRs below @end; the one at @msr holds @value */
static void make_cpu(unsigned int cpu, uint32_t end, uint32_t msr, uint64_t value)
{
	char path[128];
	int fd;

	path_of(cpu, "", path, sizeof(path));
	assert_int_equal(mkdir(path, 0700), 0);
	path_of(cpu, "/msr", path, sizeof(path));
	fd = open(path, O_CREAT | O_WRONLY, 0600);
	assert_true(fd >= 0);
	assert_int_equal(ftruncate(fd, end), 0);
	assert_int_equal(pwrite(fd, &value, sizeof(value), msr), sizeof(value));
	close(fd);
}

static int read_cpu(const char *model, unsigned int cpu)
{
	return live_read(lbr_model_by_name(model), dir, cpu, &dump, &notes, &msg);
}

static void live_read_every_register_of_the_model(void **state)
{
	/* 1C8H last: with eight bytes at each offset, a neighbour would be overwritten */
	make_cpu(0, 0x10000, 0x6c5, UINT64_C(0xffffffff81000010));
	assert_int_equal(read_cpu("skylake", 0), 0);
	assert_int_equal(dump.count, 32 * 3 + 2);
	dump_sort(&dump);
	assert_int_equal(dump.records[0].msr, 0x1c8);
	assert_int_equal(dump.records[1].msr, 0x1c9);
	assert_int_equal(dump.records[2 + 32 + 5].msr, 0x6c5);
	assert_int_equal(dump.records[2 + 32 + 5].value, UINT64_C(0xffffffff81000010));
	assert_int_equal(notes.count, 0);
}

static void live_read_depth_register_says_how_many(void **state)
{
	make_cpu(0, 0x10000, 0x14cf, 8);
	assert_int_equal(read_cpu("sapphirerapids", 0), 0);
	assert_int_equal(dump.count, 8 * 3 + 2);
}

static void live_read_recording_is_said(void **state)
{
	make_cpu(1, 0x10000, 0x1d9, 1); /* IA32_DEBUGCTL.LBR */
	assert_int_equal(read_cpu("skylake", 1), 0);
	assert_int_equal(notes.warnings, 1);
	assert_non_null(strstr(notes.items[0].text, "CPU 1: the LBR is recording"));
}

/* Linux msr-index.h: MSR_AMD_DBG_EXTN_CFG is C000010FH; LBRV2EN bit 6, brs.c: brsmen bit 2 */
static void live_read_recording_of_amd_is_said(void **state)
{
	make_cpu(1, 0xc0010400, 0xc000010f, 1 << 6);
	assert_int_equal(read_cpu("zen4", 1), 0);
	assert_non_null(strstr(notes.items[0].text, "CPU 1: the LBR is recording"));
	make_cpu(2, 0xc0010400, 0xc000010f, 1 << 2);
	assert_int_equal(read_cpu("zen3", 2), 0);
	assert_int_equal(notes.warnings, 2);
	assert_non_null(strstr(notes.items[1].text, "CPU 2: the LBR is recording"));
}

static void live_read_module_not_loaded_is_enoent_with_remedy(void **state)
{
	assert_int_equal(read_cpu("skylake", 0), -ENOENT);
	assert_non_null(strstr(msg.text, "modprobe msr"));
}

static void live_read_no_such_cpu_is_enoent(void **state)
{
	make_cpu(0, 0x10000, 0, 0);
	assert_int_equal(read_cpu("skylake", 2), -ENOENT);
	assert_non_null(strstr(msg.text, "there is no CPU 2"));
}

static void live_read_register_missing_is_an_error(void **state)
{
	make_cpu(0, 0x690, 0, 0); /* ends within the FROM registers */
	assert_int_equal(read_cpu("skylake", 0), -ENODEV);
	assert_non_null(strstr(msg.text, "does not have MSR 689H"));
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

int main(void)
{
	static const struct CMUnitTest tests[] = {
		TEST(live_read_every_register_of_the_model),
		TEST(live_read_depth_register_says_how_many),
		TEST(live_read_recording_is_said),
		TEST(live_read_recording_of_amd_is_said),
		TEST(live_read_module_not_loaded_is_enoent_with_remedy),
		TEST(live_read_no_such_cpu_is_enoent),
		TEST(live_read_register_missing_is_an_error),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
