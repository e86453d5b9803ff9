// SPDX-License-Identifier: GPL-2.0
#include "cfg/walk.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "util/fnv.h"
#include "util/hash_table.h"
#include "util/vector.h"

/** struct point - an instruction and the state before it; @todo: it is on the list */
struct point {
	uint64_t addr;
	bool todo;
	_Alignas(uint64_t) unsigned char state[];
};

/** struct walking - @todo: numbers of points to be followed, the newest first */
struct walking {
	const struct walk *walk;
	struct hash_table points;
	uint32_t *todo;
	size_t todo_count;
	void *element; /* room for a point */
	bool stopped;
	bool in_part;
};

struct key {
	const struct walk *walk;
	uint64_t addr;
	const void *state;
};

static size_t point_size(const struct walk *walk)
{
	size_t size = sizeof(struct point) + walk->state_size, align = sizeof(uint64_t);

	return (size + align - 1) / align * align;
}

static bool same_point(const void *element, const void *wanted)
{
	const struct point *point = element;
	const struct key *key = wanted;

	return point->addr == key->addr &&
	       (key->walk->join || !key->walk->state_size ||
		!memcmp(point->state, key->state, key->walk->state_size));
}

static uint32_t hash_of(const struct key *key)
{
	if (key->walk->join || !key->walk->state_size)
		return hash_number(key->addr);
	return hash_number(key->addr ^ fnv(FNV_START, key->state, key->walk->state_size));
}

static void follow_later(struct walking *walking, struct point *point)
{
	size_t number =
		(size_t)((char *)point - (char *)walking->points.items) / point_size(walking->walk);

	if (point->todo)
		return;
	if (vector_grow(&walking->todo, walking->todo_count, sizeof(*walking->todo))) {
		walking->in_part = true;
		return;
	}
	walking->todo[walking->todo_count++] = (uint32_t)number;
	point->todo = true;
}

/* Control comes to the instruction at @addr. */
static void reach(struct walking *walking, uint64_t addr, const void *state)
{
	const struct walk *walk = walking->walk;
	const struct key key = {.walk = walk, .addr = addr, .state = state};
	size_t size = point_size(walk);
	uint32_t hash = hash_of(&key);
	struct point *point = NULL;

	if (!walk->each_way)
		point = hash_table_find(&walking->points, size, hash, same_point, &key);
	if (point) {
		if (walk->join && walk->join(point->state, state))
			follow_later(walking, point);
		return;
	}
	point = walking->element;
	memset(point, 0, size);
	point->addr = addr;
	if (walk->state_size)
		memcpy(point->state, state, walk->state_size);
	point = hash_table_add(&walking->points, size, hash, point);
	if (point)
		follow_later(walking, point);
	else
		walking->in_part = true;
}

static void leave(struct walking *walking, enum leave how, const void *state)
{
	walking->stopped |= (walking->walk->leave(walking->walk->ctx, how, state) & WALK_STOP) != 0;
}

static enum place place_at(const struct walk_text *text, uint64_t addr)
{
	return text->place ? text->place(text->place_ctx, addr) : PLACE_ORDINARY;
}

static void jump(struct walking *walking, uint64_t target, const void *state)
{
	const struct walk_text *text = &walking->walk->text;

	if (text->inside(text->ctx, target))
		reach(walking, target, state);
	else
		leave(walking, leave_by_jump(place_at(text, target)), state);
}

static void execute(struct walking *walking, const struct insn *in, const uint8_t *bytes,
		    void *state)
{
	const struct walk *walk = walking->walk;
	uint64_t behind = in->addr + in->len;
	unsigned int ways;

	if (in->class == INSN_CALL && place_at(&walk->text, in->target) == PLACE_NO_RETURN) {
		leave(walking, LEAVE_NO_RETURN, state);
		return;
	}
	ways = walk->step(walk->ctx, in, bytes, state);
	walking->stopped |= (ways & WALK_STOP) != 0;
	if (walking->stopped)
		return;
	if (ways & WALK_TARGET && in->class == INSN_COND)
		jump(walking, in->target, state);
	if (!(ways & WALK_NEXT))
		return;
	if (walk->text.inside(walk->text.ctx, behind))
		reach(walking, behind, state);
	else
		leave(walking, LEAVE_UNKNOWN, state);
}

static void look_at(struct walking *walking, uint64_t addr, void *state)
{
	const struct walk_text *text = &walking->walk->text;
	const uint8_t *bytes;
	struct insn in;

	if (text->fetch(text->ctx, addr, &in, &bytes)) {
		leave(walking, LEAVE_UNKNOWN, state);
		return;
	}
	switch (in.class) {
	case INSN_RET:
		leave(walking, LEAVE_RETURN, state);
		return;
	case INSN_JMP:
		jump(walking, in.target, state);
		return;
	case INSN_IJMP:
		leave(walking, LEAVE_INDIRECT, state);
		return;
	case INSN_SYSRET:
	case INSN_IRET:
	case INSN_FAR:
		leave(walking, LEAVE_SYSTEM, state);
		return;
	default:
		execute(walking, &in, bytes, state);
	}
}

static void follow(struct walking *walking, void *state)
{
	size_t size = point_size(walking->walk);

	for (unsigned int steps = 0; walking->todo_count && !walking->stopped && !walking->in_part;
	     steps++) {
		struct point *point = (struct point *)((char *)walking->points.items +
						       walking->todo[--walking->todo_count] * size);

		if (steps == walking->walk->steps_max) {
			walking->in_part = true;
			break;
		}
		point->todo = false;
		memcpy(state, point->state, walking->walk->state_size);
		look_at(walking, point->addr, state);
	}
}

enum walked walk_from(const struct walk *walk, uint64_t addr, const void *state)
{
	struct walking walking = {.walk = walk, .element = calloc(1, point_size(walk))};
	void *room = calloc(1, walk->state_size + 1);

	if (walking.element && room) {
		jump(&walking, addr, state);
		follow(&walking, room);
	} else {
		walking.in_part = true;
	}
	free(room);
	free(walking.element);
	free(walking.todo);
	hash_table_deinit(&walking.points);
	if (walking.stopped)
		return WALKED_STOPPED;
	return walking.in_part ? WALKED_IN_PART : WALKED_ALL;
}

enum leave leave_by_jump(enum place target)
{
	switch (target) {
	case PLACE_RETURN_THUNK:
		return LEAVE_RETURN;
	case PLACE_NO_RETURN:
		return LEAVE_NO_RETURN;
	case PLACE_INDIRECT_THUNK:
		return LEAVE_INDIRECT;
	default:
		return LEAVE_TAIL_CALL;
	}
}

static int fetch_loaded(void *ctx, uint64_t addr, struct insn *ret, const uint8_t **ret_bytes)
{
	const struct code *code = ctx;
	const struct insn *in = code_find(code, addr);

	if (!in)
		return -ENOENT;
	*ret = *in;
	*ret_bytes = code_bytes(code, in);
	return 0;
}

static bool inside_loaded(void *ctx, uint64_t addr)
{
	return code_has(ctx, addr);
}

struct walk_text walk_text_of(const struct code *code)
{
	return (struct walk_text){
		.fetch = fetch_loaded,
		.inside = inside_loaded,
		.ctx = (void *)code,
		.place = code->context.place,
		.place_ctx = code->context.place_ctx,
	};
}
