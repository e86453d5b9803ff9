// SPDX-License-Identifier: GPL-2.0
/*
 * inject.bpf.c - records into the ring buffer of a lbrsnoop that runs, as if events had come
 *
 * Run by BPF_PROG_TEST_RUN. The maps are those of the running lbrsnoop, and the way from the slot
 * on is that of every trigger: submit() of snapshot.bpf.h, its wake-ups and its losses included.
 */
#include "lbrsnoop.bpf.c"

#include "inject.h"

/* The loader sets how many there are. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__uint(map_flags, BPF_F_MMAPABLE);
	__type(key, __u32);
	__type(value, struct record);
} records SEC(".maps");

const volatile __u32 record_count = 1;

static long inject_one(__u64 i, void *data)
{
	const struct inject_args *args = data;
	__u32 seq = args->first + (__u32)i, key = seq % (record_count ?: 1);
	const struct record *from = bpf_map_lookup_elem(&records, &key);
	__u64 at = slot_draw() & (CAPTURE_SLOTS - 1);

	if (!from)
		return 1;
	if (!at) {
		__sync_fetch_and_add(&losses.no_slot, 1);
		return 0;
	}
	__builtin_memcpy(&slots[at].rec, from, sizeof(*from));
	slots[at].rec.mono_ns = bpf_ktime_get_ns();
	slots[at].rec.tid = seq;
	submit(&slots[at]);
	return 0;
}

SEC("syscall")
int inject(struct inject_args *ctx)
{
	struct inject_args args = {.first = ctx->first, .count = ctx->count};

	bpf_loop(args.count, inject_one, &args, 0);
	return 0;
}
