/* SPDX-License-Identifier: GPL-2.0 */
/* state.bpf.h - configuration and buffers that all programs share; defined in state.bpf.c */
#ifndef LBRSNOOP_BPF_STATE_H
#define LBRSNOOP_BPF_STATE_H

#include "flight/page_format.h"
#include "syscall_event.h"

#define CPUS_MAX 8192 /* CONFIG_NR_CPUS of distribution kernels */

/*
 * Captures that may be under way at once: a capture may be preempted in the middle, and a record
 * that finds the ring buffer locked waits in its slot until the loader comes round. In a virtual
 * machine the lock is held as long as the CPU that has it is not run, a tenth of a second in QEMU:
 * that is more than a thousand captures of another CPU.
 */
#ifndef CAPTURE_SLOTS
#define CAPTURE_SLOTS 4096 /* a power of two */
#endif

#ifndef PRESET_SLOTS
#define PRESET_SLOTS 64 /* of presets; a power of two */
#endif

extern const volatile bool filter_errno;     /* only returns that are an error */
extern const volatile bool filter_errno_any; /* whichever */
extern const volatile bool filter_comm_on;
extern const volatile bool filter_cpus;
extern const volatile __u32 filter_pid;		 /* 0: all */
extern const volatile bool filter_children;	 /* of filter_pid: those in the map, too */
extern const volatile __u64 filter_cgroup;	 /* only in this control group, by its ID; 0: all */
extern const volatile __u32 filter_cgroup_level; /* how deep that is */
extern const volatile __u32 own_pid;		 /* never traced; 0: none */
extern const volatile char filter_comm[RECORD_COMM_LEN];
extern const volatile __u64 errno_wanted[64]; /* bit n: errno n */
extern const volatile __u64 cpus_wanted[CPUS_MAX / 64];
extern const volatile __u64 ring_wakeup_bytes;
extern const volatile __u32 flight_slots; /* pages of the flight recorder; 0: there is none */
extern const volatile __u32 flight_header_pages; /* before them */
extern const volatile bool flight_only;		 /* nobody reads the ring buffer */
extern const volatile __u64 flight_limit;	 /* so many are kept, and no more; 0: any number */
extern const volatile bool gate;	    /* gate_tokens says how many more records are wanted */
extern const volatile bool arguments;	    /* of functions, where they can be had */
extern const volatile __u64 percpu_offsets; /* of the kernel's __per_cpu_offset[]; 0: unknown */
extern const volatile __u64 cpu_hw_events_offset; /* of cpu_hw_events, in a CPU's area */
extern const volatile __u64 kfence_pool;	  /* of the kernel's __kfence_pool; 0: none */

/* The first is for snapshots that must be thrown away: the loader marks it as in use for ever. */
extern struct capture_slot slots[CAPTURE_SLOTS];
extern __u64 next_slot;
extern struct preset_slot preset_slots[PRESET_SLOTS];
extern __u64 next_preset_slot;
extern __u64 deferred_count; /* slots whose record the loader is to take */
extern struct losses losses;
extern __u64 records_written;
extern __s64 gate_tokens; /* records that may still be written; the loader refills it */
extern __u32 sys_exit_targets[SYSCALL_PLANS]; /* by number of the call: 1 + target; 0: none */
extern __u64 flight_taken; /* those that came while flight_limit was not reached, and the others */
extern __u64 hw_hits[CPUS_MAX];		/* hardware breakpoints hit, by CPU */
extern __u64 driver_found_at[CPUS_MAX]; /* address of the driver's struct lbr_state; 0: unknown */
extern __u64 event_hits[CPUS_MAX];	/* perf events whose LBR was read, by CPU */
extern __u64 events_ran; /* software's perf events that were looked at, whosever they were */
extern __s32 check_read; /* what the helper returned to lbr_check() */
extern struct fault_slot fault_slots[FAULT_PLACES * FAULT_SLOTS];
extern __u64 flight_seq; /* records begun */
extern __u32 flight_on;	 /* the LBR is on: what comes now is worth keeping */

struct events_map {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 4 << 20);
};
extern struct events_map events SEC(".maps");

/* Snapshots of errno sites, until the function has returned; by thread id and target. */
struct pending_map {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 1024); /* tasks that are between the site and the return */
	__type(key, __u64);
	__type(value, struct record);
};
extern struct pending_map pending SEC(".maps");

/* Processes that descend from filter_pid, by thread group ID. The loader makes room if it follows.
 */
struct followed_map {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, __u8);
};
extern struct followed_map followed SEC(".maps");

/* See src/flight/page_format.h. The loader sets the number of pages. */
struct flight_map {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(key_size, sizeof(__u32));
	__uint(value_size, FLIGHT_PAGE_BYTES);
};
extern struct flight_map flight SEC(".maps");

#endif
