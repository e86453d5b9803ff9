/* SPDX-License-Identifier: GPL-2.0 */
/* stack_frame.h - what the addresses of a snapshot's stack are */
#ifndef LBRSNOOP_SYMBOLIZE_STACK_FRAME_H
#define LBRSNOOP_SYMBOLIZE_STACK_FRAME_H

#include <stdbool.h>
#include <stdint.h>

#include "snapshot/snapshot.h"
#include "symbolize/symbolize.h"

/**
 * struct backtrace_frame - one of them
 * @addr: as it stands in the stack
 * @probe: address within the instruction that is meant: a return address is behind its call, and
 *         may be the start of another function
 * @is_return: it is a return address; else the very instruction
 * @known: @sym is its function
 */
struct backtrace_frame {
	uint64_t addr;
	uint64_t probe;
	bool is_return;
	bool known;
	struct symbol sym;
};

/**
 * backtrace_first() - the first frame of the event: not those that handle its exception, or that
 * trace it
 * @symbols: or NULL
 * Return: index into @snap->stack; 0 if there is no telling.
 */
uint32_t backtrace_first(struct symbols *symbols, const struct snapshot *snap);

/**
 * backtrace_frame() - a frame of @snap->stack
 * @symbols: or NULL
 */
void backtrace_frame(struct symbols *symbols, const struct snapshot *snap, uint32_t index,
		     struct backtrace_frame *ret_frame);

#endif
