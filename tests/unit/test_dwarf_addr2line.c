// SPDX-License-Identifier: GPL-2.0
/*
 * Lines and inlined chains of a distribution kernel, against binutils' addr2line.
 *
 * The vmlinux is that of tests/vm/setup --dbg, or what $LBRSNOOP_DEBUG_VMLINUX names.
 */
#include <glob.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "../seed.h"
#include "symbolize/debug/cuindex.h"
#include "symbolize/debug/dwarf.h"
#include "symbolize/symbolize.h"

#define ADDRESSES 2000

static char vmlinux[4096];

static double seconds(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (double)ts.tv_sec + (double)ts.tv_nsec / 1e9;
}

/* Finds the debug vmlinux, or skips the test. */
static void need_vmlinux(void)
{
	const char *named = getenv("LBRSNOOP_DEBUG_VMLINUX"), *cache = getenv("LBRSNOOP_CACHE");
	char pattern[4096];
	glob_t found;

	if (named) {
		snprintf(vmlinux, sizeof(vmlinux), "%s", named);
		return;
	}
	if (cache)
		snprintf(pattern, sizeof(pattern), "%s/debug/*/boot/vmlinux-*", cache);
	else if (getenv("XDG_CACHE_HOME"))
		snprintf(pattern, sizeof(pattern), "%s/lbrsnoop/debug/*/boot/vmlinux-*",
			 getenv("XDG_CACHE_HOME"));
	else
		snprintf(pattern, sizeof(pattern), "%s/.cache/lbrsnoop/debug/*/boot/vmlinux-*",
			 getenv("HOME") ? getenv("HOME") : "");
	if (glob(pattern, 0, NULL, &found) == 0) {
		snprintf(vmlinux, sizeof(vmlinux), "%s", found.gl_pathv[0]);
		globfree(&found);
		return;
	}
	print_message("skipped: no %s; tests/vm/setup --dbg gets one\n", pattern);
	skip();
}

static struct lines *open_lines(void)
{
	struct lines_options opts = {.vmlinux = vmlinux, .release = "not-this-one"};
	struct lines *lines = NULL;

	assert_int_equal(lines_open(&opts, &lines), 0);
	return lines;
}

/** struct pick - functions whose addresses are picked from */
struct pick {
	struct symbol *syms;
	size_t count;
	size_t room;
};

/* Not static calls, and not the NOPs before functions (Linux 6.2 and later): no DWARF has them. */
static int collect(const struct symbol *sym, void *ctx)
{
	struct pick *pick = ctx;

	if (!sym->size || strncmp(sym->name, "__SCT__", 7) == 0 ||
	    strncmp(sym->name, "__pfx_", 6) == 0)
		return 0;
	if (pick->count == pick->room) {
		pick->room = pick->room ? pick->room * 2 : 4096;
		pick->syms = realloc(pick->syms, pick->room * sizeof(*pick->syms));
		assert_non_null(pick->syms);
	}
	pick->syms[pick->count++] = *sym;
	return 0;
}

/* Random addresses in the functions of the image. */
static void pick_addresses(uint64_t *addrs, size_t count)
{
	struct symbols *syms = NULL;
	struct pick pick = {0};

	assert_int_equal(symbols_open_elf(vmlinux, 0, &syms), 0);
	symbols_for_each(syms, collect, &pick);
	assert_true(pick.count > 1000);
	srandom(seed_take(stdout, 1));
	for (size_t i = 0; i < count; i++) {
		const struct symbol *sym = &pick.syms[(size_t)random() % pick.count];

		addrs[i] = sym->addr + (uint64_t)random() % sym->size;
	}
	free(pick.syms);
	symbols_close(syms);
}

static FILE *run_addr2line(const char *tool, const uint64_t *addrs, size_t count)
{
	char path[] = "/tmp/lbrsnoop-test-XXXXXX", command[8192];
	FILE *file = fdopen(mkstemp(path), "w"), *out;

	assert_non_null(file);
	for (size_t i = 0; i < count; i++)
		fprintf(file, "%llx\n", (unsigned long long)addrs[i]);
	fclose(file);
	snprintf(command, sizeof(command), "%s -a -i -f -e '%s' < %s 2>/dev/null; rm -f %s", tool,
		 vmlinux, path, path);
	out = popen(command, "r");
	assert_non_null(out);
	return out;
}

/* Theirs has the compilation directory before what ours gives relative to it. */
static bool same_file(const char *theirs, const char *ours)
{
	size_t len = strlen(theirs), ours_len = strlen(ours);

	return len >= ours_len && strcmp(theirs + len - ours_len, ours) == 0 &&
	       (len == ours_len || theirs[len - ours_len - 1] == '/');
}

/** struct frame - one frame as addr2line prints it */
struct frame {
	char function[512];
	char file[4096];
	int line;
};

/* The frames up to the next address line; that is left in @line. */
static size_t read_frames(FILE *out, char *line, int line_len, struct frame *frames, size_t max)
{
	size_t count = 0;

	while (fgets(line, line_len, out) && strncmp(line, "0x", 2) != 0) {
		struct frame *frame = &frames[count < max ? count : max - 1];
		char *colon;

		snprintf(frame->function, sizeof(frame->function), "%.*s", (int)strcspn(line, "\n"),
			 line);
		if (!fgets(line, line_len, out))
			break;
		colon = strrchr(line, ':');
		frame->line = colon ? atoi(colon + 1) : 0;
		snprintf(frame->file, sizeof(frame->file), "%.*s", colon ? (int)(colon - line) : 0,
			 line);
		path_normalise(frame->file);
		count++;
	}
	return count;
}

/** enum verdict - how two chains compare */
enum verdict {
	SAME,
	OTHER_FILE,  /* the same functions and lines */
	NO_FUNCTION, /* DWARF has none there: the tool falls back to the symbol's name */
	DIFFERENT,
};

/** struct chains - what one tool says of all addresses, read one after the other */
struct chains {
	FILE *out;
	char line[8192];
	struct frame frames[INLINE_DEPTH_MAX];
	size_t count;
};

/* Is the tool there? Then its output stands at the first address. */
static bool start_chains(struct chains *chains, const char *tool, const uint64_t *addrs)
{
	chains->out = run_addr2line(tool, addrs, ADDRESSES);
	return fgets(chains->line, sizeof(chains->line), chains->out);
}

static void next_chain(struct chains *chains, uint64_t addr)
{
	assert_int_equal(strtoull(chains->line, NULL, 16), addr);
	chains->count = read_frames(chains->out, chains->line, sizeof(chains->line), chains->frames,
				    INLINE_DEPTH_MAX);
}

static enum verdict compare(const struct chains *theirs, const struct srcline *ours, int count)
{
	const struct frame *frames = theirs->frames;
	enum verdict verdict = SAME;

	if (count < 0 && theirs->count == 1 && frames[0].line == 0)
		return strcmp(frames[0].function, "??") == 0 ? SAME : NO_FUNCTION;
	if (count < 0 || theirs->count != (size_t)count)
		return DIFFERENT;
	for (size_t i = 0; i < theirs->count; i++) {
		if (frames[i].line != ours[i].line)
			return DIFFERENT;
		if (count == 1 && !ours[0].function[0])
			return NO_FUNCTION;
		if (strcmp(frames[i].function, ours[i].function) != 0)
			return DIFFERENT;
		if (!same_file(frames[i].file, ours[i].file))
			verdict = OTHER_FILE;
	}
	return verdict;
}

/*
 * binutils 2.40 gives the unit's file for some lines that the table says are a header's; where it
 * has another file than we do, llvm-addr2line has to agree with us.
 */
static void find_agrees_with_addr2line(void **state)
{
	static struct chains gnu_chains,
		llvm_chains; /* static: a test that is skipped leaks nothing */
	struct chains *gnu = &gnu_chains, *llvm = &llvm_chains;
	static uint64_t addrs[ADDRESSES];
	int tally[DIFFERENT + 1] = {0}, confirmed = 0;
	struct lines *lines;
	bool has_llvm;

	(void)state;
	need_vmlinux();
	pick_addresses(addrs, ADDRESSES);
	lines = open_lines();
	has_llvm = start_chains(llvm, "llvm-addr2line", addrs);
	if (!start_chains(gnu, "addr2line", addrs)) {
		print_message("skipped: no addr2line\n");
		skip();
	}
	for (size_t i = 0; i < ADDRESSES; i++) {
		struct srcline ours[INLINE_DEPTH_MAX];
		int count = lines_find(lines, "", addrs[i], false, ours, INLINE_DEPTH_MAX);
		enum verdict verdict;

		next_chain(gnu, addrs[i]);
		if (has_llvm)
			next_chain(llvm, addrs[i]);
		verdict = compare(gnu, ours, count);
		tally[verdict]++;
		if (verdict == OTHER_FILE && has_llvm)
			confirmed += compare(llvm, ours, count) == SAME;
		if (verdict == DIFFERENT)
			print_message("%#llx differs: addr2line has %s %s:%d\n",
				      (unsigned long long)addrs[i], gnu->frames[0].function,
				      gnu->frames[0].file, gnu->frames[0].line);
	}
	print_message(
		"%s:\n%d of %d chains as addr2line has them, %d with another file (%d of them "
		"as llvm-addr2line), %d without a function in DWARF, %d differ\n",
		vmlinux, tally[SAME], ADDRESSES, tally[OTHER_FILE], confirmed, tally[NO_FUNCTION],
		tally[DIFFERENT]);
	assert_true(tally[DIFFERENT] <= ADDRESSES / 1000);
	assert_true(tally[OTHER_FILE] - confirmed <=
		    (has_llvm ? ADDRESSES / 1000 : ADDRESSES / 20));
	pclose(gnu->out);
	pclose(llvm->out);
	lines_close(lines);
}

static void find_is_fast_enough(void **state)
{
	static const int snapshots = 4000, branches = 64;
	static uint64_t addrs[ADDRESSES];
	struct srcline chain[INLINE_DEPTH_MAX];
	struct rusage usage;
	struct lines *lines;
	double start, first, filled, rate;
	size_t found = 0;

	(void)state;
	need_vmlinux();
	pick_addresses(addrs, ADDRESSES);
	start = seconds();
	lines = open_lines();
	for (int i = 0; i < branches; i++)
		lines_find(lines, "", addrs[i], false, chain, INLINE_DEPTH_MAX);
	first = seconds();
	getrusage(RUSAGE_SELF, &usage);
	print_message("opened, first %d addresses: %.2f s, %ld MB with the symbol table\n",
		      branches, first - start, usage.ru_maxrss >> 10);
	assert_true(usage.ru_maxrss >> 10 < 500);
	for (int i = 0; i < ADDRESSES; i++)
		lines_find(lines, "", addrs[i], false, chain, INLINE_DEPTH_MAX);
	filled = seconds();
	for (int i = 0; i < snapshots * branches; i++)
		found += lines_find(lines, "", addrs[i % ADDRESSES], false, chain,
				    INLINE_DEPTH_MAX) > 0;
	rate = snapshots / (seconds() - filled);
	getrusage(RUSAGE_SELF, &usage);
	print_message(
		"%d addresses: %.2f s, %ld MB; then %.0f snapshots of %d addresses a second\n",
		ADDRESSES, filled - start, usage.ru_maxrss >> 10, rate, branches);
	assert_true(found > 0);
	assert_true(rate > 2000);
	lines_close(lines);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		/* first: it measures memory, too */
		cmocka_unit_test(find_is_fast_enough),
		cmocka_unit_test(find_agrees_with_addr2line),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
