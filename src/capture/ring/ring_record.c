// SPDX-License-Identifier: GPL-2.0
#include "capture/ring/ring_record.h"

#include <errno.h>

#include "decode/event.h"
#include "record.h"

/* TRIGGER_NONE for a number that is none. */
static enum trigger_kind trigger_kind_of(unsigned int kind)
{
	return kind < TRIGGER_KIND_COUNT ? (enum trigger_kind)kind : TRIGGER_NONE;
}

/* Longer than a record: with a detail. False if it makes no sense. */
static bool take_detail(const void *data, size_t len, struct captured_event *event)
{
	const struct record_detail *detail = &((const struct detailed_record *)data)->detail;

	_Static_assert((int)RECORD_REGS == (int)PTREG_COUNT && RECORD_FRAMES_MAX <= BACKTRACE_MAX,
		       "a snapshot has room");
	if (len <= sizeof(struct record) || len == sizeof(struct argued_record))
		return true;
	if (len < sizeof(struct detailed_record) || detail->frames > RECORD_FRAMES_MAX)
		return false;
	if (detail->flags & DETAIL_REGS)
		event->regs = (const uint64_t *)detail->regs;
	event->stack = (const uint64_t *)detail->stack;
	event->frames = detail->frames;
	event->frames_max = RECORD_FRAMES_MAX;
	return true;
}

static void take_arguments(const struct probe *probe, const void *data, struct snapshot *ret_snap)
{
	const struct record_arguments *from = &((const struct argued_record *)data)->arguments;

	_Static_assert(sizeof(from->words) == ARGUMENTS_MAX * sizeof(uint64_t), "all have a word");
	_Static_assert(sizeof(struct argued_record) < sizeof(struct detailed_record),
		       "told by their length");
	probe_arguments(probe, (const uint64_t *)from->words, from->count, ret_snap);
}

/* The probe's trigger, as it was armed for this record. */
static const struct trigger *trigger_of(const struct record_context *ctx, const struct record *rec)
{
	enum trigger_kind kind = trigger_kind_of(rec->kind);
	struct trigger *trigger = &ctx->triggers[(size_t)rec->target * TRIGGER_KIND_COUNT + kind];

	*trigger = ctx->probes->items[rec->target].trigger;
	trigger->kind = kind;
	return trigger;
}

int record_decode(const struct record_context *ctx, const void *data, size_t len,
		  struct snapshot *ret_snap)
{
	const struct record *rec = data;
	const struct event_lbr lbr = {
		.model = ctx->model,
		.info = ctx->lbr,
		.filter = ctx->filter,
		.own = ctx->plan.own,
		.filtered = ctx->filtered,
		.path_ok = ctx->path_ok,
	};
	struct captured_event event = {0};
	const struct probe *probe;

	_Static_assert(RECORD_BRANCHES_MAX <= BRANCHES_MAX, "a record fits a snapshot");
	_Static_assert(sizeof(struct perf_branch_entry) == sizeof(struct raw_branch),
		       "FROM, TO, flags");
	snapshot_clear(ret_snap);
	if (len < RECORD_HEADER_BYTES || rec->count > RECORD_BRANCHES_MAX ||
	    len < RECORD_BYTES(rec->count) || rec->target >= ctx->probes->count ||
	    trigger_kind_of(rec->kind) == TRIGGER_NONE || !take_detail(data, len, &event))
		return -EBADMSG;
	probe = &ctx->probes->items[rec->target];
	event.ts_ns = rec->mono_ns + ctx->mono_to_real_ns;
	event.cpu = rec->cpu;
	event.pid = rec->pid;
	event.tid = rec->tid;
	event.comm = rec->comm;
	event.trigger = trigger_of(ctx, rec);
	event.ip = rec->ip;
	if (!rec->ip && event.trigger->kind != TRIGGER_SIGNAL)
		event.ip = probe->trigger.addr;
	event.has_retval = probe_has_retval(probe, event.trigger->kind);
	event.ret = probe->ret;
	event.value = rec->retval;
	event.raw = (const struct raw_branch *)rec->branches;
	event.raw_count = rec->count;
	event.read = rec->read > 0 ? rec->read : 0;
	event_decode(&lbr, &event, ret_snap);
	if (rec->kind == TRIGGER_FEXIT && len == sizeof(struct argued_record))
		take_arguments(probe, data, ret_snap);
	return 0;
}
