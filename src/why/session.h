/* SPDX-License-Identifier: GPL-2.0 */
/*
 * session.h - the runs of a command that find where its error was made; three at most, and those
 * that are asked for to follow the way to it further back
 *
 * 1: which call failed, and which of the functions that can make its errno ran in it. Again, if
 * that had a module loaded, whose functions nobody watched: then with the instructions that are
 * known. 2: which instruction of these made it. 3: instructions that a kprobe is refused at, where
 * there are more of them than breakpoints; else, on a machine with an LBR, where more than that
 * instruction was watched: its branches; else, where several conditional branches lead to that
 * instruction: the one that decided.
 */
#ifndef LBRSNOOP_WHY_SESSION_H
#define LBRSNOOP_WHY_SESSION_H

#include <stdbool.h>

#include "util/errmsg.h"
#include "why/answer.h"
#include "why/blame.h"
#include "why/run/command.h"
#include "why/deep/deep.h"
#include "why/run/probes.h"

/**
 * struct session_options - all borrowed
 * @place: or NULL: no error is looked for, but the way to @deep.place, which was written so
 * @reason_first: one run is left for either: the branch that decided comes before the LBR
 */
struct session_options {
	struct command command;
	struct blame_options blame;
	struct probes_options probes;
	struct deep_options deep;
	const char *place;
	bool reason_first;
};

/**
 * session_run() - run the command until its error is explained, or the way to a place is known
 * @ret: set in any case; free with answer_deinit()
 * Return: 0; negative errno with @msg if nothing can be found out at all.
 */
int session_run(const struct session_options *opts, struct answer *ret, struct errmsg *msg);

#endif
