/* SPDX-License-Identifier: GPL-2.0 */
/*
 * reads.h - memory that is read where an error is made
 *
 * While it is armed a table is made for each site: reads_add(). The BPF program fills in a hit by
 * it. Afterwards the same question finds what was read: reads_find().
 */
#ifndef LBRSNOOP_WHY_VALUES_READS_H
#define LBRSNOOP_WHY_VALUES_READS_H

#include <stdbool.h>
#include <stdint.h>

#include "why_event.h"

/**
 * reads_add() - one read more, if it is not there yet
 * @read: its @string is not 0 if it is one; which one is chosen here
 * Return: its number; -ENOSPC if there is no room.
 */
int reads_add(struct why_read_table *table, const struct why_read *read);

/** reads_find() - the number of such a read; -ENOENT */
int reads_find(const struct why_read_table *table, const struct why_read *read);

/**
 * struct why_state - what is known before an instruction is executed; all borrowed, or NULL
 * @regs: PTREG_COUNT registers
 * @hit: where memory was read as @table says
 * @wanted: reads that would tell more are added to it
 */
struct why_state {
	const uint64_t *regs;
	const struct why_hit *hit;
	const struct why_read_table *table;
	struct why_read_table *wanted;
};

/**
 * state_read() - a number that was read
 * With @wanted it is noted as well. Return: its number of a read, 0 or more, *@ret_value set if
 * *@ret_known; -ENOENT, -ENOSPC.
 */
int state_read(const struct why_state *state, const struct why_read *read, uint64_t *ret_value,
	       bool *ret_known);

/**
 * state_string() - a string that was read; with @wanted it is noted
 * @ret_text: WHY_STRING_MAX bytes; set on success
 * Return: it is known.
 */
bool state_string(const struct why_state *state, const struct why_read *read, char *ret_text);

#endif
