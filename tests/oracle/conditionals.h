/* SPDX-License-Identifier: GPL-2.0 */
/* conditionals.h - which instructions are conditional branches, as tests/vm/judges/kernel_text.py
 * reads them from the kernel's image: lbrsnoop's own word for an instruction is not believed */
#ifndef LBRSNOOP_TESTS_ORACLE_CONDITIONALS_H
#define LBRSNOOP_TESTS_ORACLE_CONDITIONALS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** struct conditional - is the instruction at @addr one? */
struct conditional {
	uint64_t addr;
	bool is_one;
};

/** struct conditionals - instructions of which it is known, by address */
struct conditionals {
	struct conditional *all;
	size_t count;
};

/**
 * conditionals_load() - read a file with a line "ADDRESS 0" or "ADDRESS 1" of each instruction
 * Addresses are hexadecimal and in order.
 * Return: 0, -errno of the file, or -EINVAL for a line that is something else or out of order.
 */
int conditionals_load(const char *path, struct conditionals *ret);

/**
 * conditional_at() - is the instruction at @addr a conditional branch?
 * @otherwise: what is returned where it is not known
 */
bool conditional_at(const struct conditionals *c, uint64_t addr, bool otherwise);

/** conditional_by_text() - is an instruction called one? @text: as --insns prints it, or NULL */
bool conditional_by_text(const char *text);

#endif
