/* SPDX-License-Identifier: GPL-2.0 */
/*
 * story.h - a path in the order a person reads it: functions, lines, decisions, the error
 *
 * The data of the default view; drawing it is render's. One list of steps, oldest first. Each
 * step points back into the path, which holds everything else.
 */
#ifndef LBRSNOOP_PATH_STORY_H
#define LBRSNOOP_PATH_STORY_H

#include "path/path.h"
#include "snapshot/snapshot.h"
#include "symbolize/debug/dwarf.h"
#include "symbolize/symbolize.h"

/** enum story_kind - what a step tells */
enum story_kind {
	STORY_FUNCTION = 0, /* execution is now in another function, or back in one */
	STORY_LINE,	    /* a source line (without debug info: never) */
	STORY_DECISION,	    /* a conditional branch, taken or not */
	STORY_ERROR,	    /* an instruction that makes the errno the function returned */
	STORY_KERNEL,	    /* a program's way through the kernel, which came back here */
	STORY_INTERRUPT,    /* an interrupt or exception arrived here */
	STORY_GAP,	    /* nothing is known, path.blocks[block].gap says why */
	STORY_TRACING, /* code of a tracer, from @block to @last_block; no more is told of it */
	STORY_TRIGGER, /* the end: the trigger's own instruction */
};

/** enum story_how - how execution came to a function (STORY_FUNCTION) */
enum story_how {
	STORY_STARTS = 0, /* the first known, or the first after a gap */
	STORY_CALLED,
	STORY_RETURNED,
	STORY_JUMPED,	   /* tail call, thunk, or straight on over a symbol's end */
	STORY_INTERRUPTED, /* entry of an interrupt or exception */
	STORY_RESUMED,	   /* back from one */
	STORY_ENTERED,	   /* system call */
};

/**
 * struct story_step - one step
 * @kind: what it tells
 * @how: for STORY_FUNCTION
 * @depth: of the call tree, as in path.blocks
 * @block: index into path.blocks
 * @last_block: of STORY_TRACING
 * @insn: index into path.insns; PATH_NONE if the step stands for none
 * @decision: index into path.decisions for STORY_DECISION, else PATH_NONE
 * @addr: of the instruction
 * @function: symbol that holds @addr, "?" if there is none (borrowed from the symbols)
 * @module: "" for the kernel image
 * @offset: of @addr in @function
 * @source: innermost frame; .file is NULL without debug info
 * @inline_count: frames of @inlined
 * @inlined: index into story.frames of the whole chain, innermost first
 * @cleanup: comes after the error was made
 * @key: the decision that led to the error: the one to show most
 */
struct story_step {
	enum story_kind kind;
	enum story_how how;
	int depth;
	uint32_t block;
	uint32_t last_block;
	uint32_t insn;
	uint32_t decision;
	uint64_t addr;
	const char *function;
	const char *module;
	uint64_t offset;
	struct srcline source;
	uint32_t inline_count;
	uint32_t inlined;
	bool cleanup;
	bool key;
};

/**
 * struct story - the steps of one path
 * @frames: inlined chains of the steps
 * @error_insn: index into path.insns of the instruction that made the error; PATH_NONE if it is
 *              not in the path (too far back, or not a constant)
 * @key_decision: index into path.decisions; PATH_NONE if there is none before the error
 * @in_case: it is the trigger's, which loads the errno before it is decided
 */
struct story {
	struct story_step *steps;
	uint32_t step_count;
	struct srcline *frames;
	uint32_t frame_count;
	uint32_t error_insn;
	uint32_t key_decision;
	bool in_case;
};

/**
 * struct story_options - what is told
 * @symbols: or NULL, then all functions are "?" (borrowed)
 * @lines: or NULL, then there are no STORY_LINE steps (borrowed)
 * @first_branch: tell from where this entry of snap->branches went to, 0 for everything
 * @tracing: tell what tracers did, too, as if it were the program
 */
struct story_options {
	struct symbols *symbols;
	struct lines *lines;
	uint32_t first_branch;
	bool tracing;
};

/**
 * story_build() - tell a path
 * @path: must stay as it is while the story is used
 * @snap: that the path was built from
 * @ret: set on success only; free with story_free()
 * Return: 0; -ENOMEM.
 */
int story_build(const struct path *path, const struct snapshot *snap,
		const struct story_options *opts, struct story **ret);

/** story_free() - free; NULL is fine */
void story_free(struct story *story);

/**
 * path_find_error() - where the error a function returned was made
 * @err: positive errno
 * @ret_insn: index into path->insns of the newest instruction that makes it, path->insn_count if
 *            it is the trigger's own; PATH_NONE if none does
 * @ret_decision: index into path->decisions of the decision that led there; PATH_NONE if none
 *
 * That is the newest decision before the instruction, unless the compiler loaded the constant
 * early, before the tests: then it is the newest after it whose other side would have overwritten
 * the constant. A constant that is overwritten before anything can have copied it made no error.
 */
void path_find_error(const struct path *path, int err, uint32_t *ret_insn, uint32_t *ret_decision);

#endif
