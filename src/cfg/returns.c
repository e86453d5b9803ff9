// SPDX-License-Identifier: GPL-2.0
#include "cfg/returns.h"

#include <errno.h>
#include <stdlib.h>

#include "cfg/walk.h"
#include "disasm/insn.h"
#include "util/vector.h"

static enum place place_at(const struct function_exits *x, uint64_t addr)
{
	const struct code_context *context = &x->code->context;

	return context->place ? context->place(context->place_ctx, addr) : PLACE_ORDINARY;
}

static int add_return(struct function_exits *x, uint64_t addr, bool thunk)
{
	if (vector_grow(&x->returns, x->return_count, sizeof(*x->returns)))
		return -ENOMEM;
	x->returns[x->return_count++] = (struct return_site){.addr = addr, .thunk = thunk};
	return 0;
}

static int add_tail_call(struct function_exits *x, const struct insn *in, uint64_t target)
{
	if (vector_grow(&x->tail_calls, x->tail_call_count, sizeof(*x->tail_calls)))
		return -ENOMEM;
	x->tail_calls[x->tail_call_count++] = (struct tail_call){
		.addr = in->addr, .target = target, .conditional = in->class == INSN_COND};
	return 0;
}

/* Static calls that are patched away and retpolines are no functions of their own. */
static int add_call(struct function_exits *x, const struct insn *in)
{
	if (place_at(x, in->target) == PLACE_INDIRECT_THUNK) {
		x->indirect_calls++;
		return 0;
	}
	if (vector_grow(&x->calls, x->call_count, sizeof(*x->calls)))
		return -ENOMEM;
	x->calls[x->call_count++] = in->target;
	return 0;
}

/* The instruction just before number @i, or NULL. */
static const struct insn *before(const struct code *code, size_t i)
{
	const struct insn *prev = i ? &code->insns[i - 1] : NULL;

	return prev && prev->addr + prev->len == code->insns[i].addr ? prev : NULL;
}

static int add_errno(struct function_exits *x, size_t i)
{
	const struct insn *in = &x->code->insns[i], *prev = before(x->code, i);
	bool uncertain = in->flags & INSN_F_ERR_MAYBE;

	if (!insn_makes_errno(in, prev, prev ? before(x->code, i - 1) : NULL))
		return 0;
	if (vector_grow(&x->errnos, x->errno_count, sizeof(*x->errnos)))
		return -ENOMEM;
	x->errnos[x->errno_count++] = (struct errno_site){
		.addr = in->addr, .err = in->err, .reg = in->err_reg, .uncertain = uncertain};
	return 0;
}

static int classify(struct function_exits *x, const struct insn *in)
{
	switch (in->class) {
	case INSN_RET:
		return add_return(x, in->addr, false);
	case INSN_IJMP:
		x->indirect_jumps++;
		return 0;
	case INSN_CALL:
		return add_call(x, in);
	case INSN_ICALL:
		x->indirect_calls++;
		return 0;
	case INSN_JMP:
	case INSN_COND:
		break;
	default:
		return 0;
	}
	if (code_has(x->code, in->target))
		return 0;
	switch (leave_by_jump(place_at(x, in->target))) {
	case LEAVE_RETURN:
		return add_return(x, in->addr, true);
	case LEAVE_NO_RETURN:
		return 0;
	case LEAVE_INDIRECT:
		x->indirect_jumps++;
		return 0;
	default:
		return add_tail_call(x, in, in->target);
	}
}

static int collect(struct function_exits *x)
{
	const struct code *code = x->code;
	int err = 0;

	for (size_t i = 0; !err && i < code->count; i++) {
		err = classify(x, &code->insns[i]);
		if (!err)
			err = add_errno(x, i);
	}
	return err;
}

int function_exits_find(const struct text_source *text, uint64_t addr, uint64_t size,
			const struct code_context *context, struct function_exits **ret)
{
	struct function_exits *exits = calloc(1, sizeof(*exits));
	int err;

	if (!exits)
		return -ENOMEM;
	err = code_load(text, addr, size, context, &exits->code);
	if (!err)
		err = collect(exits);
	if (err)
		function_exits_free(exits);
	else
		*ret = exits;
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
	code_free(exits->code);
	free(exits);
}
