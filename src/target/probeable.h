/* SPDX-License-Identifier: GPL-2.0 */
/* probeable.h - which triggers the kernel allows on a function */
#ifndef LBRSNOOP_TARGET_PROBEABLE_H
#define LBRSNOOP_TARGET_PROBEABLE_H

#include <stdint.h>
#include <stdio.h>

#include "target/functions.h"

struct probeable;

/**
 * probeable_create() - read what the kernel says about itself
 * @traced: lines of available_filter_functions: "NAME" or "NAME [MODULE]"; NULL if not to be had,
 *          then every function counts as traceable
 * @blacklist: lines of kprobes/blacklist: "0xSTART-0xEND NAME"; NULL likewise
 * @release: of the kernel, as uname -r has it
 * Return: 0; -ENOMEM. Free with probeable_destroy().
 */
int probeable_create(FILE *traced, FILE *blacklist, const char *release,
		     struct probeable **ret_probeable);

/**
 * probeable_open() - probeable_create() of the running kernel
 * Return: 0; -ENOMEM. What cannot be read is taken as empty.
 */
int probeable_open(struct probeable **ret_probeable);
void probeable_destroy(struct probeable *probeable);

/**
 * probeable_kinds() - trigger kinds that the kernel will arm on @func, one bit (1 << kind) each
 * @addr: of its first instruction
 */
unsigned int probeable_kinds(const struct probeable *probeable, const struct function *func,
			     uint64_t addr);

#endif
