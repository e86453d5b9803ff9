/* SPDX-License-Identifier: GPL-2.0 */
/* branching_code.h - functions in machine code that return errnos behind branches, and their
 * symbols */
#ifndef LBRSNOOP_TESTS_BRANCHING_CODE_H
#define LBRSNOOP_TESTS_BRANCHING_CODE_H

#include <stdint.h>

#include "../symbol_table.h"
#include "../text_bytes.h"
#include "snapshot/snapshot.h"

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

#endif
