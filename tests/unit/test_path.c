// SPDX-License-Identifier: GPL-2.0
/* Code written by hand; what must come out is what a person reads off the listing beside it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <errno.h>

#include <cmocka.h>

#include "path/path.h"
#include "util/cleanup.h"

#define BASE  0xffffffff81000000ULL
#define IDT   (BASE + 0x100)
#define THUNK (BASE + 0x200)
#define USER  0x401000ULL

#define RETPOLINE (BASE + 0x210)

/*
 * 00  test %eax,%eax        20  endbr64            40  mov $0x1d9,%ecx
 * 02  js 10                 24  ret                45  wrmsr
 * 04  cmp $5,%edi           30  mov %ebx,%ebx      47  ret
 * 07  ja 10                 32  jmp 34             50  call 60
 * 09  call 20               34  rep movsb          55  ret
 * 0e  jmp 00                36  wrmsr              60  jmp 200
 * 10  mov $-22,%eax         38  int3               68  (bad)
 * 15  ret                   39  ret                70  mov $0x48,%ecx
 *                                                  75  wrmsr
 * 100 cld                   200 ret                77  ret
 * 101 iretq                 210 call 21c           80  call 210
 * 103 nop, 253 times        21c mov %rax,(%rsp)    85  ret
 *                           220 jmp 200            90  js 97
 *                                                  92  call 90
 *                                                  97  ret
 */
static const struct {
	uint32_t at;
	const char *bytes;
	uint32_t len;
} code[] = {
	{0x00, "\x85\xc0\x78\x0c\x83\xff\x05\x77\x07\xe8\x12\x00\x00\x00\xeb\xf0", 16},
	{0x10, "\xb8\xea\xff\xff\xff\xc3", 6},
	{0x20, "\xf3\x0f\x1e\xfa\xc3", 5},
	{0x30, "\x89\xdb\xeb\x00\xf3\xa4\x0f\x30\xcc\xc3", 10},
	{0x40, "\xb9\xd9\x01\x00\x00\x0f\x30\xc3", 8},
	{0x50, "\xe8\x0b\x00\x00\x00\xc3", 6},
	{0x60, "\xe9\x9b\x01\x00\x00", 5},
	{0x68, "\x06", 1},
	{0x70, "\xb9\x48\x00\x00\x00\x0f\x30\xc3", 8},
	{0x100, "\xfc\x48\xcf", 3},
	{0x80, "\xe8\x8b\x01\x00\x00\xc3", 6},
	{0x90, "\x78\x05\xe8\xf9\xff\xff\xff\xc3", 8},
	{0x200, "\xc3", 1},
	{0x210, "\xe8\x07\x00\x00\x00", 5},
	{0x21c, "\x48\x89\x04\x24\xe9\xdb\xff\xff\xff", 9},
};

static int read_text(void *ctx, uint64_t addr, void *buf, size_t len)
{
	uint8_t text[0x400];

	(void)ctx;
	memset(text, 0x90, sizeof(text));
	for (size_t i = 0; i < ARRAY_SIZE(code); i++)
		memcpy(text + code[i].at, code[i].bytes, code[i].len);
	if (addr < BASE || addr - BASE > sizeof(text) || len > sizeof(text) - (addr - BASE))
		return -EFAULT;
	memcpy(buf, text + (addr - BASE), len);
	return 0;
}

static enum place place(void *ctx, uint64_t addr)
{
	(void)ctx;
	if (addr >= RETPOLINE && addr < RETPOLINE + 0x20)
		return PLACE_INDIRECT_THUNK;
	return addr == IDT ? PLACE_INTERRUPT : addr == THUNK ? PLACE_RETURN_THUNK : PLACE_ORDINARY;
}

static const struct text_source text = {.read = read_text};
static const struct path_options options = {.place = place};
static const struct trigger hw = {.kind = TRIGGER_HW};
static const struct trigger fexit = {.kind = TRIGGER_FEXIT};
static const struct trigger overflow = {.kind = TRIGGER_PMI};
static const struct trigger tracepoint = {.kind = TRIGGER_TRACEPOINT};

/* Offsets from BASE, or whole addresses of user space. */
struct step {
	uint64_t from;
	uint64_t to;
};

static uint64_t address(uint64_t v)
{
	return v >= USER ? v : BASE + v;
}

static struct snapshot make_snapshot(const struct step *steps, uint32_t count)
{
	struct snapshot snap = {.path_ok = true, .count = count};

	for (uint32_t i = 0; i < count; i++)
		snap.branches[i] =
			(struct branch){.from = address(steps[i].from), .to = address(steps[i].to)};
	return snap;
}

#define SNAPSHOT(...)                                                                              \
	make_snapshot((const struct step[]){__VA_ARGS__},                                          \
		      ARRAY_SIZE(((const struct step[]){__VA_ARGS__})))

static struct path *build(const struct snapshot *snap)
{
	struct path *path = NULL;

	assert_int_equal(path_build(snap, &text, &options, &path), 0);
	return path;
}

static void check_block(const struct path *path, uint32_t index, uint64_t start, uint64_t end,
			uint32_t insns, int depth)
{
	const struct path_block *block = &path->blocks[index];

	assert_true(index < path->block_count);
	assert_int_equal(block->gap, PATH_GAP_NONE);
	assert_int_equal(block->start - BASE, start);
	assert_int_equal(block->end - BASE, end);
	assert_int_equal(block->insn_count, insns);
	assert_int_equal(block->depth, depth);
}

static void path_build_error_path_blocks_and_decisions(void **state)
{
	struct snapshot snap = SNAPSHOT({0x55, 0}, {9, 0x20}, {0x24, 0xe}, {0xe, 0}, {2, 0x10});
	struct path *path;
	char words[64];

	(void)state;
	snap.trigger = &hw;
	snap.ip = BASE + 0x15;
	path = build(&snap);
	assert_int_equal(path->block_count, 5);
	check_block(path, 0, 0, 0xe, 5, 0);
	check_block(path, 1, 0x20, 0x25, 2, 1);
	check_block(path, 2, 0xe, 0x10, 1, 0);
	check_block(path, 3, 0, 4, 2, 0);
	check_block(path, 4, 0x10, 0x15, 1, 0);
	assert_int_equal(path->blocks[0].end_class, INSN_CALL);
	assert_int_equal(path->blocks[4].ends, PATH_END_TRIGGER);
	assert_true(path->has_trigger_insn);
	assert_int_equal(path->trigger_insn.class, INSN_RET);
	assert_int_equal(path->insns[path->insn_count - 1].err, 22);

	assert_int_equal(path->decision_count, 3);
	assert_false(path->decisions[0].taken);
	assert_int_equal(path->decisions[0].target - BASE, 0x10);
	assert_int_equal(path->decisions[0].branch, PATH_NONE);
	path_condition(path, &path->decisions[0], words, sizeof(words));
	assert_string_equal(words, "%eax >= 0");
	path_condition(path, &path->decisions[1], words, sizeof(words));
	assert_string_equal(words, "%edi <= 5 (unsigned)");
	assert_true(path->decisions[2].taken);
	assert_int_equal(path->decisions[2].branch, 4);
	assert_int_equal(path->decisions[2].block, 3);
	path_decision_text(path, &path->decisions[2], NULL, NULL, words, sizeof(words));
	assert_string_equal(words, "test %eax,%eax; js 0xffffffff81000010");
	path_free(path);
}

static void path_build_interrupt_ends_block_before_its_instruction(void **state)
{
	struct snapshot snap = SNAPSHOT({0x55, 0}, {4, 0x100}, {0x101, 4}, {9, 0x20});
	struct path *path = build(&snap);

	(void)state;
	assert_int_equal(path->block_count, 3);
	check_block(path, 0, 0, 4, 2, 0);
	assert_int_equal(path->blocks[0].ends, PATH_END_INTERRUPT);
	check_block(path, 1, 0x100, 0x103, 2, 1);
	check_block(path, 2, 4, 0xe, 3, 0);
	path_free(path);
}

/* The branch at 02 did not run: what came after the interrupt did. */
static void path_build_interrupt_on_branch_no_decision(void **state)
{
	struct snapshot snap = SNAPSHOT({0x55, 0}, {2, 0x100}, {0x101, 2}, {2, 0x10});
	struct path *path = build(&snap);

	(void)state;
	check_block(path, 0, 0, 2, 1, 0);
	check_block(path, 2, 2, 4, 1, 0);
	assert_int_equal(path->decision_count, 1);
	assert_true(path->decisions[0].taken);
	assert_int_equal(path->decisions[0].setter, PATH_NONE);
	path_free(path);
}

static void path_build_interrupt_at_once_empty_block(void **state)
{
	struct snapshot snap = SNAPSHOT({0x55, 0x15}, {0x15, 0x100}, {0x101, 0x15}, {0x15, 0xe});
	struct path *path = build(&snap);

	(void)state;
	check_block(path, 0, 0x15, 0x15, 0, 0);
	assert_int_equal(path->blocks[0].ends, PATH_END_INTERRUPT);
	check_block(path, 2, 0x15, 0x16, 1, 0);
	path_free(path);
}

/* Two interrupts, one in the other, that began before the oldest branch, and one of after it. */
static void path_build_interrupts_from_before_the_record(void **state)
{
	static const int interrupts[] = {2, 1, 0, 1, 0};
	struct snapshot snap = SNAPSHOT({0x55, 0x100}, {0x101, 0x101}, {0x101, 0}, {4, 0x100},
					{0x101, 4}, {9, 0x20});
	struct path *path = build(&snap);

	assert_int_equal(path->block_count, ARRAY_SIZE(interrupts));
	for (uint32_t i = 0; i < path->block_count; i++)
		assert_int_equal(path->blocks[i].interrupt, interrupts[i]);
	path_free(path);
}

static void check_gap(uint64_t to, uint64_t from, uint64_t next, enum path_gap gap)
{
	struct snapshot snap = SNAPSHOT({0x55, to}, {from, next});
	struct path *path = build(&snap);

	assert_int_equal(path->block_count, 1);
	assert_int_equal(path->blocks[0].gap, gap);
	assert_int_equal(path->insn_count, 0);
	assert_int_equal(path->decision_count, 0);
	assert_int_equal(path->gap_count, gap != PATH_GAP_USER);
	assert_true(path_gap_text(gap)[0]);
	path_free(path);
}

static void path_build_unknown_stretch_gap_with_reason(void **state)
{
	(void)state;
	check_gap(0x10, 0x9, 0x20, PATH_GAP_BACKWARDS);
	check_gap(0x1, 0x9, 0x20, PATH_GAP_MISALIGNED);
	check_gap(0, 0x15, 0x300, PATH_GAP_UNRECORDED);
	check_gap(0, 0x2, 0x20, PATH_GAP_CHANGED);	/* js does not go there */
	check_gap(0, 0x4, 0x20, PATH_GAP_CHANGED);	/* cmp does not branch */
	check_gap(0x38, 0x39, 0, PATH_GAP_PATCHING);	/* over int3 */
	check_gap(0x66, 0x77, 0, PATH_GAP_UNDECODABLE); /* over a bad byte */
	check_gap(0x2000, 0x2002, 0, PATH_GAP_NO_TEXT);
	check_gap(0x0, 0x20000, 0, PATH_GAP_NO_TEXT);
	check_gap(USER, USER + 2, 0, PATH_GAP_USER);
	check_gap(0, USER + 2, 0, PATH_GAP_USER);
}

static void path_is_blank_where_no_code_can_be_read(void **state)
{
	struct snapshot nowhere = SNAPSHOT({0x30, 0x2000}, {0x2002, 0x3000}, {0x3004, USER});
	struct snapshot partly = SNAPSHOT({0x30, 0x2000}, {0x2002, 0}, {0x9, 0x20});
	struct path *path = build(&nowhere);

	(void)state;
	assert_true(path_is_blank(path));
	path_free(path);
	path = build(&partly);
	assert_false(path_is_blank(path));
	path_free(path);
}

/* wrmsr at 36 of a register from before the path: may be the LBR's switch. */
static void path_build_wrmsr_of_unknown_msr_splits(void **state)
{
	struct snapshot snap = SNAPSHOT({0x55, 0x30}, {0x38, 0x100});
	struct path *path = build(&snap);

	(void)state;
	assert_int_equal(path->block_count, 3);
	check_block(path, 0, 0x30, 0x38, 4, 0); /* jmp to the next instruction: both ways alike */
	assert_int_equal(path->blocks[0].ends, PATH_END_LBR_OFF);
	assert_int_equal(path->blocks[1].gap, PATH_GAP_LBR_OFF);
	check_block(path, 2, 0x38, 0x39, 1, 0);
	path_free(path);
}

static void path_build_wrmsr_of_debugctl_splits_others_do_not(void **state)
{
	struct snapshot snap = SNAPSHOT({0x55, 0x40}, {0x47, 0x70}, {0x77, 0});
	struct path *path = build(&snap);

	(void)state;
	assert_int_equal(path->block_count, 4);
	check_block(path, 0, 0x40, 0x47, 2, 1);
	assert_int_equal(path->blocks[1].gap, PATH_GAP_LBR_OFF);
	check_block(path, 2, 0x47, 0x48, 1, 1);
	check_block(path, 3, 0x70, 0x78, 3, 0);
	assert_int_equal(path->gap_count, 1);
	path_free(path);
}

static void path_build_user_branches_one_gap(void **state)
{
	struct snapshot snap = SNAPSHOT({0x101, USER}, {USER + 8, USER + 32}, {USER + 40, USER},
					{USER + 2, 0}, {2, 0x10});
	struct path *path = build(&snap);

	(void)state;
	assert_int_equal(path->block_count, 2);
	assert_int_equal(path->blocks[0].gap, PATH_GAP_USER);
	assert_int_equal(path->blocks[0].end, USER + 2);
	check_block(path, 1, 0, 4, 2, 1);
	assert_int_equal(path->gap_count, 0);
	path_free(path);
}

static void path_build_loop_folded(void **state)
{
	struct snapshot snap =
		SNAPSHOT({0x55, 0}, {9, 0x20}, {0x24, 0xe}, {0xe, 0}, {9, 0x20}, {0x24, 0xe},
			 {0xe, 0}, {9, 0x20}, {0x24, 0xe}, {0xe, 0}, {2, 0x10});
	struct path *path = build(&snap);

	(void)state;
	assert_int_equal(path->block_count, 10);
	assert_int_equal(path->fold_count, 1);
	assert_int_equal(path->folds[0].first, 0);
	assert_int_equal(path->folds[0].period, 3);
	assert_int_equal(path->folds[0].count, 3);
	path_free(path);
}

/* 50 calls 60, which jumps to a thunk, whose ret comes back to 55. */
static void path_build_return_through_thunk_depth(void **state)
{
	struct snapshot snap = SNAPSHOT({0x24, 0x50}, {0x50, 0x60}, {0x60, 0x200}, {0x200, 0x55},
					{0x55, 0x0}, {2, 0x10});
	struct path *path = build(&snap);

	(void)state;
	check_block(path, 0, 0x50, 0x55, 1, 1);
	check_block(path, 1, 0x60, 0x65, 1, 2);
	check_block(path, 2, 0x200, 0x201, 1, 2);
	check_block(path, 3, 0x55, 0x56, 1, 1);
	check_block(path, 4, 0, 4, 2, 0);
	path_free(path);
}

/* 80 calls 20 through a retpoline whose own return stands in the return thunk. */
static void path_build_retpoline_with_return_thunk_depth(void **state)
{
	struct snapshot snap = SNAPSHOT({0x24, 0x80}, {0x80, 0x210}, {0x210, 0x21c}, {0x220, 0x200},
					{0x200, 0x20}, {0x24, 0x85}, {0x85, 0x0}, {2, 0x10});
	struct path *path = build(&snap);

	(void)state;
	check_block(path, 0, 0x80, 0x85, 1, 1);
	check_block(path, 1, 0x210, 0x215, 1, 2);
	check_block(path, 2, 0x21c, 0x225, 2, 3);
	check_block(path, 3, 0x200, 0x201, 1, 3);
	check_block(path, 4, 0x20, 0x25, 2, 2);
	check_block(path, 5, 0x85, 0x86, 1, 1);
	check_block(path, 6, 0, 4, 2, 0);
	path_free(path);
}

/* The function at 20 begins with ENDBR64, behind which the trampoline is called. */
static void path_build_fentry_behind_endbr(void **state)
{
	static const struct trigger fentry = {.kind = TRIGGER_FENTRY};
	struct snapshot snap = SNAPSHOT({0x55, 0}, {9, 0x20}, {0x24, 0x300});
	struct path *path;

	(void)state;
	snap.trigger = &fentry;
	snap.ip = BASE + 0x20;
	snap.wasted = 1;
	path = build(&snap);
	assert_int_equal(path->block_count, 2);
	check_block(path, 1, 0x20, 0x24, 1, 1);
	assert_int_equal(path->blocks[1].ends, PATH_END_TRIGGER);
	assert_int_equal(path->trigger_insn.addr, BASE + 0x24);
	path_free(path);
	/* Not behind it: an interrupt came at the function's first instruction. */
	snap.branches[2].from = BASE + 0x20;
	path = build(&snap);
	check_block(path, 1, 0x20, 0x20, 0, 1);
	path_free(path);
}

static void path_build_wasted_branches_left_out(void **state)
{
	struct snapshot snap = SNAPSHOT({0x55, 0}, {2, 0x10}, {0x15, 0x30}, {0x300, 0x310});
	struct path *path;

	(void)state;
	snap.wasted = 1;
	snap.trigger = &fexit;
	path = build(&snap);
	assert_int_equal(path->block_count, 2);
	check_block(path, 1, 0x10, 0x16, 2, 0);
	path_free(path);

	/* Where the first wasted branch left is where the code had got to. */
	snap = SNAPSHOT({0x55, 0}, {9, 0x20}, {0x24, 0x300});
	snap.wasted = 2;
	snap.trigger = &tracepoint;
	path = build(&snap);
	assert_int_equal(path->block_count, 1);
	check_block(path, 0, 0, 0xe, 5, 0);
	path_free(path);

	snap.wasted = 3;
	path = NULL;
	assert_int_equal(path_build(&snap, &text, &options, &path), -ENODATA);
	assert_null(path);
}

static void path_build_filtered_branches_refused(void **state)
{
	struct snapshot snap = SNAPSHOT({0x55, 0}, {2, 0x10});
	struct path *path = NULL;

	(void)state;
	snap.path_ok = false;
	assert_int_equal(path_build(&snap, &text, &options, &path), -EOPNOTSUPP);
	assert_null(path);
}

/*
 * A program, whose branches alone are recorded. Some kernels leave the kernel's way back to it in
 * the record, others do not.
 *
 * 00  test %eax,%eax    04  mov $24,%eax    0b  nop     10  ret
 * 02  js 10             09  syscall         0c  ret
 */
static int read_program(void *ctx, uint64_t addr, void *buf, size_t len)
{
	static const uint8_t program[0x11] = {0x85, 0xc0, 0x78, 0x0c, 0xb8, 24,	  0,
					      0,    0,	  0x0f, 0x05, 0x90, 0xc3, [0x10] = 0xc3};

	(void)ctx;
	if (addr < USER || addr + len > USER + sizeof(program))
		return -EFAULT;
	memcpy(buf, program + (addr - USER), len);
	return 0;
}

static struct path *build_program(struct snapshot *snap)
{
	static const struct text_source program = {.read = read_program};
	static const struct trigger uprobe = {.kind = TRIGGER_UPROBE};
	struct path *path = NULL;

	snap->trigger = &uprobe;
	assert_int_equal(path_build(snap, &program, &options, &path), 0);
	return path;
}

/*
 * A counter's overflow stops the LBR, and its interrupt comes later: branches in between leave no
 * trace. @insns: what ran straight ahead to the interrupt, before the gap.
 */
static void check_overflow(uint64_t to, uint64_t ip, uint32_t insns)
{
	struct snapshot snap = SNAPSHOT({0x55, to});
	const struct path_block *gap, *end;
	struct path *path;

	snap.trigger = &overflow;
	snap.ip = address(ip);
	path = build(&snap);
	assert_int_equal(path->block_count, insns ? 3 : 2);
	gap = &path->blocks[insns ? 1 : 0];
	end = gap + 1;
	if (insns) {
		check_block(path, 0, to, ip, insns, 0);
		assert_int_equal(path->blocks[0].ends, PATH_END_LBR_OFF);
	}
	assert_int_equal(gap->gap, PATH_GAP_OVERFLOW);
	assert_int_equal(gap->start, address(insns ? ip : to));
	assert_int_equal(gap->end, address(ip));
	assert_int_equal(end->start - BASE, ip);
	assert_int_equal(end->insn_count, 0);
	assert_int_equal(end->ends, PATH_END_TRIGGER);
	assert_true(path->has_trigger_insn);
	assert_int_equal(path->insn_count, insns);
	assert_int_equal(path->decision_count, 0);
	assert_int_equal(path->gap_count, 1);
	path_free(path);
}

static void path_build_counter_overflow_gap_before_its_interrupt(void **state)
{
	(void)state;
	check_overflow(0, 2, 1);      /* straight ahead, as far as is known */
	check_overflow(0, 0, 0);      /* at the newest branch's target, once or in a loop */
	check_overflow(0, 4, 0);      /* js at 2 was taken or not, and who knows what ran then */
	check_overflow(0x10, 4, 0);   /* backwards */
	check_overflow(0xe, 0x10, 0); /* jmp at e leads elsewhere */
	check_overflow(USER, 0x20, 0);
}

static void path_build_counter_overflow_in_user_space(void **state)
{
	struct snapshot inside = SNAPSHOT({0x101, USER}), left = SNAPSHOT({0x55, 0});
	struct path *path;

	(void)state;
	inside.trigger = left.trigger = &overflow;
	inside.ip = left.ip = USER + 0x20;
	path = build(&inside);
	assert_int_equal(path->block_count, 1);
	assert_int_equal(path->blocks[0].gap, PATH_GAP_USER);
	assert_int_equal(path->gap_count, 0);
	path_free(path);
	path = build(&left);
	assert_int_equal(path->block_count, 1);
	assert_int_equal(path->blocks[0].gap, PATH_GAP_OVERFLOW);
	path_free(path);
}

static void path_build_program_goes_on_behind_its_system_call(void **state)
{
	struct snapshot snap = SNAPSHOT({USER + 0x10, USER}, {USER + 0xc, USER + 0x10});
	struct path *path = build_program(&snap);

	(void)state;
	assert_int_equal(path->block_count, 1);
	assert_int_equal(path->blocks[0].gap, PATH_GAP_NONE);
	assert_int_equal(path->blocks[0].end, USER + 0xd);
	assert_int_equal(path->blocks[0].insn_count, 6);
	assert_int_equal(path->decision_count, 1);
	assert_false(path->decisions[0].taken);
	path_free(path);
}

static void path_build_program_back_from_the_kernel(void **state)
{
	struct snapshot snap = SNAPSHOT({USER + 0x10, USER}, {BASE + 0x101, USER + 0xb},
					{USER + 0xc, USER + 0x10});
	struct path *path = build_program(&snap);

	(void)state;
	assert_int_equal(path->block_count, 2);
	assert_int_equal(path->blocks[0].ends, PATH_END_KERNEL);
	assert_int_equal(path->blocks[0].end, USER + 0xb);
	assert_int_equal(path->blocks[1].start, USER + 0xb);
	assert_int_equal(path->blocks[1].depth, path->blocks[0].depth);
	assert_int_equal(path->gap_count, 0);
	path_free(path);
}

/* A signal's handler: what came before it did not lead there. */
static void path_build_program_elsewhere_from_the_kernel_is_a_gap(void **state)
{
	struct snapshot snap =
		SNAPSHOT({USER + 0xc, USER + 0x10}, {BASE + 0x101, USER}, {USER + 2, USER + 0x10});
	struct path *path = build_program(&snap);

	(void)state;
	assert_int_equal(path->block_count, 2);
	assert_int_equal(path->blocks[0].gap, PATH_GAP_KERNEL);
	assert_int_equal(path->blocks[1].gap, PATH_GAP_NONE);
	assert_true(path->decisions[0].taken);
	path_free(path);
}

static void path_build_type_reported_contradicts_text(void **state)
{
	struct snapshot snap = SNAPSHOT({0x55, 0}, {9, 0x20});
	struct path *path;

	(void)state;
	snap.branches[1].type = BRANCH_ICALL;
	path = build(&snap);
	assert_int_equal(path->blocks[0].gap, PATH_GAP_CHANGED);
	path_free(path);
	snap.branches[1].type = BRANCH_CALL;
	path = build(&snap);
	check_block(path, 0, 0, 0xe, 5, 0);
	path_free(path);
}

/* 40 rounds of call 20, its return, jmp 00; more branches than a snapshot has room for. */
static void build_way_of_120_branches_no_gap(void **state)
{
	static const struct step round[] = {{0x09, 0x20}, {0x24, 0x0e}, {0x0e, 0x00}};
	struct branch_ends ends[3 * 40];
	struct snapshot snap = {.ip = BASE + 0x04, .trigger = &hw};
	struct path *path = NULL;

	(void)state;
	_Static_assert(ARRAY_SIZE(ends) > BRANCHES_MAX, "more than there is room for");
	for (size_t i = 0; i < ARRAY_SIZE(ends); i++)
		ends[i] = (struct branch_ends){BASE + round[i % 3].from, BASE + round[i % 3].to};
	assert_int_equal(path_build_way(&snap, &text, &options, &path), -ENODATA);
	snap.way = (struct deep_way){ends, ARRAY_SIZE(ends)};
	assert_int_equal(path_build_way(&snap, &text, &options, &path), 0);
	assert_int_equal(path->gap_count, 0);
	assert_int_equal(path->block_count, 120);
	/* js and ja in each of 39 rounds, and js once more before the trigger */
	assert_int_equal(path->decision_count, 2 * 39 + 1);
	assert_false(path->decisions[78].taken);
	assert_int_equal(path->blocks[117].start, BASE + 0x20);
	assert_int_equal(path->blocks[117].depth, 1);
	assert_int_equal(path->blocks[117].branch, 118);
	assert_int_equal(path->blocks[119].end, BASE + 0x04);
	assert_int_equal(path->blocks[119].depth, 0);
	assert_int_equal(path->blocks[119].ends, PATH_END_TRIGGER);
	path_free(path);
}

/* 100 calls of a function by itself, and 99 returns: more than BRANCHES_MAX are open at once. */
static void build_way_of_100_nested_calls_each_a_level_deeper(void **state)
{
	struct branch_ends ends[200];
	struct snapshot snap = {.ip = BASE + 0x97, .trigger = &hw, .way = {ends, ARRAY_SIZE(ends)}};
	struct path *path = NULL;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(ends); i++)
		ends[i] = i < 100    ? (struct branch_ends){BASE + 0x92, BASE + 0x90}
			  : i == 100 ? (struct branch_ends){BASE + 0x90, BASE + 0x97}
				     : (struct branch_ends){BASE + 0x97, BASE + 0x97};
	assert_int_equal(path_build_way(&snap, &text, &options, &path), 0);
	assert_int_equal(path->gap_count, 0);
	assert_int_equal(path->block_count, 200);
	for (int i = 0; i < 100; i++) {
		assert_int_equal(path->blocks[i].depth, i);
		assert_int_equal(path->blocks[199 - i].depth, i);
	}
	path_free(path);
}

static int build_long_way(size_t count, struct branch_ends branch, struct path **ret)
{
	_cleanup_free_ struct branch_ends *ends = calloc(count, sizeof(*ends));
	struct snapshot snap = {.ip = branch.to, .trigger = &hw, .way = {ends, count}};

	assert_non_null(ends);
	for (size_t i = 0; i < count; i++)
		ends[i] = branch;
	return path_build_way(&snap, &text, &options, ret);
}

/* A capture file may have whatever its writer liked: 254 instructions, again and again. */
static void build_way_longer_than_any_true_one_is_refused(void **state)
{
	const struct branch_ends nops = {BASE + 0x200, BASE + 0x103};
	const struct branch_ends call = {BASE + 0x92, BASE + 0x90};
	struct path *path = NULL;

	(void)state;
	assert_int_equal(build_long_way(PATH_WAY_INSNS_MAX / 254, nops, &path), 0);
	assert_true(path->insn_count > PATH_WAY_INSNS_MAX - 2 * 254);
	path_free(path);
	path = NULL;
	assert_int_equal(build_long_way(PATH_WAY_INSNS_MAX / 254 + 2, nops, &path), -E2BIG);
	assert_int_equal(build_long_way(PATH_WAY_MAX, call, &path), 0);
	path_free(path);
	path = NULL;
	assert_int_equal(build_long_way(PATH_WAY_MAX + 1, call, &path), -E2BIG);
	assert_null(path);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(build_way_of_120_branches_no_gap),
		cmocka_unit_test(build_way_of_100_nested_calls_each_a_level_deeper),
		cmocka_unit_test(build_way_longer_than_any_true_one_is_refused),
		cmocka_unit_test(path_build_error_path_blocks_and_decisions),
		cmocka_unit_test(path_build_interrupt_ends_block_before_its_instruction),
		cmocka_unit_test(path_build_interrupt_on_branch_no_decision),
		cmocka_unit_test(path_build_interrupt_at_once_empty_block),
		cmocka_unit_test(path_build_interrupts_from_before_the_record),
		cmocka_unit_test(path_build_unknown_stretch_gap_with_reason),
		cmocka_unit_test(path_is_blank_where_no_code_can_be_read),
		cmocka_unit_test(path_build_wrmsr_of_unknown_msr_splits),
		cmocka_unit_test(path_build_wrmsr_of_debugctl_splits_others_do_not),
		cmocka_unit_test(path_build_user_branches_one_gap),
		cmocka_unit_test(path_build_loop_folded),
		cmocka_unit_test(path_build_return_through_thunk_depth),
		cmocka_unit_test(path_build_retpoline_with_return_thunk_depth),
		cmocka_unit_test(path_build_fentry_behind_endbr),
		cmocka_unit_test(path_build_wasted_branches_left_out),
		cmocka_unit_test(path_build_filtered_branches_refused),
		cmocka_unit_test(path_build_counter_overflow_gap_before_its_interrupt),
		cmocka_unit_test(path_build_counter_overflow_in_user_space),
		cmocka_unit_test(path_build_program_goes_on_behind_its_system_call),
		cmocka_unit_test(path_build_program_back_from_the_kernel),
		cmocka_unit_test(path_build_program_elsewhere_from_the_kernel_is_a_gap),
		cmocka_unit_test(path_build_type_reported_contradicts_text),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
