/* SPDX-License-Identifier: GPL-2.0 */
/*
 * collector.h - pages of flight recorders, collected from wherever, put together to snapshots
 *
 * What a page holds is not trusted: it may be of a recorder that is long gone, damaged, or made by
 * somebody who wants to be found.
 */
#ifndef LBRSNOOP_FLIGHT_COLLECTOR_H
#define LBRSNOOP_FLIGHT_COLLECTOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "flight/page_format.h"
#include "flight/header.h"
#include "snapshot/source.h"

struct flight_collector;
struct flight_session;

/** enum flight_verdict - what a page is */
enum flight_verdict {
	FLIGHT_NO_PAGE = 0, /* of something else */
	FLIGHT_TAKEN,
	FLIGHT_DAMAGED, /* begins as one, but its checksum is wrong */
	FLIGHT_NEWER,	/* of a version that this program does not know */
	FLIGHT_TOO_MANY,
};

/** flight_collector_create() - an empty one; NULL if there is no memory */
struct flight_collector *flight_collector_create(void);

/** flight_collector_destroy() - free; NULL is fine */
void flight_collector_destroy(struct flight_collector *collector);

/**
 * flight_is_page() - does this begin as a page of a flight recorder?
 * @page: 16 bytes at least
 */
bool flight_is_page(const void *page);

/**
 * flight_collector_add() - look at a page, keep what it holds
 * @page: FLIGHT_PAGE_BYTES, at any address
 * Return: enum flight_verdict; -ENOMEM.
 */
int flight_collector_add(struct flight_collector *collector, const void *page);

/** flight_collector_sessions() - recorders of which a page was found */
size_t flight_collector_sessions(const struct flight_collector *collector);

/** flight_collector_damaged() - pages whose checksum was wrong; records being written count, too */
size_t flight_collector_damaged(const struct flight_collector *collector);

/**
 * flight_collector_session() - one recorder
 * @index: 0 is the one armed last, as far as headers were found
 */
struct flight_session *flight_collector_session(struct flight_collector *collector, size_t index);

/** struct flight_session_state - how much of a recorder was found */
struct flight_session_state {
	uint32_t records;      /* whole */
	uint32_t empty;	       /* record pages that were never written */
	uint32_t slots;	       /* record pages it had */
	uint32_t headers;      /* header pages found */
	uint32_t header_pages; /* that it had */
	uint64_t oldest_seq;
	uint64_t newest_seq;
	uint64_t written; /* as its first page counts, 0 if that is missing */
	uint64_t lost;
};

void flight_session_state(const struct flight_session *session,
			  struct flight_session_state *ret_state);

/**
 * flight_session_header() - what its header pages tell
 * Return: 0; -ENODATA if a header page is missing; -EBADMSG; -ENOMEM. Valid until
 * flight_collector_destroy().
 */
int flight_session_header(struct flight_session *session, const struct flight_header **ret_header);

/**
 * flight_session_next() - the next snapshot, oldest first
 * Without a header what its records hold is shown as far as it explains itself.
 * @at: where to go on; 0 at first
 * @ret_snap: branches decoded, not yet trimmed; borrows from @session until the next call, its
 * trigger for as long as the session lives
 * Return: 1; 0 at the end; -ENOMEM.
 */
int flight_session_next(struct flight_session *session, size_t *at, struct snapshot *ret_snap);

/**
 * flight_session_source() - the snapshots of a recorder, from the oldest one on
 * @symbols, @text: of the kernel that recorded; borrowed
 */
struct source flight_session_source(struct flight_session *session, struct symbols *symbols,
				    const struct text_source *text);

#endif
