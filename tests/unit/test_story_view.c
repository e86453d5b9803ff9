// SPDX-License-Identifier: GPL-2.0
/*
 * The story view, over code, symbols, lines and sources written by hand. What must come out is
 * what a person would write beside the listing.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>
#include <jansson.h>

#include "../symbol_table.h"
#include "render/graph.h"
#include "render/html/html_report.h"
#include "render/story/story.h"
#include "symbolize/variable/variable.h"
#include "util/cleanup.h"

#define BASE 0xffffffff81000000ULL
#define IDT  (BASE + 0x100)
#define USER 0x401000ULL

/*
 * f:                          g:                       irq:
 * 00 test %edi,%edi           80 xor %eax,%eax         100 cld
 * 02 js 10                    82 ret                   101 iretq
 * 04 call g                   cleanup:                 caller:
 * 09 test %eax,%eax           a0 nop                   140 call f
 * 0b jne 20                   a1 ret                   145 ret
 * 0d jmp 18                   again:                   early:
 * 10 mov $-22,%eax            c0 dec %ecx              160 mov $-22,%eax
 * 15 jmp 20                   c2 jne c0                165 test %edi,%edi
 * 18 xor %eax,%eax            c4 ret                   167 jns 16a
 * 1a jmp 20                                            169 ret
 * 20 call cleanup                                      16a xor %eax,%eax
 * 25 ret                                               16c ret
 */
static const struct {
	uint32_t at;
	const char *bytes;
	uint32_t len;
} code[] = {
	{0x00, "\x85\xff\x78\x0c\xe8\x77\x00\x00\x00\x85\xc0\x75\x13\xeb\x09", 15},
	{0x10, "\xb8\xea\xff\xff\xff\xeb\x09", 7},
	{0x18, "\x31\xc0\xeb\x04", 4},
	{0x20, "\xe8\x7b\x00\x00\x00\xc3", 6},
	{0x80, "\x31\xc0\xc3", 3},
	{0xa0, "\x90\xc3", 2},
	{0xc0, "\xff\xc9\x75\xfc\xc3", 5},
	{0x100, "\xfc\x48\xcf", 3},
	{0x140, "\xe8\xbb\xfe\xff\xff\xc3", 6},
	{0x160, "\xb8\xea\xff\xff\xff\x85\xff\x79\x01\xc3\x31\xc0\xc3", 13},
};

static const char kallsyms[] = "ffffffff81000000 T f\n"
			       "ffffffff81000080 T g\n"
			       "ffffffff810000a0 T cleanup\n"
			       "ffffffff810000c0 T again\n"
			       "ffffffff81000100 T asm_exc_irq\n"
			       "ffffffff81000140 T caller\n"
			       "ffffffff81000160 T early\n"
			       "ffffffff81000180 T end\n";

/* g is shown as inlining a function with a decision in it: lines 40 and 41. */
static const struct {
	uint32_t first;
	uint32_t last;
	int line;
	int inlined;
} line_table[] = {
	{0x00, 0x03, 11, 0}, {0x04, 0x08, 13, 0}, {0x09, 0x0f, 13, 0}, {0x10, 0x17, 12, 0},
	{0x18, 0x1f, 14, 0}, {0x20, 0x24, 16, 0}, {0x25, 0x25, 17, 0}, {0x80, 0x82, 20, 0},
	{0xa0, 0xa1, 30, 0}, {0xc0, 0xc3, 41, 5}, {0xc4, 0xc4, 6, 0},  {0x140, 0x145, 50, 0},
};

static const char source[] = "/* 1 */\n/* 2 */\n/* 3 */\nvoid again(int n) {\n\twait(n);\n}\n"
			     "\n\n\nint f(int n) {\n\tif (n < 0)\n\t\terr = -EINVAL;\n"
			     "\telse if (!g())\n\t\terr = 0;\n\n\tcleanup();\n\treturn err;\n}\n";

/* What stands there is inlined from a header; 0: nothing is. In one test alone. */
static uint64_t in_header;

int __wrap_lines_find(struct lines *lines, const char *module, uint64_t addr, bool is_return,
		      struct srcline *ret_chain, size_t max);
int __wrap_lines_find(struct lines *lines, const char *module, uint64_t addr, bool is_return,
		      struct srcline *ret_chain, size_t max)
{
	uint64_t off = addr - BASE;

	assert_true(max >= 2);
	for (size_t i = 0; i < ARRAY_SIZE(line_table); i++) {
		if (off < line_table[i].first || off > line_table[i].last)
			continue;
		ret_chain[0] = (struct srcline){.function = line_table[i].inlined ? "wait" : "fn",
						.file = off && off == in_header ? "include/n.h"
										: "dir/file.c",
						.line = line_table[i].line};
		ret_chain[1] = (struct srcline){
			.function = "fn", .file = "dir/file.c", .line = line_table[i].inlined};
		return line_table[i].inlined ? 2 : 1;
	}
	return -ENOENT;
}

/* %edi is n at the start of f, and nothing else is known; in one test alone. */
static bool variables;
int __wrap_variable_in_register(const struct variable_code *where, uint8_t reg, struct cexpr *ret);
int __wrap_variable_in_register(const struct variable_code *where, uint8_t reg, struct cexpr *ret)
{
	*ret = (struct cexpr){
		.text = "n", .at = where->addr, .type = {.class = CTYPE_SIGNED, .bytes = 4}};
	return variables && reg == 7 && where->addr == BASE ? 0 : -ENOENT;
}

struct debugimage;
struct debugimage *__wrap_lines_image(struct lines *lines, const char *module);
/* Lines, and no variables. */
struct debugimage *__wrap_lines_image(struct lines *lines, const char *module)
{
	return NULL;
}

static int read_text(void *ctx, uint64_t addr, void *buf, size_t len)
{
	uint8_t text[0x400];

	memset(text, 0xcc, sizeof(text));
	for (size_t i = 0; i < ARRAY_SIZE(code); i++)
		memcpy(text + code[i].at, code[i].bytes, code[i].len);
	if (addr < BASE || addr - BASE > sizeof(text) || len > sizeof(text) - (addr - BASE))
		return -EFAULT;
	memcpy(buf, text + (addr - BASE), len);
	return 0;
}

static enum place place(void *ctx, uint64_t addr)
{
	return addr == IDT ? PLACE_INTERRUPT : PLACE_ORDINARY;
}

static const struct text_source text = {.read = read_text};

/* Offsets from BASE, or whole addresses of user space. */
struct step {
	uint64_t from;
	uint64_t to;
	bool mispred;
};

static struct {
	char dir[64];
	struct symbols *symbols;
	struct sources *sources;
	struct trigger trigger;
	struct lbr_info lbr;
} have;

static uint64_t address(uint64_t v)
{
	return v >= USER ? v : BASE + v;
}

static struct snapshot make_snapshot(const struct step *steps, uint32_t count, uint64_t ip, int err)
{
	struct snapshot snap = {
		.path_ok = true, .count = count, .lbr = &have.lbr, .trigger = &have.trigger};

	for (uint32_t i = 0; i < count; i++)
		snap.branches[i] =
			(struct branch){.from = address(steps[i].from),
					.to = address(steps[i].to),
					.mispred = steps[i].mispred ? TRI_SET : TRI_CLEAR,
					.cycles = CYCLES_NOT_REPORTED};
	snap.ip = BASE + ip;
	snap.err = err;
	snap.has_retval = true;
	snap.retval = -err;
	strcpy(snap.comm, "cat");
	return snap;
}

#define SNAPSHOT(ip, err, ...)                                                                     \
	make_snapshot((const struct step[]){__VA_ARGS__},                                          \
		      ARRAY_SIZE(((const struct step[]){__VA_ARGS__})), ip, err)

/* All of it. */
static char *tell_all(const struct snapshot *snap, struct story_view view)
{
	struct path_options opts = {.place = place};
	struct path *path;
	char *out = NULL;
	size_t len;
	FILE *f;

	view.symbols = have.symbols;
	assert_int_equal(path_build(snap, &text, &opts, &path), 0);
	f = open_memstream(&out, &len);
	assert_non_null(f);
	assert_int_equal(render_story(f, snap, path, &view), 0);
	fclose(f);
	path_free(path);
	return out;
}

/* What stands below the row of the LBR. */
static char *tell(const struct snapshot *snap, struct story_view view)
{
	char *out = tell_all(snap, view), *body = strstr(out, "  LBR ");

	assert_non_null(body);
	body = strchr(body, '\n') + 1;
	memmove(out, body, strlen(body) + 1);
	return out;
}

/* What stands between the heading and that row. */
static void check_answer(const struct snapshot *snap, struct story_view view, const char *want)
{
	_cleanup_free_ char *got = tell_all(snap, view);
	char *answer = strchr(got, '\n') + 1;

	*strstr(got, "  LBR ") = '\0';
	assert_string_equal(answer, want);
}

#define WITHOUT_LINES                                                                              \
	(struct story_view)                                                                        \
	{                                                                                          \
		.lines = NULL                                                                      \
	}
/* __wrap_lines_find() never looks at it. */
#define WITH_LINES                                                                                 \
	(struct story_view)                                                                        \
	{                                                                                          \
		.lines = (struct lines *)&have                                                     \
	}

static void check(const struct snapshot *snap, struct story_view view, const char *want)
{
	_cleanup_free_ char *got = tell(snap, view);

	assert_string_equal(got, want);
}

/* The call of f that fails at once, until its return. */
static struct snapshot failing(void)
{
	return SNAPSHOT(0x25, EINVAL, {0x300, 0x140}, {0x140, 0}, {2, 0x10, true}, {0x15, 0x20},
			{0x20, 0xa0}, {0xa1, 0x25});
}

static void render_story_error_marks_decision_error_and_cleanup(void **state)
{
	struct snapshot snap = failing();

	check(&snap, WITHOUT_LINES,
	      "   the record starts here, with caller()\n"
	      "     f()\n"
	      "=>     +0x2   taken → +0x10    as %edi < 0           test %edi,%edi; js +0x10"
	      "  mispredicted\n"
	      "=>            ^ the last decision before -EINVAL\n"
	      "!!     +0x10  -EINVAL is made here                   mov $0xffffffea,%eax\n"
	      "   -- after the error:\n"
	      "|      cleanup()\n"
	      "|    back in f()\n"
	      "|    f() returns -EINVAL\n"
	      "\n");
}

/* The place and the reason are in the first three lines. */
static void render_story_answer_is_before_the_record(void **state)
{
	struct snapshot made = failing();
	struct snapshot early = SNAPSHOT(0x169, EINVAL, {0x300, 0x160});
	struct snapshot undecided =
		SNAPSHOT(0x25, EINVAL, {0x300, 0xc0}, {0xc4, 0x101}, {0x101, 0x10}, {0x15, 0x20},
			 {0x20, 0xa0}, {0xa1, 0x25});
	struct snapshot in_case = SNAPSHOT(0x160, EINVAL, {0x300, 0xc0}, {0xc4, 0x160});
	struct snapshot fine = SNAPSHOT(0xc4, 0, {0x300, 0xc0});

	check_answer(&made, WITHOUT_LINES,
		     "   -EINVAL is made at f+0x10\n"
		     "   because %edi < 0   (f+0x2)\n");
	check_answer(&made, WITH_LINES,
		     "   -EINVAL is made at dir/file.c:12 fn\n"
		     "   because %edi < 0   (line 11)\n");
	in_header = 2;
	check_answer(&made, WITH_LINES,
		     "   -EINVAL is made at dir/file.c:12 fn\n"
		     "   because %edi < 0   (include/n.h:11)\n");
	in_header = 0;
	check_answer(&early, WITHOUT_LINES,
		     "   -EINVAL is made at early+0\n"
		     "   because %edi < 0   (early+0x7)\n");
	check_answer(&undecided, WITHOUT_LINES, "   -EINVAL is made at f+0x10\n");
	check_answer(&in_case, WITHOUT_LINES, "   -EINVAL is loaded, in case, at early+0\n");
	check_answer(&fine, WITHOUT_LINES, "");
}

/* What the path passed through tells what a register is: an argument, the result of a call. */
static void render_story_conditions_are_in_names_of_the_source(void **state)
{
	struct snapshot snap = SNAPSHOT(0x25, 0, {0x300, 0x140}, {0x140, 0}, {4, 0x80}, {0x82, 9},
					{0xb, 0x20}, {0x20, 0xa0}, {0xa1, 0x25});
	struct snapshot made = failing();
	_cleanup_free_ char *got = NULL;

	variables = true;
	check_answer(&made, WITH_LINES,
		     "   -EINVAL is made at dir/file.c:12 fn\n"
		     "   because n < 0   (line 11)\n");
	got = tell(&snap, WITH_LINES);
	variables = false;
	assert_non_null(strstr(got, "not taken        as n >= 0 "));
	assert_non_null(strstr(got, "as g() != 0 "));
}

/* f calls g, which is a tracer's: one row, and f goes on where it was. */
static void render_story_tracing_is_one_row(void **state)
{
	struct snapshot snap = SNAPSHOT(0x25, 0, {0x300, 0x140}, {0x140, 0}, {4, 0x80}, {0x82, 9},
					{0xb, 0x20}, {0x20, 0xa0}, {0xa1, 0x25});

	snap.branches[2].tracing = true;
	check(&snap, WITHOUT_LINES,
	      "   the record starts here, with caller()\n"
	      "     f()\n"
	      "       +0x2   not taken        as %edi >= 0          test %edi,%edi; js +0x10\n"
	      "       (tracing itself, not the program: g(), 2 branches)\n"
	      "       +0xb   taken → +0x20    as %eax != 0          test %eax,%eax; jne +0x20\n"
	      "       cleanup()\n"
	      "     back in f()\n"
	      "     f() returns 0\n"
	      "\n");
}

/* An error that a tracer makes is not the program's. */
static void render_story_tracing_makes_no_error(void **state)
{
	struct snapshot snap = SNAPSHOT(0x145, EINVAL, {0x300, 0x140}, {0x140, 0}, {2, 0x10},
					{0x15, 0x20}, {0x20, 0xa0}, {0xa1, 0x25}, {0x25, 0x145});

	for (uint32_t i = 1; i < 6; i++)
		snap.branches[i].tracing = true;
	check(&snap, WITHOUT_LINES,
	      "   the record starts here, with caller()\n"
	      "     (tracing itself, not the program: f(), 6 branches)\n"
	      "   caller() returns -EINVAL\n"
	      "   No instruction above makes -EINVAL: it is older than this record, or a value "
	      "that "
	      "was passed on.\n"
	      "   To get closer: lbrsnoop why, --at errno, or trace a function further in.\n"
	      "\n");
}

/* The record begins in an interrupt, which comes back to the error: what it decides is not why. */
static void render_story_interrupt_before_record_decides_nothing(void **state)
{
	struct snapshot snap = SNAPSHOT(0x25, EINVAL, {0x300, 0xc0}, {0xc4, 0x101}, {0x101, 0x10},
					{0x15, 0x20}, {0x20, 0xa0}, {0xa1, 0x25});

	check(&snap, WITHOUT_LINES,
	      "~      the record starts here, with again()\n"
	      "~        +0x2   not taken        as %ecx == 0          dec %ecx; jne +0\n"
	      "~    back in asm_exc_irq()\n"
	      "   back from the interrupt, in f()\n"
	      "!!   +0x10  -EINVAL is made here                   mov $0xffffffea,%eax\n"
	      "   -- after the error:\n"
	      "|    cleanup()\n"
	      "|  back in f()\n"
	      "|  f() returns -EINVAL\n"
	      "   The decision that led to -EINVAL is not in this record.\n"
	      "\n");
}

static void render_story_with_lines_names_them(void **state)
{
	struct snapshot snap = failing();

	check(&snap, WITH_LINES,
	      "   the record starts here, with caller()  dir/file.c\n"
	      "     line 50\n"
	      "     f()  dir/file.c\n"
	      "=>        11  taken → 12       as %edi < 0           test %edi,%edi; js +0x10"
	      "  mispredicted\n"
	      "=>            ^ the last decision before -EINVAL\n"
	      "!!        12  -EINVAL is made here                   mov $0xffffffea,%eax\n"
	      "   -- after the error:\n"
	      "|      line 16\n"
	      "|      cleanup()  dir/file.c\n"
	      "|        line 30\n"
	      "|    back in f()\n"
	      "|      line 17\n"
	      "|    f() returns -EINVAL\n"
	      "\n");
}

static void render_story_with_sources_shows_their_text(void **state)
{
	struct snapshot snap = failing();
	struct story_view view = WITH_LINES;

	view.sources = have.sources;
	check(&snap, view,
	      "   the record starts here, with caller()  dir/file.c\n"
	      "     line 50\n"
	      "     f()  dir/file.c\n"
	      "          11  if (n < 0)\n"
	      "=>            taken → 12       as %edi < 0           test %edi,%edi; js +0x10"
	      "  mispredicted\n"
	      "=>            ^ the last decision before -EINVAL\n"
	      "          12  err = -EINVAL;\n"
	      "!!            -EINVAL is made here                   mov $0xffffffea,%eax\n"
	      "   -- after the error:\n"
	      "|         16  cleanup();\n"
	      "|      cleanup()  dir/file.c\n"
	      "|        line 30\n"
	      "|    back in f()\n"
	      "|         17  return err;\n"
	      "|    f() returns -EINVAL\n"
	      "\n");
}

/* The breakpoint stands on the instruction that loads the errno: nothing comes after it. */
static void render_story_errno_site_ends_with_the_error(void **state)
{
	struct snapshot snap = SNAPSHOT(0x10, EINVAL, {0x140, 0}, {2, 0x10});

	check(&snap, WITHOUT_LINES,
	      "   the record starts here, with f()\n"
	      "=>   +0x2   taken → +0x10    as %edi < 0           test %edi,%edi; js +0x10\n"
	      "=>          ^ the last decision before -EINVAL\n"
	      "!!   +0x10  -EINVAL is made here                   mov $0xffffffea,%eax\n"
	      "\n");
}

/* Stopped there before that test: the decision before it led nowhere. */
static void render_story_errno_site_in_case_has_no_key(void **state)
{
	struct snapshot snap = SNAPSHOT(0x160, EINVAL, {0x300, 0xc0}, {0xc4, 0x160});

	check(&snap, WITHOUT_LINES,
	      "     the record starts here, with again()\n"
	      "       +0x2   not taken        as %ecx == 0          dec %ecx; jne +0\n"
	      "   early()\n"
	      "     +0     -EINVAL is loaded, in case, here       mov $0xffffffea,%eax\n"
	      "   -EINVAL is loaded before it is decided on, and this record ends there.\n"
	      "   To see the decision, leave out --at errno and -e: then it goes on to the "
	      "return.\n"
	      "\n");
}

/* Compilers load the constant before the test that decides whether it is used. */
static void render_story_constant_before_test_key_is_the_test(void **state)
{
	struct snapshot snap = SNAPSHOT(0x169, EINVAL, {0x300, 0x160});

	check(&snap, WITHOUT_LINES,
	      "   the record starts here, with early()\n"
	      "     +0     -EINVAL is loaded, in case, here       mov $0xffffffea,%eax\n"
	      "=>   +0x7   not taken        as %edi < 0           test %edi,%edi; jns +0xa\n"
	      "=>          ^ the last decision before -EINVAL\n"
	      "   early() returns -EINVAL\n"
	      "\n");
}

static void render_story_error_from_elsewhere_says_so(void **state)
{
	struct snapshot snap = SNAPSHOT(0x25, ENOENT, {0x140, 0}, {4, 0x80}, {0x82, 9}, {0xb, 0x20},
					{0x20, 0xa0}, {0xa1, 0x25});

	check(&snap, WITHOUT_LINES,
	      "   the record starts here, with f()\n"
	      "     +0x2   not taken        as %edi >= 0          test %edi,%edi; js +0x10\n"
	      "     g()\n"
	      "   back in f()\n"
	      "     +0xb   taken → +0x20    as %eax != 0          test %eax,%eax; jne +0x20\n"
	      "     cleanup()\n"
	      "   back in f()\n"
	      "   f() returns -ENOENT\n"
	      "   No instruction above makes -ENOENT: it is older than this record, or a value "
	      "that "
	      "was passed on.\n"
	      "   To get closer: lbrsnoop why, --at errno, or trace a function further in.\n"
	      "\n");
}

static void render_story_loop_is_folded(void **state)
{
	struct snapshot snap = SNAPSHOT(0xc4, 0, {0x300, 0xc0}, {0xc2, 0xc0}, {0xc2, 0xc0, true},
					{0xc2, 0xc0}, {0xc2, 0xc0});

	check(&snap, WITHOUT_LINES,
	      "   the record starts here, with again()\n"
	      "   × 4 {\n"
	      "       +0x2   taken → +0       as %ecx != 0          dec %ecx; jne +0"
	      "  mispredicted 1 of 4 times\n"
	      "   }\n"
	      "     +0x2   not taken        as %ecx == 0          dec %ecx; jne +0\n"
	      "   again() returns 0\n"
	      "\n");
}

static void render_story_inlined_function_under_its_call(void **state)
{
	struct snapshot snap = SNAPSHOT(0xc4, 0, {0x300, 0xc0}, {0xc2, 0xc0});
	struct story_view view = WITH_LINES;

	view.sources = have.sources;
	check(&snap, view,
	      "   the record starts here, with again()  dir/file.c\n"
	      "         5  wait(n);\n"
	      "     wait()  inlined\n"
	      "          41  taken → 41       as %ecx != 0          dec %ecx; jne +0\n"
	      "          41  not taken        as %ecx == 0          dec %ecx; jne +0\n"
	      "   again() returns 0\n"
	      "\n");
}

static void render_story_interrupt_is_set_apart(void **state)
{
	struct snapshot snap = SNAPSHOT(0x25, EINVAL, {0x140, 0}, {2, 0x100}, {0x101, 2}, {2, 0x10},
					{0x15, 0x20}, {0x20, 0xa0}, {0xa1, 0x25});

	check(&snap, WITHOUT_LINES,
	      "   the record starts here, with f()\n"
	      "~  an interrupt or exception arrives:\n"
	      "~    asm_exc_irq()\n"
	      "   back from the interrupt, in f()\n"
	      "=>   +0x2   taken → +0x10                          js +0x10\n"
	      "=>          ^ the last decision before -EINVAL\n"
	      "!!   +0x10  -EINVAL is made here                   mov $0xffffffea,%eax\n"
	      "   -- after the error:\n"
	      "|    cleanup()\n"
	      "|  back in f()\n"
	      "|  f() returns -EINVAL\n"
	      "\n");
}

static void render_story_gap_gives_its_reason(void **state)
{
	struct snapshot snap =
		SNAPSHOT(0x25, 0, {0x140, 0}, {0x82, 9}, {0xb, 0x20}, {0x20, 0xa0}, {0xa1, 0x25});
	_cleanup_free_ char *got = tell(&snap, WITHOUT_LINES);

	assert_non_null(strstr(got, "     ... the code branches in between, and the record does "
				    "not ...\n   again known, in f() at +0x9\n"));
}

static void render_story_before_kernel_entry_only_raw(void **state)
{
	struct snapshot snap = SNAPSHOT(0xa1, 0, {USER, USER + 8}, {USER + 16, 0xa0});
	struct story_view raw = {.text = {.raw = true}};
	_cleanup_free_ char *all = NULL;

	snap.shown_from = 1;
	check(&snap, WITHOUT_LINES,
	      "   the record starts here, with cleanup()\n"
	      "   cleanup() returns 0\n"
	      "\n");
	all = tell(&snap, raw);
	assert_non_null(strstr(all, "... user space ..."));
}

static void render_story_insns_lists_each_once_in_order(void **state)
{
	struct snapshot snap = SNAPSHOT(0x15, EINVAL, {0x300, 0x140}, {0x140, 0}, {2, 0x10});
	struct story_view view = {.insns = true};

	check(&snap, view,
	      "   the record starts here, with caller()\n"
	      "            +0       call f\n"
	      "     f()\n"
	      "              +0       test %edi,%edi\n"
	      "              +0x2     js +0x10\n"
	      "=>     +0x2   taken → +0x10    as %edi < 0\n"
	      "=>            ^ the last decision before -EINVAL\n"
	      "              +0x10    mov $0xffffffea,%eax\n"
	      "!!     +0x10  -EINVAL is made here                   mov $0xffffffea,%eax\n"
	      "     f() returns -EINVAL\n"
	      "\n");
}

static void render_story_no_row_is_wider_than_100(void **state)
{
	struct snapshot snap = failing();
	struct story_view view = WITH_LINES;
	_cleanup_free_ char *got = NULL;

	for (uint32_t i = 0; i < snap.count; i++)
		snap.branches[i].cycles = 65535;
	have.lbr.supported |= LBR_HAS_CYCLES;
	got = tell(&snap, view);
	for (char *line = strtok(got, "\n"); line; line = strtok(NULL, "\n")) {
		size_t wide = 0;

		for (const char *p = line; *p; p++)
			wide += (*p & 0xc0) != 0x80;
		assert_in_range(wide, 1, 100);
	}
}

static void render_graph_path_and_key_are_drawn(void **state)
{
	struct snapshot snap = failing();
	struct path_options opts = {.place = place};
	struct story_view view = {.symbols = have.symbols};
	_cleanup_free_ char *out = NULL;
	struct path *path;
	size_t len;
	FILE *f;

	snap.trigger = &have.trigger;
	assert_int_equal(path_build(&snap, &text, &opts, &path), 0);
	f = open_memstream(&out, &len);
	assert_int_equal(render_graph(f, &snap, path, &text, &view), 0);
	fclose(f);
	path_free(path);
	/* 00-03 decides, 10-15 makes the error, 20-25 cleans up; 04, 0d and 18 did not run. */
	assert_non_null(strstr(
		out, "nffffffff81000000 [label=\"+0\\ltest %edi,%edi; js +0x10\\ltaken, as %edi < 0"
		     "\\l\", style=filled, fillcolor=\"#ffe3c9\""));
	assert_non_null(strstr(out, "nffffffff81000000 -> nffffffff81000010 [label=\"taken\", "
				    "color=\"#b00020\", penwidth=3]"));
	assert_non_null(strstr(
		out,
		"nffffffff81000000 -> nffffffff81000004 [label=\"not taken\", color=\"#a0a0a0\""));
	assert_non_null(
		strstr(out, "nffffffff81000010 [label=\"+0x10\\lTHE ERROR IS MADE HERE\\l\""));
	assert_non_null(strstr(out, "nffffffff81000010 -> nffffffff81000020 [label=\"\", "
				    "color=\"#b00020\", penwidth=3]"));
	assert_non_null(strstr(
		out, "nffffffff81000020 [label=\"+0x20\\l      call cleanup\\l\", style=filled"));
	assert_non_null(strstr(out, "nffffffff81000018 [label=\"+0x18\\l\", color=\"#a0a0a0\""));
}

/*
 * The graph of a way: caller calls f, which decides for the error; a breakpoint stands before it is
 * loaded, at the begin of a block. @func_addr: of the function that the trigger is of
 */
static char *draw_way(struct symbols *symbols, uint64_t func_addr)
{
	static const struct branch_ends ends[] = {
		{BASE + 0x300, BASE + 0x140}, {BASE + 0x140, BASE}, {BASE + 2, BASE + 0x10}};
	struct trigger trigger = have.trigger;
	struct snapshot snap = {
		.ip = BASE + 0x10,
		.trigger = &trigger,
		.err = EINVAL,
		.way = {ends, ARRAY_SIZE(ends)},
	};
	struct path_options opts = {.place = place};
	struct story_view view = {.symbols = symbols};
	struct path *path;
	char *out = NULL;
	size_t len;
	FILE *f;

	trigger.kind = TRIGGER_HW;
	trigger.func_addr = func_addr;
	assert_int_equal(path_build_way(&snap, &text, &opts, &path), 0);
	f = open_memstream(&out, &len);
	assert_non_null(f);
	assert_int_equal(render_graph_way(f, &snap, path, &text, &view), 0);
	fclose(f);
	path_free(path);
	return out;
}

static void render_graph_way_has_callers_and_the_last_branch(void **state)
{
	_cleanup_free_ char *out = draw_way(have.symbols, have.trigger.func_addr);

	assert_non_null(strstr(out, "subgraph cluster_ffffffff81000140 {\n"
				    "  label=\"caller(): what ran of it\\l\";\n"
				    "  nffffffff81000140 ["));
	assert_non_null(strstr(out, "  nffffffff81000140 -> nffffffff81000000 [style=dashed"));
	assert_non_null(strstr(out, "nffffffff81000000 -> nffffffff81000010 [label=\"taken\", "
				    "color=\"#b00020\", penwidth=3]"));
	assert_non_null(
		strstr(out, "nffffffff81000010 [label=\"+0x10\\lTHE ERROR IS MADE HERE\\l\""));
	/* cleanup() and g() did not run. */
	assert_null(strstr(out, "cluster_ffffffff810000a0"));
	assert_null(strstr(out, "cluster_ffffffff81000080"));
}

/* f decides and jumps into its cold part, not to the begin of that. */
static void render_graph_way_through_a_cold_part_keeps_the_callers(void **state)
{
	struct symbols *symbols = symbol_table("ffffffff81000000 T f\n"
					       "ffffffff8100000f t f.cold\n"
					       "ffffffff81000018 T g\n"
					       "ffffffff81000140 T caller\n"
					       "ffffffff81000160 T end\n");
	_cleanup_free_ char *out = draw_way(symbols, BASE);

	symbols_close(symbols);
	assert_non_null(strstr(out, "subgraph cluster_ffffffff81000140 {\n"));
	assert_non_null(strstr(out, "  nffffffff81000140 -> nffffffff81000000 [style=dashed"));
}

/* The page's data of one snapshot. */
static json_t *page_data(const struct snapshot *snap, struct story_view *view)
{
	struct path_options opts = {.place = place};
	const struct html_machine machine = {.host = "here", .release = "6.1"};
	struct html_report *report = html_report_create();
	_cleanup_free_ char *out = NULL;
	struct path *path;
	json_t *data;
	char *begin;
	size_t len;
	FILE *f;

	view->symbols = have.symbols;
	assert_int_equal(path_build(snap, &text, &opts, &path), 0);
	assert_true(html_report_wants_path(report, 1));
	assert_int_equal(html_report_add(report, snap, 1, path, view, &machine, 0), 0);
	assert_false(html_report_wants_path(report, 1));
	path_free(path);
	f = open_memstream(&out, &len);
	assert_int_equal(html_report_write(report, f), 0);
	fclose(f);
	html_report_destroy(report);
	begin = strstr(out, "id=\"data\">") + strlen("id=\"data\">");
	*strstr(begin, "</script>") = '\0';
	data = json_loads(begin, 0, NULL);
	assert_non_null(data);
	return data;
}

static int number(const json_t *object, const char *key)
{
	return (int)json_integer_value(json_object_get(object, key));
}

/* Lines 11, 12, 16 and 17 of f() ran; 13 and 14 did not, and 15 has no code. */
static void html_report_lines_executed_and_not(void **state)
{
	static const struct {
		int line;
		const char *text;
		int code;
		bool ran;
	} wanted[] = {
		{11, "\tif (n < 0)", 1, true},
		{12, "\t\terr = -EINVAL;", 1, true},
		{13, "\telse if (!g())", 1, false},
		{14, "\t\terr = 0;", 1, false},
		{15, "", 0, false},
		{16, "\tcleanup();", 1, true},
		{17, "\treturn err;", 1, true},
	};
	struct snapshot snap = failing();
	struct story_view view = WITH_LINES;
	json_t *data, *strings, *run, *lines;
	int found = 0;

	view.sources = have.sources;
	data = page_data(&snap, &view);
	strings = json_object_get(data, "strings");
	/* That where the error was made is the first. */
	run = json_array_get(
		json_object_get(json_array_get(json_object_get(data, "paths"), 0), "runs"), 0);
	lines = json_object_get(
		json_array_get(json_object_get(data, "functions"), (size_t)number(run, "function")),
		"lines");
	for (size_t i = 0; i < json_array_size(lines); i += 4) {
		int line = (int)json_integer_value(json_array_get(lines, i + 1));
		size_t string = (size_t)json_integer_value(json_array_get(lines, i + 2));
		json_t *ran = json_object_get(run, "lines");
		bool executed = false;

		for (size_t k = 0; k < json_array_size(ran); k++)
			executed |= (size_t)json_integer_value(json_array_get(ran, k)) == i / 4;
		assert_in_range(line, 11, 17);
		found++;
		assert_string_equal(json_string_value(json_array_get(strings, string)),
				    wanted[line - 11].text);
		assert_int_equal(json_integer_value(json_array_get(lines, i + 3)),
				 wanted[line - 11].code);
		assert_int_equal(executed, wanted[line - 11].ran);
		assert_int_equal(number(run, "key_line") == (int)i / 4, line == 11);
		assert_int_equal(number(run, "error_line") == (int)i / 4, line == 12);
	}
	assert_int_equal(found, 7);
	json_decref(data);
}

static void write_file(const char *name, const char *content)
{
	char path[128];
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", have.dir, name);
	f = fopen(path, "w");
	assert_non_null(f);
	fputs(content, f);
	fclose(f);
}

static int set_up(void **state)
{
	char path[128];

	strcpy(have.dir, "/tmp/lbrsnoop-test.XXXXXX");
	if (!mkdtemp(have.dir))
		return -1;
	snprintf(path, sizeof(path), "%s/dir", have.dir);
	mkdir(path, 0700);
	write_file("dir/file.c", source);
	have.sources = sources_create(have.dir);
	have.trigger = (struct trigger){.target = "f",
					.kind = TRIGGER_HW,
					.function = "f",
					.module = "",
					.func_addr = BASE,
					.func_size = 0x80};
	strcpy(have.lbr.model, "skylake");
	have.lbr.depth = 32;
	have.lbr.supported = LBR_HAS_MISPRED;
	have.symbols = symbol_table(kallsyms);
	return have.symbols ? 0 : -1;
}

static int tear_down(void **state)
{
	char command[128];

	sources_destroy(have.sources);
	symbols_close(have.symbols);
	snprintf(command, sizeof(command), "rm -r %s", have.dir);
	return system(command);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(render_story_error_marks_decision_error_and_cleanup),
		cmocka_unit_test(render_story_answer_is_before_the_record),
		cmocka_unit_test(render_story_conditions_are_in_names_of_the_source),
		cmocka_unit_test(render_story_tracing_is_one_row),
		cmocka_unit_test(render_story_tracing_makes_no_error),
		cmocka_unit_test(render_story_interrupt_before_record_decides_nothing),
		cmocka_unit_test(render_story_with_lines_names_them),
		cmocka_unit_test(render_story_with_sources_shows_their_text),
		cmocka_unit_test(render_story_errno_site_ends_with_the_error),
		cmocka_unit_test(render_story_errno_site_in_case_has_no_key),
		cmocka_unit_test(render_story_constant_before_test_key_is_the_test),
		cmocka_unit_test(render_story_error_from_elsewhere_says_so),
		cmocka_unit_test(render_story_loop_is_folded),
		cmocka_unit_test(render_story_inlined_function_under_its_call),
		cmocka_unit_test(render_story_interrupt_is_set_apart),
		cmocka_unit_test(render_story_gap_gives_its_reason),
		cmocka_unit_test(render_story_before_kernel_entry_only_raw),
		cmocka_unit_test(render_story_insns_lists_each_once_in_order),
		cmocka_unit_test(render_story_no_row_is_wider_than_100),
		cmocka_unit_test(render_graph_path_and_key_are_drawn),
		cmocka_unit_test(render_graph_way_has_callers_and_the_last_branch),
		cmocka_unit_test(render_graph_way_through_a_cold_part_keeps_the_callers),
		cmocka_unit_test(html_report_lines_executed_and_not),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
