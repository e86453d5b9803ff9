/* SPDX-License-Identifier: GPL-2.0 */
/*
 * flight.bpf.h - the flight recorder: the record goes into a page of its own, in a pinned map
 *
 * After the snapshot, so that it costs no LBR entry; where it is not asked for, the verifier
 * removes it. The page is taken with one atomic instruction and never waited for: in NMI context
 * the owner may be what was interrupted.
 */
#ifndef LBRSNOOP_BPF_FLIGHT_H
#define LBRSNOOP_BPF_FLIGHT_H

#include "flight/page_format.h"
#include "record.h"
#include "state.bpf.h"

_Static_assert(sizeof(struct record) == sizeof(struct flight_record), "copied as it is");
_Static_assert(RECORD_BRANCHES_MAX == FLIGHT_BRANCHES_MAX, "copied as it is");
_Static_assert(sizeof(struct record_detail) == sizeof(struct flight_detail), "copied as it is");
_Static_assert(RECORD_FRAMES_MAX == FLIGHT_FRAMES_MAX && DETAIL_REGS == FLIGHT_DETAIL_REGS,
	       "copied as it is");

#define FLIGHT_FIXED_WORDS  (RECORD_HEADER_BYTES / 8)
#define FLIGHT_RECORD_WORDS (sizeof(struct flight_record) / 8)
#define FLIGHT_DETAIL_WORDS (sizeof(struct flight_detail) / 8)

/* The record's words into the page; empty entries as zeros, whatever was in the slot before. */
static __always_inline __u64 flight_copy(__u64 *to, const struct record *rec, __u64 check)
{
	const __u64 *from = (const __u64 *)rec;
	__u32 count = rec->count;

	for (int i = 0; i < FLIGHT_FIXED_WORDS; i++) {
		to[i] = from[i];
		check = flight_check_word(check, from[i]);
	}
	for (int i = 0; i < RECORD_BRANCHES_MAX; i++) {
		__u64 keep = i < count ? ~0ULL : 0;

		for (int k = 0; k < 3; k++) {
			int at = FLIGHT_FIXED_WORDS + 3 * i + k;
			__u64 word = from[at] & keep;

			to[at] = word;
			check = flight_check_word(check, word);
		}
	}
	return check;
}

static __always_inline __u64 flight_copy_detail(__u64 *to, const struct record_detail *detail,
						__u64 check)
{
	const __u64 *from = (const __u64 *)detail;

	for (int i = 0; i < FLIGHT_DETAIL_WORDS; i++) {
		to[i] = from[i];
		check = flight_check_word(check, from[i]);
	}
	return check;
}

/* Nobody may be there to stop after the N that are asked for, or not soon enough. */
static __always_inline bool flight_wanted(void)
{
	return !flight_limit || __sync_fetch_and_add(&flight_taken, 1) < flight_limit;
}

/*
 * Oldest out, this one in; or counted as lost, if the page is being written at this moment.
 * @detail: of a preset; NULL: there is none
 */
static __always_inline void flight_write(const struct record *rec,
					 const struct record_detail *detail)
{
	__u64 seq = __sync_fetch_and_add(&flight_seq, 1);
	__u32 first = 0, index = flight_header_pages + (__u32)(seq % (flight_slots ?: 1));
	struct flight_page *page = bpf_map_lookup_elem(&flight, &index), *head;
	__u64 check = FLIGHT_CHECK_START;
	const __u64 *words;

	head = bpf_map_lookup_elem(&flight, &first);
	if (!page || !head)
		return;
	if (__sync_lock_test_and_set(&page->busy, 1)) {
		__sync_fetch_and_add(&head->lost, 1);
		return;
	}
	__sync_fetch_and_add(&head->written, 1);
	/* Wrong until all is there: a crash in between leaves no half record that looks whole. */
	page->check = 0;
	barrier();
	page->seq = seq + 1;
	page->bytes = sizeof(struct flight_record) + (detail ? sizeof(struct flight_detail) : 0);
	words = (const __u64 *)page;
	for (int i = 0; i < FLIGHT_HEAD_WORDS; i++)
		check = flight_check_word(check, words[i]);
	check = flight_copy((__u64 *)(page + 1), rec, check);
	if (detail)
		check = flight_copy_detail((__u64 *)(page + 1) + FLIGHT_RECORD_WORDS, detail,
					   check);
	barrier();
	page->check = check;
	__sync_lock_test_and_set(&page->busy, 0);
}

#endif
