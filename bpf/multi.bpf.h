/* SPDX-License-Identifier: GPL-2.0 */
/*
 * multi.bpf.h - failures that are on their way out through their callers
 *
 * With many functions traced, one failure is seen at the return of each function that passes the
 * errno on. The first of them, the innermost, is the one to show. What tells a caller that passes
 * an errno on from a function that fails next with the same errno is the stack: the caller's frame
 * was there when the failure was seen, so it returns to an address of that stack, and its stack
 * pointer is higher. A caller that ended with a jump to the function (a tail call) returns together
 * with it, to the same place.
 */
#ifndef LBRSNOOP_BPF_MULTI_H
#define LBRSNOOP_BPF_MULTI_H

#include "snapshot.bpf.h"

#define MULTI_TASKS    2048 /* tasks within a system call that had a failure */
#define MULTI_FAILURES 4    /* of one task, of different errnos; a power of two */
#define MULTI_FRAMES   64
#define MULTI_TAILS    4 /* functions that one return ends */

/**
 * struct multi_failure - a failure that was shown
 * @err: the return value, negative; 0: none
 * @sp: stack pointer behind the return that was seen last
 * @ip: where that went
 * @funcs: that have returned there; @func_count of them
 * @frames: of @stack
 * @stack: return addresses at the innermost function's return
 */
struct multi_failure {
	__s64 err;
	__u64 sp;
	__u64 ip;
	__u64 func_count;
	__u64 funcs[MULTI_TAILS];
	__u64 frames;
	__u64 stack[MULTI_FRAMES];
};

/** struct multi_task - @next: the slot that the next failure overwrites */
struct multi_task {
	__u64 next;
	struct multi_failure failures[MULTI_FAILURES];
};

struct multi_task_map {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, MULTI_TASKS);
	__type(key, __u32);
	__type(value, struct multi_task);
};

struct multi_task_map multi_tasks SEC(".maps");

__u32 multi_on;	  /* what returns now is worth looking at */
__u64 multi_open; /* entries of the map: while it is 0, a return that is no error looks up nothing
		   */
__u64 multi_passed_on; /* returns of callers that passed on a failure that was shown */

static const struct multi_task no_failures;

/* The idle tasks of all CPUs share thread id 0. */
static __always_inline __u32 multi_key(void)
{
	__u32 tid = bpf_get_current_pid_tgid();

	return tid ?: 1u << 31 | bpf_get_smp_processor_id();
}

/*
 * Was the function that returns now, to ctx->ip, one of those that were on the stack when the
 * failure was seen? Kernels whose return hook does not know that address (6.14 and later: fprobe on
 * the function graph tracer) leave only the stack pointer to tell.
 */
static __always_inline bool was_on_stack(const struct multi_failure *failure, struct pt_regs *ctx)
{
	__u64 ip = ctx->ip;

	if (ctx->sp <= failure->sp)
		return false;
	if (!(ip >> 63) || !failure->frames)
		return true;
#pragma clang loop unroll(disable)
	for (__u32 i = 1; i < MULTI_FRAMES; i++) {
		if (i >= failure->frames)
			break;
		if (failure->stack[i] == ip)
			return true;
	}
	return false;
}

static __always_inline void note_return(struct multi_failure *failure, struct pt_regs *ctx)
{
	failure->sp = ctx->sp;
	failure->ip = ctx->ip;
	failure->funcs[0] = bpf_get_func_ip(ctx);
	failure->func_count = 1;
}

/* To where the failure has got; a tail call's caller returns there at once, a new call later. */
static __always_inline bool is_there(const struct multi_failure *failure, struct pt_regs *ctx)
{
	return ctx->sp == failure->sp && ctx->ip == failure->ip;
}

/* Has the function returned there before, it was called again. */
static __always_inline bool is_tail_caller(struct multi_failure *failure, struct pt_regs *ctx)
{
	__u64 func = bpf_get_func_ip(ctx), count = failure->func_count;

	if (!is_there(failure, ctx))
		return false;
	for (int i = 0; i < MULTI_TAILS; i++)
		if (i < count && failure->funcs[i] == func)
			return false;
	if (count >= MULTI_TAILS)
		return false;
	failure->funcs[count & (MULTI_TAILS - 1)] = func;
	failure->func_count = count + 1;
	return true;
}

/* Does this return pass on a failure that was shown? */
static __always_inline bool passes_on(struct pt_regs *ctx, __s64 ret)
{
	__u32 key = multi_key();
	struct multi_task *task;

	if (!multi_open)
		return false;
	task = bpf_map_lookup_elem(&multi_tasks, &key);
	if (!task)
		return false;
#pragma clang loop unroll(disable)
	for (__u32 i = 0; i < MULTI_FAILURES; i++) {
		struct multi_failure *failure = &task->failures[i];

		if (failure->err != ret)
			continue;
		if (was_on_stack(failure, ctx)) {
			note_return(failure, ctx);
			return true;
		}
		if (is_tail_caller(failure, ctx))
			return true;
	}
	return false;
}

static __always_inline struct multi_task *multi_task_begin(void)
{
	__u32 key = multi_key();
	struct multi_task *task = bpf_map_lookup_elem(&multi_tasks, &key);

	if (task)
		return task;
	if (bpf_map_update_elem(&multi_tasks, &key, &no_failures, BPF_NOEXIST))
		return NULL;
	__sync_fetch_and_add(&multi_open, 1);
	return bpf_map_lookup_elem(&multi_tasks, &key);
}

/* Where there is no room, callers are shown, too. */
static __always_inline void note_failure(struct pt_regs *ctx, __s64 ret)
{
	struct multi_task *task = multi_task_begin();
	struct multi_failure *failure;
	long bytes;

	if (!task)
		return;
	failure = &task->failures[task->next++ & (MULTI_FAILURES - 1)];
	failure->err = ret;
	note_return(failure, ctx);
	failure->frames = 0;
	bytes = bpf_get_stack(ctx, failure->stack, sizeof(failure->stack), 0);
	if (bytes > 0)
		failure->frames = bytes / sizeof(failure->stack[0]);
}

/*
 * A function that was on the stack then returns something else, or the call that failed is made
 * once more and ends otherwise: the failure ends here.
 */
static __always_inline void end_failures(struct pt_regs *ctx, __s64 ret)
{
	__u32 key = multi_key();
	struct multi_task *task = bpf_map_lookup_elem(&multi_tasks, &key);

	if (!task)
		return;
#pragma clang loop unroll(disable)
	for (__u32 i = 0; i < MULTI_FAILURES; i++) {
		struct multi_failure *failure = &task->failures[i];

		if (failure->err && failure->err != ret &&
		    (was_on_stack(failure, ctx) || is_there(failure, ctx)))
			failure->err = 0;
	}
}

/* The task's call is over, or the task is. */
static __always_inline void forget_failures(void)
{
	__u32 key = multi_key();

	if (multi_open && !bpf_map_delete_elem(&multi_tasks, &key))
		__sync_fetch_and_add(&multi_open, -1);
}

#endif
