// SPDX-License-Identifier: GPL-2.0
/* Output of rdmsr: msr-tools 1.3 of Debian 12, its --help and the formats in its binary. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <errno.h>

#include <cmocka.h>

#include "decode/dump.h"
#include "util/cleanup.h"

static struct dump dump;
static struct notes notes;

static int teardown(void **state)
{
	dump_deinit(&dump);
	notes_deinit(&notes);
	return 0;
}

static int parse(const char *text)
{
	teardown(NULL);
	return dump_parse(text, strlen(text), DUMP_FORM_AUTO, NULL, &dump, &notes);
}

static void expect(size_t i, uint32_t cpu, uint32_t msr, uint64_t value)
{
	assert_true(i < dump.count);
	assert_int_equal(dump.records[i].cpu, cpu);
	assert_int_equal(dump.records[i].msr, msr);
	assert_int_equal(dump.records[i].value, value);
}

static void expect_note(const char *text)
{
	for (size_t i = 0; i < notes.count; i++) {
		if (strstr(notes.items[i].text, text))
			return;
	}
	fail_msg("no note says \"%s\"; the first of %zu: %s", text, notes.count,
		 notes.count ? notes.items[0].text : "");
}

#define VALUE UINT64_C(0xffffffff81000010)

static void dump_parse_text_every_spelling_of_a_pair(void **state)
{
	static const char *const spellings[] = {
		"MSR 0x680: 0xffffffff81000010",
		"680 = ffffffff81000010",
		"680H = FFFFFFFF81000010H",
		"0x680 0xffffffff81000010",
		"680: ffffffff`81000010",
		"msr[680] = ffffffff_81000010",
		"MSR(0x680)=0xffffffff:0x81000010",
		"  rdmsr(0x680) -> 0xffffffff81000010  \r",
		"MSR_LASTBRANCH_0_FROM_IP (0x680): 0xffffffff81000010",
		"MSR_LASTBRANCH_0_FROM_IP 680H | ffffffff81000010",
		"value of MSR at 0x680 is 0xffffffff81000010",
		"msr 0x680 value 0xffffffff81000010 # newest?",
		"[   12.345678] MSR 0x680: 0xffffffff81000010",
		"MSR 0x680: 0xffffffff81000010 (vfs_open+0x10)",
		"CPU 0: MSR 0x680: 0xffffffff81000010",
		"msr=0x680 value=0xffffffff81000010",
		"MSR 0x680: edx=0xffffffff eax=0x81000010",
		"rdmsr(0x680): EAX=81000010h, EDX=ffffffffh",
		"680: hi: 0xffffffff lo: 0x81000010",
		"msr(0x680) = 0xFFFFFFFF81000010L",
		"0x680 = 0xffffffff81000010ULL, newest",
		"(XEN) MSR 00000680: ffffffff81000010",
		"(XEN) [2026-11-21 15:13:04] CPU0: MSR 680: ffffffff81000010",
		"Nov 21 15:13:04 host kernel: MSR 0x680: 0xffffffff81000010",
		"Nov 21 15:13:04 host kernel: [   12.345678] MSR 0x680: 0xffffffff81000010",
		" cat-99 [000] d..1.    12.345678: read_msr: 680, value ffffffff81000010",
		" cat    99 [000]    12.345678: msr:read_msr: 680, value ffffffff81000010",
		"[   12.345678][   T99] MSR 0x680: 0xffffffff81000010",
		"[   12.345678][    C3] CPU 0: MSR 0x680: 0xffffffff81000010",
		"<6>[   12.345678] MSR 0x680: 0xffffffff81000010",
		"[Sat Nov 21 15:13:04 2026] MSR 0x680: 0xffffffff81000010",
		"0: kd> rdmsr 680\nmsr[680] = ffffffff`81000010",
		"lkd> rdmsr 680\nmsr[680] = ffffffff`81000010",
		"kd> rdmsr 0x680\nmsr[680] = ffffffff`81000010",
	};

	for (size_t i = 0; i < ARRAY_SIZE(spellings); i++) {
		assert_int_equal(parse(spellings[i]), 0);
		assert_int_equal(dump.count, 1);
		assert_int_equal(notes.count, 0);
		expect(0, 0, 0x680, VALUE);
	}
}

static void dump_parse_text_every_spelling_of_a_cpu(void **state)
{
	static const char *const spellings[] = {
		"CPU 3: MSR 0x680 0xffffffff81000010",
		"cpu3 680=ffffffff81000010",
		"[cpu 3] 0x680: 0xffffffff81000010",
		"Core #3, MSR 680H: 0xffffffff81000010",
		"CPU 3:\nMSR 0x680: 0xffffffff81000010",
		"[CPU3]\n680 = ffffffff81000010",
		"vcpu=3 680 ffffffff81000010",
		"  kworker/3:1-99  [003] d..1.   1.500000: read_msr: 680, value ffffffff81000010",
		"3: kd> rdmsr 680\nmsr[680] = ffffffff`81000010",
	};

	for (size_t i = 0; i < ARRAY_SIZE(spellings); i++) {
		assert_int_equal(parse(spellings[i]), 0);
		assert_int_equal(dump.count, 1);
		assert_int_equal(notes.count, 0);
		expect(0, 3, 0x680, VALUE);
	}
}

static void dump_parse_text_cpu_line_holds_until_the_next(void **state)
{
	assert_int_equal(parse("680 = 1\nCPU 7:\n680 = 2\n681 = 3\nCPU 1:\n680 = 4\n"), 0);
	expect(0, 0, 0x680, 1);
	expect(1, 1, 0x680, 4);
	expect(2, 7, 0x680, 2);
	expect(3, 7, 0x681, 3);
}

static void dump_parse_text_several_pairs_in_a_line(void **state)
{
	static const char *const lines[] = {
		"680=1 6c0=2 1c9=3",
		"0x680: 0x1, 0x6c0: 0x2, 0x1c9: 0x3",
		"MSR 680 1; MSR 6c0 2; MSR 1c9 3",
		"CPU 5: 680 = 1 | 6c0 = 2 | 1c9 = 3 # all of them",
		"msr=680 value=1, msr=6c0 value=2, msr=1c9 value=3 (done)",
		"680: edx=0 eax=1 6c0: edx=0 eax=2 1c9: edx=0 eax=3",
	};

	for (size_t i = 0; i < ARRAY_SIZE(lines); i++) {
		uint32_t cpu = lines[i][0] == 'C' ? 5 : 0;

		assert_int_equal(parse(lines[i]), 0);
		assert_int_equal(notes.count, 0);
		assert_int_equal(dump.count, 3);
		expect(0, cpu, 0x1c9, 3);
		expect(1, cpu, 0x680, 1);
		expect(2, cpu, 0x6c0, 2);
	}
}

/* Numbers left over may be halves, or more registers: the line is left out, and not its rest */
static void dump_parse_text_a_number_too_many_is_left_out(void **state)
{
	static const char *const lines[] = {
		"MSR 680: 81000010, ffffffff",
		"MSR 680, 0x81000010, 0x1",
		"680: 1, 2",
		"680 = 1 6c0",
		"680 = 1 6c0 = x",
		"680: edx=1 edx=2",
		"680: eax=1",
		"680: edx=100000000 eax=1",
		"CPU 0: 680 = 1 CPU 1: 680 = 2",
	};

	for (size_t i = 0; i < ARRAY_SIZE(lines); i++) {
		assert_int_equal(parse(lines[i]), -ENODATA);
		expect_note("not understood, left out");
	}
}

static void dump_parse_text_fault_of_read_msr_is_no_value(void **state)
{
	assert_int_equal(parse("x-1 [001] d..1. 1.5: read_msr: 680, value 0 #GP\n"
			       "x-1 [001] d..1. 1.5: read_msr: 6c0, value 0\n"),
			 0);
	assert_int_equal(dump.count, 1);
	expect(0, 1, 0x6c0, 0);
	expect_note("could not read this register");
	assert_int_equal(notes.items[0].line, 1);
}

static void dump_parse_text_nonsense_is_left_out_with_its_line(void **state)
{
	static const char *const bad[] = {"hello",     "MSR 0x680",	"MSR 0x680: 0xzz",
					  "680 =",     "680 = 1 2",	"680 = 11112222333344445",
					  "MSR: 0x12", "100000680 = 1", "680ffff= = 1x",
					  "= 1",       "CPU x: y"};

	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		char text[128];

		snprintf(text, sizeof(text), "681 = 1\n%s\n", bad[i]);
		assert_int_equal(parse(text), 0);
		assert_int_equal(dump.count, 1);
		assert_int_equal(notes.count, 1);
		assert_int_equal(notes.items[0].line, 2);
		expect_note("not understood, left out");
	}
}

static void dump_parse_text_rdmsr_one_cpu(void **state)
{
	assert_int_equal(parse("# rdmsr 0x680\nffffffff81000010\n# rdmsr -p 3 0x1c9\n1f\n"), 0);
	assert_int_equal(dump.count, 2);
	assert_int_equal(notes.count, 0);
	expect(0, 0, 0x680, VALUE);
	expect(1, 3, 0x1c9, 0x1f);
}

static void dump_parse_text_rdmsr_all_cpus(void **state)
{
	assert_int_equal(parse("$ sudo rdmsr -a 0x680\nffffffff81000010\n0\n17\n"
			       "root@h:/# rdmsr --all 0x6c0\n1\n2\n3\n"),
			 0);
	assert_int_equal(dump.count, 6);
	assert_int_equal(notes.count, 0);
	expect(0, 0, 0x680, VALUE);
	expect(2, 1, 0x680, 0);
	expect(4, 2, 0x680, 0x17);
	expect(5, 2, 0x6c0, 3);
}

static void dump_parse_text_rdmsr_output_formats(void **state)
{
	static const char *const sessions[] = {
		"# rdmsr -x 0x680\nffffffff81000010\n",
		"# rdmsr -X 0x680\nFFFFFFFF81000010\n",
		"# rdmsr -c 0x680\n0xffffffff81000010\n",
		"# rdmsr -0c 0x680\n0xffffffff81000010\n",
		"# rdmsr -d 0x680\n-2130706416\n",
		"# rdmsr --decimal 1664\n-2130706416\n",
		"# rdmsr -u 0x680\n18446744071578845200\n",
		"# rdmsr -cu 0x680\n18446744071578845200U\n",
		"# rdmsr -o 0x680\n1777777777760100000020\n",
		"# rdmsr --octal --c-language 0x680\n01777777777760100000020\n",
		"# rdmsr -p0 0x680\nffffffff81000010\n",
		"# rdmsr --processor=0 0x680\nffffffff81000010\n",
		"# rdmsr --processor 0 03200\nffffffff81000010\n",
	};

	for (size_t i = 0; i < ARRAY_SIZE(sessions); i++) {
		assert_int_equal(parse(sessions[i]), 0);
		assert_int_equal(dump.count, 1);
		assert_int_equal(notes.count, 0);
		expect(0, 0, 0x680, VALUE);
	}
}

static void dump_parse_text_rdmsr_number_without_0x_is_decimal(void **state)
{
	assert_int_equal(parse("# rdmsr 680\n12\n"), 0);
	expect(0, 0, 680, 0x12);
}

static void dump_parse_text_rdmsr_several_in_a_line(void **state)
{
	assert_int_equal(parse("# rdmsr 0x680; rdmsr -p 1 0x6c0\n12\n34\n"), 0);
	assert_int_equal(dump.count, 2);
	expect(0, 0, 0x680, 0x12);
	expect(1, 1, 0x6c0, 0x34);
	assert_int_equal(parse("1 = 1\n# rdmsr -a 0x680; rdmsr -a 0x6c0\n12\n34\n"), 0);
	assert_int_equal(dump.count, 1);
	expect_note("which line is whose");
}

static void dump_parse_text_rdmsr_of_a_shell_variable_is_left_out(void **state)
{
	assert_int_equal(parse("1 = 1\n# rdmsr $i\n12\n"), 0);
	assert_int_equal(dump.count, 1);
	expect_note("its output is left out");
	assert_int_equal(parse("1 = 1\n# rdmsr 0x680 -cp"), 0); /* found by fuzzing */
	assert_int_equal(dump.count, 1);
	assert_int_equal(parse("1 = 1\n# rdmsr -f 15:0 0x680\n12\n"), 0);
	assert_int_equal(dump.count, 1);
	assert_int_equal(parse("1 = 1\n# rdmsr -p $c 0x680\n12\n"), 0);
	assert_int_equal(dump.count, 1);
}

static void dump_parse_text_rdmsr_failure_takes_its_turn(void **state)
{
	assert_int_equal(parse("# rdmsr 0x680\nrdmsr: CPU 0 cannot read MSR 0x00000680\n"
			       "# rdmsr 0x6c0\n7\n"),
			 0);
	assert_int_equal(dump.count, 1);
	expect(0, 0, 0x6c0, 7);
	expect_note("rdmsr could not read");
}

static void dump_parse_text_value_without_register_is_said(void **state)
{
	assert_int_equal(parse("ffffffff81000010\n680 = 1\n"), 0);
	assert_int_equal(dump.count, 1);
	expect_note("a value without a register");
}

static void dump_parse_text_cpuinfo_names_the_model(void **state)
{
	assert_int_equal(parse("processor\t: 3\nvendor_id\t: AuthenticAMD\ncpu family\t: 25\n"
			       "model\t\t: 97\nmodel name\t: AMD Ryzen 9 7950X\nstepping\t: 2\n"
			       "cpu MHz\t\t: 4500.000\ncpu cores\t: 16\nflags\t\t: fpu vme\n\n"
			       "c0010300 = 1\n"),
			 0);
	assert_string_equal(dump.model->name, "zen4");
	assert_int_equal(dump.model_line, 4);
	assert_int_equal(notes.count, 0);
	expect(0, 0, 0xc0010300, 1);
}

static void dump_parse_text_lscpu_names_the_model(void **state)
{
	assert_int_equal(parse("Vendor ID:                       GenuineIntel\n"
			       "Model name:                      Intel(R) Xeon(R)\n"
			       "CPU family:                      6\n"
			       "Model:                           85\n\n680 = 1\n"),
			 0);
	assert_string_equal(dump.model->name, "skylake");
	assert_int_equal(notes.count, 0);
}

static void dump_parse_text_other_properties(void **state)
{
	assert_int_equal(parse("CPUID signature: 0x506E3\n680 = 1\n"), 0);
	assert_string_equal(dump.model->name, "skylake");
	assert_int_equal(parse("# model: 06_3CH\n680 = 1\n"), 0);
	assert_string_equal(dump.model->name, "haswell");
	assert_int_equal(parse("LBR format: 5\n680 = 1\n"), 0);
	assert_string_equal(dump.model->name, "format-05h");
	assert_int_equal(parse("cpu family : 6\nmodel : 250\n\n680 = 1\n"), 0);
	assert_null(dump.model);
	expect_note("CPU 06_FAH is not in the table");
}

static void dump_parse_csv_columns(void **state)
{
	static const char *const files[] = {
		"680,ffffffff81000010\n",
		"0x680;0xffffffff81000010\n",
		"0,0x680,0xffffffff81000010\n",
		"msr,value\n0x680,0xffffffff81000010\n",
		"# by hand\nvalue, cpu, note, msr\n0xffffffff81000010, 0, x, 0x680\n",
		"\"cpu\",\"address\",\"data\"\r\n\"0\",\"680\",\"FFFFFFFF81000010\"\r\n",
		"cpu\tregister\tvalue\n0\t680\tffffffff81000010\n",
		"cpu\tname\tregister\tvalue\n0\t\t680\tffffffff81000010\n",
		"cpu,name,msr,value\n0,\"FROM, entry 0\" , 0x680 ,\"0xffffffff81000010\"\n",
	};

	for (size_t i = 0; i < ARRAY_SIZE(files); i++) {
		assert_int_equal(parse(files[i]), 0);
		assert_int_equal(dump.count, 1);
		assert_int_equal(notes.count, 0);
		expect(0, 0, 0x680, VALUE);
	}
}

/* RFC 4180: a quote within quotes is doubled. */
static void dump_parse_csv_doubled_quotes(void **state)
{
	assert_int_equal(parse("cpu,msr,name,value\n3,0x680,\"a \"\"b\"\", c\",0x10\n"
			       "4,0x681,\"\",0x20\n5,0x682,\"\"\"\",0x30\n"),
			 0);
	assert_int_equal(notes.count, 0);
	assert_int_equal(dump.count, 3);
	expect(0, 3, 0x680, 0x10);
	expect(1, 4, 0x681, 0x20);
	expect(2, 5, 0x682, 0x30);
}

static void dump_parse_csv_bad_row_is_said(void **state)
{
	assert_int_equal(parse("cpu,msr,value\n0,0x680,1\n0,0x681\n0,hello,2\n"), 0);
	assert_int_equal(dump.count, 1);
	assert_int_equal(notes.count, 2);
	assert_int_equal(notes.items[0].line, 3);
	assert_int_equal(notes.items[1].line, 4);
}

static void dump_parse_json_shapes(void **state)
{
	static const char *const files[] = {
		"{\"0x680\": \"0xffffffff81000010\"}",
		"{\"680\": \"ffffffff81000010\"}",
		"{\"cpu\": 0, \"msrs\": {\"0x680\": \"0xffffffff81000010\"}}",
		"{\"cpus\": [{\"cpu\": \"0\", \"msrs\": {\"0x680\": \"0xffffffff81000010\"}}]}",
		"[{\"cpu\": 0, \"msr\": \"0x680\", \"value\": \"0xffffffff81000010\"}]",
		"[{\"msr\": 1664, \"value\": \"0xffffffff81000010\"}]",
		"{\"msr\": 1664, \"value\": \"0xffffffff81000010\"}\n",
		" [ {\"cpu\": 0, \"msrs\": [{\"msr\": 1664, \"value\": \"ffffffff81000010\"}]}]",
		"{\"cpu0\": {\"0x680\": \"0xffffffff81000010\"}}",
		"{\"CPU 0\": [[\"0x680\", \"0xffffffff81000010\"]]}",
		"{\"cpus\": {\"0\": {\"680\": \"0xffffffff81000010\"}}}",
		"{\"cpus\": {\"cpu0\": {\"msrs\": {\"680\": \"0xffffffff81000010\"}}}}",
		"{\"cpu\": 0, \"msrs\": [[1664, \"0xffffffff81000010\"]]}",
		"[[\"0x680\", \"0xffffffff81000010\"]]",
		"[{\"register\": \"0x680\", \"data\": \"0xffffffff81000010\"}]",
	};

	for (size_t i = 0; i < ARRAY_SIZE(files); i++) {
		assert_int_equal(parse(files[i]), 0);
		assert_int_equal(dump.count, 1);
		assert_int_equal(notes.count, 0);
		expect(0, 0, 0x680, VALUE);
	}
}

static void dump_parse_json_what_is_left_out_is_said(void **state)
{
	static const struct {
		const char *text, *note;
	} files[] = {
		{"{\"node0\": {\"0x680\": \"1\"}}", "\"node0\" left out"},
		{"{\"data\": {\"0x680\": \"1\"}}", "\"data\" left out"},
		{"{\"msrs\": 5}", "\"msrs\" left out: it is no object and no array"},
		{"{\"cpus\": {\"0\": 5}}", "\"0\" left out: it is no object and no array"},
		{"{\"cpus\": {\"x\": {\"0x680\": \"1\"}}}", "\"x\" left out"},
		{"{\"cpu\": \"x\", \"0x680\": \"1\"}", "their CPU is no number"},
		{"[[\"0x680\", \"1\", \"2\"]]", "is no object and no pair"},
		{"[{\"msr\": \"0x680\"}]", "MSR \"0x680\" of CPU 0 left out"},
	};

	for (size_t i = 0; i < ARRAY_SIZE(files); i++) {
		assert_int_equal(parse(files[i].text), -ENODATA);
		expect_note(files[i].note);
	}
}

static void dump_parse_json_lines_and_numbers(void **state)
{
	assert_int_equal(parse("{\"cpu\": 1, \"msr\": \"0x1c9\", \"value\": 31}\n"
			       "{\"cpu\": 2, \"msr\": \"0x1c9\", \"value\": 5}\n"),
			 0);
	expect(0, 1, 0x1c9, 31);
	expect(1, 2, 0x1c9, 5);
	assert_int_equal(dump.records[1].line, 2);
}

static void dump_parse_json_model_in_any_order(void **state)
{
	assert_int_equal(parse("{\"model\": 94, \"cpu_family\": 6, \"680\": \"1\"}"), 0);
	assert_string_equal(dump.model->name, "skylake");
	assert_int_equal(parse("{\"model\": \"06_5EH\", \"680\": \"1\"}"), 0);
	assert_string_equal(dump.model->name, "skylake");
}

static void dump_parse_json_broken_is_einval_with_its_line(void **state)
{
	assert_int_equal(parse("{\"680\": \"1\",\n\"681\": }"), -EINVAL);
	assert_int_equal(notes.items[0].line, 2);
	assert_int_equal(parse("{\"680\": \"1\", \"680\": \"2\"}"), -EINVAL);
	assert_int_equal(parse("{\"680\": 18446744071578845200}"), -EINVAL);
	expect_note("must be strings");
}

static void dump_parse_records_little_endian(void **state)
{
	static const unsigned char records[] = {
		0x80, 0x06, 0, 0, 3, 0, 0, 0, 0x10, 0, 0, 0x81, 0xff, 0xff, 0xff, 0xff,
		0xc9, 0x01, 0, 0, 1, 0, 0, 0, 0x1f, 0, 0, 0,	0,    0,    0,	  0,
	};

	assert_int_equal(dump_parse((const char *)records, sizeof(records), DUMP_FORM_AUTO, NULL,
				    &dump, &notes),
			 0);
	assert_int_equal(dump.count, 2);
	expect(0, 1, 0x1c9, 0x1f);
	expect(1, 3, 0x680, VALUE);
	dump_deinit(&dump);
	assert_int_equal(dump_parse((const char *)records, sizeof(records) - 1, DUMP_FORM_RECORDS,
				    NULL, &dump, &notes),
			 -EINVAL);
}

static void dump_parse_block_of_two_core2_cpus(void **state)
{
	uint64_t block[18] = {0}; /* 4 FROM, 4 TO, TOS */

	block[0] = VALUE;
	block[4] = 0x1010;
	block[8] = 2;
	block[9] = 0x2000;
	block[17] = 3;
	assert_int_equal(dump_parse((const char *)block, sizeof(block), DUMP_FORM_AUTO,
				    lbr_model_by_name("core2"), &dump, &notes),
			 0);
	assert_int_equal(dump.count, 18);
	expect(0, 0, 0x40, VALUE);
	expect(4, 0, 0x60, 0x1010);
	expect(8, 0, 0x1c9, 2);
	expect(9, 1, 0x40, 0x2000);
	expect(17, 1, 0x1c9, 3);
}

static void dump_parse_block_needs_a_model_and_its_size(void **state)
{
	uint64_t block[17] = {0};

	assert_int_equal(
		dump_parse((const char *)block, sizeof(block), DUMP_FORM_AUTO, NULL, &dump, &notes),
		-EINVAL);
	expect_note("a bare block of MSRs, whose model --cpu has to tell?");
	assert_int_equal(dump_parse((const char *)block, sizeof(block), DUMP_FORM_AUTO,
				    lbr_model_by_name("core2"), &dump, &notes),
			 -EINVAL);
	expect_note("has 9 registers, 72 bytes, for each CPU; the dump has 136 bytes");
}

static void dump_parse_nothing_in_it_is_enodata(void **state)
{
	assert_int_equal(parse(""), -ENODATA);
	assert_int_equal(parse("\n\n"), -ENODATA);
	assert_int_equal(parse("cpu family : 6\nmodel : 94\n"), -ENODATA);
	assert_int_equal(parse("[]"), -ENODATA);
	assert_int_equal(notes.errors, 1);
}

static void dump_parse_cpu_number_beyond_the_maximum_is_e2big(void **state)
{
	assert_int_equal(parse("CPU 65535: 680 = 1\n"), 0);
	assert_int_equal(parse("CPU 65536: 680 = 1\n"), -E2BIG);
}

static void dump_parse_many_bad_lines_are_counted_not_kept(void **state)
{
	static char text[8000];

	memset(text, 'z', sizeof(text) - 1);
	for (size_t i = 1; i < sizeof(text); i += 2)
		text[i] = '\n';
	memcpy(text, "1=1\n", 4);
	text[sizeof(text) - 1] = '\0';
	assert_int_equal(parse(text), 0);
	assert_int_equal(notes.count, NOTES_MAX);
	assert_true(notes.warnings > 3000);
}

#define TEST(f) cmocka_unit_test_teardown(f, teardown)

int main(void)
{
	static const struct CMUnitTest tests[] = {
		TEST(dump_parse_text_every_spelling_of_a_pair),
		TEST(dump_parse_text_every_spelling_of_a_cpu),
		TEST(dump_parse_text_cpu_line_holds_until_the_next),
		TEST(dump_parse_text_several_pairs_in_a_line),
		TEST(dump_parse_text_a_number_too_many_is_left_out),
		TEST(dump_parse_text_fault_of_read_msr_is_no_value),
		TEST(dump_parse_text_nonsense_is_left_out_with_its_line),
		TEST(dump_parse_text_rdmsr_one_cpu),
		TEST(dump_parse_text_rdmsr_all_cpus),
		TEST(dump_parse_text_rdmsr_output_formats),
		TEST(dump_parse_text_rdmsr_number_without_0x_is_decimal),
		TEST(dump_parse_text_rdmsr_several_in_a_line),
		TEST(dump_parse_text_rdmsr_of_a_shell_variable_is_left_out),
		TEST(dump_parse_text_rdmsr_failure_takes_its_turn),
		TEST(dump_parse_text_value_without_register_is_said),
		TEST(dump_parse_text_cpuinfo_names_the_model),
		TEST(dump_parse_text_lscpu_names_the_model),
		TEST(dump_parse_text_other_properties),
		TEST(dump_parse_csv_columns),
		TEST(dump_parse_csv_doubled_quotes),
		TEST(dump_parse_csv_bad_row_is_said),
		TEST(dump_parse_json_shapes),
		TEST(dump_parse_json_what_is_left_out_is_said),
		TEST(dump_parse_json_lines_and_numbers),
		TEST(dump_parse_json_model_in_any_order),
		TEST(dump_parse_json_broken_is_einval_with_its_line),
		TEST(dump_parse_records_little_endian),
		TEST(dump_parse_block_of_two_core2_cpus),
		TEST(dump_parse_block_needs_a_model_and_its_size),
		TEST(dump_parse_nothing_in_it_is_enodata),
		TEST(dump_parse_cpu_number_beyond_the_maximum_is_e2big),
		TEST(dump_parse_many_bad_lines_are_counted_not_kept),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
