// SPDX-License-Identifier: GPL-2.0
#include "why/session.h"

#include <errno.h>
#include <limits.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "capture/capture.h"
#include "capture/lbr_events.h"
#include "symbolize/text.h"
#include "util/cleanup.h"
#include "util/clock.h"
#include "util/fnv.h"
#include "util/log.h"
#include "why/candidates.h"
#include "why/function_log.h"
#include "why/learned.h"
#include "why/origin.h"

#define POLL_MS	    20
#define LOG_POLL_MS 5 /* its buffers fill up */
/* More sites than these cost more time to arm than the command takes to run. */
#define SITES_MAX 256
/* A command that fails is not repeated more often than that. */
#define RUNS_MAX 3
#define BRANCHES (PERF_SAMPLE_BRANCH_ANY | PERF_SAMPLE_BRANCH_USER | PERF_SAMPLE_BRANCH_KERNEL)

/**
 * struct session
 * @failures: of the present run
 * @sites: of the present run, @armed are the same
 * @unwatched: sites that no run so far could watch
 * @all_sites: number of the sites that any run was to watch
 */
struct session {
	const struct session_options *opts;
	struct answer *answer;
	struct text_source text;
	struct watch *watch;
	struct candidates candidates;
	struct sites sites;
	struct watch_site *armed;
	struct sites unwatched;
	size_t all_sites;
	struct learned learned;
	struct lbr_events *events;
	struct failures failures;
	struct failures *into;
	bool log_functions; /* in the next run */
	struct function_log *log;
};

static int on_event(const struct why_event *event, size_t len, void *ctx)
{
	struct session *session = ctx;

	return failures_add(session->into, event);
}

static int poll_once(struct session *session, int timeout_ms)
{
	int err = watch_poll(session->watch, timeout_ms, on_event, session);

	if (err == -EINTR)
		err = 0;
	if (!err && session->log)
		err = function_log_poll(session->log);
	return err;
}

/* One run of the command, from its start to its end. */
static int run(struct session *session, struct failures *into, bool quiet, int *ret_status,
	       struct errmsg *msg)
{
	const struct session_command *command = &session->opts->command;
	uint32_t pid;
	int err = command->start(command->ctx, quiet, &pid, msg);

	if (err)
		return err;
	session->into = into;
	session->answer->runs++;
	err = watch_add(session->watch, pid);
	if (err)
		return errmsg_set(msg, err, "cannot watch process %u: %s", pid, strerror(-err));
	if (session->log_functions &&
	    function_log_open(pid, &session->candidates, &session->log, &session->answer->reason))
		session->log = NULL;
	command->go(command->ctx);
	while (!err && !command->ended(command->ctx, ret_status)) {
		err = poll_once(session, session->log ? LOG_POLL_MS : POLL_MS);
		if (command->stop(command->ctx))
			return errmsg_set(msg, -EINTR, "interrupted");
	}
	/* What is still in the buffers. */
	err = err ?: poll_once(session, 0);
	if (session->log)
		function_log_end(session->log);
	failures_sort(into);
	return err ? errmsg_set(msg, err, "reading the ring buffer: %s", strerror(-err)) : 0;
}

static int find_candidates(struct session *session, struct errmsg *msg)
{
	struct probeable *forbidden = NULL;
	int err = probeable_open_forbidden(&forbidden);

	if (err)
		return err;
	candidates_deinit(&session->candidates);
	err = candidates_find(&session->text, session->opts->symbols, forbidden,
			      &session->candidates);
	probeable_destroy(forbidden);
	return err ? errmsg_set(msg, err, "the kernel's text: %s", strerror(-err)) : 0;
}

static int arm_functions(struct session *session, struct errmsg *msg)
{
	_cleanup_free_ uint64_t *addrs = calloc(session->candidates.count + 1, sizeof(*addrs));
	size_t count = 0;
	int armed;

	if (!addrs)
		return -ENOMEM;
	for (size_t i = 0; i < session->candidates.count; i++)
		if (session->candidates.items[i].traced)
			addrs[count++] = session->candidates.items[i].sym.addr;
	armed = watch_functions(session->watch, addrs, count, msg);
	if (armed < 0)
		return armed;
	session->answer->functions_watched = armed;
	/* The kernel knows better which can be watched than their first bytes tell. */
	for (size_t i = 0, at = 0; i < session->candidates.count; i++) {
		struct candidate *item = &session->candidates.items[i];

		item->traced = at < (size_t)armed && addrs[at] == item->sym.addr;
		at += item->traced;
	}
	log_verbose("%d of %zu functions that can make an error are watched", armed,
		    session->candidates.count);
	return 0;
}

/* Unless the user asks for a call or an errno, which may have failed in what ended well. */
static bool passed(const struct session *session, int status)
{
	const struct blame_options *blame = &session->opts->blame;

	return !status && blame->syscall < 0 && blame->any_errno;
}

/* Changes when a module comes or goes; 0: not known. */
static uint64_t modules_fingerprint(void)
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

/*
 * The breakpoints go to sites that a kprobe is refused at, or that are so few that each gets one;
 * without kprobes to those of the functions that ran last.
 */
static int make_sites(struct session *session)
{
	const struct session_options *opts = session->opts;
	size_t count = session->sites.count;

	if (count > session->all_sites)
		session->all_sites = count;
	/* What is left out may be the place as well: the answer says so. */
	for (size_t i = SITES_MAX; i < count; i++)
		if (sites_add(&session->unwatched, &session->sites.items[i]))
			return -ENOMEM;
	if (count > SITES_MAX)
		count = session->sites.count = SITES_MAX;
	free(session->armed);
	session->armed = calloc(count + 1, sizeof(*session->armed));
	if (!session->armed)
		return -ENOMEM;
	for (size_t i = 0; i < count; i++)
		session->armed[i] = (struct watch_site){
			.addr = session->sites.items[i].watch,
			.err = session->sites.items[i].err,
			.reg = session->sites.items[i].reg,
			.hw = !opts->no_breakpoints && i < HW_SITES_MAX &&
			      (!opts->kprobes || (session->events && count <= HW_SITES_MAX)),
			.or_hw = !opts->no_breakpoints,
		};
	return 0;
}

static int note_unwatched(struct session *session)
{
	int err = 0;

	for (size_t i = 0; !err && i < session->sites.count; i++)
		if (session->armed[i].failed)
			err = sites_add(&session->unwatched, &session->sites.items[i]);
	return err;
}

/* Arm @session->sites; returns how many, or negative errno. */
static int arm_sites(struct session *session, struct errmsg *msg)
{
	int armed, err = make_sites(session);

	if (err)
		return err;
	armed = watch_sites(session->watch, session->armed, session->sites.count, session->events,
			    session->opts->kprobes, msg);
	if (armed < 0)
		return armed;
	log_verbose("%d of %zu instructions that load the error are watched", armed,
		    session->sites.count);
	err = note_unwatched(session);
	return err ?: armed;
}

static bool asked_for(const struct blame_options *blame, const struct learned_function *item)
{
	return (blame->syscall < 0 || (uint32_t)blame->syscall == item->nr) &&
	       (blame->any_errno || blame->errnos[item->err / 64] & 1ull << item->err % 64);
}

/* The instructions that earlier runs have learned of: then the first occurrence may be enough. */
static int arm_learned(struct session *session, struct errmsg *msg)
{
	struct symbols *symbols = session->opts->symbols;
	struct sites *sites = &session->sites;
	struct symbol sym;
	int err = 0, armed;

	for (size_t i = session->learned.count; !err && i-- > 0 && sites->count < SITES_MAX;) {
		const struct learned_function *item = &session->learned.items[i];

		if (!asked_for(&session->opts->blame, item))
			continue;
		/* Static functions may share the name. */
		for (size_t k = 0;
		     !err && !symbols_by_name(symbols, item->module, item->function, k, &sym); k++)
			err = sites_of_function(&sym, item->err, &session->candidates,
						&session->text, symbols, sites);
	}
	if (err || !sites->count)
		return err;
	armed = arm_sites(session, msg);
	return armed < 0 ? armed : 0;
}

/* Was every instruction watched that can have made the error of this call? */
static int learned_enough(struct session *session, const struct failure *call, bool *ret_enough)
{
	struct sites needed = {};
	int err = sites_find(call, &session->candidates, &session->text, session->opts->symbols,
			     &needed);

	*ret_enough = needed.count > 0;
	for (size_t i = 0; i < needed.count; i++)
		if (!sites_has(&session->sites, needed.items[i].addr) ||
		    sites_has(&session->unwatched, needed.items[i].addr))
			*ret_enough = false;
	sites_deinit(&needed);
	return err;
}

static void disarm_learned(struct session *session)
{
	watch_sites_end(session->watch);
	sites_deinit(&session->sites);
	sites_deinit(&session->unwatched);
	session->all_sites = 0;
}

/* The sites of the call to blame; none: the answer says why. */
static int find_sites(struct session *session)
{
	struct answer *answer = session->answer;
	int err = sites_find(answer->call, &session->candidates, &session->text,
			     session->opts->symbols, &session->sites);

	if (!err && !session->sites.count && !answer->reason.text[0])
		errmsg_set(&answer->reason, 0,
			   "none of the %zu watched functions that ran in the call loads this "
			   "error",
			   answer->call->func_count);
	return err
		       ?: learned_add(&session->learned, answer->call->call.nr,
				      (uint16_t)answer->call->err, &session->sites);
}

/* One run with all functions watched that can make an error. */
static int run_functions(struct session *session, bool quiet, int *ret_status, struct errmsg *msg)
{
	struct answer *answer = session->answer;
	struct errmsg why = {};
	int err;

	err = find_candidates(session, msg);
	if (err)
		return err;
	err = arm_functions(session, &why);
	if (err == -ENOMEM)
		return err;
	session->log_functions = err;
	if (err)
		log_verbose("%s; by the function tracer instead", why.text);
	if (session->opts->once && arm_learned(session, &why))
		log_verbose("%s", why.text);
	err = run(session, &answer->failures, quiet, ret_status, msg);
	watch_functions_end(session->watch);
	session->log_functions = false;
	for (size_t i = 0; !err && session->log && i < answer->failures.count; i++)
		err = function_log_fill(session->log, &answer->failures.items[i]);
	function_log_close(session->log);
	session->log = NULL;
	return err;
}

/* The first run: what failed, and by which functions that may have been. */
static int first_run(struct session *session, struct errmsg *msg)
{
	struct answer *answer = session->answer;
	struct blame_options blame = session->opts->blame;
	uint64_t modules = modules_fingerprint();
	int err = run_functions(session, false, &answer->status, msg);

	/* The command had a module loaded, whose functions nobody watched. */
	if (!err && !session->opts->once && modules != modules_fingerprint()) {
		int status;

		log_verbose("a module was loaded meanwhile: once more with its functions");
		symbols_hold(session->opts->symbols, false);
		symbols_refresh(session->opts->symbols);
		symbols_hold(session->opts->symbols, true);
		text_live_invalidate(session->opts->text);
		failures_clear(&answer->failures);
		err = run_functions(session, true, &status, msg);
	}
	if (err)
		return err;
	blame.passed = passed(session, answer->status);
	answer->call = blame_find(&answer->failures, &blame, &answer->why_call);
	return 0;
}

/* 0 with @session->events, or 0 without: the answer says why. */
static int open_lbr(struct session *session)
{
	struct errmsg why = {};
	int err;

	if (!session->opts->lbr)
		return 0;
	if (session->opts->no_breakpoints) {
		errmsg_set(&session->answer->lbr_reason, 0, "%s", session->opts->no_breakpoints);
		return 0;
	}
	err = lbr_events_open(BRANCHES, &session->events, &why);
	if (!err) {
		err = lbr_events_enable(session->events, &why);
		if (!err)
			return 0;
		lbr_events_close(session->events);
	}
	session->events = NULL;
	session->answer->lbr_reason = why;
	return err == -ENOMEM ? err : 0;
}

/* The call to blame, in another run. */
static const struct failure *find_again(const struct session *session,
					const struct failures *failures)
{
	const struct failure *first = session->answer->call;
	struct blame_options blame = session->opts->blame;
	const struct failure *again;

	blame.passed = passed(session, session->answer->status);
	again = blame_find(failures, &blame, NULL);

	if (again && failure_same(first, again))
		return again;
	for (size_t i = failures->count; i-- > 0;)
		if (failure_same(first, &failures->items[i]))
			return &failures->items[i];
	return NULL;
}

static int keep_hit(struct session *session, const struct failure *failure,
		    const struct why_hit *hit)
{
	struct answer *answer = session->answer;
	struct failure *call = &answer->failures.items[answer->call - answer->failures.items];

	free(answer->hit);
	answer->hit = malloc(sizeof(*answer->hit));
	if (!answer->hit)
		return -ENOMEM;
	*answer->hit = *hit;
	/* The place is of this run: the task, too. Caches may have led another way in the first. */
	call->tgid = failure->tgid;
	call->tid = failure->tid;
	call->mono_ns = failure->mono_ns;
	/* At a kprobe the kernel tells the byte behind its INT3: arch/x86/kernel/kprobes/core.c. */
	for (uint32_t i = 0; i < answer->hit->frames; i++)
		if (answer->hit->stack[i] == answer->site.watch + 1 ||
		    answer->hit->stack[i] == answer->site.watch)
			answer->hit->stack[i] = answer->site.addr;
	answer->hit->ip = answer->hit->regs[PTREG_IP] = answer->site.addr;
	return 0;
}

/* Once more with the one site, by a breakpoint. */
static int run_for_branches(struct session *session, struct errmsg *msg)
{
	struct watch_site site = {
		.addr = session->answer->site.watch,
		.err = session->answer->site.err,
		.reg = session->answer->site.reg,
		.hw = true,
	};
	const struct failure *again;
	int status, err;

	failures_clear(&session->failures);
	err = watch_sites(session->watch, &site, 1, true, false, msg);
	if (err < 0) {
		session->answer->lbr_reason = *msg;
		msg->text[0] = '\0';
		return 0;
	}
	err = run(session, &session->failures, true, &status, msg);
	watch_sites_end(session->watch);
	if (err)
		return err;
	again = find_again(session, &session->failures);
	if (again && again->hit_count && again->hits[0].hw)
		return keep_hit(session, again, &again->hits[0]);
	errmsg_set(&session->answer->lbr_reason, 0, "in run %u the call did not fail there",
		   session->answer->runs);
	return 0;
}

/* Those that could not be watched, and the one that was hit. */
static int keep_candidates(struct session *session)
{
	struct answer *answer = session->answer;
	int err = 0;

	sites_deinit(&answer->candidates);
	for (size_t i = 0; !err && i < session->unwatched.count; i++)
		err = sites_add(&answer->candidates, &session->unwatched.items[i]);
	if (!err && answer->hit)
		err = sites_add(&answer->candidates, &answer->site);
	return err;
}

static void explain_none(struct session *session, const struct failure *failure)
{
	struct errmsg *reason = &session->answer->reason;

	if (failure->hit_count)
		errmsg_set(
			reason, 0,
			"%zu instructions that load the error were executed, but none whose "
			"value becomes the result of the call, as far as the code of their "
			"callers tells (-v lists them); it was computed, was loaded in a function "
			"that cannot be watched, or came from outside the kernel's text",
			failure->hit_count);
	else
		errmsg_set(reason, 0,
			   "none of the %zu instructions that load the error, in functions that "
			   "ran, was executed: the value was computed, was loaded in a function "
			   "that cannot be watched, or came from outside the kernel's text",
			   session->all_sites);
}

/* What a run with the sites armed tells of the place. */
static int conclude(struct session *session, const struct failure *again)
{
	struct answer *answer = session->answer;
	size_t unwatched = session->unwatched.count;
	const struct why_hit *hit;

	if (!again) {
		errmsg_set(&answer->reason, 0, "the call did not fail so in run %u", answer->runs);
		return 0;
	}
	hit = origin_choose(again, &session->sites, &session->text, session->opts->symbols);
	if (hit) {
		answer->site = session->sites.items[hit->site];
		if (keep_hit(session, again, hit))
			return -ENOMEM;
	}
	if (answer->hit)
		answer->state = ORIGIN_FOUND;
	if (!answer->hit && !unwatched) {
		answer->state = ORIGIN_NONE;
		explain_none(session, again);
		return 0;
	}
	answer->reason.text[0] = '\0';
	if (!unwatched)
		return 0;
	errmsg_set(&answer->reason, 0, "%zu of %zu instructions could not be watched", unwatched,
		   session->all_sites);
	answer->state = ORIGIN_ONE_OF;
	return keep_candidates(session);
}

/*
 * Where more sites than there are breakpoints refuse a kprobe: those that got none, and the one
 * that was hit, so that the order of the hits tells which is the last.
 */
static int take_unwatched(struct session *session)
{
	struct sites now = {}, later = {};
	int err = 0;

	for (size_t i = 0; !err && i < session->unwatched.count; i++)
		err = sites_add(i < HW_SITES_MAX ? &now : &later, &session->unwatched.items[i]);
	if (!err && session->answer->hit)
		err = sites_add(&now, &session->answer->site);
	if (err) {
		sites_deinit(&now);
		sites_deinit(&later);
		return err;
	}
	sites_deinit(&session->sites);
	sites_deinit(&session->unwatched);
	session->sites = now;
	session->unwatched = later;
	return 0;
}

static int run_for_others(struct session *session, struct errmsg *msg)
{
	const struct failure *again;
	int status, err = take_unwatched(session);

	if (err)
		return err;
	failures_clear(&session->failures);
	err = arm_sites(session, msg);
	if (err < 0)
		return err;
	err = run(session, &session->failures, true, &status, msg);
	watch_sites_end(session->watch);
	if (err)
		return err;
	again = find_again(session, &session->failures);
	/* Else what the run before told stays. */
	return again ? conclude(session, again) : 0;
}

static int second_run(struct session *session, struct errmsg *msg)
{
	struct answer *answer = session->answer;
	int status, err = arm_sites(session, msg);

	if (err < 0)
		return err;
	err = run(session, &session->failures, true, &status, msg);
	watch_sites_end(session->watch);
	if (err)
		return err;
	err = conclude(session, find_again(session, &session->failures));
	if (!err && session->unwatched.count && answer->state == ORIGIN_ONE_OF &&
	    !session->opts->no_breakpoints)
		err = run_for_others(session, msg);
	if (err || answer->state == ORIGIN_NONE || !session->events || answer->runs >= RUNS_MAX)
		return err;
	/* A kprobe on the way would have filled the LBR with its own branches. */
	if (!answer->hit || !answer->hit->hw || session->sites.count > HW_SITES_MAX)
		err = run_for_branches(session, msg);
	return err;
}

/* From what earlier runs have learned; what this one teaches is for the next. */
static int find_origin_once(struct session *session)
{
	struct answer *answer = session->answer;
	bool enough = false;
	int err = learned_enough(session, answer->call, &enough);

	if (!err && enough)
		return conclude(session, answer->call);
	disarm_learned(session);
	err = err ?: find_sites(session);
	if (!err && session->sites.count)
		errmsg_set(&answer->reason, 0,
			   "the command was run only once (--once); the next time the functions "
			   "that ran in the call are known");
	return err;
}

static int find_origin(struct session *session, struct errmsg *msg)
{
	struct answer *answer = session->answer;
	int err;

	if (!answer->call)
		return 0;
	if (session->opts->once)
		return find_origin_once(session);
	err = find_sites(session);
	if (err || !session->sites.count)
		return err;
	err = open_lbr(session);
	return err ?: second_run(session, msg);
}

/*
 * Until a call fails as asked for, or as @like did; 1: it did, *@ret_found is in @into. A call that
 * began before all was armed tells nothing.
 */
static int await_failure(struct session *session, struct failures *into, const struct failure *like,
			 const struct failure **ret_found, struct errmsg *msg)
{
	const struct session_command *command = &session->opts->command;
	uint64_t armed_ns = clock_ns(CLOCK_MONOTONIC);
	size_t seen = 0;
	int err = 0;

	session->into = into;
	while (!err && !command->stop(command->ctx)) {
		err = poll_once(session, POLL_MS);
		/* The oldest go where there are too many. */
		if (into->dropped)
			seen = 0;
		for (; !err && seen < into->count; seen++) {
			const struct failure *failure = &into->items[seen];

			if (failure->begin_ns < armed_ns)
				continue;
			if (like ? failure->call.nr == like->call.nr && failure->err == like->err &&
					    failure->via == like->via
				 : blame_chosen(failure, &session->opts->blame)) {
				*ret_found = failure;
				return 1;
			}
		}
	}
	return err ? errmsg_set(msg, err, "reading the ring buffer: %s", strerror(-err)) : 0;
}

/* The next failure of the kind that was seen first. */
static int await_origin(struct session *session, struct errmsg *msg)
{
	struct answer *answer = session->answer;
	const struct failure *again = NULL;
	int err, armed = arm_sites(session, msg);

	if (armed < 0)
		return armed;
	log_info("seen once; %d instructions that can make this error are watched: it has to fail "
		 "once more",
		 armed);
	err = await_failure(session, &session->failures, answer->call, &again, msg);
	watch_sites_end(session->watch);
	if (err < 0)
		return err;
	answer->runs++;
	return conclude(session, again);
}

static int attach(struct session *session, struct errmsg *msg)
{
	struct answer *answer = session->answer;
	bool enough = false;
	int err = find_candidates(session, msg);

	if (err)
		return err;
	err = arm_functions(session, msg);
	if (!err && session->learned.count)
		err = open_lbr(session);
	err = err ?: arm_learned(session, msg);
	if (err)
		return err;
	log_info("waiting for a call that fails; Ctrl-C ends");
	err = await_failure(session, &answer->failures, NULL, &answer->call, msg);
	watch_functions_end(session->watch);
	if (err <= 0)
		return err;
	answer->runs = 1;
	err = learned_enough(session, answer->call, &enough);
	if (!err && enough) {
		err = conclude(session, answer->call);
		watch_sites_end(session->watch);
		return err;
	}
	disarm_learned(session);
	err = err ?: find_sites(session);
	if (err || !session->sites.count)
		return err;
	if (!session->events)
		err = open_lbr(session);
	return err ?: await_origin(session, msg);
}

static int session_init(struct session *session, struct errmsg *msg)
{
	char path[PATH_MAX];

	learned_path(path, sizeof(path));
	if (learned_read(path, &session->learned) == -EPERM)
		log_warning("%s is not used: others than root and its owner may write to it", path);
	return watch_create(&session->opts->watch, &session->watch, msg);
}

static void keep_learned(struct session *session)
{
	char path[PATH_MAX];
	int err;

	learned_path(path, sizeof(path));
	err = learned_write(&session->learned, path);
	if (err)
		log_verbose("%s: %s: what was learned is lost", path, strerror(-err));
}

static void session_deinit(struct session *session)
{
	keep_learned(session);
	learned_deinit(&session->learned);
	if (session->watch)
		session->answer->lost = watch_lost(session->watch);
	function_log_close(session->log);
	watch_destroy(session->watch);
	lbr_events_close(session->events);
	candidates_deinit(&session->candidates);
	sites_deinit(&session->sites);
	sites_deinit(&session->unwatched);
	failures_clear(&session->failures);
	free(session->armed);
}

int session_attach(const struct session_options *opts, uint32_t pid, struct answer *ret,
		   struct errmsg *msg)
{
	struct session session = {.opts = opts, .answer = ret, .text = text_source(opts->text)};
	int err;

	*ret = (struct answer){};
	err = session_init(&session, msg);
	if (!err && pid)
		err = watch_add(session.watch, pid);
	err = err ?: attach(&session, msg);
	session_deinit(&session);
	return err;
}

int session_run(const struct session_options *opts, struct answer *ret, struct errmsg *msg)
{
	struct session session = {.opts = opts, .answer = ret, .text = text_source(opts->text)};
	int err;

	*ret = (struct answer){};
	err = session_init(&session, msg);
	err = err ?: first_run(&session, msg);
	err = err ?: find_origin(&session, msg);
	session_deinit(&session);
	return err;
}

void answer_deinit(struct answer *answer)
{
	failures_clear(&answer->failures);
	sites_deinit(&answer->candidates);
	free(answer->hit);
	*answer = (struct answer){};
}
