/* SPDX-License-Identifier: GPL-2.0 */
/*
 * cuindex.h - functions and inlined calls of one compilation unit, as arrays to search in
 *
 * Internal to symbolize/. A unit's tree is read once, when an address of it is first asked for.
 */
#ifndef LBRSNOOP_SYMBOLIZE_DEBUG_CUINDEX_H
#define LBRSNOOP_SYMBOLIZE_DEBUG_CUINDEX_H

#include <stddef.h>
#include <stdint.h>

#include <elfutils/libdw.h>

#include "symbolize/debug/dwarf.h"
#include "symbolize/symtab.h"

/**
 * struct cu_node - a function, or one place where one was inlined
 * @name: borrowed from libdw
 * @parent: index of what it was inlined into, -1 for a function
 * @call_file: index in the unit's file table
 */
struct cu_node {
	const char *name;
	int32_t parent;
	uint32_t call_file;
	int32_t call_line;
	int32_t decl_line;
};

/** struct cu_segment - from @addr to the next segment, the innermost node is @node (-1: none) */
struct cu_segment {
	uint64_t addr;
	int32_t node;
};

/** struct cu_index - a unit; segments in address order */
struct cu_index {
	Dwarf_Die die;
	Dwarf_Files *files;
	size_t file_count;
	const char **paths; /* normalised, by file index; NULL until asked for */
	struct cu_node *nodes;
	size_t node_count;
	struct cu_segment *segments;
	size_t segment_count;
};

/**
 * cu_index_create() - read the functions of a unit
 * @die: of the unit
 * Return: NULL if there is no memory. What is broken in the unit is left out.
 */
struct cu_index *cu_index_create(const Dwarf_Die *die);

/** cu_index_destroy() - free; NULL is fine */
void cu_index_destroy(struct cu_index *cu);

/**
 * cu_index_chain() - inlined chain at an address of the unit, innermost first
 * @arena: keeps the paths
 * @addr: as in the unit
 * Return: frames written, 0 if the unit knows nothing of @addr; -ENOMEM.
 */
int cu_index_chain(struct cu_index *cu, struct arena *arena, uint64_t addr,
		   struct srcline *ret_chain, size_t max);

/** cu_index_node() - index in nodes of the innermost function at an address; -1 if there is none */
int32_t cu_index_node(const struct cu_index *cu, uint64_t addr);

/**
 * cu_index_path() - normalised path of a file of the unit
 * @arena: keeps it
 * @index: in the unit's file table
 * Return: "" if there is none; NULL if there is no memory.
 */
const char *cu_index_path(struct cu_index *cu, struct arena *arena, size_t index);

/**
 * path_normalise() - fold "//", "./" and "name/../" of a path, in place
 * Leading "../" stay.
 */
void path_normalise(char *path);

#endif
