// SPDX-License-Identifier: GPL-2.0
#include "symbolize/variable/member.h"

#include <dwarf.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "symbolize/variable/typedie.h"
#include "util/cleanup.h"

#define DEPTH_MAX 12
/* A union that is a member of itself, in damaged data, has more members than anyone can look at. */
#define TYPES_MAX 2000
/* Of members of a union that are named. */
#define ALTERNATIVES_MAX 3

bool cexpr_append(struct cexpr *e, const char *format, ...)
{
	size_t len = strlen(e->text);
	va_list args;
	int n;

	va_start(args, format);
	n = vsnprintf(e->text + len, sizeof(e->text) - len, format, args);
	va_end(args);
	return n >= 0 && (size_t)n < sizeof(e->text) - len;
}

static bool prefix(struct cexpr *e, char operator)
{
	size_t len = strlen(e->text);

	if (len + 2 > sizeof(e->text))
		return false;
	memmove(e->text + 1, e->text, len + 1);
	e->text[0] = operator;
	e->compound = true;
	return true;
}

/* DWARF has no type for the address of a member. */
bool cexpr_address(struct cexpr *e)
{
	if (!prefix(e, '&'))
		return false;
	e->type = (struct ctype){.class = CTYPE_POINTER, .bytes = 8};
	return true;
}

static int descend(Dwarf_Die *type, struct member_access access, struct cexpr *e, int depth,
		   uint32_t *ret_part);

/* "p->a" and "v.a"; damaged data has names without a letter. */
static bool append_member(struct cexpr *e, const char *name)
{
	size_t len = strlen(e->text);

	return cexpr_append(e, "%s%s", len && e->text[len - 1] == '>' ? "" : ".", name);
}

/* "*(u32 *)buf" and "*(u32 *)(buf + 4)": @e, whose value is the address of bytes, becomes that. */
static int take_bytes(struct cexpr *e, uint64_t offset, uint32_t bytes)
{
	struct cexpr taken = {.at = e->at, .compound = true};
	bool enclosed = e->compound && offset;

	if (bytes != 1 && bytes != 2 && bytes != 4 && bytes != 8)
		return -ENOENT;
	if (!cexpr_append(&taken, "*(u%u *)%s%s%s%s", bytes * 8, offset ? "(" : "",
			  enclosed ? "(" : "", e->text, enclosed ? ")" : "") ||
	    (offset && !cexpr_append(&taken, " + %llu)", (unsigned long long)offset)))
		return -ENOENT;
	taken.type = (struct ctype){.class = CTYPE_UNSIGNED, .bytes = bytes};
	*e = taken;
	return 0;
}

static bool is_character(Dwarf_Die *type)
{
	Dwarf_Word encoding;
	Dwarf_Die bare;

	return typedie_peel(type, &bare) && dwarf_tag(&bare) == DW_TAG_base_type &&
	       typedie_bytes(&bare) == 1 && typedie_udata(&bare, DW_AT_encoding, &encoding) &&
	       (encoding == DW_ATE_signed_char || encoding == DW_ATE_unsigned_char);
}

static int in_array(Dwarf_Die *array, struct member_access access, struct cexpr *e, int depth,
		    uint32_t *ret_part)
{
	Dwarf_Die element, child;
	unsigned int dimensions = 0;
	uint32_t bytes, whole = typedie_bytes(array);

	if (!typedie_of(array, &element) || dwarf_child(array, &child))
		return -ENOENT;
	do {
		dimensions += dwarf_tag(&child) == DW_TAG_subrange_type;
	} while (!dwarf_siblingof(&child, &child));
	bytes = typedie_bytes(&element);
	if (dimensions == 1 && access.as_bytes && is_character(&element))
		return whole && access.offset + access.bytes > whole
			       ? -ENOENT
			       : take_bytes(e, access.offset, access.bytes);
	if (access.index) {
		/* Before the array there may be another one: its first element alone is certain. */
		if (dimensions != 1 || bytes != access.scale || access.offset >= bytes ||
		    !cexpr_append(e, "[%s]", access.index))
			return -ENOENT;
		access.index = NULL;
		return descend(&element, access, e, depth + 1, ret_part);
	}
	if (dimensions != 1 || !bytes ||
	    !cexpr_append(e, "[%llu]", (unsigned long long)(access.offset / bytes)))
		return -ENOENT;
	access.offset %= bytes;
	return descend(&element, access, e, depth + 1, ret_part);
}

static bool is_open_array(Dwarf_Die *type)
{
	Dwarf_Die bare;

	return typedie_peel(type, &bare) && dwarf_tag(&bare) == DW_TAG_array_type &&
	       !typedie_bytes(&bare);
}

/* Is the access to this member? Then into @e, which is that of the struct before. */
static int try_member(Dwarf_Die *member, struct member_access access, struct cexpr *e, int depth,
		      uint32_t *ret_part)
{
	const char *name = dwarf_diename(member);
	Dwarf_Word at = 0, bits;
	Dwarf_Die type;
	uint32_t bytes;

	if (dwarf_tag(member) != DW_TAG_member || typedie_udata(member, DW_AT_bit_size, &bits) ||
	    !typedie_of(member, &type))
		return -ENOENT;
	typedie_udata(member, DW_AT_data_member_location, &at);
	bytes = typedie_bytes(&type);
	if (access.offset < at || (access.offset - at >= bytes && !access.open))
		return -ENOENT;
	if (access.open && !(is_open_array(&type) && depth < 2))
		return -ENOENT;
	access.open = false;
	access.offset -= at;
	if (name && !append_member(e, name))
		return -ENOENT;
	/* An address is that of the outermost member that begins there. */
	if (!access.bytes && !access.offset && name) {
		typedie_set(&e->type, access.image, &type);
		return 0;
	}
	return descend(&type, access, e, depth + 1, ret_part);
}

static unsigned int count_alternatives(const char *text)
{
	unsigned int count = 1;

	for (; *text; text++)
		count += *text == '|';
	return count;
}

/*
 * Several members of a union may be meant: then they are named, "p->(a|b)", if they differ in the
 * last name only; the type is nobody's. Of many, and of alternatives within one, there are more
 * than a reader wants to know: "p->(a|b|...)".
 */
static bool join_alternatives(struct cexpr *e, const struct cexpr *other)
{
	size_t same = 0, len = strlen(e->text);
	bool joined = len && e->text[len - 1] == ')' && strchr(e->text, '|');
	const char *name;

	if (strcmp(e->text, other->text) == 0)
		return true;
	while (e->text[same] && e->text[same] == other->text[same])
		same++;
	while (same && e->text[same - 1] != '.' && e->text[same - 1] != '>')
		same--;
	if (strchr(e->text + same + joined, '(') || e->text[0] == '*' || other->text[0] == '*')
		return false;
	name = strchr(other->text + same, '(') ||
			       count_alternatives(e->text + same) >= ALTERNATIVES_MAX
		       ? "..."
		       : other->text + same;
	e->type.class = CTYPE_UNKNOWN;
	e->type.image = NULL;
	if (joined && len > 5 && !strcmp(e->text + len - 5, "|...)"))
		return true;
	if (joined) {
		e->text[len - 1] = '\0';
		return cexpr_append(e, "|%s)", name);
	}
	if (len + 3 >= sizeof(e->text))
		return false;
	memmove(e->text + same + 1, e->text + same, len - same + 1);
	e->text[same] = '(';
	return cexpr_append(e, "|%s)", name);
}

/* Arrays of no elements mark places within a struct; only behind all members there may be some. */
static bool is_behind_all(Dwarf_Die *type, Dwarf_Die *member)
{
	Dwarf_Word at = 0, other;
	Dwarf_Die next;

	typedie_udata(member, DW_AT_data_member_location, &at);
	if (dwarf_child(type, &next))
		return false;
	do {
		if (dwarf_tag(&next) == DW_TAG_member &&
		    typedie_udata(&next, DW_AT_data_member_location, &other) && other > at)
			return false;
	} while (!dwarf_siblingof(&next, &next));
	return true;
}

/* Of the members that have an end, or of those that have none. */
static int in_members(Dwarf_Die *type, struct member_access access, struct cexpr *e, int depth,
		      uint32_t *ret_part)
{
	const struct cexpr before = *e;
	bool found = false;
	Dwarf_Die member;

	if (dwarf_child(type, &member))
		return -ENOENT;
	do {
		struct cexpr one = before;
		uint32_t part = 0;

		if (try_member(&member, access, &one, depth, &part) ||
		    (access.open && !is_behind_all(type, &member)))
			continue;
		if (found && (part || *ret_part || !join_alternatives(e, &one)))
			return -ENOENT;
		if (!found)
			*e = one;
		*ret_part = part;
		found = true;
	} while (!dwarf_siblingof(&member, &member));
	return found ? 0 : -ENOENT;
}

static int in_struct(Dwarf_Die *type, struct member_access access, struct cexpr *e, int depth,
		     uint32_t *ret_part)
{
	int err = in_members(type, access, e, depth, ret_part);

	access.open = true;
	return err == -ENOENT ? in_members(type, access, e, depth, ret_part) : err;
}

static int descend(Dwarf_Die *type, struct member_access access, struct cexpr *e, int depth,
		   uint32_t *ret_part)
{
	Dwarf_Die bare;
	uint32_t bytes;

	if (depth > DEPTH_MAX || !*access.left || !typedie_peel(type, &bare))
		return -ENOENT;
	--*access.left;
	switch (dwarf_tag(&bare)) {
	case DW_TAG_structure_type:
	case DW_TAG_union_type:
		return in_struct(&bare, access, e, depth, ret_part);
	case DW_TAG_array_type:
		return in_array(&bare, access, e, depth, ret_part);
	default:
		break;
	}
	bytes = typedie_bytes(&bare);
	if (!bytes || !access.bytes || access.index || access.offset + access.bytes > bytes)
		return -ENOENT;
	if (bytes != access.bytes && !access.part_ok)
		return -ENOENT;
	*ret_part = (uint32_t)access.offset;
	typedie_set(&e->type, access.image, &bare);
	return 0;
}

int member_at(Dwarf_Die *type, const struct member_access *access, struct cexpr *e,
	      uint32_t *ret_part)
{
	struct member_access limited = *access;
	unsigned int left = TYPES_MAX;

	limited.left = &left;
	return descend(type, limited, e, 0, ret_part);
}

/* "*p" and "p[2]" of what is no struct. */
static int in_scalars(const struct cexpr *pointer, Dwarf_Die *type, struct member_access access,
		      struct cexpr *e, uint32_t *ret_part)
{
	uint32_t bytes = typedie_bytes(type);

	if (access.index) {
		if (bytes != access.scale || access.offset >= bytes || pointer->compound ||
		    !cexpr_append(e, "[%s]", access.index))
			return -ENOENT;
		access.index = NULL;
		return member_at(type, &access, e, ret_part);
	}
	if (!bytes || access.offset >= 64u * bytes)
		return -ENOENT;
	if (access.offset < bytes) {
		if (!prefix(e, '*'))
			return -ENOENT;
	} else if (pointer->compound ||
		   !cexpr_append(e, "[%llu]", (unsigned long long)(access.offset / bytes))) {
		return -ENOENT;
	}
	access.offset %= bytes;
	return member_at(type, &access, e, ret_part);
}

/* A pointer to an incomplete struct: its unit need not know more. */
static bool is_declared_only(Dwarf_Die *type)
{
	Dwarf_Attribute attr;
	bool is = false;

	return dwarf_attr(type, DW_AT_declaration, &attr) && !dwarf_formflag(&attr, &is) && is;
}

/* @access: all but its image */
static int behind_pointer(const struct cexpr *pointer, struct member_access access,
			  struct cexpr *ret, uint32_t *ret_part)
{
	struct cexpr e = *pointer;
	uint32_t part = 0;
	Dwarf_Die type;
	int err;

	access.image = pointer->type.image;
	if (!typedie_pointed(&pointer->type, &type) || is_declared_only(&type))
		return -ENOENT;
	if (!typedie_is_record(&type)) {
		if (!access.bytes)
			return -ENOENT;
		err = in_scalars(pointer, &type, access, &e, &part);
	} else {
		/* An array of structs starts where a struct does: behind its end nobody knows. */
		snprintf(e.text, sizeof(e.text), pointer->compound ? "(%s)->" : "%s->",
			 pointer->text);
		if (strlen(e.text) + 8 >= sizeof(e.text))
			return -ENOENT;
		e.compound = false;
		err = member_at(&type, &access, &e, &part);
	}
	if (err)
		return err;
	if (!access.bytes && !cexpr_address(&e))
		return -ENOENT;
	if (ret_part)
		*ret_part = part;
	*ret = e;
	return 0;
}

int variable_member(const struct cexpr *pointer, int64_t offset, uint32_t bytes, struct cexpr *ret,
		    uint32_t *ret_part)
{
	const struct member_access access = {
		.offset = (uint64_t)offset,
		.bytes = bytes,
		.part_ok = ret_part != NULL,
	};

	return offset < 0 ? -ENOENT : behind_pointer(pointer, access, ret, ret_part);
}

int variable_element(const struct cexpr *pointer, int64_t offset, const char *index, uint32_t scale,
		     uint32_t bytes, struct cexpr *ret)
{
	const struct member_access access = {
		.offset = (uint64_t)offset,
		.bytes = bytes,
		.index = index,
		.scale = scale,
	};

	return offset < 0 || !bytes ? -ENOENT : behind_pointer(pointer, access, ret, NULL);
}

/* A pointer to void, or to bytes: what is behind it has no name. */
static bool is_untyped(const struct ctype *pointer)
{
	Dwarf_Die type, target, bare;

	return pointer->class == CTYPE_POINTER && typedie_get(pointer, &type) &&
	       (!typedie_of(&type, &target) || !typedie_peel(&target, &bare) ||
		is_character(&bare));
}

/* include/net/netlink.h: what is behind these structs is got by these functions. */
static const struct {
	const char *type;
	uint32_t bytes;
	const char *function;
} payloads[] = {
	{"nlattr", 4, "nla_data"},
	{"nlmsghdr", 16, "nlmsg_data"},
};

/* "*(u32 *)nla_data(p)" */
static int in_payload(Dwarf_Die *type, uint64_t offset, uint32_t bytes, struct cexpr *e)
{
	const char *name = dwarf_diename(type);
	struct cexpr data = {.at = e->at};

	for (size_t i = 0; name && i < ARRAY_SIZE(payloads); i++) {
		if (strcmp(name, payloads[i].type) != 0 || offset < payloads[i].bytes ||
		    typedie_bytes(type) != payloads[i].bytes)
			continue;
		if (!cexpr_append(&data, "%s(%s)", payloads[i].function, e->text))
			return -ENOENT;
		*e = data;
		return take_bytes(e, offset - payloads[i].bytes, bytes);
	}
	return -ENOENT;
}

int variable_bytes(const struct cexpr *pointer, int64_t offset, uint32_t bytes, struct cexpr *ret)
{
	const struct member_access access = {
		.offset = (uint64_t)offset,
		.bytes = bytes,
		.as_bytes = true,
	};
	struct cexpr e = *pointer;
	Dwarf_Die type;
	int err;

	if (offset < 0)
		return -ENOENT;
	if (is_untyped(&pointer->type)) {
		err = take_bytes(&e, access.offset, bytes);
	} else if (typedie_pointed(&pointer->type, &type) && typedie_is_record(&type)) {
		err = in_payload(&type, access.offset, bytes, &e);
		if (err)
			return behind_pointer(pointer, access, ret, NULL);
	} else {
		err = -ENOENT;
	}
	if (!err)
		*ret = e;
	return err;
}

static int find_bits(Dwarf_Die *type, uint64_t first, uint64_t count, struct debugimage *image,
		     struct cexpr *e, int depth, unsigned int *left)
{
	Dwarf_Die member;

	if (depth > DEPTH_MAX || !*left || dwarf_child(type, &member))
		return -ENOENT;
	--*left;
	do {
		const char *name = dwarf_diename(&member);
		Dwarf_Word at = 0, bits = 0, bit = 0, storage = 0;
		struct cexpr one = *e;
		Dwarf_Die inner, bare;

		if (dwarf_tag(&member) != DW_TAG_member || !typedie_of(&member, &inner) ||
		    !typedie_peel(&inner, &bare))
			continue;
		typedie_udata(&member, DW_AT_data_member_location, &at);
		if (name && !append_member(&one, name))
			continue;
		if (typedie_udata(&member, DW_AT_bit_size, &bits)) {
			/* DWARF 4 and 5 count from the struct's start, 2 and 3 from the storage's
			 * other end. */
			if (!typedie_udata(&member, DW_AT_data_bit_offset, &bit)) {
				if (!typedie_udata(&member, DW_AT_byte_size, &storage) ||
				    !typedie_udata(&member, DW_AT_bit_offset, &bit))
					continue;
				bit = at * 8 + storage * 8 - bit - bits;
			}
			if (bit != first || bits != count)
				continue;
			typedie_set(&one.type, image, &bare);
			*e = one;
			return 0;
		}
		if (typedie_is_record(&bare) && first >= at * 8 &&
		    !find_bits(&bare, first - at * 8, count, image, &one, depth + 1, left)) {
			*e = one;
			return 0;
		}
	} while (!dwarf_siblingof(&member, &member));
	return -ENOENT;
}

int variable_bitfield(const struct cexpr *pointer, int64_t offset, uint64_t mask, struct cexpr *ret)
{
	struct cexpr e = *pointer;
	unsigned int left = TYPES_MAX;
	uint64_t first, count;
	Dwarf_Die type;

	if (offset < 0 || !mask || !typedie_pointed(&pointer->type, &type) ||
	    !typedie_is_record(&type))
		return -ENOENT;
	first = (uint64_t)offset * 8 + (uint64_t)__builtin_ctzll(mask);
	count = (uint64_t)__builtin_popcountll(mask);
	if (mask >> __builtin_ctzll(mask) != (count == 64 ? UINT64_MAX : (1ull << count) - 1))
		return -ENOENT;
	snprintf(e.text, sizeof(e.text), pointer->compound ? "(%s)->" : "%s->", pointer->text);
	if (strlen(e.text) + 8 >= sizeof(e.text) ||
	    find_bits(&type, first, count, pointer->type.image, &e, 0, &left))
		return -ENOENT;
	e.compound = false;
	*ret = e;
	return 0;
}
