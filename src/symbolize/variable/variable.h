/* SPDX-License-Identifier: GPL-2.0 */
/*
 * variable.h - which variable of the source a register or memory holds, by DWARF
 *
 * Answers are expressions in C, with their type. They say what DWARF says at one address, before
 * the instruction there is executed (DWARF 5, 2.6: location lists; 3.3.8: inlined instances). What
 * DWARF does not say has no answer.
 */
#ifndef LBRSNOOP_SYMBOLIZE_VARIABLE_VARIABLE_H
#define LBRSNOOP_SYMBOLIZE_VARIABLE_VARIABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "symbolize/debug/dwarf.h"

#define CEXPR_MAX 192

/** enum ctype_class - as far as the text of a comparison depends on it */
enum ctype_class {
	CTYPE_UNKNOWN = 0,
	CTYPE_POINTER,
	CTYPE_BOOL,
	CTYPE_SIGNED,
	CTYPE_UNSIGNED,
	CTYPE_ENUM,
	CTYPE_OTHER, /* struct, union, array, floating point */
};

/**
 * struct ctype - a type
 * @image, @die: where it is described; NULL: not known
 * @class: without typedefs and qualifiers
 * @bytes: 0 if not known
 */
struct ctype {
	void *image;
	uint64_t die;
	enum ctype_class class;
	uint32_t bytes;
};

/**
 * struct cexpr - an expression
 * @text: C; "" if there is none
 * @at: run-time address of the instruction before which it holds; 0: of the result of a call
 * @compound: it needs parentheses in front of "->" or "."
 * @constant: it is @value, and @text says that
 */
struct cexpr {
	char text[CEXPR_MAX];
	uint64_t at;
	int64_t value;
	struct ctype type;
	bool compound;
	bool constant;
};

/**
 * struct variable_code - where an expression is to hold
 * @module: "" for the kernel
 * @addr: run-time address of an instruction
 */
struct variable_code {
	struct lines *lines;
	const char *module;
	uint64_t addr;
};

/**
 * variable_in_register() - the variable that a register holds, the innermost scope first
 * @reg: by the CPU's number, 0 (rax) to 15 (r15)
 * Return: 0; -ENOENT; -ENOMEM.
 */
int variable_in_register(const struct variable_code *code, uint8_t reg, struct cexpr *ret);

/**
 * variable_computed() - the number that a register plus a constant is
 * "for (...; i++)": behind the step DWARF has i as an expression of the register it is about to be.
 */
int variable_computed(const struct variable_code *code, uint8_t reg, int64_t addend,
		      struct cexpr *ret);

/**
 * variable_in_memory() - the variable, or a member of one, at an offset from a register
 * For variables that are in memory themselves: on the stack. Pointers are variable_member()'s.
 * @bytes: of the access; 0: its address alone is of interest
 */
int variable_in_memory(const struct variable_code *code, uint8_t base, int64_t offset,
		       uint32_t bytes, struct cexpr *ret);

/** variable_bytes_in_memory() - some of the bytes that an array on the stack has: "*(u32 *)buf" */
int variable_bytes_in_memory(const struct variable_code *code, uint8_t base, int64_t offset,
			     uint32_t bytes, struct cexpr *ret);

/**
 * variable_behind_register() - a member of what a pointer points to that is a register plus a
 * constant As netdev_priv() makes them: no register holds the pointer, DWARF has it as an
 * expression.
 * @offset: from the register
 * @bytes: as of variable_in_memory()
 */
int variable_behind_register(const struct variable_code *code, uint8_t reg, int64_t offset,
			     uint32_t bytes, struct cexpr *ret);

/**
 * variable_global() - the variable of the kernel image at an address
 * @addr: run-time address; of per-CPU variables the offset, with @percpu
 * @ret_part: as of variable_member()
 */
int variable_global(const struct variable_code *code, uint64_t addr, uint32_t bytes, bool percpu,
		    struct cexpr *ret, uint32_t *ret_part);

/** variable_call() - the result of a function: "name()" */
int variable_call(const struct variable_code *code, const char *name, struct cexpr *ret);

/**
 * variable_call_through() - the result of the function that a pointer points to: "p->get()"
 * Return: 0; -ENOENT if it points to no function.
 */
int variable_call_through(const struct cexpr *pointer, struct cexpr *ret);

/**
 * variable_member() - what a pointer points to, at an offset
 * @bytes: of the access; 0: its address alone is of interest, the result is "&p->member"
 * @ret_part: the access is to a part of the expression: bytes in front of it. NULL: no part will do
 */
int variable_member(const struct cexpr *pointer, int64_t offset, uint32_t bytes, struct cexpr *ret,
		    uint32_t *ret_part);

/**
 * variable_element() - of an array behind a pointer: "p->slots[i]", "p[i]"
 * @offset: of what is accessed in the first element
 * @index: of the element, as an expression
 * @scale: bytes of an element
 */
int variable_element(const struct cexpr *pointer, int64_t offset, const char *index, uint32_t scale,
		     uint32_t bytes, struct cexpr *ret);

/** variable_global_element() - of an array of the kernel image, whose first element is at @addr */
int variable_global_element(const struct variable_code *code, uint64_t addr, const char *index,
			    uint32_t scale, uint32_t bytes, struct cexpr *ret);

/**
 * variable_bytes() - what no member is: some bytes of an array of bytes, or behind a pointer to
 * bytes or to void: "*(u32 *)(p->data + 4)"; of a netlink attribute "*(u32 *)nla_data(p)"
 * @bytes: 1, 2, 4 or 8
 */
int variable_bytes(const struct cexpr *pointer, int64_t offset, uint32_t bytes, struct cexpr *ret);

/**
 * variable_bitfield() - the bit-field that is exactly these bits of memory
 * @mask: bits of the byte at @offset and of those after it
 */
int variable_bitfield(const struct cexpr *pointer, int64_t offset, uint64_t mask,
		      struct cexpr *ret);

#define CTYPE_TEXT_MAX 128

/**
 * variable_type_text() - a type as C has it, without typedefs: "struct inode *", "unsigned int"
 * Return: 0; -ENOENT if it is not known, has no name, or does not fit, and @buf is "".
 */
int variable_type_text(const struct ctype *type, char *buf, size_t size);

/**
 * variable_constant() - the one name that a type has for a value
 * @value: what it has more than the type has bytes says nothing: 200 in one byte may come as -56
 * Return: 0; -ENOENT if there is none, or several have it.
 */
int variable_constant(const struct ctype *type, int64_t value, char *buf, size_t size);

#endif
