/* SPDX-License-Identifier: GPL-2.0 */
/* place.h - special places of the kernel's code, known by name */
#ifndef LBRSNOOP_PATH_PLACE_H
#define LBRSNOOP_PATH_PLACE_H

#include "path/path.h"

/**
 * path_place_of_symbol() - what is special about an address in a function of this name
 * @offset: of the address from the function's start
 */
enum path_place path_place_of_symbol(const char *name, uint64_t offset);

/**
 * path_place_by_symbols() - a path_place_fn
 * @symbols: struct symbols of symbolize/symbolize.h (borrowed)
 */
enum path_place path_place_by_symbols(void *symbols, uint64_t addr);

#endif
