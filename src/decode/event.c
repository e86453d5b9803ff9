// SPDX-License-Identifier: GPL-2.0
#include "decode/event.h"

#include <string.h>

#include "decode/perf_entry.h"
#include "util/errno_name.h"

static void decode_value(const struct captured_event *event, struct snapshot *snap)
{
	enum trigger_value value = trigger_traits(event->trigger->kind)->value;

	if (value == VALUE_BUG_ADDRESS)
		snap->bug_ip = (uint64_t)event->value;
	if (value == VALUE_SIGNAL)
		snap->signal = (int)event->value;
	if (!event->has_retval)
		return;
	snap->has_retval = true;
	/* The register as the return type reads it. */
	snap->retval = event->ret == RETURN_S64 ? event->value : (int32_t)event->value;
	/* A negative value of a user function may mean anything. */
	if (!trigger_is_user(event->trigger))
		snap->err = (int)errno_of_result(snap->retval);
}

static void decode_branches(const struct event_lbr *lbr, const struct captured_event *event,
			    struct snapshot *snap)
{
	snap->lbr = lbr->info;
	snap->filter = lbr->filter;
	snap->filtered = lbr->filtered;
	snap->path_ok = lbr->path_ok;
	snap->raw = event->raw;
	snap->raw_count = event->raw_count;
	snap->count = perf_entries_decode(lbr->model, event->raw, event->raw_count, lbr->filtered,
					  lbr->own, snap->branches);
	snap->dropped = event->read > snap->count ? event->read - snap->count : 0;
}

void lbr_model_of_info(const struct lbr_info *info, struct lbr_model *ret_model)
{
	*ret_model = (struct lbr_model){
		.name = info->model,
		.format = info->format,
		.supported = info->supported,
	};
}

void event_decode(const struct event_lbr *lbr, const struct captured_event *event,
		  struct snapshot *ret_snap)
{
	struct snapshot *snap = ret_snap;

	snapshot_clear(snap);
	snap->ts_ns = event->ts_ns;
	snap->cpu = event->cpu;
	snap->pid = event->pid;
	snap->tid = event->tid;
	memcpy(snap->comm, event->comm, COMM_LEN);
	snap->comm[COMM_LEN - 1] = '\0';
	snap->trigger = event->trigger;
	snap->ip = event->ip;
	decode_value(event, snap);
	decode_branches(lbr, event, snap);
	snap->regs = event->regs;
	if (!event->frames)
		return;
	snap->stack = event->stack;
	snap->stack_count = event->frames;
	snap->stack_cut = event->frames == event->frames_max;
}
