/* SPDX-License-Identifier: GPL-2.0 */
/*
 * capture.h - the live source of snapshots: arm probes, switch the LBR on, read the ring buffer
 */
#ifndef LBRSNOOP_CAPTURE_CAPTURE_H
#define LBRSNOOP_CAPTURE_CAPTURE_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

#include "snapshot/probe.h"
#include "snapshot/snapshot.h"
#include "symbolize/symbolize.h"
#include "symbolize/user/userspace.h"
#include "util/errmsg.h"

#define ERRNO_WORDS 64	/* 4096 bits */
#define CPU_WORDS   128 /* 8192 bits */

/**
 * struct capture_options - what to capture
 * @errno_filter: only returns that are an error in @errnos
 * @errno_any: every errno is
 * @errnos: bit n: errno n
 * @pid: only this process (thread group), 0: all
 * @follow: of @pid: the children, too, that it forks from now on, and theirs
 * @cgroup, @cgroup_level: only tasks in this control group or below, by its ID, and its depth;
 *                           0: all
 * @comm: only tasks of this name, NULL: all; cut to 15 bytes as the kernel does
 * @cpu_filter: only CPUs in @cpus
 * @branch_types: PERF_SAMPLE_BRANCH_* for the LBR
 * @filter_name: the same in words, for snapshots; borrowed for the capture's life
 * @ring_bytes: size of the ring buffer, a power of two and multiple of the page size; 0: 4 MiB
 * @max_overhead: share of each CPU that hardware breakpoints may cost, 0.01 for 1 %; 0: no limit
 * @getppid_addr: entry of the system call getppid, where a hit's price is measured; 0: unknown
 * @no_breakpoints: why no hardware breakpoint can be had here, see breakpoint_check(); borrowed for
 *                  the capture's life; NULL: one has fired, or nothing is known
 * @flight_dir: keep the last @flight_slots snapshots there, in bpffs, see capture/flight.h, and
 * stay armed when this process dies; NULL: no flight recorder
 * @flight_only: ... and hand nothing out
 * @flight_limit: keep the first so many, and no more; 0: the last ones, without an end
 * @percpu_offsets: address of the kernel's __per_cpu_offset[], 0: unknown
 * @cpu_hw_events: offset of cpu_hw_events, the PMU driver's state, in a CPU's area; with
 *                 @percpu_offsets it tells how many entries the driver found
 * @kfence_pool: address of the kernel's __kfence_pool, 0: there is none
 * @user: told which processes map what, for user functions; borrowed; NULL: nobody asks
 * @stop: counts the signals that ask us to end, see multi_disarm(); NULL: nobody counts them
 * @gate: nothing is handed out until capture_gate() says how much
 * @arguments: of functions, where their programs have them: fexit
 * @without_lbr: load and attach only, for tests on machines without LBR
 */
struct capture_options {
	bool errno_filter;
	bool errno_any;
	uint64_t errnos[ERRNO_WORDS];
	uint32_t pid;
	bool follow;
	uint64_t cgroup;
	uint32_t cgroup_level;
	const char *comm;
	bool cpu_filter;
	uint64_t cpus[CPU_WORDS];
	uint64_t branch_types;
	const char *filter_name;
	uint32_t ring_bytes;
	double max_overhead;
	uint64_t getppid_addr;
	const char *no_breakpoints;
	const char *flight_dir;
	uint32_t flight_slots;
	bool flight_only;
	uint64_t flight_limit;
	uint64_t percpu_offsets;
	uint64_t cpu_hw_events;
	uint64_t kfence_pool;
	struct userspace *user;
	const volatile sig_atomic_t *stop;
	bool gate;
	bool arguments;
	bool without_lbr;
};

/**
 * struct capture_stats - what became of the events that matched
 * @written: records handed to the ring buffer
 * @ring_full: lost, no room in the ring buffer
 * @no_slot: lost, too many captures at once
 * @missed: lost, the kernel did not run the program because it ran already on that CPU
 * @skipped: hits of hardware breakpoints that no program looked at, so that nobody knows whether
 *           the filter wanted them; known when all is disarmed
 * @unseen: hits of kprobes and returns of kretprobes for which the kernel ran no program, see
 *          link_missed(): nobody knows whether the filter wanted them; known when all is disarmed
 * @throttled: times that the kernel stopped a perf event until the next tick, see
 *             event_throttled(); known when all is disarmed
 * @malformed: records that were not understood
 * @gated: matched, and not handed out because capture_gate() allowed no more
 * @unfollowed: children of @follow that nothing is known of: too many processes at once
 * @passed_on: returns of functions that passed on a failure which was captured where it began
 */
struct capture_stats {
	uint64_t written;
	uint64_t ring_full;
	uint64_t no_slot;
	uint64_t missed;
	uint64_t skipped;
	uint64_t unseen;
	uint64_t throttled;
	uint64_t malformed;
	uint64_t gated;
	uint64_t unfollowed;
	uint64_t passed_on;
};

struct capture;

/**
 * capture_create() - load the programs and arm the probes; the LBR stays off
 * @probes: borrowed for the capture's life; a probe that had to fall back to another kind of
 *          trigger has its trigger.kind changed, one that could not be armed TRIGGER_NONE
 * @ret_capture: free with capture_destroy(), which disarms everything
 * Return: 0; -ENODEV: no usable LBR; -EPERM; else what failed, @msg says it.
 */
int capture_create(const struct capture_options *opts, struct probe_list *probes,
		   struct capture **ret_capture, struct errmsg *msg);

/**
 * capture_flight_describe() - tell a flight recorder what its records' addresses are
 * @symbols: of the running kernel, our programs in it; borrowed for the capture's life
 * Return: 0; -ENOMEM. Does nothing without a flight recorder.
 */
int capture_flight_describe(struct capture *capture, struct symbols *symbols);

/** capture_flight_stopped() - has somebody disarmed our flight recorder (record --flight --stop)?
 */
bool capture_flight_stopped(const struct capture *capture);

/** capture_start() - switch the LBR on; 0 or as capture_create() */
int capture_start(struct capture *capture, struct errmsg *msg);

/** capture_begin() - what is captured from now on counts; what was until now is dropped */
void capture_begin(struct capture *capture);

/**
 * capture_gate() - how many more snapshots are wanted; presets, which are rare, do not ask
 * @tokens: replaces what is left of those allowed before; the others are counted, and cost this
 *          process nothing. No snapshot is taken of them, but by a hardware breakpoint: without
 *          one the LBR would stay off.
 */
void capture_gate(struct capture *capture, int64_t tokens);

/**
 * typedef capture_fn - called for each snapshot
 * @snap: valid during the call; branches decoded, not yet trimmed. NULL: nothing more is waiting
 *        now, and something was handed out since it was NULL last
 * Return: 0 to go on; anything else ends capture_poll(), which returns it.
 */
typedef int capture_fn(struct snapshot *snap, void *ctx);

/**
 * capture_poll() - wait for snapshots, hand them out, follow CPU hotplug
 * @timeout_ms: how long to wait at most
 * Return: 0; what @fn returned; -EINTR if a signal came.
 */
int capture_poll(struct capture *capture, int timeout_ms, capture_fn *fn, void *ctx);

/**
 * capture_watch() - follow hotplug, and keep the budget, while capture_poll() is not called, or
 * waits for its @fn to return
 */
void capture_watch(struct capture *capture);

/** capture_revive() - switch the LBR of a CPU on again, which something else has switched off */
void capture_revive(struct capture *capture, int cpu);

/** capture_stop() - disarm the probes and switch the LBR off; records can still be polled */
void capture_stop(struct capture *capture);

void capture_stats(struct capture *capture, struct capture_stats *ret_stats);

/** capture_lbr() - the LBR of this host */
const struct lbr_info *capture_lbr(const struct capture *capture);

/**
 * capture_filter() - what the filter does to the branches
 * @ret_filtered: Linux sorts entries out afterwards, and leaves holes
 * @ret_path_ok: they are contiguous
 */
void capture_filter(const struct capture *capture, bool *ret_filtered, bool *ret_path_ok);

/** lbr_depth() - entries of this host's LBR, as the kernel's driver knows them; 0 if it has none */
uint32_t lbr_depth(void);

/**
 * open_breakpoint() - hold a debug register, for an address in kernel text
 * Return: file descriptor, closing it frees the register; negative errno.
 */
int open_breakpoint(uint64_t addr, int cpu);

/**
 * perf_event_there() - can a perf event be opened here, on the first CPU?
 * @type, @config, @period: as in struct perf_event_attr
 * Return: 0; -ENOENT, -EPERM or another negative errno, @msg says why not.
 */
int perf_event_there(uint32_t type, uint64_t config, uint64_t period, struct errmsg *msg);

/** capture_filters_in_software() - the CPU has no filter; Linux throws entries out of its LBR */
bool capture_filters_in_software(const struct capture *capture);

/** capture_armed() - number of probes armed */
size_t capture_armed(const struct capture *capture);

/** capture_warning() - first probe or CPU that could not be armed, and why; NULL if none */
const char *capture_warning(const struct capture *capture);

/** capture_guard_said() - what was disarmed, or given a cheaper trigger, one at a time; NULL: no
 * more */
const char *capture_guard_said(struct capture *capture);

/** capture_hit_ns() - what one hit of a hardware breakpoint costs here; 0 if none is armed */
uint64_t capture_hit_ns(const struct capture *capture);

void capture_destroy(struct capture *capture);

#endif
