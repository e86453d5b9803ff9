// SPDX-License-Identifier: GPL-2.0
#include "capture/ring_record.h"

#include <errno.h>
#include <string.h>

#include "decode/perf_entry.h"
#include "record.h"
#include "util/cleanup.h"

/* include/linux/err.h */
#define MAX_ERRNO 4095

/* A flight recorder's pages hold the number as it is, see struct flight_record. */
_Static_assert(
	(int)RECORD_FENTRY == (int)TRIGGER_FENTRY && (int)RECORD_FEXIT == (int)TRIGGER_FEXIT &&
		(int)RECORD_KPROBE == (int)TRIGGER_KPROBE &&
		(int)RECORD_KRETPROBE == (int)TRIGGER_KRETPROBE &&
		(int)RECORD_TRACEPOINT == (int)TRIGGER_TRACEPOINT &&
		(int)RECORD_RAWTRACEPOINT == (int)TRIGGER_RAWTRACEPOINT &&
		(int)RECORD_HW == (int)TRIGGER_HW && (int)RECORD_UPROBE == (int)TRIGGER_UPROBE &&
		(int)RECORD_URETPROBE == (int)TRIGGER_URETPROBE &&
		(int)RECORD_SIGNAL == (int)TRIGGER_SIGNAL &&
		(int)RECORD_FAULT == (int)TRIGGER_FAULT && (int)RECORD_PERF == (int)TRIGGER_PERF &&
		(int)RECORD_PMI == (int)TRIGGER_PMI && (int)RECORD_MULTI == (int)TRIGGER_MULTI,
	"numbered alike");

/* TRIGGER_NONE for a number that is none. */
static enum trigger_kind trigger_kind_of(unsigned int kind)
{
	return kind <= RECORD_MULTI ? (enum trigger_kind)kind : TRIGGER_NONE;
}

bool probe_has_retval(const struct probe *probe, enum trigger_kind kind)
{
	switch (kind) {
	case TRIGGER_FEXIT:
	case TRIGGER_KRETPROBE:
	case TRIGGER_MULTI:
		return probe->ret != RETURN_NONE;
	case TRIGGER_HW:
		return probe->site_kind != SITE_PLAIN && probe->ret != RETURN_NONE;
	case TRIGGER_TRACEPOINT:
		return probe->ret == RETURN_S64;
	case TRIGGER_URETPROBE:
		return true;
	default:
		return false;
	}
}

/* The register as the return type reads it. */
static int64_t return_value(const struct probe *probe, int64_t reg)
{
	return probe->ret == RETURN_S64 ? reg : (int32_t)reg;
}

static void fill_branches(const struct record_context *ctx, const struct record *rec,
			  struct snapshot *snap)
{
	uint32_t read = rec->read > 0 ? rec->read : 0;

	_Static_assert(sizeof(struct perf_branch_entry) == sizeof(struct raw_branch),
		       "FROM, TO, flags");
	snap->raw = (const struct raw_branch *)rec->branches;
	snap->raw_count = rec->count;
	snap->count = perf_entries_decode(ctx->model, snap->raw, snap->raw_count, ctx->filtered,
					  ctx->plan.own, snap->branches);
	snap->dropped = read > snap->count ? read - snap->count : 0;
}

/* Longer than a record: with a detail. False if it makes no sense. */
static bool fill_detail(const void *data, size_t len, struct snapshot *snap)
{
	const struct record_detail *detail = &((const struct detailed_record *)data)->detail;

	_Static_assert((int)RECORD_REGS == (int)PTREG_COUNT && RECORD_FRAMES_MAX <= BACKTRACE_MAX,
		       "a snapshot has room");
	if (len <= sizeof(struct record))
		return true;
	if (len < sizeof(struct detailed_record) || detail->frames > RECORD_FRAMES_MAX)
		return false;
	if (detail->flags & DETAIL_REGS)
		snap->regs = (const uint64_t *)detail->regs;
	if (!detail->frames)
		return true;
	snap->stack = (const uint64_t *)detail->stack;
	snap->stack_count = detail->frames;
	snap->stack_cut = detail->frames == RECORD_FRAMES_MAX;
	return true;
}

int record_decode(const struct record_context *ctx, const void *data, size_t len,
		  struct snapshot *ret_snap)
{
	const struct record *rec = data;
	const struct probe *probe;
	struct trigger *trigger;

	_Static_assert(RECORD_BRANCHES_MAX <= BRANCHES_MAX, "a record fits a snapshot");
	snapshot_clear(ret_snap);
	if (len < RECORD_HEADER_BYTES || rec->count > RECORD_BRANCHES_MAX ||
	    len < RECORD_BYTES(rec->count) || rec->target >= ctx->probes->count ||
	    trigger_kind_of(rec->kind) == TRIGGER_NONE || !fill_detail(data, len, ret_snap))
		return -EBADMSG;
	probe = &ctx->probes->items[rec->target];
	ret_snap->ts_ns = rec->mono_ns + ctx->mono_to_real_ns;
	ret_snap->cpu = rec->cpu;
	ret_snap->pid = rec->pid;
	ret_snap->tid = rec->tid;
	memcpy(ret_snap->comm, rec->comm, COMM_LEN);
	ret_snap->comm[COMM_LEN - 1] = 0;
	trigger = &ctx->triggers[(size_t)rec->target * TRIGGER_KIND_COUNT +
				 trigger_kind_of(rec->kind)];
	*trigger = probe->trigger;
	trigger->kind = trigger_kind_of(rec->kind);
	ret_snap->trigger = trigger;
	ret_snap->ip = rec->ip;
	if (!rec->ip && trigger->kind != TRIGGER_SIGNAL)
		ret_snap->ip = probe->trigger.addr;
	ret_snap->has_retval = probe_has_retval(probe, trigger->kind);
	ret_snap->retval = ret_snap->has_retval ? return_value(probe, rec->retval) : 0;
	ret_snap->signal = trigger->kind == TRIGGER_SIGNAL ? (int)rec->retval : 0;
	ret_snap->bug_ip = trigger->kind == TRIGGER_FAULT ? (uint64_t)rec->retval : 0;
	/* A negative value of a user function may mean anything. */
	if (ret_snap->has_retval && !trigger_is_user(trigger) && ret_snap->retval < 0 &&
	    ret_snap->retval >= -MAX_ERRNO)
		ret_snap->err = -ret_snap->retval;
	ret_snap->lbr = ctx->lbr;
	ret_snap->filter = ctx->filter;
	ret_snap->path_ok = ctx->path_ok;
	fill_branches(ctx, rec, ret_snap);
	return 0;
}
