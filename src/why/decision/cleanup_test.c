// SPDX-License-Identifier: GPL-2.0
#include "why/decision/cleanup_test.h"

#include <string.h>

#include "cfg/code.h"
#include "cfg/walk.h"
#include "symbolize/debug/dwarf.h"

/* Instructions of a block that are asked for their lines: the first may be of another line. */
#define BLOCK_INSNS 16
/* Instructions that a way is followed for. */
#define STEPS_MAX 10000

struct search {
	const struct decision_code *where;
	const struct symbol *func;
	const struct code *code;
	const char *file;
	uint64_t site;
	int site_line;
};

/* The function's line: that of the call where the instruction was inlined. 0: not known. */
static int line_of(const struct search *search, uint64_t addr, bool *ret_inlined)
{
	struct srcline chain[INLINE_DEPTH_MAX];
	int count = lines_find(search->where->lines, search->func->module, addr, false, chain,
			       INLINE_DEPTH_MAX);

	if (count < 1 || (search->file && strcmp(chain[count - 1].file, search->file) != 0))
		return 0;
	*ret_inlined = count > 1;
	return chain[count - 1].line;
}

static int own_line(const struct search *search, uint64_t addr)
{
	bool inlined = false;
	int line = line_of(search, addr, &inlined);

	return inlined ? 0 : line;
}

static bool same_bytes(const struct code *code, const struct insn *a, const struct insn *b)
{
	return a && b && a->len == b->len &&
	       !memcmp(code_bytes(code, a), code_bytes(code, b), a->len);
}

/* The same test, which is the instruction above the branch, in the same line. "a || b" has two
 * branches in a line, too, but they test different things. */
static bool has_copy(const struct search *search, const struct insn *branch, int line)
{
	const struct insn *test = code_above(search->code, branch->addr);

	for (size_t i = 0; test && i < search->code->count; i++) {
		const struct insn *in = &search->code->insns[i];

		if (in->class == INSN_COND && in->addr != branch->addr &&
		    same_bytes(search->code, test, code_above(search->code, in->addr)) &&
		    own_line(search, in->addr) == line)
			return true;
	}
	return false;
}

static uint64_t other_side(const struct insn *branch, bool taken)
{
	return taken ? branch->addr + branch->len : branch->target;
}

/* Does the other side do something in the lines between, which the decision skipped? */
static bool skips_lines(const struct search *search, const struct decision *decision, int after,
			int before)
{
	const struct insn *branch = code_find(search->code, decision->addr);
	const struct insn *in = code_find(search->code, other_side(branch, decision->taken));

	for (int i = 0; in && i < BLOCK_INSNS; i++) {
		bool inlined;
		int line = line_of(search, in->addr, &inlined);

		if (line > after && line < before)
			return true;
		if (in->class == INSN_COND || !insn_goes_on(in->class))
			break;
		in = code_find(search->code, in->addr + in->len);
	}
	return false;
}

struct reach {
	uint64_t branch, site;
};

static unsigned int stop_at_site(void *ctx, const struct insn *in, const uint8_t *bytes,
				 void *state)
{
	const struct reach *reach = ctx;

	if (in->addr == reach->site)
		return WALK_STOP;
	return in->addr == reach->branch ? 0 : WALK_ALL;
}

static unsigned int ignore_leave(void *ctx, enum leave how, const void *state)
{
	return 0;
}

/* No way from the other side comes to the site, but by deciding once more. */
static bool is_needed(const struct search *search, const struct decision *decision)
{
	const struct insn *branch = code_find(search->code, decision->addr);
	struct reach reach = {.branch = decision->addr, .site = search->site};
	const struct walk walk = {
		.text = walk_text_of(search->code),
		.step = stop_at_site,
		.leave = ignore_leave,
		.ctx = &reach,
		.steps_max = STEPS_MAX,
	};

	return walk_from(&walk, other_side(branch, decision->taken), NULL) == WALKED_ALL;
}

/* The line of a decision that is the function's own and stands behind the assignment, or 0. */
static int later_line(const struct search *search, const struct decision *decision)
{
	const struct insn *branch = code_find(search->code, decision->addr);
	int line = branch && branch->class == INSN_COND && !decision->behind
			   ? own_line(search, decision->addr)
			   : 0;

	return line > search->site_line ? line : 0;
}

/* How many of the newest decisions are the clean-up's. */
static size_t count_cleanup(const struct search *search, const struct decision *all, size_t count)
{
	int first = 0;

	for (size_t i = 0; i < count; i++) {
		int line = later_line(search, &all[i]);

		if (!line || (first && line > first))
			return 0;
		if (has_copy(search, code_find(search->code, all[i].addr), line)) {
			first = line;
			continue;
		}
		return first && line < first && skips_lines(search, &all[i], line, first) &&
				       is_needed(search, &all[i])
			       ? i
			       : 0;
	}
	return 0;
}

void cleanup_tests_last(const struct decision_code *where, const struct symbol *func, uint64_t site,
			struct decision *all, size_t count)
{
	struct search search = {.where = where, .func = func, .site = site};
	struct srcline chain[2];
	struct decision cause;
	struct code *code;
	size_t cleanup;

	/* An inlined function has copies of its own. */
	if (count < 2 || !where->lines ||
	    lines_find(where->lines, func->module, site, false, chain, 2) != 1 ||
	    code_load_symbol(where->text, where->symbols, func, &code))
		return;
	search.code = code;
	search.file = chain[0].file;
	search.site_line = chain[0].line;
	cleanup = search.site_line ? count_cleanup(&search, all, count) : 0;
	code_free(code);
	if (!cleanup)
		return;
	cause = all[cleanup];
	for (size_t i = cleanup; i-- > 0;) {
		all[i + 1] = all[i];
		all[i + 1].later = true;
	}
	all[0] = cause;
}
