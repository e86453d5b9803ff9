// SPDX-License-Identifier: GPL-2.0
#include "why/proof/deep_check.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cfg/code.h"
#include "disasm/fetch.h"
#include "disasm/operand.h"
#include "symbolize/place.h"
#include "util/address.h"
#include "util/cleanup.h"
#include "util/vector.h"
#include "why/deep/deep_compute.h"

/* "call rel32", and the NOP that the kernel writes over one that is switched off. */
#define CALL_BYTES DEEP_CALL_BYTES
/* Opcode, ModRM and 4 bytes: a shorter instruction does the same at any address. */
#define RIP_RELATIVE_BYTES_MIN 6

static bool has(const uint64_t *addrs, size_t count, uint64_t addr)
{
	return count && bsearch(&addr, addrs, count, sizeof(addr), address_compare);
}

static int add_step(struct deep_check *check, uint64_t addr, size_t at)
{
	if (vector_grow(&check->steps, check->step_count, sizeof(*check->steps)))
		return -ENOMEM;
	check->steps[check->step_count++] = (struct deep_step){.addr = addr,
							       .at = at,
							       .since = check->since,
							       .sp = check->sp,
							       .stack = check->stack};
	return 0;
}

/* After an unknown value, the stack pointer can only be compared with that of later steps. */
static void move_stack(struct deep_check *check, const uint8_t *bytes, const struct insn *insn)
{
	int64_t change;

	if (insn_stack_change(bytes, insn->len, &change))
		check->sp += (uint64_t)change;
	else
		check->stack++;
}

/* @next: 0: the code cannot be read, or does not lead to the next branch */
static int add_fork(struct deep_check *check, size_t branch, uint64_t next, uint64_t other)
{
	if (vector_grow(&check->forks, check->fork_count, sizeof(*check->forks)))
		return -ENOMEM;
	check->forks[check->fork_count++] = (struct deep_fork){
		.step = check->step_count - 1, .branch = branch, .next = next, .other = other};
	return 0;
}

static int add_return(struct deep_check *check, uint64_t addr)
{
	if (vector_grow(&check->returns, check->return_count, sizeof(*check->returns)))
		return -ENOMEM;
	check->returns[check->return_count++] = (struct deep_return){
		.addr = addr, .step = check->step_count, .since = check->since};
	check->since = check->step_count;
	return 0;
}

/*
 * Does this function let other tasks run, or report that it did? As in an interrupt, the task does
 * nothing there that its caller could see, but for a result that says so.
 */
static bool may_reschedule(const struct deep_check *check, uint64_t addr)
{
	static const char *const names[] = {"__cond_resched", "__rcu_read_unlock"};
	struct symbol sym;

	if (symbols_find(check->symbols, addr, &sym))
		return false;
	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		if (!strcmp(sym.name, names[i]))
			return true;
	return false;
}

/* The newest call returns at the next step. A reschedule in it comes back to the path there. */
static void end_call(struct deep_check *check, const struct deep_return *call)
{
	for (size_t i = check->fork_count; i-- > 0 && check->forks[i].step >= call->step;) {
		struct deep_fork *fork = &check->forks[i];

		if (!fork->back && may_reschedule(check, check->steps[fork->step].addr))
			fork->back = check->step_count;
	}
}

/* A jump to another function counts as a call of that function. */
static void jump(struct deep_check *check, uint64_t from, uint64_t to)
{
	struct symbol one, other;

	if (symbols_find(check->symbols, from, &one) || symbols_find(check->symbols, to, &other) ||
	    one.addr != other.addr)
		check->since = check->step_count;
}

/* A return that enters a function, as in a thunk; or one from a call that began before the path. */
static void return_elsewhere(struct deep_check *check, uint64_t to, bool from_known)
{
	struct symbol sym;

	check->since = from_known || symbols_find(check->symbols, to, &sym) || sym.addr == to
			       ? check->step_count
			       : 0;
}

static enum place place_at(const struct deep_check *check, uint64_t addr)
{
	struct symbol sym;

	return symbols_find(check->symbols, addr, &sym) ? PLACE_ORDINARY
							: place_of_symbol(sym.name, 0);
}

/*
 * A return thunk of AMD calls its other half. That drops the return address of this call, and
 * returns to the function's caller: Documentation/admin-guide/hw-vuln/srso.rst.
 */
static void drop_thunk(struct deep_check *check, uint64_t from, uint64_t to)
{
	size_t newest = check->return_count - 1;

	if (!check->return_count || check->returns[newest].addr == to ||
	    place_at(check, check->returns[newest].addr) != PLACE_RETURN_THUNK ||
	    !place_is_thunk(place_at(check, from)))
		return;
	check->since = check->returns[newest].since;
	check->return_count = newest;
}

/*
 * Branch @at of the path does not return from the newest call. A retpoline overwrites the return
 * address of its own call. A tracer's hook returns to the caller later. If neither is the reason,
 * the path has the call of one execution and the return of another: no run takes it.
 */
static void pop_unreturned(struct deep_check *check, const struct text_source *text, size_t at,
			   uint64_t from)
{
	uint64_t call;

	if (!check->return_count)
		return;
	if (place_is_thunk(place_at(check, check->returns[check->return_count - 1].addr))) {
		check->return_count--;
	} else if (place_at(check, from) != PLACE_INDIRECT_THUNK &&
		   deep_call_before(text, check->known.branches[at].to, &call)) {
		check->return_count = 0;
		check->impossible = at;
	}
}

/*
 * Add the branch that ends what is executed after branch @at. A return from a call on the path
 * cannot go elsewhere. One that enters another function, as in a thunk, can.
 */
static int add_last(struct deep_check *check, const struct text_source *text, size_t at,
		    const struct insn *insn)
{
	uint64_t next = check->known.branches[at + 1].to, after = insn->addr + insn->len;
	size_t in_call;
	int err;

	switch (insn->class) {
	case INSN_COND:
		jump(check, insn->addr, next);
		return add_fork(check, at + 1, next, after);
	case INSN_JMP:
		jump(check, insn->addr, next);
		return 0;
	case INSN_CALL:
		return add_return(check, after);
	case INSN_ICALL:
		err = add_return(check, after);
		return err ?: add_fork(check, at + 1, next, 0);
	case INSN_RET:
		drop_thunk(check, insn->addr, next);
		in_call = check->return_count;
		if (in_call && check->returns[in_call - 1].addr == next) {
			end_call(check, &check->returns[--check->return_count]);
			check->since = check->returns[check->return_count].since;
			return 0;
		}
		pop_unreturned(check, text, at + 1, insn->addr);
		return_elsewhere(check, next, in_call);
		return add_fork(check, at + 1, next, 0);
	default:
		jump(check, insn->addr, next);
		return add_fork(check, at + 1, next, 0);
	}
}

/* The path goes on after this call as if it had done nothing. */
static int add_wait(struct deep_check *check, const struct deep_interrupt *cut)
{
	if (vector_grow(&check->waits, check->wait_count, sizeof(*check->waits)))
		return -ENOMEM;
	check->waits[check->wait_count++] =
		(struct deep_wait){.step = check->step_count - 1, .woke = cut->woke};
	return 0;
}

/* Add what is executed after branch @at. */
static int add_block(struct deep_check *check, const struct text_source *text, size_t at)
{
	const struct deep_known *known = &check->known;
	bool newest = at + 1 == known->count;
	uint64_t addr = known->branches[at].to;
	uint64_t last = newest ? known->end : known->branches[at + 1].from;

	for (;;) {
		uint8_t bytes[INSN_LEN_MAX];
		struct insn insn;
		int err = add_step(check, addr, at);

		if (err || (newest && addr == last))
			return err;
		if (addr > last || insn_fetch(text, addr, bytes, &insn)) {
			check->since = check->step_count;
			check->stack++;
			return add_fork(check, at + 1, 0, 0);
		}
		/* A call in the middle is left out: it has returned, and the stack is as before. */
		if (addr == last || insn.class != INSN_CALL)
			move_stack(check, bytes, &insn);
		if (addr == last)
			return add_last(check, text, at, &insn);
		addr += insn.len;
		if (insn.class == INSN_COND)
			err = add_fork(check, at + 1, addr, insn.target);
		else if (insn.class == INSN_CALL && deep_cut_at(known, addr))
			err = add_wait(check, deep_cut_at(known, addr));
		if (err)
			return err;
	}
}

/* The instruction that is executed next, if the one at @addr has no other effect; else 0. */
static uint64_t goes_on_idly(const struct text_source *text, uint64_t addr)
{
	uint8_t bytes[INSN_LEN_MAX];
	struct insn insn;

	if (insn_fetch(text, addr, bytes, &insn))
		return 0;
	if (insn.flags & INSN_F_NOP)
		return addr + insn.len;
	return insn.class == INSN_JMP ? insn.target : 0;
}

/* Does an instruction of this kind set the flags that the branch of @fork tests? */
static bool is_set_by(const struct deep_check *check, const struct text_source *text,
		      const struct deep_fork *fork, bool (*kind)(const void *bytes, size_t len))
{
	for (size_t i = 1; i <= DEEP_FURTHER_MAX && i <= fork->step; i++) {
		uint8_t bytes[INSN_LEN_MAX];
		struct insn insn;

		if (insn_fetch(text, check->steps[fork->step - i].addr, bytes, &insn) ||
		    insn.class != INSN_OTHER)
			return false;
		if (insn.flags_written)
			return kind(bytes, insn.len);
	}
	return false;
}

/*
 * Does the branch of @fork test the count that preempt_enable() decremented? DEC on another per-CPU
 * variable is not followed by a branch.
 */
static bool asks_count(const struct deep_check *check, const struct text_source *text,
		       const struct deep_fork *fork)
{
	return is_set_by(check, text, fork, insn_is_percpu_dec);
}

/*
 * Whether rcu_read_unlock() ends the outermost section is no fork: on a path from the entry it
 * follows from the sections that the path begins and ends.
 */
static bool is_decided(const struct deep_check *check, const struct text_source *text,
		       const struct deep_fork *fork)
{
	struct symbol sym;

	return !symbols_find(check->symbols, check->steps[fork->step].addr, &sym) &&
	       !strcmp(sym.name, "__rcu_read_unlock") &&
	       is_set_by(check, text, fork, insn_is_memory_dec);
}

static void drop_decided(struct deep_check *check, const struct text_source *text)
{
	size_t kept = 0;

	for (size_t i = 0; i < check->fork_count; i++)
		if (!is_decided(check, text, &check->forks[i]))
			check->forks[kept++] = check->forks[i];
	check->fork_count = kept;
}

/*
 * Does it call the scheduler? Or does this kernel's configuration switch that off? The NOP in its
 * place looks like that of a static key or a tracepoint: the test before it tells.
 */
static bool is_preempt(const struct deep_check *check, const struct text_source *text,
		       const struct deep_fork *fork, const struct insn *insn)
{
	struct symbol sym;

	if (insn->class == INSN_CALL)
		return !symbols_find(check->symbols, insn->target, &sym) &&
		       strstr(sym.name, "preempt_schedule");
	return insn->flags & INSN_F_NOP && insn->len == CALL_BYTES && asks_count(check, text, fork);
}

/* The first step from number @step on that has an effect; the step count: there is none. */
static size_t skip_idle(const struct deep_check *check, const struct text_source *text, size_t step)
{
	while (step < check->step_count && goes_on_idly(text, check->steps[step].addr))
		step++;
	return step;
}

/* The step at @addr, from @step up to the first that has an effect; 0: there is none. */
static size_t step_at(const struct deep_check *check, const struct text_source *text, size_t step,
		      uint64_t addr)
{
	size_t busy = skip_idle(check, text, step);

	for (; step <= busy && step < check->step_count; step++)
		if (check->steps[step].addr == addr)
			return step;
	return 0;
}

/* Bytes of the instructions at these two addresses, if they do the same; else 0. */
static size_t same_insn(const struct text_source *text, uint64_t a, uint64_t b)
{
	uint8_t bytes[2][INSN_LEN_MAX];
	struct insn insns[2];

	if (insn_fetch(text, a, bytes[0], &insns[0]) || insn_fetch(text, b, bytes[1], &insns[1]))
		return 0;
	if (insns[0].class != INSN_OTHER || insns[0].len != insns[1].len ||
	    insns[0].len >= RIP_RELATIVE_BYTES_MIN)
		return 0;
	return memcmp(bytes[0], bytes[1], insns[0].len) ? 0 : insns[0].len;
}

/*
 * Find the step where the way that goes on at @addr comes back to the path. Before that it may do
 * what the path does after @fork: compilers duplicate the end of a function. 0: there is none.
 */
static size_t find_back(const struct deep_check *check, const struct text_source *text,
			const struct deep_fork *fork, uint64_t addr)
{
	size_t step = fork->step + 1;

	for (int i = 0; i < DEEP_FURTHER_MAX; i++) {
		size_t back = step_at(check, text, step, addr), len;
		uint64_t idle = goes_on_idly(text, addr);

		if (back)
			return back;
		if (idle) {
			addr = idle;
			continue;
		}
		step = skip_idle(check, text, step);
		len = step < check->step_count ? same_insn(text, check->steps[step].addr, addr) : 0;
		if (!len)
			return 0;
		step++;
		addr += len;
	}
	return 0;
}

/*
 * preempt_enable(): if another task is to run, a conditional branch leads to a call of the
 * scheduler, and that comes back to where the path goes on. If the other way did more than that,
 * the run would not be on the path.
 */
static void find_preempt(const struct deep_check *check, const struct text_source *text,
			 struct deep_fork *fork)
{
	uint64_t addr = fork->other;
	uint8_t bytes[INSN_LEN_MAX];
	struct insn insn;

	if (!addr || insn_fetch(text, addr, bytes, &insn) || !is_preempt(check, text, fork, &insn))
		return;
	fork->back = find_back(check, text, fork, addr + insn.len);
	fork->quiet = fork->back && insn.class != INSN_CALL;
}

/* Follow the other way of @fork as far as the text tells. */
static void find_leads(const struct deep_check *check, const struct text_source *text,
		       struct deep_fork *fork)
{
	uint64_t addr = fork->other;

	for (int i = 0; i < DEEP_FURTHER_MAX && addr; i++) {
		if (deep_check_comes_by(check, addr)) {
			fork->leads = addr;
			return;
		}
		addr = deep_goes_on(text, addr);
	}
}

static int compare_steps(const void *a, const void *b, void *steps)
{
	size_t left = *(const size_t *)a, right = *(const size_t *)b;
	const struct deep_step *one = (const struct deep_step *)steps + left,
			       *other = (const struct deep_step *)steps + right;

	return address_compare(&one->addr, &other->addr) ?: (left > right) - (left < right);
}

static int gather_addrs(struct deep_check *check)
{
	check->addrs = calloc(check->step_count + 1, sizeof(*check->addrs));
	check->anchors = calloc(check->step_count + 1, sizeof(*check->anchors));
	check->by_addr = calloc(check->step_count + 1, sizeof(*check->by_addr));
	if (!check->addrs || !check->anchors || !check->by_addr)
		return -ENOMEM;
	for (size_t i = 0; i < check->step_count; i++)
		check->by_addr[i] = i;
	qsort_r(check->by_addr, check->step_count, sizeof(*check->by_addr), compare_steps,
		check->steps);
	for (size_t i = 0; i < check->step_count; i++) {
		uint64_t addr = check->steps[check->by_addr[i]].addr;

		if (!i || addr != check->addrs[check->addr_count - 1])
			check->addrs[check->addr_count++] = addr;
	}
	return 0;
}

/** struct function - the decoded function that an address is in; @targets: of its jumps, ascending
 */
struct function {
	struct code *code;
	uint64_t *targets;
	size_t target_count;
};

static void clear_function(struct function *function)
{
	code_free(function->code);
	free(function->targets);
	*function = (struct function){};
}

/* Return: 0; -ENOMEM; another errno: not all that leads to its instructions is known. */
static int load_function(struct function *function, const struct text_source *text,
			 struct symbols *symbols, uint64_t addr)
{
	struct symbol sym;
	int err;

	clear_function(function);
	err = symbols_find(symbols, addr, &sym)
		      ?: code_load_symbol(text, symbols, &sym, &function->code);
	if (err)
		return err;
	if (function->code->truncated || function->code->breakpoint)
		return -ENODATA;
	function->targets = calloc(function->code->count + 1, sizeof(*function->targets));
	if (!function->targets)
		return -ENOMEM;
	for (size_t i = 0; i < function->code->count; i++) {
		const struct insn *insn = &function->code->insns[i];

		if (insn->has_target && insn->class != INSN_CALL)
			function->targets[function->target_count++] = insn->target;
	}
	qsort(function->targets, function->target_count, sizeof(*function->targets),
	      address_compare);
	return 0;
}

/*
 * Is the instruction behind @addr executed after that one alone? Indirect jumps lead to functions:
 * arch/x86/Makefile has -fno-jump-tables.
 */
static bool is_anchor(const struct function *function, uint64_t addr)
{
	const struct insn *insn = code_find(function->code, addr);

	return insn && insn->class == INSN_OTHER && code_find(function->code, addr + insn->len) &&
	       !has(function->targets, function->target_count, addr + insn->len) &&
	       !code_is_fixup(function->code, addr + insn->len);
}

static int find_anchors(struct deep_check *check, const struct text_source *text)
{
	struct function function = {};
	int err = 0;

	for (size_t i = 0; i < check->addr_count; i++) {
		uint64_t addr = check->addrs[i];

		if (!function.code || !code_has(function.code, addr))
			err = load_function(&function, text, check->symbols, addr);
		if (err == -ENOMEM)
			break;
		check->anchors[i] =
			!err && deep_skip_unfit(text, addr) == addr && is_anchor(&function, addr);
	}
	clear_function(&function);
	return err == -ENOMEM ? err : 0;
}

int deep_check_make(const struct text_source *text, struct symbols *symbols,
		    const struct deep_known *known, bool whole, struct deep_check *ret)
{
	int err = 0;

	*ret = (struct deep_check){.symbols = symbols, .known = *known};
	for (size_t at = 0; !err && at < known->count; at++)
		err = add_block(ret, text, at);
	if (whole)
		drop_decided(ret, text);
	for (size_t i = 0; !err && i < ret->fork_count; i++)
		if (!ret->forks[i].back)
			find_preempt(ret, text, &ret->forks[i]);
	if (!err)
		deep_check_find_sources(ret, text);
	err = err ?: gather_addrs(ret) ?: find_anchors(ret, text);
	for (size_t i = 0; !err && i < ret->fork_count; i++)
		find_leads(ret, text, &ret->forks[i]);
	if (err)
		deep_check_clear(ret);
	return err;
}

bool deep_check_comes_by(const struct deep_check *check, uint64_t addr)
{
	return has(check->addrs, check->addr_count, addr);
}

size_t deep_check_last_by(const struct deep_check *check, uint64_t addr, size_t step)
{
	size_t low = 0, high = check->step_count;

	while (low < high) {
		size_t middle = low + (high - low) / 2, number = check->by_addr[middle];
		uint64_t here = check->steps[number].addr;

		if (here < addr || (here == addr && number <= step))
			low = middle + 1;
		else
			high = middle;
	}
	return low && check->steps[check->by_addr[low - 1]].addr == addr ? check->by_addr[low - 1]
									 : SIZE_MAX;
}

bool deep_check_is_anchor(const struct deep_check *check, size_t step)
{
	size_t at = address_upper_bound(check->addrs, check->addr_count, sizeof(*check->addrs),
					check->steps[step].addr);

	return check->anchors[at - 1];
}

bool deep_check_has(const struct deep_check *check, uint64_t addr)
{
	return has(check->armed, check->armed_count, addr);
}

void deep_check_clear(struct deep_check *check)
{
	free(check->steps);
	free(check->addrs);
	free(check->anchors);
	free(check->by_addr);
	free(check->forks);
	free(check->waits);
	free(check->returns);
	free(check->armed);
	*check = (struct deep_check){};
}
