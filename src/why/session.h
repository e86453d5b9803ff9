/* SPDX-License-Identifier: GPL-2.0 */
/*
 * session.h - the runs of a command that find where its error was made
 *
 * 1: which call failed, and which of the functions that can make its errno ran in it.
 * 2: which instruction of these made it.
 * 3: instructions that a kprobe is refused at, where there are more of them than breakpoints; else,
 *    on a machine with an LBR, where more than that instruction was watched: its branches.
 */
#ifndef LBRSNOOP_WHY_SESSION_H
#define LBRSNOOP_WHY_SESSION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "decode/model.h"
#include "snapshot/snapshot.h"
#include "symbolize/symbolize.h"
#include "util/errmsg.h"
#include "why/blame.h"
#include "why/sites.h"
#include "why/watch.h"

/**
 * struct session_command - how a run is made; all functions get @ctx
 * @start: start the command; it waits for @go. @quiet: what it writes is not to be seen again
 * @go: let it run
 * @ended: has it ended? *@ret_status as waitpid() gives it
 * @stop: the user wants no more
 */
struct session_command {
	int (*start)(void *ctx, bool quiet, uint32_t *ret_pid, struct errmsg *msg);
	void (*go)(void *ctx);
	bool (*ended)(void *ctx, int *ret_status);
	bool (*stop)(void *ctx);
	void *ctx;
};

/**
 * struct session_options - all borrowed
 * @no_breakpoints: why hardware breakpoints cannot be relied upon; NULL: they fire
 * @kprobes: the kernel has kprobes
 * @lbr: try to have the branches
 * @once: one run only
 */
struct session_options {
	struct session_command command;
	struct blame_options blame;
	struct watch_options watch;
	struct symbols *symbols;
	struct text *text;
	const char *no_breakpoints;
	bool kprobes;
	bool lbr;
	bool once;
};

/** enum origin_state - what is known of the place where the error was made */
enum origin_state {
	ORIGIN_NONE = 0, /* nothing, struct answer's @reason says why */
	ORIGIN_FOUND,	 /* this instruction */
	ORIGIN_ONE_OF,	 /* one of several */
};

/**
 * struct answer - free with answer_deinit()
 * @status: of the command's first run, as waitpid() gives it
 * @runs: how often it was run
 * @failures: all failing calls of the first run
 * @call: the one to blame; NULL: the command did not fail by a call. Belongs to @failures
 * @why_call: why this one
 * @state: of the origin
 * @reason: why the origin is not certain, or not there
 * @hit: of the origin, with registers and stack, and branches if it has @hw; NULL without one
 * @site: of the origin
 * @candidates: ORIGIN_ONE_OF: the sites that it can be
 * @lbr_reason: why there are no branches; ""
 * @functions_watched: those that can make an error
 * @lost: events that are not in all this
 */
struct answer {
	int status;
	unsigned int runs;
	struct failures failures;
	const struct failure *call;
	enum blame_reason why_call;
	enum origin_state state;
	struct errmsg reason;
	struct why_hit *hit;
	struct site site;
	struct sites candidates;
	struct errmsg lbr_reason;
	size_t functions_watched;
	uint64_t lost;
};

/**
 * session_attach() - explain an error of processes that run already, and are not repeated
 *
 * The first failure shows which functions ran in it, the next one of that kind where it was made.
 * @opts: command.stop alone is asked; watch says whose calls, or @pid
 * @pid: a process, 0: those of @opts->watch
 * @ret, Return: as session_run(); an error that did not come again has no origin.
 */
int session_attach(const struct session_options *opts, uint32_t pid, struct answer *ret,
		   struct errmsg *msg);

/**
 * session_run() - run the command until its error is explained
 * @ret: set in any case; free with answer_deinit()
 * Return: 0; negative errno with @msg if nothing can be found out at all.
 */
int session_run(const struct session_options *opts, struct answer *ret, struct errmsg *msg);

/** answer_deinit() - free */
void answer_deinit(struct answer *answer);

#endif
