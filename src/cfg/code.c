// SPDX-License-Identifier: GPL-2.0
/*
 * code.c - read the text of a function and decode it
 *
 * Straight decoding finds what only exception tables reach (the -EFAULT of a failed user access);
 * following the jumps from the entry corrects it where data lies between instructions.
 */
#include "cfg/code.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "symbolize/cold_part.h"
#include "symbolize/text/extable.h"
#include "util/address.h"
#include "util/cleanup.h"
#include "util/vector.h"

#define CODE_BYTES_MAX (1u << 20)

#define START_STRAIGHT 1 /* found by decoding straight through */
#define START_REACHED  2 /* found by following the jumps */

/*
 * One part while it is decoded; @start[i]: an instruction starts at byte i; @index[i]: the number,
 * from 1, of the instruction decoded there in @insns, which is asked for several times.
 */
struct decoding {
	struct code_part *part;
	uint8_t *start;
	uint32_t *index;
	struct insn *insns;
	size_t insn_count;
	bool no_memory;
};

/** struct loader - @decodings: of the parts, in their order; @todo: addresses to be visited */
struct loader {
	const struct text_source *text;
	struct symbol self;
	struct code *code;
	struct decoding decodings[CODE_PARTS_MAX];
	uint64_t *todo;
	size_t todo_count;
};

static void decoding_deinit(struct decoding *decoding)
{
	free(decoding->start);
	free(decoding->index);
	free(decoding->insns);
}

/* As much of the text as there is, page by page. */
static void part_read(struct code_part *part, const struct text_source *text)
{
	while (part->readable < part->size) {
		uint64_t at = part->addr + part->readable;
		size_t len = 4096 - at % 4096;

		if (len > part->size - part->readable)
			len = part->size - part->readable;
		if (text->read(text->ctx, at, part->bytes + part->readable, len))
			break;
		part->readable += len;
	}
}

static int part_init(struct code_part *part, struct decoding *decoding,
		     const struct text_source *text, uint64_t addr, uint64_t size)
{
	*part = (struct code_part){.addr = addr, .size = size, .bytes = malloc(size)};
	*decoding = (struct decoding){
		.part = part,
		.start = calloc(1, size),
		.index = calloc(size, sizeof(*decoding->index)),
	};
	if (!part->bytes || !decoding->start || !decoding->index) {
		free(part->bytes);
		decoding_deinit(decoding);
		return -ENOMEM;
	}
	part_read(part, text);
	return 0;
}

static int decode(struct decoding *decoding, size_t off, struct insn *ret)
{
	const struct code_part *part = decoding->part;
	int err;

	if (decoding->index[off]) {
		*ret = decoding->insns[decoding->index[off] - 1];
		return 0;
	}
	err = insn_decode(part->bytes + off, part->readable - off, part->addr + off, ret);
	if (err)
		return err;
	if (vector_grow(&decoding->insns, decoding->insn_count, sizeof(*ret))) {
		decoding->no_memory = true;
		return -ENOMEM;
	}
	decoding->insns[decoding->insn_count++] = *ret;
	decoding->index[off] = (uint32_t)decoding->insn_count;
	return 0;
}

/* Mark the instructions from the first byte to the last. */
static void decode_straight(struct decoding *decoding)
{
	struct insn in;

	for (size_t off = 0; off < decoding->part->readable; off += in.len) {
		if (decode(decoding, off, &in)) {
			in.len = 1; /* padding, data, or cut off at the end */
			continue;
		}
		decoding->start[off] = START_STRAIGHT;
	}
}

static bool part_has(const struct code_part *part, uint64_t addr)
{
	return addr - part->addr < part->size;
}

static struct decoding *find_decoding(struct loader *loader, uint64_t addr)
{
	for (size_t i = 0; i < loader->code->part_count; i++)
		if (part_has(&loader->code->parts[i], addr))
			return &loader->decodings[i];
	return NULL;
}

static int add_part(struct loader *loader, uint64_t addr, uint64_t size)
{
	struct code *code = loader->code;
	size_t i = code->part_count;
	int err = part_init(&code->parts[i], &loader->decodings[i], loader->text, addr, size);

	if (err)
		return err;
	code->part_count++;
	decode_straight(&loader->decodings[i]);
	if (code->parts[i].readable < size)
		code->truncated = true;
	return 0;
}

/* The part a jump leads to: known, or a cold one that is added now. NULL if outside. */
static struct decoding *part_of_target(struct loader *loader, uint64_t target, int *ret_err)
{
	struct decoding *found = find_decoding(loader, target);
	struct symbols *symbols = loader->code->context.symbols;
	struct symbol sym;

	*ret_err = 0;
	if (found || !symbols || !loader->self.name || loader->code->part_count == CODE_PARTS_MAX)
		return found;
	if (symbols_find(symbols, target, &sym) || !cold_part_is_of(&sym, &loader->self) ||
	    !sym.size || sym.size > CODE_BYTES_MAX)
		return NULL;
	*ret_err = add_part(loader, sym.addr, sym.size);
	return *ret_err ? NULL : find_decoding(loader, target);
}

static int visit_later(struct loader *loader, uint64_t addr)
{
	int err = vector_grow(&loader->todo, loader->todo_count, sizeof(*loader->todo));

	if (!err)
		loader->todo[loader->todo_count++] = addr;
	return err;
}

/* Where a branch leads inside the function is to be visited as well. */
static int follow_target(struct loader *loader, uint64_t target)
{
	int err;
	struct decoding *to = part_of_target(loader, target, &err);

	return to && !(to->start[target - to->part->addr] & START_REACHED)
		       ? visit_later(loader, target)
		       : err;
}

/* Straight decoding was out of step where @in really starts. */
static void drop_overlapped(struct decoding *decoding, size_t off, size_t len)
{
	struct insn in;

	for (size_t i = off > INSN_LEN_MAX ? off - INSN_LEN_MAX : 0; i < off; i++) {
		if (decoding->start[i] == START_STRAIGHT && !decode(decoding, i, &in) &&
		    i + in.len > off)
			decoding->start[i] = 0;
	}
	for (size_t i = off + 1; i < off + len && i < decoding->part->size; i++) {
		if (decoding->start[i] == START_STRAIGHT)
			decoding->start[i] = 0;
	}
}

/* What aligns the next function; behind the last one of a module its page is zero. */
static bool aligns(const struct code_part *part, size_t off, const struct insn *in)
{
	return in->flags & INSN_F_NOP ||
	       (in->len == 2 && !part->bytes[off] && !part->bytes[off + 1]);
}

/* Run on from @addr until control leaves or known ground is reached. */
static int visit(struct loader *loader, uint64_t addr)
{
	struct code *code = loader->code;
	struct decoding *decoding = find_decoding(loader, addr);
	bool after_call = false, ended_by_call = false;
	struct insn in;

	while (decoding && part_has(decoding->part, addr)) {
		size_t off = (size_t)(addr - decoding->part->addr);

		if (decoding->start[off] & START_REACHED)
			return 0;
		if (off >= decoding->part->readable || decode(decoding, off, &in)) {
			code->truncated = true;
			return 0;
		}
		decoding->start[off] |= START_REACHED;
		drop_overlapped(decoding, off, in.len);
		if ((in.flags & INSN_F_INT3) && after_call)
			return 0; /* padding: the function called does not return */
		if (in.flags & INSN_F_INT3)
			code->breakpoint = true;
		after_call = in.class == INSN_CALL || in.class == INSN_ICALL;
		ended_by_call = after_call || (ended_by_call && aligns(decoding->part, off, &in));
		if (in.has_target && in.class != INSN_CALL) {
			int err = follow_target(loader, in.target);

			if (err)
				return err;
		}
		if (!insn_goes_on(in.class))
			return 0;
		addr += in.len;
	}
	/* A call at the end, but for padding, is one that does not return. */
	if (decoding && !ended_by_call)
		code->runs_on = true;
	return 0;
}

/*
 * Code that no jump leads to: behind static branches that are off now, jump tables, exception
 * tables. Its jumps lead to cold parts, too.
 */
static int find_more_parts(struct loader *loader)
{
	for (size_t i = 0; i < loader->code->part_count; i++) {
		struct decoding *decoding = &loader->decodings[i];
		struct insn in;
		int err;

		for (size_t off = 0; off < decoding->part->readable; off++) {
			if (decoding->start[off] != START_STRAIGHT || decode(decoding, off, &in) ||
			    !in.has_target || in.class == INSN_CALL)
				continue;
			part_of_target(loader, in.target, &err);
			if (err)
				return err;
		}
	}
	return 0;
}

static int by_address(const void *a, const void *b)
{
	uint64_t x = ((const struct insn *)a)->addr, y = ((const struct insn *)b)->addr;

	return x < y ? -1 : x > y;
}

static int collect(struct loader *loader)
{
	struct code *code = loader->code;
	bool sorted = true;
	size_t room = 0;
	struct insn in;

	for (size_t i = 0; i < code->part_count; i++) {
		if (loader->decodings[i].no_memory)
			return -ENOMEM;
		room += loader->decodings[i].insn_count;
	}
	code->insns = calloc(room + 1, sizeof(*code->insns));
	if (!code->insns)
		return -ENOMEM;
	for (size_t i = 0; i < code->part_count; i++) {
		struct decoding *decoding = &loader->decodings[i];

		sorted = sorted && (!i || code->parts[i - 1].addr < code->parts[i].addr);
		for (size_t off = 0; off < decoding->part->readable; off++)
			if (decoding->start[off] && code->count < room &&
			    !decode(decoding, off, &in))
				code->insns[code->count++] = in;
	}
	if (!sorted)
		qsort(code->insns, code->count, sizeof(in), by_address);
	return 0;
}

static int load(struct loader *loader, uint64_t addr, uint64_t size)
{
	int err = add_part(loader, addr, size);

	if (!err && !loader->code->parts[0].readable)
		err = -EFAULT;
	if (!err)
		err = visit_later(loader, addr);
	while (!err && loader->todo_count)
		err = visit(loader, loader->todo[--loader->todo_count]);
	if (!err)
		err = find_more_parts(loader);
	return err ?: collect(loader);
}

int code_load(const struct text_source *text, uint64_t addr, uint64_t size,
	      const struct code_context *context, struct code **ret)
{
	struct loader loader = {.text = text};
	int err;

	if (!size || size > CODE_BYTES_MAX || addr + size < addr)
		return -EINVAL;
	loader.code = calloc(1, sizeof(*loader.code));
	if (!loader.code)
		return -ENOMEM;
	loader.code->text = *text;
	if (context)
		loader.code->context = *context;
	if (context && context->symbols && symbols_find(context->symbols, addr, &loader.self))
		loader.self.name = NULL;
	err = load(&loader, addr, size);
	for (size_t i = 0; i < loader.code->part_count; i++)
		decoding_deinit(&loader.decodings[i]);
	free(loader.todo);
	if (err)
		code_free(loader.code);
	else
		*ret = loader.code;
	return err;
}

int code_load_symbol(const struct text_source *text, struct symbols *symbols,
		     const struct symbol *sym, struct code **ret)
{
	struct code_context context = {
		.place = place_by_symbols,
		.place_ctx = symbols,
		.symbols = symbols,
	};
	struct code *code;
	struct symbol whole;
	int err;

	if (cold_part_whole(symbols, sym, 0, &whole))
		whole = *sym;
	err = code_load(text, whole.addr, whole.size, &context, &code);
	if (err)
		return err;
	for (size_t i = 0; i < code->part_count; i++) {
		if (code->parts[i].readable < code->parts[i].size) {
			code_free(code);
			return -EFAULT;
		}
	}
	*ret = code;
	return 0;
}

void code_free(struct code *code)
{
	if (!code)
		return;
	for (size_t i = 0; i < code->part_count; i++)
		free(code->parts[i].bytes);
	free(code->insns);
	free(code);
}

bool code_has(const struct code *code, uint64_t addr)
{
	for (size_t i = 0; i < code->part_count; i++)
		if (part_has(&code->parts[i], addr))
			return true;
	return false;
}

const struct insn *code_find(const struct code *code, uint64_t addr)
{
	struct insn key = {.addr = addr};

	return bsearch(&key, code->insns, code->count, sizeof(key), by_address);
}

const uint8_t *code_bytes(const struct code *code, const struct insn *in)
{
	const struct code_part *part = code->parts;

	while (!part_has(part, in->addr))
		part++;
	return part->bytes + (in->addr - part->addr);
}

const struct insn *code_jump_to(const struct code *code, uint64_t addr, const struct insn *after)
{
	const struct insn *end = code->insns + code->count;

	for (const struct insn *in = after ? after + 1 : code->insns; in < end; in++)
		if (in->has_target && in->target == addr && in->class != INSN_CALL)
			return in;
	return NULL;
}

bool code_is_fixup(const struct code *code, uint64_t addr)
{
	const struct insn *above = code_above(code, addr);
	struct fixup_question question = {.fixup = addr};

	/* "call rep_movs_alternative" may be "rep movsb" and a NOP. */
	while (above && above->flags & INSN_F_NOP)
		above = code_above(code, above->addr);
	question.above = above ? above->addr : 0;
	for (size_t i = 0; code->context.symbols && i < code->part_count; i++) {
		question.addr = code->parts[i].addr;
		question.size = code->parts[i].size;
		if (extable_has_fixup(code->context.symbols, &code->text, &question))
			return true;
	}
	return false;
}

bool code_never_returns(const struct code *code, const struct insn *in)
{
	const struct code_context *context = &code->context;

	return in->has_target && (in->class == INSN_CALL || in->class == INSN_JMP) &&
	       context->place && context->place(context->place_ctx, in->target) == PLACE_NO_RETURN;
}

static bool goes_on(const struct code *code, const struct insn *in)
{
	return insn_goes_on(in->class) && !code_never_returns(code, in);
}

/* NOPs behind a jump or a return fill up to an aligned address, and are never executed. */
static bool is_padding(const struct code *code, const struct insn *in)
{
	for (; in->flags & INSN_F_NOP; in--) {
		if (in == code->insns || in[-1].addr + in[-1].len != in->addr ||
		    code_jump_to(code, in->addr, NULL))
			return false;
		if (!goes_on(code, &in[-1]))
			return true;
	}
	return false;
}

/*
 * WARN() goes on behind its UD2, where GCC mostly puts a jump back; BUG() does not. A jump that
 * no other leads to is there for that UD2.
 */
static bool is_warning(const struct code *code, const struct insn *in)
{
	uint64_t next = in->addr + in->len;
	const struct insn *back = in->class == INSN_UD ? code_find(code, next) : NULL;

	return back && back->class == INSN_JMP && !code_jump_to(code, next, NULL);
}

const struct insn *code_above(const struct code *code, uint64_t addr)
{
	size_t below = address_lower_bound(code->insns, code->count, sizeof(*code->insns), addr);
	const struct insn *in = below ? &code->insns[below - 1] : NULL;

	if (!in || in->addr + in->len != addr)
		return NULL;
	if (!goes_on(code, in))
		return is_warning(code, in) ? in : NULL;
	return is_padding(code, in) ? NULL : in;
}

int function_has_insn(const struct text_source *text, uint64_t addr, uint64_t size, uint64_t where)
{
	struct code_part part;
	struct decoding decoding;
	int err;

	if (!size || size > CODE_BYTES_MAX || addr + size < addr)
		return -EINVAL;
	if (where < addr || where - addr >= size)
		return 0;
	err = part_init(&part, &decoding, text, addr, size);
	if (err)
		return err;
	decode_straight(&decoding);
	err = where - addr < part.readable ? decoding.start[where - addr] != 0 : -EFAULT;
	free(part.bytes);
	decoding_deinit(&decoding);
	return err;
}
