// SPDX-License-Identifier: GPL-2.0
/* What goes with a snapshot of a capture file: its bug, log, registers, stack; good and bad ones */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "capfile/context.h"
#include "capfile/reader.h"
#include "capfile/recorder.h"
#include "util/cleanup.h"

#define KERNEL 0xffffffff81000000ull

static char dir[] = "/tmp/lbrsnoop-context.XXXXXX";
static char path[64];
static struct symbols *symbols;

static const char kallsyms[] = "ffffffff81000000 T _text\n"
			       "ffffffff81000000 T alpha\n"
			       "ffffffff81000100 t beta\n"
			       "ffffffff81000200 t gamma\n"
			       "ffffffff81000300 t delta\n";

static const struct lbr_info lbr = {.model = "skylake", .format = 5, .depth = 32};

static struct trigger trigger = {
	.target = (char *)"preset:warn",
	.kind = TRIGGER_FAULT,
	.function = (char *)"alpha",
	.module = (char *)"",
};

static const struct log_lines said = {
	.text = {"------------[ cut here ]------------", "", "WARNING: \x1b[31m\xff"},
	.count = 3,
	.left_out = 7,
};

static const uint64_t stack[] = {KERNEL + 0x10, KERNEL + 0x300, KERNEL + 0x280};

/* The first and the last one have what the one in between has not. */
static struct snapshot make(const uint64_t *regs, int number)
{
	struct snapshot snap = {
		.ts_ns = 1 + number,
		.trigger = &trigger,
		.ip = KERNEL + 0x10,
		.bug_ip = KERNEL + 0x10,
	};

	if (number == 1)
		return snap;
	snap.bug_warning = number ? TRI_CLEAR : TRI_SET;
	snap.bug_file = "kernel/alpha.c";
	snap.bug_line = 1234;
	snap.log = &said;
	snap.regs = regs;
	snap.stack = stack;
	snap.stack_count = ARRAY_SIZE(stack);
	snap.stack_cut = true;
	snap.arguments[0] = (struct argument){"fd", ARGUMENT_SIGNED, -1};
	snap.arguments[1] = (struct argument){"length", ARGUMENT_UNSIGNED, INT64_MIN};
	snap.argument_count = 2;
	return snap;
}

static void check_log(const struct log_lines *log)
{
	assert_non_null(log);
	assert_int_equal(log->count, said.count);
	assert_int_equal(log->left_out, said.left_out);
	for (size_t i = 0; i < said.count; i++)
		assert_string_equal(log->text[i], said.text[i]);
}

static void check(const struct snapshot *snap, const uint64_t *regs, int number)
{
	assert_int_equal(snap->ts_ns, 1 + number);
	assert_int_equal(snap->bug_ip, KERNEL + 0x10);
	if (number == 1) {
		assert_int_equal(snap->bug_warning, TRI_NOT_REPORTED);
		assert_null(snap->bug_file);
		assert_null(snap->log);
		assert_null(snap->regs);
		assert_null(snap->stack);
		assert_int_equal(snap->stack_count, 0);
		assert_int_equal(snap->argument_count, 0);
		return;
	}
	assert_int_equal(snap->bug_warning, number ? TRI_CLEAR : TRI_SET);
	assert_string_equal(snap->bug_file, "kernel/alpha.c");
	assert_int_equal(snap->bug_line, 1234);
	check_log(snap->log);
	assert_memory_equal(snap->regs, regs, PTREG_COUNT * sizeof(*regs));
	assert_int_equal(snap->stack_count, ARRAY_SIZE(stack));
	assert_memory_equal(snap->stack, stack, sizeof(stack));
	assert_true(snap->stack_cut);
	assert_int_equal(snap->argument_count, 2);
	assert_string_equal(snap->arguments[0].name, "fd");
	assert_int_equal(snap->arguments[0].kind, ARGUMENT_SIGNED);
	assert_int_equal(snap->arguments[0].value, -1);
	assert_string_equal(snap->arguments[1].name, "length");
	assert_int_equal(snap->arguments[1].kind, ARGUMENT_UNSIGNED);
	assert_int_equal(snap->arguments[1].value, INT64_MIN);
}

static void record_context_is_that_of_each_snapshot(void **state)
{
	struct recorder_options opts = {.path = path, .symbols = symbols, .lbr = &lbr};
	uint64_t regs[PTREG_COUNT], lost;
	struct recorder *recorder;
	struct capfile *file;
	struct snapshot snap;
	struct symbol sym;

	(void)state;
	opts.command = opts.tool = opts.filter = "";
	for (size_t i = 0; i < PTREG_COUNT; i++)
		regs[i] = 0x1111111111111111u * i;
	assert_int_equal(recorder_open(&opts, &recorder, NULL), 0);
	for (int i = 0; i < 3; i++) {
		snap = make(regs, i);
		assert_int_equal(recorder_add(recorder, &snap, 0), 0);
	}
	assert_int_equal(recorder_close(recorder, 0), 0);
	assert_int_equal(capfile_open(path, &file, NULL), 0);
	for (int i = 0; i < 3; i++) {
		memset(&snap, 0x5a, sizeof(snap));
		assert_int_equal(capfile_next(file, &snap, &lost), 1);
		check(&snap, regs, i);
	}
	/* The frames have names: a return address' is that of the call before it. */
	assert_int_equal(symbols_find(capfile_symbols(file), KERNEL + 0x2ff, &sym), 0);
	assert_string_equal(sym.name, "gamma");
	assert_int_equal(symbols_find(capfile_symbols(file), KERNEL + 0x300, &sym), -ENOENT);
	assert_int_equal(capfile_next(file, &snap, &lost), 0);
	assert_int_equal(capfile_ended(file), CAPFILE_END_CLEAN);
	capfile_close(file);
}

/* By hand, from format.h: "n" 7; each length, an unknown kind, one too many, a name too long. */
static void take_arguments_never_more_than_is_there(void **state)
{
	static const uint8_t one[] = {1, 0, 0, 0, 7, 0, 0, 0, 0, 0, 0, 0, 1, 0, 'n'};
	uint8_t bytes[(ARGUMENTS_MAX + 1) * sizeof(one)] = {}, name[14 + ARGUMENT_NAME_MAX] = {1};
	struct capfile_context context = {};
	struct snapshot snap = {};

	(void)state;
	for (size_t len = 1; len < sizeof(one); len++)
		assert_int_equal(context_take(&context, CAPFILE_ARGUMENTS, one, len), -EBADMSG);
	assert_int_equal(context_take(&context, CAPFILE_ARGUMENTS, one, sizeof(one)), 0);
	context_fill(&context, &snap);
	assert_int_equal(snap.argument_count, 1);
	assert_string_equal(snap.arguments[0].name, "n");
	assert_int_equal(snap.arguments[0].kind, ARGUMENT_UNSIGNED);
	assert_int_equal(snap.arguments[0].value, 7);
	for (size_t i = 0; i <= ARGUMENTS_MAX; i++)
		memcpy(bytes + i * sizeof(one), one, sizeof(one));
	assert_int_equal(
		context_take(&context, CAPFILE_ARGUMENTS, bytes, ARGUMENTS_MAX * sizeof(one)), 0);
	assert_int_equal(context_take(&context, CAPFILE_ARGUMENTS, bytes, sizeof(bytes)), -EBADMSG);
	bytes[0] = ARGUMENT_KIND_COUNT;
	assert_int_equal(context_take(&context, CAPFILE_ARGUMENTS, bytes, sizeof(one)), -EBADMSG);
	name[12] = ARGUMENT_NAME_MAX;
	memset(name + 14, 'n', ARGUMENT_NAME_MAX);
	assert_int_equal(context_take(&context, CAPFILE_ARGUMENTS, name, sizeof(name)), -EBADMSG);
	context_reset(&context);
}

/* By hand, from format.h: two of one branch each, then all that may be. */
static void take_way_goes_on_never_more_than_allowed(void **state)
{
	static const uint64_t first[] = {KERNEL, KERNEL + 1}, second[] = {KERNEL + 2, KERNEL + 3};
	size_t most = CAPFILE_WAY_BRANCHES * sizeof(struct branch_ends);
	uint8_t *bytes = calloc(1, most);
	struct capfile_context context = {};
	struct snapshot snap = {};

	(void)state;
	assert_non_null(bytes);
	assert_int_equal(context_take(&context, CAPFILE_WAY, (const uint8_t *)first, 16), 0);
	assert_int_equal(context_take(&context, CAPFILE_WAY, (const uint8_t *)second, 16), 0);
	for (size_t len = 1; len < 16; len++)
		assert_int_equal(context_take(&context, CAPFILE_WAY, (const uint8_t *)first, len),
				 -EBADMSG);
	context_fill(&context, &snap);
	assert_int_equal(snap.way.count, 2);
	assert_int_equal(snap.way.branches[0].from, KERNEL);
	assert_int_equal(snap.way.branches[0].to, KERNEL + 1);
	assert_int_equal(snap.way.branches[1].from, KERNEL + 2);
	assert_int_equal(snap.way.branches[1].to, KERNEL + 3);
	for (size_t i = 0; i < CAPFILE_WAY_MAX / CAPFILE_WAY_BRANCHES - 1; i++)
		assert_int_equal(context_take(&context, CAPFILE_WAY, bytes, most), 0);
	assert_int_equal(context_take(&context, CAPFILE_WAY, bytes, most), -EBADMSG);
	context_reset(&context);
	context_fill(&context, &snap);
	assert_int_equal(snap.way.count, 0);
	free(bytes);
}

/* Opaque here: the bytes of the last one. */
static void take_answer_the_last_one(void **state)
{
	struct capfile_context context = {};
	struct snapshot snap = {};

	(void)state;
	assert_int_equal(context_take(&context, CAPFILE_ANSWER, (const uint8_t *)"abc", 3), 0);
	assert_int_equal(context_take(&context, CAPFILE_ANSWER, (const uint8_t *)"de", 2), 0);
	context_fill(&context, &snap);
	assert_int_equal(snap.answer.len, 2);
	assert_memory_equal(snap.answer.bytes, "de", 2);
	context_reset(&context);
}

/* A file that tells of them, and ends before their snapshot. */
static void take_every_length_never_more_than_is_there(void **state)
{
	/* by hand, from the description in format.h */
	static const uint8_t log[] = {7, 0, 0, 0, 2, 0, 'a', 'b', 0, 0, 1, 0, 'c'};
	static const uint8_t bug[] = {1, 0, 0, 0, 0xd2, 4, 0, 0, 3, 0, 'x', '.', 'c'};
	struct capfile_context context = {};
	struct snapshot snap = {};

	(void)state;
	for (size_t len = 0; len < sizeof(bug); len++)
		assert_int_equal(context_take(&context, CAPFILE_BUG, bug, len), -EBADMSG);
	for (size_t len = 0; len < sizeof(log); len++)
		assert_int_equal(context_take(&context, CAPFILE_LOG, log, len),
				 len == 4 || len == 8 || len == 10 ? 0 : -EBADMSG);
	context_reset(&context);
	assert_int_equal(context_take(&context, CAPFILE_BUG, bug, sizeof(bug)), 0);
	assert_int_equal(context_take(&context, CAPFILE_LOG, log, sizeof(log)), 0);
	context_fill(&context, &snap);
	assert_int_equal(snap.bug_warning, TRI_SET);
	assert_int_equal(snap.bug_line, 1234);
	assert_string_equal(snap.bug_file, "x.c");
	assert_int_equal(snap.log->count, 3);
	assert_int_equal(snap.log->left_out, 7);
	assert_string_equal(snap.log->text[0], "ab");
	assert_string_equal(snap.log->text[1], "");
	assert_string_equal(snap.log->text[2], "c");
	context_reset(&context);
}

static void take_too_many_is_refused(void **state)
{
	uint8_t bytes[4 + (BACKTRACE_MAX + 1) * 8] = {};
	struct capfile_context context = {};
	char name[2 + 256] = {0, 1};

	(void)state;
	/* as many lines as there is room for, then one more */
	assert_int_equal(context_take(&context, CAPFILE_LOG, bytes, 4 + 2 * LOG_LINES_MAX), 0);
	assert_int_equal(context_take(&context, CAPFILE_LOG, bytes, 6 + 2 * LOG_LINES_MAX),
			 -EBADMSG);
	assert_int_equal(context_take(&context, CAPFILE_STACK, bytes, 4 + 8 * BACKTRACE_MAX), 0);
	assert_int_equal(context_take(&context, CAPFILE_STACK, bytes, sizeof(bytes)), -EBADMSG);
	assert_int_equal(context_take(&context, CAPFILE_STACK, bytes, 4 + 8 + 1), -EBADMSG);
	assert_int_equal(context_take(&context, CAPFILE_REGISTERS, bytes, 8 * PTREG_COUNT), 0);
	assert_int_equal(context_take(&context, CAPFILE_REGISTERS, bytes, 8 * PTREG_COUNT - 1),
			 -EBADMSG);
	/* a name of 256 bytes */
	memset(name + 2, 'a', 256);
	memcpy(bytes + 8, name, sizeof(name));
	assert_int_equal(context_take(&context, CAPFILE_BUG, bytes, 8 + sizeof(name)), -EBADMSG);
	context_reset(&context);
}

static int setup(void **state)
{
	FILE *f;
	int err;

	(void)state;
	if (!mkdtemp(dir))
		return -1;
	snprintf(path, sizeof(path), "%s/kallsyms", dir);
	f = fopen(path, "we");
	fputs(kallsyms, f);
	fclose(f);
	err = symbols_open(path, &symbols);
	unlink(path);
	snprintf(path, sizeof(path), "%s/capture", dir);
	return err;
}

static int teardown(void **state)
{
	(void)state;
	unlink(path);
	rmdir(dir);
	symbols_close(symbols);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(take_way_goes_on_never_more_than_allowed),
		cmocka_unit_test(take_answer_the_last_one),
		cmocka_unit_test(record_context_is_that_of_each_snapshot),
		cmocka_unit_test(take_every_length_never_more_than_is_there),
		cmocka_unit_test(take_too_many_is_refused),
		cmocka_unit_test(take_arguments_never_more_than_is_there),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
