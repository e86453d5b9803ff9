// SPDX-License-Identifier: GPL-2.0
/* Names and plans; what syscall_format() does with what is hostile. Texts: see strace's test. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <sys/syscall.h>

#include "syscall/syscall.h"

#define NUMBERS "/usr/include/x86_64-linux-gnu/asm/unistd_64.h"

static void syscall_name_each_number_of_the_headers(void **state)
{
	char line[256], name[128];
	unsigned int nr, count = 0;
	FILE *file = fopen(NUMBERS, "re");

	(void)state;
	if (!file) {
		print_message("skipped: there is no " NUMBERS "\n");
		skip();
		return;
	}
	while (fgets(line, sizeof(line), file)) {
		if (sscanf(line, "#define __NR_%127s %u", name, &nr) != 2)
			continue;
		assert_non_null(syscall_name(nr));
		assert_string_equal(syscall_name(nr), name);
		assert_int_equal(syscall_number(name), nr);
		count++;
	}
	fclose(file);
	assert_true(count >= 360);
}

/* arch/x86/entry/syscalls/syscall_64.tbl: the columns of numbers and entry points */
static void syscall_number_in_kernel_by_entry_point(void **state)
{
	(void)state;
	assert_int_equal(syscall_number_in_kernel("openat"), 257);
	assert_int_equal(syscall_number_in_kernel("newstat"), 4);
	assert_int_equal(syscall_number_in_kernel("newfstat"), 5);
	assert_int_equal(syscall_number_in_kernel("newlstat"), 6);
	assert_int_equal(syscall_number_in_kernel("sendfile64"), 40);
	assert_int_equal(syscall_number_in_kernel("newuname"), 63);
	assert_int_equal(syscall_number_in_kernel("umount"), 166);
	assert_int_equal(syscall_number_in_kernel("newfstatat"), 262);
	/* The entry points of these names are those of 32-bit programs, and of older ones. */
	assert_int_equal(syscall_number_in_kernel("stat"), -1);
	assert_int_equal(syscall_number_in_kernel("uname"), -1);
	assert_int_equal(syscall_number_in_kernel("umount2"), -1);
	assert_int_equal(syscall_number_in_kernel("none"), -1);
}

/* arch/x86/entry/syscalls/syscall_64.tbl of Linux 6.18; its ends, and what came one by one */
static void syscall_number_newer_than_the_headers_known(void **state)
{
	(void)state;
	assert_int_equal(syscall_number("uretprobe"), 335);
	assert_int_equal(syscall_number("uprobe"), 336);
	assert_int_equal(syscall_number("cachestat"), 451);
	assert_int_equal(syscall_number("statmount"), 457);
	assert_int_equal(syscall_number("mseal"), 462);
	assert_int_equal(syscall_number("open_tree_attr"), 467);
	assert_int_equal(syscall_number("file_setattr"), 469);
	assert_null(syscall_name(337));
	assert_null(syscall_name(470));
}

static void syscall_number_unknown_none(void **state)
{
	(void)state;
	assert_int_equal(syscall_number("opena"), -1);
	assert_int_equal(syscall_number(""), -1);
	assert_null(syscall_name(SYSCALL_PLANS));
	assert_null(syscall_name(0x40000000)); /* x32 */
}

static void syscall_read_plan_each_within_bounds(void **state)
{
	struct syscall_read_plan plan;

	(void)state;
	for (unsigned int nr = 0; nr < SYSCALL_PLANS + 2; nr++) {
		syscall_read_plan(nr, &plan);
		for (unsigned int i = 0; i < SYSCALL_ARGS; i++) {
			const struct syscall_read *read = &plan.args[i];

			assert_true(read->max <= SYSCALL_BYTES_MAX);
			assert_true(read->kind <= SYSCALL_READ_COUNTED);
			assert_int_equal(read->max == 0, read->kind == SYSCALL_READ_NONE);
			if (read->kind != SYSCALL_READ_COUNTED)
				continue;
			assert_true(read->len_arg < SYSCALL_ARGS);
			assert_int_not_equal(read->len_arg, i);
			assert_true(read->unit > 0);
			assert_int_equal(read->max % read->unit, 0);
		}
	}
}

static void syscall_read_plan_of_known_calls(void **state)
{
	struct syscall_read_plan plan;

	(void)state;
	syscall_read_plan(SYS_openat, &plan);
	assert_int_equal(plan.args[0].kind, SYSCALL_READ_NONE);
	assert_int_equal(plan.args[1].kind, SYSCALL_READ_STRING);
	assert_int_equal(plan.args[1].max, SYSCALL_BYTES_MAX);
	syscall_read_plan(SYS_connect, &plan);
	assert_int_equal(plan.args[1].kind, SYSCALL_READ_COUNTED);
	assert_int_equal(plan.args[1].len_arg, 2);
	assert_int_equal(plan.args[1].unit, 1);
	syscall_read_plan(SYS_nanosleep, &plan);
	assert_int_equal(plan.args[0].kind, SYSCALL_READ_BYTES);
	assert_int_equal(plan.args[0].max, 16);
	syscall_read_plan(SYS_kexec_file_load, &plan);
	assert_int_equal(plan.args[3].len_arg, 2);
}

static void set_string(struct syscall_event *call, unsigned int arg, const char *text)
{
	call->args[arg] = 0x1000;
	call->blobs[arg].status = SYSCALL_BLOB_READ;
	call->blobs[arg].len = (uint16_t)strlen(text);
	memcpy(call->bytes[arg], text, strlen(text));
}

static void assert_text(const struct syscall_event *call, const char *text)
{
	char buf[SYSCALL_TEXT_MAX];

	assert_int_equal(syscall_format(call, buf, sizeof(buf)), strlen(text));
	assert_string_equal(buf, text);
}

static void syscall_format_blob_by_status(void **state)
{
	struct syscall_event call = {.nr = SYS_unlink};

	(void)state;
	set_string(&call, 0, "/none");
	assert_text(&call, "unlink(\"/none\")");
	call.blobs[0].status = SYSCALL_BLOB_CUT;
	assert_text(&call, "unlink(\"/none\"...)");
	call.blobs[0].status = SYSCALL_BLOB_FAULT;
	assert_text(&call, "unlink(0x1000)");
	call.blobs[0].status = SYSCALL_BLOB_NONE;
	assert_text(&call, "unlink(0x1000)");
	call.args[0] = 0;
	assert_text(&call, "unlink(NULL)");
}

static void syscall_format_blob_longer_than_possible_address(void **state)
{
	struct syscall_event call = {.nr = SYS_unlink};

	(void)state;
	set_string(&call, 0, "/none");
	call.blobs[0].len = SYSCALL_BYTES_MAX + 1;
	assert_text(&call, "unlink(0x1000)");
	call.blobs[0].len = 5;
	call.blobs[0].status = 77;
	assert_text(&call, "unlink(0x1000)");
}

static void syscall_format_unknown_call_all_numbers(void **state)
{
	struct syscall_event call = {.nr = 470, .args = {1, 0, 3, 4, 5, UINT64_MAX}};

	(void)state;
	assert_text(&call, "syscall_0x1d6(0x1, 0, 0x3, 0x4, 0x5, 0xffffffffffffffff)");
}

static void syscall_format_small_buffer_cut(void **state)
{
	static const char whole[] = "unlink(\"/none\")";
	struct syscall_event call = {.nr = SYS_unlink};
	char buf[sizeof(whole) + 1];

	(void)state;
	set_string(&call, 0, "/none");
	for (size_t size = 0; size <= sizeof(whole); size++) {
		memset(buf, 'x', sizeof(buf));
		assert_int_equal(syscall_format(&call, buf, size), strlen(whole));
		assert_int_equal(buf[size], 'x');
		if (!size)
			continue;
		assert_int_equal(strlen(buf), size - 1 < strlen(whole) ? size - 1 : strlen(whole));
		assert_memory_equal(buf, whole, strlen(buf));
	}
}

/* The longest: six arguments that are octal numbers throughout. */
static void syscall_format_any_call_fits(void **state)
{
	struct syscall_event call;
	char buf[SYSCALL_TEXT_MAX];

	(void)state;
	memset(&call, 0xff, sizeof(call));
	for (unsigned int i = 0; i < SYSCALL_ARGS; i++) {
		call.blobs[i].len = SYSCALL_BYTES_MAX;
		call.blobs[i].status = SYSCALL_BLOB_CUT;
	}
	for (call.nr = 0; call.nr < SYSCALL_PLANS; call.nr++)
		assert_true(syscall_format(&call, buf, sizeof(buf)) < SYSCALL_TEXT_MAX);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(syscall_name_each_number_of_the_headers),
		cmocka_unit_test(syscall_number_in_kernel_by_entry_point),
		cmocka_unit_test(syscall_number_newer_than_the_headers_known),
		cmocka_unit_test(syscall_number_unknown_none),
		cmocka_unit_test(syscall_read_plan_each_within_bounds),
		cmocka_unit_test(syscall_read_plan_of_known_calls),
		cmocka_unit_test(syscall_format_blob_by_status),
		cmocka_unit_test(syscall_format_blob_longer_than_possible_address),
		cmocka_unit_test(syscall_format_unknown_call_all_numbers),
		cmocka_unit_test(syscall_format_small_buffer_cut),
		cmocka_unit_test(syscall_format_any_call_fits),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
