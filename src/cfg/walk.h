/* SPDX-License-Identifier: GPL-2.0 */
/*
 * walk.h - follow control from an instruction on, along all ways that it may take in a function
 *
 * What is asked on the way is the caller's: a state for each instruction, what executing one makes
 * of it, and what it means that control leaves the function.
 */
#ifndef LBRSNOOP_CFG_WALK_H
#define LBRSNOOP_CFG_WALK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cfg/code.h"
#include "disasm/insn.h"
#include "symbolize/place.h"

/** enum leave - how control leaves a function */
enum leave {
	LEAVE_RETURN,	 /* RET, or a jump to the return thunk */
	LEAVE_TAIL_CALL, /* a jump to another function */
	LEAVE_NO_RETURN, /* a call or a jump to a function that never returns */
	LEAVE_INDIRECT,	 /* a jump whose target is not in the text */
	LEAVE_SYSTEM,	 /* SYSRET, IRET, a far branch */
	LEAVE_UNKNOWN,	 /* to where no instruction of the function begins */
};

/** leave_by_jump() - how a jump to a place outside the function leaves it */
enum leave leave_by_jump(enum place target);

/**
 * struct walk_text - where the instructions are
 * @fetch: the one at @addr; @ret_bytes: ret->len bytes, valid until the next call. Return: 0, or a
 *         negative errno: none begins there
 * @inside: does an address belong to the function? A jump elsewhere leaves it
 * @ctx: handed to both
 * @place: or NULL; with it jumps to thunks, and calls that never return, are known
 * @place_ctx: handed to @place
 */
struct walk_text {
	int (*fetch)(void *ctx, uint64_t addr, struct insn *ret, const uint8_t **ret_bytes);
	bool (*inside)(void *ctx, uint64_t addr);
	void *ctx;
	place_fn *place;
	void *place_ctx;
};

/** walk_text_of() - the instructions of a loaded function (borrowed) */
struct walk_text walk_text_of(const struct code *code);

/* What a callback of the walk returns: where to go on, or WALK_STOP: enough is known. */
#define WALK_NEXT   (1u << 0) /* with the instruction behind this one */
#define WALK_TARGET (1u << 1) /* where a conditional branch goes if it is taken */
#define WALK_STOP   (1u << 2)
#define WALK_ALL    (WALK_NEXT | WALK_TARGET)

/**
 * struct walk - a question, in callbacks
 * @text: of the function
 * @state_size: bytes of a state, compared as bytes: no padding; 0: there are none
 * @each_way: an instruction is looked at as often as a way leads there, so that a loop ends the
 * walk as WALKED_IN_PART; else once for each state
 * @join: another way came to an instruction with @state: change @known, which was there, to hold
 *        for both. Return: it changed, the ways from there are followed once more. NULL: each
 *        different state of an instruction is followed by itself
 * @step: an instruction is executed: change @state. Not called of returns and unconditional jumps,
 *        which change none, nor of a call that never returns. Return: WALK_* of the ways that may
 *        be taken, 0 for none of them
 * @leave: control leaves the function. Return: 0, or WALK_STOP
 * @ctx: handed to them
 * @steps_max: instructions that are looked at in all
 */
struct walk {
	struct walk_text text;
	size_t state_size;
	bool each_way;
	bool (*join)(void *known, const void *state);
	unsigned int (*step)(void *ctx, const struct insn *in, const uint8_t *bytes, void *state);
	unsigned int (*leave)(void *ctx, enum leave how, const void *state);
	void *ctx;
	unsigned int steps_max;
};

/** enum walked - how a walk ended */
enum walked {
	WALKED_ALL = 0, /* all ways were followed to their ends */
	WALKED_STOPPED, /* a callback returned WALK_STOP */
	WALKED_IN_PART, /* there was more than @steps_max instructions, or no memory */
};

/**
 * walk_from() - follow control
 * @addr: of the first instruction, which is executed
 * @state: before it; NULL if there are none
 */
enum walked walk_from(const struct walk *walk, uint64_t addr, const void *state);

#endif
