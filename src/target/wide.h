/* SPDX-License-Identifier: GPL-2.0 */
/*
 * wide.h - a glob that matches many functions: one kprobe.multi for all of them
 *
 * A BPF program and trampoline for each function takes the kernel a quarter of a second in the test
 * guest, to arm and to disarm; a kprobe.multi of any number of functions about as long as four of
 * them. But it spends the whole LBR, where a fexit program leaves half: so few functions are worth
 * the wait, six seconds at the limit below.
 */
#ifndef LBRSNOOP_TARGET_WIDE_H
#define LBRSNOOP_TARGET_WIDE_H

#include <stdbool.h>
#include <stddef.h>

#include "snapshot/probe.h"
#include "target/probeable.h"
#include "target/traced.h"

/* More functions than that are watched by kprobe.multi if the choice is ours. */
#define WIDE_FUNCTIONS 24

/**
 * struct wide_left_out - functions that are not armed, and why
 * @untraced: the compiler left the kernel's tracer no place at their entry (notrace)
 * @forbidden: closed to kprobes: entry code, exception handlers, what kprobes are made of
 * @own: run on the way from a return to the snapshot
 */
struct wide_left_out {
	size_t untraced;
	size_t forbidden;
	size_t own;
};

/**
 * wide_choose() - functions that globs matched become TRIGGER_MULTI, if there are many
 *
 * Only those whose kind the user left open.
 */
void wide_choose(struct probe_list *list);

/** wide_any() - is a probe of the kind TRIGGER_MULTI? */
bool wide_any(const struct probe_list *list);

/**
 * wide_undo() - what wide_choose() did, for a kernel without kprobe.multi
 * Return: the number of functions; 0: the user asked for kprobe.multi, nothing is changed.
 */
size_t wide_undo(struct probe_list *list);

/** wide_leaves_out() - does the function run on the way from a return to the snapshot? */
bool wide_leaves_out(const char *name);

/**
 * wide_sift() - drop the functions that kprobe.multi cannot watch, and further names of one address
 * @text: of the kernel as it runs; NULL: the functions are looked up in @probeable by their names
 * @probeable: of the running kernel
 * @traced: likewise; without entries the first bytes of a function tell. The kernel refuses all
 *          functions for one that its tracer does not know, and each part that is tried alone then
 *          costs it passes over its text.
 * Return: 0; -ENOMEM.
 */
int wide_sift(struct probe_list *list, const struct text_source *text,
	      const struct probeable *probeable, const struct traced *traced,
	      struct wide_left_out *ret_left);

#endif
