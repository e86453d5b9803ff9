/* SPDX-License-Identifier: GPL-2.0 */
/*
 * snapshot.bpf.h - filter by fall-through, then the snapshot, before all else
 *
 * Until bpf_get_branch_snapshot() has stopped the LBR, every taken branch overwrites a piece of
 * evidence. So what stands before it is written such that the wanted case falls through: no
 * call, no loop, each test jumps only when the event is *not* wanted. Whatever costs a call
 * (task, CPU, time) is asked for afterwards.
 */
#ifndef LBRSNOOP_BPF_SNAPSHOT_H
#define LBRSNOOP_BPF_SNAPSHOT_H

#include "vmlinux.h"
#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>

#include "flight.bpf.h"
#include "record.h"
#include "state.bpf.h"

/* include/linux/err.h: the last page of addresses is errors */
#define MAX_ERRNO 4095

/* How often a capture draws a slot, until it finds one that is free. */
#define SLOT_DRAWS 3

#define likely(x)   __builtin_expect(!!(x), 1)
#define unlikely(x) __builtin_expect(!!(x), 0)

/*
 * The loader loads one fentry/fexit/raw tracepoint program per target, as a copy of one template,
 * with this number replaced by the target's index (kernels before 6.0 and 6.10 have no attach
 * cookie for them). clone.c looks for the very value.
 */
#define TARGET_PLACEHOLDER 0x1b25006dU

static __always_inline __u32 cloned_target(void)
{
	__u64 id;

	asm volatile("%0 = 0x1b25006d ll" : "=r"(id));
	return id;
}

/* arch/x86/include/asm/thread_info.h: a system call of the 32-bit kind, with other numbers */
#define TS_COMPAT 0x0002

/* perf's events leave these out, too (ARCH_TRACE_IGNORE_COMPAT_SYSCALLS of asm/ftrace.h). */
static __always_inline bool in_compat_syscall(void)
{
	return bpf_get_current_task_btf()->thread_info.status & TS_COMPAT;
}

/* True if a return value is one of the errors asked for. Falls through when it is. */
static __always_inline bool wanted_error(__s64 ret)
{
	__u64 err = -ret;

	if (!filter_errno)
		return true;
	if (err - 1 >= MAX_ERRNO)
		return false;
	if (filter_errno_any)
		return true;
	return errno_wanted[(err & 4095) >> 6] & (1ULL << (err & 63));
}

/*
 * Before the snapshot, only where every return is wanted (-e none): there the price of the
 * snapshot, 5,000 instructions for each uninteresting call, weighs more than the two entries of
 * this call. With an errno filter the process is asked for afterwards, at no entry; children, too,
 * whose look-up would take more.
 */
static __always_inline bool other_process(void)
{
	return !filter_errno && filter_pid && !filter_children &&
	       bpf_get_current_pid_tgid() >> 32 != filter_pid;
}

/* Of all processes, of the one that is asked for and, if it is followed, of what descends from it.
 */
static __always_inline bool process_wanted(__u32 pid)
{
	if (!filter_pid || pid == filter_pid)
		return true;
	return filter_children && bpf_map_lookup_elem(&followed, &pid);
}

/* struct lbr_state - what the driver's struct cpu_hw_events has in this order */
struct lbr_state {
	__s32 users;
	__s32 pebs_users; /* of them: their entries come with PEBS records, and are not read */
	__u64 found;
};

/* Linux 5.16 to 6.18 have them side by side. Where one is moved, the count alone is known. */
static __always_inline bool lbr_state_is_whole(void)
{
	return bpf_core_field_exists(struct cpu_hw_events, lbr_users) &&
	       bpf_core_field_exists(struct cpu_hw_events, lbr_pebs_users) &&
	       bpf_core_field_offset(struct cpu_hw_events, lbr_pebs_users) -
			       bpf_core_field_offset(struct cpu_hw_events, lbr_users) ==
		       __builtin_offsetof(struct lbr_state, pebs_users) &&
	       bpf_core_field_offset(struct cpu_hw_events, lbr_stack.nr) -
			       bpf_core_field_offset(struct cpu_hw_events, lbr_users) ==
		       __builtin_offsetof(struct lbr_state, found);
}

/*
 * bpf_get_branch_snapshot() copies as many entries as the LBR is deep, but the driver may have
 * found fewer: Linux's filters, the call-stack mode, Haswell's double aborts, interrupts on
 * architectural LBR. What stands behind them is of an earlier reading, and looks the same. Only
 * the driver's own count tells. All of them, if the loader does not know where that is.
 *
 * Where nobody has the LBR on, as on a CPU that has come back a moment ago, or whose event was
 * refused, the driver reads nothing (intel_pmu_lbr_read(), amd_pmu_lbr_read()): all that is copied
 * is of an earlier reading, and the count is of that one, too.
 *
 * Where it is on this CPU is looked up once: each reading costs more than a hundred instructions,
 * of every hit of a hardware breakpoint.
 */
static __always_inline __u32 driver_found(__u32 cpu)
{
	__u64 *at = &driver_found_at[cpu & (CPUS_MAX - 1)];
	struct lbr_state state;
	__u64 base;

	/* A constant: under lockdown the verifier must see no way to a kernel read. */
	if (!percpu_offsets)
		return RECORD_BRANCHES_MAX;
	if (unlikely(!*at)) {
		if (bpf_probe_read_kernel(&base, sizeof(base),
					  (void *)(percpu_offsets + cpu * sizeof(base))))
			return RECORD_BRANCHES_MAX;
		*at = base + cpu_hw_events_offset +
		      bpf_core_field_offset(struct cpu_hw_events, lbr_stack.nr) -
		      __builtin_offsetof(struct lbr_state, found);
	}
	if (bpf_probe_read_kernel(&state, sizeof(state), (void *)*at))
		return RECORD_BRANCHES_MAX;
	if (lbr_state_is_whole() && state.users == state.pebs_users)
		return 0;
	return state.found > RECORD_BRANCHES_MAX ? RECORD_BRANCHES_MAX : (__u32)state.found;
}

/* An event that found no slot. What else there is to filter by is not asked: it may be too many. */
static __always_inline void count_no_slot(void)
{
	__u32 pid = bpf_get_current_pid_tgid() >> 32;

	if (!process_wanted(pid) || (own_pid && pid == own_pid))
		return;
	__sync_fetch_and_add(&losses.no_slot, 1);
}

/*
 * A place to put the snapshot, found without a call and without a jump: bpf_get_smp_processor_id()
 * and a per-CPU map lookup cost two entries each on 6.1, atomic instructions cost none. Each
 * capture draws the next slot. That one may still be in use: its task was preempted CAPTURE_SLOTS
 * captures ago, or its record waits for the loader. Then it draws again; where it need not,
 * arithmetic makes the waste slot, which is always in use, of what it draws.
 * Return: 0 if there is none; then the snapshot goes to waste.
 */
static __always_inline __u64 slot_draw(void)
{
	__u64 i = __sync_fetch_and_add(&next_slot, 1) & (CAPTURE_SLOTS - 1);
	__u64 busy = __sync_lock_test_and_set(&slots[i].busy, 1);

#pragma clang loop unroll(full)
	for (int again = 1; again < SLOT_DRAWS; again++) {
		__u64 next = __sync_fetch_and_add(&next_slot, busy) & (CAPTURE_SLOTS - 1) & -busy;

		i = (i & (busy - 1)) | next;
		busy &= __sync_lock_test_and_set(&slots[next].busy, 1);
	}
	i &= busy - 1;
	/* The compiler knows that this changes nothing, the verifier does not. */
	asm volatile("%0 &= %1" : "+r"(i) : "i"(CAPTURE_SLOTS - 1));
	return i;
}

/* Stops the LBR and reads it. NULL if there is no slot, which is not counted. */
static __always_inline struct capture_slot *snapshot_try(void)
{
	__u64 i = slot_draw();
	__s32 read;

	read = bpf_get_branch_snapshot(slots[i].rec.branches, sizeof(slots[i].rec.branches), 0);
	if (!i)
		return NULL;
	slots[i].rec.read = read;
	slots[i].rec.cpu = bpf_get_smp_processor_id();
	slots[i].rec.count = driver_found(slots[i].rec.cpu);
	return &slots[i];
}

/* The same of an event that is wanted: if there is no slot, that is counted. */
static __always_inline struct capture_slot *snapshot_take(void)
{
	struct capture_slot *slot = snapshot_try();

	if (unlikely(!slot))
		count_no_slot();
	return slot;
}

/* Of eight characters those before the first NUL; the other bytes are 0. */
static __always_inline __u64 until_nul(__u64 chars)
{
	const __u64 ones = 0x0101010101010101;
	/* The lowest bit in it is bit 7 of the NUL. */
	__u64 nul = (chars - ones) & ~chars & ones << 7;

	return nul ? chars & ((nul & -nul) - 1) >> 7 : chars;
}

/*
 * Two loads, where bpf_get_current_comm() takes a call and a loop. Kernels before 6.2 do not pad:
 * what a longer name has left there would be compared.
 */
static __always_inline void copy_comm(char *comm, const struct task_struct *task)
{
	__u64 *to = (__u64 *)comm;
	__u64 first = *(const __u64 *)&task->comm[0];

	to[0] = until_nul(first);
	to[1] = to[0] == first && first >> 56 ? until_nul(*(const __u64 *)&task->comm[8]) : 0;
}

static __always_inline bool comm_wanted(const char *comm)
{
	/* Compared as two words: copy_comm() pads with zeros. */
	const __u64 *have = (const __u64 *)comm;
	const volatile __u64 *want = (const volatile __u64 *)filter_comm;

	return have[0] == want[0] && have[1] == want[1];
}

static __always_inline bool task_wanted(__u32 pid, __u32 cpu, const char *comm)
{
	if (!process_wanted(pid))
		return false;
	if (own_pid && pid == own_pid)
		return false;
	if (filter_cpus && !(cpus_wanted[(cpu & (CPUS_MAX - 1)) >> 6] & (1ULL << (cpu & 63))))
		return false;
	if (filter_comm_on && !comm_wanted(comm))
		return false;
	if (filter_cgroup &&
	    bpf_get_current_ancestor_cgroup_id(filter_cgroup_level) != filter_cgroup)
		return false;
	return true;
}

/* Falls through while it is open. */
static __always_inline bool gate_is_shut(void)
{
	return gate && unlikely(*(volatile __s64 *)&gate_tokens <= 0);
}

/*
 * While the gate is shut an event that is wanted is only counted, before the snapshot, which is
 * most of what it would cost. What no filter asks for is not read: under a flood this is all that a
 * failing call pays.
 */
static __always_inline void count_gated(void)
{
	const struct task_struct *task = bpf_get_current_task_btf();
	__u64 comm[RECORD_COMM_LEN / sizeof(__u64)] = {};

	if (filter_comm_on)
		copy_comm((char *)comm, task);
	if (task_wanted(task->tgid, filter_cpus ? bpf_get_smp_processor_id() : 0,
			(const char *)comm))
		__sync_fetch_and_add(&losses.gated, 1);
}

/* snapshot_take(), where the LBR runs on without us, and each event that is wanted is a record. */
static __always_inline struct capture_slot *snapshot_take_gated(void)
{
	if (gate_is_shut()) {
		count_gated();
		return NULL;
	}
	return snapshot_take();
}

/* A hit of a breakpoint, and what it took. Read by the guard rails: what they cost each CPU. */
static __always_inline void count_hit(const struct capture_slot *slot)
{
	__u32 cpu = slot ? slot->rec.cpu : bpf_get_smp_processor_id();

	__sync_fetch_and_add(&hw_hits[cpu & (CPUS_MAX - 1)], 1);
}

static __always_inline void slot_release(struct capture_slot *slot)
{
	__sync_lock_test_and_set(&slot->busy, 0);
}

/* Entries up to the last one that holds a branch, of those that the driver found. */
static __always_inline __u32 count_valid(const struct record *rec)
{
	__s32 n = rec->read;

	if (n > (__s32)rec->count)
		n = rec->count;
	if (n > RECORD_BRANCHES_MAX)
		n = RECORD_BRANCHES_MAX;
	for (int i = 0; i < RECORD_BRANCHES_MAX; i++) {
		if (n <= 0)
			return 0;
		if (rec->branches[(n - 1) & (RECORD_BRANCHES_MAX - 1)].from)
			break;
		n--;
	}
	return n;
}

/*
 * One of two sizes, copied by the program's own instructions, 8 bytes each: bpf_ringbuf_output()
 * would take any size, but its memcpy() is REP MOVSB on today's CPUs, 800 counted steps.
 */
static __always_inline bool put(const struct record *rec, bool all, __u64 flags)
{
	void *to = all ? bpf_ringbuf_reserve(&events, RECORD_BYTES(RECORD_BRANCHES_MAX), 0)
		       : bpf_ringbuf_reserve(&events, RECORD_BYTES(RECORD_BRANCHES_FEW), 0);

	if (!to)
		return false;
	/* Else the compiler copies byte by byte. */
	to = __builtin_assume_aligned(to, 8);
	rec = __builtin_assume_aligned(rec, 8);
	if (all)
		__builtin_memcpy(to, rec, RECORD_BYTES(RECORD_BRANCHES_MAX));
	else
		__builtin_memcpy(to, rec, RECORD_BYTES(RECORD_BRANCHES_FEW));
	bpf_ringbuf_submit(to, flags);
	return true;
}

/* With what the function was called with, of which there are few: one size. */
static __always_inline bool put_argued(const struct record *rec, __u64 flags)
{
	void *to = bpf_ringbuf_reserve(&events, sizeof(struct argued_record), 0);

	if (!to)
		return false;
	to = __builtin_assume_aligned(to, 8);
	rec = __builtin_assume_aligned(rec, 8);
	__builtin_memcpy(to, rec, sizeof(struct argued_record));
	bpf_ringbuf_submit(to, flags);
	return true;
}

static __always_inline bool put_any(const struct record *rec, __u64 flags)
{
	/* The verifier takes this away where no arguments are asked for. */
	if (arguments && rec->kind == TRIGGER_FEXIT)
		return put_argued(rec, flags);
	return rec->count > RECORD_BRANCHES_FEW ? put(rec, true, flags) : put(rec, false, flags);
}

/*
 * Hands the record on, and frees the slot.
 *
 * Wakes the reader only when the ring fills up: the wake-up is an interrupt to this CPU and
 * would double the price of a capture. The reader looks by itself every few milliseconds.
 */
static __always_inline void submit(struct capture_slot *slot)
{
	struct record *rec = &slot->rec;
	__u64 flags = BPF_RB_NO_WAKEUP;

	if (flight_slots && flight_on && flight_wanted())
		flight_write(rec, NULL);
	if (flight_only) {
		__sync_fetch_and_add(&records_written, 1);
		slot_release(slot);
		return;
	}
	/* The verifier takes this away where there is no gate. */
	if (gate && __sync_fetch_and_add(&gate_tokens, -1) <= 0) {
		__sync_fetch_and_add(&losses.gated, 1);
		slot_release(slot);
		return;
	}
	if (bpf_ringbuf_query(&events, BPF_RB_AVAIL_DATA) > ring_wakeup_bytes)
		flags = BPF_RB_FORCE_WAKEUP;
		/* In NMI context the ring's lock is only tried: it may be free the next moment. */
#pragma clang loop unroll(disable)
	for (int i = 0; i < 16; i++)
		if (put_any(rec, flags)) {
			__sync_fetch_and_add(&records_written, 1);
			slot_release(slot);
			return;
		}
	if (bpf_ringbuf_query(&events, BPF_RB_AVAIL_DATA) + sizeof(struct argued_record) + 8 >
	    bpf_ringbuf_query(&events, BPF_RB_RING_SIZE)) {
		__sync_fetch_and_add(&losses.ring_full, 1);
		slot_release(slot);
	} else {
		__sync_fetch_and_add(&records_written, 1);
		__sync_fetch_and_add(&deferred_count, 1);
		__sync_lock_test_and_set(&slot->deferred, 1);
	}
}

/*
 * The instruction that a kprobe stands on: IP is behind the INT3, which is one byte, also where a
 * jump or the function tracer has come instead (optimized_callback(), kprobe_ftrace_handler()).
 */
static __always_inline __u64 kprobe_place(const struct pt_regs *ctx)
{
	return ctx->ip - 1;
}

/*
 * Who and when, now that the LBR has been read and branches cost nothing any more. False if the
 * task is not wanted.
 */
static __always_inline bool describe(struct record *rec, enum trigger_kind kind, __u32 target,
				     __u64 ip, __s64 ret)
{
	const struct task_struct *task = bpf_get_current_task_btf();

	rec->pid = task->tgid;
	rec->tid = task->pid;
	copy_comm(rec->comm, task);
	if (!task_wanted(rec->pid, rec->cpu, rec->comm))
		return false;
	rec->mono_ns = bpf_ktime_get_ns();
	rec->ip = ip;
	rec->retval = ret;
	rec->target = target;
	rec->kind = kind;
	if (rec->read > 0)
		rec->read /= sizeof(struct perf_branch_entry);
	rec->count = count_valid(rec);
	return true;
}

static __always_inline void finish(struct capture_slot *slot, enum trigger_kind kind, __u32 target,
				   __u64 ip, __s64 ret)
{
	if (describe(&slot->rec, kind, target, ip, ret))
		submit(slot);
	else
		slot_release(slot);
}

#endif
