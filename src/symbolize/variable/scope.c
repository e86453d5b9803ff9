// SPDX-License-Identifier: GPL-2.0
#include "symbolize/variable/scope.h"

#include <dwarf.h>
#include <string.h>

bool scope_within(Dwarf_Die *outer, uint64_t pc, Dwarf_Die *ret)
{
	if (dwarf_child(outer, ret))
		return false;
	do {
		int tag = dwarf_tag(ret);

		if ((tag == DW_TAG_subprogram || tag == DW_TAG_inlined_subroutine ||
		     tag == DW_TAG_lexical_block) &&
		    dwarf_haspc(ret, pc) == 1)
			return true;
	} while (!dwarf_siblingof(ret, ret));
	return false;
}

/* What another unit defines has no place of its own here. */
static bool is_declaration(Dwarf_Die *die)
{
	Dwarf_Attribute attr;
	bool is = false;

	return (dwarf_attr(die, DW_AT_declaration, &attr) && !dwarf_formflag(&attr, &is) && is) ||
	       (dwarf_attr(die, DW_AT_external, &attr) && !dwarf_formflag(&attr, &is) && is);
}

bool scope_is_variable(Dwarf_Die *die)
{
	int tag = dwarf_tag(die);

	return (tag == DW_TAG_formal_parameter || tag == DW_TAG_variable) && !is_declaration(die);
}

bool scope_has_variable(Dwarf_Die *scope, const char *name)
{
	Dwarf_Die child;

	if (dwarf_child(scope, &child))
		return false;
	do {
		const char *found = scope_is_variable(&child) ? dwarf_diename(&child) : NULL;

		if (found && !strcmp(found, name))
			return true;
	} while (!dwarf_siblingof(&child, &child));
	return false;
}

bool scope_hides(Dwarf_Die *unit, uint64_t pc, const char *name)
{
	Dwarf_Die outer = *unit, inner;

	while (scope_within(&outer, pc, &inner)) {
		if (scope_has_variable(&inner, name))
			return true;
		outer = inner;
	}
	return false;
}
