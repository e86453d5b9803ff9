/* SPDX-License-Identifier: GPL-2.0 */
/* values.h - which values calls had, from the least to the greatest */
#ifndef LBRSNOOP_COMPARE_VALUES_H
#define LBRSNOOP_COMPARE_VALUES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "snapshot/snapshot.h"

/** struct value_range - of @known calls; 0: there are none */
struct value_range {
	uint64_t known;
	int64_t min;
	int64_t max;
};

/** value_range_note() - one more */
void value_range_note(struct value_range *range, enum argument_kind kind, int64_t value);

/** struct argument_range - of an argument of a function */
struct argument_range {
	char name[ARGUMENT_NAME_MAX];
	enum argument_kind kind;
	struct value_range range;
};

/** struct argument_ranges - of calls of one kind; all zero at first */
struct argument_ranges {
	struct argument_range items[ARGUMENTS_MAX];
	size_t count;
};

/** argument_ranges_note() - a call had these; those that there is no room for are left out */
void argument_ranges_note(struct argument_ranges *ranges, const struct argument *arguments,
			  size_t count);

/**
 * struct argument_pair - an argument in failing and in passing calls
 * @separates: all calls have it, no value of a failing call is between those of passing ones, nor
 * the other way round, and that is no accident: chance_of_order() of one of so many arguments
 */
struct argument_pair {
	const char *name;
	enum argument_kind kind;
	struct value_range failing;
	struct value_range passing;
	bool separates;
};

/**
 * argument_pairs() - put them side by side, by their names
 * @failing_calls, @passing_calls: how many there are
 * @ret: room for ARGUMENTS_MAX; names are borrowed from @failing
 * Return: how many.
 */
size_t argument_pairs(const struct argument_ranges *failing, uint64_t failing_calls,
		      const struct argument_ranges *passing, uint64_t passing_calls,
		      struct argument_pair *ret);

#endif
