/* SPDX-License-Identifier: GPL-2.0 */
/*
 * preset.bpf.h - with the snapshot of a preset go the stack and the registers
 *
 * After the snapshot: the branches of looking for them are in nobody's way. They make a record
 * twice as long, so it is put together in a slot of its own kind; the few that are under way at
 * once share PRESET_SLOTS of them.
 */
#ifndef LBRSNOOP_BPF_PRESET_H
#define LBRSNOOP_BPF_PRESET_H

#include "snapshot.bpf.h"

/* A slot, or NULL: they are all in use. */
static __always_inline struct preset_slot *preset_slot_draw(void)
{
	for (int i = 0; i < 4; i++) {
		__u64 draw = __sync_fetch_and_add(&next_preset_slot, 1) & (PRESET_SLOTS - 1);

		/* The compiler knows that this changes nothing, the verifier does not. */
		asm volatile("%0 &= %1" : "+r"(draw) : "i"(PRESET_SLOTS - 1));
		if (!__sync_lock_test_and_set(&preset_slots[draw].busy, 1))
			return &preset_slots[draw];
	}
	return NULL;
}

/* As submit() of snapshot.bpf.h. */
static __always_inline void submit_detailed(struct preset_slot *slot)
{
	struct detailed_record *rec = &slot->rec;

	if (flight_slots && flight_on && flight_wanted())
		flight_write(&rec->rec, &rec->detail);
	if (flight_only) {
		__sync_fetch_and_add(&records_written, 1);
		__sync_lock_test_and_set(&slot->busy, 0);
		return;
	}
#pragma clang loop unroll(disable)
	for (int i = 0; i < 16; i++)
		if (!bpf_ringbuf_output(&events, rec, sizeof(*rec), BPF_RB_NO_WAKEUP)) {
			__sync_fetch_and_add(&records_written, 1);
			__sync_lock_test_and_set(&slot->busy, 0);
			return;
		}
	if (bpf_ringbuf_query(&events, BPF_RB_AVAIL_DATA) + sizeof(*rec) + 8 >
	    bpf_ringbuf_query(&events, BPF_RB_RING_SIZE)) {
		__sync_fetch_and_add(&losses.ring_full, 1);
		__sync_lock_test_and_set(&slot->busy, 0);
	} else {
		__sync_fetch_and_add(&records_written, 1);
		__sync_fetch_and_add(&deferred_count, 1);
		__sync_lock_test_and_set(&slot->deferred, 1);
	}
}

/* Begins the detail of a described record; NULL: there is no room, the record goes as it is. */
static __always_inline struct preset_slot *detail_begin(struct capture_slot *slot)
{
	struct preset_slot *more = preset_slot_draw();

	if (unlikely(!more)) {
		submit(slot);
		return NULL;
	}
	__builtin_memcpy(__builtin_assume_aligned(&more->rec.rec, 8),
			 __builtin_assume_aligned(&slot->rec, 8), sizeof(slot->rec));
	slot_release(slot);
	more->rec.detail.flags = 0;
	more->rec.detail.frames = 0;
	return more;
}

/* @flags: 0 or BPF_F_USER_STACK. */
static __always_inline void detail_stack(struct record_detail *detail, void *ctx, __u64 flags)
{
	long bytes = bpf_get_stack(ctx, detail->stack, sizeof(detail->stack), flags);

	if (bytes > 0)
		detail->frames = bytes / sizeof(detail->stack[0]);
}

/* @regs: a struct pt_regs of the kernel; 0: there are none. */
static __always_inline void detail_regs(struct record_detail *detail, __u64 regs)
{
	_Static_assert(sizeof(struct pt_regs) == sizeof(detail->regs), "as the kernel has them");
	if (regs && !bpf_probe_read_kernel(detail->regs, sizeof(detail->regs), (void *)regs))
		detail->flags |= DETAIL_REGS;
}

/* Of a breakpoint: those of the instruction it stands on. */
static __always_inline void detail_regs_here(struct record_detail *detail,
					     struct bpf_perf_event_data *ctx)
{
	const volatile __u64 *from = (const volatile __u64 *)&ctx->regs;

#pragma clang loop unroll(full)
	for (int i = 0; i < RECORD_REGS; i++)
		detail->regs[i] = from[i];
	detail->flags |= DETAIL_REGS;
}

/* As finish() of snapshot.bpf.h. */
static __always_inline void finish_preset(void *ctx, struct capture_slot *slot,
					  enum trigger_kind kind, __u32 target, __u64 ip)
{
	struct preset_slot *more;

	if (!describe(&slot->rec, kind, target, ip, 0)) {
		slot_release(slot);
		return;
	}
	more = detail_begin(slot);
	if (unlikely(!more))
		return;
	if (kind == TRIGGER_HW)
		detail_regs_here(&more->rec.detail, ctx);
	detail_stack(&more->rec.detail, ctx, 0);
	submit_detailed(more);
}

#endif
