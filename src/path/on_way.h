/* SPDX-License-Identifier: GPL-2.0 */
/* on_way.h - the functions that had not returned at a place of a path */
#ifndef LBRSNOOP_PATH_ON_WAY_H
#define LBRSNOOP_PATH_ON_WAY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "disasm/insn.h"
#include "symbolize/symbolize.h"

/**
 * struct on_way - where a path is; {} before its first branch. free() the functions
 * @functions: the outermost first
 * @thunk: the last branch led into one; @led: class of the branch that led into the first of them
 */
struct on_way {
	struct symbol *functions;
	size_t count;
	bool thunk;
	enum insn_class led;
};

/** enum on_way_step - what a branch does to it */
enum on_way_step {
	ON_WAY_NOWHERE = 0, /* it leads to a thunk, or to code that has no symbol */
	ON_WAY_ENTERS,	    /* it leads into a function: the newest one */
	ON_WAY_STAYS,	    /* on in the newest one */
	ON_WAY_RETURNS,	    /* back to what is the newest one now */
	ON_WAY_BEGINS,	    /* to a caller from before the first branch: there are no others */
};

/**
 * on_way_arrive() - a branch leads to @addr
 * @class: of the branch; INSN_OTHER: not known
 * @ret: set on success
 * Return: 0; -ENOMEM.
 *
 * A function is entered at its begin. From within itself it is so by a call alone: compilers make
 * a loop of a function that ends with itself, and that loop may go to the first instruction.
 */
int on_way_arrive(struct on_way *way, struct symbols *symbols, uint64_t addr, enum insn_class class,
		  enum on_way_step *ret);

/**
 * on_way_leave() - a branch is taken at @addr; where it leads to is told by on_way_arrive()
 * @ret: ON_WAY_STAYS; ON_WAY_BEGINS: the path got there in an unknown way; ON_WAY_NOWHERE as above
 * Return: 0; -ENOMEM.
 */
int on_way_leave(struct on_way *way, struct symbols *symbols, uint64_t addr, enum on_way_step *ret);

#endif
