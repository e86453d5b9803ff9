// SPDX-License-Identifier: GPL-2.0
#include "why/values/decision_text.h"

#include <stdio.h>
#include <string.h>

#include "disasm/dataflow.h"
#include "disasm/operand.h"
#include "disasm/regs.h"
#include "why/values/value_text.h"

#define RSP 4
/* The flags are set close by, or nobody can tell by what. */
#define SETTER_STEPS 6

static size_t operand_before(void *ctx, const struct operand_insn *at, struct operand_insn *ret)
{
	const struct backward *back = ctx;
	const struct insn *above = code_above(back->code, at->pos);
	const struct insn *entered = back->entered && at->pos == back->from
					     ? code_find(back->code, back->entered)
					     : NULL;
	const struct insn *in = NULL;
	size_t count = 0;

	if (entered && (entered->class == INSN_COND || entered->class == INSN_JMP)) {
		backward_operand(back, entered, ret);
		return 1;
	}
	if (above)
		backward_operand(back, above, &ret[count++]);
	if (above && backward_in_row(back, at->pos))
		return 1;
	while ((in = code_jump_to(back->code, at->pos, in))) {
		if (count == OPERAND_WAYS_MAX)
			return 0;
		backward_operand(back, in, &ret[count++]);
	}
	return count;
}

/* A pointer to the slot, or to what lies below it, may be in use where its address is taken. */
static bool keeps_slot(void *ctx, int64_t offset)
{
	const struct backward *back = ctx;

	for (size_t i = 0; i < back->code->count; i++) {
		const struct insn *in = &back->code->insns[i];
		struct insn_dataflow flow;

		if (insn_dataflow(code_bytes(back->code, in), in->len, &flow))
			return false;
		if (flow.lea ? flow.memory.base == RSP && !(flow.writes & INSN_REG_BIT(RSP)) &&
				       flow.memory.displacement <= offset
			     : flow.move == INSN_MOVE_COPY && flow.src == RSP && !flow.dst_memory)
			return false;
	}
	return true;
}

/* "x == 9" and "!x" say their value by themselves. */
static bool is_equality(const char *condition)
{
	return strstr(condition, " == ") || (condition[0] == '!' && !strchr(condition, ' '));
}

/**
 * struct compared - the operands that a decision is about, as far as they are known
 * @setter: the instruction that set the flags
 * @values, @known: of each of @operands
 */
struct compared {
	struct backward *back;
	const struct insn *setter;
	struct insn_operand operands[2];
	struct value_then values[2];
	bool known[2];
	enum insn_use use;
	int count;
};

static bool take_operand(void *ctx, int index, const struct insn_operand *operand,
			 enum insn_use use, uint64_t bits, struct insn_operand_text *ret)
{
	struct compared *c = ctx;
	struct value_then *then = &c->values[index];

	(void)bits;
	c->count = index + 1;
	c->operands[index] = *operand;
	if (operand->kind != INSN_OPERAND_IMM) {
		c->use = use;
		c->known[index] = !backward_value(c->back, c->setter, operand, then);
	} else {
		c->known[index] = true;
		*then = (struct value_then){.value = (uint64_t)operand->value,
					    .bits = operand->bits};
	}
	snprintf(ret->text, sizeof(ret->text), "x");
	return true;
}

/* The byte with its sign bit set may have been extended either way. */
static bool extended(const struct value_then *then, unsigned int bits)
{
	return then->bits < bits && then->value >> (then->bits - 1) & 1;
}

/** enum agreement - do the values say that the branch went the way that it did? */
enum agreement {
	AGREEMENT_UNKNOWN,
	AGREEMENT_AGREES,
	AGREEMENT_CONTRADICTS,
};

static enum agreement agreement_of(const struct compared *c, const uint8_t *setter,
				   size_t setter_len, const uint8_t *branch, size_t len, bool taken)
{
	unsigned int bits = c->operands[0].bits, shift = bits < 32 ? 32 - bits : 0;
	struct insn_dataflow flow,
		as = {.compare = INSN_COMPARE_CONST, .compare_bits = bits == 64 ? 64 : 32};
	uint64_t a = c->values[0].value, b = c->count == 2 ? c->values[1].value : 0;
	int would;

	if (!c->known[0] || (c->count == 2 && !c->known[1]) || extended(&c->values[0], bits) ||
	    (c->count == 2 && c->operands[1].kind != INSN_OPERAND_IMM &&
	     extended(&c->values[1], bits)) ||
	    c->use == INSN_USE_BIT || insn_dataflow(setter, setter_len, &flow) || flow.writes ||
	    flow.writes_memory)
		return AGREEMENT_UNKNOWN;
	if (c->use == INSN_USE_MASK) {
		a &= b;
		b = 0;
	}
	as.constant = (int64_t)(b << shift);
	would = insn_branch_taken(branch, len, insn_compare_flags(&as, a << shift));
	if (would < 0)
		return AGREEMENT_UNKNOWN;
	return would == taken ? AGREEMENT_AGREES : AGREEMENT_CONTRADICTS;
}

/* What it agrees with, or not, may have been something else in memory then. */
static void take_agreement(const struct compared *c, enum agreement agreement, struct decision *ret)
{
	bool later = false, shared = false;

	for (int i = 0; i < c->count; i++) {
		later |= c->values[i].later;
		shared |= c->values[i].shared;
	}
	ret->agrees = agreement == AGREEMENT_AGREES && !later;
	if (agreement != AGREEMENT_CONTRADICTS)
		return;
	ret->excluded = !later && !shared;
	ret->doubtful = later || shared;
	ret->shared = !later && shared;
}

/* "0x8(%r13)" of "0x8(%r13) != 2", "(0xffffffff81000207)" of "(0xffffffff81000207) == 0" */
static void memory_operand(const char *condition, char *buf, size_t size)
{
	const char *open = strstr(condition, "(%") ?: strstr(condition, "(0x");
	const char *end = open ? strchr(open, ')') : NULL;
	const char *begin = open;

	buf[0] = '\0';
	if (!end)
		return;
	while (begin > condition && strchr("0123456789abcdefx-", begin[-1]))
		begin--;
	snprintf(buf, size, "%.*s", (int)(end + 1 - begin), begin);
}

/* What memory held at the end is not what was compared. */
static bool has_changed(const struct value_then *then, bool wrong)
{
	return wrong && (then->later || then->shared);
}

static const char *note_of(const struct backward *back, const struct value_then *then, bool wrong)
{
	if (has_changed(then, wrong))
		return back->several ? " (by then)" : " (changed since)";
	return then->later ? " (read later)" : "";
}

/* Of a pointer nobody wants the address, where what it points to is known. */
static bool points_only(const struct compared *c, uint8_t reg)
{
	for (int i = 0; i < c->count; i++)
		if (c->operands[i].kind == INSN_OPERAND_MEM && c->known[i] &&
		    c->operands[i].base == reg)
			return true;
	return false;
}

/* Registers that are as they were, and what is in memory or was loaded from there. */
static void describe_values(const struct compared *c, bool wrong, struct decision *ret)
{
	const struct why_state *state = c->back->state;
	char name[64];

	if (c->back->where->no_values)
		return;
	for (uint8_t reg = 0; state && state->regs && reg < 16; reg++)
		for (int bits = 64; bits >= 8; bits /= 2)
			if (!(c->back->written >> reg & 1) && !points_only(c, reg) &&
			    value_has_word(ret->condition, value_register_name(reg, bits)))
				value_append(ret->values, sizeof(ret->values),
					     value_register_name(reg, bits),
					     state->regs[register_of_cpu(reg)], bits, NULL, "");
	for (int i = 0; i < c->count; i++) {
		const struct insn_operand *operand = &c->operands[i];

		if (!c->known[i] || operand->kind == INSN_OPERAND_IMM ||
		    extended(&c->values[i], operand->bits))
			continue;
		if (operand->kind == INSN_OPERAND_MEM)
			memory_operand(ret->condition, name, sizeof(name));
		else if (c->back->written >> operand->reg & 1)
			snprintf(name, sizeof(name), "%s",
				 value_register_name(operand->reg, operand->bits));
		else
			continue;
		if (value_has_word(ret->condition, name))
			value_append(ret->values, sizeof(ret->values), name, c->values[i].value,
				     c->values[i].bits, NULL,
				     note_of(c->back, &c->values[i], wrong));
	}
}

/* Memory may have been written to since. */
static bool certain_value(void *ctx, int index, int64_t *ret)
{
	const struct compared *c = ctx;
	const struct value_then *then = &c->values[index];
	unsigned int unused = 64 - c->operands[index].bits;

	if (index >= c->count || !c->known[index] || then->later || then->shared ||
	    extended(then, c->operands[index].bits))
		return false;
	*ret = (int64_t)(then->value << unused) >> unused;
	return true;
}

static void describe_source(struct compared *c, const struct insn *branch, enum agreement agreement,
			    struct decision *ret)
{
	const bool wrong = agreement == AGREEMENT_CONTRADICTS;
	struct backward *back = c->back;
	/* On another one of several ways a register held something else. */
	const bool tells = agreement == AGREEMENT_AGREES || (!wrong && !back->several);
	const struct operand_way way = {
		.lines = back->where->lines,
		.symbols = back->where->symbols,
		.before = operand_before,
		.keeps_slot = keeps_slot,
		.ctx = back,
		.fact = back->where->fact,
		.fact_ctx = back->where->fact_ctx,
		.value = tells && !back->where->no_values ? certain_value : NULL,
		.value_ctx = c,
	};
	struct operand_insn sets, branches;
	struct operand_condition condition;

	backward_operand(back, c->setter, &sets);
	backward_operand(back, branch, &branches);
	if (!way.lines || operand_condition(&way, &sets, &branches, ret->taken, &condition))
		return;
	memcpy(ret->source, condition.text, sizeof(ret->source));
	ret->operand = condition.source;
	for (unsigned int i = 0; i < condition.count; i++) {
		const struct operand_name *name = &condition.names[i];
		struct value_then then;

		/* "test $4,%sil" asks for a part of what has the name. */
		if (backward_value(back, c->setter, &name->operand, &then) ||
		    back->where->no_values || name->type.bytes * 8 > then.bits ||
		    (is_equality(condition.text) && !has_changed(&then, wrong)))
			continue;
		value_append(ret->source_values, sizeof(ret->source_values), name->name, then.value,
			     then.bits, &name->type, note_of(back, &then, wrong));
	}
}

void decision_describe(struct backward *back, const struct insn *branch, struct decision *ret)
{
	const uint8_t *bytes = code_bytes(back->code, branch), *setter_bytes;
	struct compared compared = {.back = back};
	const struct insn *setter = branch;
	enum agreement agreement = AGREEMENT_UNKNOWN;
	char words[CONDITION_MAX];

	for (int i = 0; i < SETTER_STEPS; i++) {
		setter = backward_executed(back, setter->addr);
		/* Of one comparison there may be several branches: less, equal, greater. */
		if (!setter || (setter->class != INSN_OTHER && setter->class != INSN_COND))
			return;
		backward_note(back, setter);
		if (setter->flags_written & branch->flags_read)
			break;
		if (i == SETTER_STEPS - 1)
			return;
	}
	setter_bytes = code_bytes(back->code, setter);
	compared.setter = setter;
	if (!insn_condition_named(setter_bytes, setter->len, setter->addr, bytes, branch->len,
				  ret->taken, take_operand, &compared, words, sizeof(words)))
		agreement = agreement_of(&compared, setter_bytes, setter->len, bytes, branch->len,
					 ret->taken);
	take_agreement(&compared, agreement, ret);
	if (insn_condition(setter_bytes, setter->len, setter->addr, bytes, branch->len, ret->taken,
			   ret->condition, sizeof(ret->condition)))
		ret->condition[0] = '\0';
	else
		describe_values(&compared, agreement == AGREEMENT_CONTRADICTS, ret);
	describe_source(&compared, branch, agreement, ret);
}
