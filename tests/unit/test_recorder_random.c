// SPDX-License-Identifier: GPL-2.0
/*
 * Random sequences of snapshots of programs and of the kernel, whose symbols and text come, go and
 * change in between: what a view of a snapshot could ask for is, in the capture, what it was live.
 *
 * SEED and COUNT in the environment: other sequences, as a failure names them; or more.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "capfile/reader.h"
#include "capfile/recorder.h"
#include "disasm/insn.h"
#include "symbolize/symbols.h"
#include "util/cleanup.h"

#define SEQUENCES 40
#define SNAPSHOTS 40
#define PROCESSES 3
#define REGIONS	  3 /* of kernel, and of each process at the same two places */
#define PAGES	  3
#define BYTES	  (PAGES * 4096u)
#define SYMS	  5
#define RUNS	  3
#define RUN_BYTES 700u

static const uint64_t bases[REGIONS] = {0xffffffff81000000, 0x555555555000, 0x7ffff7dd1000};

/** struct region - @end: 0 if nothing is there; @seed: which of two instructions each piece has */
struct region {
	uint32_t start, end;
	uint32_t seed;
	uint32_t sym_count;
	struct symbol syms[SYMS];
};

/** struct shot - a snapshot, and all that was there */
struct shot {
	struct region regions[REGIONS];
	bool user;
	uint64_t start[RUNS], end[RUNS]; /* the newest last */
};

static uint8_t code[2][BYTES];
static uint32_t insns[BYTES], insn_count; /* where they begin */
static uint8_t insn_at[BYTES];		  /* of each byte: how far back its instruction begins */
static struct region world[PROCESSES + 1][REGIONS];
static struct shot shots[SNAPSHOTS], *now;
static char path[] = "/tmp/lbrsnoop-recorder.XXXXXX";

static uint64_t seed, state;

static uint32_t any(uint32_t below)
{
	state = state * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)(state >> 33) % below;
}

/* Two programs whose instructions begin at the same places. */
static void make_code(void)
{
	static const char bytes[][2][6] = {
		{"\x90", "\xc3"}, {"\x50", "\x90"},	    {"\xeb\x10", "\x74\xf0"},
		{"\xe8", "\xe9"}, {"\xb8\1\2\3\4", "\xe8"}, {"\xe8", "\xe8"},
	};
	static const uint8_t lens[] = {1, 1, 2, 5, 5, 5};

	insn_count = 0;
	for (uint32_t at = 0, kind; at < BYTES; at += lens[kind]) {
		kind = any(ARRAY_SIZE(lens));
		if (at + 5 > BYTES)
			kind = 0;
		insns[insn_count++] = at;
		for (uint32_t i = 0; i < 2; i++) {
			int32_t off = (int32_t)any(BYTES) - (int32_t)at - 5;

			memcpy(code[i] + at, bytes[kind][i], lens[kind]);
			if (lens[kind] == 5 && bytes[kind][i][0] != '\xb8')
				memcpy(code[i] + at + 1, &off, 4);
		}
		for (uint32_t i = 0; i < lens[kind]; i++)
			insn_at[at + i] = (uint8_t)i;
	}
}

static int region_of(uint64_t addr)
{
	for (int i = 0; i < REGIONS; i++)
		if (addr - bases[i] < BYTES)
			return i;
	return -1;
}

/* What the live view has: of the snapshot at hand. */
static int live_byte(uint64_t addr)
{
	int i = region_of(addr);
	const struct region *region = i < 0 ? NULL : &now->regions[i];
	uint32_t at = i < 0 ? 0 : (uint32_t)(addr - bases[i]);

	if (!region || at < region->start || at >= region->end || (i && !now->user))
		return -1;
	return code[region->seed >> ((at - insn_at[at]) >> 9) & 1][at];
}

static int read_live(void *ctx, uint64_t addr, void *buf, size_t len)
{
	uint8_t *to = buf;

	(void)ctx;
	for (size_t i = 0; i < len; i++) {
		int byte = live_byte(addr + i);

		if (byte < 0)
			return -EFAULT;
		to[i] = (uint8_t)byte;
	}
	return 0;
}

static const struct symbol *live_symbol(uint64_t addr)
{
	for (int i = now->user ? REGIONS : 1; i-- > 0;)
		for (uint32_t s = 0; s < now->regions[i].sym_count; s++)
			if (addr - now->regions[i].syms[s].addr < now->regions[i].syms[s].size)
				return &now->regions[i].syms[s];
	return NULL;
}

static void change_symbols(struct region *region, uint64_t base)
{
	static const char *const names[] = {"a", "b", "c", "d", "e", "f", "a.cold", "b.cold"};
	uint32_t at = 0;

	region->sym_count = any(SYMS + 1);
	if (!any(8)) {
		region->sym_count = 1;
		region->syms[0] = (struct symbol){"large", "", base, 512u << 10};
		return;
	}
	for (uint32_t i = 0; i < region->sym_count; i++) {
		uint32_t first = at + (any(3) ? any(40) : any(insn_count / 3));
		uint32_t last = first + 1 + (any(3) ? any(40) : any(insn_count / 3));

		if (last >= insn_count) {
			region->sym_count = i;
			break;
		}
		at = last;
		region->syms[i] = (struct symbol){names[any(ARRAY_SIZE(names))], "",
						  base + insns[first], insns[last] - insns[first]};
	}
}

static void change(struct region *region, uint64_t base)
{
	switch (any(6)) {
	case 0:
		region->start = any(3) ? 0 : any(4096);
		region->end = any(4) ? BYTES - any(4096) : 0;
		break;
	case 1:
		change_symbols(region, base);
		break;
	case 2:
		if (region->sym_count)
			region->sym_count--;
		break;
	default:
		region->seed ^= 1u << any(BYTES >> 9);
	}
}

static const struct lbr_info lbr = {.model = "skylake", .format = 5, .depth = 32};
static struct trigger triggers[2] = {
	{.target = (char *)"f",
	 .kind = TRIGGER_FENTRY,
	 .function = (char *)"",
	 .module = (char *)""},
	{.target = (char *)"p", .kind = TRIGGER_PERF, .function = (char *)"", .module = (char *)""},
};

static void set_symbols(struct symbols *symbols)
{
	symbols_remove(symbols, 0, 1ull << 63);
	symbols_remove(symbols, 1ull << 63, 1ull << 62 | ((1ull << 62) - 1));
	for (int i = 0; i < (now->user ? REGIONS : 1); i++)
		for (uint32_t s = 0; s < now->regions[i].sym_count; s++)
			assert_int_equal(symbols_add(symbols, &now->regions[i].syms[s]), 0);
}

static void record(struct recorder *recorder, struct symbols *symbols)
{
	uint32_t pid = any(PROCESSES + 1), process = pid ? pid : 1;
	bool changed = now == shots || any(3);
	uint64_t version;
	struct raw_branch raw[RUNS];
	struct snapshot snap = {.pid = pid ? 100 + pid : 0,
				.count = RUNS,
				.raw = raw,
				.raw_count = RUNS,
				.path_ok = true};

	if (changed) {
		change(&world[0][0], bases[0]);
		for (int i = 1; i < REGIONS; i++)
			change(&world[process][i], bases[i]);
	}
	now->user = any(4);
	snap.trigger = &triggers[now->user];
	now->user &= pid > 0;
	now->regions[0] = world[0][0];
	memcpy(&now->regions[1], &world[process][1], sizeof(now->regions[1]) * (REGIONS - 1));
	for (int i = 0; i < RUNS; i++) {
		uint64_t base = bases[any(REGIONS)];
		uint32_t first = any(insn_count), last = first + any(any(3) ? 20 : 300);

		last = last < insn_count ? last : insn_count - 1;
		now->start[i] = base + insns[first];
		now->end[i] = base + insns[last];
	}
	for (int i = 0; i < RUNS; i++)
		snap.branches[i] = (struct branch){.from = i ? now->end[i - 1] : now->start[0],
						   .to = now->start[i]};
	snap.ip = now->end[RUNS - 1];
	for (int i = 0; i < RUNS; i++)
		raw[RUNS - 1 - i] =
			(struct raw_branch){snap.branches[i].from, snap.branches[i].to, 2};
	version = symbols->version;
	set_symbols(symbols);
	/* To select another process is no change: neither symbols nor text of any are other ones.
	 */
	symbols->version = version + changed;
	if (changed)
		recorder_text_may_differ(recorder);
	assert_int_equal(recorder_add(recorder, &snap, 0), 0);
}

static struct capfile *file;
static const char *where;
static uint64_t where_addr;

static void differ(const char *what, uint64_t addr, const char *live, const char *got)
{
	fail_msg("SEED=%llu, snapshot %d (%s, %s of %llx): %s of %llx: live %s, file %s",
		 (unsigned long long)seed, (int)(now - shots), now->user ? "user" : "kernel", where,
		 (unsigned long long)where_addr, what, (unsigned long long)addr, live, got);
}

static void check_name(uint64_t addr)
{
	const struct symbol *live = live_symbol(addr);
	struct symbol sym;
	bool there = !symbols_find(capfile_symbols(file), addr, &sym);

	if (there != !!live || (live && (strcmp(live->name, sym.name) || live->addr != sym.addr ||
					 live->size != sym.size)))
		differ("name", addr, live ? live->name : "none", there ? sym.name : "none");
}

static void check_bytes(uint64_t addr, uint64_t len)
{
	struct text_source text = textstore_source(capfile_text(file));

	for (uint64_t i = 0; i < len; i++) {
		int live = live_byte(addr + i);
		uint8_t byte = 0;
		int got = text.read(text.ctx, addr + i, &byte, 1) ? -1 : byte;
		char a[16], b[16];

		snprintf(a, sizeof(a), "%d", live);
		snprintf(b, sizeof(b), "%d", got);
		if (live != got)
			differ("byte", addr + i, a, b);
	}
}

/* Instructions from one to another, with the functions they are in, or not. */
static void check_run(uint64_t start, uint64_t end, bool functions)
{
	const struct symbol *last = NULL;

	for (uint64_t addr = start; addr <= end;) {
		const struct symbol *sym = live_symbol(addr);
		uint8_t bytes[INSN_LEN_MAX];
		size_t len = sizeof(bytes);
		struct insn in;

		where = functions ? "run" : "function";
		where_addr = start;
		check_name(addr);
		while (len && read_live(NULL, addr, bytes, len))
			len--;
		if (!len || insn_decode(bytes, len, addr, &in)) {
			check_bytes(addr, 1);
			return;
		}
		check_bytes(addr, in.len);
		if (in.has_target)
			check_name(in.target);
		if (functions && sym && sym != last && sym->size < 256u << 10) {
			where = "function";
			check_bytes(sym->addr, sym->size);
			if (live_byte(sym->addr) >= 0 && live_byte(sym->addr + sym->size - 1) >= 0)
				check_run(sym->addr, sym->addr + sym->size - 1, false);
		}
		last = sym;
		addr += in.len;
	}
}

static void check(void)
{
	struct snapshot snap;
	uint64_t lost;

	assert_int_equal(capfile_next(file, &snap, &lost), 1);
	for (int i = 0; i < RUNS; i++) {
		if (now->user || now->start[i] >> 63)
			check_run(now->start[i], now->end[i], true);
		where = "end";
		check_name(now->start[i]);
		check_name(now->end[i]);
	}
}

static void begin_world(void)
{
	state = seed;
	memset(world, 0, sizeof(world));
	make_code();
	for (int p = 0; p <= PROCESSES; p++)
		for (int i = 0; i < REGIONS; i++) {
			world[p][i].end = BYTES;
			change_symbols(&world[p][i], bases[i]);
		}
}

static void record_sequence(void)
{
	struct recorder_options opts = {
		.path = path,
		.command = "",
		.tool = "",
		.text = {.read = read_live},
		.lbr = &lbr,
		.filter = "any",
		.path_ok = true,
	};
	struct recorder *recorder;

	assert_int_equal(symbols_open_empty(&opts.symbols), 0);
	assert_int_equal(recorder_open(&opts, &recorder, NULL), 0);
	for (now = shots; now < shots + SNAPSHOTS; now++)
		record(recorder, opts.symbols);
	assert_int_equal(recorder_close(recorder, 0), 0);
	symbols_close(opts.symbols);
}

static uint64_t number(const char *name, uint64_t otherwise)
{
	const char *value = getenv(name);

	return value ? strtoull(value, NULL, 0) : otherwise;
}

static void record_anything_is_read_as_it_was_live(void **unused)
{
	uint64_t first = number("SEED", 1), count = number("COUNT", SEQUENCES);

	for (seed = first; seed < first + count; seed++) {
		begin_world();
		record_sequence();
		assert_int_equal(capfile_open(path, &file, NULL), 0);
		for (now = shots; now < shots + SNAPSHOTS; now++)
			check();
		capfile_close(file);
	}
}

static int teardown(void **unused)
{
	unlink(path);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(record_anything_is_read_as_it_was_live, teardown),
	};

	if (mkstemp(path) < 0)
		return 1;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
