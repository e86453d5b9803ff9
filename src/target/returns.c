// SPDX-License-Identifier: GPL-2.0
/*
 * returns.c - decode a function, find its ways out
 *
 * Straight decoding finds what only exception tables reach (the -EFAULT of a failed user access);
 * following the jumps from the entry corrects it where data lies between instructions.
 */
#include "target/returns.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "disasm/insn.h"
#include "symbolize/cold_part.h"
#include "util/cleanup.h"
#include "util/vector.h"

#define FUNCTION_BYTES_MAX (1u << 20)
/* GCC splits at most one cold part off a function. */
#define PARTS_MAX 4

/*
 * One part while it is looked at; @start[i]: an instruction starts at byte i; @index[i]: the
 * number, from 1, of the instruction decoded there in @insns, which is asked for several times.
 */
struct part {
	uint64_t addr;
	uint64_t size;
	size_t readable;
	uint8_t *bytes;
	uint8_t *start;
	uint32_t *index;
	struct insn *insns;
	size_t insn_count;
};

#define START_STRAIGHT 1 /* found by decoding straight through */
#define START_REACHED  2 /* found by following the jumps */

struct finder {
	const struct text_source *text;
	const struct exits_options *opts;
	struct symbol self;
	struct part parts[PARTS_MAX];
	size_t part_count;
	uint64_t *todo;
	size_t todo_count;
	struct function_exits *exits;
};

static void part_deinit(struct part *part)
{
	free(part->bytes);
	free(part->start);
	free(part->index);
	free(part->insns);
}

/* Read as much of the text as there is, page by page. */
static int part_init(struct part *part, const struct text_source *text, uint64_t addr,
		     uint64_t size)
{
	*part = (struct part){.addr = addr, .size = size};
	part->bytes = malloc(size);
	part->start = calloc(1, size);
	part->index = calloc(size, sizeof(*part->index));
	if (!part->bytes || !part->start || !part->index) {
		part_deinit(part);
		return -ENOMEM;
	}
	while (part->readable < size) {
		uint64_t at = addr + part->readable;
		size_t len = 4096 - at % 4096;

		if (len > size - part->readable)
			len = size - part->readable;
		if (text->read(text->ctx, at, part->bytes + part->readable, len))
			break;
		part->readable += len;
	}
	return 0;
}

static int part_decode(struct part *part, size_t off, struct insn *ret)
{
	int err;

	if (part->index[off]) {
		*ret = part->insns[part->index[off] - 1];
		return 0;
	}
	err = insn_decode(part->bytes + off, part->readable - off, part->addr + off, ret);
	if (err || vector_grow(&part->insns, part->insn_count, sizeof(*ret)))
		return err;
	part->insns[part->insn_count++] = *ret;
	part->index[off] = (uint32_t)part->insn_count;
	return 0;
}

/* Mark the instructions from the first byte to the last; true if it came out even. */
static bool part_decode_straight(struct part *part)
{
	struct insn in;
	bool even = part->readable == part->size;

	for (size_t off = 0; off < part->readable; off += in.len) {
		if (part_decode(part, off, &in)) {
			in.len = 1; /* padding, data, or cut off at the end */
			even = false;
			continue;
		}
		part->start[off] = START_STRAIGHT;
	}
	return even;
}

static struct part *find_part(struct finder *f, uint64_t addr)
{
	for (size_t i = 0; i < f->part_count; i++) {
		if (addr >= f->parts[i].addr && addr - f->parts[i].addr < f->parts[i].size)
			return &f->parts[i];
	}
	return NULL;
}

static enum place place_at(const struct finder *f, uint64_t addr)
{
	return f->opts->place ? f->opts->place(f->opts->place_ctx, addr) : PLACE_ORDINARY;
}

/* The part a jump leads to: known, or a cold one that is added now. NULL if outside. */
static struct part *part_of_target(struct finder *f, uint64_t target, int *ret_err)
{
	struct part *part = find_part(f, target);
	struct symbol sym;

	*ret_err = 0;
	if (part || !f->opts->symbols || !f->self.name || f->part_count == PARTS_MAX)
		return part;
	if (symbols_find(f->opts->symbols, target, &sym) || !cold_part_is_of(&sym, &f->self) ||
	    !sym.size || sym.size > FUNCTION_BYTES_MAX)
		return NULL;
	part = &f->parts[f->part_count];
	*ret_err = part_init(part, f->text, sym.addr, sym.size);
	if (*ret_err)
		return NULL;
	f->part_count++;
	if (!part_decode_straight(part) && part->readable < part->size)
		f->exits->truncated = true;
	return part;
}

static int visit_later(struct finder *f, uint64_t addr)
{
	int err = vector_grow(&f->todo, f->todo_count, sizeof(*f->todo));

	if (!err)
		f->todo[f->todo_count++] = addr;
	return err;
}

/* Where a branch leads inside the function is to be visited as well. */
static int follow_target(struct finder *f, uint64_t target)
{
	struct part *part;
	int err;

	part = part_of_target(f, target, &err);
	return part && !(part->start[target - part->addr] & START_REACHED) ? visit_later(f, target)
									   : err;
}

/* Straight decoding was out of step where @in really starts. */
static void drop_overlapped(struct part *part, size_t off, size_t len)
{
	struct insn in;

	for (size_t i = off > INSN_LEN_MAX ? off - INSN_LEN_MAX : 0; i < off; i++) {
		if (part->start[i] == START_STRAIGHT && !part_decode(part, i, &in) &&
		    i + in.len > off)
			part->start[i] = 0;
	}
	for (size_t i = off + 1; i < off + len && i < part->size; i++) {
		if (part->start[i] == START_STRAIGHT)
			part->start[i] = 0;
	}
}

/* What aligns the next function; behind the last one of a module its page is zero. */
static bool is_padding(const struct part *part, size_t off, const struct insn *in)
{
	return in->flags & INSN_F_NOP ||
	       (in->len == 2 && !part->bytes[off] && !part->bytes[off + 1]);
}

/* Run on from @addr until control leaves or known ground is reached. */
static int visit(struct finder *f, uint64_t addr)
{
	struct part *part = find_part(f, addr);
	bool after_call = false, ended_by_call = false;
	struct insn in;
	int err;

	while (part && addr - part->addr < part->size) {
		size_t off = (size_t)(addr - part->addr);

		if (part->start[off] & START_REACHED)
			return 0;
		if (off >= part->readable || part_decode(part, off, &in)) {
			f->exits->truncated = true;
			return 0;
		}
		part->start[off] |= START_REACHED;
		drop_overlapped(part, off, in.len);
		if ((in.flags & INSN_F_INT3) && after_call)
			return 0; /* padding: the function called does not return */
		if (in.flags & INSN_F_INT3)
			f->exits->breakpoint = true;
		after_call = in.class == INSN_CALL || in.class == INSN_ICALL;
		ended_by_call = after_call || (ended_by_call && is_padding(part, off, &in));
		if (in.has_target && in.class != INSN_CALL) {
			err = follow_target(f, in.target);
			if (err)
				return err;
		}
		if (!insn_falls_through(in.class) && in.class != INSN_CALL &&
		    in.class != INSN_ICALL && in.class != INSN_SYSCALL)
			return 0;
		addr += in.len;
	}
	/* A call at the end, but for padding, is one that does not return. */
	if (part && !ended_by_call)
		f->exits->runs_on = true;
	return 0;
}

/*
 * Code that no jump leads to: behind static branches that are off now, jump tables, exception
 * tables. Its jumps lead to cold parts, too.
 */
static int find_more_parts(struct finder *f)
{
	for (size_t i = 0; i < f->part_count; i++) {
		struct part *part = &f->parts[i];
		struct insn in;
		int err;

		for (size_t off = 0; off < part->readable; off++) {
			if (part->start[off] != START_STRAIGHT || part_decode(part, off, &in) ||
			    !in.has_target || in.class == INSN_CALL)
				continue;
			part_of_target(f, in.target, &err);
			if (err)
				return err;
		}
	}
	return 0;
}

static int add_return(struct finder *f, uint64_t addr, bool thunk)
{
	struct function_exits *x = f->exits;

	if (vector_grow(&x->returns, x->return_count, sizeof(*x->returns)))
		return -ENOMEM;
	x->returns[x->return_count++] = (struct return_site){.addr = addr, .thunk = thunk};
	return 0;
}

static int add_tail_call(struct finder *f, const struct insn *in, uint64_t target)
{
	struct function_exits *x = f->exits;

	if (vector_grow(&x->tail_calls, x->tail_call_count, sizeof(*x->tail_calls)))
		return -ENOMEM;
	x->tail_calls[x->tail_call_count++] = (struct tail_call){
		.addr = in->addr, .target = target, .conditional = in->class == INSN_COND};
	return 0;
}

/* Static calls that are patched away and retpolines are no functions of their own. */
static int add_call(struct finder *f, const struct insn *in)
{
	struct function_exits *x = f->exits;

	if (place_at(f, in->target) == PLACE_INDIRECT_THUNK) {
		x->indirect_calls++;
		return 0;
	}
	if (vector_grow(&x->calls, x->call_count, sizeof(*x->calls)))
		return -ENOMEM;
	x->calls[x->call_count++] = in->target;
	return 0;
}

/* @prev: the instruction just before, or NULL */
static int add_errno(struct finder *f, const struct insn *in, const struct insn *prev)
{
	struct function_exits *x = f->exits;
	bool uncertain = in->flags & INSN_F_ERR_MAYBE;

	if (!insn_makes_errno(in, prev))
		return 0;
	if (vector_grow(&x->errnos, x->errno_count, sizeof(*x->errnos)))
		return -ENOMEM;
	x->errnos[x->errno_count++] = (struct errno_site){
		.addr = in->addr, .err = in->err, .reg = in->err_reg, .uncertain = uncertain};
	return 0;
}

static int classify(struct finder *f, const struct insn *in)
{
	switch (in->class) {
	case INSN_RET:
		return add_return(f, in->addr, false);
	case INSN_IJMP:
		f->exits->indirect_jumps++;
		return 0;
	case INSN_CALL:
		return add_call(f, in);
	case INSN_ICALL:
		f->exits->indirect_calls++;
		return 0;
	case INSN_JMP:
	case INSN_COND:
		break;
	default:
		return 0;
	}
	if (find_part(f, in->target))
		return 0;
	switch (place_at(f, in->target)) {
	case PLACE_RETURN_THUNK:
		return add_return(f, in->addr, true);
	case PLACE_NO_RETURN:
		return 0;
	case PLACE_INDIRECT_THUNK:
		f->exits->indirect_jumps++;
		return 0;
	default:
		return add_tail_call(f, in, in->target);
	}
}

static int collect(struct finder *f, struct part *part)
{
	struct insn in, prev = {.len = 0};

	for (size_t off = 0; off < part->readable; off++) {
		int err;

		if (!part->start[off] || part_decode(part, off, &in))
			continue;
		err = classify(f, &in);
		if (!err)
			err = add_errno(f, &in, prev.addr + prev.len == in.addr ? &prev : NULL);
		if (err)
			return err;
		prev = in;
	}
	return 0;
}

#define SORT_BY_ADDR(type)                                                                         \
	static int by_addr_##type(const void *a, const void *b)                                    \
	{                                                                                          \
		uint64_t x = ((const struct type *)a)->addr, y = ((const struct type *)b)->addr;   \
                                                                                                   \
		return x < y ? -1 : x > y;                                                         \
	}
SORT_BY_ADDR(return_site)
SORT_BY_ADDR(tail_call)
SORT_BY_ADDR(errno_site)

static void sort_exits(struct function_exits *x)
{
	if (x->return_count)
		qsort(x->returns, x->return_count, sizeof(*x->returns), by_addr_return_site);
	if (x->tail_call_count)
		qsort(x->tail_calls, x->tail_call_count, sizeof(*x->tail_calls), by_addr_tail_call);
	if (x->errno_count)
		qsort(x->errnos, x->errno_count, sizeof(*x->errnos), by_addr_errno_site);
}

static int find_all(struct finder *f, uint64_t addr)
{
	struct function_exits *x = f->exits;
	int err = visit_later(f, addr);

	while (!err && f->todo_count)
		err = visit(f, f->todo[--f->todo_count]);
	if (!err)
		err = find_more_parts(f);
	for (size_t i = 0; !err && i < f->part_count; i++)
		err = collect(f, &f->parts[i]);
	if (err)
		return err;
	x->parts = calloc(f->part_count, sizeof(*x->parts));
	if (!x->parts)
		return -ENOMEM;
	for (size_t i = 0; i < f->part_count; i++)
		x->parts[x->part_count++] =
			(struct function_part){f->parts[i].addr, f->parts[i].size};
	sort_exits(x);
	return 0;
}

int function_exits_find(const struct text_source *text, uint64_t addr, uint64_t size,
			const struct exits_options *opts, struct function_exits **ret)
{
	static const struct exits_options defaults = {0};
	struct finder f = {.text = text, .opts = opts ? opts : &defaults};
	int err;

	if (!size || size > FUNCTION_BYTES_MAX || addr + size < addr)
		return -EINVAL;
	f.exits = calloc(1, sizeof(*f.exits));
	if (!f.exits)
		return -ENOMEM;
	if (f.opts->symbols && symbols_find(f.opts->symbols, addr, &f.self))
		f.self.name = NULL;
	err = part_init(&f.parts[0], text, addr, size);
	if (!err) {
		f.part_count = 1;
		if (!f.parts[0].readable)
			err = -EFAULT;
	}
	if (!err) {
		part_decode_straight(&f.parts[0]);
		f.exits->truncated = f.parts[0].readable < size;
		err = find_all(&f, addr);
	}
	for (size_t i = 0; i < f.part_count; i++)
		part_deinit(&f.parts[i]);
	free(f.todo);
	if (err)
		function_exits_free(f.exits);
	else
		*ret = f.exits;
	return err;
}

void function_exits_free(struct function_exits *exits)
{
	if (!exits)
		return;
	free(exits->returns);
	free(exits->tail_calls);
	free(exits->errnos);
	free(exits->calls);
	free(exits->parts);
	free(exits);
}

int function_has_insn(const struct text_source *text, uint64_t addr, uint64_t size, uint64_t where)
{
	struct part part;
	int err;

	if (!size || size > FUNCTION_BYTES_MAX || addr + size < addr)
		return -EINVAL;
	if (where < addr || where - addr >= size)
		return 0;
	err = part_init(&part, text, addr, size);
	if (err)
		return err;
	part_decode_straight(&part);
	err = where - addr < part.readable ? part.start[where - addr] != 0 : -EFAULT;
	part_deinit(&part);
	return err;
}
