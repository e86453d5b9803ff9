/* SPDX-License-Identifier: GPL-2.0 */
/* why_text.h - the answer of "lbrsnoop why", for a person */
#ifndef LBRSNOOP_RENDER_WHY_WHY_TEXT_H
#define LBRSNOOP_RENDER_WHY_WHY_TEXT_H

#include <stdbool.h>
#include <stdio.h>

#include "render/branch_list.h"
#include "symbolize/debug/dwarf.h"
#include "symbolize/debug/source_file.h"
#include "symbolize/symbolize.h"
#include "why/answer.h"
#include "why/decision/reasons.h"

/* The default text has at most so many rows of each of these. */
#define WHY_LOG_SHOWN	     5
#define WHY_CANDIDATES_SHOWN 8
#define WHY_EARLIER_SHOWN    2
#define WHY_STACK_SHOWN	     10
#define WHY_ONE_OF_SHOWN     5

/**
 * struct why_view - all borrowed
 * @lines: or NULL: offsets alone
 * @sources: or NULL: no text of lines
 * @snap: of the hit, or NULL
 * @all: every failing call is listed
 * @story: nothing is folded
 * @no_values: what variables held is not shown
 * @columns: width that rows of the stack keep to; 0: any
 */
struct why_view {
	struct symbols *symbols;
	struct lines *lines;
	struct sources *sources;
	const struct text_source *kernel_text;
	const struct snapshot *snap;
	struct text_options text;
	bool all;
	bool story;
	bool no_values;
	int columns;
};

/** struct why_place - an address in the words of the source; @count: frames of @chain, 0: none */
struct why_place {
	struct srcline chain[INLINE_DEPTH_MAX];
	int count;
	struct symbol sym;
	bool known;
};

/** why_place_find() - @is_return: a return address, the call before it is meant */
void why_place_find(const struct why_view *view, uint64_t addr, bool is_return,
		    struct why_place *ret);

/** why_code() - where reasons_find() looks */
struct decision_code why_code(const struct why_view *view);

/** render_why_answer() - the call, the place, the condition; what the default leaves out, counted
 */
void render_why_answer(FILE *out, const struct answer *answer, const struct why_view *view);

/** render_why_place() - ORIGIN_PLACE: the place, the call that executed it, and its result */
void render_why_place(FILE *out, const struct answer *answer, const struct why_view *view);

/**
 * render_why_stack() - the functions from the place to the system call, and what is folded
 * What is inlined and the entry code are counted, in a last row that names the option for them.
 * @snap: with the stack
 * @branches: of the story that is not shown
 */
void render_why_stack(FILE *out, const struct snapshot *snap, const struct why_view *view,
		      uint32_t branches);

/** render_why_others() - what else failed, one line; with @view->all every call, identical ones
 * counted
 */
void render_why_others(FILE *out, const struct answer *answer, const struct why_view *view);

/** why_call_text() - as strace writes it; @buf: SYSCALL_TEXT_MAX is enough */
void why_call_text(const struct failure *failure, char *buf, size_t size);

#endif
