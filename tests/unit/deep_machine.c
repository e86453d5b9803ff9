// SPDX-License-Identifier: GPL-2.0
#include "deep_machine.h"
#include "next_hit.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "../symbol_table.h"
#include "target/probeable.h"
#include "util/cleanup.h"

struct deep_machine machine;

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

static unsigned int machine_newer(void)
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
	if ((n == OLDER || n == machine_newer()) && in >= 0x30 && in < 0x32)
		return in == 0x30 ? 0x74 : 0x06; /* to END(n) - 8 */
	return 0xfc;
}

int machine_read_code(void *ctx, uint64_t addr, void *buf, size_t len)
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
size_t machine_execution(unsigned int run, struct why_branch *to)
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
		if (machine.ways && machine.ways(run) && (n == machine_newer() || n == OLDER))
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

/* What is hit next from @low to @high, both executed; 0: nothing. */
static uint64_t hit_between(uint64_t low, uint64_t high, bool *ret_kprobe)
{
	return next_hit((struct armed){machine.armed, machine.armed_count},
			(struct armed){machine.probed, machine.probed_count}, low, high,
			ret_kprobe);
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
	if (hit_between(ERROR, ERROR, &kprobe) && !kprobe)
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
	size_t total = machine_execution(machine.runs, all), count = 0;

	machine.sp = SP;

	for (size_t i = 0; i < total; i++) {
		bool kprobe;
		uint64_t low, hit, high = i + 1 == total ? ERROR : all[i + 1].from;

		push(lbr, &count, all[i]);
		follow_stack(&all[i]);
		for (low = all[i].to; (hit = hit_between(low, high, &kprobe)); low = hit + 1) {
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
void machine_told(void *ctx, const struct deep_path *path)
{
	assert_int_equal(machine.armed_count + machine.probed_count, 0);
}

struct deep_path *machine_find(unsigned int runs, bool hw)
{
	static struct why_branch all[2 * BLOCKS];
	static struct failure call;
	const struct deep_options opts = {.runs = runs, .progress = machine_told};
	const struct probes_options probes_opts = {.symbols = machine.symbols,
						   .kprobes = machine.kprobes};
	struct probes probes = {.opts = &probes_opts,
				.text = {.read = machine_read_code},
				.events = (void *)&probes};
	struct why_hit *hit = calloc(1, sizeof(*hit));
	struct answer answer = {.state = ORIGIN_FOUND, .has_lbr = true, .runs = 3, .hit = hit};
	const struct command command = {};
	struct errmsg msg = {};
	size_t total = machine_execution(0, all);

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
void assert_path(const struct deep_path *path, size_t first)
{
	static struct why_branch all[2 * BLOCKS];
	size_t total = machine_execution(0, all), sum = 0;

	assert_int_equal(path->count, total - first);
	assert_memory_equal(path->branches, all + first, path->count * sizeof(*all));
	for (size_t i = 0; i < path->segment_count; i++)
		sum += path->segments[i].count;
	assert_int_equal(sum, path->count);
}

unsigned int machine_seed;

/* MurmurHash3's finalizer. */
unsigned int machine_draws(unsigned int run, unsigned int of)
{
	uint32_t x = run * 2654435761u + machine_seed * 40503u + 1;

	x = (x ^ x >> 16) * 0x85ebca6bu;
	x = (x ^ x >> 13) * 0xc2b2ae35u;
	return (x ^ x >> 16) % of == 0;
}

unsigned int each_second(unsigned int run)
{
	return run % 2;
}

unsigned int half(unsigned int run)
{
	return machine_draws(run, 2);
}

unsigned int each_fifth(unsigned int run)
{
	return machine_draws(run, 5);
}

bool machine_took_all(const struct deep_path *path)
{
	static struct why_branch all[2 * BLOCKS];

	for (unsigned int run = 0; run <= machine.runs; run++) {
		size_t total = machine_execution(run, all);

		if (path->count <= total &&
		    !memcmp(path->branches, all + total - path->count, path->count * sizeof(*all)))
			return true;
	}
	return false;
}

/* @of_150: the name of the function of blocks 150 to 159; NULL: one of no meaning */
static int machine_make(const char *of_150)
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

int setup(void **state)
{
	return machine_make(NULL);
}

int setup_handler(void **state)
{
	return machine_make("__rcu_read_unlock");
}

int teardown(void **state)
{
	symbols_close(machine.symbols);
	return 0;
}
