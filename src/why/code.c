// SPDX-License-Identifier: GPL-2.0
#include "why/code.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "symbolize/cold_part.h"
#include "symbolize/place.h"
#include "target/returns.h"
#include "util/cleanup.h"

#define PART_BYTES_MAX (1u << 20)

static int add(struct code *code, const struct insn *in)
{
	if (code->count == code->room) {
		size_t room = code->room ? code->room * 2 : 512;
		struct insn *items = reallocarray(code->items, room, sizeof(*items));

		if (!items)
			return -ENOMEM;
		code->items = items;
		code->room = room;
	}
	code->items[code->count++] = *in;
	return 0;
}

static int decode_part(struct code *code, uint64_t addr, uint64_t size)
{
	_cleanup_free_ uint8_t *bytes = NULL;
	struct insn in;
	int err = 0;

	if (!size || size > PART_BYTES_MAX)
		return 0;
	bytes = malloc(size);
	if (!bytes)
		return -ENOMEM;
	if (code->text->read(code->text->ctx, addr, bytes, size))
		return -EFAULT;
	for (size_t off = 0; !err && off < size; off += in.len) {
		if (insn_decode(bytes + off, size - off, addr + off, &in)) {
			in.len = 1; /* padding, data */
			continue;
		}
		err = add(code, &in);
	}
	return err;
}

static int by_address(const void *a, const void *b)
{
	uint64_t x = ((const struct insn *)a)->addr, y = ((const struct insn *)b)->addr;

	return x < y ? -1 : x > y;
}

int code_load(struct code *code, const struct text_source *text, struct symbols *symbols,
	      const struct symbol *func)
{
	struct symbol whole;
	struct exits_options opts = {
		.place = place_by_symbols, .place_ctx = symbols, .symbols = symbols};
	struct function_exits *exits;
	int err;

	*code = (struct code){.text = text, .symbols = symbols};
	if (cold_part_whole(symbols, func, 0, &whole))
		whole = *func;
	err = function_exits_find(text, whole.addr, whole.size, &opts, &exits);
	if (err)
		return err;
	for (size_t i = 0; !err && i < exits->part_count; i++)
		err = decode_part(code, exits->parts[i].addr, exits->parts[i].size);
	if (code->count)
		qsort(code->items, code->count, sizeof(*code->items), by_address);
	function_exits_free(exits);
	if (err)
		code_unload(code);
	return err;
}

bool code_goes_on(const struct insn *in)
{
	return insn_falls_through(in->class) || in->class == INSN_CALL || in->class == INSN_ICALL ||
	       in->class == INSN_SYSCALL;
}

static bool is_target(const struct code *code, uint64_t addr)
{
	for (size_t i = 0; i < code->count; i++)
		if (code->items[i].has_target && code->items[i].target == addr)
			return true;
	return false;
}

bool code_never_returns(const struct code *code, const struct insn *in)
{
	return in->has_target && (in->class == INSN_CALL || in->class == INSN_JMP) &&
	       place_by_symbols(code->symbols, in->target) == PLACE_NO_RETURN;
}

/* NOPs behind a jump or a return fill up to an aligned address, and are never executed. */
static bool is_padding(const struct code *code, size_t index)
{
	for (; code->items[index].flags & INSN_F_NOP; index--) {
		const struct insn *in = &code->items[index];

		if (!index || in[-1].addr + in[-1].len != in->addr || is_target(code, in->addr))
			return false;
		if (!code_goes_on(&in[-1]) || code_never_returns(code, &in[-1]))
			return true;
	}
	return false;
}

const struct insn *code_above(const struct code *code, uint64_t addr)
{
	size_t low = 0, high = code->count;

	while (low < high) {
		size_t mid = (low + high) / 2;

		if (code->items[mid].addr < addr)
			low = mid + 1;
		else
			high = mid;
	}
	if (!low || code->items[low - 1].addr + code->items[low - 1].len != addr ||
	    !code_goes_on(&code->items[low - 1]) ||
	    code_never_returns(code, &code->items[low - 1]) || is_padding(code, low - 1))
		return NULL;
	return &code->items[low - 1];
}

const struct insn *code_find(const struct code *code, uint64_t addr)
{
	struct insn key = {.addr = addr};

	if (!code->count)
		return NULL;
	return bsearch(&key, code->items, code->count, sizeof(key), by_address);
}

size_t code_read(const struct code *code, const struct insn *in, uint8_t *bytes)
{
	return code->text->read(code->text->ctx, in->addr, bytes, in->len) ? 0 : in->len;
}

void code_unload(struct code *code)
{
	free(code->items);
	code->items = NULL;
	code->count = code->room = 0;
}
