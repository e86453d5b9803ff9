// SPDX-License-Identifier: GPL-2.0
/*
 * verify_path - paths that lbrsnoop printed in a guest, against what the emulator executed
 *
 *	lbrsnoop --json --insns ... > SNAPSHOTS    in the guest, under tests/vm/run --truth --insns
 *	tests/vm/truth_tail DEPTH LOG STOPS        while it runs
 *	verify_path STOPS SNAPSHOTS [-v]
 *
 * Finds the stop of the LBR whose last branches are the snapshot's, and holds the whole path
 * against the instructions logged there: each branch has its block, in order, up to where the
 * trigger took over, and each block the instructions that ran, and a decision for each conditional
 * branch among them. A snapshot has all branches that the log has, or those since a stop: only
 *while it is off Linux clears the LBR. Snapshots come in the order of their times, and no two of a
 *CPU show one stop. A counter's overflow stops the LBR, and the log with it, before its interrupt
 *comes: such a path has a gap there, and before it what is in the log, or straight ahead of that.
 *Prints counts; exit status 1 if a block is wrong or a snapshot's branches are
 *not in the log, 2 on errors.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "path/path.h"
#include "snapshot/branch.h"
#include "truth.h"

#define NONE	      UINT32_MAX
#define FUNCTIONS_MAX 256
#define GAPS_MAX      16
#define NEWEST	      8 /* branches that a stop is found by */

/* A line of the file of stops. */
struct stop {
	const char *text; /* behind "CPU REASON" */
	size_t len;
	uint32_t newer; /* next of its chain */
	uint32_t hash;	/* of its NEWEST newest branches; 0 if it has fewer */
	uint8_t cpu;
	char reason; /* the first letter: debug exception, off, PMU */
};

struct stops {
	struct stop *all;
	size_t count;
	uint32_t *head;
	uint32_t mask;
	char *text;
	size_t size;
};

/* Things that occur, and how often. */
struct tally {
	const char *name;
	uint64_t count;
};

struct totals {
	uint64_t snapshots, with_path, without_path, not_found, by_breakpoint, with_gap,
		with_interrupt;
	uint64_t blocks, insns, gaps, overflows, user, wrong, decisions, errors;
};

struct verifier {
	struct stops stops;
	struct totals totals;
	struct tally functions[FUNCTIONS_MAX];
	struct tally gaps[GAPS_MAX];
	struct truth_cpu log;	       /* of the stop at hand */
	uint32_t at[BRANCHES_MAX * 2]; /* its branches, as indices into log.events */
	uint32_t branches;
	uint32_t next[TRUTH_CPUS_MAX]; /* first stop that a CPU's next snapshot may show */
	uint64_t *executed;	       /* of one block */
	size_t executed_cap;
	bool verbose;
};

/* Where a path goes on to, behind its last branch that is not the capture's own. */
enum goes_on {
	GOES_NOWHERE, /* into the tracer, by this branch */
	GOES_TO_TRIGGER,
	GOES_TO_TRACER,	   /* to the branch into it, from the code of a tracepoint */
	GOES_TO_INTERRUPT, /* a counter's, some instructions after the LBR was stopped */
};

/* One snapshot and the stop that it may show. */
struct placed {
	const struct stop *stop;
	uint32_t first; /* of v->at: its oldest branch */
	uint32_t count;
	uint32_t useful; /* that are not the capture's own */
	char reason;	 /* of a stop for this kind of trigger */
	enum goes_on goes_on;
	bool hw;
	uint64_t ip; /* of the trigger */
};

static uint32_t mix(uint32_t hash, uint64_t from, uint64_t to)
{
	uint64_t h = (from + hash) * 0x9e3779b97f4a7c15ULL;

	h = (h ^ to) * 0xc2b2ae3d27d4eb4fULL;
	return (uint32_t)(h >> 32) | 1;
}

static uint64_t hex(const char **at)
{
	uint64_t value = 0;
	const char *p = *at;

	for (; (*p >= '0' && *p <= '9') || (*p >= 'a' && *p <= 'f'); p++)
		value = value << 4 | (uint64_t)(*p <= '9' ? *p - '0' : *p - 'a' + 10);
	*at = p;
	return value;
}

/* From the newest branch back. */
static uint32_t hash_stop(const struct stop *stop)
{
	uint32_t h = 0, n = 0;

	for (size_t i = stop->len; i > 1 && n < NEWEST; i--) {
		const char *at = stop->text + i + 1; /* behind the comma */
		uint64_t from;

		if (stop->text[i - 1] != 'B')
			continue;
		from = hex(&at);
		at++;
		h = mix(h, from, hex(&at));
		n++;
	}
	return n < NEWEST ? 0 : h;
}

static uint32_t hash_branches(const struct branch *branches, uint32_t count)
{
	uint32_t h = 0;

	for (uint32_t n = 0; n < NEWEST && count >= NEWEST; n++)
		h = mix(h, branches[count - 1 - n].from, branches[count - 1 - n].to);
	return h;
}

static int map_file(const char *path, struct stops *s)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct stat st;

	if (fd < 0)
		return -errno;
	if (fstat(fd, &st)) {
		close(fd);
		return -EIO;
	}
	s->size = (size_t)st.st_size;
	/* One byte more than the file has: so that there is a NUL behind it. */
	s->text = mmap(NULL, s->size + 1, PROT_READ, MAP_PRIVATE, fd, 0);
	close(fd);
	return s->text == MAP_FAILED ? -ENOMEM : 0;
}

static int load_stops(const char *path, struct stops *s)
{
	size_t cap = 0;
	int err = map_file(path, s);

	if (err)
		return err;
	for (const char *at = s->text, *nl; (nl = memchr(at, '\n', s->size - (at - s->text)));
	     at = nl + 1) {
		struct stop stop = {.newer = NONE};
		char *rest;

		if (s->count == cap) {
			cap = cap ? cap * 2 : 1024;
			s->all = realloc(s->all, cap * sizeof(*s->all));
			if (!s->all)
				return -ENOMEM;
		}
		stop.cpu = (uint8_t)strtoul(at, &rest, 10);
		stop.reason = rest[*rest == ' '];
		stop.text = rest + 1 + strcspn(rest + 1, " \n");
		stop.len = (size_t)(nl - stop.text);
		stop.hash = hash_stop(&stop);
		s->all[s->count++] = stop;
	}
	for (s->mask = 1; s->mask < s->count; s->mask *= 2)
		;
	s->head = malloc(s->mask * sizeof(*s->head));
	if (!s->head)
		return -ENOMEM;
	memset(s->head, 0xff, s->mask * sizeof(*s->head));
	s->mask--;
	for (uint32_t i = (uint32_t)s->count; i-- > 0;) {
		uint32_t *head = &s->head[s->all[i].hash & s->mask];

		s->all[i].newer = *head;
		*head = i;
	}
	return 0;
}

/* Parse a stop into v->log and v->at. */
static int take_stop(struct verifier *v, const struct stop *stop)
{
	const char *at = stop->text, *end = at + stop->len;

	v->log.count = 0;
	v->branches = 0;
	while (at < end) {
		struct truth_event ev = {.kind = at[1]};

		at += 2;
		if (ev.kind != 'Z') {
			at++;
			ev.addr = hex(&at);
		}
		if (ev.kind == 'B') {
			at++;
			ev.to = hex(&at);
			ev.irq = at[1] == 'i';
			at += 1 + strcspn(at + 1, ",");
			ev.mispred = at[1] == 'M';
			at += 1 + strcspn(at + 1, ",");
			ev.cycles = (uint32_t)strtoul(at + 1, NULL, 10);
			at += strcspn(at, " \n");
			if (v->branches < sizeof(v->at) / sizeof(v->at[0]))
				v->at[v->branches++] = (uint32_t)v->log.count;
		}
		if (truth_append(&v->log, &ev))
			return -ENOMEM;
	}
	return 0;
}

static uint64_t get_address(const json_t *obj, const char *key)
{
	const char *text = json_string_value(json_object_get(obj, key));

	return text ? strtoull(text, NULL, 0) : 0;
}

static bool same(const json_t *insns, const uint64_t *want)
{
	for (size_t i = 0; i < json_array_size(insns); i++) {
		if (get_address(json_array_get(insns, i), "addr") != want[i])
			return false;
	}
	return true;
}

/* Index into the log of a branch of the snapshot; of one too many, where the log ends. */
static size_t event_of(const struct verifier *v, const struct placed *p, uint32_t branch)
{
	return p->first + branch < v->branches ? v->at[p->first + branch] : v->log.count;
}

static bool is_branch(const char *text)
{
	static const char *const others[] = {"call", "ret", "iret",   "loop",
					     "int",  "sys", "notrack"};

	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		if (text && !strncmp(text, others[i], strlen(others[i])))
			return true;
	return !text || text[0] == 'j';
}

/* The end of a path, up to a counter's interrupt. The log of what @ran ends with the overflow; what
 * comes behind it is certain only as long as the code does not branch. */
static const char *check_overflow(const json_t *insns, const uint64_t *ran, size_t ran_count)
{
	for (size_t i = 0; i < json_array_size(insns); i++) {
		const json_t *insn = json_array_get(insns, i);

		if (i < ran_count && get_address(insn, "addr") != ran[i])
			return "before the overflow";
		if (is_branch(json_string_value(json_object_get(insn, "text"))))
			return "a branch, and the LBR may have been off";
	}
	return NULL;
}

static const char *check_block(struct verifier *v, const struct placed *p, const json_t *block,
			       uint32_t entry, bool after_off)
{
	const json_t *insns = json_object_get(block, "insns");
	const json_t *branch = json_object_get(block, "branch");
	const char *ends = json_string_value(json_object_get(block, "ends"));
	size_t count = json_array_size(insns), first = event_of(v, p, entry) + 1, end, n, stopped;

	if (!ends || !json_is_array(insns))
		return "no instructions printed";
	/* Without a branch of its own it ends where the LBR stopped, or where the capture began. */
	end = event_of(v, p,
		       json_is_integer(branch) ? (uint32_t)json_integer_value(branch) : entry + 1);
	if (end < first)
		return "its branches are not in order";
	if (end - first > v->executed_cap) {
		v->executed_cap = end - first;
		v->executed = realloc(v->executed, v->executed_cap * sizeof(uint64_t));
		if (!v->executed)
			exit(2);
	}
	n = truth_executed(&v->log, first, end, v->executed, &stopped);
	if (!strcmp(ends, "lbr-off") && p->goes_on == GOES_TO_INTERRUPT && entry + 1 == p->useful &&
	    stopped == SIZE_MAX)
		return check_overflow(insns, v->executed, n);
	if (!strcmp(ends, "lbr-off"))
		return count != stopped || !same(insns, v->executed) ? "before LBR off" : NULL;
	if (after_off)
		return stopped == SIZE_MAX || count > n - stopped ||
				       !same(insns, v->executed + n - count)
			       ? "after LBR off"
			       : NULL;
	/* All but the instruction, or the breakpoint in its place, that goes to the tracer. */
	if (!strcmp(ends, "trigger") && !p->hw && n == count + 1 && end < v->log.count &&
	    v->executed[count] == v->log.events[end].addr)
		n = count;
	if (!strcmp(ends, "trigger") && p->hw && end != v->log.count)
		return "the breakpoint did not stop the LBR here";
	if (stopped != SIZE_MAX && stopped < n)
		return "recording stopped within";
	return count != n || !same(insns, v->executed) ? "instructions differ" : NULL;
}

static void count_name(struct tally *tally, size_t max, const char *name)
{
	for (size_t i = 0; i < max; i++) {
		if (tally[i].name && strcmp(tally[i].name, name) != 0)
			continue;
		if (!tally[i].name)
			tally[i].name = strdup(name);
		tally[i].count++;
		return;
	}
}

static bool is_gap(const json_t *block, enum path_gap gap)
{
	const char *reason = json_string_value(json_object_get(block, "gap"));

	return reason && !strcmp(reason, path_gap_text(gap));
}

static void note_gap(struct verifier *v, struct totals *t, const json_t *block, bool say)
{
	const char *gap = json_string_value(json_object_get(block, "gap"));

	if (is_gap(block, PATH_GAP_USER)) {
		t->user++;
		return;
	}
	if (is_gap(block, PATH_GAP_OVERFLOW)) {
		t->overflows++;
		return;
	}
	t->gaps++;
	if (!say)
		return;
	count_name(v->gaps, GAPS_MAX, gap);
	if (v->verbose)
		printf("gap: %s: %s (%s) to %s\n", gap,
		       json_string_value(json_object_get(block, "start")),
		       json_string_value(json_object_get(block, "function")),
		       json_string_value(json_object_get(block, "end")));
}

static bool is_kernel(uint64_t addr)
{
	return addr >> 63;
}

/* Was the program in user space from one branch to another? @next: NONE, to the end */
static bool in_user_space(const struct verifier *v, const struct placed *p, uint32_t entry,
			  uint32_t next)
{
	uint32_t last = next == NONE ? p->count - 1 : next;

	for (uint32_t i = entry; i <= last && i < p->count; i++) {
		const struct truth_event *ev = &v->log.events[event_of(v, p, i)];

		if ((i > entry && is_kernel(ev->addr)) || (i != next && is_kernel(ev->to)))
			return false;
	}
	return true;
}

/* What is wrong with the block's place in the path; NULL if nothing. */
static const char *check_place(const struct verifier *v, const struct placed *p,
			       const json_t *block, uint32_t entry)
{
	const json_t *branch = json_object_get(block, "branch");
	uint32_t next = json_is_integer(branch) ? (uint32_t)json_integer_value(branch) : NONE;
	bool user = is_gap(block, PATH_GAP_USER);

	if (user && !in_user_space(v, p, entry, next))
		return "the kernel was at work";
	if (is_gap(block, PATH_GAP_OVERFLOW) &&
	    (p->goes_on != GOES_TO_INTERRUPT || entry + 1 != p->useful || next != NONE))
		return "no counter overflowed here";
	/* A stay in user space is one gap, however many branches. */
	return next == NONE || next == entry + 1 || (user && next > entry)
		       ? NULL
		       : "a branch has no block";
}

static bool is_conditional(const char *text)
{
	return text &&
	       ((text[0] == 'j' && strncmp(text, "jmp", 3) != 0) || !strncmp(text, "loop", 4));
}

/* A decision for each conditional branch, in order: taken is the one that ends the block, by the
 * log. */
static const char *check_decisions(const struct verifier *v, const struct placed *p,
				   const json_t *block)
{
	const json_t *insns = json_object_get(block, "insns"), *insn;
	const json_t *decisions = json_object_get(block, "decisions");
	const json_t *branch = json_object_get(block, "branch");
	const struct truth_event *left = NULL;
	size_t i, n = 0;

	if (json_is_integer(branch) &&
	    p->first + (uint32_t)json_integer_value(branch) < v->branches)
		left = &v->log.events[event_of(v, p, (uint32_t)json_integer_value(branch))];
	json_array_foreach((json_t *)insns, i, insn)
	{
		const json_t *decision = json_array_get(decisions, n);
		uint64_t addr = get_address(insn, "addr");
		bool taken = left && !left->irq && left->addr == addr;

		if (!is_conditional(json_string_value(json_object_get(insn, "text"))))
			continue;
		n++;
		if (get_address(decision, "addr") != addr)
			return "a conditional branch has no decision";
		if (json_is_true(json_object_get(decision, "taken")) != taken)
			return taken ? "this was taken" : "this was not taken";
		if (taken && get_address(decision, "target") != left->to)
			return "the branch that was taken leads elsewhere";
	}
	return n == json_array_size(decisions) ? NULL : "a decision has no conditional branch";
}

/* Where the interrupt came, behind the gap from the overflow to there; of user space the gap alone.
 */
static const char *check_interrupt(const struct placed *p, const json_t *path)
{
	size_t count = json_array_size(path), place = is_kernel(p->ip);
	const json_t *last = json_array_get(path, count - 1);
	const char *ends = json_string_value(json_object_get(last, "ends"));

	if (!place && is_gap(last, PATH_GAP_USER))
		return NULL;
	if (count <= place || !is_gap(json_array_get(path, count - 1 - place), PATH_GAP_OVERFLOW))
		return "no gap between the overflow and its interrupt";
	return place && (!ends || strcmp(ends, "trigger") != 0 ||
			 get_address(last, "start") != p->ip ||
			 json_array_size(json_object_get(last, "insns")) ||
			 json_array_size(json_object_get(last, "decisions")))
		       ? "the path does not end where the interrupt came"
		       : NULL;
}

/* Does the path end where the program got to? */
static const char *check_end(const struct placed *p, const json_t *path, uint32_t entry)
{
	const json_t *last = json_array_get(path, json_array_size(path) - 1);
	const char *ends = json_string_value(json_object_get(last, "ends"));

	if (entry + 1 < p->useful)
		return "the newest branches have no block";
	if (p->goes_on == GOES_TO_INTERRUPT)
		return check_interrupt(p, path);
	if (json_is_string(json_object_get(last, "gap")))
		return NULL;
	if (p->goes_on == GOES_TO_TRIGGER && (!ends || strcmp(ends, "trigger") != 0))
		return "the path does not reach the trigger";
	if (p->goes_on == GOES_TO_TRACER && p->useful < p->count && entry != p->useful)
		return "the path does not reach the tracer";
	return NULL;
}

static void say_wrong(const json_t *block, const char *why)
{
	printf("wrong: %s: block %s of %s\n", why,
	       json_string_value(json_object_get(block, "start")),
	       json_string_value(json_object_get(block, "function")));
}

/* Return: number of wrong blocks. */
static uint32_t check_path(struct verifier *v, const struct placed *p, const json_t *path,
			   struct totals *t, bool say)
{
	uint32_t entry = 0, wrong = 0;
	bool after_off = false, after_overflow = false;
	const json_t *block;
	const char *why;
	size_t i;

	json_array_foreach((json_t *)path, i, block)
	{
		const json_t *branch = json_object_get(block, "branch");
		const char *gap = json_string_value(json_object_get(block, "gap"));
		const char *ends = json_string_value(json_object_get(block, "ends"));

		why = check_place(v, p, block, entry);
		if (gap)
			note_gap(v, t, block, say);
		else if (!after_overflow) /* else it has no instructions: check_interrupt() */
			why = why ?: check_block(v, p, block, entry, after_off);
		after_overflow = is_gap(block, PATH_GAP_OVERFLOW);
		why = why ?: check_decisions(v, p, block);
		t->blocks += !gap;
		t->insns += json_array_size(json_object_get(block, "insns"));
		t->decisions += json_array_size(json_object_get(block, "decisions"));
		wrong += why != NULL;
		if (why && say)
			say_wrong(block, why);
		if (ends && !strcmp(ends, "lbr-off"))
			after_off = true;
		else if (json_is_integer(branch)) {
			entry = (uint32_t)json_integer_value(branch);
			after_off = false;
		}
	}
	why = json_is_array(path) ? check_end(p, path, entry) : NULL;
	if (why && say)
		say_wrong(json_array_get(path, json_array_size(path) - 1), why);
	return wrong + (why != NULL);
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
			.mispred =
				json_is_true(json_object_get(br, "mispred")) ? TRI_SET : TRI_CLEAR,
			.cycles = (int32_t)json_integer_value(json_object_get(br, "cycles")),
		};
	}
	return count;
}

/* Was recording stopped right before this event, with no branch in between? */
static bool stopped_before(const struct verifier *v, size_t event)
{
	while (event-- > 0) {
		if (v->log.events[event].kind == 'Z')
			return true;
		if (v->log.events[event].kind == 'B')
			return false;
	}
	return false;
}

/*
 * Are the stop's newest branches @branches, and all that the LBR then held? Then its log is in
 * v->log.
 */
static bool stop_matches(struct verifier *v, const struct stop *stop, const struct branch *branches,
			 uint32_t count)
{
	if (take_stop(v, stop) || v->branches < count)
		return false;
	for (uint32_t i = 0; i < count; i++) {
		const struct truth_event *ev = &v->log.events[v->at[v->branches - count + i]];

		if (ev->addr != branches[i].from || ev->to != branches[i].to ||
		    ev->mispred != (branches[i].mispred == TRI_SET) ||
		    ev->cycles != (uint32_t)branches[i].cycles)
			return false;
	}
	return v->branches == count || stopped_before(v, v->at[v->branches - count]);
}

/* Does an interrupt or exception arrive in the path, or end? */
static bool interrupt_within(const json_t *path)
{
	const json_t *block, *last;
	size_t i;

	json_array_foreach((json_t *)path, i, block)
	{
		const char *ends = json_string_value(json_object_get(block, "ends")), *text;
		const json_t *insns = json_object_get(block, "insns");

		last = json_array_get(insns, json_array_size(insns) - 1);
		text = json_string_value(json_object_get(last, "text"));
		if ((ends && !strcmp(ends, "interrupt")) || (text && !strncmp(text, "iret", 4)))
			return true;
	}
	return false;
}

/* The next stop that a snapshot of so many branches may show: by a hash of the newest, if they are
 * enough. */
static uint32_t next_stop(const struct verifier *v, uint32_t count, uint32_t n)
{
	if (count >= NEWEST)
		return v->stops.all[n].newer;
	return n + 1 < v->stops.count ? n + 1 : NONE;
}

static void judge(struct verifier *v, struct placed *p, const struct branch *branches,
		  const json_t *snap, const json_t *path)
{
	uint64_t cpu = (uint64_t)json_integer_value(json_object_get(snap, "cpu")) % TRUTH_CPUS_MAX;
	uint32_t hash = hash_branches(branches, p->count), fewest = NONE;
	const struct stop *best = NULL;
	struct totals before;

	/* The same run may be logged more than once: the first one that fits best is meant. */
	for (uint32_t n = p->count < NEWEST ? 0 : v->stops.head[hash & v->stops.mask];
	     n != NONE && n < v->stops.count && fewest; n = next_stop(v, p->count, n)) {
		struct totals ignored = {0};
		uint32_t wrong;

		p->stop = &v->stops.all[n];
		if (n < v->next[cpu] || (hash && p->stop->hash != hash) || p->stop->cpu != cpu ||
		    p->stop->reason != p->reason || !stop_matches(v, p->stop, branches, p->count))
			continue;
		p->first = v->branches - p->count;
		wrong = check_path(v, p, path, &ignored, false);
		if (wrong < fewest) {
			fewest = wrong;
			best = p->stop;
		}
	}
	if (!best) {
		v->totals.not_found++;
		return;
	}
	p->stop = best;
	v->next[cpu] = (uint32_t)(best - v->stops.all) + 1;
	stop_matches(v, best, branches, p->count);
	p->first = v->branches - p->count;
	before = v->totals;
	v->totals.wrong += check_path(v, p, path, &v->totals, true);
	v->totals.with_gap += v->totals.gaps > before.gaps;
	v->totals.with_interrupt += interrupt_within(path);
}

/* First letter of what stops the LBR for a trigger. */
static char reason_of(const char *kind)
{
	if (kind && !strcmp(kind, "hw"))
		return 'd';
	return kind && !strcmp(kind, "pmi") ? 'p' : 'o';
}

static enum goes_on goes_on_of(const char *kind)
{
	if (kind && (!strcmp(kind, "hw") || !strcmp(kind, "fentry") || !strcmp(kind, "kprobe")))
		return GOES_TO_TRIGGER;
	if (kind && !strcmp(kind, "pmi"))
		return GOES_TO_INTERRUPT;
	if (kind && (!strcmp(kind, "tracepoint") || !strcmp(kind, "rawtracepoint")))
		return GOES_TO_TRACER;
	return GOES_NOWHERE;
}

static bool in_program_alone(const struct branch *branches, uint32_t count, uint64_t ip)
{
	for (uint32_t i = 0; i < count; i++)
		if (is_kernel(branches[i].from) || is_kernel(branches[i].to))
			return false;
	return !is_kernel(ip);
}

static void verify_snapshot(struct verifier *v, const json_t *snap)
{
	const json_t *path = json_object_get(snap, "path");
	const json_t *trigger = json_object_get(snap, "trigger"),
		     *lbr = json_object_get(snap, "lbr");
	const char *kind = json_string_value(json_object_get(trigger, "kind"));
	const char *function = json_string_value(json_object_get(trigger, "function"));
	struct branch branches[BRANCHES_MAX];
	struct placed p = {.count = read_branches(snap, branches),
			   .hw = kind && !strcmp(kind, "hw"),
			   .reason = reason_of(kind),
			   .goes_on = goes_on_of(kind),
			   .ip = get_address(trigger, "ip")};
	uint32_t wasted = (uint32_t)json_integer_value(json_object_get(lbr, "wasted"));

	v->totals.snapshots++;
	v->totals.by_breakpoint += p.hw;
	v->totals.errors += json_is_string(json_object_get(trigger, "errno"));
	count_name(v->functions, FUNCTIONS_MAX, function ?: "?");
	p.useful = wasted <= p.count ? p.count - wasted : 0;
	/*
	 * The program's own branches alone: its code is not read, and nothing is said.
	 * All entries the capture's own: nothing is said. Whether that is so is asked of the
	 * symbols (executed.py); the branches have to be there all the same.
	 */
	v->totals.with_path += json_array_size(path) > 0;
	if (!json_is_array(path) && p.useful && !in_program_alone(branches, p.count, p.ip))
		v->totals.without_path++;
	if (!p.count)
		v->totals.not_found++;
	else
		judge(v, &p, branches, snap, path);
}

static int verify_file(struct verifier *v, const char *file)
{
	FILE *f = fopen(file, "re");
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

static void print_totals(const struct verifier *v)
{
	const struct totals *t = &v->totals;
	size_t functions = 0;

	while (functions < FUNCTIONS_MAX && v->functions[functions].name)
		functions++;
	for (size_t i = 0; i < GAPS_MAX && v->gaps[i].name; i++)
		printf("gap: %" PRIu64 " times: %s\n", v->gaps[i].count, v->gaps[i].name);
	printf("snapshots %" PRIu64 "\nwith_path %" PRIu64 "\nfunctions %zu\nby_breakpoint %" PRIu64
	       "\nerrors %" PRIu64 "\nnot_in_log %" PRIu64 "\nwithout_path %" PRIu64
	       "\nwith_interrupt %" PRIu64 "\nwith_gap %" PRIu64 "\n",
	       t->snapshots, t->with_path, functions, t->by_breakpoint, t->errors, t->not_found,
	       t->without_path, t->with_interrupt, t->with_gap);
	printf("blocks %" PRIu64 "\ninstructions %" PRIu64 "\ndecisions %" PRIu64 "\ngaps %" PRIu64
	       "\noverflows %" PRIu64 "\nuser %" PRIu64 "\nwrong %" PRIu64 "\n",
	       t->blocks, t->insns, t->decisions, t->gaps, t->overflows, t->user, t->wrong);
}

int main(int argc, char **argv)
{
	static struct verifier v;
	int err;

	if (argc < 3) {
		fprintf(stderr, "usage: verify_path STOPS SNAPSHOTS [-v]\n");
		return 2;
	}
	v.verbose = argc > 3 && !strcmp(argv[3], "-v");
	err = load_stops(argv[1], &v.stops);
	if (!err)
		err = verify_file(&v, argv[2]);
	if (err) {
		fprintf(stderr, "verify_path: %s\n", strerror(-err));
		return 2;
	}
	print_totals(&v);
	return v.totals.wrong || v.totals.not_found || v.totals.without_path || !v.totals.snapshots;
}
