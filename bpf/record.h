/* SPDX-License-Identifier: GPL-2.0 */
/*
 * record.h - what travels through the ring buffer
 *
 * Shared by the BPF programs and src/capture, by nothing else.
 */
#ifndef LBRSNOOP_BPF_RECORD_H
#define LBRSNOOP_BPF_RECORD_H

#ifndef __VMLINUX_H__
#include <linux/perf_event.h>
#include <linux/types.h>
#endif

#include "snapshot/trigger_number.h"

/* MAX_LBR_ENTRIES of arch/x86/events/perf_event.h: no Linux driver reads more. */
#define RECORD_BRANCHES_MAX 32
#define RECORD_BRANCHES_FEW 16 /* a record has room for so many, or for all */
#define RECORD_COMM_LEN	    16

/**
 * struct record - one event
 * @mono_ns: CLOCK_MONOTONIC when the program ran, after the snapshot
 * @ip: address of the probed instruction or of the function's entry; TRIGGER_PERF, TRIGGER_PMI:
 *      where the event, or its interrupt, came; TRIGGER_FAULT: of the instruction at fault, or of
 *      the call of __warn_printk(); 0 for tracepoints and uretprobe
 * @retval: TRIGGER_SIGNAL: its number; TRIGGER_FAULT: address of the ud2 of WARN or BUG(), or 0;
 * else return value as found in the register, class not applied; 0 without one
 * @target: index of the armed target, given by the loader
 * @cpu: where it ran, below CPUS_MAX of state.bpf.h
 * @kind: enum trigger_kind, of the program that took the branches; it may change while a probe is
 *        armed
 * @pid: thread group id in the initial PID namespace
 * @tid: thread id in the initial PID namespace
 * @count: entries of @branches in this record
 * @read: entries that bpf_get_branch_snapshot() returned, or its negative errno; those above
 *        @count were empty (see "invalid entries" in intel_pmu_lbr_filter(): the kernel moves
 *        the holes to the end), or were not of this reading
 * @comm: task name
 * @branches: newest first; what stands behind @count is not valid
 */
struct record {
	__u64 mono_ns;
	__u64 ip;
	__s64 retval;
	__u32 target;
	__u16 cpu;
	__u16 kind;
	__u32 pid;
	__u32 tid;
	__u32 count;
	__s32 read;
	char comm[RECORD_COMM_LEN];
	struct perf_branch_entry branches[RECORD_BRANCHES_MAX];
};

#define RECORD_HEADER_BYTES __builtin_offsetof(struct record, branches)
#define RECORD_BYTES(count) (RECORD_HEADER_BYTES + (count) * sizeof(struct perf_branch_entry))

/* Attach cookie of kprobe.multi: bits 31:0 the target, and whether the function returns 64 bits. */
#define MULTI_COOKIE_S64 (1ull << 32)

#define RECORD_ARGUMENTS 6 /* that are passed in registers, of 8 bytes each */

/** struct record_arguments - of a function, at its entry; what stands behind @count is 0 */
struct record_arguments {
	__u64 count;
	__u64 words[RECORD_ARGUMENTS];
};

/** struct argued_record - of TRIGGER_FEXIT, where arguments are asked for */
struct argued_record {
	struct record rec;
	struct record_arguments arguments;
};

#define RECORD_REGS	  21 /* of struct pt_regs */
#define RECORD_FRAMES_MAX 96

#define DETAIL_REGS 1u /* @regs is filled in */

/**
 * struct record_detail - behind the snapshot of a preset
 * @flags: DETAIL_*
 * @frames: of @stack
 * @regs: struct pt_regs
 * @stack: instruction, then return addresses, innermost first: the kernel's; of TRIGGER_SIGNAL the
 *         program's, by its frame pointers. What stands behind @frames is not valid
 */
struct record_detail {
	__u32 flags;
	__u32 frames;
	__u64 regs[RECORD_REGS];
	__u64 stack[RECORD_FRAMES_MAX];
};

/** struct detailed_record - what is longer than a struct record is one of these */
struct detailed_record {
	struct record rec;
	struct record_detail detail;
};

/**
 * struct capture_slot - where a snapshot is taken, before it goes into the ring buffer
 * @busy: in use
 * @deferred: the ring buffer's lock was not to be had (NMI context only tries it): the loader
 *            takes the record from here, and then clears both
 * @rec, @arguments: a struct argued_record; only then are @arguments valid
 */
struct capture_slot {
	__u64 busy;
	__u64 deferred;
	struct record rec;
	struct record_arguments arguments;
};

/** struct preset_slot - where the record of a preset is put together; as struct capture_slot */
struct preset_slot {
	__u64 busy;
	__u64 deferred;
	struct detailed_record rec;
};

/* Early places, and slots of each, which tasks share; powers of two. */
#define FAULT_PLACES 8
#ifndef FAULT_SLOTS
#define FAULT_SLOTS 64
#endif

/**
 * struct fault_slot - a snapshot that waits for its late place
 * @busy: being written or read
 * @id: what the late place knows it by: the address of the ud2, that behind the call of
 *      __warn_printk(), or the exception's struct pt_regs
 * @rec: its @tid says whose; 0 in @id: nothing waits
 */
struct fault_slot {
	__u64 busy;
	__u64 id;
	struct record rec;
};

/**
 * struct losses - events that matched, and that no record was written for
 * @unfollowed: children for which the map of those that are followed had no room
 */
struct losses {
	__u64 ring_full; /* no room in the ring buffer */
	__u64 no_slot;	 /* more captures under way at once than CAPTURE_SLOTS */
	__u64 gated;	 /* not asked for: a budget of the loader's was used up */
	__u64 unfollowed;
};

#endif
