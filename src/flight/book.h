/* SPDX-License-Identifier: GPL-2.0 */
/*
 * book.h - pages of flight recorders, collected from wherever, put together to snapshots
 *
 * What a page holds is not trusted: it may be of a recorder that is long gone, damaged, or made by
 * somebody who wants to be found.
 */
#ifndef LBRSNOOP_FLIGHT_BOOK_H
#define LBRSNOOP_FLIGHT_BOOK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "flight/format.h"
#include "flight/header.h"
#include "snapshot/source.h"

struct flight_book;
struct flight_session;

/** enum flight_verdict - what a page is */
enum flight_verdict {
	FLIGHT_NO_PAGE = 0, /* of something else */
	FLIGHT_TAKEN,
	FLIGHT_DAMAGED, /* begins as one, but its checksum is wrong */
	FLIGHT_NEWER,	/* of a version that this program does not know */
	FLIGHT_TOO_MANY,
};

/** flight_book_create() - an empty one; NULL if there is no memory */
struct flight_book *flight_book_create(void);

/** flight_book_destroy() - free; NULL is fine */
void flight_book_destroy(struct flight_book *book);

/**
 * flight_is_page() - does this begin as a page of a flight recorder?
 * @page: 16 bytes at least
 */
bool flight_is_page(const void *page);

/**
 * flight_book_add() - look at a page, keep what it holds
 * @page: FLIGHT_PAGE_BYTES, at any address
 * Return: enum flight_verdict; -ENOMEM.
 */
int flight_book_add(struct flight_book *book, const void *page);

/** flight_book_sessions() - recorders of which a page was found */
size_t flight_book_sessions(const struct flight_book *book);

/** flight_book_damaged() - pages whose checksum was wrong; records being written count, too */
size_t flight_book_damaged(const struct flight_book *book);

/**
 * flight_book_session() - one recorder
 * @index: 0 is the one armed last, as far as headers were found
 */
struct flight_session *flight_book_session(struct flight_book *book, size_t index);

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
 * flight_book_destroy().
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
