// SPDX-License-Identifier: GPL-2.0
#include "vmlinux.h"
#include <bpf/bpf_helpers.h>

#include "record.h"
#include "state.bpf.h"

const volatile bool filter_errno;
const volatile bool filter_errno_any;
const volatile bool filter_comm_on;
const volatile bool filter_cpus;
const volatile __u32 filter_pid;
const volatile bool filter_children;
const volatile __u64 filter_cgroup;
const volatile __u32 filter_cgroup_level;
const volatile __u32 own_pid;
const volatile char filter_comm[RECORD_COMM_LEN] __attribute__((aligned(8)));
const volatile __u64 errno_wanted[64];
const volatile __u64 cpus_wanted[CPUS_MAX / 64];
const volatile __u64 ring_wakeup_bytes = 1 << 20;
const volatile __u32 flight_slots;
const volatile __u32 flight_header_pages;
const volatile bool flight_only;
const volatile __u64 flight_limit;
const volatile bool gate;
const volatile bool arguments;
const volatile __u64 percpu_offsets;
const volatile __u64 cpu_hw_events_offset;
const volatile __u64 kfence_pool;

struct capture_slot slots[CAPTURE_SLOTS];
__u64 next_slot;
struct preset_slot preset_slots[PRESET_SLOTS];
__u64 next_preset_slot;
__u64 deferred_count;
struct losses losses;
__u64 records_written;
__s64 gate_tokens;
__u32 sys_exit_targets[SYSCALL_PLANS];
__u64 flight_taken;
__u64 hw_hits[CPUS_MAX];
__u64 driver_found_at[CPUS_MAX];
__u64 event_hits[CPUS_MAX];
__u64 events_ran;
__s32 check_read;
struct fault_slot fault_slots[FAULT_PLACES * FAULT_SLOTS];
__u64 flight_seq;
__u32 flight_on;

struct events_map events SEC(".maps");
struct pending_map pending SEC(".maps");
struct followed_map followed SEC(".maps");
struct flight_map flight SEC(".maps");

char _license[] SEC("license") = "GPL";
