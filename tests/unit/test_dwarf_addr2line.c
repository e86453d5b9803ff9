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

#include "symbolize/dwarf.h"
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

/* Not the code of hand-made entry points, of which DWARF knows neither function nor, often, line.
 */
static int collect(const struct symbol *sym, void *ctx)
{
	struct pick *pick = ctx;

	if (!sym->size || strncmp(sym->name, "__SCT__", 7) == 0)
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
	srandom(1);
	for (size_t i = 0; i < count; i++) {
		const struct symbol *sym = &pick.syms[(size_t)random() % pick.count];

		addrs[i] = sym->addr + (uint64_t)random() % sym->size;
	}
	free(pick.syms);
	symbols_close(syms);
}

static FILE *run_addr2line(const uint64_t *addrs, size_t count)
{
	char path[] = "/tmp/lbrsnoop-test-XXXXXX", command[8192];
	FILE *file = fdopen(mkstemp(path), "w"), *out;

	assert_non_null(file);
	for (size_t i = 0; i < count; i++)
		fprintf(file, "%llx\n", (unsigned long long)addrs[i]);
	fclose(file);
	snprintf(command, sizeof(command), "addr2line -a -i -f -e '%s' < %s; rm -f %s", vmlinux,
		 path, path);
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
		count++;
	}
	return count;
}

/**
 * struct tally - what the comparison found
 * @same: chains that are the same, frame by frame
 * @file_only: ... but for the file's name: binutils 2.40 gives that of the unit for what it takes
 *             from a DWARF 5 table (llvm-symbolizer says as we do)
 * @no_function: DWARF has no function there, and addr2line falls back to the symbol's name
 * @different: anything else
 */
struct tally {
	int same;
	int file_only;
	int no_function;
	int different;
};

static void compare(uint64_t addr, const struct frame *theirs, size_t their_count,
		    const struct srcline *ours, int count, struct tally *tally)
{
	bool file_same = true;
	size_t i;

	if (count < 0) {
		count = 0;
		if (their_count == 1 && theirs[0].line == 0) {
			tally->no_function += strcmp(theirs[0].function, "??") != 0;
			tally->same += strcmp(theirs[0].function, "??") == 0;
			return;
		}
	}
	for (i = 0; i < their_count && i < (size_t)count; i++) {
		if (theirs[i].line != ours[i].line)
			break;
		if (count == 1 && !ours[0].function[0]) {
			tally->no_function++;
			return;
		}
		if (strcmp(theirs[i].function, ours[i].function) != 0)
			break;
		file_same = file_same && same_file(theirs[i].file, ours[i].file);
	}
	if (i < their_count || their_count != (size_t)count) {
		tally->different++;
		print_message("%#llx: differs in frame %zu: addr2line %s %s:%d\n",
			      (unsigned long long)addr, i, theirs[i].function, theirs[i].file,
			      theirs[i].line);
	} else if (file_same) {
		tally->same++;
	} else {
		tally->file_only++;
	}
}

static void find_agrees_with_addr2line(void **state)
{
	uint64_t *addrs = calloc(ADDRESSES, sizeof(*addrs));
	struct frame *theirs = calloc(INLINE_DEPTH_MAX, sizeof(*theirs));
	struct srcline ours[INLINE_DEPTH_MAX];
	struct tally tally = {0};
	struct lines *lines;
	char line[8192];
	FILE *out;

	(void)state;
	need_vmlinux();
	pick_addresses(addrs, ADDRESSES);
	out = run_addr2line(addrs, ADDRESSES);
	lines = open_lines();
	if (!fgets(line, sizeof(line), out)) {
		print_message("skipped: no addr2line\n");
		skip();
	}
	for (size_t i = 0; i < ADDRESSES; i++) {
		size_t count;

		assert_int_equal(strtoull(line, NULL, 16), addrs[i]);
		count = read_frames(out, line, sizeof(line), theirs, INLINE_DEPTH_MAX);
		compare(addrs[i], theirs, count, ours,
			lines_find(lines, "", addrs[i], false, ours, INLINE_DEPTH_MAX), &tally);
	}
	pclose(out);
	print_message("%s:\n%d of %d chains as addr2line has them; %d but for its file name, %d "
		      "without a function in DWARF, %d differ\n",
		      vmlinux, tally.same, ADDRESSES, tally.file_only, tally.no_function,
		      tally.different);
	assert_true(tally.different <= ADDRESSES / 1000);
	assert_true(tally.file_only <= ADDRESSES / 50);
	lines_close(lines);
	free(theirs);
	free(addrs);
}

static void find_is_fast_enough(void **state)
{
	static const int snapshots = 4000, branches = 64;
	uint64_t *addrs = calloc(ADDRESSES, sizeof(*addrs));
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
	free(addrs);
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
