// SPDX-License-Identifier: GPL-2.0
/* src/why: what one run told, which bytes may load an errno, what decided */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <errno.h>
#include <malloc.h>
#include <sys/syscall.h>

#include <cmocka.h>

#include "../seed.h"
#include "../symbol_table.h"
#include "../text_bytes.h"
#include "disasm/insn.h"
#include "util/cleanup.h"
#include "util/clock.h"
#include "why/candidates.h"
#include "why/decision/decision.h"
#include "why/failures.h"
#include "why_events.h"

#define ROOT 100

static void failure_same_compares_strings_not_numbers(void **state)
{
	struct failures failures = {};

	failed(&failures, ROOT, SYS_openat, ENOENT, "/a", 1);
	failed(&failures, ROOT + 1, SYS_openat, ENOENT, "/a", 1);
	failed(&failures, ROOT, SYS_openat, ENOENT, "/b", 1);
	failed(&failures, ROOT, SYS_openat, EACCES, "/a", 1);
	failures.items[1].call.args[0] = 77;
	assert_true(failure_same(&failures.items[0], &failures.items[1]));
	assert_false(failure_same(&failures.items[0], &failures.items[2]));
	assert_false(failure_same(&failures.items[0], &failures.items[3]));
	/* Q_GETINFO fills what its address leads to; what stands there before says nothing. */
	failed(&failures, ROOT, SYS_quotactl, ESRCH, "/dev/loop5", 1);
	failed(&failures, ROOT, SYS_quotactl, ESRCH, "/dev/loop5", 1);
	failed(&failures, ROOT, SYS_quotactl, ESRCH, "/dev/loop6", 1);
	for (size_t i = 4; i < 7; i++) {
		failures.items[i].call.args[0] = 0x80000500; /* QCMD(Q_GETINFO, USRQUOTA) */
		failures.items[i].call.args[1] = failures.items[i].call.args[3] = 0x1000;
		failures.items[i].call.blobs[3].status = SYSCALL_BLOB_READ;
		failures.items[i].call.blobs[3].len = 1;
		failures.items[i].call.bytes[3][0] = (char)('a' + i);
	}
	assert_true(failure_same(&failures.items[4], &failures.items[5]));
	/* One EINTR is the kernel's, one a handler's. */
	failures.items[5].signal = SIGALRM;
	assert_false(failure_same(&failures.items[4], &failures.items[5]));
	failures.items[4].signal = SIGUSR1;
	assert_true(failure_same(&failures.items[4], &failures.items[5]));
	assert_false(failure_same(&failures.items[4], &failures.items[6]));
	failures_clear(&failures);
}

/* mktemp -p /proc: a name of six random letters. */
static void failure_alike_is_in_the_same_directory(void **state)
{
	static const struct {
		const char *path;
		bool alike;
	} cases[] = {
		{"/proc/tmp.aaaaaa", true},   {"/proc/tmp.bbbbbb", true},
		{"/proc/tmp.bbbbbbb", false}, {"/prob/tmp.bbbbbb", false},
		{"/proc/tmp/bbbbbb", true},   {"tmp.aaaaaa", false},
	};
	struct failures failures = {};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		failed(&failures, ROOT, SYS_openat, ENOENT, "/proc/tmp.aaaaaa", 1);
		failed(&failures, ROOT, SYS_openat, ENOENT, cases[i].path, 1);
		assert_int_equal(failure_alike(&failures.items[0], &failures.items[1]),
				 cases[i].alike);
		failures.items[1].err = EACCES;
		assert_false(failure_alike(&failures.items[0], &failures.items[1]));
		failures_clear(&failures);
	}
	/* Without a directory nothing says that it is the same file but its name. */
	failed(&failures, ROOT, SYS_openat, ENOENT, "aa", 1);
	failed(&failures, ROOT, SYS_openat, ENOENT, "ab", 1);
	assert_false(failure_alike(&failures.items[0], &failures.items[1]));
	failures_clear(&failures);
}

static void logged(struct failures *failures, uint32_t tid, uint64_t mono_ns, const char *text)
{
	struct why_said event = {.head = {.kind = WHY_LOGGED, .tid = tid, .mono_ns = mono_ns},
				 .len = strlen(text)};

	memcpy(event.bytes, text, strlen(text));
	assert_int_equal(failures_add(failures, &event.head), 0);
}

static void failed_since(struct failures *failures, uint32_t tid, uint64_t begin_ns)
{
	struct why_failed event = {
		.head = {.kind = WHY_FAILED, .tid = tid}, .begin_ns = begin_ns, .err = EINVAL};

	assert_int_equal(failures_add(failures, &event.head), 0);
}

/* Of another thread, and of an earlier call that did not fail, are none of this call. */
static void failures_log_lines_go_to_their_call(void **state)
{
	struct failures failures = {};

	logged(&failures, 1, 10, "of a call that ended well");
	logged(&failures, 1, 30, "tmpfs: Bad value for 'size'\n");
	logged(&failures, 2, 31, "of another thread");
	logged(&failures, 1, 32, "second");
	failed_since(&failures, 1, 20);
	failed_since(&failures, 1, 40);
	failed_since(&failures, 2, 20);
	assert_string_equal(failures.items[0].log, "tmpfs: Bad value for 'size'\nsecond\n");
	assert_null(failures.items[1].log);
	assert_string_equal(failures.items[2].log, "of another thread\n");
	for (unsigned int i = 0; i < 1000; i++)
		logged(&failures, 3, 50, i ? "more" : "the first");
	failed_since(&failures, 3, 45);
	assert_null(strstr(failures.items[3].log, "the first"));
	failures_clear(&failures);
}

/* The ring holds the newest WHY_FUNCS_MAX entries; entry N stands at N modulo that. */
static void failures_functions_newest_first_each_once(void **state)
{
	struct why_failed *event = calloc(1, sizeof(*event));
	struct failures failures = {};

	assert_non_null(event);
	event->head.kind = WHY_FAILED;
	event->err = EINVAL;
	event->entered = 5;
	event->funcs[0] = 10;
	event->funcs[1] = 20;
	event->funcs[2] = 10;
	event->funcs[3] = 30;
	event->funcs[4] = 20;
	assert_int_equal(failures_add(&failures, &event->head), 0);
	assert_int_equal(failures.items[0].func_count, 3);
	assert_int_equal(failures.items[0].funcs[0], 20);
	assert_int_equal(failures.items[0].funcs[1], 30);
	assert_int_equal(failures.items[0].funcs[2], 10);
	assert_false(failures.items[0].cut);

	event->entered = WHY_FUNCS_MAX + 2;
	for (uint32_t i = 0; i < WHY_FUNCS_MAX; i++)
		event->funcs[i] = 1000 + i;
	assert_int_equal(failures_add(&failures, &event->head), 0);
	assert_int_equal(failures.items[1].func_count, WHY_FUNCS_MAX);
	assert_int_equal(failures.items[1].funcs[0], 1001);
	assert_int_equal(failures.items[1].funcs[1], 1000);
	assert_int_equal(failures.items[1].funcs[2], 1000 + WHY_FUNCS_MAX - 1);
	assert_int_equal(failures.items[1].funcs[WHY_FUNCS_MAX - 1], 1002);
	assert_true(failures.items[1].cut);
	failures_clear(&failures);
	free(event);
}

static void hit(struct failures *failures, uint64_t of, uint32_t order)
{
	struct why_hit_of *event = calloc(1, sizeof(*event));

	assert_non_null(event);
	event->head.kind = WHY_HIT;
	event->of = of;
	event->hit.order = order;
	assert_int_equal(failures_add(failures, &event->head), 0);
	free(event);
}

/* Events of two tasks in turns: each call gets its own. */
static void failures_hits_go_to_their_call_newest_first(void **state)
{
	struct failures failures = {};

	hit(&failures, next_seq + 1, 1);
	hit(&failures, next_seq, 3);
	hit(&failures, next_seq, 7);
	hit(&failures, next_seq, 5);
	failed(&failures, ROOT, SYS_mkdir, EACCES, NULL, 0);
	failed(&failures, ROOT, SYS_rmdir, EBUSY, NULL, 0);
	failed(&failures, ROOT, SYS_rmdir, EBUSY, NULL, 0);
	assert_int_equal(failures.items[0].hit_count, 3);
	assert_int_equal(failures.items[0].hits[0].order, 7);
	assert_int_equal(failures.items[0].hits[1].order, 5);
	assert_int_equal(failures.items[0].hits[2].order, 3);
	assert_int_equal(failures.items[1].hit_count, 1);
	assert_int_equal(failures.items[2].hit_count, 0);
	/* Those whose call is never told take no room in the end. */
	for (int i = 0; i < 5000; i++)
		hit(&failures, UINT64_MAX, 1);
	hit(&failures, next_seq, 2);
	failed(&failures, ROOT, SYS_mkdir, EACCES, NULL, 0);
	assert_int_equal(failures.items[3].hit_count, 1);
	/* A call has room for its own, whatever others wait for theirs. */
	assert_true(malloc_usable_size(failures.items[3].hits) < 2 * sizeof(struct why_hit));
	failed(&failures, ROOT, SYS_mkdir, EACCES, NULL, 0);
	assert_null(failures.items[4].hits);
	failures_clear(&failures);
}

/*
 * A server that waits by trying: EAGAIN, 10,000 times a second. To move 9 MB for each of them took
 * more than 0.3 ms, which is half a minute for these.
 */
static void failures_many_are_taken_in_no_time(void **state)
{
	enum { MANY = 100000 };
	struct failures failures = {};
	uint64_t begin = clock_ns(CLOCK_MONOTONIC);

	for (uint32_t i = 0; i < MANY; i++)
		failed(&failures, i, SYS_recvfrom, EAGAIN, NULL, 0);
	assert_true(clock_ns(CLOCK_MONOTONIC) - begin < 10000000000);
	assert_int_equal(failures.count + failures.dropped, MANY);
	assert_true(failures.count >= 4096);
	for (size_t i = 0; i < failures.count; i++)
		assert_int_equal(failures.items[i].tgid, failures.dropped + i);
	failures_clear(&failures);
}

static void failures_events_of_two_cpus_are_sorted(void **state)
{
	struct failures failures = {};

	failed(&failures, ROOT, SYS_mkdir, EACCES, NULL, 0);
	failed(&failures, ROOT, SYS_rmdir, EBUSY, NULL, 0);
	failures.items[0].seq += 10;
	failures_sort(&failures);
	assert_int_equal(failures.items[0].call.nr, SYS_rmdir);
	failures_clear(&failures);
}

/* Each instruction alone; written with the SDM's opcode map at hand (vol. 2, appendix A). */
static void may_load_errno_each_form(void **state)
{
	static const struct {
		const char *bytes;
		size_t len;
		bool expected;
	} rows[] = {
		{"\xb8\xea\xff\xff\xff", 5, true},			    /* mov $-22,%eax */
		{"\xb8\x01\xf0\xff\xff", 5, true},			    /* mov $-4095,%eax */
		{"\xb8\x00\xf0\xff\xff", 5, false},			    /* mov $-4096,%eax */
		{"\x41\xbd\xfe\xff\xff\xff", 6, true},			    /* mov $-2,%r13d */
		{"\x48\xc7\xc0\xf4\xff\xff\xff", 7, true},		    /* mov $-12,%rax */
		{"\xc7\x44\x24\x08\xea\xff\xff\xff", 8, true},		    /* movl $-22,8(%rsp) */
		{"\xc7\x84\x24\x80\x00\x00\x00\xea\xff\xff\xff", 11, true}, /* 0x80(%rsp) */
		{"\x83\xc8\xff", 3, true},				    /* or $-1,%eax */
		{"\x83\xc8\xfe", 3, false},				    /* or $-2,%eax */
		{"\x19\xc0\x83\xe0\xea", 5, true},			    /* sbb; and $-22,%eax */
		{"\xc1\xf8\x1f\x83\xe0\xf9", 6, true},		   /* sar $31; and $-7,%eax */
		{"\x19\xc0\xf7\xd0\x83\xe0\xf9", 7, true},	   /* sbb; not; and $-7,%eax */
		{"\x83\xe0\xf0", 3, false},			   /* and $-16,%eax */
		{"\x3d\xea\xff\xff\xff", 5, false},		   /* cmp $-22,%eax */
		{"\xe8\x10\xff\xff\xff", 5, false},		   /* call back */
		{"\xb8\x16\x00\x00\x00", 5, false},		   /* mov $22,%eax */
		{"\x0f\xb6\xc0\xf7\xd8", 5, true},		   /* movzbl %al,%eax; neg %eax */
		{"\x0f\x95\xc0\x0f\xb6\xc0\x83\xe8\x01", 9, true}, /* setne; movzbl; sub $1 */
		{"\x83\xe0\x01\x83\xe8\x01", 6, true},		   /* and $1; sub $1 */
		{"\x89\xf8\xf7\xd8", 4, false},			   /* mov %edi,%eax; neg */
		{"\x89\xf8\x83\xe8\x02", 5, false},		   /* mov; sub $2 */
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		if (may_load_errno((const uint8_t *)rows[i].bytes, rows[i].len) != rows[i].expected)
			fail_msg("row %zu", i);
}

/* It is found wherever it stands, and not where a byte of it is missing. */
static void may_load_errno_at_any_place(void **state)
{
	static const struct {
		const char *bytes;
		size_t len;
	} rows[] = {
		{"\xb8\xea\xff\xff\xff", 5},		 /* mov $-22,%eax */
		{"\xc7\x44\x24\x08\xea\xff\xff\xff", 8}, /* movl $-22,8(%rsp) */
		{"\x83\xc8\xff", 3},			 /* or $-1,%eax */
		{"\x83\x4c\x24\x08\xff", 5},		 /* orl $-1,8(%rsp) */
		{"\x19\xc0\x83\xe0\xf0", 5},		 /* sbb %eax,%eax; and $-16,%eax */
		{"\x0f\xb6\xc0\xf7\xd8", 5},		 /* movzbl %al,%eax; neg %eax */
		{"\x83\xe0\x01\x83\xe8\x01", 6},	 /* and $1; sub $1 */
	};
	uint8_t bytes[80];

	(void)state;
	for (size_t row = 0; row < ARRAY_SIZE(rows); row++)
		for (size_t at = 0; at + rows[row].len <= sizeof(bytes); at++) {
			size_t end = at + rows[row].len;

			memset(bytes, 0x90, sizeof(bytes)); /* nop */
			memcpy(bytes + at, rows[row].bytes, rows[row].len);
			if (!may_load_errno(bytes, sizeof(bytes)) || !may_load_errno(bytes, end))
				fail_msg("row %zu at %zu is not found", row, at);
			if (may_load_errno(bytes, end - 1))
				fail_msg("row %zu at %zu is found, and is not there", row, at);
		}
}

/* What the decoder takes for an errno that is made, the search by bytes must not miss. */
static void may_load_errno_misses_nothing_that_is_decoded(void **state)
{
	unsigned int made = 0;

	srandom(seed_take(stdout, 20261122));
	for (int round = 0; round < 2000000; round++) {
		uint8_t bytes[24];
		struct insn in, prev, earlier = {};
		size_t off = 0;

		for (size_t i = 0; i < sizeof(bytes); i++)
			bytes[i] = random() & 1 ? (uint8_t)random() : 0xff;
		/* Of four one begins with SBB of a register with itself, one with its SAR. */
		if (round & 1) {
			uint8_t reg = random() & 7;
			bool sar = round & 2;

			bytes[0] = sar ? 0xc1 : 0x19;
			bytes[1] = sar ? 0xf8 | reg : 0xc0 | reg << 3 | reg;
			bytes[2] = sar ? 31 : bytes[2];
			if (round & 4) {
				bytes[2 + sar] = 0xf7;
				bytes[3 + sar] = 0xd0 | reg;
			}
		}
		prev = (struct insn){};
		if (!insn_decode(bytes, sizeof(bytes), 0x1000, &prev))
			off = prev.len;
		if (round & 1 && round & 4) {
			earlier = prev;
			if (!insn_decode(bytes + off, sizeof(bytes) - off, 0x1000 + off, &prev))
				off += prev.len;
		}
		if (insn_decode(bytes + off, sizeof(bytes) - off, 0x1000 + off, &in) ||
		    !insn_makes_errno(&in, off ? &prev : NULL, earlier.len ? &earlier : NULL))
			continue;
		made++;
		if (!may_load_errno(bytes, off + in.len))
			fail_msg("round %d: %02x %02x %02x %02x %02x %02x at %zu", round,
				 bytes[off], bytes[off + 1], bytes[off + 2], bytes[off + 3],
				 bytes[off + 4], bytes[off + 5], off);
	}
	assert_true(made > 1000);
}

#define BASE 0xffffffff81000000ULL

/*
 * one:  00 nopl (fentry)  05 cmp $9,%esi  08 je 10  0a xor %eax,%eax  0c ret
 *       10 mov $-22,%eax  15 ret
 * two:  20 test %edi,%edi  22 je 30  24 test %esi,%esi  26 jne 30  28 xor %eax,%eax  2a ret
 *       30 mov $-22,%eax  35 ret
 * three: 40 test %rdi,%rdi  43 jne 50  45 mov %edi,%edi  47 mov $-2,%eax  4c ret
 *       50 ret
 * one.cold: 60 mov $-12,%eax  65 jmp 15
 * four: 70 test %edi,%edi  72 je 7b  74 call five  79 xor %eax,%eax  7b ret
 * five: 80 ret
 * early: 90 mov $-22,%eax  95 test %edi,%edi  97 jns 9a  99 ret  9a xor %eax,%eax  9c ret
 * early_for_two: a0 test %edx,%edx  a2 je af  a4 mov $-22,%eax  a9 test %edi,%edi  ab js b3
 *       ad test %esi,%esi  af je b3  b1 xor %eax,%eax  b3 ret
 * rejoins: c0 test %edi,%edi  c2 je d1  c4 test %esi,%esi  c6 je ca  c8 xor %edx,%edx
 *       ca mov $-22,%eax  cf ret  d1 xor %eax,%eax  d3 ret
 */
static const uint8_t code[0xe0] = "\x0f\x1f\x44\x00\x00\x83\xfe\x09\x74\x06\x31\xc0\xc3\xcc\xcc\xcc"
				  "\xb8\xea\xff\xff\xff\xc3\xcc\xcc\xcc\xcc\xcc\xcc\xcc\xcc\xcc\xcc"
				  "\x85\xff\x74\x0c\x85\xf6\x75\x08\x31\xc0\xc3\xcc\xcc\xcc\xcc\xcc"
				  "\xb8\xea\xff\xff\xff\xc3\xcc\xcc\xcc\xcc\xcc\xcc\xcc\xcc\xcc\xcc"
				  "\x48\x85\xff\x75\x0b\x89\xff\xb8\xfe\xff\xff\xff\xc3\xcc\xcc\xcc"
				  "\xc3\xcc\xcc\xcc\xcc\xcc\xcc\xcc\xcc\xcc\xcc\xcc\xcc\xcc\xcc\xcc"
				  "\xb8\xf4\xff\xff\xff\xeb\xae\xcc\xcc\xcc\xcc\xcc\xcc\xcc\xcc\xcc"
				  "\x85\xff\x74\x07\xe8\x07\x00\x00\x00\x31\xc0\xc3\xcc\xcc\xcc\xcc"
				  "\xc3\xcc\xcc\xcc\xcc\xcc\xcc\xcc\xcc\xcc\xcc\xcc\xcc\xcc\xcc\xcc"
				  "\xb8\xea\xff\xff\xff\x85\xff\x79\x01\xc3\x31\xc0\xc3\xcc\xcc\xcc"
				  "\x85\xd2\x74\x09\xb8\xea\xff\xff\xff\x85\xff\x78\x06\x85\xf6\x74"
				  "\x02\x31\xc0\xc3\xcc\xcc\xcc\xcc\xcc\xcc\xcc\xcc\xcc\xcc\xcc\xcc"
				  "\x85\xff\x74\x0d\x85\xf6\x74\x02\x31\xd2\xb8\xea\xff\xff\xff\xc3"
				  "\xcc\x31\xc0\xc3\xcc\xcc\xcc\xcc\xcc\xcc\xcc\xcc\xcc\xcc\xcc";

static const char table[] = "ffffffff81000000 T one\n"
			    "ffffffff81000020 T two\n"
			    "ffffffff81000040 t three\n"
			    "ffffffff81000060 t one.cold\n"
			    "ffffffff81000070 t four\n"
			    "ffffffff81000080 t five\n"
			    "ffffffff81000090 t early\n"
			    "ffffffff810000a0 t early_for_two\n"
			    "ffffffff810000c0 t rejoins\n"
			    "ffffffff810000e0 T end\n"
			    "ffffffff810000f0 T further\n";

static const struct text_bytes listing = {BASE, code, sizeof(code)};
static const struct text_source text = {.read = text_bytes_read, .ctx = (void *)&listing};

static int open_table(void **state)
{
	return symbol_table_setup(state, table);
}

static void candidates_are_functions_and_those_of_cold_parts(void **state)
{
	/* As kprobe_ftrace_handler() is: traced, and not to be interrupted. */
	static const char blacklist[] = "0xffffffff81000000-0xffffffff81000010\tone\n"
					"0xffffffff81000020-0xffffffff81000036\ttwo\n";
	struct candidates found = {};
	struct probeable *probeable;
	FILE *list;

	assert_int_equal(candidates_find(&text, *state, NULL, &found), 0);
	assert_int_equal(found.count, 6);
	assert_string_equal(found.items[0].sym.name, "one");
	assert_true(found.items[0].traced);
	assert_string_equal(found.items[1].sym.name, "two");
	assert_false(found.items[1].traced);
	assert_ptr_equal(candidates_entered(&found, 0x81000020), &found.items[1]);
	assert_null(candidates_entered(&found, 0x81000021));
	candidates_deinit(&found);
	/* Neither may be interrupted: "one", which is traced, is no candidate either. */
	list = fmemopen((void *)blacklist, strlen(blacklist), "r");
	assert_non_null(list);
	assert_int_equal(probeable_create(NULL, list, "6.1", &probeable), 0);
	fclose(list);
	assert_int_equal(candidates_find(&text, *state, probeable, &found), 0);
	assert_int_equal(found.count, 4);
	assert_string_equal(found.items[0].sym.name, "three");
	candidates_deinit(&found);
	probeable_destroy(probeable);
}

/*
 * Each at the next multiple of 16 returns -EINVAL behind its first instructions:
 * free: ENDBR, NOP of 5 bytes   by_ftrace: call ftrace_caller   by_code: ENDBR, call into the area
 * of modules   own: call own_too   own_too: ENDBR, call of data, which is no function of the tracer
 * 60 ftrace_caller: ret         data, behind the text: mov $-22,%eax  ret
 */
static const uint8_t entries[0x80] =
	"\xf3\x0f\x1e\xfa\x0f\x1f\x44\x00\x00\xb8\xea\xff\xff\xff\xc3\xcc"
	"\xe8\x4b\x00\x00\x00\xb8\xea\xff\xff\xff\xc3\xcc\xcc\xcc\xcc\xcc"
	"\xf3\x0f\x1e\xfa\xe8\xd7\xff\xff\x3e\xb8\xea\xff\xff\xff\xc3\xcc"
	"\xe8\x0b\x00\x00\x00\xb8\xea\xff\xff\xff\xc3\xcc\xcc\xcc\xcc\xcc"
	"\xf3\x0f\x1e\xfa\xe8\x27\x00\x00\x00\xb8\xea\xff\xff\xff\xc3\xcc"
	"\xcc\xcc\xcc\xcc\xcc\xcc\xcc\xcc\xcc\xcc\xcc\xcc\xcc\xcc\xcc\xcc"
	"\xc3\xcc\xcc\xcc\xcc\xcc\xcc\xcc\xcc\xcc\xcc\xcc\xcc\xcc\xcc\xcc"
	"\xb8\xea\xff\xff\xff\xc3\xcc\xcc\xcc\xcc\xcc\xcc\xcc\xcc\xcc";

static int open_entries(void **state)
{
	return symbol_table_setup(state, "ffffffff81000000 T free\n"
					 "ffffffff81000010 T by_ftrace\n"
					 "ffffffff81000020 T by_code\n"
					 "ffffffff81000030 t own\n"
					 "ffffffff81000040 t own_too\n"
					 "ffffffff81000060 T ftrace_caller\n"
					 "ffffffff81000070 T _etext\n"
					 "ffffffff81000070 t data\n"
					 "ffffffff81000080 D end\n");
}

/* kprobe.multi on a function that the tracer does not know is refused for all functions at once. */
static void candidates_a_call_at_the_entry_need_not_be_the_tracers(void **state)
{
	static const struct text_bytes bytes = {BASE, entries, sizeof(entries)};
	static const struct text_source source = {.read = text_bytes_read, .ctx = (void *)&bytes};
	static const struct {
		const char *name;
		bool traced;
	} wanted[] = {
		{"free", true}, {"by_ftrace", true}, {"by_code", true},
		{"own", false}, {"own_too", false},
	};
	struct candidates found = {};

	assert_int_equal(candidates_find(&source, *state, NULL, &found), 0);
	assert_int_equal(found.count, ARRAY_SIZE(wanted));
	for (size_t i = 0; i < found.count; i++) {
		assert_string_equal(found.items[i].sym.name, wanted[i].name);
		assert_int_equal(found.items[i].traced, wanted[i].traced);
	}
	candidates_deinit(&found);
}

static int open_entries_of_arming(void **state)
{
	return symbol_table_setup(state, "ffffffff81000000 T insn_decode\n"
					 "ffffffff81000010 T by_ftrace\n"
					 "ffffffff81000060 T ftrace_caller\n"
					 "ffffffff81000070 T _etext\n"
					 "ffffffff81000080 D end\n");
}

/* The kernel calls it for each function that is armed. It stays a candidate, for it may have run.
 */
static void candidates_of_the_arming_itself_are_not_watched(void **state)
{
	static const struct text_bytes bytes = {BASE, entries, sizeof(entries)};
	static const struct text_source source = {.read = text_bytes_read, .ctx = (void *)&bytes};
	const struct candidate *item;
	struct candidates found = {};

	assert_int_equal(candidates_find(&source, *state, NULL, &found), 0);
	item = candidates_at(&found, BASE);
	assert_non_null(item);
	assert_false(item->traced);
	item = candidates_at(&found, BASE + 0x10);
	assert_non_null(item);
	assert_true(item->traced);
	candidates_deinit(&found);
}

/* The deciding one alone: 0, or what decisions_find() says. */
static int find_one(const struct decision_code *where, const struct symbol *func, uint64_t addr,
		    const struct snapshot *snap, const uint64_t *regs, struct decision *ret)
{
	int count =
		decisions_find(where, func, addr, snap, &(struct why_state){.regs = regs}, ret, 1);

	return count < 0 ? count : 0;
}

static int decide(void *symbols, const char *name, uint64_t addr, const uint64_t *regs,
		  struct decision *ret)
{
	struct symbol func;

	assert_int_equal(symbols_by_name(symbols, "", name, 0, &func), 0);
	return find_one(&(struct decision_code){.text = &text, .symbols = symbols}, &func, addr,
			NULL, regs, ret);
}

static void decision_one_way_condition_and_value(void **state)
{
	uint64_t regs[PTREG_COUNT] = {[PTREG_SI] = 9};
	struct decision decision;

	assert_int_equal(decide(*state, "one", BASE + 0x10, regs, &decision), 0);
	assert_int_equal(decision.addr, BASE + 0x8);
	assert_true(decision.taken);
	assert_string_equal(decision.condition, "%esi == 9");
	assert_string_equal(decision.values, "%esi = 9");
}

static void decision_two_ways_meet_is_not_told(void **state)
{
	struct decision decision;

	assert_int_equal(decide(*state, "two", BASE + 0x30, NULL, &decision), -ENOENT);
}

static void decision_two_ways_meet_branches_tell(void **state)
{
	struct snapshot *snap = calloc(1, sizeof(*snap));
	struct decision decision;
	struct symbol func;

	assert_non_null(snap);
	assert_int_equal(symbols_by_name(*state, "", "two", 0, &func), 0);
	snap->count = 2;
	snap->branches[0].from = BASE - 0x100;
	snap->branches[0].to = BASE + 0x20;
	snap->branches[1].from = BASE + 0x26;
	snap->branches[1].to = BASE + 0x30;
	assert_int_equal(find_one(&(struct decision_code){.text = &text, .symbols = *state}, &func,
				  BASE + 0x30, snap, NULL, &decision),
			 0);
	assert_int_equal(decision.addr, BASE + 0x26);
	assert_true(decision.taken);
	assert_string_equal(decision.condition, "%esi != 0");
	/* By the other way. */
	snap->branches[1].from = BASE + 0x22;
	assert_int_equal(find_one(&(struct decision_code){.text = &text, .symbols = *state}, &func,
				  BASE + 0x30, snap, NULL, &decision),
			 0);
	assert_int_equal(decision.addr, BASE + 0x22);
	assert_string_equal(decision.condition, "%edi == 0");
	/* From a function that was called in between nothing is known. */
	snap->branches[1].from = BASE + 0x50;
	assert_int_equal(find_one(&(struct decision_code){.text = &text, .symbols = *state}, &func,
				  BASE + 0x30, snap, NULL, &decision),
			 -ENOENT);
	free(snap);
}

/* "if (extack) extack->msg = ...; return -EINVAL": that branch did not decide for the error. */
static void decision_both_sides_of_a_branch_rejoin(void **state)
{
	struct decision_code where = {.text = &text, .symbols = *state};
	struct snapshot *snap = calloc(1, sizeof(*snap));
	struct decision all[4];
	struct symbol func;

	assert_non_null(snap);
	assert_int_equal(symbols_by_name(*state, "", "rejoins", 0, &func), 0);
	snap->count = 2;
	snap->branches[0].from = BASE - 0x100;
	snap->branches[0].to = BASE + 0xc0;
	snap->branches[1].from = BASE + 0xc6;
	snap->branches[1].to = BASE + 0xca;
	assert_int_equal(decisions_find(&where, &func, BASE + 0xca, snap, NULL, all, 4), 1);
	assert_int_equal(all[0].addr, BASE + 0xc2);
	assert_false(all[0].taken);
	assert_string_equal(all[0].condition, "%edi != 0");
	/* By the text alone. */
	assert_int_equal(decisions_one_of(&where, &func, BASE + 0xca, NULL, all, 4), 1);
	assert_int_equal(all[0].addr, BASE + 0xc2);
	free(snap);
}

/* Two ways: one of two branches, or the one that the registers leave. */
static void decisions_one_of_ways_that_meet(void **state)
{
	struct decision_code where = {.text = &text, .symbols = *state};
	uint64_t regs[PTREG_COUNT] = {[PTREG_DI] = 1, [PTREG_SI] = 5};
	struct decision all[4];
	struct symbol func;

	assert_int_equal(symbols_by_name(*state, "", "two", 0, &func), 0);
	assert_int_equal(decisions_one_of(&where, &func, BASE + 0x30, NULL, all, 4), 2);
	assert_int_equal(all[0].addr, BASE + 0x22);
	assert_true(all[0].taken);
	assert_string_equal(all[0].condition, "%edi == 0");
	assert_int_equal(all[1].addr, BASE + 0x26);
	assert_true(all[1].taken);
	assert_string_equal(all[1].condition, "%esi != 0");
	assert_int_equal(decisions_one_of(&where, &func, BASE + 0x30,
					  &(struct why_state){.regs = regs}, all, 4),
			 1);
	assert_int_equal(all[0].addr, BASE + 0x26);
	assert_string_equal(all[0].values, "%esi = 5");
	/* One way; more than there is room for. */
	assert_int_equal(decisions_one_of(&where, &func, BASE + 0x28, NULL, all, 4), -ENOENT);
	assert_int_equal(decisions_one_of(&where, &func, BASE + 0x30, NULL, all, 1), -E2BIG);
	assert_false(all[0].behind);
	/* Branches behind an errno that is loaded early, each of which keeps it. */
	assert_int_equal(symbols_by_name(*state, "", "early_for_two", 0, &func), 0);
	assert_int_equal(decisions_one_of(&where, &func, BASE + 0xa4, NULL, all, 4), 2);
	assert_int_equal(all[0].addr, BASE + 0xab);
	assert_true(all[0].taken && all[0].behind);
	assert_string_equal(all[0].condition, "%edi < 0");
	assert_int_equal(all[1].addr, BASE + 0xaf);
	assert_true(all[1].taken && all[1].behind);
	assert_string_equal(all[1].condition, "%esi == 0");
}

/* The decisions before it, too; what happened before the function was called is none of them. */
static void decisions_earlier_ones_newest_first(void **state)
{
	struct decision_code where = {.text = &text, .symbols = *state};
	struct snapshot *snap = calloc(1, sizeof(*snap));
	struct decision all[4];
	struct symbol func;

	assert_non_null(snap);
	assert_int_equal(symbols_by_name(*state, "", "two", 0, &func), 0);
	snap->count = 1;
	snap->branches[0].from = BASE - 0x100;
	snap->branches[0].to = BASE + 0x20;
	assert_int_equal(decisions_find(&where, &func, BASE + 0x28, snap, NULL, all, 4), 2);
	assert_int_equal(all[0].addr, BASE + 0x26);
	assert_false(all[0].taken);
	assert_int_equal(all[1].addr, BASE + 0x22);
	assert_false(all[1].taken);
	assert_string_equal(all[1].condition, "%edi != 0");
	assert_int_equal(decisions_find(&where, &func, BASE + 0x28, snap, NULL, all, 1), 1);
	/* "if (!a || b)": had the first one gone the other way, the place had been reached, too. */
	snap->count = 2;
	snap->branches[1].from = BASE + 0x26;
	snap->branches[1].to = BASE + 0x30;
	assert_int_equal(decisions_find(&where, &func, BASE + 0x30, snap, NULL, all, 4), 1);
	assert_int_equal(all[0].addr, BASE + 0x26);
	assert_true(all[0].taken);
	/* By the text alone, where one way leads there. */
	assert_int_equal(decisions_find(&where, &func, BASE + 0x28, NULL, NULL, all, 4), 2);
	assert_int_equal(all[0].addr, BASE + 0x26);
	assert_false(all[0].taken);
	assert_string_equal(all[0].condition, "%esi == 0");
	assert_int_equal(all[1].addr, BASE + 0x22);
	free(snap);
}

static void decision_by_branches_passes_over_a_call(void **state)
{
	struct decision_code where = {.text = &text, .symbols = *state};
	struct snapshot *snap = calloc(1, sizeof(*snap));
	uint64_t regs[PTREG_COUNT] = {[PTREG_DI] = 5};
	struct decision decision;
	struct symbol func;

	assert_non_null(snap);
	assert_int_equal(symbols_by_name(*state, "", "four", 0, &func), 0);
	snap->count = 3;
	snap->branches[0].from = BASE - 0x100;
	snap->branches[0].to = BASE + 0x70;
	snap->branches[1].from = BASE + 0x74;
	snap->branches[1].to = BASE + 0x80;
	snap->branches[2].from = BASE + 0x80;
	snap->branches[2].to = BASE + 0x79;
	assert_int_equal(find_one(&where, &func, BASE + 0x79, snap, regs, &decision), 0);
	assert_int_equal(decision.addr, BASE + 0x72);
	assert_false(decision.taken);
	assert_string_equal(decision.condition, "%edi != 0");
	/* What was called may have changed it. */
	assert_string_equal(decision.values, "");
	/* The call is not in the record. */
	snap->branches[1].from = BASE - 0x200;
	assert_int_equal(find_one(&where, &func, BASE + 0x79, snap, regs, &decision), -ENOENT);
	free(snap);
}

/* An errno that is loaded in case: what decided comes behind it, and what comes before did not. */
static void decision_behind_an_errno_loaded_early(void **state)
{
	uint64_t regs[PTREG_COUNT] = {[PTREG_DI] = (uint64_t)-3};
	struct decision decision;

	assert_int_equal(decide(*state, "early", BASE + 0x90, regs, &decision), 0);
	assert_int_equal(decision.addr, BASE + 0x97);
	assert_false(decision.taken);
	assert_string_equal(decision.condition, "%edi < 0");
	assert_string_equal(decision.values, "%edi = -3");
	/* Two of them: the one or the other. */
	assert_int_equal(decide(*state, "early_for_two", BASE + 0xa4, regs, &decision), -ENOENT);
}

/*
 * anew:    00 test %edi,%edi  02 je 16  04 mov $-12,%ecx  09 test %rsi,%rsi  0c je 13
 *          0e mov $-12,%ecx  13 mov %ecx,%eax  15 ret  16 xor %eax,%eax  18 ret
 * at_once: 20 cmpb $49,(%rsi)  23 mov $-22,%eax  28 je 2b  2a ret  2b mov $-22,%eax  30 ret
 * calls:   40 test %edi,%edi  42 je 52  44 call anew  49 test %esi,%esi  4b je 52
 *          4d mov $-22,%eax  52 ret
 */
static const uint8_t loaded_twice[] =
	"\x85\xff\x74\x12\xb9\xf4\xff\xff\xff\x48\x85\xf6\x74\x05\xb9\xf4"
	"\xff\xff\xff\x89\xc8\xc3\x31\xc0\xc3\xcc\xcc\xcc\xcc\xcc\xcc\xcc"
	"\x80\x3e\x31\xb8\xea\xff\xff\xff\x74\x01\xc3\xb8\xea\xff\xff\xff"
	"\xc3\xcc\xcc\xcc\xcc\xcc\xcc\xcc\xcc\xcc\xcc\xcc\xcc\xcc\xcc\xcc"
	"\x85\xff\x74\x0e\xe8\xb7\xff\xff\xff\x85\xf6\x74\x05\xb8\xea\xff"
	"\xff\xff\xc3\xcc\xcc\xcc\xcc\xcc\xcc\xcc\xcc\xcc\xcc\xcc\xcc\xcc";

static const char loaded_twice_table[] = "ffffffff81000000 T anew\n"
					 "ffffffff81000020 T at_once\n"
					 "ffffffff81000040 T calls\n"
					 "ffffffff81000060 T further\n";

static int open_loaded_twice(void **state)
{
	return symbol_table_setup(state, loaded_twice_table);
}

/* Both sides of a branch fail with it: the one before decided, where there is one. */
static void decision_both_sides_of_a_branch_load_the_same_errno(void **state)
{
	static const struct text_bytes bytes = {BASE, loaded_twice, sizeof(loaded_twice) - 1};
	static const struct text_source twice = {.read = text_bytes_read, .ctx = (void *)&bytes};
	const struct decision_code where = {.text = &twice, .symbols = *state};
	struct decision all[4];
	struct symbol func;

	assert_int_equal(symbols_by_name(*state, "", "anew", 0, &func), 0);
	for (uint64_t site = BASE + 0x04; site <= BASE + 0x0e; site += 0x0a) {
		assert_int_equal(decisions_find(&where, &func, site, NULL, NULL, all, 4), 1);
		assert_int_equal(all[0].addr, BASE + 0x02);
		assert_false(all[0].taken);
		assert_string_equal(all[0].condition, "%edi != 0");
	}
	assert_int_equal(symbols_by_name(*state, "", "at_once", 0, &func), 0);
	assert_int_equal(decisions_find(&where, &func, BASE + 0x23, NULL, NULL, all, 4), 1);
	assert_int_equal(all[0].addr, BASE + 0x28);
	assert_string_equal(all[0].condition, "(%rsi) != 49");
	assert_int_equal(decisions_find(&where, &func, BASE + 0x2b, NULL, NULL, all, 4), -ENOENT);
}

/* The branches reach back into a function that was called: the text tells what was before it. */
static void decisions_text_goes_on_where_branches_end(void **state)
{
	static const struct text_bytes bytes = {BASE, loaded_twice, sizeof(loaded_twice) - 1};
	static const struct text_source source = {.read = text_bytes_read, .ctx = (void *)&bytes};
	const struct decision_code where = {.text = &source, .symbols = *state};
	const uint64_t regs[PTREG_COUNT] = {[PTREG_DI] = 7, [PTREG_SI] = 9};
	const struct why_state known = {.regs = regs};
	struct snapshot *snap = calloc(1, sizeof(*snap));
	struct decision all[4];
	struct symbol func;

	assert_non_null(snap);
	assert_int_equal(symbols_by_name(*state, "", "calls", 0, &func), 0);
	snap->count = 1;
	snap->branches[0].from = BASE + 0x15;
	snap->branches[0].to = BASE + 0x49;
	assert_int_equal(decisions_find(&where, &func, BASE + 0x4d, snap, &known, all, 4), 2);
	assert_int_equal(all[0].addr, BASE + 0x4b);
	assert_false(all[0].taken);
	assert_string_equal(all[0].values, "%esi = 9");
	assert_int_equal(all[1].addr, BASE + 0x42);
	assert_false(all[1].taken);
	/* The call may have changed it. */
	assert_string_equal(all[1].values, "");
	/* An interrupt came back there: the text tells nothing. */
	snap->branches[0].to = BASE + 0x4b;
	assert_int_equal(decisions_find(&where, &func, BASE + 0x4d, snap, &known, all, 4), 1);
	free(snap);
}

static void decision_register_overwritten_since_has_no_value(void **state)
{
	uint64_t regs[PTREG_COUNT] = {[PTREG_DI] = 5};
	struct decision decision;

	assert_int_equal(decide(*state, "three", BASE + 0x47, regs, &decision), 0);
	assert_int_equal(decision.addr, BASE + 0x43);
	assert_false(decision.taken);
	assert_string_equal(decision.condition, "%rdi == 0");
	assert_string_equal(decision.values, "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(failure_same_compares_strings_not_numbers),
		cmocka_unit_test(failure_alike_is_in_the_same_directory),
		cmocka_unit_test(failures_log_lines_go_to_their_call),
		cmocka_unit_test(failures_functions_newest_first_each_once),
		cmocka_unit_test(failures_hits_go_to_their_call_newest_first),
		cmocka_unit_test(failures_many_are_taken_in_no_time),
		cmocka_unit_test(failures_events_of_two_cpus_are_sorted),
		cmocka_unit_test(may_load_errno_each_form),
		cmocka_unit_test(may_load_errno_at_any_place),
		cmocka_unit_test(may_load_errno_misses_nothing_that_is_decoded),
		cmocka_unit_test_setup_teardown(candidates_are_functions_and_those_of_cold_parts,
						open_table, symbol_table_teardown),
		cmocka_unit_test_setup_teardown(
			candidates_a_call_at_the_entry_need_not_be_the_tracers, open_entries,
			symbol_table_teardown),
		cmocka_unit_test_setup_teardown(candidates_of_the_arming_itself_are_not_watched,
						open_entries_of_arming, symbol_table_teardown),
		cmocka_unit_test_setup_teardown(decision_one_way_condition_and_value, open_table,
						symbol_table_teardown),
		cmocka_unit_test_setup_teardown(decision_two_ways_meet_is_not_told, open_table,
						symbol_table_teardown),
		cmocka_unit_test_setup_teardown(decision_two_ways_meet_branches_tell, open_table,
						symbol_table_teardown),
		cmocka_unit_test_setup_teardown(decision_behind_an_errno_loaded_early, open_table,
						symbol_table_teardown),
		cmocka_unit_test_setup_teardown(decision_both_sides_of_a_branch_load_the_same_errno,
						open_loaded_twice, symbol_table_teardown),
		cmocka_unit_test_setup_teardown(decisions_text_goes_on_where_branches_end,
						open_loaded_twice, symbol_table_teardown),
		cmocka_unit_test_setup_teardown(decision_both_sides_of_a_branch_rejoin, open_table,
						symbol_table_teardown),
		cmocka_unit_test_setup_teardown(decisions_one_of_ways_that_meet, open_table,
						symbol_table_teardown),
		cmocka_unit_test_setup_teardown(decisions_earlier_ones_newest_first, open_table,
						symbol_table_teardown),
		cmocka_unit_test_setup_teardown(decision_by_branches_passes_over_a_call, open_table,
						symbol_table_teardown),
		cmocka_unit_test_setup_teardown(decision_register_overwritten_since_has_no_value,
						open_table, symbol_table_teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
