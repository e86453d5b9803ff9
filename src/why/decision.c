// SPDX-License-Identifier: GPL-2.0
#include "why/decision.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "disasm/dataflow.h"
#include "disasm/insn.h"
#include "util/cleanup.h"
#include "util/errno_name.h"
#include "why/code.h"
#include "why/kept.h"

#define STEPS_MAX 256
/* Branches between an errno that is loaded early and what becomes of it. */
#define KEPT_MAX 16
/* Until the two sides of a branch meet again. */
#define REJOIN_STEPS_MAX 48
/* The flags are set close by, or nobody can tell by what. */
#define SETTER_STEPS 6

/**
 * struct backward - a way back
 * @written: registers, by the CPU's number, that the passed instructions write
 * @from, @until: what was executed from there on up to the branch at @until is in memory in a row;
 *                0: not known
 * @entered: the branch that led to @from; 0: not known
 */
struct backward {
	const struct decision_code *where;
	struct code code;
	uint16_t written;
	uint64_t from;
	uint64_t until;
	uint64_t entered;
};

unsigned int register_of_cpu(unsigned int reg)
{
	static const uint8_t of[] = {
		PTREG_AX,  PTREG_CX,  PTREG_DX,	 PTREG_BX,  PTREG_SP,  PTREG_BP,
		PTREG_SI,  PTREG_DI,  PTREG_R8,	 PTREG_R9,  PTREG_R10, PTREG_R11,
		PTREG_R12, PTREG_R13, PTREG_R14, PTREG_R15,
	};

	_Static_assert(ARRAY_SIZE(of) == 16, "one each");
	return of[reg & 15];
}

uint8_t register_number(unsigned int index)
{
	uint8_t reg = 0;

	while (reg < 15 && register_of_cpu(reg) != index)
		reg++;
	return reg;
}

/* The one instruction that control came from; NULL if there are none or several. */
static const struct insn *only_before(const struct code *code, uint64_t addr, bool *ret_taken)
{
	const struct insn *found = code_above(code, addr);

	*ret_taken = false;
	for (size_t i = 0; i < code->count; i++) {
		const struct insn *in = &code->items[i];

		if (!in->has_target || in->target != addr || in->class == INSN_CALL)
			continue;
		if (found)
			return NULL;
		found = in;
		*ret_taken = true;
	}
	return found;
}

static void note_written(struct backward *back, const struct insn *in)
{
	uint8_t bytes[INSN_LEN_MAX];
	size_t len = code_read(&back->code, in, bytes);
	uint64_t value;
	uint8_t from;

	for (uint8_t reg = 0; reg < 16; reg++)
		if (!len || in->class == INSN_CALL || in->class == INSN_ICALL ||
		    insn_register_write(bytes, len, reg, &value, &from) != INSN_KEEPS)
			back->written |= 1u << reg;
}

/* Names of general registers in AT&T syntax, by the CPU's number. */
static const char *const names[16][4] = {
	{"%rax", "%eax", "%ax", "%al"},	     {"%rcx", "%ecx", "%cx", "%cl"},
	{"%rdx", "%edx", "%dx", "%dl"},	     {"%rbx", "%ebx", "%bx", "%bl"},
	{"%rsp", "%esp", "%sp", "%spl"},     {"%rbp", "%ebp", "%bp", "%bpl"},
	{"%rsi", "%esi", "%si", "%sil"},     {"%rdi", "%edi", "%di", "%dil"},
	{"%r8", "%r8d", "%r8w", "%r8b"},     {"%r9", "%r9d", "%r9w", "%r9b"},
	{"%r10", "%r10d", "%r10w", "%r10b"}, {"%r11", "%r11d", "%r11w", "%r11b"},
	{"%r12", "%r12d", "%r12w", "%r12b"}, {"%r13", "%r13d", "%r13w", "%r13b"},
	{"%r14", "%r14d", "%r14w", "%r14b"}, {"%r15", "%r15d", "%r15w", "%r15b"},
};

static const int widths[4] = {64, 32, 16, 8};

/* Is the name there as a whole word? "%r8" is not in "%r8d". */
static bool has_word(const char *text, const char *word)
{
	const char *at = text;
	size_t len = strlen(word);

	while ((at = strstr(at, word))) {
		if (!strchr("abcdefghijklmnopqrstuvwxyz0123456789", at[len]) || !at[len])
			return true;
		at += len;
	}
	return false;
}

static int64_t number_of(uint64_t value, int width)
{
	switch (width) {
	case 64:
		return (int64_t)value;
	case 32:
		return (int32_t)value;
	case 16:
		return (uint16_t)value;
	default:
		return (uint8_t)value;
	}
}

/* What a number below zero is an errno in: the result of a call, or what is called so. */
static bool is_result(const char *name)
{
	static const char *const usual[] = {"err", "error", "ret", "retval", "rc", "res", "result"};
	size_t len = strlen(name);

	for (size_t i = 0; i < ARRAY_SIZE(usual); i++)
		if (!strcmp(name, usual[i]))
			return true;
	return len > 2 && !strcmp(name + len - 2, "()");
}

/* Bits are easier to read in hex, and an errno by its name. */
static void format_value(char *buf, size_t size, const char *name, uint64_t value, int width)
{
	int64_t number = number_of(value, width);
	const char *err =
		number < 0 && number > -4096 && is_result(name) ? errno_name((int)-number) : NULL;

	if (err)
		snprintf(buf, size, "%s = -%s", name, err);
	else if (number > -65536 && number < 65536 && !(strstr(name, " & 0x") && number > 9))
		snprintf(buf, size, "%s = %lld", name, (long long)number);
	else
		snprintf(buf, size, "%s = 0x%llx", name,
			 (unsigned long long)(width == 64 ? value : (uint32_t)value));
}

/* A condition of zero says its value by itself. */
static void describe_values(const struct backward *back, const uint64_t *regs, struct decision *ret)
{
	size_t len = 0;

	for (unsigned int reg = 0; regs && reg < 16; reg++) {
		for (unsigned int i = 0; i < 4; i++) {
			if (back->written & 1u << reg || !has_word(ret->condition, names[reg][i]) ||
			    len + 32 > sizeof(ret->values))
				continue;
			if (len)
				len += snprintf(ret->values + len, sizeof(ret->values) - len, ", ");
			format_value(ret->values + len, sizeof(ret->values) - len, names[reg][i],
				     regs[register_of_cpu(reg)], widths[i]);
			len += strlen(ret->values + len);
		}
	}
}

/* Is what is in memory before @addr known to have been executed before it? */
static bool in_row(const struct backward *back, uint64_t addr)
{
	return back->from && back->from < addr && addr <= back->until;
}

static const struct insn *executed_before(const struct backward *back, uint64_t addr)
{
	bool taken;

	return in_row(back, addr) ? code_above(&back->code, addr)
				  : only_before(&back->code, addr, &taken);
}

static bool to_operand_insn(const struct backward *back, const struct insn *in,
			    struct operand_insn *ret)
{
	*ret = (struct operand_insn){
		.pos = in->addr,
		.addr = in->addr,
		.callee = in->class == INSN_CALL ? in->target : 0,
		.call = in->class == INSN_CALL || in->class == INSN_ICALL,
	};
	ret->len = (uint8_t)code_read(&back->code, in, ret->bytes);
	return ret->len;
}

static size_t operand_before(void *ctx, const struct operand_insn *at, struct operand_insn *ret)
{
	const struct backward *back = ctx;
	const struct insn *above = code_above(&back->code, at->pos);
	const struct insn *entered = back->entered && at->pos == back->from
					     ? code_find(&back->code, back->entered)
					     : NULL;
	size_t count = 0;

	if (entered && (entered->class == INSN_COND || entered->class == INSN_JMP))
		return to_operand_insn(back, entered, ret);

	if (above && !to_operand_insn(back, above, &ret[count++]))
		return 0;
	if (above && in_row(back, at->pos))
		return 1;
	for (size_t i = 0; i < back->code.count; i++) {
		const struct insn *in = &back->code.items[i];

		if (!in->has_target || in->target != at->pos || in->class == INSN_CALL)
			continue;
		if (count == OPERAND_WAYS_MAX || !to_operand_insn(back, in, &ret[count++]))
			return 0;
	}
	return count;
}

/* "x == 9" and "!x" say their value by themselves. */
static bool is_equality(const char *condition)
{
	return strstr(condition, " == ") || (condition[0] == '!' && !strchr(condition, ' '));
}

static void describe_source(struct backward *back, const struct insn *setter,
			    const struct insn *branch, const uint64_t *regs, struct decision *ret)
{
	const struct operand_way way = {
		.lines = back->where->lines,
		.symbols = back->where->symbols,
		.before = operand_before,
		.ctx = back,
		.fact = back->where->fact,
		.fact_ctx = back->where->fact_ctx,
	};
	struct operand_insn sets, branches;
	struct operand_condition condition;
	size_t len = 0;

	if (!way.lines || !to_operand_insn(back, setter, &sets) ||
	    !to_operand_insn(back, branch, &branches) ||
	    operand_condition(&way, &sets, &branches, ret->taken, &condition))
		return;
	memcpy(ret->source, condition.text, sizeof(ret->source));
	ret->operand = condition.source;
	for (unsigned int i = 0; regs && i < condition.count; i++) {
		const struct operand_name *name = &condition.registers[i];

		if (back->written & 1u << name->reg || is_equality(condition.text))
			continue;
		len += (size_t)snprintf(ret->source_values + len, sizeof(ret->source_values) - len,
					"%s", len ? ", " : "");
		format_value(ret->source_values + len, sizeof(ret->source_values) - len, name->name,
			     regs[register_of_cpu(name->reg)], name->bits);
		len = strlen(ret->source_values);
	}
}

/* Would the branch have gone the other way, with what the register holds that was compared? */
static bool is_excluded(const struct backward *back, const uint8_t *setter, size_t setter_len,
			const uint8_t *branch, size_t len, const uint64_t *regs, bool taken)
{
	struct insn_dataflow flow;
	int would;

	if (!regs || insn_dataflow(setter, setter_len, &flow) ||
	    flow.compare == INSN_COMPARE_NONE || back->written >> flow.compared & 1)
		return false;
	would = insn_branch_taken(branch, len,
				  insn_compare_flags(&flow, regs[register_of_cpu(flow.compared)]));
	return would >= 0 && would != taken;
}

static void describe(struct backward *back, const struct insn *branch, const uint64_t *regs,
		     struct decision *ret)
{
	uint8_t bytes[INSN_LEN_MAX], setter_bytes[INSN_LEN_MAX];
	const struct code *code = &back->code;
	size_t len = code_read(code, branch, bytes), setter_len = 0;
	const struct insn *setter = branch;

	for (int i = 0; i < SETTER_STEPS; i++) {
		setter = executed_before(back, setter->addr);
		/* Of one comparison there may be several branches: less, equal, greater. */
		if (!setter || (setter->class != INSN_OTHER && setter->class != INSN_COND))
			return;
		note_written(back, setter);
		if (setter->flags_written & branch->flags_read)
			break;
		if (i == SETTER_STEPS - 1)
			return;
	}
	setter_len = code_read(code, setter, setter_bytes);
	ret->excluded = len && setter_len &&
			is_excluded(back, setter_bytes, setter_len, bytes, len, regs, ret->taken);
	if (!len || !setter_len ||
	    insn_condition(setter_bytes, setter_len, setter->addr, bytes, len, ret->taken,
			   ret->condition, sizeof(ret->condition)))
		ret->condition[0] = '\0';
	else
		describe_values(back, regs, ret);
	if (setter_len)
		describe_source(back, setter, branch, regs, ret);
}

static int walk(struct backward *back, uint64_t addr, const uint64_t *regs, struct decision *ret)
{
	for (int step = 0; step < STEPS_MAX; step++) {
		bool taken;
		const struct insn *in = only_before(&back->code, addr, &taken);

		if (!in)
			return -ENOENT;
		if (in->class == INSN_COND) {
			*ret = (struct decision){.addr = in->addr, .taken = taken};
			describe(back, in, regs, ret);
			return 0;
		}
		note_written(back, in);
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
	const struct insn *found = NULL, *in = code_find(&back->code, from);
	uint16_t before = back->written;

	*ret_ok = false;
	while (in && in->addr < end && (code_goes_on(in) || in->addr + in->len == end)) {
		note_written(back, in);
		if (in->class == INSN_COND) {
			found = in;
			back->written = before;
		}
		in = code_find(&back->code, in->addr + in->len);
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
	const struct insn *call = code_above(&back->code, behind);
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
	const struct insn *in = code_find(&back->code, branch->from);
	int call = in ? -ENOENT : find_call(back, row->snap, row->count, &in);

	*ret_cond = NULL;
	if (call >= 0) {
		note_written(back, in);
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

static int walk_branches(struct backward *back, struct row *row, const uint64_t *regs,
			 struct decision *ret)
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
		describe(back, cond, regs, ret);
		return 0;
	}
	return -ENOENT;
}

/* Registers that are written from the site on, which the values are of, up to the branch. */
static uint16_t written_since(struct backward *back, const struct kept_branch *kept, size_t count,
			      uint64_t site)
{
	uint64_t from = site;

	back->written = 0;
	for (size_t i = 0; i <= count; i++) {
		const struct insn *in = code_find(&back->code, from);

		while (in && in->addr < kept[i].addr) {
			note_written(back, in);
			in = in->class == INSN_JMP ? code_find(&back->code, in->target)
						   : code_find(&back->code, in->addr + in->len);
		}
		in = code_find(&back->code, kept[i].addr);
		from = in && kept[i].taken ? in->target : kept[i].addr + (in ? in->len : 0);
	}
	return back->written;
}

/* What was decided behind an instruction that loads its errno in case, the newest first. */
static int decided_after(struct backward *back, uint64_t addr, const uint64_t *regs,
			 struct decision *ret, size_t max)
{
	const struct insn *site = code_find(&back->code, addr);
	struct kept_branch kept[KEPT_MAX];
	int count = site ? kept_branches(&back->code, site, kept, KEPT_MAX) : 0;
	size_t done = 0;

	for (int i = count; i-- > 0 && done < max; done++) {
		ret[done] = (struct decision){.addr = kept[i].addr, .taken = kept[i].taken};
		back->from = kept[i].row;
		back->until = kept[i].addr;
		back->written = written_since(back, kept, (size_t)i, addr);
		describe(back, code_find(&back->code, kept[i].addr), regs, &ret[done]);
	}
	back->from = back->until = 0;
	back->written = 0;
	return count < 0 ? count : (int)done;
}

/* Do all ways from @from come to @to? @steps bounds the work. */
static bool leads_only_to(const struct code *code, uint64_t from, uint64_t to, unsigned int *steps)
{
	while (from != to && (*steps)++ < REJOIN_STEPS_MAX) {
		const struct insn *in = code_find(code, from);

		if (!in || code_never_returns(code, in))
			return false;
		if (in->class == INSN_COND && !leads_only_to(code, in->target, to, steps))
			return false;
		if (in->class == INSN_JMP)
			from = in->target;
		else if (code_goes_on(in))
			from = in->addr + in->len;
		else
			return false;
	}
	return from == to;
}

/* The other side comes to the same instruction: "if (extack) extack->msg = ...; return -EINVAL" */
static bool decides_nothing(const struct code *code, const struct decision *decision, uint64_t site)
{
	const struct insn *in = code_find(code, decision->addr);
	unsigned int steps = 0;

	return in &&
	       leads_only_to(code, decision->taken ? in->addr + in->len : in->target, site, &steps);
}

int decisions_find(const struct decision_code *where, const struct symbol *func, uint64_t addr,
		   const struct snapshot *snap, const uint64_t *regs, struct decision *ret,
		   size_t max)
{
	struct row row = {.snap = snap, .count = snap ? snap->count : 0, .end = addr};
	struct backward back = {.where = where};
	int err = code_load(&back.code, where->text, where->symbols, func);
	const uint64_t site = addr;
	int count = err ? 0 : decided_after(&back, addr, regs, ret, max);

	if (err)
		return err;
	err = count < 0 ? count : 0;
	while (!err && (size_t)count < max) {
		err = snap ? walk_branches(&back, &row, regs, &ret[count])
			   : walk(&back, addr, regs, &ret[count]);
		if (err)
			break;
		addr = ret[count].addr;
		count += !decides_nothing(&back.code, &ret[count], site);
	}
	code_unload(&back.code);
	return count > 0 ? count : err;
}

/* From @in, which was executed last; @written: by what came behind it. */
static int decision_from(struct backward *back, const struct insn *in, bool taken, uint16_t written,
			 const uint64_t *regs, struct decision *ret)
{
	back->written = written;
	if (in->class == INSN_COND) {
		*ret = (struct decision){.addr = in->addr, .taken = taken};
		describe(back, in, regs, ret);
		return 0;
	}
	note_written(back, in);
	return walk(back, in->addr, regs, ret);
}

/* The instruction where ways meet that @addr is reached from; 0: there is none. */
static uint64_t find_meeting(struct backward *back, uint64_t addr)
{
	for (int step = 0; step < STEPS_MAX; step++) {
		bool taken;
		const struct insn *in = only_before(&back->code, addr, &taken);

		if (!in)
			return addr;
		if (in->class == INSN_COND)
			return 0;
		note_written(back, in);
		addr = in->addr;
	}
	return 0;
}

static int by_branch(const void *a, const void *b)
{
	uint64_t x = ((const struct decision *)a)->addr, y = ((const struct decision *)b)->addr;

	return x < y ? -1 : x > y;
}

static int without_excluded(struct decision *all, size_t count)
{
	size_t kept = 0;

	for (size_t i = 0; i < count; i++)
		if (!all[i].excluded)
			all[kept++] = all[i];
	qsort(all, kept, sizeof(*all), by_branch);
	/* All of them: then something is not as it seems. */
	return kept ? (int)kept : -ENOENT;
}

/* Both of its sides come to the place: what led to the branch is what decided. */
static bool is_one_branch(const struct decision *all, size_t count)
{
	for (size_t i = 1; i < count; i++)
		if (all[i].addr != all[0].addr)
			return false;
	return count > 1;
}

int decisions_one_of(const struct decision_code *where, const struct symbol *func, uint64_t addr,
		     const uint64_t *regs, struct decision *ret, size_t max)
{
	struct backward back = {.where = where};
	int err = code_load(&back.code, where->text, where->symbols, func);
	struct kept_branch kept;
	const struct insn *site, *above;
	uint64_t meeting;
	uint16_t written;
	size_t count = 0;

	if (err)
		return err;
	site = code_find(&back.code, addr);
	/* What is decided behind it has nothing to do with the ways that lead there. */
	if (!site || kept_branches(&back.code, site, &kept, 1))
		err = -ENOENT;
	meeting = err ? 0 : find_meeting(&back, addr);
	written = back.written;
	above = meeting ? code_above(&back.code, meeting) : NULL;
	if (above && max)
		err = decision_from(&back, above, false, written, regs, &ret[count++]);
	for (size_t i = 0; !err && meeting && i < back.code.count; i++) {
		const struct insn *in = &back.code.items[i];

		if (!in->has_target || in->target != meeting || in->class == INSN_CALL)
			continue;
		err = count == max ? -E2BIG
				   : decision_from(&back, in, true, written, regs, &ret[count++]);
	}
	if (!err && is_one_branch(ret, count)) {
		back.written = UINT16_MAX;
		err = walk(&back, ret[0].addr, regs, &ret[0]);
		count = 1;
	} else if (!err && count < 2) {
		err = -ENOENT;
	}
	code_unload(&back.code);
	return err ?: without_excluded(ret, count);
}
