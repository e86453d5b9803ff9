/* SPDX-License-Identifier: GPL-2.0 */
/*
 * probes.h - what "lbrsnoop why" arms in the kernel, and what that tells
 *
 * Functions first: which of those that can make an error ran in a call that failed. Then sites:
 * which of their instructions made it. Both may be armed at once; but for a snapshot of the LBR
 * only sites may, because what watches functions fills it.
 */
#ifndef LBRSNOOP_WHY_RUN_PROBES_H
#define LBRSNOOP_WHY_RUN_PROBES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "symbolize/symbolize.h"
#include "symbolize/text/text.h"
#include "util/errmsg.h"
#include "why/candidates.h"
#include "why/failures.h"
#include "why/origin.h"
#include "why/run/function_log.h"
#include "why/run/unpatched.h"
#include "why/sites.h"
#include "why/run/watch.h"

struct lbr_events;

/* More sites than these cost more time to arm than the command takes to run. */
#define PROBES_SITES_MAX 256
/* Debug information is read for so many: those of the functions that ran last, one of which it is
 * most often. */
#define PROBES_SITES_NAMED 16

/**
 * struct probes_options - all borrowed
 * @no_breakpoints: why hardware breakpoints cannot be relied upon; NULL: they fire
 * @lines: for what has a name in the source at a site; or NULL
 * @kprobes: the kernel has kprobes
 * @lbr: the branches are wanted
 * @no_modules: functions of modules are not watched. kprobe.multi holds a reference on each module
 *	that it watches, which cannot be unloaded then (kernel/trace/bpf_trace.c,
 *	get_modules_for_addrs()).
 */
struct probes_options {
	struct watch_options watch;
	struct symbols *symbols;
	struct text *text;
	struct lines *lines;
	const char *no_breakpoints;
	bool kprobes;
	bool lbr;
	bool no_modules;
};

/**
 * struct probes - free with probes_close()
 * @unpatched: what stands under the kprobes of @sites
 * @text: of the kernel, without these
 * @candidates: functions that can make an error
 * @functions_armed: of them, those that are watched
 * @log_functions: the kernel has no kprobe.multi: functions are seen by @log
 * @sites: to be watched, or watched; the numbers of hits are theirs
 * @sites_armed: of @sites, the first ones
 * @tables: of each of these what is read at it
 * @armed_ns: CLOCK_MONOTONIC when anything was armed last
 * @unwatched: sites that were to be watched, and could not be
 * @events: they keep the LBR on; NULL: it is off
 * @on_event: or NULL: gets each event, with @on_event_ctx; 0 or -ENOMEM
 */
struct probes {
	const struct probes_options *opts;
	struct unpatched unpatched;
	struct text_source text;
	struct watch *watch;
	struct candidates candidates;
	size_t functions_armed;
	bool log_functions;
	struct function_log *log;
	struct sites sites;
	struct watch_site *armed;
	struct why_read_table *tables;
	size_t sites_armed;
	uint64_t armed_ns;
	struct sites unwatched;
	struct lbr_events *events;
	struct failures *into;
	int (*on_event)(const struct why_event *event, void *ctx);
	void *on_event_ctx;
};

/** probes_open() - load what is needed, arm nothing; @ret stays where it is; 0; negative errno with
 * @msg */
int probes_open(const struct probes_options *opts, struct probes *ret, struct errmsg *msg);

/** probes_close() - disarm all, free; one that is all zeros is fine */
void probes_close(struct probes *probes);

/**
 * probes_functions() - watch all functions that can make an error
 * Where the kernel cannot watch many at once, @log_functions is set: a function log has to be
 * opened for those who are watched, probes_log(). Return: 0; negative errno with @msg.
 */
int probes_functions(struct probes *probes, struct errmsg *msg);

/**
 * probes_log() - open the log of functions, for nobody yet: see function_log_add()
 * Return: 0, also where none is needed; negative errno with @msg.
 */
int probes_log(struct probes *probes, struct errmsg *msg);

/** probes_functions_end() - watch functions no more; what was logged can still be asked for */
void probes_functions_end(struct probes *probes);

/** probes_log_fill() - which functions ran in @failure, where only the log knows; 0 or -ENOMEM */
int probes_log_fill(struct probes *probes, struct failure *failure);

/** probes_log_close() - forget what was logged */
void probes_log_close(struct probes *probes);

/** probes_sites_of() - the sites that can have made the error of @failure are added; 0 or -ENOMEM
 */
int probes_sites_of(const struct probes *probes, const struct failure *failure,
		    struct sites *sites);

/**
 * probes_arm() - arm those of @sites that are not armed yet
 * @sites: added at the end before, by sites_add(); with probes_lbr(), and if they are few, they get
 *         breakpoints with a snapshot of the LBR
 * Return: how many of all are armed; negative errno with @msg if there are some and none could be.
 */
int probes_arm(struct probes *probes, struct errmsg *msg);

/** probes_disarm() - no site is watched any more, and @sites and @unwatched are empty */
void probes_disarm(struct probes *probes);

/**
 * probes_arm_for_branches() - arm this site alone, by breakpoints that take the branches
 * @table: what is read at it
 * Return: 0; negative errno with @msg.
 */
int probes_arm_for_branches(struct probes *probes, const struct site *site,
			    const struct why_read_table *table, struct errmsg *msg);

/**
 * probes_watched() - was every site of @needed armed, or tried?
 * Those that were refused are in @unwatched. Those that there was no room for are there, too: they
 * count as tried only if @needed alone is more than there is room for, for others may make room.
 */
bool probes_watched(const struct probes *probes, const struct sites *needed);

/**
 * probes_lbr() - switch the LBR on, if it is wanted and there is one
 * Return: 0; -ENOMEM. Without, @reason is set if it was wanted.
 */
int probes_lbr(struct probes *probes, struct errmsg *reason);

/** probes_check_lbr() - is there one that can be used? 0; -ENODEV etc., with @msg */
int probes_check_lbr(struct errmsg *msg);

/** probes_need_lbr() - as probes_lbr(), where nothing can be done without: negative errno with @msg
 */
int probes_need_lbr(struct probes *probes, struct errmsg *msg);

/** probes_lbr_end() - switch it off */
void probes_lbr_end(struct probes *probes);

/** probes_choose() - the hit that made the error of @failure, see origin_choose() */
struct origin probes_choose(const struct probes *probes, const struct failure *failure);

/** probes_poll() - take what happens, into @into, after a short wait; 0 or negative errno */
int probes_poll(struct probes *probes, struct failures *into);

/** probes_drain() - take what has happened; 0 or negative errno */
int probes_drain(struct probes *probes, struct failures *into);

/** probes_refresh() - names and text, after modules have come */
void probes_refresh(struct probes *probes);

/** probes_modules() - tells one set of modules from another; 0: not known */
uint64_t probes_modules(void);

#endif
