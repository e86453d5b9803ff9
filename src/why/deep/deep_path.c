// SPDX-License-Identifier: GPL-2.0
/* deep_path.c - the branches of a path of several records, and interrupts cut out of them */
#include "why/deep/deep.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "util/vector.h"

void deep_path_free(struct deep_path *path)
{
	if (!path)
		return;
	free(path->branches);
	free(path->segments);
	free(path->interrupts);
	free(path);
}

int deep_path_begin(struct deep_path *path, const struct deep_record *record, unsigned int run)
{
	path->count = path->segment_count = path->interrupt_count = 0;
	for (size_t i = 0; i < record->count; i++) {
		if (vector_grow(&path->branches, path->count, sizeof(*path->branches)))
			return -ENOMEM;
		path->branches[path->count++] = record->branches[i];
	}
	if (vector_grow(&path->segments, 0, sizeof(*path->segments)))
		return -ENOMEM;
	path->segments[path->segment_count++] =
		(struct deep_segment){.run = run, .count = path->count, .point = path->end};
	for (size_t i = 0; i < record->interrupt_count; i++) {
		if (vector_grow(&path->interrupts, i, sizeof(*path->interrupts)))
			return -ENOMEM;
		path->interrupts[path->interrupt_count++] =
			(struct deep_interrupt){.entry = record->interrupts[i],
						.newer = record->interrupt_at[i],
						.run = run};
	}
	path->entry = record->end == DEEP_END_ENTRY;
	path->start = record->end == DEEP_END_SWITCH ? record->resumed : 0;
	return 0;
}

int deep_path_add_interrupts(struct deep_path *path, const struct deep_joint *joint, size_t newer,
			     unsigned int run)
{
	for (const struct deep_hit *hit = joint->last; hit >= joint->first; hit--) {
		const struct deep_record *record = &hit->record;

		for (size_t i = 0; i < record->interrupt_count; i++) {
			struct deep_interrupt cut = {.entry = record->interrupts[i],
						     .newer = newer + record->interrupt_at[i],
						     .run = run};

			/* The known part of the path has its own. */
			if (cut.newer < path->count)
				continue;
			if (vector_grow(&path->interrupts, path->interrupt_count,
					sizeof(*path->interrupts)))
				return -ENOMEM;
			path->interrupts[path->interrupt_count++] = cut;
		}
		newer += record->count;
	}
	return 0;
}

int deep_path_extend(struct deep_path *path, const struct why_branch *added, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		if (vector_grow(&path->branches, path->count, sizeof(*path->branches)))
			return -ENOMEM;
		path->count++;
	}
	memmove(path->branches + count, path->branches,
		(path->count - count) * sizeof(*path->branches));
	memcpy(path->branches, added, count * sizeof(*added));
	return 0;
}

void deep_path_cut(struct deep_path *path, size_t gone)
{
	size_t kept = 0;

	path->count -= gone;
	memmove(path->branches, path->branches + gone, path->count * sizeof(*path->branches));
	while (gone) {
		struct deep_segment *oldest = &path->segments[path->segment_count - 1];
		size_t less = oldest->count < gone ? oldest->count : gone;

		oldest->count -= less;
		if (oldest->computed > oldest->count)
			oldest->computed = oldest->count;
		gone -= less;
		if (gone || (!oldest->count && path->segment_count > 1))
			path->segment_count--;
	}
	path->entry = false;
	path->start = 0;
	for (size_t i = 0; i < path->interrupt_count; i++) {
		if (path->interrupts[i].newer < path->count)
			path->interrupts[kept++] = path->interrupts[i];
		else if (path->interrupts[i].newer == path->count && path->interrupts[i].resumed)
			path->start = path->interrupts[i].resumed;
	}
	path->interrupt_count = kept;
}
