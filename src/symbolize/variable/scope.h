/* SPDX-License-Identifier: GPL-2.0 */
/*
 * scope.h - functions, inlined functions and blocks that an address is in, and their variables
 *
 * Internal to symbolize/. Addresses are the file's.
 */
#ifndef LBRSNOOP_SYMBOLIZE_VARIABLE_SCOPE_H
#define LBRSNOOP_SYMBOLIZE_VARIABLE_SCOPE_H

#include <elfutils/libdw.h>
#include <stdbool.h>
#include <stdint.h>

/**
 * scope_within() - the function of a unit, or what is inlined or a block within it, that @pc is in
 * Return: false if there is none.
 */
bool scope_within(Dwarf_Die *outer, uint64_t pc, Dwarf_Die *ret);

/** scope_is_variable() - a variable or an argument, but no declaration of what is elsewhere */
bool scope_is_variable(Dwarf_Die *die);

/** scope_has_variable() - of its own, not of a scope within it */
bool scope_has_variable(Dwarf_Die *scope, const char *name);

/**
 * scope_hides() - a name of the unit means a variable of a scope at @pc there
 * Also where that variable has no location: the name still means it.
 */
bool scope_hides(Dwarf_Die *unit, uint64_t pc, const char *name);

#endif
