/* SPDX-License-Identifier: GPL-2.0 */
/* why_text.h - the answer of "lbrsnoop why", for a person */
#ifndef LBRSNOOP_RENDER_WHY_TEXT_H
#define LBRSNOOP_RENDER_WHY_TEXT_H

#include <stdbool.h>
#include <stdio.h>

#include "render/text.h"
#include "symbolize/dwarf.h"
#include "symbolize/source.h"
#include "symbolize/symbolize.h"
#include "why/decision.h"
#include "why/answer.h"

/**
 * struct why_view - all borrowed
 * @lines: or NULL: offsets alone
 * @sources: or NULL: no text of lines
 * @snap: of the hit, or NULL
 * @all: every failing call is listed
 */
struct why_view {
	struct symbols *symbols;
	struct lines *lines;
	struct sources *sources;
	const struct text_source *kernel_text;
	const struct snapshot *snap;
	struct text_options text;
	bool all;
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

/**
 * why_decision() - what decided for the place: by the branches, where there are some, or by the
 * text Return: 0; -ENOENT if there is no telling.
 */
int why_decision(const struct answer *answer, const struct why_view *view, struct decision *ret);

/** render_why_answer() - the call, the place, the condition: at most four lines */
void render_why_answer(FILE *out, const struct answer *answer, const struct why_view *view);

/** render_why_others() - what else failed, one line; with @view->all every call, identical ones
 * counted
 */
void render_why_others(FILE *out, const struct answer *answer, const struct why_view *view);

/** why_call_text() - as strace writes it; @buf: SYSCALL_TEXT_MAX is enough */
void why_call_text(const struct failure *failure, char *buf, size_t size);

#endif
