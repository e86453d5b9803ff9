/* SPDX-License-Identifier: GPL-2.0 */
/* perf_event.h - perf:EVENT[:PERIOD]: perf events as triggers */
#ifndef LBRSNOOP_TARGET_KINDS_PERF_EVENT_H
#define LBRSNOOP_TARGET_KINDS_PERF_EVENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "target/target.h"
#include "util/errmsg.h"

/**
 * struct perf_event_name - an event by its name
 * @name: as "perf list" has it
 * @alias: another name of perf's, or NULL
 * @type, @config: as in struct perf_event_attr
 * @period: if none is given
 * @what: what it counts
 */
struct perf_event_name {
	const char *name;
	const char *alias;
	uint32_t type;
	uint64_t config;
	uint64_t period;
	const char *what;
};

/** perf_event_at() - the known ones, one after the other; NULL behind the last */
const struct perf_event_name *perf_event_at(size_t i);

/** perf_event_of_software() - is the event of this type the kernel's, not the PMU's? */
bool perf_event_of_software(uint32_t type);

/**
 * perf_event_parse() - EVENT[:PERIOD], what stands behind "perf:"
 * @spec: its name becomes the event's, its event what is to be opened
 * Return: 0; -EINVAL with @msg, which lists what there is; -ENOMEM.
 */
int perf_event_parse(const char *rest, struct target_spec *spec, struct errmsg *msg);

/** perf_event_add() - append the probe of a target that perf_event_parse() took apart; 0, -ENOMEM
 */
int perf_event_add(struct resolver *resolver, const struct target_spec *spec,
		   struct probe_list *list, struct errmsg *msg);

#endif
