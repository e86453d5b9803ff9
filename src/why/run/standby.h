/* SPDX-License-Identifier: GPL-2.0 */
/*
 * standby.h - explain an error without running a command again
 *
 * From each call that fails is learned which functions ran in it; then their instructions that load
 * its errno are watched as well. Where those of a call were watched from its beginning, it has the
 * answer: at its second occurrence, or at its first if an earlier run has learned of it.
 */
#ifndef LBRSNOOP_WHY_RUN_STANDBY_H
#define LBRSNOOP_WHY_RUN_STANDBY_H

#include <stdint.h>

#include "util/errmsg.h"
#include "why/answer.h"
#include "why/session.h"

/**
 * struct standby_target - what runs already; all borrowed
 * Names and control groups are in the options for the probes, too: struct watch_options.
 * @pid: a process, and its children; 0: none
 * @cgroup: folder of a control group, or NULL
 * @timeout_ms: how long to wait; 0: for ever
 */
struct standby_target {
	uint32_t pid;
	const char *cgroup;
	uint64_t timeout_ms;
};

/**
 * standby_attach() - wait for failing calls of what runs already
 * It ends with the first answer, and when the process, or the control group, is no more.
 * @opts: command.stop alone is asked
 * @ret: set in any case; free with answer_deinit(). Where no call failed, its reason says why no
 *       more is waited for
 * Return: 0; -ESRCH if there is no such process; negative errno, with @msg.
 */
int standby_attach(const struct session_options *opts, const struct standby_target *target,
		   struct answer *ret, struct errmsg *msg);

/**
 * standby_run() - run a command once
 * @ret: set in any case; free with answer_deinit()
 * Return: 0; negative errno with @msg.
 */
int standby_run(const struct session_options *opts, struct answer *ret, struct errmsg *msg);

#endif
