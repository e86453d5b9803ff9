// SPDX-License-Identifier: GPL-2.0
#include "symbolize/debug/cuindex.h"

#include <dwarf.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/address.h"
#include "util/cleanup.h"
#include "util/vector.h"

/* Far beyond what compilers nest; a bound on recursion for what a broken file does. */
#define TREE_DEPTH_MAX 200
#define NODES_MAX      (4u << 20)

/** struct cu_range - addresses of a node; @depth: of its DIE in the tree */
struct cu_range {
	uint64_t low;
	uint64_t high;
	int32_t node;
	uint32_t depth;
};

/** struct cu_builder - a unit while it is read */
struct cu_builder {
	struct cu_index *cu;
	struct cu_range *ranges;
	size_t range_count;
};

static int number_of(Dwarf_Die *die, unsigned int name)
{
	Dwarf_Attribute attr;
	Dwarf_Word value;

	if (!dwarf_attr_integrate(die, name, &attr) || dwarf_formudata(&attr, &value) ||
	    value > INT32_MAX)
		return 0;
	return (int)value;
}

static int add_node(struct cu_builder *builder, Dwarf_Die *die, int32_t parent)
{
	struct cu_index *cu = builder->cu;
	Dwarf_Attribute attr;
	const char *name = NULL;

	if (cu->node_count >= NODES_MAX)
		return -E2BIG;
	if (vector_grow(&cu->nodes, cu->node_count, sizeof(*cu->nodes)))
		return -ENOMEM;
	if (dwarf_attr_integrate(die, DW_AT_name, &attr))
		name = dwarf_formstring(&attr);
	cu->nodes[cu->node_count] = (struct cu_node){
		.name = name ? name : "",
		.parent = parent,
		.call_file = parent >= 0 ? (uint32_t)number_of(die, DW_AT_call_file) : 0,
		.call_line = parent >= 0 ? number_of(die, DW_AT_call_line) : 0,
		.decl_line = number_of(die, DW_AT_decl_line),
	};
	return (int)cu->node_count++;
}

static int add_range(struct cu_builder *builder, uint64_t low, uint64_t high, int32_t node,
		     uint32_t depth)
{
	if (vector_grow(&builder->ranges, builder->range_count, sizeof(*builder->ranges)))
		return -ENOMEM;
	builder->ranges[builder->range_count++] = (struct cu_range){low, high, node, depth};
	return 0;
}

/* A function's or inlined call's node and ranges; *@node becomes the new one's index. */
static int add_function(struct cu_builder *builder, Dwarf_Die *die, uint32_t depth, int32_t *node)
{
	Dwarf_Addr base, low, high;
	ptrdiff_t offset = 0;
	int32_t added = -1;

	while ((offset = dwarf_ranges(die, offset, &base, &low, &high)) > 0) {
		int err;

		if (low >= high)
			continue;
		if (added < 0) {
			added = add_node(builder, die, *node);
			if (added < 0)
				return added;
		}
		err = add_range(builder, low, high, added, depth);
		if (err)
			return err;
	}
	*node = added;
	return 0;
}

static int walk_children(struct cu_builder *builder, Dwarf_Die *parent, uint32_t depth,
			 int32_t node);

static int walk_die(struct cu_builder *builder, Dwarf_Die *die, uint32_t depth, int32_t node)
{
	int err = 0;

	switch (dwarf_tag(die)) {
	case DW_TAG_subprogram:
		/* One in another is a function of its own, not a part of it. */
		node = -1;
		err = add_function(builder, die, depth, &node);
		if (err || node < 0)
			return err;
		break;
	case DW_TAG_inlined_subroutine:
		err = add_function(builder, die, depth, &node);
		if (err || node < 0)
			return err;
		break;
	case DW_TAG_lexical_block:
		break;
	case DW_TAG_namespace:
	case DW_TAG_structure_type:
	case DW_TAG_enumeration_type:
		/* Rust has functions in these; in C there are thousands without. */
		if (depth > 0 || dwarf_tag(die) == DW_TAG_namespace)
			break;
		return 0;
	default:
		return 0;
	}
	return walk_children(builder, die, depth + 1, node);
}

static int walk_children(struct cu_builder *builder, Dwarf_Die *parent, uint32_t depth,
			 int32_t node)
{
	Dwarf_Die die;

	if (depth > TREE_DEPTH_MAX || dwarf_child(parent, &die) != 0)
		return 0;
	do {
		int err = walk_die(builder, &die, depth, node);

		if (err)
			return err;
	} while (dwarf_siblingof(&die, &die) == 0);
	return 0;
}

/* Outer ranges before those in them. */
static int compare_ranges(const void *a, const void *b)
{
	const struct cu_range *x = a, *y = b;

	if (x->low != y->low)
		return x->low < y->low ? -1 : 1;
	if (x->depth != y->depth)
		return x->depth < y->depth ? -1 : 1;
	if (x->high != y->high)
		return x->high > y->high ? -1 : 1;
	return x->node < y->node ? -1 : x->node > y->node;
}

static void add_segment(struct cu_index *cu, uint64_t addr, int32_t node)
{
	struct cu_segment *last = cu->segments + cu->segment_count;

	/* Several ranges begin or end at one address: the last word counts. */
	if (cu->segment_count && last[-1].addr == addr)
		last[-1].node = node;
	else
		cu->segments[cu->segment_count++] = (struct cu_segment){addr, node};
}

/* Nested ranges to a line of segments, each with its innermost node. */
static int flatten(struct cu_builder *builder)
{
	struct cu_index *cu = builder->cu;
	_cleanup_free_ struct cu_range *open = NULL;
	size_t depth = 0;

	if (!builder->range_count)
		return 0;
	qsort(builder->ranges, builder->range_count, sizeof(*builder->ranges), compare_ranges);
	cu->segments = malloc(builder->range_count * 2 * sizeof(*cu->segments));
	open = malloc(builder->range_count * sizeof(*open));
	if (!cu->segments || !open)
		return -ENOMEM;
	for (size_t i = 0; i <= builder->range_count; i++) {
		const struct cu_range *range = &builder->ranges[i];
		bool end = i == builder->range_count;

		while (depth && (end || open[depth - 1].high <= range->low)) {
			depth--;
			add_segment(cu, open[depth].high, depth ? open[depth - 1].node : -1);
		}
		if (end)
			break;
		add_segment(cu, range->low, range->node);
		open[depth++] = *range;
		/* What reaches beyond the range around it is cut off there. */
		if (depth > 1 && open[depth - 1].high > open[depth - 2].high)
			open[depth - 1].high = open[depth - 2].high;
	}
	return 0;
}

struct cu_index *cu_index_create(const Dwarf_Die *die)
{
	struct cu_index *cu = calloc(1, sizeof(*cu));
	struct cu_builder builder = {.cu = cu};
	int err;

	if (!cu)
		return NULL;
	cu->die = *die;
	err = walk_children(&builder, &cu->die, 0, -1);
	if (err == 0 || err == -E2BIG)
		err = flatten(&builder);
	free(builder.ranges);
	if (err == 0 && dwarf_getsrcfiles(&cu->die, &cu->files, &cu->file_count) == 0) {
		cu->paths = calloc(cu->file_count, sizeof(*cu->paths));
		if (!cu->paths)
			err = -ENOMEM;
	} else {
		cu->file_count = 0;
	}
	if (err) {
		cu_index_destroy(cu);
		return NULL;
	}
	return cu;
}

void cu_index_destroy(struct cu_index *cu)
{
	if (!cu)
		return;
	free(cu->paths);
	free(cu->nodes);
	free(cu->segments);
	free(cu);
}

void path_normalise(char *path)
{
	char *start = path + (*path == '/'), *from = start, *to = start;

	while (*from) {
		size_t len = strcspn(from, "/");
		char *last = to;

		while (last > start && last[-1] == '/')
			last--;
		while (last > start && last[-1] != '/')
			last--;
		if (len == 0 || (len == 1 && from[0] == '.')) {
			/* nothing */
		} else if (len == 2 && from[0] == '.' && from[1] == '.' && to > start &&
			   strncmp(last, "../", 3) != 0) {
			to = last;
		} else {
			memmove(to, from, len);
			to += len;
			if (from[len] == '/')
				*to++ = '/';
		}
		from += len;
		while (*from == '/')
			from++;
	}
	*to = '\0';
}

/* Directory that relative paths of the unit start from, "" if that is relative itself. */
static const char *absolute_comp_dir(struct cu_index *cu)
{
	Dwarf_Attribute attr;
	const char *dir = NULL;

	if (dwarf_attr(&cu->die, DW_AT_comp_dir, &attr))
		dir = dwarf_formstring(&attr);
	return dir && dir[0] == '/' ? dir : "";
}

const char *cu_index_path(struct cu_index *cu, struct arena *arena, size_t index)
{
	_cleanup_free_ char *path = NULL;
	const char *raw, *dir;

	if (index >= cu->file_count)
		return "";
	if (cu->paths[index])
		return cu->paths[index];
	raw = dwarf_filesrc(cu->files, index, NULL, NULL);
	if (!raw || !raw[0])
		return "";
	dir = raw[0] == '/' ? "" : absolute_comp_dir(cu);
	if (asprintf(&path, "%s%s%s", dir, dir[0] ? "/" : "", raw) < 0) {
		path = NULL;
		return NULL;
	}
	path_normalise(path);
	cu->paths[index] = arena_strndup(arena, path, strlen(path));
	return cu->paths[index];
}

int32_t cu_index_node(const struct cu_index *cu, uint64_t addr)
{
	size_t count =
		address_upper_bound(cu->segments, cu->segment_count, sizeof(*cu->segments), addr);

	return count ? cu->segments[count - 1].node : -1;
}

/* File and line of an address by the line table; left as they are if it has none. */
static int find_line(struct cu_index *cu, struct arena *arena, uint64_t addr,
		     struct srcline *ret_frame)
{
	Dwarf_Line *line = dwarf_getsrc_die(&cu->die, addr);
	Dwarf_Files *files;
	size_t index;
	int number;

	if (!line || dwarf_lineno(line, &number) || dwarf_line_file(line, &files, &index))
		return 0;
	ret_frame->file = cu_index_path(cu, arena, index);
	ret_frame->line = number;
	return ret_frame->file ? 0 : -ENOMEM;
}

int cu_index_chain(struct cu_index *cu, struct arena *arena, uint64_t addr,
		   struct srcline *ret_chain, size_t max)
{
	int32_t at = cu_index_node(cu, addr);
	struct srcline frame = {.function = "", .file = ""};
	size_t count = 0;

	if (find_line(cu, arena, addr, &frame))
		return -ENOMEM;
	if (at < 0) {
		if (!frame.line || !max)
			return 0;
		ret_chain[0] = frame;
		return 1;
	}
	while (at >= 0 && count < max) {
		const struct cu_node *node = &cu->nodes[at];

		frame.function = node->name;
		frame.decl_line = node->decl_line;
		ret_chain[count++] = frame;
		frame = (struct srcline){.file = cu_index_path(cu, arena, node->call_file),
					 .line = node->call_line};
		if (!frame.file)
			return -ENOMEM;
		at = node->parent;
	}
	return (int)count;
}
