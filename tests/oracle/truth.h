/* SPDX-License-Identifier: GPL-2.0 */
/* truth.h - the emulator's own log of what it recorded and executed */
#ifndef LBRSNOOP_TESTS_TRUTH_H
#define LBRSNOOP_TESTS_TRUTH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define TRUTH_CPUS_MAX 64

/**
 * struct truth_event - one line
 * @addr: I: the instruction; B: FROM
 * @to: B: TO
 * @seq: as logged
 * @kind: 'B', 'I' or 'Z'
 * @irq: B: an interrupt or exception
 * @conditional: B: of type cond; only of truth_tail's lines
 * @mispred, @cycles: B: as logged; only of truth_tail's lines
 */
struct truth_event {
	uint64_t addr;
	uint64_t to;
	uint64_t seq;
	char kind;
	bool irq;
	bool conditional;
	bool mispred;
	uint32_t cycles;
};

/** struct truth_cpu - the lines of one CPU in order; holes in @seq are where a log was cut */
struct truth_cpu {
	struct truth_event *events;
	size_t count;
	size_t cap;
};

/** truth_append() - add a line to those of a CPU; 0 or -ENOMEM */
int truth_append(struct truth_cpu *cpu, const struct truth_event *ev);

/**
 * truth_executed() - addresses of the instructions completed between two branches
 * An instruction that faulted, or a string instruction that was interrupted, is logged when it
 * starts: it is left out here, as it never completed. A string instruction counts once.
 * @first: index after the branch that starts the stretch
 * @end: index of the branch that ends it (or one past the last event)
 * @ret: room for @end - @first addresses
 * @ret_stopped: recording was stopped within; set to the number of addresses before that, else
 *               to SIZE_MAX
 * Return: number of addresses.
 */
size_t truth_executed(const struct truth_cpu *cpu, size_t first, size_t end, uint64_t *ret,
		      size_t *ret_stopped);

#endif
