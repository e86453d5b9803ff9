// SPDX-License-Identifier: GPL-2.0
/*
 * deep_source.c - where an indirect branch leads to, by what a probe before it tells
 *
 * A hit of the function that it leads to is no proof: another one may have been called, and have
 * jumped there. The kernel's indirect calls and jumps go by a register, as the compiler's option
 * -mindirect-branch-register has it; a retpoline writes that to the stack, and returns there.
 */
#include "disasm/dataflow.h"
#include "disasm/fetch.h"
#include "disasm/operand.h"
#include "why/proof/deep_check.h"
#include "why/values/backward.h"

#define RSP 4
/* Instructions from where the register is looked at to the branch: a thunk has some. */
#define SOURCE_STEPS_MAX 16

/* "mov %REG,(%rsp)": the register; else DEEP_SOURCE_NONE. */
static uint8_t put_on_top(const uint8_t *bytes, size_t len)
{
	struct insn_dataflow flow;

	if (insn_dataflow(bytes, len, &flow) || flow.move != INSN_MOVE_COPY || !flow.dst_memory ||
	    flow.bits != 64 || flow.memory.base != RSP || flow.memory.index ||
	    flow.memory.displacement || flow.src >= DEEP_SOURCE_STACK)
		return DEEP_SOURCE_NONE;
	return flow.src;
}

/*
 * Instructions of virtualization and of enclaves write registers that no operand names: Intel SDM,
 * vol. 2, table A-6, opcode 0F 01. CLAC and STAC, of the same opcode, do not.
 */
static bool writes_unknown(const uint8_t *bytes, const struct insn *insn)
{
	return insn->flags & INSN_F_VMENTRY ||
	       (bytes[0] == 0x0f && bytes[1] == 0x01 && bytes[2] >= 0xc0 && bytes[2] != 0xca &&
		bytes[2] != 0xcb);
}

/* Does the instruction of @step lead to the next step? Not where a call is left out of the path. */
static bool leads_on(const struct deep_check *check, const struct deep_step *step,
		     const struct insn *insn)
{
	const struct deep_step *next = step + 1;

	if (next->at != step->at)
		return step->addr == check->known.branches[next->at].from;
	return insn->class != INSN_CALL && step->addr + insn->len == next->addr;
}

/*
 * Is what @source has after step number @number there before it, too?
 * @slot: of DEEP_SOURCE_STACK: the stack pointer at the branch, as struct deep_step has it
 */
static bool is_kept(const struct deep_check *check, const struct text_source *text, size_t number,
		    uint8_t source, uint64_t slot)
{
	const struct deep_step *step = &check->steps[number];
	uint8_t bytes[INSN_LEN_MAX];
	struct insn_dataflow flow;
	struct insn insn;

	if (insn_fetch(text, step->addr, bytes, &insn) || insn_dataflow(bytes, insn.len, &flow) ||
	    writes_unknown(bytes, &insn) || !leads_on(check, step, &insn))
		return false;
	if (source != DEEP_SOURCE_STACK)
		return !(flow.writes >> source & 1);
	/* What is pushed below does not change it. */
	return !flow.writes_memory && step->stack == step[1].stack &&
	       (int64_t)(slot - step->sp) >= 0;
}

static void find_source(struct deep_check *check, const struct text_source *text,
			struct deep_fork *fork)
{
	size_t step = fork->step, oldest;
	uint64_t slot = check->steps[step].sp;
	uint8_t bytes[INSN_LEN_MAX];
	struct insn insn;

	fork->source = DEEP_SOURCE_NONE;
	if (fork->other || !fork->next || insn_fetch(text, check->steps[step].addr, bytes, &insn))
		return;
	if (insn.class == INSN_RET)
		fork->source = DEEP_SOURCE_STACK;
	else if (insn_target_register(bytes, insn.len) < DEEP_SOURCE_STACK)
		fork->source = insn_target_register(bytes, insn.len);
	if (fork->source == DEEP_SOURCE_NONE)
		return;
	fork->loaded = fork->used = step;
	oldest = step > SOURCE_STEPS_MAX ? step - SOURCE_STEPS_MAX : 0;
	while (step-- > oldest) {
		uint8_t put = DEEP_SOURCE_NONE;

		if (fork->source == DEEP_SOURCE_STACK && check->steps[step].sp == slot &&
		    !insn_fetch(text, check->steps[step].addr, bytes, &insn))
			put = put_on_top(bytes, insn.len);
		if (put != DEEP_SOURCE_NONE) {
			fork->source = put;
			fork->used = step;
		} else if (!is_kept(check, text, step, fork->source, slot)) {
			return;
		}
		fork->loaded = step;
	}
}

void deep_check_find_sources(struct deep_check *check, const struct text_source *text)
{
	for (size_t i = 0; i < check->fork_count; i++)
		find_source(check, text, &check->forks[i]);
}

bool deep_check_has_source(const struct deep_check *check, const struct deep_fork *fork,
			   size_t step)
{
	return fork->source != DEEP_SOURCE_NONE && step >= fork->loaded && step <= fork->used &&
	       (fork->source != DEEP_SOURCE_STACK ||
		check->steps[step].sp == check->steps[fork->used].sp);
}

bool deep_check_shows_target(const struct deep_check *check, const struct deep_fork *fork,
			     size_t oldest)
{
	for (size_t i = fork->used + 1; i-- > fork->loaded && i >= oldest;)
		if (deep_check_has_source(check, fork, i) &&
		    deep_check_has(check, check->steps[i].addr))
			return true;
	return false;
}

bool deep_check_goes_elsewhere(const struct deep_check *check, size_t step,
			       const struct deep_hit *hit)
{
	for (size_t i = 0; i < check->fork_count; i++) {
		const struct deep_fork *fork = &check->forks[i];

		if (deep_check_has_source(check, fork, step) &&
		    fork->next != (fork->source == DEEP_SOURCE_STACK
					   ? hit->top
					   : hit->regs[register_of_cpu(fork->source)]))
			return true;
	}
	return false;
}
