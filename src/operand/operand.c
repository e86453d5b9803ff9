// SPDX-License-Identifier: GPL-2.0
#include "operand/operand.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "disasm/operand.h"
#include "operand/value.h"
#include "util/errno_name.h"

/**
 * struct naming - @left: type of the first operand
 * @shift: bits of the first operand's expression in front of those that are asked for
 * @valued: an operand without a name stands there as its value
 */
struct naming {
	struct search search;
	struct operand_condition *ret;
	struct ctype left;
	unsigned int shift;
	bool valued;
};

/* @e is the name of the operand. */
static void note_name(struct naming *naming, const struct insn_operand *operand,
		      const struct cexpr *e)
{
	struct operand_condition *condition = naming->ret;
	struct operand_name *name;

	if (e->constant || condition->count == OPERAND_NAMES_MAX)
		return;
	name = &condition->names[condition->count++];
	memcpy(name->name, e->text, sizeof(name->name));
	name->operand = *operand;
	name->type = e->type;
}

/* The whole of what has a name, of which the access is to a part. */
static void note_memory(struct naming *naming, const struct insn_operand *operand, uint32_t part,
			const struct cexpr *e)
{
	struct insn_operand whole = *operand;

	whole.displacement -= part;
	if (e->type.bytes && e->type.bytes <= 8)
		whole.bits = (uint8_t)(e->type.bytes * 8);
	if (!part || whole.bits > operand->bits)
		note_name(naming, &whole, e);
}

/* "(u8)x" and "(u8)(x >> 8)": some bytes of a number; then "@e" is these @bits of it. */
static int take_part(struct cexpr *e, uint32_t part, unsigned int bits)
{
	char whole[CEXPR_MAX];
	int len;

	if ((e->type.class != CTYPE_SIGNED && e->type.class != CTYPE_UNSIGNED) ||
	    e->type.bytes * 8 <= bits)
		return -ENOENT;
	if (!part)
		return value_narrow(e, bits);
	memcpy(whole, e->text, sizeof(whole));
	len = snprintf(e->text, sizeof(e->text),
		       e->compound ? "(u%u)((%s) >> %u)" : "(u%u)(%s >> %u)", bits, whole,
		       part * 8);
	e->type = (struct ctype){.class = CTYPE_UNSIGNED, .bytes = bits / 8};
	e->compound = true;
	return len < 0 || (size_t)len >= sizeof(e->text) ? -ENOENT : 0;
}

/* A byte of a wider member, as in "(x & 0xff) == 5". */
static int name_part(struct naming *naming, const struct insn_operand *operand, struct cexpr *ret)
{
	uint32_t part = 0;
	int err = value_of_memory(&naming->search, naming->search.setter, operand,
				  operand->bits / 8, ret, &part);

	if (err)
		return err;
	note_memory(naming, operand, part, ret);
	return take_part(ret, part, operand->bits);
}

/* Where some bits alone decide, the access may be to a part of what has a name. */
static int name_memory(struct naming *naming, const struct insn_operand *operand, enum insn_use use,
		       uint64_t bits, struct cexpr *ret, bool *ret_whole)
{
	const struct operand_insn *setter = naming->search.setter;
	struct cexpr pointer;
	uint32_t part = 0;
	int err;

	err = value_of_memory(&naming->search, setter, operand, operand->bits / 8, ret,
			      use == INSN_USE_VALUE ? NULL : &part);
	if (!err && use != INSN_USE_VALUE)
		naming->shift = part * 8;
	if (!err)
		note_memory(naming, operand, part, ret);
	if (err != -ENOENT)
		return err;
	if (operand->base == INSN_NO_REG || operand->index != INSN_NO_REG || operand->percpu)
		return err;
	err = value_of_register(&naming->search, setter, operand->base, 64, false, &pointer)
		      ?: variable_bitfield(&pointer, operand->displacement, bits, ret);
	*ret_whole = !err;
	if (!err && use == INSN_USE_VALUE)
		note_name(naming, operand, ret);
	if (!err)
		value_fact(&naming->search,
			   (struct operand_fact){.kind = OPERAND_FACT_BITS,
						 .pointer = pointer.text,
						 .offset = operand->displacement,
						 .mask = bits},
			   ret);
	return err == -ENOENT && use == INSN_USE_VALUE ? name_part(naming, operand, ret) : err;
}

/* @bits: that are asked for */
static int name_register(struct naming *naming, const struct insn_operand *operand,
			 enum insn_use use, uint64_t bits, struct cexpr *ret)
{
	/* "test $0x40,%al" asks for a bit: of what is wider than %al it is the same. */
	bool some = use != INSN_USE_VALUE && operand->bits < 64 && bits >> operand->bits == 0 &&
		    bits != (1ull << operand->bits) - 1;
	int err = value_of_register(&naming->search, naming->search.setter, operand->reg,
				    operand->bits, some, ret);

	if (!err && use == INSN_USE_VALUE)
		err = value_narrow(ret, operand->bits);
	if (!err)
		note_name(naming, operand, ret);
	return err;
}

/* "test $4,%ah" asks for bit 10 of what %eax holds. */
static int name_high_byte(struct naming *naming, const struct insn_operand *operand,
			  enum insn_use use, struct cexpr *ret)
{
	char whole[CEXPR_MAX];
	int err = value_of_register(&naming->search, naming->search.setter, operand->reg, 16, true,
				    ret);

	if (err || ret->constant || ret->type.bytes < 2 || ret->type.class == CTYPE_POINTER)
		return err ?: -ENOENT;
	if (use != INSN_USE_VALUE) {
		naming->shift = 8;
		return 0;
	}
	memcpy(whole, ret->text, sizeof(whole));
	if ((size_t)snprintf(ret->text, sizeof(ret->text),
			     ret->compound ? "(u8)((%s) >> 8)" : "(u8)(%s >> 8)",
			     whole) >= sizeof(ret->text))
		return -ENOENT;
	ret->type = (struct ctype){.class = CTYPE_UNSIGNED, .bytes = 1};
	return 0;
}

static void constant_text(const struct naming *naming, const struct insn_operand *operand,
			  uint64_t mask, char *buf, size_t size)
{
	const struct ctype *type = &naming->left;
	uint64_t bits = (uint64_t)operand->value & mask;
	int64_t value = operand->value;
	const char *name;

	if (type->class == CTYPE_POINTER && !value) {
		snprintf(buf, size, "NULL");
		return;
	}
	if (type->class == CTYPE_BOOL && type->bytes == 1 && (value == 0 || value == 1)) {
		snprintf(buf, size, value ? "true" : "false");
		return;
	}
	if (!variable_constant(type, value, buf, size))
		return;
	/* A byte is a character: 0xef of a mark of the order of bytes is no -EEXIST. */
	name = value < -1 && value > -4096 && type->class != CTYPE_UNSIGNED && mask > UINT8_MAX
		       ? errno_name((int)-value)
		       : NULL;
	if (name)
		snprintf(buf, size, "-%s", name);
	else if (value >= 0 || type->class == CTYPE_SIGNED)
		snprintf(buf, size, value > 4096 ? "0x%" PRIx64 : "%" PRId64, value);
	else
		snprintf(buf, size, "0x%" PRIx64, bits);
}

/* The characters of a constant in memory, as a string of C: "\177ELF"; false: they are none. */
static bool characters(uint64_t value, unsigned int count, char *buf)
{
	*buf++ = '"';
	for (unsigned int i = 0; i < count; i++) {
		char c = (char)(value >> (8 * i));

		if (c == '\177' && !i)
			buf += sprintf(buf, "\\177");
		else if (c >= ' ' && c <= '~' && c != '"' && c != '\\')
			*buf++ = c;
		else
			return false;
	}
	strcpy(buf, "\"");
	return true;
}

/* The pointer of "*(u32 *)line", which compilers make of memcmp(line, "base", 4); else "". */
static void bytes_pointer(const struct cexpr *e, unsigned int bits, char *buf, size_t size)
{
	unsigned int read = 0;
	int begin = 0;
	size_t len;

	buf[0] = '\0';
	if (sscanf(e->text, "*(u%u *)%n", &read, &begin) != 1 || !begin || read != bits ||
	    (bits != 32 && bits != 64))
		return;
	len = strlen(e->text);
	if (e->text[begin] == '(' && e->text[len - 1] == ')') {
		begin++;
		len--;
	}
	snprintf(buf, size, "%.*s", (int)len - begin, e->text + begin);
}

static void name_constant(const struct naming *naming, const struct insn_operand *operand,
			  enum insn_use use, uint64_t mask, struct insn_operand_text *ret)
{
	uint64_t value = (uint64_t)operand->value;

	switch (use) {
	case INSN_USE_BIT:
		snprintf(ret->text, sizeof(ret->text), "%" PRIu64, value + naming->shift);
		break;
	case INSN_USE_MASK:
		value = (value & mask) << naming->shift;
		snprintf(ret->text, sizeof(ret->text), value < 10 ? "%" PRIu64 : "0x%" PRIx64,
			 value);
		break;
	default:
		constant_text(naming, operand, mask, ret->text, sizeof(ret->text));
		/* An immediate may be shorter than what it is compared with. */
		if (!characters(value, mask > UINT32_MAX ? 8 : 4, ret->bytes))
			ret->bytes[0] = '\0';
	}
}

/* "d_inode" of "path.dentry->d_inode"; what is computed is no member. */
static void set_member(struct operand_source *source)
{
	const char *text = source->operand, *dot = strrchr(text, '.'), *arrow = strstr(text, "->");
	size_t len;

	while (arrow && strstr(arrow + 2, "->"))
		arrow = strstr(arrow + 2, "->");
	if (arrow && (!dot || arrow > dot))
		dot = arrow + 1;
	if (!dot || strpbrk(text, " ()&*"))
		return;
	len = strcspn(dot + 1, "[");
	snprintf(source->member, sizeof(source->member), "%.*s", (int)len, dot + 1);
}

static void set_source(struct operand_source *source, const struct cexpr *e)
{
	if (source->operand[0])
		return;
	snprintf(source->operand, sizeof(source->operand), "%s", e->text);
	set_member(source);
	variable_type_text(&e->type, source->type, sizeof(source->type));
}

/* What has no name held a number. */
static int take_value(struct naming *naming, int index, struct cexpr *ret)
{
	const struct operand_way *way = naming->search.way;

	*ret = (struct cexpr){.constant = true};
	if (!way->value || !way->value(way->value_ctx, index, &ret->value))
		return -ENOENT;
	naming->valued = true;
	return 0;
}

static bool name_operand(void *ctx, int index, const struct insn_operand *operand,
			 enum insn_use use, uint64_t bits, struct insn_operand_text *ret)
{
	struct naming *naming = ctx;
	struct cexpr e;
	int err;

	if (operand->kind == INSN_OPERAND_IMM) {
		name_constant(naming, operand, use, bits, ret);
		return true;
	}
	if (operand->kind == INSN_OPERAND_HIGH)
		err = name_high_byte(naming, operand, use, &e);
	else if (operand->kind == INSN_OPERAND_REG)
		err = name_register(naming, operand, use, bits, &e);
	else
		err = name_memory(naming, operand, use, bits, &e, &ret->whole);
	if (err == -ENOENT && use == INSN_USE_VALUE)
		err = take_value(naming, index, &e);
	if (err)
		return false;
	if (e.constant) {
		const struct insn_operand constant = {
			.kind = INSN_OPERAND_IMM, .bits = operand->bits, .value = e.value};

		name_constant(naming, &constant, use, bits, ret);
		return true;
	}
	set_source(&naming->ret->source, &e);
	if (!index) {
		naming->left = e.type;
		ret->no_sign = e.type.class == CTYPE_UNSIGNED && e.type.bytes;
		bytes_pointer(&e, operand->bits, ret->bytes, sizeof(ret->bytes));
		if (e.type.class == CTYPE_POINTER)
			ret->zero = "NULL";
		else if (e.type.class == CTYPE_BOOL && e.type.bytes == 1)
			ret->zero = "false";
	}
	return (size_t)snprintf(ret->text, sizeof(ret->text), "%s", e.text) < sizeof(ret->text);
}

/* "(u8)x < 0" is never true in C, where the instruction asks for the sign of the byte. */
static bool has_unsigned_sign(const char *text)
{
	return (strstr(text, "(u8)") || strstr(text, "(u16)")) && !strstr(text, "(unsigned)") &&
	       (strstr(text, " < ") || strstr(text, " <= ") || strstr(text, " > ") ||
		strstr(text, " >= "));
}

/* include/uapi/linux/stat.h: kinds of files, of which struct inode's i_mode has one */
static const char *const file_kinds[16] = {
	[001] = "S_IFIFO", [002] = "S_IFCHR", [004] = "S_IFDIR",  [006] = "S_IFBLK",
	[010] = "S_IFREG", [012] = "S_IFLNK", [014] = "S_IFSOCK",
};

/* "(inode->i_mode & 0xf000) == 0xa000": these macros are no types, and DWARF does not have them. */
static void name_file_kind(char *text, size_t size)
{
	static const char mask[] = "i_mode & 0xf000) ";
	char named[CONDITION_MAX + 32], relation[4];
	char *at = strstr(text, mask), *behind = at ? at + sizeof(mask) - 1 : NULL;
	unsigned int value = 0;
	int end = 0;

	if (!at || sscanf(behind, "%3[=!] 0x%x%n", relation, &value, &end) != 2 || !end ||
	    value & ~0xf000u || !file_kinds[value >> 12])
		return;
	snprintf(named, sizeof(named), "%.*si_mode & S_IFMT) %s %s%s", (int)(at - text), text,
		 relation, file_kinds[value >> 12], behind + end);
	if (strlen(named) < size)
		memcpy(text, named, strlen(named) + 1);
}

int operand_condition(const struct operand_way *way, const struct operand_insn *setter,
		      const struct operand_insn *branch, bool taken, struct operand_condition *ret)
{
	struct naming naming = {
		.search = {.way = way, .setter = setter, .branch = branch, .taken = taken},
		.ret = ret,
	};

	int err;

	*ret = (struct operand_condition){};
	err = insn_condition_named(setter->bytes, setter->len, setter->addr, branch->bytes,
				   branch->len, taken, name_operand, &naming, ret->text,
				   sizeof(ret->text));
	if (!err && naming.valued && !ret->source.operand[0])
		err = -ENOENT;
	if (err || has_unsigned_sign(ret->text))
		return err ?: -ENOENT;
	name_file_kind(ret->text, sizeof(ret->text));
	return 0;
}
