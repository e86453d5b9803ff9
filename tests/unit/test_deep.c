// SPDX-License-Identifier: GPL-2.0
/* src/why/deep: which points get breakpoints, and what comes of it, on a made-up machine */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "../seed.h"
#include "../symbol_table.h"
#include "target/probeable.h"
#include "util/cleanup.h"
#include "why/deep/deep.h"
#include "why/deep/deep_place.h"

/*
 * Some of these cases, from one that SEED says; with FULL=1 all. What the ways are is judged
 * without sanitizers, too: with them each takes eight times as long.
 */
#define CASES (3 * 3 * 4 * 2 * 20)
#ifdef __SANITIZE_ADDRESS__
#define CASES_DRAWN (CASES / 10)
#else
#define CASES_DRAWN (CASES / 5)
#endif

/* Straight code: block N ends with the branch to block N + 1. Functions have ten blocks each. */
#define KERNEL	 0xffffffff81000000ull
#define START(n) (KERNEL + (uint64_t)(n)*0x100)
#define END(n)	 (START(n) + 0x40)
#define ENTRY	 0xffffffff82000000ull
#define SWITCH	 0xffffffff83000000ull
#define SCHED	 0xffffffff81800000ull
#define WAKE	 0xffffffff81900000ull
#define STALE	 0xffffffff84000000ull
/* A call in block N, where it returns to, and the stack pointer there. */
#define CALL_AT(n) (START(n) + 0x18)
#define BEHIND(n)  (CALL_AT(n) + DEEP_CALL_BYTES)
#define SP	   0xffffc90000004000ull
#define BLOCKS	   200
#define ERROR	   END(BLOCKS)
#define BREAKS	   4
#define EVENTS	   64
#define TID	   42
#define FORBIDDEN  50
#define OLDER	   60
#define NEWER	   150
#define LOOP	   100
#define SHARED	   70
#define KPROBES	   1000

/**
 * The machine: what it executes up to the error in each run, the LBR's depth, and what is armed.
 * @other: up to this block each run goes a way of its own, 0: none does
 * @waits: another task runs before this block, 0: never
 * @sleeps: in this block the scheduler is called, and another task runs, 0: never; in a run in
 * which
 *          @awake is true none does. @wakes: in this block another one is woken. What these calls
 * do differs from run to run; they come by block SHARED, too, deeper on the stack
 * @ways: by run, 1: it takes a branch more both at block NEWER and at block OLDER; 0: at neither
 * @pairs: 1: block NEWER stands beside OLDER, within one record
 * @at_the_end: 1: block NEWER is the last one
 * @rounds: by run: how often it goes round block LOOP once more
 * @kprobes: the kernel has them, but in the blocks from @blind to @blind_end, and in @blind_too;
 * and in the function of ten blocks from @untraced on, which has no place for the tracer
 * @handler: 0; or of the function of ten blocks that each kprobe's handling executes, too
 * @plain: of the kprobes, those that are told as points are, without branches; @plain_runs: so many
 * runs had such; @mute: none of these is told
 * @seconds: that a run takes; @slow: this one takes 400 more; @now: so many are over
 * @refused: no breakpoint may stand in the blocks below FORBIDDEN
 * @unwatched: the same from this block on, up to @unwatched_end
 * @calls: this block ends with a call, which has not returned when the error is made; 0: none does
 * @interrupted: in so many runs, the first ones, an interrupt ends one branch before the error
 * @others_pass: other tasks hit kprobes so often in a run; @others_pass_armed: while one more is
 *               armed; @passed: so often in all
 * @told: hits of kprobes in the call
 * @stale: while a kprobe is armed, records of points have what the LBR had before; that of the
 * error has not
 * @passes: the call does not fail, and returns 3
 * @place: a return: of -2 for so often as @failing in a run, then of 0; @returned: in this run
 * @ends: calls that come by so many are told, though they pass; @end: by the first of them
 * @loud: runs whose output is shown
 * @point_hits, @outside: of points in a run, and in no call; 0: as the call makes them
 * @fails: in this run command_run() fails with @error, 0: in none
 * @busy: others use the debug registers
 * @taken: after so many runs they are all in use, once, while a breakpoint at the error is armed
 * @silent: by run: the call is not made
 * @endless: it does not come to its end
 * @ones: 0; or a register that has to hold all ones for an error: behind the error its instruction
 *        is executed once more, with another value; @behind: so often in this run
 * @free: so many debug registers are; @hot: a breakpoint there is hit 60,000 times in a run
 * @losing: a hit of a point in this block is lost, each time; @lost: so many were
 */
static struct {
	struct symbols *symbols;
	uint32_t depth;
	unsigned int other;
	unsigned int waits;
	unsigned int sleeps;
	bool (*awake)(unsigned int run);
	unsigned int wakes;
	uint64_t sp;
	uint32_t switches;
	unsigned int (*ways)(unsigned int run);
	bool pairs;
	bool at_the_end;
	unsigned int (*rounds)(unsigned int run);
	bool kprobes;
	unsigned int blind;
	unsigned int blind_end;
	unsigned int blind_too;
	unsigned int untraced;
	unsigned int handler;
	uint64_t probed[KPROBES];
	size_t probed_count;
	uint64_t plain[BREAKS];
	size_t plain_count;
	size_t most_plain;
	unsigned int plain_runs;
	bool mute;
	unsigned int seconds;
	unsigned int slow;
	unsigned int now;
	bool refused;
	unsigned int unwatched;
	unsigned int unwatched_end;
	unsigned int calls;
	unsigned int interrupted;
	uint64_t others_pass;
	uint64_t others_pass_armed;
	uint64_t passed;
	unsigned int told;
	bool stale;
	bool passes;
	uint64_t place;
	unsigned int failing;
	unsigned int returned;
	size_t ends;
	uint64_t end;
	unsigned int loud;
	uint64_t point_hits;
	uint64_t outside;
	unsigned int fails;
	int error;
	bool busy;
	unsigned int taken;
	bool (*silent)(unsigned int run);
	bool endless;
	uint8_t ones;
	unsigned int behind;
	size_t free;
	uint64_t hot;
	uint64_t hot_hits;
	unsigned int losing;
	uint64_t lost;
	uint64_t armed[BREAKS];
	size_t armed_count;
	bool running;
	unsigned int runs;
	size_t most_armed;
	size_t most_probed;
} machine;

uint32_t __wrap_lbr_depth(void);
uint32_t __wrap_lbr_depth(void)
{
	return machine.depth;
}

bool __wrap_watch_point(struct watch *watch, uint64_t addr);
bool __wrap_watch_point(struct watch *watch, uint64_t addr)
{
	assert_false(machine.running);
	if (machine.armed_count == (machine.free ?: BREAKS) || machine.busy)
		return false;
	if (machine.taken && machine.taken == machine.runs && addr == ERROR) {
		machine.taken = 0;
		return false;
	}
	machine.armed[machine.armed_count++] = addr;
	if (machine.armed_count > machine.most_armed)
		machine.most_armed = machine.armed_count;
	return true;
}

void __wrap_watch_sites_end(struct watch *watch);
void __wrap_watch_sites_end(struct watch *watch)
{
	machine.armed_count = machine.probed_count = machine.plain_count = 0;
}

int __wrap_watch_passes(struct watch *watch, uint64_t addr, uint32_t call_nr);
int __wrap_watch_passes(struct watch *watch, uint64_t addr, uint32_t call_nr)
{
	assert_false(machine.running);
	assert_true(machine.kprobes && machine.probed_count < KPROBES);
	if (addr >= ENTRY || (addr >= START(machine.blind) && addr < START(machine.blind_end)) ||
	    (machine.untraced && addr >= START(machine.untraced) &&
	     addr < START(machine.untraced + 10)) ||
	    (machine.blind_too && addr >= START(machine.blind_too) &&
	     addr <= END(machine.blind_too)))
		return -EINVAL;
	machine.probed[machine.probed_count++] = addr;
	if (machine.probed_count > machine.most_probed)
		machine.most_probed = machine.probed_count;
	machine.passed += machine.others_pass_armed;
	return 0;
}

/* Those of machine.probed that are told as points. */
bool __wrap_watch_point_without_branches(struct watch *watch, uint64_t addr);
bool __wrap_watch_point_without_branches(struct watch *watch, uint64_t addr)
{
	if (__wrap_watch_passes(watch, addr, 0))
		return false;
	machine.plain[machine.plain_count++] = addr;
	if (machine.plain_count > machine.most_plain)
		machine.most_plain = machine.plain_count;
	return true;
}

uint64_t __wrap_watch_point_hits(const struct watch *watch);
uint64_t __wrap_watch_point_hits(const struct watch *watch)
{
	return machine.runs * machine.point_hits + machine.hot_hits;
}

uint64_t __wrap_watch_points_outside(const struct watch *watch);
uint64_t __wrap_watch_points_outside(const struct watch *watch)
{
	return machine.runs ? machine.outside : 0;
}

void __wrap_watch_ends(struct watch *watch, const uint64_t *addrs, size_t count);
void __wrap_watch_ends(struct watch *watch, const uint64_t *addrs, size_t count)
{
	machine.ends = count;
	machine.end = addrs[0];
}

uint64_t __wrap_watch_passed_hits(const struct watch *watch);
uint64_t __wrap_watch_passed_hits(const struct watch *watch)
{
	return machine.passed;
}

uint64_t __wrap_watch_lost(const struct watch *watch);
uint64_t __wrap_watch_lost(const struct watch *watch)
{
	return machine.lost;
}

int __wrap_clock_gettime(clockid_t clock, struct timespec *ret);
int __wrap_clock_gettime(clockid_t clock, struct timespec *ret)
{
	*ret = (struct timespec){.tv_sec = machine.now};
	return 0;
}

void __wrap_watch_calls_quietly(struct watch *watch);
void __wrap_watch_calls_quietly(struct watch *watch)
{
}

int __wrap_probeable_open_forbidden(struct probeable **ret);
int __wrap_probeable_open_forbidden(struct probeable **ret)
{
	*ret = NULL;
	return 0;
}

bool __wrap_probeable_forbidden(const struct probeable *probeable, uint64_t addr);
bool __wrap_probeable_forbidden(const struct probeable *probeable, uint64_t addr)
{
	return addr >= ENTRY || (machine.refused && addr < START(FORBIDDEN)) ||
	       (addr >= START(machine.unwatched) && addr < START(machine.unwatched_end));
}

static unsigned int newer(void)
{
	return machine.at_the_end ? BLOCKS - 1 : machine.pairs ? OLDER + 8 : NEWER;
}

/* Block N ends with a jump to the next; at some a conditional branch can be taken before that. */
static uint8_t byte_at(uint64_t addr)
{
	unsigned int n = (unsigned int)((addr - KERNEL) / 0x100);
	uint64_t in = (addr - KERNEL) % 0x100;
	static const uint8_t jump[] = {0xe9, 0xbb, 0, 0, 0};
	static const uint8_t fentry[] = {0x0f, 0x1f, 0x44, 0, 0};

	if (addr >= KERNEL && n <= BLOCKS && n % 10 == 0 && in < sizeof(fentry) &&
	    !(n && n == machine.untraced))
		return fentry[in];
	if (addr == SCHED + 0x28 || addr == WAKE + 0x28)
		return 0xc3;
	if (n && (n == machine.sleeps || n == machine.wakes) && addr >= CALL_AT(n) &&
	    addr < BEHIND(n)) {
		uint32_t to = (uint32_t)((n == machine.sleeps ? SCHED : WAKE) - BEHIND(n));

		return addr == CALL_AT(n) ? 0xe8 : (uint8_t)(to >> 8 * (addr - CALL_AT(n) - 1));
	}
	if (in == 0x40 && n && n == machine.calls)
		return 0xe8;
	if (in >= 0x40 && in < 0x45)
		return jump[in - 0x40];
	if (n == LOOP && in >= 0x30 && in < 0x32)
		return in == 0x30 ? 0x74 : 0xce; /* to START(n) */
	if ((n == OLDER || n == newer()) && in >= 0x30 && in < 0x32)
		return in == 0x30 ? 0x74 : 0x06; /* to END(n) - 8 */
	return 0xfc;
}

static int read_code(void *ctx, uint64_t addr, void *buf, size_t len)
{
	for (size_t i = 0; i < len; i++)
		((uint8_t *)buf)[i] = byte_at(addr + i);
	return 0;
}

/* In block @n, what the call does that is left out of a path. */
static size_t call_scheduler(unsigned int run, unsigned int n, struct why_branch *to)
{
	uint64_t func = n == machine.sleeps ? SCHED : WAKE;
	bool switches = n == machine.sleeps && !(machine.awake && machine.awake(run));
	size_t count = 0;

	to[count++] = (struct why_branch){CALL_AT(n), func};
	to[count++] = (struct why_branch){func + 4, START(SHARED)};
	to[count++] = (struct why_branch){START(SHARED) + 0x20, func + 8};
	if (switches) {
		to[count++] = (struct why_branch){func + 0xc, SWITCH};
		to[count++] = (struct why_branch){SWITCH + 0x20, SWITCH + 0x40};
		to[count++] = (struct why_branch){SWITCH + 0x60, func + 0x10};
	}
	to[count++] = (struct why_branch){func + 0x14, START(SHARED)};
	to[count++] = (struct why_branch){START(SHARED) + 0x20, func + 0x18};
	for (unsigned int i = run * 7 % 23; i; i--)
		to[count++] = (struct why_branch){func + 0x1c, func + 0x1a};
	to[count++] = (struct why_branch){func + 0x28, BEHIND(n)};
	return count;
}

/* All branches of the call in run number @run, oldest first. */
static size_t execution(unsigned int run, struct why_branch *to)
{
	size_t count = 0;

	to[count++] = (struct why_branch){ENTRY + 0x40, KERNEL};
	for (unsigned int n = 0; n < BLOCKS; n++) {
		if (machine.waits && n == machine.waits) {
			to[count++] = (struct why_branch){END(n) - 8, SWITCH};
			to[count++] = (struct why_branch){SWITCH + 0x20, SWITCH + 0x40};
			to[count++] = (struct why_branch){SWITCH + 0x60, END(n) - 4};
		}
		if (n && (n == machine.sleeps || n == machine.wakes))
			count += call_scheduler(run, n, to + count);
		if (n <= machine.other && n % 2)
			to[count++] = (struct why_branch){END(n) - 0x10, END(n) - 0x80 + run};
		if (machine.ways && machine.ways(run) && (n == newer() || n == OLDER))
			to[count++] = (struct why_branch){END(n) - 0x10, END(n) - 0x8};
		if (machine.rounds && n == LOOP)
			for (unsigned int i = machine.rounds(run); i; i--)
				to[count++] = (struct why_branch){END(n) - 0x10, START(n)};
		if (n == BLOCKS - 1 && run < machine.interrupted)
			to[count++] = (struct why_branch){ENTRY + 0x80, END(n) - 8};
		to[count++] = (struct why_branch){END(n), START(n + 1)};
	}
	return count;
}

static uint64_t next_of(const uint64_t *armed, size_t count, uint64_t low, uint64_t high)
{
	uint64_t best = 0;

	for (size_t i = 0; i < count; i++)
		if (armed[i] >= low && armed[i] <= high && (!best || armed[i] < best))
			best = armed[i];
	return best;
}

/* What is hit next between @low, inclusive, and @high. 0: nothing. */
static uint64_t next_hit(uint64_t low, uint64_t high, bool *ret_kprobe)
{
	uint64_t hw = next_of(machine.armed, machine.armed_count, low, high);
	uint64_t kprobe = next_of(machine.probed, machine.probed_count, low, high);

	*ret_kprobe = kprobe && (!hw || kprobe < hw);
	return *ret_kprobe ? kprobe : hw;
}

/* The handler returns by a branch of its own, which is recorded. */
static void push(struct why_branch *lbr, size_t *count, struct why_branch branch)
{
	memmove(lbr + 1, lbr, (machine.depth - 1) * sizeof(*lbr));
	lbr[0] = branch;
	*count += *count < machine.depth;
}

static void tell_hit(struct probes *probes, uint64_t ip, const struct why_branch *lbr, size_t count)
{
	struct why_point point = {.head = {.kind = WHY_POINT, .tid = TID, .mono_ns = 2},
				  .ip = ip,
				  .call = 1,
				  .count = (uint32_t)count};

	point.head.switches = machine.switches;
	point.regs[PTREG_IP] = ip;
	point.regs[PTREG_SP] = machine.sp;
	if (ip == machine.place)
		point.regs[PTREG_AX] = machine.returned++ < machine.failing ? (uint64_t)-2 : 0;

	if (ip == ERROR && machine.ones)
		point.regs[machine.ones] = machine.behind ? 0xffff : 0xffffffff;
	if (count)
		memcpy(point.branches, lbr, count * sizeof(*lbr));
	if (machine.stale && machine.probed_count && ip != ERROR && ip != machine.place)
		for (size_t i = 0; i < count; i++)
			point.branches[i] = (struct why_branch){STALE, STALE};
	assert_int_equal(probes->on_event(&point.head, probes->on_event_ctx), 0);
}

static bool is_plain(uint64_t addr)
{
	for (size_t i = 0; i < machine.plain_count; i++)
		if (machine.plain[i] == addr)
			return true;
	return false;
}

static void tell_passed(struct probes *probes, uint64_t ip)
{
	const struct why_passed passed = {.head = {.kind = WHY_PASSED,
						   .tid = TID,
						   .mono_ns = 2,
						   .switches = machine.switches},
					  .ip = ip,
					  .call = 1,
					  .regs[PTREG_SP] = machine.sp};

	if (is_plain(ip)) {
		if (!machine.mute)
			tell_hit(probes, ip, NULL, 0);
		return;
	}
	machine.told++;
	assert_int_equal(probes->on_event(&passed.head, probes->on_event_ctx), 0);
}

/* Not by the way that led to the error. */
static void come_by_again(struct probes *probes, struct why_branch *lbr, size_t count)
{
	bool kprobe;

	machine.behind++;
	push(lbr, &count, (struct why_branch){ERROR + 0x10, ERROR - 8});
	if (next_hit(ERROR, ERROR, &kprobe) && !kprobe)
		tell_hit(probes, ERROR, lbr, count);
	else if (kprobe)
		tell_passed(probes, ERROR);
}

/* Behind @branch: the code that is left out is deeper on the stack. */
static void follow_stack(const struct why_branch *branch)
{
	if (branch->to == SCHED || branch->to == WAKE)
		machine.sp -= 0x100;
	else if (branch->from == SCHED + 0x28 || branch->from == WAKE + 0x28)
		machine.sp += 0x100;
	else if (machine.calls && branch->from == END(machine.calls))
		machine.sp -= 8;
	if (branch->to == SWITCH)
		machine.switches++;
}

static void run_call(struct probes *probes)
{
	static struct why_branch all[2 * BLOCKS];
	struct why_branch lbr[RECORD_BRANCHES_MAX] = {};
	size_t total = execution(machine.runs, all), count = 0;

	machine.sp = SP;

	for (size_t i = 0; i < total; i++) {
		bool kprobe;
		uint64_t low, hit, high = i + 1 == total ? ERROR : all[i + 1].from;

		push(lbr, &count, all[i]);
		follow_stack(&all[i]);
		for (low = all[i].to; (hit = next_hit(low, high, &kprobe)); low = hit + 1) {
			if (kprobe)
				tell_passed(probes, hit);
			else if (machine.losing && hit >= START(machine.losing) &&
				 hit <= END(machine.losing))
				machine.lost++;
			else
				tell_hit(probes, hit, lbr, count);
			/* A kprobe's handler has executed the instruction. */
			push(lbr, &count,
			     (struct why_branch){ENTRY + 0x80,
						 hit + (kprobe && byte_at(hit) == 0xfc)});
		}
	}
	if (machine.ones)
		come_by_again(probes, lbr, count);
}

int __wrap_command_run(const struct command *command, struct probes *probes, struct failures *into,
		       bool quiet, command_fn *look, void *look_ctx, int *ret_status,
		       struct errmsg *msg);
int __wrap_command_run(const struct command *command, struct probes *probes, struct failures *into,
		       bool quiet, command_fn *look, void *look_ctx, int *ret_status,
		       struct errmsg *msg)
{
	static struct why_failed failed;

	assert_true(machine.armed_count + machine.probed_count > 0);
	for (size_t i = 0; machine.handler && machine.probed_count &&
			   i < machine.armed_count + machine.probed_count;
	     i++) {
		uint64_t addr = i < machine.armed_count ? machine.armed[i]
							: machine.probed[i - machine.armed_count];

		assert_true(addr < START(machine.handler) || addr >= START(machine.handler + 10));
	}
	machine.running = true;
	machine.runs++;
	machine.loud += !quiet;
	machine.plain_runs += machine.plain_count > 0;
	machine.returned = machine.behind = 0;
	machine.now += machine.seconds + (machine.runs == machine.slow ? 400 : 0);
	if (machine.probed_count)
		machine.passed += machine.others_pass;
	for (size_t i = 0; i < machine.armed_count; i++)
		machine.hot_hits += machine.armed[i] == machine.hot ? 60000 : 0;
	assert_int_equal(look(look_ctx), 0);
	*ret_status = 1 << 8;
	if (machine.fails == machine.runs) {
		machine.running = false;
		return errmsg_set(msg, machine.error, "cannot run x");
	}
	if (machine.silent && machine.silent(machine.runs)) {
		machine.running = false;
		return 0;
	}
	run_call(probes);
	machine.running = false;
	if (machine.endless)
		return 0;
	failed = (struct why_failed){
		.head = {.kind = WHY_FAILED, .tid = TID, .mono_ns = 3, .seq = machine.runs},
		.begin_ns = 1,
		.result = machine.passes ? 3 : -2,
		.err = machine.passes ? 0 : 2};
	assert_int_equal(probes->on_event(&failed.head, probes->on_event_ctx), 0);
	assert_int_equal(failures_add(into, &failed.head), 0);
	return 0;
}

/* The breakpoints of one run are gone before those of the next one come. */
static void told(void *ctx, const struct deep_path *path)
{
	assert_int_equal(machine.armed_count + machine.probed_count, 0);
}

static struct deep_path *find(unsigned int runs, bool hw)
{
	static struct why_branch all[2 * BLOCKS];
	static struct failure call;
	const struct deep_options opts = {.runs = runs, .progress = told};
	const struct probes_options probes_opts = {.symbols = machine.symbols,
						   .kprobes = machine.kprobes};
	struct probes probes = {
		.opts = &probes_opts, .text = {.read = read_code}, .events = (void *)&probes};
	struct why_hit *hit = calloc(1, sizeof(*hit));
	struct answer answer = {.state = ORIGIN_FOUND, .has_lbr = true, .runs = 3, .hit = hit};
	const struct command command = {};
	struct errmsg msg = {};
	size_t total = execution(0, all);

	assert_non_null(hit);
	call = (struct failure){.err = 2};
	answer.call = &call;
	answer.site.watch = ERROR;
	answer.site.reg = machine.ones ? machine.ones : SITE_REG_NONE;
	hit->hw = hw;
	hit->stack[0] = ERROR;
	hit->stack[1] = END(machine.calls) + DEEP_CALL_BYTES;
	hit->frames = machine.calls ? 2 : 1;
	for (size_t i = 0; hw && i < machine.depth; i++) {
		hit->rec.branches[i].from = all[total - 1 - i].from;
		hit->rec.branches[i].to = all[total - 1 - i].to;
		hit->rec.count++;
	}
	assert_int_equal(deep_find(&opts, &command, &probes, &answer, &msg), 0);
	assert_int_equal(machine.armed_count + machine.probed_count, 0);
	assert_non_null(answer.deep);
	assert_int_equal(answer.deep->runs, machine.runs);
	assert_int_equal(answer.runs, 3 + machine.runs);
	assert_true(machine.runs <= runs);
	free(hit);
	return answer.deep;
}

/* The last branches of what each run executes, from number @first on. */
static void assert_path(const struct deep_path *path, size_t first)
{
	static struct why_branch all[2 * BLOCKS];
	size_t total = execution(0, all), sum = 0;

	assert_int_equal(path->count, total - first);
	assert_memory_equal(path->branches, all + first, path->count * sizeof(*all));
	for (size_t i = 0; i < path->segment_count; i++)
		sum += path->segments[i].count;
	assert_int_equal(sum, path->count);
}

static void deep_same_in_each_run_reaches_the_entry(void **state)
{
	static const uint32_t depths[] = {4, 16, 32};

	for (size_t i = 0; i < 3; i++) {
		struct deep_path *path;

		machine.depth = depths[i];
		machine.runs = 0;
		path = find(200, true);
		assert_true(path->entry);
		assert_string_equal(path->gap.text, "");
		assert_path(path, 0);
		assert_true(machine.most_armed <= BREAKS);
		assert_string_equal(path->unchecked.text,
				    "the kernel has no kprobes, or they are switched off");
		assert_int_equal(path->other_way, 0);
		deep_path_free(path);
	}
}

/* Two records a run, as long as the path has not come to the call. */
static void deep_follows_the_calls_on_the_stack(void **state)
{
	static const unsigned int calls[] = {190, 100, 20};
	unsigned int alone, saved = 0;
	struct deep_path *path;

	machine.kprobes = true;
	machine.depth = 16;
	deep_path_free(find(200, true));
	alone = machine.runs;
	/* 13 branches more for each, were nothing guessed, and one run to check it. */
	assert_true(alone < 1 + BLOCKS / 13);
	assert_int_equal(machine.most_plain, 1);
	for (size_t i = 0; i < 3; i++) {
		machine.calls = calls[i];
		machine.runs = 0;
		path = find(200, true);
		assert_true(path->entry);
		assert_path(path, 0);
		assert_true(machine.most_armed <= BREAKS);
		assert_true(machine.runs <= alone);
		saved += alone - machine.runs;
		deep_path_free(path);
	}
	/* The functions of this machine are straight: what it comes by before is guessed right,
	 * too. */
	assert_true(saved > 0);
	assert_int_equal(machine.most_plain, 2);
	machine.most_plain = 0;
	/* Without kprobes nothing tells whether one run took both ways. */
	machine.kprobes = false;
	machine.calls = 100;
	machine.runs = 0;
	path = find(200, true);
	assert_int_equal(machine.most_plain, 0);
	assert_true(path->entry);
	for (size_t i = 0; i < path->segment_count; i++)
		assert_int_not_equal(path->segments[i].point, END(100));
	deep_path_free(path);
}

static unsigned int later(unsigned int run)
{
	return run > 0;
}

/* A call that everybody comes by, whose hits are lost, or for which no register is left. */
static void deep_calls_that_are_no_help(void **state)
{
	static const unsigned int calls[] = {20, 100, 190, 199};
	unsigned int alone;

	machine.kprobes = true;
	machine.depth = 16;
	deep_path_free(find(200, true));
	alone = machine.runs;
	for (size_t i = 0; i < 16; i++) {
		struct deep_path *path;

		machine.calls = calls[i % 4];
		machine.hot = i / 4 == 0 ? END(machine.calls) : 0;
		machine.losing = i / 4 == 1 ? machine.calls : 0;
		machine.free = i / 4 == 2 ? 3 : 0;
		machine.runs = 0;
		path = find(200, true);
		assert_true(path->entry);
		assert_path(path, 0);
		assert_true(machine.runs <= alone + (i / 4 == 2 ? 8 : 3));
		deep_path_free(path);
	}
	/* It stands within the first record; then the runs take another way. */
	machine.at_the_end = true;
	machine.ways = later;
	for (size_t i = 0; i < 4; i++) {
		struct deep_path *path;

		machine.calls = (unsigned int[]){190, 197, 198, 199}[i];
		machine.runs = 0;
		path = find(200, true);
		assert_true(path->entry);
		assert_true(machine.runs < 20);
		deep_path_free(path);
	}
}

static void deep_runs_are_over_is_said(void **state)
{
	struct deep_path *path = find(2, true);

	assert_false(path->entry);
	assert_int_equal(machine.runs, 2);
	assert_string_equal(path->gap.text, "all 2 runs were made");
	assert_path(path, BLOCKS + 1 - path->count);
	assert_true(path->count > 2 * 29 + 31);
	deep_path_free(path);
}

/* The run that found the place had no breakpoint there. */
static void deep_begins_with_a_record_of_its_own(void **state)
{
	struct deep_path *path = find(200, false);

	assert_true(path->entry);
	assert_path(path, 0);
	deep_path_free(path);
}

/* AND behind SBB, say: what it does behind the error is none. */
static void deep_instruction_without_an_error_is_not_the_end(void **state)
{
	for (int i = 0; i < 4; i++) {
		struct deep_path *path;

		machine.ones = PTREG_AX;
		machine.kprobes = i & 1;
		machine.runs = 0;
		path = find(200, i & 2);
		assert_string_equal(path->gap.text, "");
		assert_true(path->entry);
		assert_path(path, 0);
		deep_path_free(path);
	}
}

static bool is_of_one_run(const struct deep_path *path);

static unsigned int not_the_first(unsigned int run)
{
	return run > 0;
}

/* The error is explained as the first run made it; no other comes there like that. */
static void deep_of_another_call_than_the_one_explained_is_said(void **state)
{
	static const uint32_t depths[] = {4, 16, 32};

	for (size_t i = 0; i < 2 * ARRAY_SIZE(depths); i++) {
		struct deep_path *path;

		machine.depth = depths[i / 2];
		machine.kprobes = i % 2;
		machine.at_the_end = true;
		machine.ways = not_the_first;
		machine.runs = 0;
		path = find(200, true);
		assert_true(path->entry);
		/* Numbered from the answer's third run on. */
		assert_int_equal(path->other_way, path->segments[0].run);
		assert_in_range(path->other_way, 4, 3 + machine.runs);
		assert_true(is_of_one_run(path));
		deep_path_free(path);
		/* What a kprobe took has no branches to compare. */
		machine.runs = 0;
		path = find(200, false);
		assert_true(path->entry);
		assert_int_equal(path->other_way, 0);
		deep_path_free(path);
	}
}

/* Of the record that the path begins with, too. */
static void deep_tells_what_it_cut_out(void **state)
{
	struct deep_record record = {.branches = {{START(1), START(2)}, {START(3), START(4)}},
				     .count = 2,
				     .interrupts = {ENTRY + 0x80, ENTRY},
				     .interrupt_at = {1, 0},
				     .interrupt_count = 2};
	struct deep_path *path = calloc(1, sizeof(*path));

	assert_non_null(path);
	for (unsigned int run = 7; run < 9; run++) {
		assert_int_equal(deep_path_begin(path, &record, run), 0);
		assert_int_equal(path->interrupt_count, 2);
		assert_true(path->interrupts[0].entry == ENTRY + 0x80);
		assert_int_equal(path->interrupts[0].newer, 1);
		assert_int_equal(path->interrupts[0].run, run);
		assert_false(path->interrupts[0].rescheduled);
		assert_true(path->interrupts[1].entry == ENTRY);
		assert_int_equal(path->interrupts[1].newer, 0);
	}
	deep_path_free(path);
}

/* With four entries nothing joins a record of one branch: another run's is taken. */
static void deep_begins_again_if_interrupted(void **state)
{
	static const uint32_t depths[] = {4, 32};

	for (size_t i = 0; i < 2; i++) {
		struct deep_path *path;

		machine.depth = depths[i];
		machine.runs = 0;
		machine.interrupted = 2;
		path = find(200, true);
		assert_string_equal(path->gap.text, "");
		assert_true(path->entry);
		machine.interrupted = 0;
		assert_path(path, 0);
		deep_path_free(path);
	}
}

/* In each run: what there is is told, with a reason. */
static void deep_always_interrupted_is_said(void **state)
{
	struct deep_path *path;

	machine.depth = 4;
	machine.interrupted = 200;
	path = find(200, true);
	assert_false(path->entry);
	assert_int_equal(path->count, 1);
	assert_true(path->gap.text[0]);
	assert_true(machine.runs < 10);
	deep_path_free(path);
}

static void deep_other_ways_end_where_they_part(void **state)
{
	static struct why_branch all[2 * BLOCKS];
	struct deep_path *path;
	bool found = false;

	machine.other = 100;
	path = find(200, true);
	assert_false(path->entry);
	assert_non_null(strstr(path->gap.text, "the runs go different ways"));
	/* Of what differs it has what one run took. */
	for (unsigned int run = 0; run <= machine.runs && !found; run++) {
		size_t total = execution(run, all);

		found = path->count < total && !memcmp(path->branches, all + total - path->count,
						       path->count * sizeof(*all));
	}
	assert_true(found);
	assert_true(path->count >= BLOCKS - 102 && path->count < BLOCKS - 30);
	deep_path_free(path);
}

static unsigned int seed;

/* MurmurHash3's finalizer. */
static unsigned int drawn(unsigned int run, unsigned int of)
{
	uint32_t x = run * 2654435761u + seed * 40503u + 1;

	x = (x ^ x >> 16) * 0x85ebca6bu;
	x = (x ^ x >> 13) * 0xc2b2ae35u;
	return (x ^ x >> 16) % of == 0;
}

static unsigned int each_second(unsigned int run)
{
	return run % 2;
}

static unsigned int half(unsigned int run)
{
	return drawn(run, 2);
}

static unsigned int each_fifth(unsigned int run)
{
	return drawn(run, 5);
}

static bool is_of_one_run(const struct deep_path *path)
{
	static struct why_branch all[2 * BLOCKS];

	for (unsigned int run = 0; run <= machine.runs; run++) {
		size_t total = execution(run, all);

		if (path->count <= total &&
		    !memcmp(path->branches, all + total - path->count, path->count * sizeof(*all)))
			return true;
	}
	return false;
}

/*
 * Which way the runs take at one place they take at another, too: each joint of two runs is right
 * between the places, and no run takes what they give together. add_key() is such a call: how often
 * it draws a serial number, and where that goes into a tree.
 */
static void deep_runs_are_not_mixed(void **state)
{
	static unsigned int (*const ways[])(unsigned int) = {each_second, half, each_fifth};
	static const uint32_t depths[] = {16, 32};
	const unsigned int cases = 3 * 2 * 100;
	unsigned int mixed = 0, far = 0;

	for (unsigned int i = 0; i < cases; i++) {
		struct deep_path *path;
		bool right;

		machine.runs = 0;
		machine.ways = ways[i % 3];
		machine.depth = depths[i / 3 % 2];
		seed = i;
		path = find(100, true);
		right = is_of_one_run(path);
		/* Either way is seen in any two runs. */
		assert_true(right || machine.ways != each_second);
		mixed += !right;
		far += path->entry;
		assert_true(path->entry || strstr(path->gap.text, "the runs"));
		deep_path_free(path);
	}
	/* Who looks at few places in few runs can miss one by chance. Without a look: 4 of 10. */
	assert_true(mixed * 25 <= cases);
	assert_true(far * 2 >= cases);
}

static unsigned int always_two(unsigned int run)
{
	return 2;
}

static unsigned int up_to_four(unsigned int run)
{
	return 1 + drawn(run, 2) + 2 * drawn(run + 1000, 2);
}

/* With kprobes one run is seen to take the path as a whole: nothing is left to chance. */
static void deep_with_kprobes_no_two_runs_are_mixed(void **state)
{
	static unsigned int (*const ways[])(unsigned int) = {each_second, half, each_fifth};
	static const uint32_t depths[] = {4, 16, 32};
	static const unsigned int runs[] = {1, 5, 12, 100};
	/* On the stack of the error; 0: none is. */
	static const unsigned int calls[] = {0, 20, 99, 149, 151, 190, 0};
	const bool full = getenv("FULL") && *getenv("FULL");
	const unsigned int first = full ? 0 : seed_take(stdout, 0) % CASES;
	const unsigned int last = first + (full ? CASES : CASES_DRAWN);
	unsigned int far[2] = {}, all[2] = {};

	machine.kprobes = true;
	for (unsigned int number = first; number < last; number++) {
		const unsigned int i = number % CASES;
		struct deep_path *path;

		machine.runs = 0;
		machine.ways = ways[i % 3];
		machine.depth = depths[i / 3 % 3];
		machine.pairs = i / 36 % 2;
		machine.rounds = i / 72 % 2 ? up_to_four : NULL;
		machine.calls = calls[i % ARRAY_SIZE(calls)];
		seed = i;
		path = find(runs[i / 9 % 4], true);
		assert_true(is_of_one_run(path));
		assert_true(path->entry || path->gap.text[0]);
		if (runs[i / 9 % 4] == 100 && machine.depth > 4) {
			all[!!machine.rounds]++;
			far[!!machine.rounds] += path->entry;
		}
		deep_path_free(path);
	}
	/* Of eight ways, each as often as the others, a run takes the path's now and then. */
	assert_true(far[0] * 10 >= all[0] * 9);
	assert_true(far[1] * 2 >= all[1]);
}

/* What is the same in each run needs one run more. */
static void deep_with_kprobes_the_same_in_each_run(void **state)
{
	static const uint32_t depths[] = {4, 16, 32};

	machine.kprobes = true;
	for (size_t i = 0; i < 3; i++) {
		struct deep_path *path;

		machine.depth = depths[i];
		machine.runs = 0;
		path = find(200, true);
		assert_true(path->entry);
		assert_path(path, 0);
		assert_string_equal(path->unchecked.text, "");
		deep_path_free(path);
		assert_true(machine.runs < 1 + (BLOCKS + 2) / (depths[i] - 3));
	}
}

/* Those kept for checks get further, too, when one check was enough. */
static void deep_with_kprobes_no_run_is_left_over(void **state)
{
	struct deep_path *path;
	unsigned int least;

	machine.kprobes = true;
	machine.depth = 16;
	path = find(200, true);
	least = machine.runs;
	deep_path_free(path);
	machine.runs = 0;
	path = find(least + 1, true);
	assert_true(path->entry);
	assert_path(path, 0);
	deep_path_free(path);
	/* The number in the reason is that of the runs. */
	machine.runs = 0;
	path = find(least - 2, true);
	assert_false(path->entry);
	assert_in_range(machine.runs, least - 3, least - 2);
	assert_int_equal(strtoul(strpbrk(path->gap.text, "0123456789"), NULL, 10), machine.runs);
	deep_path_free(path);
}

/* What it took 300 seconds to find is not given up because no time is left to check it. */
static void deep_with_kprobes_time_is_left_to_check(void **state)
{
	struct deep_path *path;

	machine.kprobes = true;
	machine.depth = 16;
	machine.seconds = 40;
	path = find(100, true);
	assert_false(path->entry);
	assert_string_equal(path->gap.text, "300 seconds were over");
	assert_path(path, BLOCKS + 1 - path->count);
	assert_true(path->count > 16 + 7 * 12);
	assert_int_equal(machine.runs, 9);
	deep_path_free(path);
}

static unsigned int first_six(unsigned int run)
{
	return run < 6;
}

/* That no run was seen to take it has a reason: none was made for that. */
static void deep_with_kprobes_no_time_to_check_is_said(void **state)
{
	struct deep_path *path;

	machine.kprobes = true;
	machine.depth = 16;
	/* In the middle, and where the entry is reached: then there is no time for a check. */
	for (machine.slow = 8; machine.slow < 20; machine.slow++) {
		machine.runs = 0;
		machine.now = 0;
		path = find(100, true);
		if (machine.told)
			break;
		assert_int_equal(machine.runs, machine.slow);
		assert_false(path->entry);
		assert_string_equal(path->gap.text,
				    "300 seconds were over; further back it was not checked that "
				    "one run took it");
		assert_path(path, BLOCKS + 1 - path->count);
		deep_path_free(path);
	}
	assert_true(machine.slow > 10 && machine.slow < 20);
	assert_true(path->entry);
	deep_path_free(path);
}

/* In each run of the search: to get further, and to check. What is shown, and why it ends, holds.
 */
static void deep_a_run_that_fails_ends_it(void **state)
{
	static const struct {
		int error;
		const char *reason;
	} cases[] = {{-EINTR, "interrupted"}, {-EAGAIN, "cannot run x"}};

	machine.depth = 16;
	for (size_t i = 0; i < 2 * ARRAY_SIZE(cases); i++) {
		const char *reason = cases[i / 2].reason;
		struct deep_path *path;
		unsigned int whole;

		machine.kprobes = i % 2;
		machine.fails = 0;
		machine.runs = 0;
		path = find(200, true);
		whole = machine.runs;
		deep_path_free(path);
		machine.error = cases[i / 2].error;
		for (machine.fails = 1; machine.fails <= whole; machine.fails++) {
			machine.runs = 0;
			path = find(200, true);
			assert_int_equal(machine.runs, machine.fails);
			assert_path(path, BLOCKS + 1 - path->count);
			/* It was to see once more what no run was seen to leave. */
			if (path->entry) {
				assert_false(machine.kprobes);
				assert_int_equal(path->count, BLOCKS + 1);
				assert_string_equal(path->gap.text, "");
				deep_path_free(path);
				continue;
			}
			assert_memory_equal(path->gap.text, reason, strlen(reason));
			assert_true(!path->gap.text[strlen(reason)] ||
				    strstr(path->gap.text, "; further back it was not checked"));
			deep_path_free(path);
		}
	}
}

/* The first six runs go a way that no other goes. Those that are left take the other to its end. */
static void deep_with_kprobes_the_last_runs_go_on(void **state)
{
	struct deep_path *path;

	machine.kprobes = true;
	machine.ways = first_six;
	path = find(20, true);
	assert_true(is_of_one_run(path));
	assert_true(path->entry);
	deep_path_free(path);
}

/*
 * A breakpoint that a kprobe's own program comes by stops the LBR, and the next record is an old
 * one. With kprobes in the place of breakpoints the run is seen to take the path.
 */
static void deep_with_kprobes_records_do_not_show_it(void **state)
{
	static const uint32_t depths[] = {4, 16, 32};

	machine.kprobes = true;
	machine.stale = true;
	for (size_t i = 0; i < ARRAY_SIZE(depths); i++) {
		struct deep_path *path;

		machine.depth = depths[i];
		machine.runs = 0;
		path = find(200, true);
		assert_true(path->entry);
		assert_path(path, 0);
		deep_path_free(path);
	}
}

static unsigned int parting;

static unsigned int first_ones(unsigned int run)
{
	return run < parting;
}

/*
 * The check at the entry finds that no run goes that way any more: what is older is found again,
 * from the middle of a record on. Four entries do not join there without a breakpoint behind the
 * target, and that of the run before is off the path.
 */
static void deep_of_four_entries_goes_on_where_the_path_was_cut(void **state)
{
	struct deep_path *path;
	unsigned int plain;

	machine.kprobes = true;
	machine.depth = 4;
	path = find(200, true);
	plain = machine.runs;
	deep_path_free(path);
	machine.ways = first_ones;
	for (parting = 11; parting < 14; parting++) {
		machine.runs = 0;
		path = find(200, true);
		assert_true(path->entry);
		assert_true(is_of_one_run(path));
		/* The whole way twice, and four checks that leave it instead of one. */
		assert_true(machine.runs <= 2 * plain + 3);
		deep_path_free(path);
	}
}

/* Where the kernel allows no kprobe, runs that see it again have to do. */
static void deep_with_kprobes_but_not_everywhere(void **state)
{
	struct deep_path *path;

	machine.kprobes = true;
	machine.blind = OLDER - 2;
	machine.blind_end = OLDER + 2;
	path = find(200, true);
	assert_true(path->entry);
	assert_path(path, 0);
	deep_path_free(path);
	/*
	 * With few runs the path ends there: it can be left at LOOP, for all that is known, and the
	 * kprobe behind the blocks that have none does not tell which branch led to it.
	 */
	machine.depth = 16;
	machine.blind = LOOP - 2;
	machine.blind_end = LOOP + 2;
	machine.runs = 0;
	path = find(9, true);
	assert_false(path->entry);
	assert_non_null(strstr(path->gap.text, "too few runs were seen"));
	assert_path(path, LOOP + 3);
	deep_path_free(path);
}

/* The run with kprobes takes records where none may stand: no other run has to see that again. */
static void deep_with_kprobes_but_not_where_records_tell(void **state)
{
	static const uint32_t depths[] = {4, 16, 32};

	machine.kprobes = true;
	for (size_t i = 0; i < ARRAY_SIZE(depths); i++) {
		unsigned int alone;

		machine.depth = depths[i];
		for (machine.untraced = 0; machine.untraced < BLOCKS;
		     machine.untraced += machine.untraced ? NEWER - LOOP : LOOP) {
			struct deep_path *path;

			machine.runs = 0;
			path = find(200, true);
			assert_true(path->entry);
			assert_path(path, 0);
			if (!machine.untraced)
				alone = machine.runs;
			assert_int_equal(machine.runs, alone);
			deep_path_free(path);
		}
	}
	machine.untraced = 0;
}

/* What the first check did not tell is seen before others get further: else all behind it is lost.
 */
static void deep_with_kprobes_looks_come_before_more_of_the_path(void **state)
{
	struct deep_path *path;

	machine.kprobes = true;
	machine.depth = 4;
	machine.blind = NEWER - 2;
	machine.blind_end = NEWER + 2;
	path = find(36, true);
	assert_true(path->count > BLOCKS - NEWER + 50);
	assert_path(path, BLOCKS + 1 - path->count);
	deep_path_free(path);
}

/* Where no breakpoint may stand nothing tells; further back runs see the path again as before. */
static void deep_with_kprobes_looks_where_no_breakpoint_may_stand(void **state)
{
	struct deep_path *path;

	machine.kprobes = true;
	machine.depth = 4;
	/* Nothing shows whether the branch at NEWER was taken, and the first check ends before
	 * OLDER. */
	machine.blind = NEWER - 2;
	machine.blind_end = NEWER + 2;
	machine.blind_too = OLDER;
	machine.unwatched = NEWER + 2;
	machine.unwatched_end = NEWER + 4;
	path = find(48, true);
	assert_true(path->entry);
	assert_path(path, 0);
	deep_path_free(path);
}

/* Where everybody comes by, kprobes are armed for one run alone, and not until its end. */
static void deep_with_kprobes_that_all_tasks_hit(void **state)
{
	struct deep_path *path;

	machine.kprobes = true;
	machine.others_pass = 400000;
	path = find(200, true);
	assert_true(path->entry);
	assert_true(machine.told > 0);
	deep_path_free(path);
	machine.runs = machine.told = 0;
	machine.passed = 0;
	machine.others_pass = 600000;
	path = find(200, true);
	/* Once while the error had one, once while the path was to be checked. */
	assert_int_equal(machine.passed, 2 * machine.others_pass);
	assert_int_equal(machine.told, 0);
	assert_true(path->entry);
	assert_path(path, 0);
	assert_string_equal(path->unchecked.text, "other tasks execute its probes too often");
	deep_path_free(path);
}

/* The first ones are hit while the others are armed, which may take longer than the run. */
static void deep_with_kprobes_that_all_tasks_hit_while_they_are_armed(void **state)
{
	struct deep_path *path;

	machine.kprobes = true;
	path = find(200, true);
	assert_true(machine.told > 0 && machine.most_probed > 1);
	deep_path_free(path);
	machine.runs = machine.told = 0;
	machine.most_probed = 0;
	machine.others_pass_armed = 600000;
	path = find(200, true);
	assert_int_equal(machine.most_probed, 1);
	assert_int_equal(machine.told, 0);
	assert_true(path->entry);
	assert_path(path, 0);
	deep_path_free(path);
}

/*
 * The error can have no kprobe; and once, when the path is to be checked, no breakpoint. Without a
 * hit there, the other breakpoints show nothing: no run is made with them, and what other runs saw
 * of the path is not given up.
 */
static void deep_check_without_a_probe_at_the_error(void **state)
{
	static const uint32_t depths[] = {4, 16};

	machine.kprobes = true;
	machine.blind = BLOCKS;
	machine.blind_end = BLOCKS + 1;
	for (size_t i = 0; i < ARRAY_SIZE(depths); i++) {
		struct deep_path *path;
		unsigned int checked;

		machine.depth = depths[i];
		machine.runs = 0;
		path = find(200, true);
		assert_true(path->entry);
		assert_string_equal(path->unchecked.text, "");
		checked = machine.runs;
		deep_path_free(path);
		/* The last of these runs was the check. */
		for (int few = 0; few < 2; few++) {
			machine.runs = 0;
			machine.taken = checked - 1;
			path = find(few ? checked : 200, true);
			assert_int_equal(machine.taken, 0);
			assert_string_equal(path->gap.text, "");
			assert_true(path->entry);
			assert_path(path, 0);
			assert_string_equal(path->unchecked.text,
					    "the probes for that could not be had");
			deep_path_free(path);
		}
	}
}

/* Another point leads further. */
static void deep_point_whose_hits_are_lost(void **state)
{
	static const uint32_t depths[] = {4, 32};

	for (size_t i = 0; i < ARRAY_SIZE(depths); i++) {
		struct deep_path *path;

		machine.depth = depths[i];
		machine.runs = 0;
		machine.lost = 0;
		/* The first point of the second run. */
		machine.losing = BLOCKS - depths[i] + (depths[i] > 4 ? 3 : 0);
		path = find(200, true);
		assert_true(machine.lost > 0);
		assert_true(path->entry);
		assert_path(path, 0);
		deep_path_free(path);
	}
}

/* The entry of the function that the path begins in has a breakpoint, too: it is left out. */
static void deep_function_whose_entry_loses_hits(void **state)
{
	static const uint32_t depths[] = {4, 16, 32};

	for (size_t i = 0; i < ARRAY_SIZE(depths); i++) {
		struct deep_path *path;

		machine.depth = depths[i];
		machine.runs = 0;
		machine.lost = 0;
		machine.losing = (BLOCKS - depths[i]) / 10 * 10;
		path = find(200, true);
		assert_true(machine.lost > 0);
		assert_true(path->entry);
		assert_path(path, 0);
		deep_path_free(path);
	}
}

static void deep_another_task_ends_it(void **state)
{
	struct deep_path *path;

	machine.waits = 120;
	path = find(200, true);
	assert_false(path->entry);
	assert_string_equal(path->gap.text, "there the call waited, and another task ran");
	/* The branch back to where it waited is the oldest one that is its own. */
	assert_int_equal(path->branches[0].from, END(120));
	assert_path(path, BLOCKS + 4 - path->count);
	assert_true(machine.runs < 20);
	deep_path_free(path);
}

/* The same without what these calls do. */
static void assert_path_without(const struct deep_path *path, unsigned int sleeps,
				unsigned int wakes)
{
	static struct why_branch all[2 * BLOCKS];

	machine.sleeps = machine.wakes = 0;
	assert_int_equal(path->count, execution(0, all));
	assert_memory_equal(path->branches, all, path->count * sizeof(*all));
	assert_int_equal(path->interrupt_count, !!sleeps + !!wakes);
	for (size_t i = 0; i < path->interrupt_count; i++) {
		const struct deep_interrupt *cut = &path->interrupts[i];
		bool woke = wakes && cut->newer == BLOCKS - wakes;

		assert_true(cut->rescheduled);
		assert_int_equal(cut->woke, woke);
		assert_true(cut->entry == (woke ? WAKE : SCHED));
		assert_int_equal(cut->newer, BLOCKS - (woke ? wakes : sleeps));
	}
}

static bool each_third(unsigned int run)
{
	return run % 3 == 0;
}

static void deep_goes_on_before_a_wait(void **state)
{
	static const uint32_t depths[] = {4, 16, 32};

	/* The points around block SHARED, before the calls, are hit in them, too. */
	for (size_t i = 0; i < 9; i++) {
		unsigned int sleeps = i % 3 != 1 ? 120 : 0, wakes = i % 3 ? 110 : 0;
		struct deep_path *path;

		machine.depth = depths[i / 3];
		machine.runs = 0;
		machine.kprobes = true;
		machine.sleeps = sleeps;
		machine.wakes = wakes;
		/* What a call did that did not wait is of the path: with few entries it takes over.
		 */
		machine.awake = i == 6 ? each_third : NULL;
		path = find(1000, true);
		assert_string_equal(path->gap.text, "");
		assert_true(path->entry);
		assert_path_without(path, sleeps, wakes);
		deep_path_free(path);
	}
}

/* Nothing tells what is hit in the wait: it is not crossed. */
static void deep_without_kprobes_a_wait_ends_it(void **state)
{
	struct deep_path *path;

	machine.sleeps = 120;
	path = find(200, true);
	assert_false(path->entry);
	assert_int_equal(path->count, BLOCKS - 120);
	assert_int_equal(path->branches[0].from, END(120));
	assert_non_null(strstr(path->gap.text, "there the scheduler was called"));
	deep_path_free(path);
}

static void deep_no_breakpoint_allowed_is_said(void **state)
{
	struct deep_path *path;

	machine.refused = true;
	path = find(200, true);
	assert_false(path->entry);
	assert_true(path->gap.text[0]);
	assert_path(path, BLOCKS + 1 - path->count);
	/* The record at the first block that may have one. */
	assert_int_equal(path->branches[0].from, END(FORBIDDEN - 32));
	deep_path_free(path);
}

/* Nothing was run, or no run told anything: it is not said that the call did not fail again. */
static void deep_without_a_first_record_says_why(void **state)
{
	static const struct {
		bool busy;
		unsigned int losing;
		uint64_t point_hits;
		unsigned int runs;
		const char *reason;
	} cases[] = {
		{true, 0, 0, 0,
		 "no breakpoint could be had there: the kernel allows none, or others use the "
		 "debug registers (-v says more)"},
		{false, BLOCKS, 0, 4, "hits of the breakpoints were lost in 4 runs"},
		{false, 0, 60000, 4,
		 "the breakpoints were hit too often, and taken away for the machine's sake in 4 "
		 "runs"},
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct deep_path *path;

		machine.runs = 0;
		machine.busy = cases[i].busy;
		machine.losing = cases[i].losing;
		machine.point_hits = cases[i].point_hits;
		path = find(200, false);
		assert_int_equal(path->count, 0);
		assert_int_equal(machine.runs, cases[i].runs);
		assert_string_equal(path->gap.text, cases[i].reason);
		deep_path_free(path);
	}
}

static bool most(unsigned int run)
{
	return run % 4 != 3;
}

/* One of four runs comes by, and leads no further: four others in all are none in a row. */
static void deep_calls_that_fail_now_and_then(void **state)
{
	struct deep_path *path;

	machine.waits = 120;
	machine.silent = most;
	path = find(200, true);
	assert_string_equal(path->gap.text, "there the call waited, and another task ran");
	assert_path(path, BLOCKS + 4 - path->count);
	deep_path_free(path);
}

static bool third(unsigned int run)
{
	return run == 3;
}

/* A run without the call says nothing of the kprobe at the error: the next ones have it, too. */
static void deep_run_without_the_call_leaves_kprobes_at_the_error(void **state)
{
	static const uint32_t depths[] = {16, 32};

	machine.kprobes = true;
	for (size_t i = 0; i < ARRAY_SIZE(depths); i++) {
		unsigned int plain;

		machine.depth = depths[i];
		for (int missing = 0; missing < 2; missing++) {
			struct deep_path *path;

			machine.silent = missing ? third : NULL;
			machine.runs = machine.plain_runs = 0;
			path = find(200, true);
			assert_true(path->entry);
			assert_path(path, 0);
			deep_path_free(path);
			if (!missing)
				plain = machine.plain_runs;
			/* That run had one, too. */
			assert_true(plain > 2);
			assert_int_equal(machine.plain_runs, plain + (unsigned int)missing);
		}
	}
}

/* The call fails, and its kprobe at the error does not say so: breakpoints do it. */
static void deep_kprobe_at_the_error_that_is_not_told(void **state)
{
	static const uint32_t depths[] = {16, 32};

	machine.kprobes = true;
	machine.mute = true;
	for (size_t i = 0; i < ARRAY_SIZE(depths); i++) {
		struct deep_path *path;

		machine.depth = depths[i];
		machine.runs = machine.plain_runs = 0;
		path = find(200, true);
		assert_string_equal(path->gap.text, "");
		assert_true(path->entry);
		assert_path(path, 0);
		assert_int_equal(machine.plain_runs, 1);
		deep_path_free(path);
	}
}

/* @of_150: the name of the function of blocks 150 to 159; NULL: one of no meaning */
static int make_machine(const char *of_150)
{
	static char table[16384];
	size_t len = 0;

	len += (size_t)sprintf(table, "%llx T do_syscall_64\n", KERNEL);
	for (int n = 10; n < BLOCKS + 10; n += 10)
		len += (size_t)(n == 150 && of_150 ? sprintf(table + len, "%llx T %s\n",
							     (unsigned long long)START(n), of_150)
						   : sprintf(table + len, "%llx T block_%d\n",
							     (unsigned long long)START(n), n));
	sprintf(table + len,
		"%llx T end\n%llx T __sched_text_start\n%llx T __sched_text_end\n"
		"%llx T wake_up_process\n%llx T rest_of_it\n"
		"%llx T __entry_text_start\n%llx T __entry_text_end\n"
		"%llx T __switch_to_asm\n%llx T finish_task_switch.isra.0\n%llx T rest\n",
		(unsigned long long)START(BLOCKS + 10), SCHED, SCHED + 0x1000, WAKE, WAKE + 0x1000,
		ENTRY, ENTRY + 0x1000, SWITCH, SWITCH + 0x40, SWITCH + 0x80);
	memset(&machine, 0, sizeof(machine));
	machine.depth = 32;
	machine.symbols = symbol_table(table);
	return machine.symbols ? 0 : -1;
}

static int setup(void **state)
{
	return make_machine(NULL);
}

static int setup_handler(void **state)
{
	return make_machine("__rcu_read_unlock");
}

static int teardown(void **state)
{
	symbols_close(machine.symbols);
	return 0;
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

/* What each kprobe's handling executes has neither kprobes nor, beside those, breakpoints. */
static void deep_with_kprobes_whose_handling_comes_by(void **state)
{
	static const uint32_t depths[] = {4, 16, 32};

	machine.kprobes = true;
	machine.handler = 150;
	for (size_t i = 0; i < ARRAY_SIZE(depths); i++) {
		struct deep_path *path;

		machine.depth = depths[i];
		machine.runs = 0;
		machine.told = 0;
		path = find(200, true);
		assert_true(path->entry);
		assert_path(path, 0);
		assert_true(machine.told > 0);
		deep_path_free(path);
	}
}

/* Of a place that the user names. */
static struct answer find_place(const struct deep_place *place, unsigned int runs)
{
	const struct deep_options opts = {.runs = runs, .place = place, .progress = told};
	const struct probes_options probes_opts = {.symbols = machine.symbols,
						   .kprobes = machine.kprobes};
	struct probes probes = {
		.opts = &probes_opts, .text = {.read = read_code}, .events = (void *)&probes};
	struct answer answer = {.has_lbr = true, .place = "there"};
	const struct command command = {};
	struct errmsg msg = {};

	assert_int_equal(deep_find(&opts, &command, &probes, &answer, &msg), 0);
	assert_int_equal(machine.armed_count + machine.probed_count, 0);
	assert_true(machine.ends == (answer.call ? 1 : place->end_count));
	assert_true(machine.end == (answer.call ? answer.site.addr : place->ends[0]));
	assert_int_equal(answer.runs, machine.runs);
	assert_int_equal(answer.deep->runs, machine.runs);
	assert_true(machine.runs <= runs);
	assert_int_equal(answer.status, 1 << 8);
	assert_int_equal(machine.loud, 1);
	return answer;
}

/* The call goes on behind it, and passes. Each end can be the one: it is the one hit last. */
static void deep_place_in_a_call_that_passes(void **state)
{
	static const uint32_t depths[] = {4, 16, 32};
	const struct deep_place place = {.ends = {END(NEWER), END(OLDER), END(BLOCKS) + 0x80},
					 .end_count = 3,
					 .errors = true};

	for (size_t i = 0; i < 6; i++) {
		static struct why_branch all[2 * BLOCKS];
		struct answer answer;

		machine.depth = depths[i % 3];
		machine.runs = machine.loud = 0;
		machine.passes = true;
		machine.kprobes = i >= 3;
		answer = find_place(&place, 200);
		execution(0, all);
		assert_int_equal(answer.state, ORIGIN_PLACE);
		assert_true(answer.site.addr == END(NEWER));
		assert_false(answer.returned);
		assert_non_null(answer.call);
		assert_int_equal(answer.call->err, 0);
		assert_int_equal(answer.call->result, 3);
		assert_true(answer.deep->entry);
		assert_string_equal(answer.deep->gap.text, "");
		assert_int_equal(answer.deep->count, NEWER + 1);
		assert_memory_equal(answer.deep->branches, all, (NEWER + 1) * sizeof(*all));
		answer_deinit(&answer);
	}
}

/* Kprobes have to do without other breakpoints, but not without the one that has registers. */
static void deep_place_whose_other_breakpoints_tell_nothing(void **state)
{
	const struct deep_place place = {
		.ends = {END(NEWER)}, .end_count = 1, .returns = true, .errors = true};
	static struct why_branch all[2 * BLOCKS];
	struct answer answer;

	machine.depth = 16;
	machine.kprobes = true;
	machine.stale = true;
	machine.passes = true;
	machine.place = place.ends[0];
	machine.failing = 1;
	answer = find_place(&place, 200);
	execution(0, all);
	assert_string_equal(answer.deep->gap.text, "");
	assert_true(answer.deep->entry);
	assert_int_equal(answer.deep->count, NEWER + 1);
	assert_memory_equal(answer.deep->branches, all, (NEWER + 1) * sizeof(*all));
	answer_deinit(&answer);
}

/* A function that returns an error, and then, in the same call, once more without one. */
static void deep_place_behind_the_last_error_is_not_on_the_way(void **state)
{
	const struct deep_place place = {
		.ends = {START(LOOP) + 0x10}, .end_count = 1, .returns = true, .errors = true};

	for (int i = 0; i < 2; i++) {
		static struct why_branch all[2 * BLOCKS];
		struct answer answer;

		machine.runs = machine.loud = 0;
		machine.rounds = always_two;
		machine.place = place.ends[0];
		machine.failing = 1;
		machine.kprobes = i;
		answer = find_place(&place, 200);
		execution(0, all);
		assert_true(answer.returned);
		assert_true(answer.value == -2);
		assert_string_equal(answer.deep->gap.text, "");
		assert_true(answer.deep->entry);
		/* Of three times the first. */
		assert_int_equal(answer.deep->count, LOOP + 1);
		assert_memory_equal(answer.deep->branches, all, (LOOP + 1) * sizeof(*all));
		answer_deinit(&answer);
	}
}

static void deep_place_why_it_is_not_found(void **state)
{
	static const struct {
		uint64_t end;
		uint64_t all;
		uint64_t outside;
		bool returns;
		const char *reason;
		bool endless;
		unsigned int failing;
	} cases[] = {
		{END(BLOCKS) + 0x80, 0, 0, false, "it was not executed while the command ran"},
		{END(BLOCKS) + 0x80, 5, 0, false, "it was executed, but not by the command"},
		{END(BLOCKS) + 0x80, 5, 2, false,
		 "it was executed 2 times while the command had the CPU, but not on the stack"},
		{END(OLDER), 1, 0, true,
		 "it returned 1 time in the command's system calls, but no error"},
		{END(OLDER), 1, 0, true,
		 "it returned 1 time in the command's system calls, but no error", true},
		{END(OLDER), 1, 0, true,
		 "the command executed it in a system call that did not come to its end", true, 1},
		{END(OLDER), 1, 0, false,
		 "the command executed it in a system call that did not come to its end", true},
		{END(OLDER), 60000, 0, false, "it was executed too often"},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		const struct deep_place place = {.ends = {cases[i].end},
						 .end_count = 1,
						 .returns = cases[i].returns,
						 .errors = true};
		struct answer answer;

		machine.runs = machine.loud = 0;
		machine.point_hits = cases[i].all;
		machine.outside = cases[i].outside;
		machine.endless = cases[i].endless;
		machine.failing = cases[i].failing;
		machine.place = cases[i].end;
		answer = find_place(&place, 200);
		assert_null(answer.call);
		assert_int_equal(answer.state, ORIGIN_NONE);
		assert_int_equal(machine.runs, 1);
		assert_non_null(strstr(answer.reason.text, cases[i].reason));
		answer_deinit(&answer);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(deep_same_in_each_run_reaches_the_entry),
		cmocka_unit_test_setup_teardown(deep_with_kprobes_whose_handling_comes_by,
						setup_handler, teardown),
		TEST(deep_follows_the_calls_on_the_stack),
		TEST(deep_calls_that_are_no_help),
		TEST(deep_runs_are_over_is_said),
		TEST(deep_begins_with_a_record_of_its_own),
		TEST(deep_instruction_without_an_error_is_not_the_end),
		TEST(deep_tells_what_it_cut_out),
		TEST(deep_of_another_call_than_the_one_explained_is_said),
		TEST(deep_begins_again_if_interrupted),
		TEST(deep_always_interrupted_is_said),
		TEST(deep_other_ways_end_where_they_part),
		TEST(deep_runs_are_not_mixed),
		TEST(deep_with_kprobes_no_two_runs_are_mixed),
		TEST(deep_with_kprobes_the_same_in_each_run),
		TEST(deep_with_kprobes_no_run_is_left_over),
		TEST(deep_with_kprobes_time_is_left_to_check),
		TEST(deep_with_kprobes_no_time_to_check_is_said),
		TEST(deep_a_run_that_fails_ends_it),
		TEST(deep_with_kprobes_the_last_runs_go_on),
		TEST(deep_with_kprobes_records_do_not_show_it),
		TEST(deep_of_four_entries_goes_on_where_the_path_was_cut),
		TEST(deep_with_kprobes_but_not_everywhere),
		TEST(deep_with_kprobes_but_not_where_records_tell),
		TEST(deep_with_kprobes_looks_come_before_more_of_the_path),
		TEST(deep_with_kprobes_looks_where_no_breakpoint_may_stand),
		TEST(deep_with_kprobes_that_all_tasks_hit),
		TEST(deep_with_kprobes_that_all_tasks_hit_while_they_are_armed),
		TEST(deep_check_without_a_probe_at_the_error),
		TEST(deep_point_whose_hits_are_lost),
		TEST(deep_function_whose_entry_loses_hits),
		TEST(deep_another_task_ends_it),
		TEST(deep_no_breakpoint_allowed_is_said),
		TEST(deep_without_a_first_record_says_why),
		TEST(deep_calls_that_fail_now_and_then),
		TEST(deep_run_without_the_call_leaves_kprobes_at_the_error),
		TEST(deep_kprobe_at_the_error_that_is_not_told),
		TEST(deep_goes_on_before_a_wait),
		TEST(deep_without_kprobes_a_wait_ends_it),
		TEST(deep_place_in_a_call_that_passes),
		TEST(deep_place_behind_the_last_error_is_not_on_the_way),
		TEST(deep_place_whose_other_breakpoints_tell_nothing),
		TEST(deep_place_why_it_is_not_found),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
