/* SPDX-License-Identifier: GPL-2.0 */
/*
 * watch.h - the programs of "lbrsnoop why" in the kernel: follow tasks, functions, errno sites
 *
 * The one user of bpf/why.bpf.c. Everything it attaches is held by file descriptors: when the
 * process dies, by whatever signal, the kernel disarms all of it.
 */
#ifndef LBRSNOOP_WHY_RUN_WATCH_H
#define LBRSNOOP_WHY_RUN_WATCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "util/errmsg.h"
#include "why_event.h"

struct btf;

/**
 * struct watch_options - whose system calls are watched
 * @comm: tasks of this name, or NULL
 * @cgroup: ID of a cgroup of version 2, 0: none
 * @cgroup_level: its depth below the root
 * @percpu_offsets, @cpu_hw_events: as in struct capture_options
 * @vmalloc_base: address of the kernel's variable, 0: it has none
 * @types: the kernel's, or NULL: they are read
 * @values: what watch_table() says is read
 * @points: watch_point() will be asked for
 * Without @comm and @cgroup: processes of watch_add(), and their children.
 */
struct watch_options {
	const char *comm;
	uint64_t cgroup;
	uint32_t cgroup_level;
	uint64_t percpu_offsets;
	uint64_t cpu_hw_events;
	uint64_t vmalloc_base;
	const struct btf *types;
	bool values;
	bool points;
};

/**
 * struct watch_site - an instruction to be watched
 * @addr: where it is
 * @err: positive errno that it loads
 * @reg: index into struct pt_regs of a register that must hold all ones, or SITE_REG_NONE
 * @hw: in: a hardware breakpoint is wanted; out: it has one
 * @or_hw: it may have one where a kprobe is refused
 * @failed: out: it could not be armed
 */
struct watch_site {
	uint64_t addr;
	uint16_t err;
	uint8_t reg;
	bool hw;
	bool or_hw;
	bool failed;
};

#define SITE_REG_NONE 0xff

struct watch;

/**
 * watch_create() - load the programs, attach those that follow tasks
 * @ret_watch: free with watch_destroy()
 * Return: 0; -EPERM; else what failed, @msg says it.
 */
int watch_create(const struct watch_options *opts, struct watch **ret_watch, struct errmsg *msg);

/** watch_destroy() - disarm all; NULL is fine */
void watch_destroy(struct watch *watch);

/** watch_add() - watch this process, and those that it starts; 0 or negative errno */
int watch_add(struct watch *watch, uint32_t pid);

/**
 * watch_functions() - report which of these functions are entered
 * @addrs: entries of functions, ascending; on return those armed come first, still ascending. Those
 *         that the kernel's tracer does not know are left out.
 * Return: functions armed; -EOPNOTSUPP if the kernel has no kprobe.multi; negative errno, with
 * @msg.
 */
int watch_functions(struct watch *watch, uint64_t *addrs, size_t count, struct errmsg *msg);

/** watch_functions_end() - no more */
void watch_functions_end(struct watch *watch);

/**
 * watch_sites() - arm sites more: those marked by breakpoints on each CPU, the others by kprobes
 * @first: number of the first of them, in the hits that it has
 * @lbr: take the branches at each breakpoint; the LBR has to be on
 * @kprobes: a site that gets no breakpoint gets a kprobe
 * Return: sites armed; negative errno with @msg if none could be.
 */
int watch_sites(struct watch *watch, struct watch_site *sites, size_t first, size_t count, bool lbr,
		bool kprobes, struct errmsg *msg);

/**
 * watch_table() - what is read from now on at each hit of site number @index
 * Return: 0; -E2BIG: there are no tables for so many sites; negative errno.
 */
int watch_table(struct watch *watch, size_t index, const struct why_read_table *table);

/**
 * watch_calls_quietly() - from now on nothing of ours runs between a call's entry and its error
 * What a process writes to its standard error, and what the kernel logs, is not told any more; a
 * call counts as begun when the one before it has ended.
 */
void watch_calls_quietly(struct watch *watch);

/**
 * watch_point() - tell each hit of a breakpoint at @addr with its branches, WHY_POINT
 * watch_sites_end() disarms it, too. Return: false if it could not be armed on every CPU.
 */
bool watch_point(struct watch *watch, uint64_t addr);

/**
 * watch_point_without_branches() - the same of a kprobe, which needs no debug register
 * Return: false if it could not be armed, most often that the kernel allows none there.
 */
bool watch_point_without_branches(struct watch *watch, uint64_t addr);

/**
 * watch_passes() - tell each hit of a kprobe at @addr, WHY_PASSED
 * watch_sites_end() disarms it, too. There may be hundreds.
 * @call_nr: number of the system calls in which hits are told, the same for all
 * Return: 0; negative errno, most often that the kernel allows no kprobe there.
 */
int watch_passes(struct watch *watch, uint64_t addr, uint32_t call_nr);

/**
 * watch_ends() - from now on a call that came by one of these points is told, whatever it returned
 * @count: WHY_ENDS_MAX at most
 */
void watch_ends(struct watch *watch, const uint64_t *addrs, size_t count);

/** watch_point_hits() - hits of all points so far, whoever made them, but for this process */
uint64_t watch_point_hits(const struct watch *watch);

/** watch_points_outside() - of these, those that watched tasks made, but in no system call */
uint64_t watch_points_outside(const struct watch *watch);

/** watch_passed_hits() - the same of the kprobes of watch_passes() */
uint64_t watch_passed_hits(const struct watch *watch);

/** watch_sites_end() - disarm them */
void watch_sites_end(struct watch *watch);

/** typedef watch_fn - called for each event; @event is valid during the call. Non-zero ends the
 * poll */
typedef int watch_fn(const struct why_event *event, size_t len, void *ctx);

/**
 * watch_poll() - hand out the events that there are, or wait @timeout_ms for some
 *
 * Return: 0; what @fn returned; -EINTR if a signal came.
 */
int watch_poll(struct watch *watch, int timeout_ms, watch_fn *fn, void *ctx);

/** watch_lost() - events that did not fit, or were malformed, so far */
uint64_t watch_lost(const struct watch *watch);

/** watch_calls_unwatched() - calls, so far, of threads beyond WHY_TASKS_MAX */
uint64_t watch_calls_unwatched(const struct watch *watch);

/** watch_calls_compat() - failing calls, so far, of 32-bit code: they are not told */
uint64_t watch_calls_compat(const struct watch *watch);

/** watch_processes_unwatched() - processes beyond WHY_PROCESSES_MAX that were started so far */
uint64_t watch_processes_unwatched(const struct watch *watch);

/** watch_netlink() - are acknowledgements of netlink seen? */
bool watch_netlink(const struct watch *watch);

#endif
