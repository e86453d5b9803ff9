// SPDX-License-Identifier: GPL-2.0
#include "why/run/probes.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "capture/capture.h"
#include "capture/lbr/lbr_events.h"
#include "target/probeable.h"
#include "util/cleanup.h"
#include "util/clock.h"
#include "util/fnv.h"
#include "util/lockdown.h"
#include "util/log.h"
#include "why/origin.h"
#include "why/values/plan.h"

/* The function log takes 300,000 entries a CPU: that many are not made in this time. */
#define POLL_MS	 20
#define BRANCHES (PERF_SAMPLE_BRANCH_ANY | PERF_SAMPLE_BRANCH_USER | PERF_SAMPLE_BRANCH_KERNEL)

int probes_open(const struct probes_options *opts, struct probes *ret, struct errmsg *msg)
{
	int err;

	*ret = (struct probes){.opts = opts, .unpatched.text = text_source(opts->text)};
	ret->text = unpatched_source(&ret->unpatched);
	err = watch_create(&opts->watch, &ret->watch, msg);
	if (!err && lockdown_read() == LOCKDOWN_CONFIDENTIALITY)
		log_info("kernel lockdown (confidentiality): what a call's pointers point at, the "
			 "kernel's log and netlink's acknowledgements are not read");
	/* Where kprobes are switched off, who runs the command has said it. */
	else if (!err && opts->kprobes && !watch_netlink(ret->watch))
		log_info("netlink_ack() cannot be watched: errors in netlink's acknowledgements "
			 "are not seen");
	return err;
}

void probes_close(struct probes *probes)
{
	function_log_close(probes->log);
	watch_destroy(probes->watch);
	lbr_events_close(probes->events);
	candidates_deinit(&probes->candidates);
	sites_deinit(&probes->sites);
	sites_deinit(&probes->unwatched);
	unpatched_forget(&probes->unpatched);
	free(probes->armed);
	free(probes->tables);
	*probes = (struct probes){};
}

static int find_candidates(struct probes *probes, struct errmsg *msg)
{
	struct probeable *forbidden = NULL;
	int err = probeable_open_forbidden(&forbidden);

	if (err)
		return err;
	candidates_deinit(&probes->candidates);
	err = candidates_find(&probes->text, probes->opts->symbols, forbidden, &probes->candidates);
	probeable_destroy(forbidden);
	return err ? errmsg_set(msg, err, "the kernel's text: %s", strerror(-err)) : 0;
}

static int arm_functions(struct probes *probes, struct errmsg *msg)
{
	struct candidates *candidates = &probes->candidates;
	_cleanup_free_ uint64_t *addrs = calloc(candidates->count + 1, sizeof(*addrs));
	size_t count = 0;
	int armed;

	if (!addrs)
		return -ENOMEM;
	for (size_t i = 0; i < candidates->count; i++) {
		struct candidate *item = &candidates->items[i];

		if (probes->opts->no_modules && *item->sym.module)
			item->traced = false;
		if (item->traced)
			addrs[count++] = item->sym.addr;
	}
	armed = watch_functions(probes->watch, addrs, count, msg);
	if (armed < 0)
		return armed;
	probes->functions_armed = armed;
	/* The kernel knows better which can be watched than their first bytes tell. */
	for (size_t i = 0, at = 0; i < candidates->count; i++) {
		struct candidate *item = &candidates->items[i];

		item->traced = at < (size_t)armed && addrs[at] == item->sym.addr;
		at += item->traced;
	}
	log_verbose("%d of %zu functions that can make an error are watched", armed,
		    candidates->count);
	return 0;
}

int probes_functions(struct probes *probes, struct errmsg *msg)
{
	struct errmsg why = {};
	int err = find_candidates(probes, msg);

	if (err)
		return err;
	err = arm_functions(probes, &why);
	if (err == -ENOMEM)
		return err;
	probes->log_functions = err;
	if (err)
		log_verbose("%s; by the function tracer instead", why.text);
	probes->armed_ns = clock_ns(CLOCK_MONOTONIC);
	return 0;
}

int probes_log(struct probes *probes, struct errmsg *msg)
{
	int err = 0;

	probes_log_close(probes);
	if (probes->log_functions)
		err = function_log_open(&probes->candidates, &probes->log, msg);
	return err;
}

void probes_functions_end(struct probes *probes)
{
	watch_functions_end(probes->watch);
	if (probes->log)
		function_log_end(probes->log);
	probes->log_functions = false;
}

int probes_log_fill(struct probes *probes, struct failure *failure)
{
	return probes->log && !failure->func_count ? function_log_fill(probes->log, failure) : 0;
}

void probes_log_close(struct probes *probes)
{
	function_log_close(probes->log);
	probes->log = NULL;
}

int probes_sites_of(const struct probes *probes, const struct failure *failure, struct sites *sites)
{
	return sites_find(failure, &probes->candidates, &probes->text, probes->opts->symbols,
			  sites);
}

/* Where memory is not read, and where no table can be given to the kernel, there is none. */
static void make_table(struct probes *probes, size_t index)
{
	const struct probes_options *opts = probes->opts;
	const struct decision_code where = {
		.text = &probes->text,
		.symbols = opts->symbols,
		.lines = index < PROBES_SITES_NAMED ? opts->lines : NULL,
	};
	struct why_read_table *table = &probes->tables[index];

	*table = (struct why_read_table){};
	if (opts->watch.values)
		plan_reads(&where, &probes->sites.items[index], table);
	if (opts->watch.values && watch_table(probes->watch, index, table))
		*table = (struct why_read_table){};
}

_Static_assert(PROBES_SITES_MAX <= WHY_TABLES_MAX, "a table each");

/*
 * The breakpoints go to sites that a kprobe is refused at, or that are so few that each gets one;
 * without kprobes to those of the functions that ran last.
 */
static int make_sites(struct probes *probes)
{
	const struct probes_options *opts = probes->opts;
	struct sites *sites = &probes->sites;
	struct why_read_table *tables;
	struct watch_site *armed;

	/* What is left out may be the place as well: the answer says so. */
	for (size_t i = PROBES_SITES_MAX; i < sites->count; i++)
		if (sites_add(&probes->unwatched, &sites->items[i]))
			return -ENOMEM;
	if (sites->count > PROBES_SITES_MAX)
		sites->count = PROBES_SITES_MAX;
	armed = reallocarray(probes->armed, sites->count + 1, sizeof(*armed));
	if (!armed)
		return -ENOMEM;
	probes->armed = armed;
	tables = reallocarray(probes->tables, sites->count + 1, sizeof(*tables));
	if (!tables)
		return -ENOMEM;
	probes->tables = tables;
	for (size_t i = probes->sites_armed; i < sites->count; i++)
		if (unpatched_keep(&probes->unpatched, sites->items[i].watch))
			return -ENOMEM;
	for (size_t i = probes->sites_armed; i < sites->count; i++)
		make_table(probes, i);
	for (size_t i = probes->sites_armed; i < sites->count; i++)
		armed[i] = (struct watch_site){
			.addr = sites->items[i].watch,
			.err = sites->items[i].err,
			.reg = sites->items[i].reg,
			.hw = !opts->no_breakpoints && i < HW_SITES_MAX &&
			      (!opts->kprobes || (probes->events && sites->count <= HW_SITES_MAX)),
			.or_hw = !opts->no_breakpoints,
		};
	return 0;
}

int probes_arm(struct probes *probes, struct errmsg *msg)
{
	size_t from = probes->sites_armed, count = 0;
	int armed = make_sites(probes), err = 0;

	if (armed)
		return armed;
	armed = watch_sites(probes->watch, probes->armed + from, from, probes->sites.count - from,
			    probes->events, probes->opts->kprobes, msg);
	for (size_t i = from; !err && i < probes->sites.count; i++)
		if (probes->armed[i].failed)
			err = sites_add(&probes->unwatched, &probes->sites.items[i]);
	probes->sites_armed = probes->sites.count;
	for (size_t i = 0; i < probes->sites_armed; i++)
		count += !probes->armed[i].failed;
	probes->armed_ns = clock_ns(CLOCK_MONOTONIC);
	log_verbose("%zu of %zu instructions that load the error are watched", count,
		    probes->sites.count);
	if (armed < 0 && !count)
		return armed;
	return err ?: (int)count;
}

void probes_disarm(struct probes *probes)
{
	watch_sites_end(probes->watch);
	/* Pages that were read meanwhile have kprobes in them, which are not known any more. */
	text_live_invalidate(probes->opts->text);
	sites_deinit(&probes->sites);
	sites_deinit(&probes->unwatched);
	unpatched_forget(&probes->unpatched);
	probes->sites_armed = 0;
}

int probes_arm_for_branches(struct probes *probes, const struct site *site,
			    const struct why_read_table *table, struct errmsg *msg)
{
	struct watch_site armed = {
		.addr = site->watch,
		.err = site->err,
		.reg = site->reg,
		.hw = true,
	};
	int err = probes->opts->watch.values ? watch_table(probes->watch, 0, table) : 0;
	int count = err ? errmsg_set(msg, err, "what is to be read: %s", strerror(-err))
			: watch_sites(probes->watch, &armed, 0, 1, true, false, msg);

	return count < 0 ? count : 0;
}

bool probes_watched(const struct probes *probes, const struct sites *needed)
{
	/* There never is room for all of so many: they would be armed anew for each call. */
	bool too_many = needed->count > PROBES_SITES_MAX;

	/* What the kernel refused stays in @sites; what there was no room for does not. */
	for (size_t i = 0; i < needed->count; i++)
		if (!sites_has(&probes->sites, needed->items[i].addr) &&
		    !(too_many && sites_has(&probes->unwatched, needed->items[i].addr)))
			return false;
	return true;
}

int probes_check_lbr(struct errmsg *msg)
{
	struct lbr_events *events = NULL;
	int err = lbr_events_open(BRANCHES, &events, msg);

	if (!err)
		lbr_events_close(events);
	return err;
}

int probes_need_lbr(struct probes *probes, struct errmsg *msg)
{
	int err;

	if (probes->events)
		return 0;
	if (probes->opts->no_breakpoints)
		return errmsg_set(msg, -EOPNOTSUPP, "%s", probes->opts->no_breakpoints);
	err = lbr_events_open(BRANCHES, &probes->events, msg);
	if (!err) {
		err = lbr_events_enable(probes->events, msg);
		if (!err)
			return 0;
		lbr_events_close(probes->events);
	}
	probes->events = NULL;
	return err;
}

int probes_lbr(struct probes *probes, struct errmsg *reason)
{
	int err = probes->opts->lbr ? probes_need_lbr(probes, reason) : 0;

	return err == -ENOMEM ? err : 0;
}

void probes_lbr_end(struct probes *probes)
{
	lbr_events_close(probes->events);
	probes->events = NULL;
}

struct origin probes_choose(const struct probes *probes, const struct failure *failure)
{
	return origin_choose(failure, &probes->sites, &probes->text, probes->opts->symbols);
}

static int on_event(const struct why_event *event, size_t len, void *ctx)
{
	struct probes *probes = ctx;
	int err = probes->on_event ? probes->on_event(event, probes->on_event_ctx) : 0;

	return err ?: failures_add(probes->into, event);
}

static int poll_for(struct probes *probes, struct failures *into, int timeout_ms)
{
	int err;

	probes->into = into;
	err = watch_poll(probes->watch, timeout_ms, on_event, probes);
	if (err == -EINTR)
		err = 0;
	/* Behind the calls: what ran in them has been logged. */
	if (!err && probes->log)
		err = function_log_poll(probes->log);
	return err;
}

int probes_poll(struct probes *probes, struct failures *into)
{
	return poll_for(probes, into, POLL_MS);
}

int probes_drain(struct probes *probes, struct failures *into)
{
	return poll_for(probes, into, 0);
}

void probes_refresh(struct probes *probes)
{
	symbols_refresh(probes->opts->symbols);
	text_live_invalidate(probes->opts->text);
}

uint64_t probes_modules(void)
{
	_cleanup_fclose_ FILE *file = fopen("/proc/modules", "re");
	uint64_t hash = FNV_START;
	char line[512];

	/* Name and size: how often it is used changes all the time. */
	while (file && fgets(line, sizeof(line), file)) {
		size_t len = strcspn(line, " ");

		len += strcspn(line + len + (line[len] == ' '), " \n");
		hash = fnv(hash, line, len);
	}
	return file ? hash : 0;
}
