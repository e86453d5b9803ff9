// SPDX-License-Identifier: GPL-2.0
/*
 * faults of the kernel: WARN, BUG(), page faults, general protection
 *
 * By the time the kernel knows that it is an error, it has searched tables and printed lines: the
 * LBR holds nothing else. So a hardware breakpoint stands on the first function that the exception
 * calls and that may hold one (entry code may not), and its snapshot is kept. A second program,
 * where nothing comes by but errors, looks for what was kept of this very fault, and hands it on.
 * Where there is none it takes a snapshot of its own, with what is left.
 */
#include "preset.bpf.h"
#include "snapshot/fault_place.h"

_Static_assert(FAULT_WARN <= FAULT_PLACES, "early places have slots");

#define UD2 0x0b0f

/* How far behind a call of __warn_printk() the ud2 may stand, for arguments on the stack. */
#define WARN_REACH 64

/* A task's, and of those that have no number a CPU's. */
static __always_inline struct fault_slot *fault_slot(__u32 place, const struct record *rec)
{
	__u64 i = place * FAULT_SLOTS + ((rec->tid ?: rec->cpu) & (FAULT_SLOTS - 1));

	/* No place is as high; the verifier does not know. */
	asm volatile("%0 &= %1" : "+r"(i) : "i"(FAULT_PLACES * FAULT_SLOTS - 1));
	return &fault_slots[i];
}

static __always_inline void fault_keep(__u32 place, const struct record *rec, __u64 id)
{
	struct fault_slot *kept = fault_slot(place, rec);

	/* Not waited for: in NMI context its owner may be what was interrupted. */
	if (__sync_lock_test_and_set(&kept->busy, 1))
		return;
	__builtin_memcpy(__builtin_assume_aligned(&kept->rec, 8), __builtin_assume_aligned(rec, 8),
			 sizeof(*rec));
	kept->id = id;
	__sync_lock_test_and_set(&kept->busy, 0);
}

static __always_inline __u64 regs_ip(__u64 regs)
{
	__u64 ip = 0;

	bpf_probe_read_kernel(&ip, sizeof(ip),
			      (void *)(regs + bpf_core_field_offset(struct pt_regs, ip)));
	return ip;
}

/* Eight characters, as they stand in memory. */
#define WORD(a, b, c, d, e, f, g, h)                                                               \
	((__u64)(a) | (__u64)(b) << 8 | (__u64)(c) << 16 | (__u64)(d) << 24 | (__u64)(e) << 32 |   \
	 (__u64)(f) << 40 | (__u64)(g) << 48 | (__u64)(h) << 56)

/*
 * vprintk_emit(facility, level, dev_info, fmt, args): does the kernel itself (facility 0) say what
 * @place waits for? The level stands in front of the text, where it is no argument.
 */
static __always_inline bool printk_wanted(__u32 place, __u64 facility, __s32 level, __u64 fmt)
{
	__u64 text[2] = {};
	__u8 digit;

	if ((__u32)facility)
		return false;
	bpf_probe_read_kernel(text, sizeof(text), (void *)fmt);
	/* "watchdog: BUG: soft lockup - ..." at level emerg */
	if (place == FAULT_PRINTK_LOCKUP)
		return text[0] == WORD(1, '0', 'w', 'a', 't', 'c', 'h', 'd') &&
		       text[1] == WORD('o', 'g', ':', ' ', 'B', 'U', 'G', ':');
	/* "rcu: INFO: %s self-detected stall on CPU", "... detected stalls on CPUs/tasks" */
	if (place == FAULT_PRINTK_STALL)
		return text[0] == WORD(1, '3', 'r', 'c', 'u', ':', ' ', 'I') &&
		       text[1] == WORD('N', 'F', 'O', ':', ' ', '%', 's', ' ');
	if (level >= 0)
		return level <= 3;
	digit = text[0] >> 8;
	return (text[0] & 0xff) == 1 && digit >= '0' && digit <= '3';
}

/* Takes over what was kept with an @id from @low to @high, and at fault at @ip (0: wherever). */
static __always_inline bool fault_take(__u32 place, struct record *rec, __u64 low, __u64 high,
				       __u64 ip)
{
	struct fault_slot *kept = fault_slot(place, rec);
	__u32 tid = rec->tid;
	bool found;

	if (__sync_lock_test_and_set(&kept->busy, 1))
		return false;
	found = kept->id && kept->rec.tid == tid && kept->id >= low && kept->id <= high &&
		(!ip || kept->rec.ip == ip);
	if (found) {
		__builtin_memcpy(__builtin_assume_aligned(rec, 8),
				 __builtin_assume_aligned(&kept->rec, 8), sizeof(*rec));
		kept->id = 0;
	}
	__sync_lock_test_and_set(&kept->busy, 0);
	return found;
}

/*
 * kfence_report_error(address, is_write, regs, meta, type): of a page fault, which nobody knew to
 * be KFENCE's when it came by the early place; regs is NULL where kfree() or a check of KFENCE's
 * own noticed: then the snapshot is of here, and its branches are the story.
 */
static __always_inline void kfence_tells(struct bpf_perf_event_data *ctx, struct capture_slot *slot,
					 __u64 cookie)
{
	__u64 regs = ctx->regs.dx;
	struct preset_slot *more;

	if (!describe(&slot->rec, TRIGGER_HW, cookie, ctx->regs.ip, 0)) {
		slot_release(slot);
		return;
	}
	if (regs && fault_take(FAULT_FIXUP, &slot->rec, regs, regs, regs_ip(regs)))
		slot->rec.target = cookie;
	more = detail_begin(slot);
	if (unlikely(!more))
		return;
	if (regs)
		detail_regs(&more->rec.detail, regs);
	else
		detail_regs_here(&more->rec.detail, ctx);
	detail_stack(&more->rec.detail, ctx, 0);
	submit_detailed(more);
}

SEC("?perf_event")
int fault_early(struct bpf_perf_event_data *ctx)
{
	struct capture_slot *slot = snapshot_try();
	__u64 id = ctx->regs.di, ip = id;
	struct record *rec;
	__u64 cookie;
	__u32 place;

	count_hit(slot);
	cookie = bpf_get_attach_cookie(ctx);
	place = cookie >> 32;
	if (place == FAULT_PRINTK) {
		bool wanted = printk_wanted(place, ctx->regs.di, ctx->regs.si, ctx->regs.cx);

		if (slot && wanted)
			finish_preset(ctx, slot, TRIGGER_HW, cookie, ctx->regs.ip);
		else if (slot)
			slot_release(slot);
		else if (wanted)
			count_no_slot();
		return 0;
	}
	if (place == FAULT_KFENCE) {
		if (slot)
			kfence_tells(ctx, slot, cookie);
		else
			count_no_slot();
		return 0;
	}
	if (unlikely(!slot)) /* an error that is one takes a snapshot at its late place */
		return 0;
	rec = &slot->rec;
	if (place == FAULT_WARN_PRINTK) {
		id = 0;
		bpf_probe_read_kernel(&id, sizeof(id), (void *)ctx->regs.sp);
		/* The call, if it is the newest branch: the story ends there. */
		ip = rec->count && rec->branches[0].to == ctx->regs.ip ? rec->branches[0].from : id;
	} else if (place != FAULT_UD2) {
		ip = regs_ip(id);
	}
	if (describe(rec, TRIGGER_FAULT, 0, ip, 0))
		fault_keep(place, rec, id);
	slot_release(slot);
	return 0;
}

/* Where the late places have the exception's struct pt_regs; 0 where there is none. */
static __always_inline __u64 fault_regs(struct pt_regs *ctx, __u32 place)
{
	__u64 first = ctx->di, second = ctx->si, third = ctx->dx, fifth = ctx->r8;

	/* All of them are read: the verifier allows no offset into the context to be computed. */
	barrier_var(first);
	barrier_var(second);
	barrier_var(third);
	barrier_var(fifth);
	switch (place) {
	case FAULT_WARN: /* __warn(file, line, caller, taint, regs, args) */
		return fifth;
	case FAULT_PAGE_OOPS: /* page_fault_oops(regs, error_code, address) */
		return first;
	case FAULT_DIE_ADDR: /* die_addr(str, regs, err, gp_addr), die(str, regs, err) */
	case FAULT_DIE:
	case FAULT_DIE_BUG:
		return second;
	case FAULT_KFENCE: /* kfence_report_error(address, is_write, regs, meta, type) */
		return third;
	default:
		return 0;
	}
}

/* include/linux/kfence.h, with CONFIG_KFENCE_NUM_OBJECTS as it is by default */
#define KFENCE_POOL_BYTES ((255 + 1) * 2 * 4096)
#define PF_PROT		  1 /* arch/x86/include/asm/trap_pf.h: the page is there */

/* Pages of KFENCE's pool are taken out of the page tables on purpose: its report, and no oops. */
static __always_inline bool is_kfence(__u64 error_code, __u64 address)
{
	__u64 pool = 0;

	if (!kfence_pool || (error_code & PF_PROT))
		return false;
	bpf_probe_read_kernel(&pool, sizeof(pool), (void *)kfence_pool);
	return pool && address - pool < KFENCE_POOL_BYTES;
}

/* Sets *ret_bug where it is a WARN or BUG(), whatever was kept. */
static __always_inline bool fault_find(struct pt_regs *ctx, __u32 place, struct record *rec,
				       __u64 *ret_bug)
{
	__u64 regs = fault_regs(ctx, place), ip;
	__u16 insn = 0;

	if (place == FAULT_WARN) {
		*ret_bug = ctx->dx;
		return fault_take(FAULT_WARN_PRINTK, rec, ctx->dx - WARN_REACH, ctx->dx, 0) ||
		       fault_take(FAULT_UD2, rec, ctx->dx, ctx->dx, 0);
	}
	ip = regs_ip(regs);
	if (place == FAULT_DIE || place == FAULT_DIE_BUG) {
		bpf_probe_read_kernel(&insn, sizeof(insn), (void *)ip);
		*ret_bug = insn == UD2 ? ip : 0;
		if (*ret_bug && fault_take(FAULT_UD2, rec, ip, ip, 0))
			return true;
	}
	return fault_take(FAULT_FIXUP, rec, regs, regs, ip) ||
	       (place == FAULT_PAGE_OOPS && fault_take(FAULT_PAGE, rec, regs, regs, ip));
}

SEC("?kprobe")
int fault_late(struct pt_regs *ctx)
{
	__u64 cookie = bpf_get_attach_cookie(ctx), bug = 0;
	__u32 place = cookie >> 32;
	struct capture_slot *slot;
	struct preset_slot *more;

	/* By a kprobe nothing of the story is left in any case: better to spare the snapshot. */
	if (place >= FAULT_PRINTK && !printk_wanted(place, ctx->di, ctx->si, ctx->cx))
		return 0;
	if (place == FAULT_PAGE_OOPS && is_kfence(ctx->si, ctx->dx))
		return 0;
	slot = snapshot_take();
	if (unlikely(!slot))
		return 0;
	if (!describe(&slot->rec, TRIGGER_KPROBE, cookie, kprobe_place(ctx), 0)) {
		slot_release(slot);
		return 0;
	}
	if (place < FAULT_PRINTK && fault_find(ctx, place, &slot->rec, &bug)) {
		slot->rec.target = cookie;
		slot->rec.retval = bug;
	}
	if (place == FAULT_DIE_BUG && !bug) {
		slot_release(slot);
		return 0;
	}
	more = detail_begin(slot);
	if (unlikely(!more))
		return 0;
	detail_regs(&more->rec.detail, fault_regs(ctx, place));
	detail_stack(&more->rec.detail, ctx, 0);
	submit_detailed(more);
	return 0;
}
