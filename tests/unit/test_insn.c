// SPDX-License-Identifier: GPL-2.0
/* Bytes from GNU as, expected values from objdump and the SDM's opcode map. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <errno.h>

#include <cmocka.h>

#include "disasm/insn.h"
#include "util/cleanup.h"

#define BASE 0xffffffff81000000ULL

/* A branch instruction and what it is. */
struct sample {
	const char *bytes;
	size_t len;
	enum insn_class class;
	uint64_t target;
	const char *text;
};

#define BYTES(s) s, sizeof(s) - 1

static const struct sample samples[] = {
	{BYTES("\x78\x67"), INSN_COND, BASE + 0x69, "js 0xffffffff81000069"},
	{BYTES("\x0f\x8d\x77\xff\xff\xff"), INSN_COND, BASE - 0x83, "jge 0xffffffff80ffff7d"},
	{BYTES("\xe3\xa0"), INSN_COND, BASE - 0x5e, "jrcxz 0xffffffff80ffffa2"},
	{BYTES("\xe2\x9e"), INSN_COND, BASE - 0x60, "loop 0xffffffff80ffffa0"},
	{BYTES("\xeb\xb8"), INSN_JMP, BASE - 0x46, "jmp 0xffffffff80ffffba"},
	{BYTES("\xe8\xba\xff\xff\xff"), INSN_CALL, BASE - 0x41, "call 0xffffffff80ffffbf"},
	{BYTES("\xff\xe0"), INSN_IJMP, 0, "jmp *%rax"},
	{BYTES("\xff\x50\x10"), INSN_ICALL, 0, "call *0x10(%rax)"},
	{BYTES("\xc3"), INSN_RET, 0, "ret"},
	{BYTES("\xcc"), INSN_INT, 0, "int3"},
	{BYTES("\xcd\x80"), INSN_INT, 0, "int $0x80"},
	{BYTES("\x0f\x05"), INSN_SYSCALL, 0, "syscall"},
	{BYTES("\x48\x0f\x07"), INSN_SYSRET, 0, NULL},
	{BYTES("\x48\xcf"), INSN_IRET, 0, "iretq"},
	{BYTES("\xf3\x0f\x01\xca"), INSN_IRET, 0, "eretu"},
	{BYTES("\xf2\x0f\x01\xca"), INSN_IRET, 0, "erets"},
	{BYTES("\x0f\x01\xc6"), INSN_OTHER, 0, "wrmsrns"},
	{BYTES("\xf4"), INSN_HLT, 0, "hlt"},
	{BYTES("\x0f\x0b"), INSN_UD, 0, "ud2"},
	{BYTES("\xff\x18"), INSN_FAR, 0, NULL},
	{BYTES("\x48\xcb"), INSN_FAR, 0, NULL},
	{BYTES("\x85\xc0"), INSN_OTHER, 0, "test %eax,%eax"},
	{BYTES("\xf3\xa4"), INSN_OTHER, 0, NULL},
	{BYTES("\xf3\x0f\x1e\xfa"), INSN_OTHER, 0, "endbr64"},
	{BYTES("\xb8\xea\xff\xff\xff"), INSN_OTHER, 0, "mov $0xffffffea,%eax"},
};

static void insn_decode_each_class_and_target(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(samples); i++) {
		const struct sample *s = &samples[i];
		char text[INSN_TEXT_MAX];
		struct insn in;

		assert_int_equal(insn_decode(s->bytes, s->len, BASE, &in), 0);
		assert_int_equal(in.len, s->len);
		assert_int_equal(in.addr, BASE);
		assert_int_equal(in.class, s->class);
		assert_int_equal(in.has_target, s->target != 0);
		if (s->target)
			assert_true(in.target == s->target);
		assert_int_equal(insn_format(s->bytes, s->len, BASE, INSN_ATT, NULL, NULL, text,
					     sizeof(text)),
				 0);
		if (s->text)
			assert_string_equal(text, s->text);
	}
}

static void insn_decode_errno_constants_found(void **state)
{
	static const struct {
		const char *bytes;
		size_t len;
		int err;
		int reg;
		unsigned int flags;
	} cases[] = {
		{BYTES("\xb8\xea\xff\xff\xff"), 22, 0, 0},		       /* mov $-22,%eax */
		{BYTES("\x48\xc7\xc0\xfe\xff\xff\xff"), 2, 0, 0},	       /* mov $-2,%rax */
		{BYTES("\x49\xb8\xf4\xff\xff\xff\xff\xff\xff\xff"), 12, 8, 0}, /* movabs,%r8 */
		{BYTES("\x83\xc8\xff"), 1, 0, INSN_F_ERR_MAYBE},	       /* or $-1,%eax */
		{BYTES("\xc7\x44\x24\x10\xfb\xff\xff\xff"), 5, INSN_NO_REG, INSN_F_ERR_MEM},
		{BYTES("\x83\xe0\xea"), 22, 0, INSN_F_ERR_MAYBE | INSN_F_ERR_MASK},
		{BYTES("\xb8\x00\xf0\xff\xff"), 0, INSN_NO_REG, 0}, /* mov $-4096,%eax */
		{BYTES("\xb8\x16\x00\x00\x00"), 0, INSN_NO_REG, 0}, /* mov $22,%eax */
		{BYTES("\x83\xc8\xfe"), 0, INSN_NO_REG, 0},	    /* or $-2,%eax */
		{BYTES("\xb0\xea"), 0, INSN_NO_REG, 0},		    /* mov $-22,%al */
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct insn in;

		assert_int_equal(insn_decode(cases[i].bytes, cases[i].len, BASE, &in), 0);
		assert_int_equal(in.err, cases[i].err);
		assert_int_equal(in.err_reg, cases[i].reg);
		assert_int_equal(in.flags, cases[i].flags);
	}
}

static void insn_makes_errno_mask_needs_all_ones_before(void **state)
{
	/* all ones or zero; not %eax, or nothing, between; and $-22,%eax or %rax */
	static const struct {
		const char *first, *between, *and;
		bool made;
	} cases[] = {
		{"\x19\xc0", NULL, "\x83\xe0\xea", true},	       /* sbb %eax,%eax */
		{"\x19\xc9", NULL, "\x83\xe0\xea", false},	       /* sbb %ecx,%ecx */
		{"\xc1\xf8\x1f", NULL, "\x83\xe0\xea", true},	       /* sar $31,%eax */
		{"\x48\xc1\xf8\x3f", NULL, "\x48\x83\xe0\xea", true},  /* sar $63,%rax */
		{"\x48\xc1\xf8\x1f", NULL, "\x48\x83\xe0\xea", false}, /* sar $31,%rax */
		{"\xc1\xf8\x1e", NULL, "\x83\xe0\xea", false},	       /* sar $30,%eax */
		{"\xc1\xe8\x1f", NULL, "\x83\xe0\xea", false},	       /* shr $31,%eax */
		{"\x19\xc0", "\xf7\xd0", "\x83\xe0\xea", true},
		{"\xc1\xf8\x1f", "\xf7\xd0", "\x83\xe0\xea", true},
		{"\x19\xc9", "\xf7\xd0", "\x83\xe0\xea", false},
		{"\x19\xc0", "\xf7\xd1", "\x83\xe0\xea", false}, /* not %ecx */
		{"\x89\xf8", "\xf7\xd0", "\x83\xe0\xea", false}, /* mov %edi,%eax */
	};
	struct insn sbb, other, and;

	(void)state;
	assert_int_equal(insn_decode("\x19\xc0", 2, BASE, &sbb), 0);	 /* sbb %eax,%eax */
	assert_int_equal(insn_decode("\x19\xc9", 2, BASE, &other), 0);	 /* sbb %ecx,%ecx */
	assert_int_equal(insn_decode("\x83\xe0\xea", 3, BASE, &and), 0); /* and $-22,%eax */
	assert_true(insn_makes_errno(&and, &sbb, NULL));
	assert_true(insn_makes_errno(&and, &sbb, &other));
	assert_false(insn_makes_errno(&and, &other, &sbb));
	assert_false(insn_makes_errno(&and, NULL, NULL));
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct insn first, between;

		assert_int_equal(insn_decode(cases[i].first, 4, BASE, &first), 0);
		assert_int_equal(insn_decode(cases[i].and, 4, BASE, &and), 0);
		if (cases[i].between)
			assert_int_equal(insn_decode(cases[i].between, 2, BASE, &between), 0);
		if (insn_makes_errno(&and, cases[i].between ? &between : &first,
				     cases[i].between ? &first : NULL) != cases[i].made)
			fail_msg("case %zu", i);
	}
}

static void insn_decode_cut_or_bad_bytes_refused(void **state)
{
	struct insn in = {.len = 99};
	char text[INSN_TEXT_MAX];

	(void)state;
	assert_int_equal(insn_decode("\xe8\xba\xff", 3, BASE, &in), -ENODATA);
	assert_int_equal(insn_decode("", 0, BASE, &in), -ENODATA);
	assert_int_equal(insn_decode("\x06", 1, BASE, &in), -EILSEQ); /* push %es: not in 64 bit */
	assert_int_equal(in.len, 99);
	assert_int_equal(insn_format("\x06", 1, BASE, INSN_ATT, NULL, NULL, text, sizeof(text)),
			 -EILSEQ);
	assert_string_equal(text, "(bad)");
}

static bool name_f(void *ctx, uint64_t addr, char *buf, size_t len)
{
	(void)ctx;
	snprintf(buf, len, "f+0x%x", (unsigned int)(addr - BASE));
	return true;
}

static void insn_format_target_named(void **state)
{
	char text[INSN_TEXT_MAX], small[8];

	(void)state;
	insn_format("\x78\x67", 2, BASE, INSN_ATT, name_f, NULL, text, sizeof(text));
	assert_string_equal(text, "js f+0x69");
	insn_format("\x78\x67", 2, BASE, INSN_ATT, name_f, NULL, small, sizeof(small));
	assert_true(strlen(small) < sizeof(small));
	insn_format("\xb8\xea\xff\xff\xff", 5, BASE, INSN_INTEL, NULL, NULL, text, sizeof(text));
	assert_string_equal(text, "mov eax,0xffffffea");
}

static void insn_condition_in_words(void **state)
{
	static const struct {
		const char *setter;
		size_t setter_len;
		const char *branch;
		size_t branch_len;
		bool taken;
		const char *words;
	} cases[] = {
		{BYTES("\x85\xc0"), BYTES("\x78\x67"), true, "%eax < 0"},
		{BYTES("\x85\xc0"), BYTES("\x78\x67"), false, "%eax >= 0"},
		{BYTES("\x83\xff\x05"), BYTES("\x77\x62"), true, "%edi > 5 (unsigned)"},
		{BYTES("\x83\xff\x05"), BYTES("\x77\x62"), false, "%edi <= 5 (unsigned)"},
		{BYTES("\xf6\x40\x10\x40"), BYTES("\x74\x98"), true, "(0x10(%rax) & 64) == 0"},
		{BYTES("\x0f\xba\xe0\x03"), BYTES("\x72\x92"), true, "bit 3 of %eax is set"},
		{BYTES("\x0f\xba\xe0\x03"), BYTES("\x72\x92"), false, "bit 3 of %eax is clear"},
		{BYTES("\x48\x39\xf7"), BYTES("\x0f\x8d\x77\xff\xff\xff"), true, "%rdi >= %rsi"},
		{BYTES("\xff\xc9"), BYTES("\x75\x00"), false, "%ecx == 0"},
		{BYTES("\xf0\x0f\xb1\x0f"), BYTES("\x75\x8c"), true,
		 "compare-and-exchange of (%rdi) failed"},
		/* as wide, and as signed, as what it is compared with */
		{BYTES("\x3c\xf0"), BYTES("\x77\x10"), true, "%al > 240 (unsigned)"},
		{BYTES("\x3c\xf0"), BYTES("\x7f\x10"), true, "%al > -16"},
		{BYTES("\x66\x83\xf8\xff"), BYTES("\x74\x10"), true, "%ax == 0xffff"},
		{BYTES("\x66\x81\xf9\x00\x80"), BYTES("\x76\x10"), true,
		 "%cx <= 0x8000 (unsigned)"},
		{BYTES("\x48\x83\xf8\xfe"), BYTES("\x77\x10"), true,
		 "%rax > 0xfffffffffffffffe (unsigned)"},
		{BYTES("\x83\xf8\xfe"), BYTES("\x77\x10"), false, "%eax <= 0xfffffffe (unsigned)"},
		{BYTES("\x83\xf8\xf5"), BYTES("\x74\x10"), true, "%eax == -11"},
		{BYTES("\xa8\x80"), BYTES("\x75\x10"), true, "(%al & 128) != 0"},
		{BYTES("\xa8\x80"), BYTES("\x78\x10"), true, "(%al & 128) != 0"},
		{BYTES("\xa9\x00\x00\x00\x80"), BYTES("\x79\x10"), true,
		 "(%eax & 0x80000000) == 0"},
		/* after TEST there is no overflow: JL and JNL ask as JS and JNS do */
		{BYTES("\xa8\x80"), BYTES("\x7c\x10"), true, "(%al & 128) != 0"},
		{BYTES("\xa8\x80"), BYTES("\x7d\x10"), true, "(%al & 128) == 0"},
		{BYTES("\xa9\x00\x00\x00\x80"), BYTES("\x7d\x10"), false,
		 "(%eax & 0x80000000) != 0"},
		{BYTES("\xa9\xfe\xff\xff\xff"), BYTES("\x75\x10"), true, "(%eax & ~1) != 0"},
		/* lock btsq $1,(%rdi): it is set now, whatever it was */
		{BYTES("\xf0\x48\x0f\xba\x2f\x01"), BYTES("\x73\x10"), true,
		 "bit 1 of (%rdi) was clear"},
		{BYTES("\x0f\xba\xf0\x03"), BYTES("\x72\x10"), true, "bit 3 of %eax was set"},
		/*
		 * decl %gs:0x1000(%rip), cmpl $0,0x200(%rip): the same place as in the instruction.
		 * A bare address would read as a number: "%eax >= 0xffffffff81000206" of an %eax of
		 * 2
		 */
		{BYTES("\x65\xff\x0d\x00\x10\x00\x00"), BYTES("\x75\x10"), false,
		 "%gs:0xffffffff81001007 == 0"},
		{BYTES("\x83\x3d\x00\x02\x00\x00\x00"), BYTES("\x74\x10"), true,
		 "(0xffffffff81000207) == 0"},
		/* cmp 0x200(%rip),%eax: nr_cpu_ids, of sched_setaffinity(2) */
		{BYTES("\x3b\x05\x00\x02\x00\x00"), BYTES("\x73\x10"), true,
		 "%eax >= (0xffffffff81000206) (unsigned)"},
		/* cmp $0xffffffff81000206,%rax: that is a number */
		{BYTES("\x48\x3d\x06\x02\x00\x81"), BYTES("\x74\x10"), true,
		 "%rax == 0xffffffff81000206"},
	};
	char words[128];

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		assert_int_equal(insn_condition(cases[i].setter, cases[i].setter_len, BASE,
						cases[i].branch, cases[i].branch_len,
						cases[i].taken, words, sizeof(words)),
				 0);
		assert_string_equal(words, cases[i].words);
	}
	assert_int_equal(insn_condition(NULL, 0, 0, "\x78\x67", 2, true, words, sizeof(words)),
			 -ENOENT);
	assert_string_equal(words, "");
	/* test $0x80,%al; jle: always taken */
	assert_int_equal(
		insn_condition("\xa8\x80", 2, BASE, "\x7e\x10", 2, true, words, sizeof(words)),
		-ENOENT);
}

static void insn_register_write_follows_constants(void **state)
{
	uint64_t value = 0;
	uint8_t from = 99;

	(void)state;
	assert_int_equal(insn_register_write("\xb9\xd9\x01\x00\x00", 5, 1, &value, &from),
			 INSN_SETS); /* mov $0x1d9,%ecx */
	assert_true(value == 0x1d9);
	assert_int_equal(insn_register_write("\x89\xf9", 2, 1, &value, &from), INSN_COPIES);
	assert_int_equal(from, 7); /* mov %edi,%ecx */
	assert_int_equal(insn_register_write("\x89\xf9", 2, 7, &value, &from), INSN_KEEPS);
	assert_int_equal(insn_register_write("\x31\xc9", 2, 1, &value, &from), INSN_SETS);
	assert_true(value == 0);
	assert_int_equal(insn_register_write("\x59", 1, 1, &value, &from), INSN_CLOBBERS);
	assert_int_equal(insn_register_write("\x0f\xa2", 2, 1, &value, &from), INSN_CLOBBERS);
}

static void insn_register_read_all_but_tests_and_zeroing(void **state)
{
	(void)state;
	assert_true(insn_register_read("\x89\xd8", 2, 3)); /* mov %ebx,%eax */
	assert_false(insn_register_read("\x89\xd8", 2, 0));
	assert_true(insn_register_read("\x8b\x03", 2, 3));     /* mov (%rbx),%eax */
	assert_true(insn_register_read("\x8b\x04\x9f", 3, 3)); /* mov (%rdi,%rbx,4),%eax */
	assert_true(insn_register_read("\x53", 1, 3));	       /* push %rbx */
	assert_true(insn_register_read("\x0f\x44\xd8", 3, 3)); /* cmove %eax,%ebx: may keep it */
	assert_false(insn_register_read("\x85\xdb", 2, 3));    /* test %ebx,%ebx */
	assert_false(insn_register_read("\x31\xdb", 2, 3));    /* xor %ebx,%ebx */
	assert_true(insn_register_read("\x31\xc3", 2, 3));     /* xor %eax,%ebx */
	assert_true(insn_register_read("\x06", 1, 3));	       /* (bad) */
	assert_true(insn_is_pop("\x5b", 1));		       /* pop %rbx */
	assert_true(insn_is_pop("\xc9", 1));		       /* leave */
	assert_false(insn_is_pop("\x53", 1));
}

/* With itself, or with a constant: what it tells of the register is known if the register is. */
static void insn_register_tested_alone(void **state)
{
	(void)state;
	assert_true(insn_register_tested("\x85\xdb", 2, 3));	 /* test %ebx,%ebx */
	assert_true(insn_register_tested("\x83\xfb\xea", 3, 3)); /* cmp $-22,%ebx */
	assert_false(insn_register_tested("\x85\xdb", 2, 0));
	assert_false(insn_register_tested("\x39\xc3", 2, 3));	  /* cmp %eax,%ebx */
	assert_false(insn_register_tested("\x3b\x18", 2, 3));	  /* cmp (%rax),%ebx */
	assert_false(insn_register_tested("\x83\x3b\x00", 3, 3)); /* cmpl $0,(%rbx) */
	assert_false(insn_register_tested("\x83\xeb\x01", 3, 3)); /* sub $1,%ebx */
	assert_false(insn_register_tested("\x06", 1, 3));	  /* (bad) */
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(insn_decode_each_class_and_target),
		cmocka_unit_test(insn_decode_errno_constants_found),
		cmocka_unit_test(insn_makes_errno_mask_needs_all_ones_before),
		cmocka_unit_test(insn_decode_cut_or_bad_bytes_refused),
		cmocka_unit_test(insn_format_target_named),
		cmocka_unit_test(insn_condition_in_words),
		cmocka_unit_test(insn_register_write_follows_constants),
		cmocka_unit_test(insn_register_read_all_but_tests_and_zeroing),
		cmocka_unit_test(insn_register_tested_alone),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
