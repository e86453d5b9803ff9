// SPDX-License-Identifier: GPL-2.0
#include "why/answer.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "why/deep/deep.h"
#include "why/run/watch.h"

bool answer_same_frame(const struct why_hit *one, const struct why_hit *other)
{
	return one->frames == other->frames && one->frames > 1 &&
	       !memcmp(&one->stack[1], &other->stack[1], (one->frames - 1) * sizeof(one->stack[0]));
}

int answer_keep_hit(struct answer *answer, const struct failure *failure, const struct why_hit *hit)
{
	struct failure *call = &answer->failures.items[answer->call - answer->failures.items];
	uint64_t watch = answer->site.watch, addr = answer->site.addr;

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
		if (answer->hit->stack[i] == watch + 1 || answer->hit->stack[i] == watch)
			answer->hit->stack[i] = addr;
	answer->hit->ip = answer->hit->regs[PTREG_IP] = addr;
	return 0;
}

static void explain_none(struct answer *answer, const struct observed *observed)
{
	if (observed->failure->hit_count)
		errmsg_set(
			&answer->reason, 0,
			"%zu instructions that load the error were executed, but none whose "
			"value becomes the result of the call, as far as the code of their "
			"callers tells (-v lists them); it was computed, was loaded in a function "
			"that cannot be watched, or came from outside the kernel's text",
			observed->failure->hit_count);
	else
		errmsg_set(&answer->reason, 0,
			   "none of the %zu instructions that load the error, in functions that "
			   "ran, was executed: the value was computed, was loaded in a function "
			   "that cannot be watched, or came from outside the kernel's text",
			   observed->sites_all);
}

#define NOT_ALL_KNOWN "not all functions that ran in the call are known, there were too many"

static void explain_signal(struct answer *answer)
{
	const char *name = sigabbrev_np((int)answer->call->signal);
	char number[32];

	snprintf(number, sizeof(number), "number %u", answer->call->signal);
	errmsg_set(
		&answer->reason, 0, "a signal came, %s%s, and its handler runs%s",
		name ? "SIG" : "", name ?: number,
		answer->call->restarts
			? ", which was installed without SA_RESTART"
			: ": this call is not begun again after one, whatever its SA_RESTART is");
}

bool answer_explain_outside(struct answer *answer)
{
	if (answer->call->signal)
		explain_signal(answer);
	else if (answer->call->refused)
		errmsg_set(&answer->reason, 0,
			   "a seccomp filter of the process refused the call before the kernel "
			   "began it");
	return answer->call->signal || answer->call->refused;
}

void answer_explain_no_sites(struct answer *answer)
{
	bool unknown = answer->call->via == WHY_VIA_SYSCALL && answer->call->err == ENOSYS;

	errmsg_set(&answer->reason, 0,
		   "none of the %zu watched functions that ran in the call loads this error%s%s",
		   answer->call->func_count, answer->call->cut ? "; " NOT_ALL_KNOWN : "",
		   unknown ? "; a system call that the kernel does not have fails with it" : "");
}

/* Of what may not have run at all nobody speaks where something was executed. */
static bool is_in_doubt(const struct answer *answer, const struct site *unwatched)
{
	return !unwatched->further || !answer->hit;
}

/* Those that could not be watched, the one that was hit, and its rival. */
static int keep_candidates(struct answer *answer, const struct observed *observed)
{
	const struct sites *unwatched = observed->unwatched;
	int err = 0;

	sites_deinit(&answer->candidates);
	for (size_t i = 0; !err && i < unwatched->count; i++)
		if (is_in_doubt(answer, &unwatched->items[i]))
			err = sites_add(&answer->candidates, &unwatched->items[i]);
	if (!err && observed->origin.rival)
		err = sites_add(&answer->candidates,
				&observed->sites->items[observed->origin.rival->site]);
	if (!err && answer->hit)
		err = sites_add(&answer->candidates, &answer->site);
	return err;
}

int answer_conclude(struct answer *answer, const struct observed *observed)
{
	const struct sites *unwatched = observed->unwatched;
	/* What was hit before could not be watched again. That it was, is known. */
	bool again =
		!observed->origin.hit && answer->hit && sites_has(unwatched, answer->site.addr);
	size_t left = 0;

	/* Neither what was hit before nor what was left then: this time it went another way. */
	if (!observed->origin.hit && answer->hit && !again) {
		errmsg_set(&answer->reason, 0,
			   "what was executed in run %u was not in run %u, nor was what could not "
			   "be watched before",
			   answer->runs - 1, answer->runs);
		return 0;
	}
	if (observed->origin.hit) {
		answer->site = observed->sites->items[observed->origin.hit->site];
		answer->table = observed->tables ? observed->tables[observed->origin.hit->site]
						 : (struct why_read_table){};
		if (answer_keep_hit(answer, observed->failure, observed->origin.hit))
			return -ENOMEM;
	}
	answer->reason.text[0] = '\0';
	for (size_t i = 0; i < unwatched->count; i++)
		left += is_in_doubt(answer, &unwatched->items[i]) &&
			!(again && unwatched->items[i].addr == answer->site.addr);
	if (left && !observed->origin.certain) {
		answer->state = ORIGIN_ONE_OF;
		errmsg_set(&answer->reason, 0, "%zu of %zu instructions could not be watched", left,
			   observed->sites_all);
		return keep_candidates(answer, observed);
	}
	if (answer->hit && !observed->origin.certain && (observed->cut || observed->hits_lost)) {
		answer->state = ORIGIN_ONE_OF;
		errmsg_set(&answer->reason, 0,
			   observed->cut
				   ? NOT_ALL_KNOWN
				   : "more instructions that load the error were executed in the "
				     "call than are kept");
		return keep_candidates(answer, observed);
	}
	if (observed->origin.rival) {
		answer->state = ORIGIN_ONE_OF;
		errmsg_set(&answer->reason, 0,
			   "what the last one loads goes to memory, and what an older one loads "
			   "may be "
			   "returned all the way");
		return keep_candidates(answer, observed);
	}
	sites_deinit(&answer->candidates);
	answer->state = answer->hit ? ORIGIN_FOUND : ORIGIN_NONE;
	if (!answer->hit)
		explain_none(answer, observed);
	if (observed->cut && !answer->hit)
		errmsg_add(&answer->reason, "; " NOT_ALL_KNOWN);
	return 0;
}

void answer_count_lost(struct answer *answer, const struct watch *watch)
{
	answer->calls_unwatched = watch_calls_unwatched(watch);
	answer->processes_unwatched = watch_processes_unwatched(watch);
	answer->calls_compat = watch_calls_compat(watch);
	answer->lost = watch_lost(watch) + answer->calls_unwatched;
}

void answer_explain_lost(const struct answer *answer, struct errmsg *ret_events,
			 struct errmsg *ret_unwatched)
{
	uint64_t events = answer->lost - answer->calls_unwatched;

	*ret_events = *ret_unwatched = (struct errmsg){};
	if (events)
		errmsg_set(ret_events, 0, "%" PRIu64 " events were lost", events);
	if (answer->calls_unwatched)
		errmsg_set(
			ret_unwatched, 0,
			"there were more than %u threads, and those beyond were not watched: "
			"%" PRIu64
			" system calls of them; 'why --comm NAME' watches those of one name alone",
			WHY_TASKS_MAX, answer->calls_unwatched);
	if (answer->processes_unwatched)
		errmsg_add(ret_unwatched,
			   "%sthere were more than %u processes, and %" PRIu64 " were not watched",
			   answer->calls_unwatched ? "; " : "", WHY_PROCESSES_MAX,
			   answer->processes_unwatched);
	if (answer->calls_compat)
		errmsg_add(ret_unwatched,
			   "%s%" PRIu64
			   " system calls of 32-bit code failed: these are not looked at",
			   ret_unwatched->text[0] ? "; " : "", answer->calls_compat);
}

void answer_deinit(struct answer *answer)
{
	failures_clear(&answer->failures);
	sites_deinit(&answer->candidates);
	free(answer->hit);
	free(answer->decider_hit);
	deep_path_free(answer->deep);
	*answer = (struct answer){};
}
