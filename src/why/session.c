// SPDX-License-Identifier: GPL-2.0
#include "why/session.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "capture/capture.h"
#include "capture/lbr_events.h"
#include "symbolize/text.h"
#include "util/cleanup.h"
#include "util/fnv.h"
#include "util/log.h"
#include "why/candidates.h"
#include "why/function_log.h"

#define POLL_MS	    20
#define LOG_POLL_MS 5 /* its buffers fill up */
/* More sites than these cost more time to arm than the command takes to run. */
#define SITES_MAX 256
#define BRANCHES  (PERF_SAMPLE_BRANCH_ANY | PERF_SAMPLE_BRANCH_USER | PERF_SAMPLE_BRANCH_KERNEL)

/** struct session - @failures: of the present run; @probes and @triggers: what @snap refers to */
struct session {
	const struct session_options *opts;
	struct answer *answer;
	struct text_source text;
	struct watch *watch;
	struct candidates candidates;
	struct sites sites;
	struct watch_site *armed;
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

/* One run with all functions watched that can make an error. */
static int run_functions(struct session *session, bool quiet, int *ret_status, struct errmsg *msg)
{
	struct answer *answer = session->answer;
	struct errmsg why = {};
	int err;

	candidates_deinit(&session->candidates);
	err = candidates_find(&session->text, session->opts->symbols, &session->candidates);
	if (err)
		return errmsg_set(msg, err, "the kernel's text: %s", strerror(-err));
	err = arm_functions(session, &why);
	if (err == -ENOMEM)
		return err;
	session->log_functions = err;
	if (err)
		log_verbose("%s; by the function tracer instead", why.text);
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

/* The breakpoints go to the sites of the functions that ran last. */
static int make_sites(struct session *session)
{
	const struct session_options *opts = session->opts;
	size_t count = session->sites.count;

	if (count > SITES_MAX)
		count = session->sites.count = SITES_MAX;
	free(session->armed);
	session->armed = calloc(count + 1, sizeof(*session->armed));
	if (!session->armed)
		return -ENOMEM;
	for (size_t i = 0; i < count; i++)
		session->armed[i] = (struct watch_site){
			.addr = session->sites.items[i].addr,
			.err = session->sites.items[i].err,
			.reg = session->sites.items[i].reg,
			/* Without an LBR a kprobe does as well, and leaves the registers to others.
			 */
			.hw = !opts->no_breakpoints && i < HW_SITES_MAX &&
			      (session->events || !opts->kprobes),
		};
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

static int keep_hit(struct session *session, const struct failure *failure)
{
	struct answer *answer = session->answer;
	struct failure *call = &answer->failures.items[answer->call - answer->failures.items];

	free(answer->hit);
	answer->hit = malloc(sizeof(*answer->hit));
	if (!answer->hit)
		return -ENOMEM;
	*answer->hit = *failure->hit;
	/* The place is of this run: the task, too. Caches may have led another way in the first. */
	call->tgid = failure->tgid;
	call->tid = failure->tid;
	call->mono_ns = failure->mono_ns;
	/* At a kprobe the kernel tells the byte behind its INT3: arch/x86/kernel/kprobes/core.c. */
	for (uint32_t i = 0; i < answer->hit->frames; i++)
		if (answer->hit->stack[i] == answer->site.addr + 1)
			answer->hit->stack[i] = answer->site.addr;
	answer->hit->ip = answer->hit->regs[PTREG_IP] = answer->site.addr;
	return 0;
}

/* Once more with the one site, by a breakpoint. */
static int run_for_branches(struct session *session, struct errmsg *msg)
{
	struct watch_site site = {
		.addr = session->answer->site.addr,
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
	if (again && again->hit && again->hit->hw)
		return keep_hit(session, again);
	errmsg_set(&session->answer->lbr_reason, 0, "in run %u the call did not fail there",
		   session->answer->runs);
	return 0;
}

static size_t count_unarmed(const struct session *session)
{
	size_t count = 0;

	for (size_t i = 0; i < session->sites.count; i++)
		count += session->armed[i].failed;
	return count;
}

/* Those that could not be watched, and the one that was hit. */
static int keep_candidates(struct session *session, const struct why_hit *hit)
{
	struct sites *to = &session->answer->candidates;

	to->items = calloc(session->sites.count + 1, sizeof(*to->items));
	if (!to->items)
		return -ENOMEM;
	for (size_t i = 0; i < session->sites.count; i++)
		if (session->armed[i].failed || (hit && hit->site == i))
			to->items[to->count++] = session->sites.items[i];
	return 0;
}

/* What the second run tells of the place. */
static int conclude(struct session *session, const struct failure *again)
{
	struct answer *answer = session->answer;
	size_t unarmed = count_unarmed(session);

	if (!again) {
		errmsg_set(&answer->reason, 0, "the call did not fail so in run %u", answer->runs);
		return 0;
	}
	if (!again->hit && !unarmed) {
		errmsg_set(&answer->reason, 0,
			   "none of the %zu instructions that load the error, in functions that "
			   "ran, was executed: the value was computed, or came from outside the "
			   "kernel's text",
			   session->sites.count);
		return 0;
	}
	if (again->hit && again->hit->site < session->sites.count) {
		answer->site = session->sites.items[again->hit->site];
		if (keep_hit(session, again))
			return -ENOMEM;
		answer->state = ORIGIN_FOUND;
	}
	if (!unarmed)
		return 0;
	errmsg_set(&answer->reason, 0, "%zu of %zu instructions could not be watched", unarmed,
		   session->sites.count);
	answer->state = ORIGIN_ONE_OF;
	return keep_candidates(session, again->hit);
}

static int second_run(struct session *session, struct errmsg *msg)
{
	struct answer *answer = session->answer;
	int status, armed, err;

	err = make_sites(session);
	if (err)
		return err;
	armed = watch_sites(session->watch, session->armed, session->sites.count, session->events,
			    session->opts->kprobes, msg);
	if (armed < 0)
		return armed;
	log_verbose("%d of %zu instructions that load the error are watched", armed,
		    session->sites.count);
	err = run(session, &session->failures, true, &status, msg);
	watch_sites_end(session->watch);
	if (err)
		return err;
	err = conclude(session, find_again(session, &session->failures));
	if (err || answer->state == ORIGIN_NONE || !session->events)
		return err;
	/* A kprobe on the way would have filled the LBR with its own branches. */
	if (!answer->hit || !answer->hit->hw || session->sites.count > HW_SITES_MAX)
		err = run_for_branches(session, msg);
	return err;
}

static int find_origin(struct session *session, struct errmsg *msg)
{
	struct answer *answer = session->answer;
	int err;

	if (!answer->call)
		return 0;
	if (session->opts->once) {
		errmsg_set(&answer->reason, 0, "the command was run only once (--once)");
		return 0;
	}
	err = sites_find(answer->call, &session->candidates, &session->text, session->opts->symbols,
			 &session->sites);
	if (err)
		return err;
	if (!session->sites.count) {
		if (!answer->reason.text[0])
			errmsg_set(&answer->reason, 0,
				   "none of the %zu watched functions that ran in the call "
				   "loads this error",
				   answer->call->func_count);
		return 0;
	}
	err = open_lbr(session);
	return err ?: second_run(session, msg);
}

/* Until a call fails as asked for, or as @like did; 1: it did, *@ret_found is in @into. */
static int await_failure(struct session *session, struct failures *into, const struct failure *like,
			 const struct failure **ret_found, struct errmsg *msg)
{
	const struct session_command *command = &session->opts->command;
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
	int err = make_sites(session), armed;

	if (err)
		return err;
	armed = watch_sites(session->watch, session->armed, session->sites.count, session->events,
			    session->opts->kprobes, msg);
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
	int err = candidates_find(&session->text, session->opts->symbols, &session->candidates);

	if (err)
		return errmsg_set(msg, err, "the kernel's text: %s", strerror(-err));
	err = arm_functions(session, msg);
	if (err)
		return err;
	log_info("waiting for a call that fails; Ctrl-C ends");
	err = await_failure(session, &answer->failures, NULL, &answer->call, msg);
	watch_functions_end(session->watch);
	if (err <= 0)
		return err;
	answer->runs = 1;
	err = sites_find(answer->call, &session->candidates, &session->text, session->opts->symbols,
			 &session->sites);
	if (err)
		return err;
	if (!session->sites.count) {
		errmsg_set(&answer->reason, 0,
			   "none of the watched functions that ran in the call loads this error");
		return 0;
	}
	err = open_lbr(session);
	return err ?: await_origin(session, msg);
}

static void session_deinit(struct session *session)
{
	if (session->watch)
		session->answer->lost = watch_lost(session->watch);
	function_log_close(session->log);
	watch_destroy(session->watch);
	lbr_events_close(session->events);
	candidates_deinit(&session->candidates);
	sites_deinit(&session->sites);
	failures_clear(&session->failures);
	free(session->armed);
}

int session_attach(const struct session_options *opts, uint32_t pid, struct answer *ret,
		   struct errmsg *msg)
{
	struct session session = {.opts = opts, .answer = ret, .text = text_source(opts->text)};
	int err;

	*ret = (struct answer){};
	err = watch_create(&opts->watch, &session.watch, msg);
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
	err = watch_create(&opts->watch, &session.watch, msg);
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
