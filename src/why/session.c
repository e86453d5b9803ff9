// SPDX-License-Identifier: GPL-2.0
#include "why/session.h"

#include <errno.h>
#include <string.h>

#include "capture/capture.h"
#include "util/cleanup.h"
#include "util/log.h"
#include "why/decision/decider.h"
#include "why/learned.h"
#include "why/origin.h"

/* A command that fails is not repeated more often than that. */
#define RUNS_MAX 3

/**
 * struct session
 * @failures: of a run for sites
 * @sites_all: number of the sites that any run was to watch
 * @hits_lost: as of a struct failure, in any run
 */
struct session {
	const struct session_options *opts;
	struct answer *answer;
	struct probes probes;
	struct learned learned;
	struct failures failures;
	size_t sites_all;
	bool hits_lost;
};

static bool runs_left(const struct session *session)
{
	return session->answer->runs < RUNS_MAX;
}

static int run(struct session *session, struct failures *into, bool quiet, int *ret_status,
	       struct errmsg *msg)
{
	session->answer->runs++;
	return command_run(&session->opts->command, &session->probes, into, quiet, NULL, NULL,
			   ret_status, msg);
}

/* Unless the user asks for a call or an errno, which may have failed in what ended well. */
static struct blame_options blame_options(const struct session *session)
{
	struct blame_options blame = session->opts->blame;

	blame.passed = !session->answer->status && blame.syscall < 0 && blame.any_errno;
	return blame;
}

static void find_call(struct session *session)
{
	struct answer *answer = session->answer;
	struct blame_options blame = blame_options(session);

	answer->call = blame_find(&answer->failures, &blame, &answer->why_call);
}

/* One run with all functions watched that can make an error. */
static int run_functions(struct session *session, bool quiet, int *ret_status, struct errmsg *msg)
{
	struct answer *answer = session->answer;
	int err = probes_functions(&session->probes, msg);

	if (err)
		return err;
	answer->functions_watched = session->probes.functions_armed;
	err = run(session, &answer->failures, quiet, ret_status, msg);
	for (size_t i = 0; !err && i < answer->failures.count; i++)
		err = probes_log_fill(&session->probes, &answer->failures.items[i]);
	probes_log_close(&session->probes);
	return err;
}

/* The sites of the call to blame, to be watched in the next run. */
static int find_sites(struct session *session)
{
	struct answer *answer = session->answer;
	struct probes *probes = &session->probes;
	int err = probes_sites_of(probes, answer->call, &probes->sites);

	session->sites_all = probes->sites.count;
	return err
		       ?: learned_add(&session->learned, answer->call->call.nr,
				      (uint16_t)answer->call->err, &probes->sites);
}

/*
 * The command had a module loaded, whose functions nobody watched. What is known of the call is
 * watched as well: if its error was made in none of them, this run has the answer.
 */
static int run_with_modules(struct session *session, struct errmsg *msg)
{
	struct answer *answer = session->answer;
	struct errmsg why = {};
	int status, err = 0;

	log_verbose("a module was loaded meanwhile: once more with its functions");
	probes_refresh(&session->probes);
	find_call(session);
	if (answer->call)
		err = find_sites(session);
	if (err)
		return err;
	if (session->probes.sites.count && probes_arm(&session->probes, &why) < 0)
		log_verbose("%s", why.text);
	answer->call = NULL;
	failures_clear(&answer->failures);
	return run_functions(session, true, &status, msg);
}

/* What failed, and by which functions that may have been. */
static int first_run(struct session *session, struct errmsg *msg)
{
	uint64_t modules = probes_modules();
	int err = run_functions(session, false, &session->answer->status, msg);

	if (!err && modules != probes_modules())
		err = run_with_modules(session, msg);
	if (!err)
		find_call(session);
	return err;
}

/* The call to blame, in another run. */
static const struct failure *find_again(const struct session *session)
{
	const struct failure *first = session->answer->call;
	struct blame_options blame = blame_options(session);
	const struct failures *failures = &session->failures;
	const struct failure *again = blame_find(failures, &blame, NULL);

	if (again && failure_same(first, again))
		return again;
	for (size_t i = failures->count; i-- > 0;)
		if (failure_same(first, &failures->items[i]))
			return &failures->items[i];
	if (!again || !failure_alike(first, again))
		return NULL;
	log_info("in run %u the call names another file of the same directory",
		 session->answer->runs);
	return again;
}

/* One run with what is armed; *@ret_again: the call in it, or NULL. */
static int run_sites(struct session *session, const struct failure **ret_again, struct errmsg *msg)
{
	int status, err;

	failures_clear(&session->failures);
	err = run(session, &session->failures, true, &status, msg);
	watch_sites_end(session->probes.watch);
	if (!err)
		*ret_again = find_again(session);
	return err;
}

static int conclude(struct session *session, const struct failure *failure)
{
	const struct probes *probes = &session->probes;

	/* The next run watches a few sites, and loses none of them. */
	session->hits_lost |= failure->hits_lost;
	return answer_conclude(session->answer, &(struct observed){
							.failure = failure,
							.origin = probes_choose(probes, failure),
							.sites = &probes->sites,
							.tables = probes->tables,
							.unwatched = &probes->unwatched,
							.sites_all = session->sites_all,
							.cut = session->answer->call->cut,
							.hits_lost = session->hits_lost,
						});
}

/* The sites of the run before were watched in this one: is that all of them? */
static int conclude_early(struct session *session, bool *ret_done)
{
	struct probes *probes = &session->probes;
	struct sites needed = {};
	int err = probes_sites_of(probes, session->answer->call, &needed);

	*ret_done = !err && needed.count && probes->sites_armed &&
		    probes_watched(probes, &needed) && !probes->unwatched.count;
	if (*ret_done)
		err = conclude(session, session->answer->call);
	sites_deinit(&needed);
	return err;
}

/*
 * The last time that the place was executed need not be when it made the error. Where a kprobe's
 * stack could not be read, nothing tells one from the other but where the value goes.
 */
static bool made_error_again(const struct session *session, const struct failure *again)
{
	struct site place = session->answer->site;
	const struct probes *probes = &session->probes;

	if (session->answer->hit->frames > 1)
		return answer_same_frame(&again->hits[0], session->answer->hit);
	return origin_choose(again, &(struct sites){.items = &place, .count = 1}, &probes->text,
			     probes->opts->symbols)
		.hit;
}

/* Once more with the one site, by a breakpoint: a kprobe on the way fills the LBR itself. */
static int run_for_branches(struct session *session, struct errmsg *msg)
{
	struct answer *answer = session->answer;
	const struct failure *again = NULL;
	struct errmsg why = {};
	int err;

	if (!runs_left(session)) {
		errmsg_set(&answer->lbr_reason, 0,
			   "they would have taken one run more, and the command is run up to %d "
			   "times",
			   RUNS_MAX);
		return 0;
	}
	err = probes_arm_for_branches(&session->probes, &answer->site, &answer->table, &why);
	if (err < 0) {
		answer->lbr_reason = why;
		return 0;
	}
	err = run_sites(session, &again, msg);
	if (err)
		return err;
	if (!again || !again->hit_count || !again->hits[0].hw)
		errmsg_set(&answer->lbr_reason, 0, "in run %u the call did not fail there",
			   answer->runs);
	else if (!made_error_again(session, again))
		errmsg_set(&answer->lbr_reason, 0,
			   "in run %u the call came there last by other functions", answer->runs);
	else
		return answer_keep_hit(answer, again, &again->hits[0]);
	return 0;
}

/*
 * Where more sites than there are breakpoints refuse a kprobe: those that got none, and the one
 * that was hit, so that the order of the hits tells which is the last. That comes first: where no
 * kprobe may stand there either, one of the breakpoints is for it.
 */
static int take_unwatched(struct session *session)
{
	struct probes *probes = &session->probes;
	const struct why_hit *hit = session->answer->hit;
	size_t room = HW_SITES_MAX - (hit && probes->armed[hit->site].hw);
	struct sites now = {}, later = {};
	int err = hit ? sites_add(&now, &session->answer->site) : 0;

	for (size_t i = 0; !err && i < probes->unwatched.count; i++)
		err = sites_add(i < room ? &now : &later, &probes->unwatched.items[i]);
	if (err) {
		sites_deinit(&now);
		sites_deinit(&later);
		return err;
	}
	probes_disarm(probes);
	probes->sites = now;
	probes->unwatched = later;
	return 0;
}

static int run_for_others(struct session *session, struct errmsg *msg)
{
	const struct failure *again = NULL;
	struct errmsg why = {};
	int err = take_unwatched(session);

	if (err)
		return err;
	/* Without it, what the run before told stays. */
	err = probes_arm(&session->probes, &why);
	if (err < 0)
		return err == -ENOMEM ? err : 0;
	err = run_sites(session, &again, msg);
	return !err && again ? conclude(session, again) : err;
}

static int run_for_sites(struct session *session, struct errmsg *msg)
{
	struct answer *answer = session->answer;
	const struct failure *again = NULL;
	int err = probes_arm(&session->probes, msg);

	if (err < 0)
		return err;
	err = run_sites(session, &again, msg);
	if (err)
		return err;
	if (!again) {
		errmsg_set(&answer->reason, 0,
			   "the call did not fail so in run %u; --once asks one run alone",
			   answer->runs);
		return 0;
	}
	err = conclude(session, again);
	if (!err && answer->state == ORIGIN_ONE_OF && session->probes.unwatched.count &&
	    runs_left(session) && !session->opts->probes.no_breakpoints)
		err = run_for_others(session, msg);
	return err;
}

/*
 * Where several branches lead to the place, and neither the LBR nor values tell which one did: once
 * more with all of them watched.
 */
static int run_for_decider(struct session *session, struct errmsg *msg)
{
	struct probes *probes = &session->probes;
	struct answer *answer = session->answer;
	const struct failure *again = NULL;
	struct sites branches = {};
	struct errmsg why = {};
	int err;

	if (!runs_left(session) || answer->state != ORIGIN_FOUND || !probes->opts->kprobes)
		return 0;
	err = decider_sites(probes, answer, &branches);
	if (err || !branches.count) {
		sites_deinit(&branches);
		return err;
	}
	probes_disarm(probes);
	probes->sites = branches;
	err = probes_arm(probes, &why);
	if (err < 0 || probes->unwatched.count) {
		/* They would fill the LBR of a later run. */
		probes_disarm(probes);
		return err == -ENOMEM ? err : 0;
	}
	err = run_sites(session, &again, msg);
	return !err && again ? decider_choose(probes, again, answer) : err;
}

static void say_why_no_branches(struct answer *answer)
{
	errmsg_set(
		&answer->lbr_reason, 0,
		"the last of %u runs watched which branch decided; with --story it reads the LBR",
		answer->runs);
}

static int find_origin(struct session *session, struct errmsg *msg)
{
	struct answer *answer = session->answer;
	bool done = false;
	int err = conclude_early(session, &done);

	probes_disarm(&session->probes);
	if (!err && !done) {
		err = find_sites(session);
		if (!err && !session->probes.sites.count)
			answer_explain_no_sites(answer);
	}
	if (err || (!done && !session->probes.sites.count))
		return err;
	err = probes_lbr(&session->probes, &answer->lbr_reason);
	answer->has_lbr = session->probes.events;
	if (!err && !done)
		err = run_for_sites(session, msg);
	if (err || answer->state == ORIGIN_NONE)
		return err;
	if (answer->has_lbr && answer->hit &&
	    (!answer->hit->hw || session->probes.sites.count > HW_SITES_MAX)) {
		if (session->opts->reason_first && answer->runs + 1 == RUNS_MAX) {
			err = run_for_decider(session, msg);
			if (err || !runs_left(session)) {
				say_why_no_branches(answer);
				return err;
			}
		}
		err = run_for_branches(session, msg);
	}
	return err ?: run_for_decider(session, msg);
}

static int explain_error(struct session *session, struct errmsg *msg)
{
	const struct session_options *opts = session->opts;
	struct answer *answer = session->answer;
	int err = first_run(session, msg);

	if (!err && answer->call && !answer_explain_outside(answer))
		err = find_origin(session, msg);
	if (!err && answer->call && opts->deep.runs)
		err = deep_find(&opts->deep, &opts->command, &session->probes, answer, msg);
	return err;
}

/* No error is looked for. */
static int run_to_place(struct session *session, struct errmsg *msg)
{
	struct answer *answer = session->answer;
	int err = probes_need_lbr(&session->probes, msg);

	if (err)
		return err;
	answer->has_lbr = true;
	answer->place = session->opts->place;
	err = deep_find(&session->opts->deep, &session->opts->command, &session->probes, answer,
			msg);
	if (!answer->call) {
		if (answer->deep && !answer->reason.text[0])
			answer->reason = answer->deep->gap;
		deep_path_free(answer->deep);
		answer->deep = NULL;
	}
	return err;
}

int session_run(const struct session_options *opts, struct answer *ret, struct errmsg *msg)
{
	struct session session = {.opts = opts, .answer = ret};
	int err;

	*ret = (struct answer){};
	err = learned_open(&session.learned);
	err = err ?: probes_open(&opts->probes, &session.probes, msg);
	err = err ?: (opts->place ? run_to_place(&session, msg) : explain_error(&session, msg));
	if (session.probes.watch)
		answer_count_lost(ret, session.probes.watch);
	learned_close(&session.learned);
	probes_close(&session.probes);
	failures_clear(&session.failures);
	return err;
}
