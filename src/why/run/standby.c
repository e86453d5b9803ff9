// SPDX-License-Identifier: GPL-2.0
#include "why/run/standby.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "capture/capture.h"
#include "syscall/syscall.h"
#include "util/bitset.h"
#include "util/clock.h"
#include "util/errno_name.h"
#include "util/fnv.h"
#include "util/log.h"
#include "why/run/follow.h"
#include "why/learned.h"

/* Ways to fail that are told apart; with more, the first ones are learned again. */
#define LESSONS_MAX 1024

/**
 * struct lesson - calls that failed alike, in the same functions
 * @key: failure_key()
 * @since_ns: CLOCK_MONOTONIC since when all instructions that can have made it are watched
 */
struct lesson {
	uint64_t key;
	uint64_t since_ns;
};

/**
 * struct standby
 * @attached: to what runs already: the first answer ends it
 * @from_ns: CLOCK_MONOTONIC since when functions are watched, those of @modules included
 * @seen, @dropped: how many of @answer->failures were looked at, and had been dropped then
 * @learned_of: seq of the failure that had something armed last; UINT64_MAX: none
 * @for_branches: only its sites are watched, by breakpoints with the LBR
 * @no_branches: that is not to be tried again
 * @unlogged: calls that failed of tasks whose functions nobody logs
 */
struct standby {
	const struct session_options *opts;
	struct answer *answer;
	struct errmsg *msg;
	struct probes probes;
	struct learned learned;
	struct follow follow;
	bool attached;
	struct lesson lessons[LESSONS_MAX];
	size_t lesson_count;
	uint64_t from_ns;
	uint64_t modules;
	size_t seen;
	size_t dropped;
	uint64_t learned_of;
	bool for_branches;
	bool no_branches;
	size_t unlogged;
};

/* In whatever order the functions ran. */
static uint64_t failure_key(const struct failure *failure)
{
	const uint32_t kind[] = {failure->call.nr, failure->err, failure->via};
	uint64_t functions = 0;

	for (size_t i = 0; i < failure->func_count; i++)
		functions += fnv(FNV_START, &failure->funcs[i], sizeof(failure->funcs[i]));
	return fnv(FNV_START, kind, sizeof(kind)) ^ functions;
}

static const struct lesson *find_lesson(const struct standby *standby,
					const struct failure *failure)
{
	uint64_t key = failure_key(failure);

	for (size_t i = 0; i < standby->lesson_count; i++)
		if (standby->lessons[i].key == key)
			return &standby->lessons[i];
	return NULL;
}

static const struct failure *last_learned_of(const struct standby *standby)
{
	const struct failures *failures = &standby->answer->failures;

	for (size_t i = failures->count; i-- > 0;)
		if (failures->items[i].seq == standby->learned_of)
			return &failures->items[i];
	return NULL;
}

static bool asked_for(const struct blame_options *blame, const struct learned_function *item)
{
	return (blame->syscall < 0 || (uint32_t)blame->syscall == item->nr) &&
	       (blame->any_errno || bitset_has(blame->errnos, item->err));
}

/* The instructions that earlier runs have learned of: then the first occurrence may be enough. */
static int arm_learned(struct standby *standby)
{
	struct symbols *symbols = standby->opts->probes.symbols;
	struct probes *probes = &standby->probes;
	struct errmsg why = {};
	struct symbol sym;
	int err = 0;

	for (size_t i = standby->learned.count;
	     !err && i-- > 0 && probes->sites.count < PROBES_SITES_MAX;) {
		const struct learned_function *item = &standby->learned.items[i];

		if (!asked_for(&standby->opts->blame, item))
			continue;
		/* Static functions may share the name. */
		for (size_t k = 0;
		     !err && !symbols_by_name(symbols, item->module, item->function, k, &sym); k++)
			err = sites_of_function(&sym, item->err, &probes->candidates, &probes->text,
						symbols, &probes->sites);
	}
	if (!err && probes->sites.count && probes_arm(probes, &why) < 0)
		log_verbose("%s", why.text);
	return err;
}

/* All that was learned is to be watched anew; what failed so far tells nothing any more. */
static int begin(struct standby *standby)
{
	int err;

	standby->lesson_count = 0;
	standby->modules = probes_modules();
	probes_functions_end(&standby->probes);
	probes_disarm(&standby->probes);
	err = probes_functions(&standby->probes, standby->msg);
	if (!err && (standby->follow.pid || standby->attached)) {
		err = probes_log(&standby->probes, standby->msg);
		if (!err && standby->probes.log)
			err = follow_log(&standby->follow, standby->probes.log, standby->msg);
	}
	err = err ?: arm_learned(standby);
	standby->answer->functions_watched = standby->probes.functions_armed;
	standby->from_ns = clock_ns(CLOCK_MONOTONIC);
	return err;
}

/* Where the LBR is not, or was spent on what watches functions, the answer says so. */
static int say_no_branches(struct standby *standby)
{
	struct answer *answer = standby->answer;
	int err;

	if (answer->lbr_reason.text[0] || (answer->hit && answer->hit->hw))
		return 0;
	err = probes_lbr(&standby->probes, &answer->lbr_reason);
	if (!standby->probes.events)
		return err;
	answer->has_lbr = true;
	probes_lbr_end(&standby->probes);
	errmsg_set(&answer->lbr_reason, 0,
		   "functions were watched in the same call, which fills the LBR");
	return 0;
}

static int conclude(struct standby *standby, const struct failure *failure,
		    const struct sites *needed)
{
	struct probes *probes = &standby->probes;
	struct sites unwatched = {};
	int err = 0;

	standby->answer->call = failure;
	for (size_t i = 0; !err && i < needed->count; i++)
		if (sites_has(&probes->unwatched, needed->items[i].addr))
			err = sites_add(&unwatched, &needed->items[i]);
	if (!needed->count)
		answer_explain_no_sites(standby->answer);
	else
		err = err
			      ?: answer_conclude(standby->answer,
						 &(struct observed){
							 .failure = failure,
							 .origin = probes_choose(probes, failure),
							 .sites = &probes->sites,
							 .tables = probes->tables,
							 .unwatched = &unwatched,
							 .sites_all = needed->count,
							 .cut = failure->cut,
							 .hits_lost = failure->hits_lost,
						 });
	sites_deinit(&unwatched);
	return err ?: say_no_branches(standby);
}

/* Its sites were watched from its beginning on. */
static int conclude_whole(struct standby *standby, const struct failure *failure)
{
	struct sites needed = {};
	int err = probes_sites_of(&standby->probes, failure, &needed);

	err = err ?: conclude(standby, failure, &needed);
	sites_deinit(&needed);
	return err;
}

static int take_sites(struct standby *standby, const struct sites *needed)
{
	struct probes *probes = &standby->probes;
	int err = 0;

	for (size_t i = 0; !err && i < needed->count; i++)
		err = sites_add(&probes->sites, &needed->items[i]);
	return err;
}

/* In addition to those that are armed, or instead of them, if that were too many. */
static int arm_more(struct standby *standby, const struct sites *needed)
{
	struct probes *probes = &standby->probes;
	struct errmsg why = {};
	int err;

	if (probes->sites.count + needed->count > PROBES_SITES_MAX) {
		probes_disarm(probes);
		standby->lesson_count = 0;
	}
	err = take_sites(standby, needed);
	/* Then they are unwatched, and the answer is one of several. */
	if (!err && probes_arm(probes, &why) < 0)
		log_verbose("%s", why.text);
	return err;
}

/* Few enough for breakpoints: what watches functions, and would fill the LBR, is not needed then.
 */
static int try_branches(struct standby *standby, const struct sites *needed)
{
	struct probes *probes = &standby->probes;
	struct answer *answer = standby->answer;
	int err;

	standby->no_branches = true;
	if (needed->count > HW_SITES_MAX)
		return 0;
	err = probes_lbr(probes, &answer->lbr_reason);
	if (err || !probes->events)
		return err;
	answer->has_lbr = true;
	standby->for_branches = true;
	probes_functions_end(probes);
	probes_log_close(probes);
	probes_disarm(probes);
	standby->lesson_count = 0;
	err = arm_more(standby, needed);
	standby->from_ns = probes->armed_ns;
	return err;
}

/* Other calls fail meanwhile: of those nothing is known without their functions. */
static int give_up_branches(struct standby *standby)
{
	log_verbose("another call failed: functions are watched again, without the LBR");
	standby->for_branches = false;
	probes_lbr_end(&standby->probes);
	return begin(standby);
}

static void say_learned(const struct standby *standby, const struct failure *failure, size_t needed)
{
	const char *call = syscall_name(failure->call.nr), *err = errno_name((int)failure->err);

	if (standby->attached && standby->answer->runs == 1)
		log_info("seen once: %s failed with %s; it has to fail once more (%zu instructions "
			 "that can make this error are watched)",
			 call ?: "a call", err ?: "an error", needed);
}

/* Which functions can have made this error; *@ret: NULL if nothing is watched for it yet. */
static int learn(struct standby *standby, const struct failure *failure, const struct lesson **ret)
{
	struct probes *probes = &standby->probes;
	struct sites needed = {};
	int err = probes_sites_of(probes, failure, &needed);
	bool watched = probes_watched(probes, &needed);

	*ret = NULL;
	err = err
		      ?: learned_add(&standby->learned, failure->call.nr, (uint16_t)failure->err,
				     &needed);
	if (!err && !watched) {
		if (standby->attached)
			standby->answer->runs++;
		standby->learned_of = failure->seq;
		if (standby->attached && !standby->no_branches)
			err = try_branches(standby, &needed);
		if (!err && !standby->for_branches)
			err = arm_more(standby, &needed);
		say_learned(standby, failure, needed.count);
	}
	if (!err && !standby->for_branches) {
		if (standby->lesson_count == LESSONS_MAX)
			standby->lesson_count = 0;
		standby->lessons[standby->lesson_count++] = (struct lesson){
			.key = failure_key(failure),
			.since_ns = needed.count ? probes->armed_ns : standby->from_ns,
		};
		*ret = &standby->lessons[standby->lesson_count - 1];
	}
	sites_deinit(&needed);
	return err;
}

/* 1: it is the call that was waited for. */
static int look_for_branches(struct standby *standby, struct failure *failure)
{
	const struct failure *first = last_learned_of(standby);
	int err;

	if (!first || !failure_same(first, failure) ||
	    !probes_choose(&standby->probes, failure).hit)
		return give_up_branches(standby);
	standby->answer->runs++;
	/* Its sites are those of the functions that ran in the first one. */
	failure->cut = first->cut;
	err = conclude(standby, failure, &standby->probes.sites);
	return err ?: 1;
}

/* 1: it has the answer that was waited for. */
static int look_at(struct standby *standby, struct failure *failure)
{
	const struct blame_options *blame = &standby->opts->blame;
	const struct lesson *lesson;
	int err;

	if (failure->begin_ns < standby->from_ns ||
	    !(standby->attached ? blame_chosen(failure, blame) : blame_possible(failure, blame)))
		return 0;
	if (failure->refused || failure->signal) {
		if (!standby->attached)
			return 0;
		standby->answer->runs++;
		standby->answer->call = failure;
		return answer_explain_outside(standby->answer);
	}
	if (standby->for_branches)
		return look_for_branches(standby, failure);
	if (standby->modules != probes_modules()) {
		log_verbose("a module was loaded meanwhile: all over again with its functions");
		probes_refresh(&standby->probes);
		return begin(standby);
	}
	err = probes_log_fill(&standby->probes, failure);
	if (!err && standby->probes.log && !failure->func_count) {
		standby->unlogged++;
		return 0;
	}
	lesson = find_lesson(standby, failure);
	if (!err && !lesson)
		err = learn(standby, failure, &lesson);
	if (err || !lesson || failure->begin_ns < lesson->since_ns || !standby->attached)
		return err;
	if (standby->learned_of != failure->seq)
		standby->answer->runs++;
	return conclude_whole(standby, failure) ?: 1;
}

static int look(void *ctx)
{
	struct standby *standby = ctx;
	struct failures *failures = &standby->answer->failures;
	size_t gone = failures->dropped - standby->dropped;
	int err = 0;

	/* The oldest go where there are too many. */
	standby->seen -= gone < standby->seen ? gone : standby->seen;
	standby->dropped = failures->dropped;
	if (!standby->attached)
		standby->follow.pid = failures->root;
	while (!err && standby->seen < failures->count)
		err = look_at(standby, &failures->items[standby->seen++]);
	return err;
}

/* @why: no more is waited for. What has failed once is told, without its place. */
static void explain_end(struct standby *standby, const struct errmsg *why)
{
	struct answer *answer = standby->answer;

	answer->call = last_learned_of(standby);
	if (answer->call)
		errmsg_set(&answer->reason, 0,
			   "%s before it failed once more; what its first failure has taught is "
			   "kept: the next one may be enough",
			   why->text);
	else
		errmsg_set(&answer->reason, 0, "%s", why->text);
	if (standby->unlogged)
		errmsg_add(&answer->reason,
			   "; %zu calls failed in tasks whose functions this kernel cannot log: "
			   "it has no kprobe.multi (CONFIG_FPROBE)",
			   standby->unlogged);
}

static bool is_over(const struct standby *standby, uint64_t end_ns, uint64_t timeout_ms,
		    struct errmsg *ret_why)
{
	const struct command *command = &standby->opts->command;

	if (command->stop(command->ctx))
		errmsg_set(ret_why, 0, "interrupted");
	else if (clock_ns(CLOCK_MONOTONIC) >= end_ns)
		errmsg_set(ret_why, 0, "%g seconds were over", (double)timeout_ms / 1000);
	else
		return follow_gone(&standby->follow, ret_why);
	return true;
}

static int wait_for_failures(struct standby *standby, uint64_t timeout_ms)
{
	uint64_t end_ns = timeout_ms ? standby->from_ns + timeout_ms * 1000000 : UINT64_MAX;
	struct failures *failures = &standby->answer->failures;
	struct errmsg why = {};
	bool over = false;
	int err = 0;

	log_info("waiting for a call that fails; Ctrl-C ends");
	while (!err && !over) {
		/* Asked first: what failed before it is in the buffers then. */
		over = is_over(standby, end_ns, timeout_ms, &why);
		err = over ? probes_drain(&standby->probes, failures)
			   : probes_poll(&standby->probes, failures);
		err = err ?: look(standby);
	}
	if (!err)
		explain_end(standby, &why);
	return err < 0 ? err : 0;
}

static int standby_open(struct standby *standby)
{
	int err = learned_open(&standby->learned);

	return err ?: probes_open(&standby->opts->probes, &standby->probes, standby->msg);
}

static void standby_close(struct standby *standby)
{
	if (standby->probes.watch)
		answer_count_lost(standby->answer, standby->probes.watch);
	learned_close(&standby->learned);
	probes_close(&standby->probes);
	follow_close(&standby->follow);
	free(standby);
}

static struct standby *standby_create(const struct session_options *opts, struct answer *answer,
				      struct errmsg *msg)
{
	struct standby *standby = calloc(1, sizeof(*standby));

	*answer = (struct answer){};
	if (!standby)
		return NULL;
	standby->opts = opts;
	standby->answer = answer;
	standby->msg = msg;
	standby->follow.pidfd = -1;
	standby->learned_of = UINT64_MAX;
	return standby;
}

int standby_attach(const struct session_options *opts, const struct standby_target *target,
		   struct answer *ret, struct errmsg *msg)
{
	struct standby *standby = standby_create(opts, ret, msg);
	int err;

	if (!standby)
		return -ENOMEM;
	standby->attached = true;
	err = follow_open(target->pid, target->cgroup, &opts->probes.watch, &standby->follow, msg);
	err = err ?: standby_open(standby);
	err = err ?: follow_watch(&standby->follow, standby->probes.watch, msg);
	err = err ?: begin(standby);
	err = err ?: wait_for_failures(standby, target->timeout_ms);
	standby_close(standby);
	return err;
}

static bool is_whole(const struct standby *standby, const struct failure *failure)
{
	const struct lesson *lesson = find_lesson(standby, failure);

	return failure->begin_ns >= standby->from_ns && lesson &&
	       failure->begin_ns >= lesson->since_ns;
}

/* The call to blame, or the same call before it: the one whose sites were watched. */
static int find_origin(struct standby *standby)
{
	struct answer *answer = standby->answer;
	const struct failure *call = answer->call;

	if (is_whole(standby, call))
		return conclude_whole(standby, call);
	for (size_t i = answer->failures.count; i-- > 0;) {
		const struct failure *other = &answer->failures.items[i];

		if (failure_same(call, other) && is_whole(standby, other))
			return conclude_whole(standby, other);
	}
	errmsg_set(&answer->reason, 0, "%s",
		   call->begin_ns < standby->from_ns
			   ? "a module was loaded in this run, whose functions were not watched "
			     "when the call failed: the next time they are"
			   : "the command was run only once (--once), and the call did not fail "
			     "again in it; the next time the functions that ran in it are known");
	return 0;
}

int standby_run(const struct session_options *opts, struct answer *ret, struct errmsg *msg)
{
	struct standby *standby = standby_create(opts, ret, msg);
	struct blame_options blame = opts->blame;
	int err;

	if (!standby)
		return -ENOMEM;
	err = standby_open(standby);
	err = err ?: begin(standby);
	ret->runs = 1;
	err = err
		      ?: command_run(&opts->command, &standby->probes, &ret->failures, false, look,
				     standby, &ret->status, msg);
	if (!err) {
		blame.passed = !ret->status && blame.syscall < 0 && blame.any_errno;
		ret->call = blame_find(&ret->failures, &blame, &ret->why_call);
	}
	if (!err && ret->call && !answer_explain_outside(ret))
		err = find_origin(standby);
	standby_close(standby);
	return err;
}
