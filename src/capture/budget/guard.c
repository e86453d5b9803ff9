// SPDX-License-Identifier: GPL-2.0
#include "capture/budget/guard.h"

#include <bpf/libbpf.h>
#include <errno.h>
#include <sched.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "capture/attach.h"
#include "util/cleanup.h"
#include "util/clock.h"

#define CALIBRATION_CALLS  100
#define CALIBRATION_ROUNDS 3

/* The quickest of some rounds: what disturbed the others is not the price of a hit. */
static uint64_t time_calls(void)
{
	uint64_t best = UINT64_MAX;

	for (int round = 0; round < CALIBRATION_ROUNDS; round++) {
		uint64_t start = clock_ns(CLOCK_MONOTONIC), took;

		for (int i = 0; i < CALIBRATION_CALLS; i++)
			syscall(SYS_getppid);
		took = clock_ns(CLOCK_MONOTONIC) - start;
		if (took < best)
			best = took;
	}
	return best;
}

int guard_calibrate(struct guard *guard, struct bpf_program *prog, uint64_t addr)
{
	struct hw_site site = {};
	cpu_set_t before, here;
	uint64_t without, with, hits;
	int cpu = sched_getcpu(), err = 0;

	guard->hit_ns = GUARD_HIT_NS;
	guard->measured = false;
	if (!addr || cpu < 0 || cpu >= CPU_SETSIZE || sched_getaffinity(0, sizeof(before), &before))
		return 0;
	CPU_ZERO(&here);
	CPU_SET(cpu, &here);
	if (sched_setaffinity(0, sizeof(here), &here))
		return 0;
	without = time_calls();
	if (!attach_breakpoint(prog, addr, cpu, 0, &site, NULL)) {
		with = time_calls();
		if (read(site.fd, &hits, sizeof(hits)) == sizeof(hits) && !hits)
			err = -EOPNOTSUPP;
		bpf_link__destroy(site.link);
		if (with > without && !err) {
			guard->hit_ns = (with - without) / CALIBRATION_CALLS;
			guard->measured = true;
		}
	}
	sched_setaffinity(0, sizeof(before), &before);
	return err;
}

bool guard_over_budget(struct guard *guard, const uint64_t *hits, size_t cpus, uint64_t now,
		       int *ret_cpu, double *ret_rate, double *ret_share)
{
	double seconds = (now - guard->last_ns) / 1e9, highest = 0;
	bool first = !guard->last_ns;

	if (!guard->last) {
		guard->last = calloc(cpus, sizeof(*guard->last));
		if (!guard->last)
			return false;
		guard->cpus = cpus;
	}
	for (size_t cpu = 0; cpu < guard->cpus; cpu++) {
		double rate = (hits[cpu] - guard->last[cpu]) / seconds;

		guard->last[cpu] = hits[cpu];
		if (first || rate <= highest)
			continue;
		highest = rate;
		*ret_cpu = cpu;
	}
	guard->last_ns = now;
	*ret_rate = highest;
	*ret_share = highest * guard->hit_ns / 1e9;
	return !first && guard->budget > 0 && *ret_share > guard->budget;
}

void guard_deinit(struct guard *guard)
{
	free(guard->last);
	guard->last = NULL;
}
