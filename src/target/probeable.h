/* SPDX-License-Identifier: GPL-2.0 */
/* probeable.h - which triggers the kernel allows on a function */
#ifndef LBRSNOOP_TARGET_PROBEABLE_H
#define LBRSNOOP_TARGET_PROBEABLE_H

#include <stdbool.h>
#include <stddef.h>
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

/**
 * probeable_open_forbidden() - of the running kernel, what probeable_forbidden() needs, which is
 * soon read. Return: 0; -ENOMEM. What cannot be read is taken as empty.
 */
int probeable_open_forbidden(struct probeable **ret_probeable);

/**
 * probeable_add_jump_table() - where a static key patches an instruction the kernel allows no
 * kprobe (jump_label_text_reserved() of kernel/jump_label.c); a function may begin with one
 * @table: struct jump_entry of include/linux/jump_label.h (Linux 4.19 and later), 16 bytes each
 * @bytes: of it
 * @addr: where it is in the kernel; its addresses are relative to their own
 * Return: 0; -ENOMEM.
 */
int probeable_add_jump_table(struct probeable *probeable, const void *table, size_t bytes,
			     uint64_t addr);

/** probeable_destroy() - free; NULL is fine */
void probeable_destroy(struct probeable *probeable);

/** probeable_traced() - does the function begin with a place for a call of the tracer? By its name
 */
bool probeable_traced(const struct probeable *probeable, const char *function, const char *module);

/**
 * begins_with_fentry() - the same, by its text
 *
 * The compiler left 5 bytes for the tracer, behind ENDBR where there is one: a NOP, or a call when
 * somebody traces the function (arch/x86/kernel/ftrace.c). While that begins or ends, the first
 * byte is INT3.
 * @bytes: of the function's entry, @size of them, 9 at most
 */
bool begins_with_fentry(const uint8_t *bytes, uint64_t size);

/**
 * probeable_forbidden() - is the address in code that the kernel lets nobody interrupt by a kprobe
 * or breakpoint: its entry code, the handlers of exceptions, what kprobes themselves are made of?
 */
bool probeable_forbidden(const struct probeable *probeable, uint64_t addr);

/**
 * probeable_by_handler() - does the handling of each kprobe execute the function, too?
 *
 * That is what the kernel does for a kprobe that has a BPF program, and what such a program of ours
 * calls. The kernel allows kprobes there, and passes over those hits; but an NMI that comes by
 * another kprobe at that moment stops it: BUG() of reenter_kprobe(),
 * arch/x86/kernel/kprobes/core.c. Seen on Linux 6.12. At the entry, where the tracer makes the
 * kprobe, it cannot happen.
 */
bool probeable_by_handler(const char *function);

/**
 * probeable_kinds() - trigger kinds that the kernel will arm on @func, one bit (1 << kind) each
 * @addr: of its first instruction
 */
unsigned int probeable_kinds(const struct probeable *probeable, const struct function *func,
			     uint64_t addr);

#endif
