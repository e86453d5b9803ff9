/* SPDX-License-Identifier: GPL-2.0 */
/* wanted.h - the filters of a trace, applied to what was captured already */
#ifndef LBRSNOOP_CMD_WANTED_H
#define LBRSNOOP_CMD_WANTED_H

#include <stdbool.h>

#include "capture/capture.h"
#include "snapshot/snapshot.h"

/** snapshot_wanted() - by errno, pid, comm and cpu of @filter */
bool snapshot_wanted(const struct capture_options *filter, const struct snapshot *snap);

#endif
