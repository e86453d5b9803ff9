// SPDX-License-Identifier: GPL-2.0
/* story.c - blocks → steps */
#include "path/story.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "path/constant_flow.h"

struct teller {
	const struct path *path;
	const struct snapshot *snap;
	const struct story_options *opts;
	struct story *story;
	size_t step_cap;
	size_t frame_cap;
	uint32_t block;
	const char *function; /* that the newest step is in */
	int depth;
	struct srcline line;  /* newest line told */
	struct symbol symbol; /* newest found */
	bool after_error;
};

static int reserve(void *array, size_t *cap, size_t count, size_t elem)
{
	void **p = array;
	size_t want = *cap ? *cap : 64;
	void *bigger;

	if (count <= *cap)
		return 0;
	while (want < count)
		want *= 2;
	bigger = realloc(*p, want * elem);
	if (!bigger)
		return -ENOMEM;
	*p = bigger;
	*cap = want;
	return 0;
}

static void find_symbol(struct teller *t, struct story_step *step)
{
	struct symbol *sym = &t->symbol;

	step->function = "?";
	step->module = "";
	if (!t->opts->symbols)
		return;
	if (step->addr - sym->addr >= sym->size &&
	    symbols_find(t->opts->symbols, step->addr, sym)) {
		sym->size = 0;
		return;
	}
	step->function = sym->name;
	step->module = sym->module;
	step->offset = step->addr - sym->addr;
}

static int find_source(struct teller *t, struct story_step *step)
{
	struct story *s = t->story;
	int n;

	if (!t->opts->lines)
		return 0;
	if (reserve(&s->frames, &t->frame_cap, s->frame_count + INLINE_DEPTH_MAX,
		    sizeof(*s->frames)))
		return -ENOMEM;
	n = lines_find(t->opts->lines, step->module, step->addr, false, s->frames + s->frame_count,
		       INLINE_DEPTH_MAX);
	if (n <= 0)
		return n == -ENOMEM ? n : 0;
	step->source = s->frames[s->frame_count];
	step->inlined = s->frame_count;
	step->inline_count = (uint32_t)n;
	s->frame_count += (uint32_t)n;
	return 0;
}

static int add_step(struct teller *t, struct story_step *step)
{
	struct story *s = t->story;

	if (reserve(&s->steps, &t->step_cap, (size_t)s->step_count + 1, sizeof(*s->steps)))
		return -ENOMEM;
	step->depth = t->path->blocks[t->block].depth;
	step->block = t->block;
	step->cleanup = t->after_error;
	s->steps[s->step_count++] = *step;
	return 0;
}

/* A step at an instruction, its symbol and source looked up. */
static int step_at(struct teller *t, uint64_t addr, uint32_t insn, struct story_step *ret)
{
	*ret = (struct story_step){.addr = addr, .insn = insn, .decision = PATH_NONE};
	find_symbol(t, ret);
	return find_source(t, ret);
}

/* What a tracer stood between: the call of a function, or its return to the caller. */
static enum story_how how_after_tracing(const struct teller *t)
{
	const struct path_block *block = &t->path->blocks[t->block];

	if (!t->function)
		return STORY_STARTS;
	if (block->depth > t->depth)
		return STORY_CALLED;
	return block->depth < t->depth ? STORY_RETURNED : STORY_JUMPED;
}

static enum story_how how_entered(const struct teller *t)
{
	const struct path_block *block = &t->path->blocks[t->block], *prev = block - 1;
	bool first = !t->story->step_count;

	if (first || !t->block)
		return STORY_STARTS;
	if (prev->tracing && !t->opts->tracing)
		return how_after_tracing(t);
	if (prev->gap)
		return prev->gap == PATH_GAP_USER ? STORY_ENTERED : STORY_STARTS;
	if (prev->ends == PATH_END_INTERRUPT)
		return STORY_INTERRUPTED;
	switch (prev->end_class) {
	case INSN_CALL:
	case INSN_ICALL:
		return STORY_CALLED;
	case INSN_RET:
		return STORY_RETURNED;
	case INSN_INT:
		return STORY_INTERRUPTED;
	case INSN_IRET:
		return STORY_RESUMED;
	default:
		return STORY_JUMPED;
	}
}

static bool same_line(const struct srcline *a, const struct srcline *b)
{
	return a->line == b->line && a->file && b->file && !strcmp(a->file, b->file) &&
	       a->function && b->function && !strcmp(a->function, b->function);
}

/* The function if it is another one, then the line if it is another one. */
static int tell_place(struct teller *t, struct story_step at, bool block_starts)
{
	int depth = t->path->blocks[t->block].depth;
	int err;

	if (!t->function || strcmp(t->function, at.function) || depth != t->depth) {
		at.kind = STORY_FUNCTION;
		at.how = block_starts ? how_entered(t) : STORY_JUMPED;
		err = add_step(t, &at);
		if (err)
			return err;
		t->function = at.function;
		t->depth = depth;
		t->line = (struct srcline){0};
	}
	if (!at.source.file || same_line(&at.source, &t->line))
		return 0;
	at.kind = STORY_LINE;
	t->line = at.source;
	return add_step(t, &at);
}

static int tell_decision(struct teller *t, struct story_step at, uint32_t decision)
{
	at.kind = STORY_DECISION;
	at.decision = decision;
	at.key = decision == t->story->key_decision;
	return add_step(t, &at);
}

/* What comes after @insn. A constant loaded early is an error only once its decision has come. */
static bool is_cleanup(const struct teller *t, uint32_t insn)
{
	uint32_t key = t->story->key_decision;

	if (t->story->error_insn == PATH_NONE || insn < t->story->error_insn)
		return false;
	return key == PATH_NONE || t->path->decisions[key].insn <= insn;
}

static int tell_block(struct teller *t)
{
	const struct path *path = t->path;
	const struct path_block *block = &path->blocks[t->block];
	uint32_t decision = block->first_decision;
	struct story_step at;
	int err = 0;

	for (uint32_t i = 0; i < block->insn_count && !err; i++) {
		uint32_t insn = block->first_insn + i;

		err = step_at(t, path->insns[insn].addr, insn, &at);
		if (!err)
			err = tell_place(t, at, !i);
		if (!err && decision < block->first_decision + block->decision_count &&
		    path->decisions[decision].insn == insn)
			err = tell_decision(t, at, decision++);
		if (!err && insn == t->story->error_insn) {
			at.kind = STORY_ERROR;
			err = add_step(t, &at);
		}
		t->after_error = is_cleanup(t, insn);
	}
	return err;
}

static int tell_end(struct teller *t)
{
	const struct path_block *block = &t->path->blocks[t->block];
	struct story_step at;
	int err;

	if (block->ends != PATH_END_INTERRUPT && block->ends != PATH_END_TRIGGER &&
	    block->ends != PATH_END_KERNEL)
		return 0;
	err = step_at(t, block->end, PATH_NONE, &at);
	if (!err && block->ends == PATH_END_TRIGGER)
		err = tell_place(t, at, !block->insn_count);
	if (err)
		return err;
	if (block->ends == PATH_END_TRIGGER && t->story->error_insn == t->path->insn_count) {
		at.kind = STORY_ERROR;
		err = add_step(t, &at);
		if (err)
			return err;
	}
	at.kind = block->ends == PATH_END_TRIGGER  ? STORY_TRIGGER
		  : block->ends == PATH_END_KERNEL ? STORY_KERNEL
						   : STORY_INTERRUPT;
	return add_step(t, &at);
}

static int tell_gap(struct teller *t)
{
	struct story_step at = {.kind = STORY_GAP, .insn = PATH_NONE, .decision = PATH_NONE};

	at.addr = t->path->blocks[t->block].start;
	find_symbol(t, &at);
	t->function = NULL;
	return add_step(t, &at);
}

/* All of one stay in a tracer's code as one step; the function that it interrupts goes on. */
static int tell_tracing(struct teller *t)
{
	struct story_step at = {.kind = STORY_TRACING, .insn = PATH_NONE, .decision = PATH_NONE};
	int err;

	at.addr = t->path->blocks[t->block].start;
	find_symbol(t, &at);
	err = add_step(t, &at);
	while (t->block + 1 < t->path->block_count && t->path->blocks[t->block + 1].tracing)
		t->block++;
	if (!err)
		t->story->steps[t->story->step_count - 1].last_block = t->block;
	return err;
}

/* Blocks that started before the branch the view starts with are not told. */
static uint32_t first_block(const struct path *path, uint32_t first_branch)
{
	uint32_t i = 0;

	while (i < path->block_count && path->blocks[i].entry != PATH_NONE &&
	       path->blocks[i].entry < first_branch)
		i++;
	return i;
}

int story_build(const struct path *path, const struct snapshot *snap,
		const struct story_options *opts, struct story **ret)
{
	struct teller t = {.path = path, .snap = snap, .opts = opts};
	int err = 0;

	t.story = calloc(1, sizeof(*t.story));
	if (!t.story)
		return -ENOMEM;
	path_find_error(path, snap->err, &t.story->error_insn, &t.story->key_decision);
	t.story->in_case = t.story->error_insn == path->insn_count && path_trigger_in_case(path);
	for (t.block = first_block(path, opts->first_branch); t.block < path->block_count && !err;
	     t.block++) {
		if (path->blocks[t.block].tracing && !opts->tracing) {
			err = tell_tracing(&t);
			continue;
		}
		if (path->blocks[t.block].gap) {
			err = tell_gap(&t);
			continue;
		}
		err = tell_block(&t);
		if (!err)
			err = tell_end(&t);
	}
	if (err) {
		story_free(t.story);
		return err;
	}
	*ret = t.story;
	return 0;
}

void story_free(struct story *story)
{
	if (!story)
		return;
	free(story->steps);
	free(story->frames);
	free(story);
}
