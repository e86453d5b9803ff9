// SPDX-License-Identifier: GPL-2.0
#include "path/on_way.h"

#include <errno.h>

#include "symbolize/cold_part.h"
#include "symbolize/place.h"
#include "util/vector.h"

static bool is_thunk(const struct symbol *sym)
{
	return place_is_thunk(place_of_symbol(sym->name, 0));
}

static bool is_newest(const struct on_way *way, const struct symbol *sym)
{
	return way->count && cold_part_same(&way->functions[way->count - 1], sym);
}

static int enter(struct on_way *way, const struct symbol *sym)
{
	if (vector_grow(&way->functions, way->count, sizeof(*way->functions)))
		return -ENOMEM;
	way->functions[way->count++] = *sym;
	return 0;
}

static int begin(struct on_way *way, const struct symbol *sym)
{
	way->count = 0;
	return enter(way, sym);
}

static bool enters(const struct on_way *way, const struct symbol *sym, uint64_t addr,
		   enum insn_class class)
{
	/* A cold part is jumped to. */
	if (addr != sym->addr || cold_part_prefix(sym->name))
		return false;
	return !is_newest(way, sym) || class == INSN_CALL || class == INSN_ICALL;
}

/* Back in a function that is on the way: what it had called is done. 0: there is none */
static size_t count_back(const struct on_way *way, const struct symbol *sym)
{
	size_t count = way->count;

	while (count && !cold_part_same(&way->functions[count - 1], sym))
		count--;
	return count;
}

int on_way_arrive(struct on_way *way, struct symbols *symbols, uint64_t addr, enum insn_class class,
		  enum on_way_step *ret)
{
	bool thunk = way->thunk;
	struct symbol sym;
	size_t count;

	*ret = ON_WAY_NOWHERE;
	way->thunk = false;
	if (symbols_find(symbols, addr, &sym))
		return 0;
	/* A thunk goes on as what led to it: its own CALL and RET are tricks. */
	if (thunk)
		class = way->led;
	if (is_thunk(&sym)) {
		way->thunk = true;
		way->led = class;
		return 0;
	}
	if (enters(way, &sym, addr, class)) {
		*ret = ON_WAY_ENTERS;
		return enter(way, &sym);
	}
	count = count_back(way, &sym);
	if (!count) {
		*ret = ON_WAY_BEGINS;
		return begin(way, &sym);
	}
	*ret = count == way->count ? ON_WAY_STAYS : ON_WAY_RETURNS;
	way->count = count;
	return 0;
}

int on_way_leave(struct on_way *way, struct symbols *symbols, uint64_t addr, enum on_way_step *ret)
{
	struct symbol sym;

	*ret = ON_WAY_NOWHERE;
	if (symbols_find(symbols, addr, &sym) || is_thunk(&sym))
		return 0;
	*ret = is_newest(way, &sym) ? ON_WAY_STAYS : ON_WAY_BEGINS;
	return *ret == ON_WAY_BEGINS ? begin(way, &sym) : 0;
}
