// SPDX-License-Identifier: GPL-2.0
#include "compare/values.h"

#include <stdio.h>
#include <string.h>

#include "compare/chance.h"

static bool is_less(enum argument_kind kind, int64_t one, int64_t other)
{
	return kind == ARGUMENT_UNSIGNED ? (uint64_t)one < (uint64_t)other : one < other;
}

void value_range_note(struct value_range *range, enum argument_kind kind, int64_t value)
{
	if (!range->known || is_less(kind, value, range->min))
		range->min = value;
	if (!range->known || is_less(kind, range->max, value))
		range->max = value;
	range->known++;
}

static const struct argument_range *find(const struct argument_ranges *ranges, const char *name,
					 enum argument_kind kind)
{
	for (size_t i = 0; i < ranges->count; i++)
		if (ranges->items[i].kind == kind && !strcmp(ranges->items[i].name, name))
			return &ranges->items[i];
	return NULL;
}

void argument_ranges_note(struct argument_ranges *ranges, const struct argument *arguments,
			  size_t count)
{
	for (size_t i = 0; i < count; i++) {
		struct argument_range *range =
			(struct argument_range *)find(ranges, arguments[i].name, arguments[i].kind);

		if (!range && ranges->count == ARGUMENTS_MAX)
			continue;
		if (!range) {
			range = &ranges->items[ranges->count++];
			snprintf(range->name, sizeof(range->name), "%s", arguments[i].name);
			range->kind = arguments[i].kind;
		}
		value_range_note(&range->range, range->kind, arguments[i].value);
	}
}

static bool are_apart(const struct argument_pair *pair)
{
	return is_less(pair->kind, pair->failing.max, pair->passing.min) ||
	       is_less(pair->kind, pair->passing.max, pair->failing.min);
}

size_t argument_pairs(const struct argument_ranges *failing, uint64_t failing_calls,
		      const struct argument_ranges *passing, uint64_t passing_calls,
		      struct argument_pair *ret)
{
	bool chance = chance_of_order(failing_calls, passing_calls) * (double)failing->count >
		      CHANCE_MOST;

	for (size_t i = 0; i < failing->count; i++) {
		const struct argument_range *bad = &failing->items[i];
		const struct argument_range *good = find(passing, bad->name, bad->kind);

		ret[i] = (struct argument_pair){
			.name = bad->name, .kind = bad->kind, .failing = bad->range};
		if (!good)
			continue;
		ret[i].passing = good->range;
		ret[i].separates = !chance && bad->range.known == failing_calls &&
				   good->range.known == passing_calls && are_apart(&ret[i]);
	}
	return failing->count;
}
