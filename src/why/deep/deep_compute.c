// SPDX-License-Identifier: GPL-2.0
#include "why/deep/deep_compute.h"

#include <errno.h>
#include <stdlib.h>

#include "disasm/emulate.h"
#include "disasm/fetch.h"
#include "util/cleanup.h"
#include "util/vector.h"
#include "why/values/backward.h"

/* The NOP that replaces an unneeded ENDBR; those of ftrace and of static keys have 5. */
#define PATCHED_NOP_BYTES 4

#define RSP 4
/* "call rel32" */
#define CALL_BYTES 5
/* memset() of a megabyte has 16,384 iterations of ten instructions. */
#define COMPUTED_MAX	 20000
#define INSTRUCTIONS_MAX 400000
#define CALLS_MAX	 16

/** struct frame - a call that has not returned; @sp: the stack pointer before it */
struct frame {
	uint64_t ret;
	uint64_t sp;
};

/** struct walk - @ip: of the next instruction; @frames: the innermost is last */
struct walk {
	const struct text_source *text;
	struct insn_state state;
	uint64_t ip;
	struct frame frames[CALLS_MAX];
	size_t frame_count;
	struct why_branch *branches;
	size_t count;
};

bool deep_call_before(const struct text_source *text, uint64_t addr, uint64_t *ret_call)
{
	uint8_t bytes[INSN_LEN_MAX];
	struct insn insn;

	if (insn_fetch(text, addr - CALL_BYTES, bytes, &insn) || insn.class != INSN_CALL ||
	    insn.len != CALL_BYTES)
		return false;
	*ret_call = insn.addr;
	return true;
}

static int go_to(struct walk *walk, uint64_t from, uint64_t to)
{
	if (walk->count == COMPUTED_MAX)
		return -ENODATA;
	if (vector_grow(&walk->branches, walk->count, sizeof(*walk->branches)))
		return -ENOMEM;
	walk->branches[walk->count++] = (struct why_branch){.from = from, .to = to};
	walk->ip = to;
	return 0;
}

static int call(struct walk *walk, const struct insn *insn)
{
	if (walk->frame_count == CALLS_MAX)
		return -ENODATA;
	walk->frames[walk->frame_count++] = (struct frame){
		.ret = insn->addr + insn->len, .sp = walk->state.regs[RSP] + sizeof(uint64_t)};
	return go_to(walk, insn->addr, insn->target);
}

/*
 * Return to the address that the call at this stack pointer pushed. A return thunk drops what a
 * call of its own pushed.
 */
static int ret(struct walk *walk, const struct insn *insn)
{
	while (walk->frame_count) {
		const struct frame *frame = &walk->frames[--walk->frame_count];

		if (walk->state.regs[RSP] == frame->sp)
			return go_to(walk, insn->addr, frame->ret);
	}
	return -ENODATA;
}

static int step(struct walk *walk)
{
	uint8_t bytes[INSN_LEN_MAX];
	struct insn insn;
	int taken;

	if (insn_fetch(walk->text, walk->ip, bytes, &insn) ||
	    insn_emulate(bytes, insn.len, insn.addr, &walk->state) ||
	    !(walk->state.known & 1u << RSP))
		return -ENODATA;
	switch (insn.class) {
	case INSN_OTHER:
		walk->ip += insn.len;
		return 0;
	case INSN_COND:
		taken = insn_emulate_branch(bytes, insn.len, &walk->state);
		if (taken < 0)
			return -ENODATA;
		if (taken)
			return go_to(walk, insn.addr, insn.target);
		walk->ip += insn.len;
		return 0;
	case INSN_JMP:
		return go_to(walk, insn.addr, insn.target);
	case INSN_CALL:
		return call(walk, &insn);
	case INSN_RET:
		return ret(walk, &insn);
	default:
		return -ENODATA;
	}
}

int deep_compute(const struct text_source *text, const uint64_t *regs,
		 struct why_branch **ret_branches, size_t *ret_count)
{
	_cleanup_free_ struct walk *walk = calloc(1, sizeof(*walk));
	size_t left = INSTRUCTIONS_MAX;
	int err;

	if (!walk)
		return -ENOMEM;
	walk->text = text;
	walk->ip = regs[PTREG_IP];
	for (unsigned int reg = 0; reg < 16; reg++)
		walk->state.regs[reg] = regs[register_of_cpu(reg)];
	walk->state.known = UINT16_MAX;
	err = step(walk);
	/* The first instruction is the call itself. */
	if (!err && !walk->frame_count)
		err = -ENODATA;
	while (!err && walk->frame_count)
		err = left-- ? step(walk) : -ENODATA;
	if (err) {
		free(walk->branches);
		return err;
	}
	*ret_branches = walk->branches;
	*ret_count = walk->count;
	return 0;
}

uint64_t deep_goes_on(const struct text_source *text, uint64_t addr)
{
	uint8_t bytes[INSN_LEN_MAX];
	struct insn insn;

	if (insn_fetch(text, addr, bytes, &insn))
		return 0;
	if (insn.class == INSN_OTHER)
		return addr + insn.len;
	return insn.class == INSN_JMP || insn.class == INSN_CALL ? insn.target : 0;
}

/*
 * Skip instructions where a kprobe is of no use. At a function's place for ftrace it would be a
 * call of ftrace, whose branches hide how a record begins. Where a static key is patched, the
 * kernel allows none. At a string instruction with REP it is hit once for each iteration.
 */
uint64_t deep_skip_unfit(const struct text_source *text, uint64_t addr)
{
	uint8_t bytes[INSN_LEN_MAX];
	struct insn insn;

	while (!insn_fetch(text, addr, bytes, &insn) &&
	       (insn.flags & (INSN_F_ENDBR | INSN_F_REP) ||
		(insn.flags & INSN_F_NOP && insn.len >= PATCHED_NOP_BYTES)))
		addr += insn.len;
	return addr;
}
