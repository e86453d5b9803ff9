// SPDX-License-Identifier: GPL-2.0
#include "cfg/flow.h"

#include <stdlib.h>
#include <string.h>

#include "cfg/walk.h"
#include "disasm/dataflow.h"
#include "disasm/regs.h"
#include "symbolize/place.h"
#include "util/cleanup.h"

#define RAX	  0
#define RSP	  4
#define RBP	  5
#define SLOTS_MAX 4
/* More paths than these are not looked at: the value may go anywhere. */
#define STATES_MAX 4096

/** enum width - what the upper half of a register or slot of 64 bits holds */
enum width { WIDTH_UNKNOWN, WIDTH_ZERO, WIDTH_SIGN };

/** struct slot - in the stack frame; @offset: from RSP as it was at the start, or from RBP */
struct slot {
	uint8_t base;
	uint8_t width;
	uint16_t unused; /* states are compared byte by byte */
	int32_t offset;
};

/**
 * struct state - where the value is, before an instruction
 * @regs: bit n: register n holds it
 * @width: of each register, enum width
 * @stack: RSP less what it was at the start
 * @flags: of a comparison with the value, if @flags_known
 */
struct state {
	struct slot slots[SLOTS_MAX];
	int32_t stack;
	uint16_t regs;
	uint16_t flags;
	uint8_t width[16];
	uint8_t slot_count;
	uint8_t flags_known;
	uint16_t unused;
};

/** struct flow - @goes: FLOW_* of all ways so far */
struct flow {
	const struct code *code;
	struct symbols *symbols;
	int64_t value;
	unsigned int goes;
};

static bool gone(const struct state *state)
{
	return !state->regs && !state->slot_count;
}

static bool slot_of(const struct state *state, const struct insn_memory *memory, struct slot *ret)
{
	if ((memory->base != RSP && memory->base != RBP) || memory->index)
		return false;
	*ret = (struct slot){
		.base = memory->base,
		.offset = (int32_t)memory->displacement + (memory->base == RSP ? state->stack : 0),
	};
	return true;
}

static int find_slot(const struct state *state, const struct slot *slot)
{
	for (int i = 0; i < state->slot_count; i++)
		if (state->slots[i].base == slot->base && state->slots[i].offset == slot->offset)
			return i;
	return -1;
}

static void drop_slot(struct state *state, int i)
{
	if (i < 0)
		return;
	state->slots[i] = state->slots[--state->slot_count];
	state->slots[state->slot_count] = (struct slot){};
}

/* Of RSP or RBP as base, where that no longer is what it was. */
static void drop_slots_of(struct state *state, uint8_t base)
{
	for (int i = state->slot_count; i-- > 0;)
		if (state->slots[i].base == base)
			drop_slot(state, i);
}

/*
 * Is the address of this slot, or of what lies below it, taken anywhere? Then a pointer to it may
 * be in use. "lea -0x28(%rbp),%rsp" only ends a stack frame.
 */
static bool is_shared(const struct flow *flow, const struct insn_memory *memory)
{
	for (size_t i = 0; i < flow->code->count; i++) {
		const struct insn *in = &flow->code->insns[i];
		struct insn_dataflow df;

		if (!insn_dataflow(code_bytes(flow->code, in), in->len, &df) && df.lea &&
		    !(df.writes & INSN_REG_BIT(RSP)) && df.memory.base == memory->base &&
		    df.memory.displacement <= memory->displacement)
			return true;
	}
	return false;
}

static void store(struct flow *flow, struct state *state, const struct insn_memory *memory,
		  enum width width)
{
	struct slot slot;

	if (!slot_of(state, memory, &slot) || is_shared(flow, memory) ||
	    state->slot_count == SLOTS_MAX) {
		flow->goes |= FLOW_ELSEWHERE;
		return;
	}
	drop_slot(state, find_slot(state, &slot));
	slot.width = width;
	state->slots[state->slot_count++] = slot;
}

/* Does the source of the move hold the value? */
static bool has_value(const struct state *state, const struct insn_dataflow *df,
		      enum width *ret_width)
{
	struct slot slot;
	int i;

	*ret_width = WIDTH_UNKNOWN;
	if (df->src_memory) {
		if (!slot_of(state, &df->memory, &slot))
			return false;
		i = find_slot(state, &slot);
		if (i >= 0)
			*ret_width = state->slots[i].width;
		return i >= 0;
	}
	if (df->src == INSN_NO_REG || !(state->regs & INSN_REG_BIT(df->src)))
		return false;
	*ret_width = state->width[df->src];
	return true;
}

static void set_register(struct state *state, uint8_t reg, enum width width)
{
	if (reg == INSN_NO_REG)
		return;
	state->regs |= INSN_REG_BIT(reg);
	state->width[reg] = width;
}

static enum width width_after(const struct insn_dataflow *df, enum width width)
{
	if (df->extends)
		return WIDTH_SIGN;
	return df->bits == 32 ? WIDTH_ZERO : width;
}

static void clear_written(struct state *state, uint16_t written)
{
	state->regs &= ~written;
	for (int reg = 0; reg < 16; reg++)
		if (!(state->regs & INSN_REG_BIT(reg)))
			state->width[reg] = WIDTH_UNKNOWN;
}

static void take_stack_move(struct flow *flow, const struct state *before, struct state *state,
			    const struct insn_dataflow *df)
{
	struct insn_memory top = {.base = RSP};
	struct slot slot;
	enum width width;
	int i;

	if (df->move == INSN_MOVE_PUSH) {
		if (has_value(before, df, &width))
			store(flow, state, &top, width); /* RSP is below already */
		return;
	}
	slot_of(before, &top, &slot);
	i = find_slot(before, &slot);
	if (i < 0)
		return;
	width = before->slots[i].width;
	drop_slot(state, find_slot(state, &slot));
	if (df->dst_memory)
		flow->goes |= FLOW_ELSEWHERE;
	else
		set_register(state, df->dst, width);
}

static void take_move(struct flow *flow, const struct state *before, struct state *state,
		      const struct insn_dataflow *df)
{
	enum width width;
	bool has = has_value(before, df, &width);
	struct slot slot;

	switch (df->move) {
	case INSN_MOVE_PUSH:
	case INSN_MOVE_POP:
		take_stack_move(flow, before, state, df);
		return;
	case INSN_MOVE_XCHG:
		/* Rare, and mostly on memory of others. */
		if (has || (df->dst != INSN_NO_REG && before->regs & INSN_REG_BIT(df->dst)))
			flow->goes |= FLOW_ELSEWHERE;
		return;
	case INSN_MOVE_MAYBE:
		if (df->dst != INSN_NO_REG && before->regs & INSN_REG_BIT(df->dst))
			set_register(state, df->dst, width_after(df, before->width[df->dst]));
		break;
	case INSN_MOVE_COPY:
		if (df->dst_memory && slot_of(before, &df->memory, &slot))
			drop_slot(state, find_slot(state, &slot));
		break;
	default:
		return;
	}
	if (!has)
		return;
	if (df->dst_memory)
		store(flow, state, &df->memory, width_after(df, width));
	else
		set_register(state, df->dst, width_after(df, width));
}

/* What a comparison of the value leaves is known, and so is the way of a branch behind it. */
static void take_flags(const struct flow *flow, const struct state *before, struct state *state,
		       const struct insn *in, const struct insn_dataflow *df)
{
	enum width width;

	if (!in->flags_written)
		return;
	state->flags_known = false;
	state->flags = 0;
	if (df->compare == INSN_COMPARE_NONE || !(before->regs & INSN_REG_BIT(df->compared)))
		return;
	width = before->width[df->compared];
	if (df->compare_bits == 64 && width == WIDTH_UNKNOWN)
		return;
	state->flags_known = true;
	state->flags = insn_compare_flags(df, width == WIDTH_ZERO ? (uint32_t)flow->value
								  : (uint64_t)flow->value);
}

static void take_other(struct flow *flow, const struct insn *in, const uint8_t *bytes,
		       struct state *state)
{
	const struct state before = *state;
	struct insn_dataflow df;

	if (insn_dataflow(bytes, in->len, &df)) {
		flow->goes |= FLOW_ELSEWHERE;
		return;
	}
	state->stack += (int32_t)df.stack;
	clear_written(state, df.writes);
	if (df.stack_unknown)
		drop_slots_of(state, RSP);
	if (df.writes & INSN_REG_BIT(RBP))
		drop_slots_of(state, RBP);
	take_flags(flow, &before, state, in, &df);
	/* "word &= ~bit", "refs += -1": what memory holds then is no errno. */
	if ((df.masks && df.dst_memory) || (df.adds && df.writes_memory))
		return;
	if (df.move != INSN_MOVE_NONE)
		take_move(flow, &before, state, &df);
	else if (df.reads & before.regs && (df.writes_memory || df.negates))
		flow->goes |= FLOW_ELSEWHERE;
}

/*
 * Called from inline assembly, which tells the compiler what few registers they change: those of a
 * call are not lost.
 */
static bool keeps_registers(struct symbols *symbols, uint64_t target)
{
	static const char *const names[] = {"__get_user_", "__put_user_",      "copy_user_",
					    "rep_",	   "__sw_hweight",     "__raw_callee_save_",
					    "__SCT__",	   "preempt_schedule", "clear_user_",
					    "__clear_user"};
	struct symbol sym;

	if (symbols_find(symbols, target, &sym))
		return false;
	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		if (!strncmp(sym.name, names[i], strlen(names[i])))
			return true;
	return false;
}

static void take_call(struct flow *flow, const struct insn *in, struct state *state)
{
	uint16_t lost = INSN_CALL_CLOBBERED;

	if (state->regs & INSN_CALL_ARGUMENTS)
		flow->goes |= FLOW_ELSEWHERE;
	if (in->has_target && keeps_registers(flow->symbols, in->target))
		lost = INSN_REG_BIT(RAX);
	clear_written(state, lost);
	state->flags_known = false;
	state->flags = 0;
}

static unsigned int leave(void *ctx, enum leave how, const void *before)
{
	const struct state *state = before;
	struct flow *flow = ctx;

	switch (how) {
	case LEAVE_RETURN:
		if (state->regs & INSN_REG_BIT(RAX))
			flow->goes |= FLOW_RETURNED;
		break;
	case LEAVE_TAIL_CALL:
		if (state->regs & INSN_CALL_ARGUMENTS)
			flow->goes |= FLOW_ELSEWHERE;
		break;
	case LEAVE_INDIRECT:
	case LEAVE_UNKNOWN:
		flow->goes |= FLOW_ELSEWHERE;
		break;
	case LEAVE_NO_RETURN:
	case LEAVE_SYSTEM:
		break;
	}
	return 0;
}

static unsigned int step(void *ctx, const struct insn *in, const uint8_t *bytes, void *before)
{
	struct flow *flow = ctx;
	struct state *state = before;
	int taken;

	switch (in->class) {
	case INSN_COND:
		taken = state->flags_known ? insn_branch_taken(bytes, in->len, state->flags) : -1;
		return taken < 0 ? WALK_ALL : taken ? WALK_TARGET : WALK_NEXT;
	case INSN_CALL:
	case INSN_ICALL:
		take_call(flow, in, state);
		break;
	default: /* UD2 of a WARN() goes on behind it */
		take_other(flow, in, bytes, state);
	}
	return gone(state) ? 0 : WALK_NEXT;
}

static unsigned int run(struct flow *flow, uint64_t addr, const struct state *start)
{
	const struct walk walk = {
		.text = walk_text_of(flow->code),
		.state_size = sizeof(*start),
		.step = step,
		.leave = leave,
		.ctx = flow,
		.steps_max = STATES_MAX,
	};

	if (!gone(start) && walk_from(&walk, addr, start) == WALKED_IN_PART)
		flow->goes |= FLOW_ELSEWHERE;
	return flow->goes;
}

unsigned int flow_of_site(const struct code *code, struct symbols *symbols, uint64_t addr,
			  uint16_t err)
{
	struct flow flow = {.code = code, .symbols = symbols, .value = -(int64_t)err};
	const struct insn *in = code_find(code, addr);
	struct insn_dataflow df;
	struct state start = {};
	enum width width;

	if (!in || insn_dataflow(code_bytes(code, in), in->len, &df) ||
	    (df.dst == INSN_NO_REG && !df.dst_memory))
		return FLOW_ELSEWHERE;
	width = df.bits == 64 ? WIDTH_SIGN : WIDTH_ZERO;
	if (df.dst_memory)
		store(&flow, &start, &df.memory, df.bits == 64 ? WIDTH_SIGN : WIDTH_UNKNOWN);
	else
		set_register(&start, df.dst, width);
	return run(&flow, addr + in->len, &start);
}

unsigned int flow_of_register(const struct code *code, struct symbols *symbols, uint64_t addr,
			      uint8_t reg, uint16_t err)
{
	struct flow flow = {.code = code, .symbols = symbols, .value = -(int64_t)err};
	struct state start = {};

	set_register(&start, reg, WIDTH_UNKNOWN);
	return run(&flow, addr, &start);
}

unsigned int flow_of_result(const struct code *code, struct symbols *symbols, uint64_t addr,
			    uint16_t err)
{
	return flow_of_register(code, symbols, addr, RAX, err);
}
