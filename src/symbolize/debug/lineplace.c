// SPDX-License-Identifier: GPL-2.0
#include "symbolize/debug/lineplace.h"

#include <dwarf.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "util/address.h"
#include "util/cleanup.h"
#include "util/vector.h"

/* What a broken file could make of one line. */
#define ROWS_MAX (1u << 20)

/**
 * enum row_rank - how good a place a row is; the best that there are of a line count
 * @ROW_STATEMENT: the compiler recommends it for a breakpoint
 * @ROW_CODE: code of the line, but not as a statement of its own
 * @ROW_EMPTY: another line begins there as well, and comes later in the table: the code is its
 */
enum row_rank { ROW_STATEMENT, ROW_CODE, ROW_EMPTY, ROW_NONE };

/** struct line_row - an address at which the line's code begins, and the function it is in */
struct line_row {
	Dwarf_Off unit;
	int32_t node;
	uint64_t addr;
	enum row_rank rank;
};

/**
 * struct line_search - one search
 * @file: normalised
 * @next_line: the nearest later line with code; INT_MAX: none
 * @best: of the rows found
 */
struct line_search {
	struct debugimage *image;
	struct arena *arena;
	char *file;
	int line;
	int next_line;
	enum row_rank best;
	struct line_row *rows;
	size_t row_count;
	struct line_places *places;
};

/* Is @end the last parts of @path? */
static bool path_ends_in(const char *path, const char *end)
{
	size_t len = strlen(path), end_len = strlen(end);

	return len >= end_len && !strcmp(path + len - end_len, end) &&
	       (len == end_len || path[len - end_len - 1] == '/' || end[0] == '/');
}

static void note_file(struct line_places *places, const char *path)
{
	for (size_t i = 0; i < places->file_count; i++)
		if (!strcmp(places->files[i], path))
			return;
	if (places->file_count < LINE_FILES_MAX)
		places->files[places->file_count++] = path;
}

static int add_row(struct line_search *search, struct line_row row)
{
	if (search->row_count == ROWS_MAX ||
	    vector_grow(&search->rows, search->row_count, sizeof(row)))
		return -ENOMEM;
	search->rows[search->row_count++] = row;
	if (row.rank < search->best)
		search->best = row.rank;
	return 0;
}

/* One row of a unit's line table whose file is one that was asked for; @next may be NULL. */
static int visit_row(struct line_search *search, struct cu_index *cu, Dwarf_Line *row,
		     Dwarf_Line *next)
{
	Dwarf_Addr addr, next_addr;
	bool begins, end, empty;
	int number;

	if (dwarf_lineno(row, &number) || dwarf_lineaddr(row, &addr) ||
	    dwarf_linebeginstatement(row, &begins) || dwarf_lineendsequence(row, &end) || end ||
	    number < search->line)
		return 0;
	empty = next && !dwarf_lineaddr(next, &next_addr) && next_addr == addr;
	if (empty && !begins)
		return 0;
	if (number > search->line) {
		if (number < search->next_line)
			search->next_line = number;
		return 0;
	}
	return add_row(search, (struct line_row){
				       .unit = dwarf_dieoffset(&cu->die),
				       .node = cu_index_node(cu, addr),
				       .addr = addr,
				       .rank = empty	? ROW_EMPTY
					       : begins ? ROW_STATEMENT
							: ROW_CODE,
			       });
}

/* The paths of the unit's files that were asked for, by index; NULL for the others. */
static int match_files(struct line_search *search, struct cu_index *cu, const char **paths,
		       bool *ret_any)
{
	*ret_any = false;
	for (size_t i = 0; i < cu->file_count; i++) {
		const char *path = cu_index_path(cu, search->arena, i);

		if (!path)
			return -ENOMEM;
		if (!path_ends_in(path, search->file))
			continue;
		paths[i] = path;
		note_file(search->places, path);
		*ret_any = true;
	}
	return 0;
}

static int search_unit(struct line_search *search, const Dwarf_Die *die)
{
	struct cu_index *cu = debugimage_unit(search->image, die);
	_cleanup_free_ const char **paths = NULL;
	Dwarf_Lines *rows;
	size_t count;
	bool any;
	int err;

	if (!cu)
		return -ENOMEM;
	paths = calloc(cu->file_count + 1, sizeof(*paths));
	if (!paths)
		return -ENOMEM;
	err = match_files(search, cu, paths, &any);
	if (err || !any || dwarf_getsrclines(&cu->die, &rows, &count))
		return err;
	for (size_t i = 0; i < count && !err; i++) {
		Dwarf_Line *row = dwarf_onesrcline(rows, i);
		Dwarf_Files *files;
		size_t index;

		if (!dwarf_line_file(row, &files, &index) && index < cu->file_count && paths[index])
			err = visit_row(search, cu, row,
					i + 1 < count ? dwarf_onesrcline(rows, i + 1) : NULL);
	}
	return err;
}

/* Reading the line table of a unit takes time, and a kernel has thousands: is it worth it? */
static bool named_so(const Dwarf_Die *die, const char *file)
{
	const char *name = dwarf_diename((Dwarf_Die *)die);
	_cleanup_free_ char *path = name ? strdup(name) : NULL;

	if (!path)
		return false;
	path_normalise(path);
	/* A path longer than DWARF's has the compilation directory in front. */
	return path_ends_in(path, file) || path_ends_in(file, path);
}

/* @all: every unit; else those whose own name is the one that was asked for */
static int search_units(struct line_search *search, bool all)
{
	Dwarf *dwarf = debugimage_dwarf(search->image);
	Dwarf_CU *cu = NULL;
	Dwarf_Die die;
	uint8_t type;
	int err = 0;

	while (!err && dwarf_get_units(dwarf, cu, &cu, NULL, &type, &die, NULL) == 0)
		if ((type == DW_UT_compile || type == DW_UT_skeleton) &&
		    (all || named_so(&die, search->file)))
			err = search_unit(search, &die);
	return err;
}

static int by_function(const void *a, const void *b)
{
	const struct line_row *x = a, *y = b;

	if (x->unit != y->unit)
		return x->unit < y->unit ? -1 : 1;
	if (x->node != y->node)
		return x->node < y->node ? -1 : 1;
	return x->addr < y->addr ? -1 : x->addr > y->addr;
}

/* The first of each function, at its run-time address. */
static void keep_first(struct line_search *search)
{
	struct line_places *places = search->places;
	const struct line_row *last = NULL;

	if (search->row_count)
		qsort(search->rows, search->row_count, sizeof(*search->rows), by_function);
	for (size_t i = 0; i < search->row_count; i++) {
		const struct line_row *row = &search->rows[i];
		uint64_t addr;

		if ((row->rank > search->best) ||
		    (last && last->unit == row->unit && last->node == row->node))
			continue;
		last = row;
		if (debugimage_runtime(search->image, row->addr, &addr))
			continue; /* of a function that the linker dropped, or an init section */
		if (places->addr_count < LINE_PLACES_MAX)
			places->addrs[places->addr_count] = addr;
		places->addr_count++;
	}
	if (places->addr_count && places->addr_count <= LINE_PLACES_MAX)
		qsort(places->addrs, places->addr_count, sizeof(places->addrs[0]), address_compare);
}

int debugimage_places(struct debugimage *image, const char *file, int line,
		      struct line_places *ret_places)
{
	struct line_places places = {0};
	struct line_search search = {.image = image,
				     .arena = debugimage_strings(image),
				     .file = strdup(file),
				     .line = line,
				     .next_line = INT_MAX,
				     .best = ROW_NONE,
				     .places = &places};
	int err;

	if (!search.file)
		return -ENOMEM;
	path_normalise(search.file);
	err = search_units(&search, false);
	/* A header, or a file that others include. */
	if (!err && !places.file_count)
		err = search_units(&search, true);
	if (!err && !places.file_count)
		err = -ENOENT;
	if (!err) {
		if (places.file_count == 1)
			keep_first(&search);
		if (!places.addr_count && search.next_line < INT_MAX)
			places.next_line = search.next_line;
		*ret_places = places;
	}
	free(search.rows);
	free(search.file);
	return err;
}

int debugimage_for_each_unit(struct debugimage *image, lines_file_fn *fn, void *ctx)
{
	Dwarf *dwarf = debugimage_dwarf(image);
	Dwarf_CU *cu = NULL;
	Dwarf_Die die;
	uint8_t type;

	while (dwarf_get_units(dwarf, cu, &cu, NULL, &type, &die, NULL) == 0) {
		_cleanup_free_ char *path = NULL;
		const char *name;
		int stop;

		if (type != DW_UT_compile && type != DW_UT_skeleton)
			continue;
		name = dwarf_diename(&die);
		path = name ? strdup(name) : NULL;
		if (!path)
			continue;
		path_normalise(path);
		stop = fn(path, ctx);
		if (stop)
			return stop;
	}
	return 0;
}
