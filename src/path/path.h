/* SPDX-License-Identifier: GPL-2.0 */
/*
 * path.h - branches + text → the blocks that ran, and the decisions taken and not taken
 *
 * Between one branch's target and the next branch's source the CPU ran straight ahead: each
 * instruction is known. What cannot be known for certain is a gap with its reason, never a guess.
 */
#ifndef LBRSNOOP_PATH_PATH_H
#define LBRSNOOP_PATH_PATH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "disasm/insn.h"
#include "snapshot/snapshot.h"
#include "symbolize/place.h"

/* Longest straight run believed; nothing in a kernel comes near it. */
#define PATH_RUN_BYTES_MAX (64u * 1024)
#define PATH_RUN_INSNS_MAX 5000

/*
 * Longest way that path_build_way() takes, in branches and in instructions. The 40 runs of --deep
 * bring a tenth of that; a capture file may have whatever its writer liked.
 */
#define PATH_WAY_MAX	   16384
#define PATH_WAY_INSNS_MAX (512u * 1024)

/**
 * struct path_options - what the path needs to know beside branches and text
 * @place: or NULL; without it an interrupt is only recognised where the CPU reports the branch's
 *         type, elsewhere it is a gap
 * @same_function: or NULL, then one ends where a jump leads to nobody knows. What did not run is
 *                 looked at up to there, and so in text that a capture has
 * @place_ctx: handed to both
 */
struct path_options {
	place_fn *place;
	same_function_fn *same_function;
	void *place_ctx;
};

/** enum path_gap - why nothing is known about a stretch */
enum path_gap {
	PATH_GAP_NONE = 0,
	PATH_GAP_USER,	      /* user space, of a kernel function: its text is not read */
	PATH_GAP_NO_TEXT,     /* no bytes at that address */
	PATH_GAP_BACKWARDS,   /* the next branch lies before the block's start */
	PATH_GAP_TOO_LONG,    /* further than PATH_RUN_BYTES_MAX or PATH_RUN_INSNS_MAX */
	PATH_GAP_UNDECODABLE, /* bytes that are no instruction */
	PATH_GAP_MISALIGNED,  /* the next branch lies inside an instruction */
	PATH_GAP_UNRECORDED,  /* an unconditional branch in between is not in the record */
	PATH_GAP_CHANGED,     /* the branch recorded is not the one in the text */
	PATH_GAP_PATCHING,    /* a breakpoint instruction stands where text is being patched */
	PATH_GAP_LBR_OFF,     /* recording was, or may have been, switched off in between */
	PATH_GAP_ABORTED,     /* a transaction was rolled back */
	PATH_GAP_KERNEL,      /* the kernel was entered, and went back to elsewhere */
	PATH_GAP_OVERFLOW,    /* from a counter's overflow, which stops the LBR, to its interrupt */
	PATH_GAP_COUNT,
};

/** enum path_end - how a block ended */
enum path_end {
	PATH_END_BRANCH = 0, /* its last instruction branched */
	PATH_END_INTERRUPT,  /* an interrupt or exception, before the instruction at @end */
	PATH_END_TRIGGER,    /* the trigger, before the instruction at @end */
	PATH_END_KERNEL,     /* of a user function: the kernel was entered, and came back to @end */
	PATH_END_LBR_OFF,    /* recording may have been switched off by then: gap follows */
	PATH_END_UNKNOWN,    /* of a gap */
};

#define PATH_NONE UINT32_MAX

/**
 * struct path_insn - one executed instruction
 * @addr: where
 * @bytes: as read
 * @len: of @bytes
 * @class: enum insn_class
 * @err: positive errno whose negative it loads as a constant; 0 if none
 */
struct path_insn {
	uint64_t addr;
	uint8_t bytes[INSN_LEN_MAX];
	uint8_t len;
	uint8_t class;
	uint16_t err;
};

/**
 * struct path_decision - one conditional branch that was executed
 * @addr: of the branch
 * @target: where it goes if taken
 * @taken: it was
 * @insn: index into path.insns of the branch
 * @setter: index into path.insns of the instruction that set its flags; PATH_NONE if not known
 * @block: index into path.blocks
 * @branch: index into snapshot.branches if taken, else PATH_NONE
 */
struct path_decision {
	uint64_t addr;
	uint64_t target;
	bool taken;
	uint32_t insn;
	uint32_t setter;
	uint32_t block;
	uint32_t branch;
};

/**
 * struct path_block - a straight run, or a gap
 * @start: first instruction (of a gap: where the last known branch went)
 * @end: address after the last executed instruction (of a gap: the next known address)
 * @gap: PATH_GAP_NONE, or why there are no instructions
 * @tracing: code of a tracer, no part of the program
 * @ends: how it ended
 * @end_class: enum insn_class of the branch that ended it; INSN_OTHER if none did
 * @depth: of the call tree, 0 for the shallowest of the path; calls into a tracer, or of the traced
 *         function by a trampoline, count for none
 * @interrupt: how many interrupts or exceptions it is deep in, that interrupted the kernel
 * @first_insn: index into path.insns
 * @insn_count: may be 0 where an interrupt came at once
 * @first_decision: index into path.decisions
 * @decision_count: in this block
 * @entry: index into snapshot.branches of the branch that led here; PATH_NONE after LBR_OFF
 * @branch: index into snapshot.branches of the branch that ended it; PATH_NONE if none did
 */
struct path_block {
	uint64_t start;
	uint64_t end;
	enum path_gap gap;
	bool tracing;
	enum path_end ends;
	enum insn_class end_class;
	int depth;
	int interrupt;
	uint32_t first_insn;
	uint32_t insn_count;
	uint32_t first_decision;
	uint32_t decision_count;
	uint32_t entry;
	uint32_t branch;
};

/**
 * struct path_fold - blocks that repeat, for views; the blocks themselves are all there
 * @first: index of the first block of the first round
 * @period: blocks of a round
 * @count: rounds, at least 2
 */
struct path_fold {
	uint32_t first;
	uint32_t period;
	uint32_t count;
};

/**
 * struct path - what ran, oldest first
 * @blocks: gaps included
 * @insns: of all blocks, in order of execution
 * @decisions: of all blocks, in order of execution
 * @folds: in order, not overlapping
 * @gap_count: of @blocks, gaps in user space not counted
 * @has_trigger_insn: @trigger_insn is set
 * @trigger_insn: the instruction the trigger stopped before
 * @text: that it was built from, to see what did not run (borrowed)
 * @opts: that it was built with
 * @err: positive errno that the function returned; of it are @error_insn and @error_decision,
 *       as path_find_error() tells them
 */
struct path {
	struct path_block *blocks;
	uint32_t block_count;
	struct path_insn *insns;
	uint32_t insn_count;
	struct path_decision *decisions;
	uint32_t decision_count;
	struct path_fold *folds;
	uint32_t fold_count;
	uint32_t gap_count;
	bool has_trigger_insn;
	struct path_insn trigger_insn;
	const struct text_source *text;
	struct path_options opts;
	int err;
	uint32_t error_insn;
	uint32_t error_decision;
};

/**
 * path_build() - rebuild what ran from the branches of a snapshot
 * Starts at the target of the oldest branch; the newest snap->wasted branches are left out.
 * Ends at the trigger's own instruction, or with the function's return for triggers that fire
 * after it. Before the interrupt of a counter that overflowed there is a gap.
 * @text: kernel text as it was when the snapshot was taken; borrowed until path_free()
 * @opts: may be NULL
 * @ret: set on success only; free with path_free()
 * Return: 0; -EOPNOTSUPP if the branches are not contiguous (snap->path_ok is false); -ENODATA
 * if there are none; -ENOMEM.
 */
int path_build(const struct snapshot *snap, const struct text_source *text,
	       const struct path_options *opts, struct path **ret);

/**
 * path_build_way() - rebuild what ran from the branches of snap->way
 * Blocks and decisions refer to branches of that; there are no folds. Arguments and return value as
 * of path_build(); -ENODATA, too, if there is no way; -E2BIG if it is longer than PATH_WAY_MAX, or
 * has more instructions than PATH_WAY_INSNS_MAX.
 */
int path_build_way(const struct snapshot *snap, const struct text_source *text,
		   const struct path_options *opts, struct path **ret);

/**
 * path_insn_addr() - address of an instruction as path_find_error() tells it
 * @insn: index into path->insns, or path->insn_count: the trigger's own
 */
uint64_t path_insn_addr(const struct path *path, uint32_t insn);

/** path_is_blank() - no code of it can be read: there is no text, as of a locked-down kernel */
bool path_is_blank(const struct path *path);

/** path_free() - free; NULL is fine */
void path_free(struct path *path);

/** path_gap_text() - the reason of a gap, as a sentence without capital or full stop */
const char *path_gap_text(enum path_gap gap);

/**
 * path_condition() - a decision in words: "%eax < 0"
 * @buf: always NUL-terminated; what was true when the branch went the way it went
 * Return: 0; -ENOENT if there are no simple words for it.
 */
int path_condition(const struct path *path, const struct path_decision *decision, char *buf,
		   size_t size);

/**
 * path_decision_text() - a decision as instructions: "test %eax,%eax; js 0xffffffff81000000"
 * @name: names the target, or NULL
 * @buf: always NUL-terminated
 */
void path_decision_text(const struct path *path, const struct path_decision *decision,
			insn_name_fn *name, void *ctx, char *buf, size_t size);

#endif
