// SPDX-License-Identifier: GPL-2.0
/*
 * verify_path - paths that lbrsnoop printed in a guest, against the emulator's own log
 *
 *   lbrsnoop --json --insns ... > SNAPSHOTS    in the guest, under tests/vm/run --truth --insns
 *   verify_path TRUTH SNAPSHOTS [-v]
 *
 * Finds each snapshot's branches in the log (a run of B lines of that CPU), then holds each block
 * of its path against the I lines between the branches that enclose it. Prints counts; exit
 * status 1 if a block is wrong or a snapshot is not in the log, 2 on errors.
 */
#include <errno.h>
#include <inttypes.h>
#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "snapshot/branch.h"
#include "truth.h"

#define NONE UINT32_MAX

/* Branches of one CPU by hash; chains run from newer to older. */
struct branch_index {
	uint32_t *event; /* n-th branch → event */
	uint32_t *older; /* n-th branch → next one of its chain */
	uint32_t *head;
	uint32_t count;
	uint32_t mask;
};

struct totals {
	uint64_t snapshots, without_path, not_found, cut;
	uint64_t blocks, insns, gaps, user, wrong, decisions;
};

struct verifier {
	struct truth truth;
	struct branch_index index[TRUTH_CPUS_MAX];
	struct totals totals;
	uint64_t *executed; /* of one block, in the log */
	size_t executed_cap;
	bool verbose;
};

static uint32_t hash(const struct branch_index *ix, uint64_t from, uint64_t to)
{
	uint64_t h = (from * 0x9e3779b97f4a7c15ULL) ^ (to * 0xc2b2ae3d27d4eb4fULL);

	return (uint32_t)(h >> 32) & ix->mask;
}

static int index_branches(const struct truth_cpu *cpu, struct branch_index *ix)
{
	uint32_t buckets = 1;

	for (size_t i = 0; i < cpu->count; i++)
		ix->count += cpu->events[i].kind == 'B';
	while (buckets < ix->count)
		buckets *= 2;
	ix->mask = buckets - 1;
	ix->event = malloc((ix->count + 1) * sizeof(uint32_t));
	ix->older = malloc((ix->count + 1) * sizeof(uint32_t));
	ix->head = malloc(buckets * sizeof(uint32_t));
	if (!ix->event || !ix->older || !ix->head)
		return -ENOMEM;
	memset(ix->head, 0xff, buckets * sizeof(uint32_t));
	ix->count = 0;
	for (size_t i = 0; i < cpu->count; i++) {
		const struct truth_event *ev = &cpu->events[i];
		uint32_t *head;

		if (ev->kind != 'B')
			continue;
		head = &ix->head[hash(ix, ev->addr, ev->to)];
		ix->event[ix->count] = (uint32_t)i;
		ix->older[ix->count] = *head;
		*head = ix->count++;
	}
	return 0;
}

static uint64_t get_address(const json_t *obj, const char *key)
{
	const char *text = json_string_value(json_object_get(obj, key));

	return text ? strtoull(text, NULL, 0) : 0;
}

/* Does the run of branches that ends with the log's n-th one equal @branches? */
static bool run_matches(const struct truth_cpu *cpu, const struct branch_index *ix, uint32_t n,
			const struct branch *branches, uint32_t count)
{
	if (n + 1 < count)
		return false;
	for (uint32_t i = 0; i < count; i++) {
		const struct truth_event *ev = &cpu->events[ix->event[n + 1 - count + i]];

		if (ev->addr != branches[i].from || ev->to != branches[i].to)
			return false;
	}
	return true;
}

/* One snapshot placed in the log. */
struct placed {
	const struct truth_cpu *cpu;
	const struct branch_index *ix;
	uint32_t first; /* the log's number of its oldest branch */
	uint32_t count;
	bool hw;
};

static size_t event_of(const struct placed *p, uint32_t branch)
{
	return p->ix->event[p->first + branch];
}

/* First event from @i on that is no instruction. */
static size_t next_other(const struct truth_cpu *cpu, size_t i)
{
	while (i < cpu->count && cpu->events[i].kind == 'I')
		i++;
	return i;
}

static bool same(const json_t *insns, const uint64_t *want)
{
	for (size_t i = 0; i < json_array_size(insns); i++) {
		if (get_address(json_array_get(insns, i), "addr") != want[i])
			return false;
	}
	return true;
}

static const char *check_block(struct verifier *v, const struct placed *p, const json_t *block,
			       uint32_t entry, bool after_off)
{
	const json_t *insns = json_object_get(block, "insns");
	const json_t *branch = json_object_get(block, "branch");
	const char *ends = json_string_value(json_object_get(block, "ends"));
	size_t count = json_array_size(insns), first = event_of(p, entry) + 1, end, n, stopped;

	end = json_is_integer(branch) ? event_of(p, (uint32_t)json_integer_value(branch))
				      : next_other(p->cpu, first);
	if (end - first > v->executed_cap) {
		v->executed_cap = end - first;
		v->executed = realloc(v->executed, v->executed_cap * sizeof(uint64_t));
		if (!v->executed)
			exit(2);
	}
	n = truth_executed(p->cpu, first, end, v->executed, &stopped);
	if (!ends || !json_is_array(insns))
		return "no instructions printed";
	if (!strcmp(ends, "lbr-off"))
		return count > n || !same(insns, v->executed) ? "before LBR off" : NULL;
	if (after_off)
		return count > n || !same(insns, v->executed + n - count) ? "after LBR off" : NULL;
	if (!strcmp(ends, "trigger") && !p->hw)
		return count > n || !same(insns, v->executed) ? "before the trigger" : NULL;
	if (!strcmp(ends, "trigger") && (end >= p->cpu->count || p->cpu->events[end].kind != 'Z'))
		return "the breakpoint did not stop the LBR here";
	if (stopped != SIZE_MAX && stopped < n)
		return "recording stopped within";
	return count != n || !same(insns, v->executed) ? "instructions differ" : NULL;
}

/* Return: number of wrong blocks. */
static uint32_t check_path(struct verifier *v, const struct placed *p, const json_t *path,
			   struct totals *t, bool say)
{
	uint32_t entry = 0, wrong = 0;
	bool after_off = false;
	const json_t *block;
	size_t i;

	json_array_foreach((json_t *)path, i, block)
	{
		const json_t *branch = json_object_get(block, "branch");
		const char *gap = json_string_value(json_object_get(block, "gap"));
		const char *ends = json_string_value(json_object_get(block, "ends"));
		const char *why = NULL;

		if (gap && !strcmp(gap, "user space"))
			t->user++;
		else if (gap)
			t->gaps++;
		else
			why = check_block(v, p, block, entry, after_off);
		t->blocks += !gap;
		t->insns += json_array_size(json_object_get(block, "insns"));
		t->decisions += json_array_size(json_object_get(block, "decisions"));
		wrong += why != NULL;
		if (why && say)
			printf("wrong: %s: block %s of %s\n", why,
			       json_string_value(json_object_get(block, "start")),
			       json_string_value(json_object_get(block, "function")));
		else if (gap && say && v->verbose && strcmp(gap, "user space"))
			printf("gap: %s: at %s\n", gap,
			       json_string_value(json_object_get(block, "start")));
		if (ends && !strcmp(ends, "lbr-off"))
			after_off = true;
		else if (json_is_integer(branch) && json_integer_value(branch) < p->count) {
			entry = (uint32_t)json_integer_value(branch);
			after_off = false;
		}
	}
	return wrong;
}

static uint32_t read_branches(const json_t *snap, struct branch *branches)
{
	const json_t *array = json_object_get(snap, "branches"), *br;
	uint32_t count = 0;
	size_t i;

	json_array_foreach((json_t *)array, i, br)
	{
		if (count == BRANCHES_MAX)
			break;
		branches[count++] = (struct branch){
			.from = get_address(json_object_get(br, "from"), "addr"),
			.to = get_address(json_object_get(br, "to"), "addr"),
		};
	}
	return count;
}

static void verify_snapshot(struct verifier *v, const json_t *snap)
{
	const json_t *path = json_object_get(snap, "path");
	const char *kind =
		json_string_value(json_object_get(json_object_get(snap, "trigger"), "kind"));
	uint64_t cpu = (uint64_t)json_integer_value(json_object_get(snap, "cpu"));
	struct branch branches[BRANCHES_MAX];
	uint32_t count = read_branches(snap, branches), fewest = NONE;
	struct placed p = {.count = count, .hw = kind && !strcmp(kind, "hw")}, best = {0};

	v->totals.snapshots++;
	if (!json_is_array(path)) {
		v->totals.without_path++;
		return;
	}
	if (cpu >= TRUTH_CPUS_MAX || !count || !v->index[cpu].count) {
		v->totals.not_found++;
		return;
	}
	p.cpu = &v->truth.cpus[cpu];
	p.ix = &v->index[cpu];
	/* The same run may be logged more than once: the one that fits best is meant. */
	for (uint32_t n = p.ix->head[hash(p.ix, branches[count - 1].from, branches[count - 1].to)];
	     n != NONE && fewest; n = p.ix->older[n]) {
		struct totals ignored = {0};
		uint32_t wrong;

		if (!run_matches(p.cpu, p.ix, n, branches, count))
			continue;
		p.first = n + 1 - count;
		wrong = check_path(v, &p, path, &ignored, false);
		if (wrong < fewest) {
			fewest = wrong;
			best = p;
		}
	}
	if (fewest == NONE) {
		v->totals.not_found++;
		return;
	}
	v->totals.wrong += check_path(v, &best, path, &v->totals, true);
}

static int verify_file(struct verifier *v, const char *file)
{
	FILE *f = fopen(file, "r");
	char *line = NULL;
	size_t size = 0;

	if (!f)
		return -errno;
	while (getline(&line, &size, f) > 0) {
		json_error_t error;
		json_t *snap = json_loads(line, 0, &error);

		if (!snap) {
			fprintf(stderr, "verify_path: %s: %s\n", file, error.text);
			free(line);
			fclose(f);
			return -EINVAL;
		}
		verify_snapshot(v, snap);
		json_decref(snap);
	}
	free(line);
	fclose(f);
	return 0;
}

static void print_totals(const struct totals *t)
{
	printf("%" PRIu64 " snapshots: %" PRIu64 " not in the log, %" PRIu64 " without a path\n",
	       t->snapshots, t->not_found, t->without_path);
	printf("%" PRIu64 " blocks, %" PRIu64 " instructions, %" PRIu64 " decisions: %" PRIu64
	       " wrong, %" PRIu64 " gaps (%.3f %%), %" PRIu64 " stays in user space\n",
	       t->blocks, t->insns, t->decisions, t->wrong, t->gaps,
	       t->blocks + t->gaps ? 100.0 * (double)t->gaps / (double)(t->blocks + t->gaps) : 0.0,
	       t->user);
}

int main(int argc, char **argv)
{
	struct verifier v = {0};
	size_t skipped;
	int err;

	if (argc < 3) {
		fprintf(stderr, "usage: verify_path TRUTH SNAPSHOTS [-v]\n");
		return 2;
	}
	v.verbose = argc > 3 && !strcmp(argv[3], "-v");
	err = truth_load(argv[1], &v.truth, &skipped);
	for (int i = 0; i < TRUTH_CPUS_MAX && !err; i++) {
		if (v.truth.cpus[i].count)
			err = index_branches(&v.truth.cpus[i], &v.index[i]);
	}
	if (!err)
		err = verify_file(&v, argv[2]);
	if (err) {
		fprintf(stderr, "verify_path: %s\n", strerror(-err));
		return 2;
	}
	print_totals(&v.totals);
	for (int i = 0; i < TRUTH_CPUS_MAX; i++) {
		free(v.index[i].event);
		free(v.index[i].older);
		free(v.index[i].head);
	}
	truth_free(&v.truth);
	free(v.executed);
	return v.totals.wrong || v.totals.not_found || !v.totals.snapshots;
}
