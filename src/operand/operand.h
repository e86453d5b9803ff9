/* SPDX-License-Identifier: GPL-2.0 */
/*
 * operand.h - the condition of a branch in the names of the source
 *
 * DWARF names what a compare reads. What it does not name is followed back to where it came from:
 * a register it was copied from, a member it was loaded from, a function that returned it. Where
 * several ways meet, or CMOV chooses, all of them are followed, and have to come to the same name,
 * or to two: "(a or b)". A value that was loaded is named as what it was when it was loaded.
 */
#ifndef LBRSNOOP_OPERAND_OPERAND_H
#define LBRSNOOP_OPERAND_OPERAND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "disasm/insn.h"
#include "disasm/operand.h"
#include "symbolize/debug/dwarf.h"
#include "symbolize/symbolize.h"
#include "symbolize/variable/variable.h"

/**
 * struct operand_insn - an instruction on the way
 * @pos: where on the way it is, for the caller: an address, an index
 * @call: it calls a function, which has returned
 * @callee: run-time address of it; 0: not known
 */
struct operand_insn {
	uint64_t pos;
	uint64_t addr;
	uint64_t callee;
	bool call;
	uint8_t len;
	uint8_t bytes[INSN_LEN_MAX];
};

/* More ways that meet are not followed. */
#define OPERAND_WAYS_MAX 8

/**
 * typedef operand_before_fn - the instructions of the same function of which one was executed
 * before
 * @ret: OPERAND_WAYS_MAX of them; with one alone, it was that one
 * Return: how many; 0 if not all of them are known.
 */
typedef size_t operand_before_fn(void *ctx, const struct operand_insn *at,
				 struct operand_insn *ret);

/** enum operand_fact_kind - what DWARF was asked */
enum operand_fact_kind {
	OPERAND_FACT_REGISTER, /* what register @reg holds */
	OPERAND_FACT_STACK,    /* what is @offset from register @reg */
	OPERAND_FACT_GLOBAL,   /* what is at address @offset */
	OPERAND_FACT_PERCPU,   /* ... of the per-CPU area */
	OPERAND_FACT_MEMBER,   /* what is @offset from where @pointer points to */
	OPERAND_FACT_BITS,     /* what bits @mask there are */
};

/**
 * struct operand_fact - one answer, for tests that ask another reader of DWARF the same
 * @at: run-time address of the instruction before which it holds
 * @text: the answer
 * @bytes: of the access; 0: its address was asked for
 * @part: it is a part of what @text names: bytes in front of it
 */
struct operand_fact {
	enum operand_fact_kind kind;
	uint64_t at;
	const char *text;
	const char *pointer;
	uint8_t reg;
	int64_t offset;
	uint32_t bytes;
	uint32_t part;
	uint64_t mask;
};

typedef void operand_fact_fn(void *ctx, const struct operand_fact *fact);

/**
 * struct operand_way - how control came to a compare; all borrowed
 * @ctx: of @before and @keeps_slot
 * @keeps_slot: does nothing but the function's own stores write to its stack frame at this offset
 *              from RSP? NULL: nobody knows
 * @fact: called for each answer of DWARF, with @fact_ctx; or NULL
 * @value: what an operand held, 0 the first, where that is certain: "len > 4096" beside one that
 * has a name. Called with @value_ctx; or NULL
 */
struct operand_way {
	struct lines *lines;
	struct symbols *symbols;
	operand_before_fn *before;
	bool (*keeps_slot)(void *ctx, int64_t offset);
	void *ctx;
	operand_fact_fn *fact;
	void *fact_ctx;
	bool (*value)(void *ctx, int index, int64_t *ret);
	void *value_ctx;
};

/**
 * struct operand_name - what @name stands for: an operand of the instruction that set the flags
 * @operand: a register, or memory
 * @type: of what has this name
 */
struct operand_name {
	char name[CEXPR_MAX];
	struct insn_operand operand;
	struct ctype type;
};

#define OPERAND_NAMES_MAX 2
#define CONDITION_MAX	  (2 * CEXPR_MAX + 32)

/**
 * struct operand_source - the operand that a condition is about: the first that is no constant
 * @operand: "path.dentry->d_inode"; "" if there is none
 * @member: "d_inode"; "": it is no member
 * @type: "struct inode *"; "": DWARF has none
 */
struct operand_source {
	char operand[CEXPR_MAX];
	char member[64];
	char type[CTYPE_TEXT_MAX];
};

/**
 * struct operand_condition - what was true
 * @text: "!inode"
 * @names: operands that have one; @count of them
 */
struct operand_condition {
	char text[CONDITION_MAX];
	struct operand_source source;
	struct operand_name names[OPERAND_NAMES_MAX];
	unsigned int count;
};

/**
 * operand_condition() - what a conditional branch found
 * @setter: sets the flags that @branch reads
 * @taken: of the branch
 * Return: 0; -ENOENT if an operand has no name, or there are no words for the compare.
 */
int operand_condition(const struct operand_way *way, const struct operand_insn *setter,
		      const struct operand_insn *branch, bool taken, struct operand_condition *ret);

#endif
