/* SPDX-License-Identifier: GPL-2.0 */
/*
 * guard.h - keeps hardware breakpoints within a budget of CPU time
 *
 * A debug exception with its snapshot costs microseconds, at every hit, wanted or not.
 */
#ifndef LBRSNOOP_CAPTURE_BUDGET_GUARD_H
#define LBRSNOOP_CAPTURE_BUDGET_GUARD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct bpf_program;

/**
 * struct guard - rate and price of the breakpoints
 * @hit_ns: what one hit costs on this host
 * @measured: @hit_ns was measured, else it is GUARD_HIT_NS
 * @budget: share of each CPU's time, 0.01 for 1 %; 0: no limit
 * @last: hits by CPU at the last look
 * @cpus: entries of @last
 * @last_ns: CLOCK_MONOTONIC of the last look, 0: none yet
 */
struct guard {
	uint64_t hit_ns;
	bool measured;
	double budget;
	uint64_t *last;
	size_t cpus;
	uint64_t last_ns;
};

/* Assumed where it cannot be measured: #DB entry and exit, and reading 3 x 32 MSRs. */
#define GUARD_HIT_NS 10000

/**
 * guard_calibrate() - measure what a hit costs, on this CPU, in some milliseconds
 * @prog: hw_calibrate, loaded
 * @addr: entry of the system call getppid, 0 if unknown
 * Return: 0; -EOPNOTSUPP: the kernel accepted the breakpoint, and counted no hit of it.
 */
int guard_calibrate(struct guard *guard, struct bpf_program *prog, uint64_t addr);

/**
 * guard_over_budget() - did the breakpoints cost any CPU more than its budget since the last look?
 * @hits: by CPU, as the BPF programs count them
 * @cpus: entries of @hits
 * @now_ns: CLOCK_MONOTONIC
 * @ret_cpu, @ret_rate, @ret_share: the busiest CPU, its hits per second, and the share of its
 *         time they cost
 */
bool guard_over_budget(struct guard *guard, const uint64_t *hits, size_t cpus, uint64_t now_ns,
		       int *ret_cpu, double *ret_rate, double *ret_share);

void guard_deinit(struct guard *guard);

#endif
