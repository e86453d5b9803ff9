// SPDX-License-Identifier: GPL-2.0
/*
 * fuzz_path - hostile branches over hostile text: never a crash, never a loop, never a block that
 * is not what the text says
 *
 * Input: u8 flags, u8 count, that many (u16 from, u16 to) as offsets, the rest is text.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "path/path.h"
#include "cfg/errno_must_return.h"
#include "cfg/returns.h"

#define BASE 0xffffffff81000000ULL

struct input {
	const uint8_t *text;
	size_t len;
};

static int read_text(void *ctx, uint64_t addr, void *buf, size_t len)
{
	const struct input *in = ctx;

	if (addr < BASE || addr - BASE > in->len || len > in->len - (addr - BASE))
		return -14;
	memcpy(buf, in->text + (addr - BASE), len);
	return 0;
}

static enum place place(void *ctx, uint64_t addr)
{
	(void)ctx;
	return (addr & 0x3f) == 0x3f ? (enum place)(addr >> 6 & 7) : PLACE_ORDINARY;
}

static void require(int ok)
{
	if (!ok)
		abort();
}

static void check_path(const struct path *path)
{
	for (uint32_t i = 0; i < path->block_count; i++) {
		const struct path_block *b = &path->blocks[i];
		uint64_t at = b->start;

		require(b->depth >= 0);
		require(b->first_insn + b->insn_count <= path->insn_count);
		require(b->first_decision + b->decision_count <= path->decision_count);
		require(!b->gap || !b->insn_count);
		for (uint32_t n = 0; n < b->insn_count; n++) {
			require(path->insns[b->first_insn + n].addr == at);
			at += path->insns[b->first_insn + n].len;
		}
		require(b->gap || at == b->end);
	}
	for (uint32_t i = 0; i < path->decision_count; i++) {
		const struct path_decision *d = &path->decisions[i];
		char words[200];

		require(d->insn < path->insn_count);
		require(d->setter == PATH_NONE || d->setter < d->insn);
		path_condition(path, d, words, sizeof(words));
		path_decision_text(path, d, NULL, NULL, words, sizeof(words));
		require(strlen(words) < sizeof(words));
	}
	for (uint32_t i = 0; i < path->fold_count; i++)
		require(path->folds[i].first + path->folds[i].period * path->folds[i].count <=
			path->block_count);
}

static void try_path(const uint8_t *data, uint8_t flags, uint8_t count, struct input *in)
{
	static const struct trigger triggers[] = {
		{.kind = TRIGGER_HW}, {.kind = TRIGGER_FEXIT}, {.kind = TRIGGER_KPROBE}};
	struct text_source text = {.read = read_text, .ctx = in};
	struct path_options opts = {.place = flags & 1 ? place : NULL};
	struct snapshot snap = {.path_ok = true, .count = count, .wasted = flags >> 5};
	struct path *path;

	for (uint32_t i = 0; i < count; i++) {
		uint16_t v[2];

		memcpy(v, data + i * sizeof(v), sizeof(v));
		snap.branches[i].from = v[0] >= 0xff00 ? v[0] : BASE + v[0];
		snap.branches[i].to = v[1] >= 0xff00 ? v[1] : BASE + v[1];
		snap.branches[i].type = flags & 2 ? v[0] % BRANCH_TYPE_COUNT : 0;
	}
	if (flags & 4)
		snap.ip = BASE + in->len / 2;
	if (flags & 0x18)
		snap.trigger = &triggers[(flags >> 3 & 3) - 1];
	if (!path_build(&snap, &text, &opts, &path)) {
		check_path(path);
		path_free(path);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct function_exits *exits;
	struct code_context context = {.place = place};
	uint8_t flags, count;
	struct input in;

	if (size < 2)
		return 0;
	flags = data[0];
	count = data[1] % (BRANCHES_MAX + 1);
	if (size < 2 + count * 4u)
		return 0;
	in = (struct input){data + 2 + count * 4, size - 2 - count * 4u};
	try_path(data + 2, flags, count, &in);
	if (!function_exits_find(&(struct text_source){read_text, &in}, BASE + flags,
				 (uint64_t)count * 16 + 1, &context, &exits)) {
		for (size_t i = 1; i < exits->return_count; i++)
			require(exits->returns[i - 1].addr < exits->returns[i].addr);
		for (size_t i = 0; i < exits->errno_count; i++)
			errno_site_certain(exits->code, &exits->errnos[i], flags & 1);
		function_exits_free(exits);
	}
	return 0;
}
