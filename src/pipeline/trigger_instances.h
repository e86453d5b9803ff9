/* SPDX-License-Identifier: GPL-2.0 */
/* trigger_instances.h - triggers whose function is known only when they fire: one for each place */
#ifndef LBRSNOOP_PIPELINE_TRIGGER_INSTANCES_H
#define LBRSNOOP_PIPELINE_TRIGGER_INSTANCES_H

#include <stddef.h>

#include "snapshot/snapshot.h"
#include "symbolize/symbolize.h"

struct trigger_instance;

/** struct trigger_instances - each is on its own: snapshots and capture files know them by address
 */
struct trigger_instances {
	struct trigger_instance **items;
	size_t count;
};

/**
 * trigger_instance_at() - @original, with its function at @addr
 * Return: owned by the list, the same for the same arguments, its strings @original's until the
 * caller sets others; NULL if there is no room for another one.
 */
struct trigger *trigger_instance_at(struct trigger_instances *list, const struct trigger *original,
				    uint64_t addr);

/**
 * trigger_instance_at_symbol() - put a snapshot's trigger, which can fire in any function, into the
 * function that holds @snap->ip, if @symbols know one
 *
 * What names it outlives the trigger, and is not its own.
 */
void trigger_instance_at_symbol(struct trigger_instances *list, struct symbols *symbols,
				struct snapshot *snap);

/** trigger_instances_deinit() - free them all */
void trigger_instances_deinit(struct trigger_instances *list);

#endif
