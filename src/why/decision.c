// SPDX-License-Identifier: GPL-2.0
#include "why/decision.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cfg/control_edges.h"
#include "cfg/kept.h"
#include "cfg/rejoin.h"
#include "disasm/dataflow.h"
#include "disasm/insn.h"
#include "disasm/operand.h"
#include "disasm/regs.h"
#include "util/cleanup.h"
#include "why/values/backward.h"
#include "why/values/value_text.h"

#define STEPS_MAX 256
#define RSP	  4
/* Branches between an errno that is loaded early and what becomes of it. */
#define KEPT_MAX 16
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

static void describe(struct backward *back, const struct insn *branch, struct decision *ret)
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

static int walk(struct backward *back, uint64_t addr, struct decision *ret)
{
	for (int step = 0; step < STEPS_MAX; step++) {
		bool taken;
		const struct insn *in = backward_only(back->code, addr, &taken);

		if (!in)
			return -ENOENT;
		if (in->class == INSN_COND) {
			*ret = (struct decision){.addr = in->addr, .taken = taken};
			describe(back, in, ret);
			return 0;
		}
		backward_note(back, in);
		addr = in->addr;
	}
	return -ENOENT;
}

/*
 * Executed in a row from @from up to, and without, @end. The last conditional branch of them was
 * not taken. NULL: there is none; *@ret_ok is false if they are no row of instructions.
 */
static const struct insn *last_cond(struct backward *back, uint64_t from, uint64_t end,
				    bool *ret_ok)
{
	const struct insn *found = NULL, *in = code_find(back->code, from);
	uint32_t before = back->written;

	*ret_ok = false;
	while (in && in->addr < end && (insn_goes_on(in->class) || in->addr + in->len == end)) {
		backward_note(back, in);
		if (in->class == INSN_COND) {
			found = in;
			back->written = before;
		}
		in = code_find(back->code, in->addr + in->len);
	}
	*ret_ok = from == end || (in && in->addr == end);
	return found;
}

/* The call that the newest of @count branches returned from: its index, and the call; or -ENOENT.
 */
static int find_call(const struct backward *back, const struct snapshot *snap, uint32_t count,
		     const struct insn **ret_call)
{
	uint64_t behind = snap->branches[count - 1].to;
	const struct insn *call = code_above(back->code, behind);
	int inner = 0;

	if (!call || (call->class != INSN_CALL && call->class != INSN_ICALL))
		return -ENOENT;
	for (uint32_t i = count - 1; i-- > 0;) {
		if (snap->branches[i].to == behind)
			inner++;
		if (snap->branches[i].from == call->addr && !inner--) {
			*ret_call = call;
			return (int)i;
		}
	}
	return -ENOENT;
}

/** struct row - what ran up to @end: of the branches the first @count led there */
struct row {
	const struct snapshot *snap;
	uint32_t count;
	uint64_t end;
};

/* Before the row's first instruction: 0, and @row ends there, -ENOENT. @ret_cond: if it is one */
static int row_before(struct backward *back, struct row *row, const struct insn **ret_cond)
{
	const struct branch *branch = &row->snap->branches[row->count - 1];
	const struct insn *in = code_find(back->code, branch->from);
	int call = in ? -ENOENT : find_call(back, row->snap, row->count, &in);

	*ret_cond = NULL;
	if (call >= 0) {
		backward_note(back, in);
		row->count = (uint32_t)call;
	} else if (in && (in->class == INSN_COND || in->class == INSN_JMP)) {
		row->count--;
		*ret_cond = in->class == INSN_COND ? in : NULL;
	} else {
		return -ENOENT;
	}
	row->end = in->addr;
	return 0;
}

static int walk_branches(struct backward *back, struct row *row, struct decision *ret)
{
	while (row->count) {
		const struct branch *branch = &row->snap->branches[row->count - 1];
		const struct insn *cond;
		bool ok, taken;

		cond = last_cond(back, branch->to, row->end, &ok);
		if (!ok)
			return -ENOENT;
		taken = !cond;
		if (cond)
			row->end = cond->addr;
		else if (row_before(back, row, &cond))
			return -ENOENT;
		if (!cond)
			continue;
		*ret = (struct decision){.addr = cond->addr, .taken = taken};
		branch = row->count ? &row->snap->branches[row->count - 1] : NULL;
		back->from = branch ? branch->to : 0;
		back->entered = branch ? branch->from : 0;
		back->until = cond->addr;
		describe(back, cond, ret);
		return 0;
	}
	return -ENOENT;
}

/* Registers that are written from the site on, which the values are of, up to the branch. */
static uint32_t written_since(struct backward *back, const struct kept_branch *kept, size_t count,
			      uint64_t site)
{
	uint64_t from = site;

	back->written = 0;
	for (size_t i = 0; i <= count; i++) {
		const struct insn *in = code_find(back->code, from);

		while (in && in->addr < kept[i].addr) {
			backward_note(back, in);
			in = in->class == INSN_JMP ? code_find(back->code, in->target)
						   : code_find(back->code, in->addr + in->len);
		}
		in = code_find(back->code, kept[i].addr);
		from = in && kept[i].taken ? in->target : kept[i].addr + (in ? in->len : 0);
	}
	return back->written;
}

/* What was decided behind an instruction that loads its errno in case, the newest first. */
static int decided_after(struct backward *back, uint64_t addr, bool alike, struct decision *ret,
			 size_t max)
{
	const struct insn *site = code_find(back->code, addr);
	struct kept_branch kept[KEPT_MAX];
	int count = !site   ? 0
		    : alike ? kept_branches_alike(back->code, site, kept, KEPT_MAX)
			    : kept_branches(back->code, site, kept, KEPT_MAX);
	size_t done = 0;

	for (int i = count; i-- > 0 && done < max; done++) {
		ret[done] = (struct decision){
			.addr = kept[i].addr, .taken = kept[i].taken, .behind = true};
		back->from = kept[i].row;
		back->entered = 0;
		back->until = kept[i].addr;
		back->written = written_since(back, kept, (size_t)i, addr);
		describe(back, code_find(back->code, kept[i].addr), &ret[done]);
	}
	back->from = back->until = 0;
	back->written = 0;
	return count < 0 ? count : (int)done;
}

/* The other side comes to the same instruction: "if (extack) extack->msg = ...; return -EINVAL" */
static bool decides_nothing(const struct code *code, const struct decision *decision, uint64_t site)
{
	const struct insn *in = code_find(code, decision->addr), *at = code_find(code, site);

	return in &&
	       (rejoin_all_ways(code, decision->taken ? in->addr + in->len : in->target, site) ||
		(at && control_edge_fails_alike(code, at, in, decision->taken)));
}

/* Straight on from the function's entry to @addr: nothing was decided before. */
static bool is_first(const struct backward *back, uint64_t addr)
{
	for (int step = 0; step < STEPS_MAX; step++) {
		bool taken;
		const struct insn *in = backward_only(back->code, addr, &taken);

		if (!in)
			return addr == back->code->parts[0].addr &&
			       !code_jump_to(back->code, addr, NULL);
		if (in->class == INSN_COND)
			return false;
		addr = in->addr;
	}
	return false;
}

int decisions_find(const struct decision_code *where, const struct symbol *func, uint64_t addr,
		   const struct snapshot *snap, const struct why_state *state, struct decision *ret,
		   size_t max)
{
	struct row row = {.snap = snap, .count = snap ? snap->count : 0, .end = addr};
	struct backward back = {.where = where, .state = state};
	int err = code_load_symbol(where->text, where->symbols, func, &back.code);
	const uint64_t site = addr;
	int count = err ? 0 : decided_after(&back, addr, false, ret, max);

	if (err)
		return err;
	err = count < 0 ? count : 0;
	while (!err && (size_t)count < max) {
		err = snap ? walk_branches(&back, &row, &ret[count])
			   : walk(&back, addr, &ret[count]);
		if (err)
			break;
		addr = ret[count].addr;
		count += !decides_nothing(back.code, &ret[count], site);
	}
	if (!count && max && is_first(&back, addr))
		count = decided_after(&back, site, true, ret, max);
	code_free(back.code);
	return count > 0 ? count : err;
}

/* What is written from @addr on, straight on up to @end; all of it where that is not the way. */
static uint32_t written_from(struct backward *back, uint64_t addr, uint64_t end)
{
	back->written = 0;
	for (int step = 0; step < STEPS_MAX && addr != end; step++) {
		const struct insn *in = code_find(back->code, addr);

		if (!in || in->class == INSN_COND)
			break;
		backward_note(back, in);
		addr = in->class == INSN_JMP ? in->target : in->addr + in->len;
		if (addr == end)
			return back->written;
	}
	return addr == end ? back->written : UINT32_MAX;
}

/* Those that are doubtful come last. */
static int by_branch(const void *a, const void *b)
{
	const struct decision *x = a, *y = b;

	if (x->doubtful != y->doubtful)
		return x->doubtful ? 1 : -1;
	return x->addr < y->addr ? -1 : x->addr > y->addr;
}

/*
 * What another CPU may have changed excludes a way only where the values agree with another one:
 * the change would have to fall between the test and the error, and make a way that was not taken
 * agree.
 */
static int without_excluded(struct decision *all, size_t count)
{
	bool agrees = false;
	size_t kept = 0;

	for (size_t i = 0; i < count; i++)
		agrees |= all[i].agrees;
	for (size_t i = 0; i < count; i++)
		if (!all[i].excluded && !(agrees && all[i].shared))
			all[kept++] = all[i];
	qsort(all, kept, sizeof(*all), by_branch);
	/* All of them: then something is not as it seems. */
	return kept ? (int)kept : -ENOENT;
}

/* One way leads there, and decisions_find() tells of it. */
static bool is_one_way(struct backward *back, uint64_t addr)
{
	for (int step = 0; step < STEPS_MAX; step++) {
		bool taken;
		const struct insn *in = backward_only(back->code, addr, &taken);

		if (!in || in->class == INSN_COND)
			return in;
		addr = in->addr;
	}
	return false;
}

/* The edges behind the errno, or before it; those behind it are read back from it. */
static int find_edges(struct backward *back, const struct insn *site, struct control_edge *edges,
		      size_t max, bool *ret_behind)
{
	struct kept_branch kept;
	int count;

	*ret_behind = kept_branches(back->code, site, &kept, 1) != 0;
	count = *ret_behind ? control_edges_behind(back->code, site, edges, max)
			    : control_edges_before(back->code, site, edges, max);
	if (!count || (count == 1 && !*ret_behind && is_one_way(back, site->addr)))
		return -ENOENT;
	return count;
}

/* @behind: it comes after the instruction at @site */
static void describe_edge(struct backward *back, const struct control_edge *edge, uint64_t site,
			  bool behind, struct decision *ret)
{
	const struct insn *in = code_find(back->code, edge->addr);

	back->written =
		behind ? written_from(back, site, in->addr)
		       : written_from(back, edge->taken ? in->target : in->addr + in->len, site);
	*ret = (struct decision){.addr = in->addr, .taken = edge->taken, .behind = behind};
	describe(back, in, ret);
}

int decisions_one_of(const struct decision_code *where, const struct symbol *func, uint64_t addr,
		     const struct why_state *state, struct decision *ret, size_t max)
{
	struct backward back = {.where = where, .state = state, .several = true};
	int err = code_load_symbol(where->text, where->symbols, func, &back.code), count;
	_cleanup_free_ struct control_edge *edges = calloc(max + 1, sizeof(*edges));
	const struct insn *site;
	bool behind;

	if (err || !edges) {
		if (!err)
			code_free(back.code);
		return err ?: -ENOMEM;
	}
	site = code_find(back.code, addr);
	count = site ? find_edges(&back, site, edges, max, &behind) : -ENOENT;
	for (int i = 0; i < count; i++)
		describe_edge(&back, &edges[i], addr, behind, &ret[i]);
	count = count < 1 ? count : without_excluded(ret, (size_t)count);
	/* The only one that is left is the one that was taken. */
	back.several = false;
	if (count == 1)
		describe_edge(&back,
			      &(struct control_edge){.addr = ret[0].addr, .taken = ret[0].taken},
			      addr, behind, &ret[0]);
	code_free(back.code);
	return count;
}

int decision_at(const struct decision_code *where, const struct symbol *func, uint64_t addr,
		bool taken, const struct why_state *state, struct decision *ret)
{
	struct backward back = {.where = where, .state = state};
	int err = code_load_symbol(where->text, where->symbols, func, &back.code);
	const struct insn *in = err ? NULL : code_find(back.code, addr);

	if (err)
		return err;
	if (in) {
		*ret = (struct decision){.addr = addr, .taken = taken};
		describe(&back, in, ret);
	}
	code_free(back.code);
	return in ? 0 : -ENOENT;
}
