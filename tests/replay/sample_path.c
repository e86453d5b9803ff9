// SPDX-License-Identifier: GPL-2.0
/*
 * sample_path - paths rebuilt from stretches of the emulator's log, against that same log
 *
 *   sample_path TRUTH TEXT KALLSYMS [-d DEPTH] [-s STEP] [-v]
 *
 * Takes DEPTH branches in a row as an LBR would hold them, every STEP branches, and compares each
 * block rebuilt with the instructions logged. TEXT: records of an address (u64) and the 4096
 * bytes there. Prints counts; exit status 1 if one block is wrong.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../whole_file.h"
#include "path/path.h"
#include "symbolize/place.h"
#include "symbolize/symbolize.h"
#include "truth.h"

#define PAGE 4096

struct page {
	uint64_t addr;
	uint8_t bytes[PAGE];
};

struct text_file {
	struct page *pages;
	size_t count;
};

struct totals {
	uint64_t snapshots;
	uint64_t blocks;
	uint64_t insns;
	uint64_t wrong;
	uint64_t gaps[PATH_GAP_COUNT];
	uint64_t needless_off; /* gaps for a switched-off LBR where the log shows none */
};

struct sampler {
	const struct truth_cpu *cpu;
	const struct text_source *text;
	struct symbols *symbols;
	struct totals *totals;
	uint64_t *executed;
	uint32_t depth;
	size_t step;
	bool verbose;
};

static int text_file_load(const char *path, struct text_file *ret)
{
	size_t size;

	ret->pages = whole_file(path, &size);
	if (!ret->pages)
		return -errno;
	ret->count = size / sizeof(struct page);
	return 0;
}

static int compare_page(const void *key, const void *elem)
{
	uint64_t addr = *(const uint64_t *)key, page = ((const struct page *)elem)->addr;

	return addr < page ? -1 : addr >= page + PAGE;
}

static int text_file_read(void *ctx, uint64_t addr, void *buf, size_t len)
{
	const struct text_file *file = ctx;

	while (len) {
		const struct page *p =
			bsearch(&addr, file->pages, file->count, sizeof(*p), compare_page);
		size_t off, part;

		if (!p)
			return -EFAULT;
		off = addr - p->addr;
		part = PAGE - off < len ? PAGE - off : len;
		memcpy(buf, p->bytes + off, part);
		buf = (char *)buf + part;
		addr += part;
		len -= part;
	}
	return 0;
}

static void say_wrong(const struct sampler *s, const struct path *path,
		      const struct path_block *block, size_t n, const char *why)
{
	struct symbol sym = {.name = "?"};

	symbols_find(s->symbols, block->start, &sym);
	printf("wrong: %s: block 0x%" PRIx64 "-0x%" PRIx64 " (%s), %u instructions, log has %zu:",
	       why, block->start, block->end, sym.name, block->insn_count, n);
	for (uint32_t i = 0; i < block->insn_count || i < n; i++)
		printf(" %" PRIx64 "/%" PRIx64,
		       i < block->insn_count ? path->insns[block->first_insn + i].addr : 0,
		       i < n ? s->executed[i] : 0);
	printf("\n");
}

static bool same(const struct path *path, const struct path_block *block, const uint64_t *want)
{
	for (uint32_t i = 0; i < block->insn_count; i++) {
		if (path->insns[block->first_insn + i].addr != want[i])
			return false;
	}
	return true;
}

/* One block against the log between the branches that enclose it. */
static void check_block(const struct sampler *s, const struct path *path, uint32_t index,
			const size_t *at)
{
	const struct path_block *block = &path->blocks[index];
	bool after_off = block->entry == PATH_NONE;
	uint32_t entry = after_off ? block->branch - 1 : block->entry;
	size_t n, stopped, end;
	const char *why = NULL;

	/* The block before an LBR_OFF gap ends where the same branch's other half does. */
	end = block->branch != PATH_NONE ? at[block->branch] : at[entry + 1];
	n = truth_executed(s->cpu, at[entry] + 1, end, s->executed, &stopped);
	if (block->ends == PATH_END_LBR_OFF) {
		if (block->insn_count > n || !same(path, block, s->executed))
			why = "before a switched-off LBR";
	} else if (after_off) {
		if (block->insn_count > n ||
		    !same(path, block, s->executed + n - block->insn_count))
			why = "after a switched-off LBR";
		if (stopped == SIZE_MAX)
			s->totals->needless_off++;
	} else if (stopped != SIZE_MAX && stopped && stopped < n) {
		why = "recording stopped within";
	} else if (block->insn_count != n || !same(path, block, s->executed)) {
		why = "instructions differ";
	}
	s->totals->blocks++;
	s->totals->insns += block->insn_count;
	if (why) {
		s->totals->wrong++;
		if (s->totals->wrong <= 20)
			say_wrong(s, path, block, n, why);
	}
}

static void say_gap(const struct sampler *s, const struct path_block *block)
{
	struct symbol from = {.name = "?"}, to = {.name = "?"};

	symbols_find(s->symbols, block->start, &from);
	symbols_find(s->symbols, block->end, &to);
	printf("gap: %s: 0x%" PRIx64 " (%s+0x%" PRIx64 ") to 0x%" PRIx64 " (%s+0x%" PRIx64 ")\n",
	       path_gap_name(block->gap), block->start, from.name, block->start - from.addr,
	       block->end, to.name, block->end - to.addr);
}

static void check_snapshot(const struct sampler *s, const struct snapshot *snap, const size_t *at)
{
	struct path_options opts = {.place = place_by_symbols,
				    .same_function = same_function_by_symbols,
				    .place_ctx = s->symbols};
	struct path *path;
	int err = path_build(snap, s->text, &opts, &path);

	s->totals->snapshots++;
	if (err) {
		printf("path_build: %s\n", strerror(-err));
		s->totals->wrong++;
		return;
	}
	for (uint32_t i = 0; i < path->block_count; i++) {
		const struct path_block *block = &path->blocks[i];

		s->totals->gaps[block->gap]++;
		if (!block->gap)
			check_block(s, path, i, at);
		else if (s->verbose && block->gap != PATH_GAP_USER)
			say_gap(s, block);
	}
	path_free(path);
}

/* Every s->step branches, the s->depth newest ones as a snapshot. */
static void sample_cpu(const struct sampler *s)
{
	struct snapshot snap = {.path_ok = true};
	size_t at[BRANCHES_MAX + 1], branches = 0;
	uint64_t last_seq = 0;

	for (size_t i = 0; i < s->cpu->count; i++) {
		const struct truth_event *ev = &s->cpu->events[i];

		if (i && ev->seq != last_seq + 1)
			snap.count = 0; /* the log was cut here */
		last_seq = ev->seq;
		if (ev->kind != 'B')
			continue;
		if (snap.count == s->depth) {
			memmove(snap.branches, snap.branches + 1,
				(s->depth - 1) * sizeof(snap.branches[0]));
			memmove(at, at + 1, (s->depth - 1) * sizeof(at[0]));
			snap.count--;
		}
		at[snap.count] = i;
		snap.branches[snap.count++] = (struct branch){
			.from = ev->addr, .to = ev->to, .cycles = CYCLES_NOT_REPORTED};
		if (++branches % s->step == 0 && snap.count == s->depth)
			check_snapshot(s, &snap, at);
	}
}

static void print_totals(const struct totals *t)
{
	uint64_t gaps = 0;

	for (int i = PATH_GAP_USER + 1; i < PATH_GAP_COUNT; i++) {
		gaps += t->gaps[i];
		if (t->gaps[i])
			printf("  gap %-12s %" PRIu64 "\n", path_gap_name((enum path_gap)i),
			       t->gaps[i]);
	}
	printf("  LBR not off after all in %" PRIu64 " of the lbr-off gaps\n", t->needless_off);
	printf("%" PRIu64 " snapshots, %" PRIu64 " blocks, %" PRIu64 " instructions: %" PRIu64
	       " wrong, %" PRIu64 " gaps (%.3f %%), %" PRIu64 " stays in user space\n",
	       t->snapshots, t->blocks, t->insns, t->wrong, gaps,
	       t->blocks + gaps ? 100.0 * (double)gaps / (double)(t->blocks + gaps) : 0.0,
	       t->gaps[PATH_GAP_USER]);
}

int main(int argc, char **argv)
{
	struct totals totals = {0};
	struct sampler s = {.totals = &totals, .depth = 32, .step = 32};
	struct text_file file = {0};
	struct text_source text = {.read = text_file_read, .ctx = &file};
	struct truth truth;
	size_t skipped;
	int opt, err;

	while ((opt = getopt(argc, argv, "d:s:v")) != -1) {
		if (opt == 'd')
			s.depth = (uint32_t)atoi(optarg);
		else if (opt == 's')
			s.step = (size_t)atol(optarg);
		else if (opt == 'v')
			s.verbose = true;
		else
			return 64;
	}
	if (argc - optind != 3 || !s.depth || s.depth > BRANCHES_MAX || !s.step)
		return 64;
	err = truth_load(argv[optind], &truth, &skipped);
	if (!err)
		err = text_file_load(argv[optind + 1], &file);
	if (!err)
		err = symbols_open(argv[optind + 2], &s.symbols);
	if (err) {
		fprintf(stderr, "sample_path: %s\n", strerror(-err));
		return 2;
	}
	s.text = &text;
	for (int i = 0; i < TRUTH_CPUS_MAX; i++) {
		if (!truth.cpus[i].count)
			continue;
		s.cpu = &truth.cpus[i];
		s.executed = malloc(truth.cpus[i].count * sizeof(*s.executed));
		if (!s.executed)
			return 2;
		sample_cpu(&s);
		free(s.executed);
	}
	print_totals(&totals);
	truth_free(&truth);
	symbols_close(s.symbols);
	free(file.pages);
	return totals.wrong ? 1 : 0;
}
