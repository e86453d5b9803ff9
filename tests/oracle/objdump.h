/* SPDX-License-Identifier: GPL-2.0 */
/* objdump.h - what binutils' disassembler says of an instruction: a reading that is not ours */
#ifndef LBRSNOOP_TESTS_OBJDUMP_H
#define LBRSNOOP_TESTS_OBJDUMP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "disasm/insn.h"

/** struct objdump_line - one instruction: its address, its bytes, its text (borrowed) */
struct objdump_line {
	uint64_t addr;
	uint8_t bytes[32];
	size_t len;
	char *text;
};

/**
 * objdump_parse() - read a line of "objdump -d -w"
 * @line: ended by NUL at its newline; the text stays in it
 * Return: false if it is no instruction.
 */
bool objdump_parse(char *line, struct objdump_line *ret);

/** objdump_class() - how an instruction hands on control, by its mnemonic */
enum insn_class objdump_class(const char *text);

/** objdump_target() - where a direct branch goes */
uint64_t objdump_target(const char *text);

#endif
