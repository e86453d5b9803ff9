/* SPDX-License-Identifier: GPL-2.0 */
/* follow.h - the children of the process that is traced */
#ifndef LBRSNOOP_CAPTURE_FOLLOW_H
#define LBRSNOOP_CAPTURE_FOLLOW_H

#include "capture/capture.h"
#include "util/errmsg.h"

struct lbrsnoop_bpf;

/** follow_select() - before the programs are loaded: choose those that follow, and make room */
void follow_select(struct lbrsnoop_bpf *skel, const struct capture_options *opts);

/**
 * follow_arm() - attach them, for as long as @skel lives
 * Return: 0, also if nothing is to be followed; negative errno, @msg says it.
 */
int follow_arm(struct lbrsnoop_bpf *skel, const struct capture_options *opts, struct errmsg *msg);

#endif
