// SPDX-License-Identifier: GPL-2.0
#include "why/values/reads.h"

#include <errno.h>
#include <stdio.h>

static bool same(const struct why_read *a, const struct why_read *b)
{
	return a->offset == b->offset && a->from == b->from && a->bytes == b->bytes &&
	       !a->string == !b->string;
}

int reads_find(const struct why_read_table *table, const struct why_read *read)
{
	for (uint32_t i = 0; i < table->count; i++)
		if (same(&table->reads[i], read))
			return (int)i;
	return -ENOENT;
}

int reads_add(struct why_read_table *table, const struct why_read *read)
{
	int index = reads_find(table, read);
	struct why_read *added;
	uint8_t strings = 0;

	if (index >= 0)
		return index;
	for (uint32_t i = 0; i < table->count; i++)
		strings += !!table->reads[i].string;
	if (table->count == WHY_READS_MAX || (read->string && strings == WHY_STRINGS_MAX))
		return -ENOSPC;
	added = &table->reads[table->count];
	*added = *read;
	added->string = read->string ? strings + 1 : 0;
	return (int)table->count++;
}

int state_read(const struct why_state *state, const struct why_read *read, uint64_t *ret_value,
	       bool *ret_known)
{
	int index = -ENOENT;

	*ret_known = false;
	if (state->wanted)
		return reads_add(state->wanted, read);
	if (state->table && state->hit)
		index = reads_find(state->table, read);
	if (index < 0)
		return index;
	*ret_value = state->hit->values[index];
	*ret_known = state->hit->read >> index & 1;
	return index;
}

bool state_string(const struct why_state *state, const struct why_read *read, char *ret_text)
{
	uint64_t value;
	bool known;
	int index = state_read(state, read, &value, &known);

	if (!known)
		return false;
	snprintf(ret_text, WHY_STRING_MAX, "%.*s", WHY_STRING_MAX - 1,
		 state->hit->strings[(state->table->reads[index].string - 1) % WHY_STRINGS_MAX]);
	return true;
}
