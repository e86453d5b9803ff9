/* SPDX-License-Identifier: GPL-2.0 */
/* why.h - what "lbrsnoop why" does with its options, for lbrsnoop --deep TARGET as well */
#ifndef LBRSNOOP_CMD_WHY_WHY_H
#define LBRSNOOP_CMD_WHY_WHY_H

#include "cmd/why/why_options.h"

/** why_run() - run the command, show what was found out; returns the exit status */
int why_run(const struct why_options *opts);

#endif
