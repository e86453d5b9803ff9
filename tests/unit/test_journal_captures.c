// SPDX-License-Identifier: GPL-2.0
/* What of an event goes into a message of the journal, and what files those of many become. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "capfile/format.h"
#include "capfile/reader.h"
#include "export/capture_field.h"
#include "export/capture_queue.h"
#include "export/journal_captures.h"
#include "symbolize/symbolize.h"

#define KERNEL 0xffffffff81000000ull
#define MODULE 0xffffffffc0000000ull
#define BYTES  0x1000

static struct symbols *symbols;
static uint8_t text[BYTES];

static int read_text(void *ctx, uint64_t addr, void *buf, size_t len)
{
	uint64_t at = addr & (BYTES - 1);

	(void)ctx;
	if (at + len > BYTES || (addr - at != KERNEL && addr - at != MODULE))
		return -EFAULT;
	memcpy(buf, text + at, len);
	return 0;
}

static const struct text_source source = {.read = read_text};
static const struct lbr_info lbr = {.model = "skylake", .format = 5, .depth = 32};
static struct trigger function = {
	.target = (char *)"f",
	.kind = TRIGGER_FEXIT,
	.function = (char *)"f",
	.module = (char *)"",
	.func_addr = KERNEL,
	.func_size = 0x100,
};
static struct trigger program = {
	.target = (char *)"uprobe:/home/user/secret:main",
	.kind = TRIGGER_UPROBE,
	.function = (char *)"main",
	.module = (char *)"secret",
	.path = (char *)"/home/user/secret",
};
static const uint64_t registers[PTREG_COUNT] = {0x5345435245542100};
static const struct log_lines log_of = {.text = {"SECRET"}, .count = 1};
static struct raw_branch raw;

/* One branch, from f() on to @to. */
static void make(struct snapshot *snap, uint64_t to)
{
	raw = (struct raw_branch){KERNEL + 0x10, to, 2};
	*snap = (struct snapshot){
		.ts_ns = 1000,
		.pid = 7,
		.comm = "SECRET",
		.trigger = &function,
		.ip = to + 1,
		.has_retval = true,
		.retval = -ENOENT,
		.err = ENOENT,
		.regs = registers,
		.log = &log_of,
		.arguments = {{.name = "SECRET", .kind = ARGUMENT_SIGNED, .value = 77}},
		.argument_count = 1,
		.lbr = &lbr,
		.filter = "any,k",
		.path_ok = true,
		.count = 1,
		.branches = {{.from = raw.from, .to = raw.to}},
		.raw = &raw,
		.raw_count = 1,
	};
}

static struct finding_kernel kernel(void)
{
	return (struct finding_kernel){.symbols = symbols, .release = "6.12", .text = &source};
}

static void capture(const struct snapshot *snap, uint64_t most, bool comm,
		    struct capture_field *ret)
{
	struct finding_kernel of = kernel();

	capture_field_make(snap, &of, most, comm, ret);
}

/* The snapshot that a capture has, in a file to be closed. */
static struct capfile *open_capture(const struct capture_field *field, struct snapshot *ret)
{
	size_t name = strlen(CAPTURE_FIELD);
	struct capfile *file;
	uint64_t lost;

	assert_non_null(field->field);
	assert_null(field->left_out);
	assert_int_equal(capture_field_len(field), name + field->bytes);
	assert_memory_equal(field->field, CAPTURE_FIELD, name);
	assert_int_equal(
		capfile_open_bytes(field->field + name, field->bytes, UINT64_MAX, &file, NULL), 0);
	assert_int_equal(capfile_next(file, ret, &lost), 1);
	return file;
}

static void capture_of_a_function_has_nothing_private(void **state)
{
	struct capture_field field;
	struct snapshot snap, got;
	struct capfile *file;

	(void)state;
	make(&snap, KERNEL + 0x20);
	capture(&snap, CAPTURE_BYTES_MAX, false, &field);
	file = open_capture(&field, &got);
	assert_string_equal(got.comm, "");
	assert_null(got.regs);
	assert_null(got.log);
	assert_int_equal(got.argument_count, 0);
	assert_string_equal(meta_get(capfile_meta(file), CAPFILE_META_COMMAND), "");
	assert_int_equal(got.err, ENOENT);
	assert_int_equal(got.pid, 7);
	assert_int_equal(got.count, 1);
	assert_int_equal(got.branches[0].to, KERNEL + 0x20);
	assert_string_equal(got.trigger->function, "f");
	capfile_close(file);
	capture_field_deinit(&field);

	capture(&snap, CAPTURE_BYTES_MAX, true, &field);
	file = open_capture(&field, &got);
	assert_string_equal(got.comm, "SECRET");
	assert_null(got.regs);
	capfile_close(file);
	capture_field_deinit(&field);
}

/* An int tells compare that the call passed; a pointer tells where the kernel has its data. */
static void capture_of_a_returned_pointer_does_not_tell_it(void **state)
{
	static const struct {
		int64_t value;
		bool there;
	} rows[] = {
		{0, true},	    {3, true},		{INT32_MAX, true},
		{INT32_MIN, true},  {1ll << 31, false}, {(int64_t)0xffff888012345678, false},
		{INT64_MIN, false},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct capture_field field;
		struct snapshot snap, got;
		struct capfile *file;

		make(&snap, KERNEL + 0x20);
		snap.retval = rows[i].value;
		snap.err = 0;
		capture(&snap, CAPTURE_BYTES_MAX, false, &field);
		file = open_capture(&field, &got);
		assert_int_equal(got.has_retval, rows[i].there);
		if (rows[i].there)
			assert_int_equal(got.retval, rows[i].value);
		else
			assert_null(memmem(field.field, field.bytes, &rows[i].value, 8));
		capfile_close(file);
		capture_field_deinit(&field);
	}
}

static void capture_left_out_says_why(void **state)
{
	struct capture_field field;
	struct snapshot snap;

	(void)state;
	make(&snap, KERNEL + 0x20);
	capture(&snap, 100, false, &field);
	assert_null(field.field);
	assert_string_equal(field.left_out, "size");
	assert_true(field.bytes > 100);
	assert_int_equal(capture_field_len(&field), 0);
	capture_field_deinit(&field);
	snap.trigger = &program;
	capture(&snap, CAPTURE_BYTES_MAX, false, &field);
	assert_null(field.field);
	assert_string_equal(field.left_out, "program");
	capture_field_deinit(&field);
}

static void queue_is_bounded(void **state)
{
	static struct capture_queue queue;
	struct capture_field field;

	(void)state;
	for (uint64_t i = 0; i < CAPTURE_QUEUE_MAX; i++) {
		assert_false(capture_queue_full(&queue, 100));
		field = (struct capture_field){.left_out = "size"};
		capture_queue_add(&queue, i, &field);
	}
	assert_true(capture_queue_full(&queue, 0));
	assert_non_null(capture_queue_find(&queue, 17));
	capture_queue_remove(&queue, capture_queue_find(&queue, 17));
	assert_null(capture_queue_find(&queue, 17));
	assert_int_equal(capture_queue_find(&queue, 18)->ident, 18);
	assert_false(capture_queue_full(&queue, CAPTURE_QUEUE_BYTES));
	field = (struct capture_field){.field = strdup(CAPTURE_FIELD "x"), .bytes = 1};
	capture_queue_add(&queue, 999, &field);
	assert_null(field.field);
	assert_true(capture_queue_full(&queue, 0));
	capture_queue_deinit(&queue);
	assert_int_equal(queue.bytes, 0);
}

/* As the message of @host has it. */
static void spool(struct journal_spool *to, const char *host, uint64_t ident,
		  const struct snapshot *snap)
{
	struct journal_row row = {.ident = ident, .has_ident = true, .ts_ns = snap->ts_ns};
	struct capture_field field;

	snprintf(row.host, sizeof(row.host), "%s", host);
	capture(snap, CAPTURE_BYTES_MAX, false, &field);
	assert_non_null(field.field);
	journal_row_field(&row, field.field, capture_field_len(&field));
	assert_int_equal(row.capture_len, field.bytes);
	assert_int_equal(journal_spool_add(to, &row), 0);
	capture_field_deinit(&field);
}

static struct capfile *next_of(const struct journal_capture_file *from, struct snapshot *ret,
			       struct capfile *file)
{
	uint64_t lost;

	if (!file)
		assert_int_equal(capfile_open_fd(from->fd, from->name, &file, NULL), 0);
	assert_int_equal(capfile_next(file, ret, &lost), 1);
	return file;
}

static void check_byte(struct capfile *file, uint64_t addr, uint8_t want)
{
	struct text_source has = textstore_source(capfile_text(file));
	uint8_t byte;

	assert_int_equal(has.read(has.ctx, addr, &byte, 1), 0);
	assert_int_equal(byte, want);
}

/* Each event keeps the text that it had, names of modules stay, a trigger is one. */
static void captures_of_one_start_are_one_file(void **state)
{
	const struct symbol module = {"g", "mod", MODULE, 0x100};
	struct journal_captures captures;
	struct journal_spool *to;
	struct snapshot snap, first, second;
	struct capfile *file;
	struct symbol sym;
	uint64_t lost;

	(void)state;
	assert_int_equal(symbols_add(symbols, &module), 0);
	assert_int_equal(journal_spool_create(NULL, &to, NULL), 0);
	make(&snap, KERNEL + 0x20);
	snap.ts_ns = 2000;
	spool(to, "alpha", 2, &snap);
	text[0x40] = 0xcc; /* the kernel patches itself */
	make(&snap, MODULE + 0x20);
	snap.ts_ns = 3000;
	spool(to, "alpha", 1, &snap);
	snap.ts_ns = 4000;
	spool(to, "alpha", 1, &snap); /* an hour later: known */
	assert_int_equal(journal_spool_finish(to, &captures), 0);
	assert_int_equal(captures.count, 1);
	assert_int_equal(captures.paths, 2);
	assert_int_equal(captures.damaged, 0);
	assert_string_equal(captures.items[0].host, "alpha");
	assert_string_equal(captures.items[0].name, "alpha (journal)");
	file = next_of(&captures.items[0], &first, NULL);
	assert_int_equal(first.ts_ns, 2000);
	check_byte(file, KERNEL + 0x40, 0x90);
	file = next_of(&captures.items[0], &second, file);
	assert_int_equal(second.ts_ns, 3000);
	check_byte(file, KERNEL + 0x40, 0xcc);
	assert_ptr_equal(second.trigger, first.trigger);
	assert_int_equal(symbols_find(capfile_symbols(file), MODULE + 0x20, &sym), 0);
	assert_string_equal(sym.name, "g");
	assert_string_equal(sym.module, "mod");
	assert_int_equal(capfile_next(file, &first, &lost), 0);
	assert_int_equal(capfile_ended(file), CAPFILE_END_CLEAN);
	capfile_close(file);
	journal_captures_deinit(&captures);
	journal_spool_destroy(to);
}

/* Addresses of one are nothing in another. */
static void captures_of_other_starts_and_hosts_are_other_files(void **state)
{
	static const char *const names[] = {"alpha (journal)", "alpha (journal, start 2)",
					    "beta (journal)"};
	struct journal_captures captures;
	struct journal_spool *to;
	struct snapshot snap;

	(void)state;
	assert_int_equal(journal_spool_create(NULL, &to, NULL), 0);
	make(&snap, KERNEL + 0x20);
	spool(to, "beta", 1, &snap);
	spool(to, "alpha", 1, &snap);
	snap.filter = "any"; /* stands for all that META says of a machine */
	spool(to, "alpha", 1, &snap);
	assert_int_equal(journal_spool_finish(to, &captures), 0);
	assert_int_equal(captures.count, 3);
	assert_int_equal(captures.paths, 3);
	for (size_t i = 0; i < captures.count; i++) {
		capfile_close(next_of(&captures.items[i], &snap, NULL));
		assert_string_equal(captures.items[i].name, names[i]);
	}
	journal_captures_deinit(&captures);
	journal_spool_destroy(to);
}

/* Files of a fleet's captures take seconds to make. */
static void captures_stopped_are_none(void **state)
{
	volatile sig_atomic_t stop = 0;
	struct journal_captures captures;
	struct journal_spool *to;
	struct snapshot snap;

	(void)state;
	assert_int_equal(journal_spool_create(&stop, &to, NULL), 0);
	make(&snap, KERNEL + 0x20);
	spool(to, "alpha", 1, &snap);
	stop = 1;
	assert_int_equal(journal_spool_finish(to, &captures), -EINTR);
	journal_spool_destroy(to);
}

static void captures_damaged_are_counted(void **state)
{
	struct journal_row row = {.ident = 5, .has_ident = true, .host = "alpha"};
	struct journal_captures captures;
	struct journal_spool *to;
	struct snapshot snap;

	(void)state;
	assert_int_equal(journal_spool_create(NULL, &to, NULL), 0);
	make(&snap, KERNEL + 0x20);
	row.capture = "no capture";
	row.capture_len = 10;
	assert_int_equal(journal_spool_add(to, &row), 0);
	row.capture = NULL;
	journal_row_field(&row, "LBRSNOOP_CAPTURE_LEFT_OUT=size", 30);
	assert_int_equal(journal_spool_add(to, &row), 0);
	row = (struct journal_row){
		.ident = 6, .has_ident = true, .host = "beta", .capture_too_large = true};
	assert_int_equal(journal_spool_add(to, &row), 0);
	spool(to, "alpha", 5, &snap);
	assert_int_equal(journal_spool_finish(to, &captures), 0);
	assert_int_equal(captures.damaged, 2);
	assert_int_equal(captures.damaged_ident, 5);
	assert_string_equal(captures.damaged_host, "alpha");
	assert_int_equal(captures.without, 1);
	assert_int_equal(captures.paths, 1);
	journal_captures_deinit(&captures);
	journal_spool_destroy(to);
}

static int setup(void **state)
{
	const struct symbol f = {"f", "", KERNEL, 0x100};

	(void)state;
	memset(text, 0x90, sizeof(text));
	return symbols_open_empty(&symbols) ?: symbols_add(symbols, &f);
}

static int teardown(void **state)
{
	(void)state;
	symbols_close(symbols);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
		TEST(capture_of_a_function_has_nothing_private),
		TEST(capture_of_a_returned_pointer_does_not_tell_it),
		TEST(capture_left_out_says_why),
		TEST(queue_is_bounded),
		TEST(captures_of_one_start_are_one_file),
		TEST(captures_of_other_starts_and_hosts_are_other_files),
		TEST(captures_stopped_are_none),
		TEST(captures_damaged_are_counted),
#undef TEST
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
