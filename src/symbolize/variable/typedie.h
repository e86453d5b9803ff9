/* SPDX-License-Identifier: GPL-2.0 */
/*
 * typedie.h - types as DWARF describes them
 *
 * Internal to symbolize/.
 */
#ifndef LBRSNOOP_SYMBOLIZE_VARIABLE_TYPEDIE_H
#define LBRSNOOP_SYMBOLIZE_VARIABLE_TYPEDIE_H

#include <stdbool.h>
#include <stdint.h>

#include "symbolize/debug/debugimage.h"
#include "symbolize/variable/variable.h"

/** typedie_of() - the type of a variable, a member, what a pointer points to; false: it has none */
bool typedie_of(Dwarf_Die *die, Dwarf_Die *ret);

/** typedie_peel() - the type without typedefs and qualifiers */
bool typedie_peel(Dwarf_Die *die, Dwarf_Die *ret);

/** typedie_bytes() - its size; 0: not known */
uint32_t typedie_bytes(Dwarf_Die *die);

/** typedie_set() - the type as struct ctype; nothing is known of one that DWARF does not have */
void typedie_set(struct ctype *ret, struct debugimage *image, Dwarf_Die *type);

/** typedie_get() - the other way round; false: it is not known */
bool typedie_get(const struct ctype *type, Dwarf_Die *ret);

/** typedie_pointed() - what a pointer points to, peeled; false: it is none */
bool typedie_pointed(const struct ctype *pointer, Dwarf_Die *ret);

/** typedie_is_record() - is it a struct or a union? */
bool typedie_is_record(Dwarf_Die *type);

/** typedie_udata() - an attribute that is a number; false: it is not there */
bool typedie_udata(Dwarf_Die *die, unsigned int name, Dwarf_Word *ret);

/** typedie_constant() - a number with its sign: of a variable, an enumerator; false: it is none */
bool typedie_constant(Dwarf_Attribute *attr, int64_t *ret);

#endif
