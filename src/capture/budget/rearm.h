/* SPDX-License-Identifier: GPL-2.0 */
/*
 * rearm.h - arms anew while a capture goes on: a cheaper trigger, the next breakpoints in turn
 *
 * CPUs come and go, modules are unloaded, breakpoints cost too much or take turns.
 */
#ifndef LBRSNOOP_CAPTURE_BUDGET_REARM_H
#define LBRSNOOP_CAPTURE_BUDGET_REARM_H

#include "util/errmsg.h"

struct armed;
struct capture;

/** capture_look_around() - follow all of that, once a second; for capture_poll() */
void capture_look_around(struct capture *capture);

/**
 * capture_retire() - disarm, and keep what the kernel counted of it
 * A flight recorder's links would keep it armed: capture_keep_armed() has to come after it.
 */
void capture_retire(struct capture *capture, struct armed *armed);

/** capture_keep_armed() - what is armed now stays armed without us, if that is wanted; 0 or errno
 */
int capture_keep_armed(struct capture *capture, struct errmsg *msg);

#endif
