/* SPDX-License-Identifier: GPL-2.0 */
/* maps.h - the kernel tells which process maps which code: PERF_RECORD_MMAP2 and its companions */
#ifndef LBRSNOOP_CAPTURE_MAPS_H
#define LBRSNOOP_CAPTURE_MAPS_H

#include <stdint.h>

#include "symbolize/user/userspace.h"
#include "util/errmsg.h"

struct map_events;

/**
 * map_events_open() - from now on
 * @user: told what happens, by map_events_tell(); borrowed
 * Return: 0; negative errno. Free with map_events_close().
 */
int map_events_open(struct userspace *user, struct map_events **ret_events, struct errmsg *msg);

/** map_events_update() - follow CPU hotplug */
void map_events_update(struct map_events *events);

/** map_events_tell() - all that happened up to a time (CLOCK_MONOTONIC), in order */
void map_events_tell(struct map_events *events, uint64_t until_ns);

/** map_events_close() - NULL is fine */
void map_events_close(struct map_events *events);

#endif
