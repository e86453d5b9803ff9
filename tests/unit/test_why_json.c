// SPDX-License-Identifier: GPL-2.0
/*
 * The answer of "lbrsnoop why" as JSON, and its text where sources are at hand. Made-up answers,
 * each of which must be its line of tests/data/why/answers.jsonl; tests/cli/test_schema.sh holds
 * those lines against the schema.
 */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <errno.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#include <cmocka.h>

#include "../symbol_table.h"
#include "../text_bytes.h"
#include "render/why/why_json.h"
#include "symbolize/debug/source_file.h"
#include "symbolize/variable/variable.h"
#include "symbolize/variable/variable_list.h"
#include "util/cleanup.h"
#include "why/deep/deep.h"
#include "why/hit_snapshot.h"

#define ANSWERS "tests/data/why/answers.jsonl"

#define BASE 0xffffffff81000000ULL

/*
 * one: 00 nopl (fentry)  05 cmp $9,%esi  08 je 10  0a xor %eax,%eax  0c ret
 *      10 mov $-22,%eax  15 ret
 * two: 20 test %edi,%edi  22 je 30  24 test %esi,%esi  26 jne 30  28 xor %eax,%eax  2a ret
 *      30 mov $-22,%eax  35 ret
 * byte: 80 test $4,%sil  84 jne 89  86 xor %eax,%eax  88 ret  89 mov $-22,%eax  8e ret
 */
static const uint8_t code[0x90] =
	"\x0f\x1f\x44\x00\x00\x83\xfe\x09\x74\x06\x31\xc0\xc3\xcc\xcc\xcc"
	"\xb8\xea\xff\xff\xff\xc3\xcc\xcc\xcc\xcc\xcc\xcc\xcc\xcc\xcc\xcc"
	"\x85\xff\x74\x0c\x85\xf6\x75\x08\x31\xc0\xc3\xcc\xcc\xcc\xcc\xcc"
	"\xb8\xea\xff\xff\xff\xc3\xcc\xcc\xcc\xcc\xcc\xcc\xcc\xcc\xcc\xcc"
	"\xcc\xcc\xcc\xcc\xcc\xcc\xcc\xcc\xcc\xcc\xcc\xcc\xcc\xcc\xcc\xcc"
	"\xcc\xcc\xcc\xcc\xcc\xcc\xcc\xcc\xcc\xcc\xcc\xcc\xcc\xcc\xcc\xcc"
	"\xcc\xcc\xcc\xcc\xcc\xcc\xcc\xcc\xcc\xcc\xcc\xcc\xcc\xcc\xcc\xcc"
	"\xcc\xcc\xcc\xcc\xcc\xcc\xcc\xcc\xcc\xcc\xcc\xcc\xcc\xcc\xcc\xcc"
	"\x40\xf6\xc6\x04\x75\x03\x31\xc0\xc3\xb8\xea\xff\xff\xff\xc3\xcc";

static const char table[] = "ffffffff81000000 T one\n"
			    "ffffffff81000020 T two\n"
			    "ffffffff81000040 T caller\n"
			    "ffffffff81000080 T byte\n"
			    "ffffffff81000090 T end\n";

static const struct text_bytes listing = {BASE, code, sizeof(code)};
static const struct text_source text = {.read = text_bytes_read, .ctx = (void *)&listing};
static struct symbols *symbols;

/* One inlined function, in one(). */
/* Debug data may say anything. */
static const char *count_name = "count";

int __wrap_variable_in_register(const struct variable_code *where, uint8_t reg, struct cexpr *ret);
int __wrap_variable_in_register(const struct variable_code *where, uint8_t reg, struct cexpr *ret)
{
	*ret = (struct cexpr){.at = where->addr, .type = {.class = CTYPE_SIGNED, .bytes = 4}};
	snprintf(ret->text, sizeof(ret->text), "%s", count_name);
	return reg == 6 ? 0 : -ENOENT;
}

/* A number in %esi, what is nowhere, a constant, and a pointer that is NULL, in %rdi. */
int __wrap_variable_places(const struct variable_code *where, variable_place_fn *fn, void *ctx);
int __wrap_variable_places(const struct variable_code *where, variable_place_fn *fn, void *ctx)
{
	struct variable_place places[] = {
		{.name = {.text = "", .type = {.class = CTYPE_SIGNED, .bytes = 4}},
		 .where = VARIABLE_REGISTER,
		 .reg = 6,
		 .parameter = true},
		{.name = {.text = "gone", .type = {.class = CTYPE_SIGNED, .bytes = 4}},
		 .where = VARIABLE_NOWHERE,
		 .parameter = true},
		/* A variable that is nowhere is not told. */
		{.name = {.text = "too", .type = {.class = CTYPE_SIGNED, .bytes = 4}},
		 .where = VARIABLE_NOWHERE},
		{.name = {.text = "ready", .type = {.class = CTYPE_BOOL, .bytes = 1}},
		 .where = VARIABLE_CONSTANT,
		 .value = 1},
		{.name = {.text = "next", .type = {.class = CTYPE_POINTER, .bytes = 8}},
		 .where = VARIABLE_REGISTER,
		 .reg = 7},
	};

	snprintf(places[0].name.text, sizeof(places[0].name.text), "%s", count_name);
	assert_int_equal(where->addr, BASE + 0x10);
	for (size_t i = 0; i < ARRAY_SIZE(places); i++)
		if (!fn(ctx, &places[i]))
			break;
	return 0;
}

int __wrap_lines_find(struct lines *lines, const char *module, uint64_t addr, bool is_return,
		      struct srcline *ret_chain, size_t max);
int __wrap_lines_find(struct lines *lines, const char *module, uint64_t addr, bool is_return,
		      struct srcline *ret_chain, size_t max)
{
	assert_true(max >= 2);
	if (addr != BASE + 0x10)
		return -ENOENT;
	ret_chain[0] = (struct srcline){.function = "check", .file = "include/one.h", .line = 12};
	ret_chain[1] = (struct srcline){.function = "one", .file = "fs/one.c", .line = 34};
	return 2;
}

/* Line @number, from 1, of what is expected, without its newline. */
static char *expected(unsigned int number)
{
	_cleanup_fclose_ FILE *file = fopen(ANSWERS, "re");
	char *line = NULL;
	size_t room = 0;

	assert_non_null(file);
	for (unsigned int i = 0; i < number; i++)
		assert_true(getline(&line, &room, file) > 0);
	line[strcspn(line, "\n")] = '\0';
	return line;
}

static void check(unsigned int number, const struct answer *answer, struct hit_snapshot *hit,
		  bool lines, const char *snapshot, const char *const *command)
{
	struct why_view view = {
		.all = number == 6,
		.symbols = symbols,
		.kernel_text = &text,
		.snap = hit ? &hit->snap : NULL,
		/* Never looked into: the lines are those above. */
		.lines = lines ? (struct lines *)&view : NULL,
	};
	_cleanup_free_ char *wanted = expected(number), *line = NULL;
	size_t len = 0;
	FILE *out = open_memstream(&line, &len);

	assert_non_null(out);
	assert_int_equal(why_json(out, answer, &view, snapshot, command), 0);
	fclose(out);
	assert_true(len && line[len - 1] == '\n');
	line[len - 1] = '\0';
	assert_string_equal(line, wanted);
}

static struct failure failure_of(uint32_t nr, uint32_t err, const char *path)
{
	struct failure failure = {
		.tgid = 42, .tid = 43, .comm = "cat", .err = err, .result = -(int64_t)err};

	failure.call.nr = nr;
	if (path) {
		failure.call.args[0] = 0x7ffc0000;
		failure.call.blobs[0].status = SYSCALL_BLOB_READ;
		failure.call.blobs[0].len = (uint16_t)strlen(path);
		memcpy(failure.call.bytes[0], path, strlen(path));
	}
	return failure;
}

static struct site site_at(const char *function, uint64_t addr)
{
	struct site site = {.addr = addr, .watch = addr, .err = EINVAL, .reg = SITE_REG_NONE};

	assert_int_equal(symbols_by_name(symbols, "", function, 0, &site.sym), 0);
	return site;
}

/* What is said of it; free with free(). */
static char *said_of(const struct answer *answer, const struct why_view *view)
{
	char *said = NULL;
	size_t len = 0;
	FILE *out = open_memstream(&said, &len);

	assert_non_null(out);
	render_why_answer(out, answer, view);
	fclose(out);
	return said;
}

/* The mkdir() that failed in one(), where the 9 that it was called with decided; free @hit. */
static struct answer answer_of_one(struct failure *failure)
{
	struct why_hit *taken = calloc(1, sizeof(*taken));

	assert_non_null(taken);
	taken->regs[PTREG_SI] = 9;
	return (struct answer){.failures = {.items = failure, .count = 1},
			       .call = failure,
			       .state = ORIGIN_FOUND,
			       .site = site_at("one", BASE + 0x10),
			       .hit = taken};
}

static const char *const mkdir_command[] = {"mkdir", "/x y", NULL};

static void why_json_place_found_condition_stack_others(void **state)
{
	struct failure failures[] = {
		failure_of(SYS_access, ENOENT, "/etc/ld.so.preload"),
		failure_of(SYS_mkdir, EINVAL, "/x y"),
		failure_of(SYS_access, ENOENT, "/etc/other"),
		failure_of(SYS_rmdir, EBUSY, "/y"),
	};
	struct hit_snapshot *hit = calloc(1, sizeof(*hit));
	static const uint64_t stack[] = {BASE + 0x10, BASE + 0x48};
	struct why_hit *taken = calloc(1, sizeof(*taken));
	struct answer answer = {.status = 1 << 8,
				.runs = 2,
				.failures = {.items = failures, .count = ARRAY_SIZE(failures)},
				.call = &failures[1],
				.state = ORIGIN_FOUND,
				.site = site_at("one", BASE + 0x10),
				.hit = taken};

	assert_non_null(hit);
	assert_non_null(taken);
	taken->regs[PTREG_SI] = 9;
	failures[1].call.args[1] = 0777;
	hit->snap.stack = stack;
	hit->snap.stack_count = ARRAY_SIZE(stack);
	check(1, &answer, hit, true, NULL, mkdir_command);
	free(taken);
	free(hit);
}

static void why_json_lbr_answer_snapshot_and_deep_path_are_in_it(void **state)
{
	struct why_branch branches[] = {{BASE + 8, BASE + 0x20}, {BASE + 0x26, BASE + 0x30}};
	struct deep_segment segments[] = {
		{.run = 3, .count = 1, .point = BASE + 0x30},
		{.run = 4, .count = 1, .overlap = 3, .computed = 1, .point = BASE + 0x20},
	};
	struct deep_interrupt interrupt = {
		.entry = BASE + 0x40, .newer = 1, .run = 4, .rescheduled = true};
	struct deep_path deep = {.branches = branches,
				 .other_way = 5,
				 .unchecked.text = "why not",
				 .count = 2,
				 .end = BASE + 0x30,
				 .segments = segments,
				 .segment_count = 2,
				 .interrupts = &interrupt,
				 .interrupt_count = 1,
				 .runs = 2,
				 .gap.text = "all 2 runs were made"};
	struct failure failure = failure_of(SYS_mkdir, EINVAL, "/x y");
	struct answer answer = {.status = SIGTERM,
				.runs = 3,
				.failures = {.items = &failure, .count = 1},
				.call = &failure,
				.state = ORIGIN_FOUND,
				.site = site_at("two", BASE + 0x30),
				.deep = &deep};
	_cleanup_free_ char *line = expected(2);
	/* Handed on as it is: what a snapshot has is said in its schema, and once here. */
	char *snapshot = strstr(line, "\"snapshot\":") + strlen("\"snapshot\":");

	strcpy(strstr(snapshot, ",\"deep\":"), "\n");
	check(2, &answer, NULL, false, snapshot, mkdir_command);
}

/* Of a place the call may have passed, though what was asked for returned an error in it. */
static void why_json_target_in_a_call_that_passed(void **state)
{
	struct why_branch branches[] = {{BASE + 8, BASE + 0x20}, {BASE + 0x26, BASE + 0x30}};
	struct deep_segment segments[] = {
		{.run = 1, .count = 1, .point = BASE + 0x30},
		{.run = 2, .count = 1, .overlap = 3, .point = BASE + 0x20},
	};
	struct deep_path deep = {.branches = branches,
				 .count = 2,
				 .end = BASE + 0x30,
				 .segments = segments,
				 .segment_count = 2,
				 .runs = 2,
				 .gap.text = "all 2 runs were made"};
	/* One more came by; it is no call that failed. */
	struct failure calls[] = {failure_of(SYS_mkdir, 0, "/x y"), failure_of(SYS_rmdir, 0, "/")};
	struct answer answer = {.runs = 2,
				.failures = {.items = calls, .count = 2},
				.call = &calls[0],
				.state = ORIGIN_PLACE,
				.place = "two",
				.returned = true,
				.value = -EINVAL,
				.site = site_at("two", BASE + 0x30),
				.deep = &deep};

	check(7, &answer, NULL, false, NULL, mkdir_command);
}

static void why_json_target_that_is_not_executed(void **state)
{
	static const char *const command[] = {"true", NULL};
	struct answer answer = {.runs = 1, .place = "hw:two+0x10"};

	errmsg_set(&answer.reason, 0, "it was not executed while the command ran");
	check(8, &answer, NULL, false, NULL, command);
}

static void why_json_one_of_several_candidates(void **state)
{
	struct failure failure = failure_of(SYS_sendto, EINVAL, NULL);
	struct site sites[] = {site_at("two", BASE + 0x30), site_at("one", BASE + 0x10)};
	static const char *const command[] = {"ip", "link", NULL};
	struct answer answer = {.status = 2 << 8,
				.runs = 2,
				.failures = {.items = &failure, .count = 1},
				.call = &failure,
				.state = ORIGIN_ONE_OF,
				.candidates = {.items = sites, .count = ARRAY_SIZE(sites)}};

	failure.via = WHY_VIA_NETLINK;
	strcpy(failure.text, "Operation not supported on this link");
	failure.log = (char[]){"dev \"x\"\nsecond\n"};
	errmsg_set(&answer.reason, 0, "1 of 2 instructions could not be watched");
	check(3, &answer, NULL, true, NULL, command);
}

/* Where one was hit, and functions ran that nobody knows of. */
static void why_text_one_that_is_not_certain_says_why(void **state)
{
	struct failure failure = failure_of(SYS_mkdir, EINVAL, "/x");
	struct answer answer = answer_of_one(&failure);
	const struct why_view view = {.symbols = symbols, .kernel_text = &text};
	struct site site = answer.site;
	char *said;

	answer.state = ORIGIN_ONE_OF;
	answer.candidates = (struct sites){.items = &site, .count = 1};
	errmsg_set(&answer.reason, 0, "not all functions are known");
	said = said_of(&answer, &view);
	assert_non_null(
		strstr(said, "\n  perhaps this one: not all functions are known\n    [one+0x10"));
	free(said);
	free(answer.hit);
}

/* Of a process that ran already: a name with bytes of no character set, a number of no call. */
static void why_json_attached_hostile_names_no_place(void **state)
{
	struct failure failure = failure_of(499, 4000, NULL);
	struct answer answer = {.runs = 1,
				.failures = {.items = &failure, .count = 1},
				.call = &failure,
				.lost = 3};

	strcpy(failure.comm, "a\033\xff\"b");
	failure.via = WHY_VIA_IO_URING;
	errmsg_set(&answer.reason, 0, "the call did not fail so in run 1");
	check(4, &answer, NULL, false, NULL, NULL);
}

static void why_json_no_call_is_to_blame(void **state)
{
	struct failure failure = failure_of(SYS_access, ENOENT, "/etc/ld.so.preload");
	static const char *const command[] = {"true", NULL};
	struct answer answer = {.runs = 1, .failures = {.items = &failure, .count = 1}};

	check(5, &answer, NULL, false, NULL, command);
}

/* A tree of sources, in which line 12 of include/one.h is a statement. */
static struct sources *one_file(char *dir)
{
	char path[128];
	FILE *file;

	assert_non_null(mkdtemp(dir));
	snprintf(path, sizeof(path), "%s/include", dir);
	assert_int_equal(mkdir(path, 0700), 0);
	snprintf(path, sizeof(path), "%s/include/one.h", dir);
	file = fopen(path, "we");
	assert_non_null(file);
	for (int i = 1; i < 12; i++)
		fprintf(file, "line %d\n", i);
	fputs("\t\treturn -EINVAL;\033[2J\nline 13\n", file);
	fclose(file);
	return sources_create(dir);
}

static void why_text_the_line_has_its_text(void **state)
{
	struct failure failure = failure_of(SYS_mkdir, EINVAL, "/x y");
	struct answer answer = {.failures = {.items = &failure, .count = 1},
				.call = &failure,
				.state = ORIGIN_FOUND,
				.site = site_at("one", BASE + 0x10)};
	char dir[] = "/tmp/lbrsnoop-test.XXXXXX", command[64], *said = NULL;
	struct why_view view = {
		.symbols = symbols,
		.kernel_text = &(const struct text_source){text_bytes_read, (void *)&listing},
		.lines = (struct lines *)&view,
		.sources = one_file(dir)};

	said = said_of(&answer, &view);
	assert_non_null(strstr(said, "  [include/one.h:12 check, called by one]\n"
				     "    return -EINVAL;\\x1b[2J\n"
				     "  because  "));
	free(said);
	sources_destroy(view.sources);
	snprintf(command, sizeof(command), "rm -r %s", dir);
	assert_int_equal(system(command), 0);
}

/* What is in the lowest byte of a register is not the whole of what has the name. */
static void decision_part_of_a_variable_has_no_value(void **state)
{
	const struct decision_code where = {
		.text = &text, .symbols = symbols, .lines = (struct lines *)&where};
	const uint64_t regs[PTREG_COUNT] = {[PTREG_SI] = 0x1104};
	struct decision decision;
	struct symbol func;

	assert_int_equal(symbols_by_name(symbols, "", "byte", 0, &func), 0);
	assert_int_equal(decisions_find(&where, &func, BASE + 0x89, NULL,
					&(struct why_state){.regs = regs}, &decision, 1),
			 1);
	assert_string_equal(decision.source, "(count & 4) != 0");
	assert_string_equal(decision.source_values, "");
}

/* The place and the reason in the first three lines; then variables, then the kernel's own words.
 */
static void why_text_reason_first_then_variables_then_the_log(void **state)
{
	struct failure failure = failure_of(SYS_mkdir, EINVAL, "/x y");
	struct answer answer = answer_of_one(&failure);
	struct why_view view = {
		.symbols = symbols, .kernel_text = &text, .lines = (struct lines *)&view};
	char *said, log[] = "one: what now?\n";

	failure.log = log;
	said = said_of(&answer, &view);
	assert_string_equal(
		said, "mkdir(\"/x y\", 000) = -1 EINVAL (Invalid argument)  cat[43]\n"
		      "  [include/one.h:12 check, called by one]\n"
		      "  because  count == 9   (one+0x8)\n"
		      "  with     count = 9, ready = true, next = NULL, gone = (optimized out)\n"
		      "  the kernel logs: one: what now?\n");
	free(said);
	/* No wider than the terminal. */
	view.columns = 40;
	said = said_of(&answer, &view);
	assert_non_null(strstr(said, "  with     count = 9, ready = true,\n"
				     "           next = NULL,\n"
				     "           gone = (optimized out)\n"));
	free(said);
	/* --no-values */
	view.no_values = true;
	said = said_of(&answer, &view);
	assert_null(strstr(said, "  with "));
	free(said);
	free(answer.hit);
}

/* Names are those of debug data: none of them speaks to the terminal. */
static void why_text_names_are_escaped(void **state)
{
	struct failure failure = failure_of(SYS_mkdir, EINVAL, "/x y");
	struct answer answer = answer_of_one(&failure);
	struct why_view view = {
		.symbols = symbols, .kernel_text = &text, .lines = (struct lines *)&view};
	char *said;

	count_name = "c\033[2Jt";
	said = said_of(&answer, &view);
	count_name = "count";
	assert_null(strchr(said, '\033'));
	assert_non_null(strstr(said, "  because  c\\x1b[2Jt == 9   (one+0x8)\n"));
	assert_non_null(strstr(said, "  with     c\\x1b[2Jt = 9, "));
	free(said);
	free(answer.hit);
}

/* --private: nothing that the caller passed, is called, or was told of. */
static void why_withheld_neither_arguments_nor_names_are_shown(void **state)
{
	static const char *const secrets[] = {"secret", "777", "cat", "count = 9"};
	struct failure failures[] = {
		failure_of(SYS_access, ENOENT, "/secret/first"),
		failure_of(SYS_mkdir, EINVAL, "/secret/second"),
		failure_of(499, ENOSYS, NULL),
	};
	struct failures all = {.items = failures, .count = ARRAY_SIZE(failures)};
	struct why_hit *taken = calloc(1, sizeof(*taken));
	struct answer answer = {.call = &failures[1],
				.state = ORIGIN_FOUND,
				.site = site_at("one", BASE + 0x10),
				.hit = taken};
	struct why_view view = {.symbols = symbols,
				.kernel_text = &text,
				.lines = (struct lines *)&view,
				.all = true,
				.no_values = true};
	char *said = NULL;
	size_t len = 0;
	FILE *out;

	assert_non_null(taken);
	taken->regs[PTREG_SI] = 9;
	failures[1].call.args[1] = 0777;
	failures[1].log = strdup("one: a secret?\n");
	strcpy(failures[1].text, "secret option");
	failures_withhold(&all);
	answer.failures = all;
	out = open_memstream(&said, &len);
	render_why_answer(out, &answer, &view);
	render_why_others(out, &answer, &view);
	assert_int_equal(why_json(out, &answer, &view, NULL, NULL), 0);
	fclose(out);
	for (size_t i = 0; i < ARRAY_SIZE(secrets); i++)
		assert_null(strstr(said, secrets[i]));
	assert_memory_equal(said, "mkdir(...) = -1 EINVAL (Invalid argument)  [43]\n", 48);
	assert_non_null(strstr(said, "syscall_499(...)"));
	assert_non_null(strstr(said, "count == 9"));
	free(said);
	free(taken);
}

/*
 * --all: the same call is counted; what came back another way is another one, though system call
 * and errno are the same; what has no name is counted as well. 524 is ENOTSUPP of the kernel's
 * include/linux/errno.h.
 */
static void why_json_all_identical_calls_are_counted(void **state)
{
	struct failure failures[] = {
		failure_of(SYS_sendto, EINVAL, NULL),
		failure_of(SYS_sendto, EINVAL, NULL),
		failure_of(499, 524, NULL),
		failure_of(SYS_sendto, EINVAL, NULL),
		failure_of(499, 524, NULL),
		failure_of(SYS_io_uring_enter, ECANCELED, NULL),
	};
	static const char *const command[] = {"ip", "link", NULL};
	struct answer answer = {.status = 1 << 8,
				.runs = 2,
				.failures = {.items = failures, .count = ARRAY_SIZE(failures)},
				.call = &failures[3]};

	failures[0].via = WHY_VIA_NETLINK;
	strcpy(failures[0].text, "no such device");
	failures[5].via = WHY_VIA_IO_URING;
	errmsg_set(&answer.reason, 0, "so");
	check(6, &answer, NULL, false, NULL, command);
}

static int open_table(void **state)
{
	symbols = symbol_table(table);
	return symbols ? 0 : -1;
}

static int close_table(void **state)
{
	symbols_close(symbols);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(why_json_place_found_condition_stack_others),
		cmocka_unit_test(why_json_lbr_answer_snapshot_and_deep_path_are_in_it),
		cmocka_unit_test(why_json_target_in_a_call_that_passed),
		cmocka_unit_test(why_json_target_that_is_not_executed),
		cmocka_unit_test(why_json_one_of_several_candidates),
		cmocka_unit_test(why_text_one_that_is_not_certain_says_why),
		cmocka_unit_test(why_json_attached_hostile_names_no_place),
		cmocka_unit_test(why_json_no_call_is_to_blame),
		cmocka_unit_test(why_text_the_line_has_its_text),
		cmocka_unit_test(decision_part_of_a_variable_has_no_value),
		cmocka_unit_test(why_text_names_are_escaped),
		cmocka_unit_test(why_text_reason_first_then_variables_then_the_log),
		cmocka_unit_test(why_withheld_neither_arguments_nor_names_are_shown),
		cmocka_unit_test(why_json_all_identical_calls_are_counted),
	};

	return cmocka_run_group_tests_name("why_json", tests, open_table, close_table);
}
