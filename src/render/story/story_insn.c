// SPDX-License-Identifier: GPL-2.0
/* story_insn.c - rows of instructions: decisions, what makes the error, and plain ones */
#include <inttypes.h>
#include <string.h>

#include "path/names.h"
#include "render/color.h"
#include "render/line_text.h"
#include "render/story/story_drawer.h"
#include "render/branch_list.h"

#define CONDITION_COLUMN 24
#define INSN_COLUMN	 46

void drawer_add_flags(const struct drawer *d, struct row *row, uint32_t branch)
{
	uint32_t step = d->fold ? d->fold->period : 1, rounds = d->fold ? d->fold->count : 1;
	uint32_t missed = 0, seen = 0;

	if (branch == PATH_NONE)
		return;
	row->flags_at = row->len;
	for (uint32_t i = 0; i < rounds && branch + i * step < d->snap->count; i++, seen++)
		missed += d->snap->branches[branch + i * step].mispred == TRI_SET;
	if (missed && seen == 1)
		row_add(row, "  mispredicted");
	else if (missed)
		row_add(row, "  mispredicted %u of %u times", missed, seen);
	if (!d->fold && d->snap->branches[branch].cycles != CYCLES_NOT_REPORTED)
		row_add(row, "  %d cycle%s", d->snap->branches[branch].cycles,
			d->snap->branches[branch].cycles == 1 ? "" : "s");
}

/* Targets within the function as +offset, others by name. */
static bool name_target(void *ctx, uint64_t addr, char *buf, size_t len)
{
	const struct drawer *d = ctx;
	struct symbol sym;

	if (!d->view->symbols || symbols_find(d->view->symbols, addr, &sym))
		return false;
	render_symbol(&sym, d->function && !strcmp(sym.name, d->function), addr, buf, len);
	return true;
}

static void add_target(struct drawer *d, struct row *row, const struct story_step *step,
		       uint64_t target)
{
	struct srcline chain[INLINE_DEPTH_MAX];
	char name[200];
	int n = 0;

	if (d->view->lines && step->inline_count)
		n = lines_find(d->view->lines, step->module, target, false, chain,
			       INLINE_DEPTH_MAX);
	if (n > 0 && chain[0].line && !strcmp(chain[0].file, step->source.file))
		row_add(row, " → %d", chain[0].line);
	else if (n > 0 && chain[0].line)
		row_add(row, " → %s:%d", basename(chain[0].file), chain[0].line);
	else if (name_target(d, target, name, sizeof(name)))
		row_add(row, " → %s", name);
	else
		row_add(row, " → %#" PRIx64, target);
}

/* Where a row of an instruction starts: its line if no row says it, its offset without lines. */
static void begin_insn_row(struct drawer *d, struct row *row, const struct story_step *step,
			   enum row_mark mark)
{
	uint32_t frames = d->frame_count ? d->frame_count : 1;

	row_begin(row, mark, drawer_level(d, step) + (int)frames);
	if (!step->inline_count)
		row_add(row, "+%#" PRIx64, step->offset);
	else if (!drawer_has_text(d, &step->source))
		row_add(row, "%5d", step->source.line);
	row_pad(row, LINE_COLUMN);
}

/* Of the instructions, in the words of a C programmer. False: there are none */
static bool register_condition(const struct drawer *d, const struct path_decision *decision,
			       char *buf, size_t size)
{
	static const struct {
		const char *test;
		const char *words;
	} idioms[] = {
		{" > 0xfffffffffffff000 (unsigned)", " is an error pointer"},
		{" <= 0xfffffffffffff000 (unsigned)", " is no error pointer"},
	};
	char text[INSN_TEXT_MAX];
	size_t len;

	if (path_condition(d->path, decision, text, sizeof(text)))
		return false;
	len = strlen(text);
	for (size_t i = 0; i < sizeof(idioms) / sizeof(idioms[0]); i++) {
		size_t tail = strlen(idioms[i].test);

		if (len > tail && !strcmp(text + len - tail, idioms[i].test)) {
			snprintf(buf, size, "%.*s%s", (int)(len - tail), text, idioms[i].words);
			return true;
		}
	}
	snprintf(buf, size, "%s", text);
	return true;
}

/* What held when the branch went its way: in the names of the source, if they are known. */
static bool condition_text(const struct drawer *d, const struct path_decision *decision, char *buf,
			   size_t size)
{
	struct operand_condition named;

	if (path_names_find(d->view->names, d->path, decision, d->view->symbols, d->view->lines,
			    &named))
		return register_condition(d, decision, buf, size);
	snprintf(buf, size, "%s", named.text);
	return true;
}

static void add_condition(const struct drawer *d, struct row *row,
			  const struct path_decision *decision)
{
	char text[CONDITION_MAX];

	if (condition_text(d, decision, text, sizeof(text)))
		row_add(row, "as %s", text);
}

void drawer_add_reason(const struct drawer *d, struct row *row, const struct story_step *step,
		       const char *file)
{
	const struct path_decision *decision = &d->path->decisions[step->decision];
	char text[CONDITION_MAX], where[1024];

	if (condition_text(d, decision, text, sizeof(text)))
		row_add(row, "%s", text);
	else
		row_add(row, "the branch was %s", decision->taken ? "taken" : "not taken");
	if (step->inline_count && step->source.line) {
		line_text_beside(&step->source, file, where, sizeof(where));
		row_add(row, "   (%s)", where);
	} else {
		row_add(row, "   (%s+%#" PRIx64 ")", step->function, step->offset);
	}
}

/* The instructions of a decision: in its row if they fit, else in one of their own. */
static void draw_decision_row(struct drawer *d, struct row *row,
			      const struct path_decision *decision, const char *style)
{
	char text[2 * INSN_TEXT_MAX];
	struct row flags, more;
	int column;

	path_decision_text(d->path, decision, name_target, d, text, sizeof(text));
	row_begin(&flags, row->mark, row->level);
	drawer_add_flags(d, &flags, decision->branch);
	if (d->view->insns)
		text[0] = '\0';
	column = row->width < INSN_COLUMN ? INSN_COLUMN : row->width + 2;
	if (text[0] && column + (int)strlen(text) + flags.width <= row_room(row) + row->width) {
		row_pad(row, column);
		row_add(row, "%s", text);
		text[0] = '\0';
	}
	row->flags_at = row->len;
	row_add(row, "%s", flags.text);
	drawer_print(d, row, style);
	if (text[0]) {
		row_begin(&more, row->mark, row->level);
		row_pad(&more, CONDITION_COLUMN);
		row_add(&more, "%s", text);
		drawer_print(d, &more, style);
	}
}

void drawer_decision(struct drawer *d, const struct story_step *step)
{
	const struct path_decision *decision = &d->path->decisions[step->decision];
	enum row_mark mark = step->key ? MARK_KEY : drawer_mark(d, step);
	struct row row;

	begin_insn_row(d, &row, step, mark);
	row_add(&row, decision->taken ? "taken" : "not taken");
	if (decision->taken)
		add_target(d, &row, step, decision->target);
	row_pad(&row, CONDITION_COLUMN);
	add_condition(d, &row, decision);
	draw_decision_row(d, &row, decision, mark == MARK_NONE && decision->taken ? GREEN : "");
	if (step->key) {
		row_begin(&row, mark, row.level);
		row_pad(&row, LINE_COLUMN);
		row_add(&row, "^ the last decision before %s", d->error);
		drawer_print(d, &row, "");
	}
}

void drawer_error(struct drawer *d, const struct story_step *step)
{
	const struct path_insn *in =
		step->insn == PATH_NONE ? &d->path->trigger_insn : &d->path->insns[step->insn];
	uint32_t key = d->story->key_decision;
	bool early = d->story->in_case ||
		     (key != PATH_NONE && d->path->decisions[key].insn > step->insn);
	char text[INSN_TEXT_MAX];
	struct row row;

	insn_format(in->bytes, in->len, in->addr, INSN_ATT, name_target, d, text, sizeof(text));
	begin_insn_row(d, &row, step, early ? MARK_NONE : MARK_ERROR);
	row_add(&row, "%s is %s here", d->error, early ? "loaded, in case," : "made");
	row_pad(&row, INSN_COLUMN);
	row_add(&row, "%s", text);
	drawer_print(d, &row, "");
}

void drawer_insns(struct drawer *d, const struct story_step *step, uint32_t end)
{
	uint32_t frames = d->frame_count ? d->frame_count : 1;

	if (!d->view->insns)
		return;
	for (; d->next_insn < end; d->next_insn++) {
		const struct path_insn *in = &d->path->insns[d->next_insn];
		char text[INSN_TEXT_MAX];
		struct symbol sym;
		struct row row;

		row_begin(&row, drawer_mark(d, step), drawer_level(d, step) + (int)frames);
		row_pad(&row, LINE_COLUMN);
		if (d->view->text.addresses)
			row_add(&row, "%016" PRIx64 "  ", in->addr);
		else if (d->view->symbols && !symbols_find(d->view->symbols, in->addr, &sym))
			row_add(&row, "+%#-8" PRIx64, in->addr - sym.addr);
		insn_format(in->bytes, in->len, in->addr, INSN_ATT, name_target, d, text,
			    sizeof(text));
		row_add(&row, "%s", text);
		drawer_print(d, &row, row.mark ? "" : DIM);
	}
}
