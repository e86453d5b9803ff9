/* SPDX-License-Identifier: GPL-2.0 */
/* pages.h - one page of a flight recorder: checksum, and the pages a new recorder begins with */
#ifndef LBRSNOOP_FLIGHT_PAGES_H
#define LBRSNOOP_FLIGHT_PAGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "flight/page_format.h"

/**
 * flight_page_check() - checksum of a page
 * @page: FLIGHT_PAGE_BYTES, aligned to 8 bytes
 * @bytes: of its payload
 */
uint64_t flight_page_check(const void *page, uint32_t bytes);

/** flight_page_begins() - does this begin as a page of a flight recorder? 16 bytes are looked at */
bool flight_page_begins(const void *page);

/** flight_header_pages() - pages that a header of @len bytes needs */
uint32_t flight_header_pages(size_t len);

/**
 * flight_pages_init() - make the pages of a new recorder: headers and empty records
 * @pages: (@header_pages + @slots) * FLIGHT_PAGE_BYTES bytes
 * @header: as flight_header_encode() made it; may need fewer than @header_pages
 */
void flight_pages_init(void *pages, uint64_t session, uint32_t header_pages, uint32_t slots,
		       const uint8_t *header, size_t len);

/** flight_pages_set_header() - replace the header of a recorder that is in use */
void flight_pages_set_header(void *pages, const uint8_t *header, size_t len);

#endif
