// SPDX-License-Identifier: GPL-2.0
#include "path/names.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "util/address.h"
#include "util/cleanup.h"
#include "util/fnv.h"
#include "util/hash_table.h"

/* Conditions remembered; one takes some 150 bytes. All are forgotten when it is full. */
#define NAMES_MAX (1u << 14)

/** struct way - the path, as operand/ follows it back: an instruction's place is its index */
struct way {
	const struct path *path;
	struct symbols *symbols;
};

static uint32_t block_of(const struct path *path, uint32_t insn)
{
	for (uint32_t i = 0; i < path->block_count; i++)
		if (insn - path->blocks[i].first_insn < path->blocks[i].insn_count)
			return i;
	return PATH_NONE;
}

static bool same_function(const struct way *way, uint64_t a, uint64_t b)
{
	struct symbol sa, sb;

	return !symbols_find(way->symbols, a, &sa) && !symbols_find(way->symbols, b, &sb) &&
	       sa.addr == sb.addr;
}

static void to_insn(const struct path *path, uint32_t index, struct operand_insn *ret)
{
	const struct path_insn *in = &path->insns[index];

	*ret = (struct operand_insn){.pos = index, .addr = in->addr, .len = in->len};
	memcpy(ret->bytes, in->bytes, in->len);
}

/* The call that came back to @block, and interrupts that came in between, are passed over. */
static bool before_block(const struct way *way, uint32_t block, struct operand_insn *ret)
{
	const struct path *path = way->path;
	const struct path_block *at = &path->blocks[block];
	bool called = false;
	struct insn call;

	for (uint32_t i = block; i-- > 0;) {
		const struct path_block *pb = &path->blocks[i];
		uint32_t last = pb->first_insn + pb->insn_count - 1;

		/* Of a tracer: it leaves all as it was, and counts for no depth. */
		if (pb->tracing || pb->interrupt > at->interrupt)
			continue;
		if (pb->gap || pb->interrupt < at->interrupt || pb->depth < at->depth)
			return false;
		if (pb->depth > at->depth) {
			called = true;
			continue;
		}
		if (!pb->insn_count)
			return false;
		to_insn(path, last, ret);
		if (!called)
			return (pb->ends == PATH_END_BRANCH || pb->end == at->start) &&
			       same_function(way, pb->start, at->start);
		if (pb->end != at->start || insn_decode(ret->bytes, ret->len, ret->addr, &call) ||
		    (call.class != INSN_CALL && call.class != INSN_ICALL))
			return false;
		ret->call = true;
		ret->callee = call.has_target ? call.target : 0;
		return true;
	}
	return false;
}

static size_t insn_before(void *ctx, const struct operand_insn *at, struct operand_insn *ret)
{
	const struct way *way = ctx;
	uint32_t index = (uint32_t)at->pos, block = block_of(way->path, index);

	if (block == PATH_NONE)
		return 0;
	if (index == way->path->blocks[block].first_insn)
		return before_block(way, block, ret);
	to_insn(way->path, index - 1, ret);
	return 1;
}

int path_source_condition(const struct path *path, const struct path_decision *decision,
			  struct symbols *symbols, struct lines *lines,
			  struct operand_condition *ret)
{
	struct way back = {.path = path, .symbols = symbols};
	const struct operand_way way = {
		.lines = lines, .symbols = symbols, .before = insn_before, .ctx = &back};
	struct operand_insn setter, branch;

	if (!symbols || !lines || decision->setter == PATH_NONE)
		return -ENOENT;
	to_insn(path, decision->setter, &setter);
	to_insn(path, decision->insn, &branch);
	return operand_condition(&way, &setter, &branch, decision->taken, ret);
}

/**
 * struct kept_name - a condition
 * @key: of the way that led to it, see way_key()
 * @err: that it has no name; else @strings are text, operand, member and type
 */
struct kept_name {
	uint64_t key;
	int err;
	char *strings;
};

struct path_names {
	struct hash_table table;
};

struct path_names *path_names_create(void)
{
	return calloc(1, sizeof(struct path_names));
}

void path_names_forget(struct path_names *names)
{
	struct kept_name *kept = names->table.items;

	for (size_t i = 0; i < names->table.count; i++)
		free(kept[i].strings);
	hash_table_clear(&names->table);
}

void path_names_destroy(struct path_names *names)
{
	if (!names)
		return;
	path_names_forget(names);
	hash_table_deinit(&names->table);
	free(names);
}

static uint64_t mix(uint64_t hash, uint64_t number)
{
	hash = (hash ^ number) * 0x9e3779b97f4a7c15u;
	return hash ^ hash >> 32;
}

static uint64_t mix_insns(uint64_t hash, const struct path *path, uint32_t first, uint32_t end)
{
	for (uint32_t i = first; i < end; i++) {
		const struct path_insn *in = &path->insns[i];
		uint64_t words[2] = {0};

		memcpy(words, in->bytes, in->len);
		hash = mix(mix(mix(hash, in->addr), words[0]), words[1]);
	}
	return hash;
}

/*
 * All that insn_before() may come to from the decision on: instructions of its function, and
 * whether calls came in between. What it does not pass is not mixed in.
 */
static uint64_t way_key(const struct path *path, const struct path_decision *decision,
			const struct symbol *function)
{
	const struct path_block *at = &path->blocks[decision->block];
	bool called = false;
	uint64_t hash = fnv(FNV_START, function->name, strlen(function->name));

	hash = fnv(hash, function->module, strlen(function->module));
	hash = mix(hash, function->addr);
	hash = mix(hash, decision->taken);
	hash = mix_insns(hash, path, decision->setter, decision->setter + 1);
	hash = mix_insns(hash, path, at->first_insn, decision->insn + 1);
	for (uint32_t i = decision->block; i-- > 0;) {
		const struct path_block *pb = &path->blocks[i];

		if (pb->tracing || pb->interrupt > at->interrupt)
			continue;
		if (pb->gap || pb->interrupt < at->interrupt || pb->depth < at->depth)
			break;
		called = called || pb->depth > at->depth;
		if (pb->depth > at->depth)
			continue;
		hash = mix(mix(mix(mix(hash, called), pb->start), pb->end), pb->ends);
		hash = mix_insns(hash, path, pb->first_insn, pb->first_insn + pb->insn_count);
		called = false;
	}
	return hash;
}

static bool is_key(const void *element, const void *key)
{
	return ((const struct kept_name *)element)->key == *(const uint64_t *)key;
}

static const char *take_string(const char *from, char *to, size_t size)
{
	size_t len = strlen(from) + 1;

	memcpy(to, from, len < size ? len : size);
	return from + len;
}

static int take(const struct kept_name *kept, struct operand_condition *ret)
{
	const char *at = kept->strings;

	if (kept->err)
		return kept->err;
	*ret = (struct operand_condition){};
	at = take_string(at, ret->text, sizeof(ret->text));
	at = take_string(at, ret->source.operand, sizeof(ret->source.operand));
	at = take_string(at, ret->source.member, sizeof(ret->source.member));
	take_string(at, ret->source.type, sizeof(ret->source.type));
	return 0;
}

/* Without memory it is found anew the next time. */
static void keep(struct path_names *names, uint64_t key, int err,
		 const struct operand_condition *found)
{
	const struct operand_source *source = &found->source;
	const char *const strings[] = {found->text, source->operand, source->member, source->type};
	struct kept_name kept = {.key = key, .err = err};
	size_t len = 0;

	if (names->table.count >= NAMES_MAX)
		path_names_forget(names);
	for (size_t i = 0; !err && i < ARRAY_SIZE(strings); i++)
		len += strlen(strings[i]) + 1;
	if (!err) {
		kept.strings = malloc(len);
		if (!kept.strings)
			return;
	}
	len = 0;
	for (size_t i = 0; !err && i < ARRAY_SIZE(strings); i++) {
		size_t more = strlen(strings[i]) + 1;

		memcpy(kept.strings + len, strings[i], more);
		len += more;
	}
	if (!hash_table_add(&names->table, sizeof(kept), hash_number(key), &kept))
		free(kept.strings);
}

int path_names_find(struct path_names *names, const struct path *path,
		    const struct path_decision *decision, struct symbols *symbols,
		    struct lines *lines, struct operand_condition *ret)
{
	const struct kept_name *kept;
	struct symbol function;
	uint64_t key;
	int err;

	/* Programs come and go, with other code at the same addresses. */
	if (!names || !symbols || !lines || decision->setter == PATH_NONE ||
	    !address_is_kernel(decision->addr) || symbols_find(symbols, decision->addr, &function))
		return path_source_condition(path, decision, symbols, lines, ret);
	key = way_key(path, decision, &function);
	kept = hash_table_find(&names->table, sizeof(*kept), hash_number(key), is_key, &key);
	if (kept)
		return take(kept, ret);
	err = path_source_condition(path, decision, symbols, lines, ret);
	/* Where a live module is, is looked up once a second: what has no name may have one then.
	 */
	if (!err || (err != -ENOMEM && !function.module[0]))
		keep(names, key, err, ret);
	return err;
}
