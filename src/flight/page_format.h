/* SPDX-License-Identifier: GPL-2.0 */
/*
 * page_format.h - the flight recorder's pages, version 2; included by the BPF programs, too
 *
 * A flight recorder is the value of a memory-mapped BPF array map: header pages, then one page for
 * each record. The kernel keeps such an array page-aligned, so that each page can be found alone
 * in an image of physical memory, in whatever order: it says by itself what it is, of which
 * recorder, and where in it. All numbers are little-endian.
 *
 * Version 1 had no struct flight_detail; else it is the same.
 *
 * Records are written by the BPF programs, round and round; when one is overwritten its checksum
 * is wrong, until it is whole again. The headers' payloads, one after the other, are:
 *
 *	struct flight_fixed
 *	@targets times: u32 kind (enum trigger_kind), u32 return class (enum return_class), u32 bit
 *		n: records of kind n have a return value, u64 address armed, u64 entry of the
 *		function, u64 bytes of the function, strings target, function, module
 *	@symbols times: u64 address, u32 bytes, string name: of BPF programs and trampolines, which
 *		no kernel image knows
 *
 * A string is a u16 with its length, then its bytes, without a NUL.
 */
#ifndef LBRSNOOP_FLIGHT_PAGE_FORMAT_H
#define LBRSNOOP_FLIGHT_PAGE_FORMAT_H

#ifndef __VMLINUX_H__
#include <linux/types.h>
#endif

#define FLIGHT_PAGE_BYTES  4096
#define FLIGHT_VERSION	   2
#define FLIGHT_VERSION_MIN 1
/* What is higher is no version, but damage. */
#define FLIGHT_VERSION_MAX 255

/* Random: nothing else begins a page with these 16 bytes. */
#define FLIGHT_MAGIC_LOW  0x9d3f61c5a27be84dULL
#define FLIGHT_MAGIC_HIGH 0x5be07a9c13d82f76ULL

/* Pages of a recorder, at most; 64 MiB. */
#define FLIGHT_SLOTS_MAX	16384
#define FLIGHT_HEADER_PAGES_MAX 4096

#define FLIGHT_BRANCHES_MAX 32
#define FLIGHT_REGS	    21
#define FLIGHT_FRAMES_MAX   96

enum flight_kind {
	FLIGHT_HEADER = 1,
	FLIGHT_RECORD = 2,
};

/**
 * struct flight_page - how each page begins
 * @magic: FLIGHT_MAGIC_*
 * @session: random, the same in all pages of one recorder
 * @version: FLIGHT_VERSION
 * @kind: enum flight_kind
 * @index: of the page in the map
 * @header_pages: of the map; the records' follow them
 * @slots: record pages of the map
 * @bytes: of the payload, behind this struct
 * @seq: of a record, counted from 1; 0 if there is none yet, and in headers
 * @check: flight_check() over what stands before it and the payload
 * @busy: a program is writing here; not covered by @check
 * @lost: in the first page: events whose page was being written by somebody else; not covered
 * @written: in the first page: records begun; not covered
 */
struct flight_page {
	__u64 magic[2];
	__u64 session;
	__u32 version;
	__u32 kind;
	__u32 index;
	__u32 header_pages;
	__u32 slots;
	__u32 bytes;
	__u64 seq;
	__u64 check;
	__u64 busy;
	__u64 lost;
	__u64 written;
};

#define FLIGHT_HEAD_WORDS    7 /* what stands before @check */
#define FLIGHT_PAYLOAD_BYTES (FLIGHT_PAGE_BYTES - sizeof(struct flight_page))

/** struct flight_record - payload of a record; fields as in struct record of bpf/record.h */
struct flight_record {
	__u64 mono_ns;
	__u64 ip;
	__s64 retval;
	__u32 target;
	__u16 cpu;
	__u16 kind; /* enum trigger_kind */
	__u32 pid;
	__u32 tid;
	__u32 count;
	__s32 read;
	char comm[16];
	__u64 branches[FLIGHT_BRANCHES_MAX][3]; /* newest first, as struct perf_branch_entry */
};

#define FLIGHT_DETAIL_REGS 1u

/** struct flight_detail - behind the record of a preset; as struct record_detail of bpf/record.h */
struct flight_detail {
	__u32 flags; /* FLIGHT_DETAIL_* */
	__u32 frames;
	__u64 regs[FLIGHT_REGS];
	__u64 stack[FLIGHT_FRAMES_MAX];
};

/** struct flight_detailed - payload of such a record: the page's @bytes tell which it is */
struct flight_detailed {
	struct flight_record rec;
	struct flight_detail detail;
};

#define FLIGHT_FILTERED 1u /* Linux sorts entries out, and leaves holes */
#define FLIGHT_PATH_OK	2u /* the branches are contiguous */

/**
 * struct flight_fixed - fixed part of the header
 * @start_ns: CLOCK_REALTIME when the recorder was armed
 * @mono_to_real_ns: CLOCK_REALTIME - CLOCK_MONOTONIC then
 * @stext: run-time address of _stext, 0 if unknown
 * @lbr_supported: LBR_HAS_*
 * @lbr_format: -1 if there is none
 */
struct flight_fixed {
	__u64 start_ns;
	__s64 mono_to_real_ns;
	__u64 stext;
	__u32 flags;
	__u32 lbr_depth;
	__u32 lbr_supported;
	__s32 lbr_format;
	__u32 targets;
	__u32 symbols;
	char lbr_model[32];
	char filter[128];
	char release[72];
	__u32 build_id_bytes;
	__u32 reserved;
	__u8 build_id[32];
};

/* FNV-1a's prime, by words; the shift carries the upper bits down. */
#define FLIGHT_CHECK_START 0xcbf29ce484222325ULL
#define FLIGHT_CHECK_PRIME 0x100000001b3ULL

/** flight_check_word() - take one more word into a checksum */
static inline __attribute__((always_inline)) __u64 flight_check_word(__u64 check, __u64 word)
{
	check = (check ^ word) * FLIGHT_CHECK_PRIME;
	return check ^ check >> 32;
}

_Static_assert(sizeof(struct flight_page) == 88, "no padding");
_Static_assert(sizeof(struct flight_record) == 64 + 24 * FLIGHT_BRANCHES_MAX, "no padding");
_Static_assert(sizeof(struct flight_detail) == 8 + 8 * (FLIGHT_REGS + FLIGHT_FRAMES_MAX),
	       "no padding");
_Static_assert(sizeof(struct flight_detailed) <= FLIGHT_PAYLOAD_BYTES, "one record a page");
_Static_assert(sizeof(struct flight_fixed) == 320, "no padding");

#endif
