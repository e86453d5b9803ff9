/* SPDX-License-Identifier: GPL-2.0 */
/*
 * candidates.h - functions of the kernel and its modules whose text may load an errno
 *
 * Found by the bytes of the instructions that can do so, without decoding: all of a kernel's text
 * is read in milliseconds. What is found is a superset; sites_find() decodes the few that ran.
 */
#ifndef LBRSNOOP_WHY_CANDIDATES_H
#define LBRSNOOP_WHY_CANDIDATES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "snapshot/snapshot.h"
#include "symbolize/symbolize.h"
#include "target/probeable.h"

/**
 * struct candidate - a function that may load an errno, itself or in a part split off it
 * @sym: strings belong to the symbols
 * @traced: it begins with the place of the kernel's function tracer, and is none of those that run
 *          for each function that is armed: its entry can be watched
 */
struct candidate {
	struct symbol sym;
	bool traced;
};

/** struct candidates - by address */
struct candidates {
	struct candidate *items;
	size_t count;
};

/**
 * candidates_find() - look through the text of all functions
 *
 * Functions that may not be interrupted are left out, whether they are traced or not: entry code,
 * handlers of exceptions and what kprobes are made of make no error of a system call that comes
 * from within it.
 * @text: as it runs
 * @probeable: what may not be interrupted, or NULL
 * @ret: set on success; free with candidates_deinit()
 * Return: 0; -EFAULT if no text can be read; -ENOMEM.
 */
int candidates_find(const struct text_source *text, struct symbols *symbols,
		    const struct probeable *probeable, struct candidates *ret);

/** candidates_deinit() - free */
void candidates_deinit(struct candidates *candidates);

/**
 * candidates_entered() - the function that a program reported by the lower half of its address
 * @low: as in struct why_failed
 * Return: NULL if it is none of them.
 */
const struct candidate *candidates_entered(const struct candidates *candidates, uint32_t low);

/** candidates_at() - the function that begins at @addr, or NULL */
const struct candidate *candidates_at(const struct candidates *candidates, uint64_t addr);

/**
 * may_load_errno() - do these bytes hold an instruction that may load a negative errno?
 * @len: of @bytes
 * Return: false only if there is none: MOV of a 32-bit constant from -4095 to -1 into a register
 * or memory, OR of -1, AND of such a constant behind SBB or SAR, or NEG of, or 1 less than, 0 or 1,
 * which makes EPERM.
 */
bool may_load_errno(const uint8_t *bytes, size_t len);

#endif
