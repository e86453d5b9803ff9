// SPDX-License-Identifier: GPL-2.0
#include "symbolize/variable/typedie.h"

#include <dwarf.h>

bool typedie_of(Dwarf_Die *die, Dwarf_Die *ret)
{
	Dwarf_Attribute attr;

	return dwarf_attr_integrate(die, DW_AT_type, &attr) && dwarf_formref_die(&attr, ret);
}

bool typedie_peel(Dwarf_Die *die, Dwarf_Die *ret)
{
	return dwarf_peel_type(die, ret) == 0;
}

uint32_t typedie_bytes(Dwarf_Die *die)
{
	Dwarf_Word size;
	Dwarf_Die bare;

	if (!typedie_peel(die, &bare))
		return 0;
	if (dwarf_tag(&bare) == DW_TAG_pointer_type)
		return 8;
	return dwarf_aggregate_size(&bare, &size) || size > UINT32_MAX ? 0 : (uint32_t)size;
}

static enum ctype_class base_class(Dwarf_Die *bare)
{
	Dwarf_Attribute attr;
	Dwarf_Word encoding;

	if (!dwarf_attr(bare, DW_AT_encoding, &attr) || dwarf_formudata(&attr, &encoding))
		return CTYPE_UNKNOWN;
	switch (encoding) {
	case DW_ATE_boolean:
		return CTYPE_BOOL;
	case DW_ATE_signed:
	case DW_ATE_signed_char:
		return CTYPE_SIGNED;
	case DW_ATE_unsigned:
	case DW_ATE_unsigned_char:
	case DW_ATE_UTF:
		return CTYPE_UNSIGNED;
	default:
		return CTYPE_OTHER;
	}
}

void typedie_set(struct ctype *ret, struct debugimage *image, Dwarf_Die *type)
{
	Dwarf_Die bare;

	*ret = (struct ctype){};
	if (!typedie_peel(type, &bare))
		return;
	ret->image = image;
	ret->die = dwarf_dieoffset(&bare);
	ret->bytes = typedie_bytes(&bare);
	switch (dwarf_tag(&bare)) {
	case DW_TAG_pointer_type:
		ret->class = CTYPE_POINTER;
		break;
	case DW_TAG_base_type:
		ret->class = base_class(&bare);
		break;
	case DW_TAG_enumeration_type:
		ret->class = CTYPE_ENUM;
		break;
	default:
		ret->class = CTYPE_OTHER;
	}
}

bool typedie_get(const struct ctype *type, Dwarf_Die *ret)
{
	return type->image && dwarf_offdie(debugimage_dwarf(type->image), type->die, ret);
}

bool typedie_udata(Dwarf_Die *die, unsigned int name, Dwarf_Word *ret)
{
	Dwarf_Attribute attr;

	return dwarf_attr_integrate(die, name, &attr) && !dwarf_formudata(&attr, ret);
}

/*
 * A compiler writes a number that is not negative in the fewest bytes that hold it, and a negative
 * one as sdata (add_AT_unsigned() and add_AT_int() of GCC). dwarf_formsdata() takes the upper bit
 * of these bytes for a sign: 200 would be -56.
 */
bool typedie_constant(Dwarf_Attribute *attr, int64_t *ret)
{
	Dwarf_Sword number;
	Dwarf_Word bits;

	switch (dwarf_whatform(attr)) {
	case DW_FORM_data1:
	case DW_FORM_data2:
	case DW_FORM_data4:
		if (dwarf_formudata(attr, &bits))
			return false;
		*ret = (int64_t)bits;
		return true;
	default:
		if (dwarf_formsdata(attr, &number))
			return false;
		*ret = number;
		return true;
	}
}

bool typedie_pointed(const struct ctype *pointer, Dwarf_Die *ret)
{
	Dwarf_Die type, target;

	return pointer->class == CTYPE_POINTER && typedie_get(pointer, &type) &&
	       typedie_of(&type, &target) && typedie_peel(&target, ret);
}

bool typedie_is_record(Dwarf_Die *type)
{
	int tag = dwarf_tag(type);

	return tag == DW_TAG_structure_type || tag == DW_TAG_union_type;
}
