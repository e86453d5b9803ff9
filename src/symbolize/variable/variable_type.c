// SPDX-License-Identifier: GPL-2.0
/* variable_type.c - types in words */
#include <dwarf.h>
#include <elfutils/libdw.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "symbolize/debug/debugimage.h"
#include "symbolize/variable/variable.h"

/* "int ***" is deep enough. */
#define POINTERS_MAX 3

static const char *tag_text(int tag)
{
	switch (tag) {
	case DW_TAG_structure_type:
		return "struct ";
	case DW_TAG_union_type:
		return "union ";
	case DW_TAG_enumeration_type:
		return "enum ";
	case DW_TAG_base_type:
		return "";
	default:
		return NULL;
	}
}

/* Without qualifiers and typedefs; false: it points to void. */
static bool pointed_to(Dwarf_Die *pointer, Dwarf_Die *ret)
{
	Dwarf_Attribute attr;
	Dwarf_Die type;

	return dwarf_attr_integrate(pointer, DW_AT_type, &attr) &&
	       dwarf_formref_die(&attr, &type) && dwarf_peel_type(&type, ret) == 0;
}

static int named(Dwarf_Die *die, unsigned int pointers, char *buf, size_t size)
{
	const char *tag = tag_text(dwarf_tag(die)), *name = dwarf_diename(die);
	static const char stars[POINTERS_MAX + 2] = " ***";

	if (!tag || !name)
		return -ENOENT;
	return (size_t)snprintf(buf, size, "%s%s%.*s", tag, name, pointers ? (int)pointers + 1 : 0,
				stars) < size
		       ? 0
		       : -ENOENT;
}

int variable_type_text(const struct ctype *type, char *buf, size_t size)
{
	unsigned int pointers = 0;
	Dwarf_Die die, next;
	int err = -ENOENT;

	if (type->image && dwarf_offdie(debugimage_dwarf(type->image), type->die, &die)) {
		for (; dwarf_tag(&die) == DW_TAG_pointer_type && pointers < POINTERS_MAX;
		     die = next, pointers++)
			if (!pointed_to(&die, &next))
				break;
		if (dwarf_tag(&die) != DW_TAG_pointer_type)
			err = named(&die, pointers, buf, size);
		else if (!pointers && (size_t)snprintf(buf, size, "void *") < size)
			err = 0;
	}
	if (err)
		buf[0] = '\0';
	return err;
}
