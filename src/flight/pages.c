// SPDX-License-Identifier: GPL-2.0
#include "flight/pages.h"

#include <string.h>

/*
 * The compiler does not see the value, and so puts no constant of both halves into this program's
 * file: its pages are in the page cache of the machine, and would be found in the dump.
 */
static uint64_t unseen(uint64_t half)
{
	__asm__("" : "+r"(half));
	return half;
}

bool flight_page_begins(const void *page)
{
	uint64_t halves[2];

	memcpy(halves, page, sizeof(halves));
	return halves[0] == unseen(FLIGHT_MAGIC_LOW) && halves[1] == unseen(FLIGHT_MAGIC_HIGH);
}

uint64_t flight_page_check(const void *page, uint32_t bytes)
{
	const uint64_t *words = page;
	const uint64_t *payload = (const uint64_t *)((const struct flight_page *)page + 1);
	uint64_t check = FLIGHT_CHECK_START;

	for (size_t i = 0; i < FLIGHT_HEAD_WORDS; i++)
		check = flight_check_word(check, words[i]);
	/* Payloads end at a whole word; what stands behind them is zero. */
	for (size_t i = 0; i < (bytes + 7) / 8; i++)
		check = flight_check_word(check, payload[i]);
	return check;
}

uint32_t flight_header_pages(size_t len)
{
	return (uint32_t)((len + FLIGHT_PAYLOAD_BYTES - 1) / FLIGHT_PAYLOAD_BYTES);
}

static void set_header_page(struct flight_page *page, const uint8_t *bytes, size_t len)
{
	page->bytes = (uint32_t)len;
	memset(page + 1, 0, FLIGHT_PAYLOAD_BYTES);
	memcpy(page + 1, bytes, len);
	page->check = flight_page_check(page, page->bytes);
}

static struct flight_page *page_at(void *pages, size_t index)
{
	return (struct flight_page *)((uint8_t *)pages + index * FLIGHT_PAGE_BYTES);
}

void flight_pages_set_header(void *pages, const uint8_t *header, size_t len)
{
	uint32_t header_pages = page_at(pages, 0)->header_pages;

	for (uint32_t i = 0; i < header_pages; i++) {
		size_t part = len < FLIGHT_PAYLOAD_BYTES ? len : FLIGHT_PAYLOAD_BYTES;

		set_header_page(page_at(pages, i), header, part);
		header += part;
		len -= part;
	}
}

void flight_pages_init(void *pages, uint64_t session, uint32_t header_pages, uint32_t slots,
		       const uint8_t *header, size_t len)
{
	for (size_t i = 0; i < header_pages + slots; i++) {
		struct flight_page *page = page_at(pages, i);

		*page = (struct flight_page){
			.magic = {unseen(FLIGHT_MAGIC_LOW), unseen(FLIGHT_MAGIC_HIGH)},
			.session = session,
			.version = FLIGHT_VERSION,
			.kind = i < header_pages ? FLIGHT_HEADER : FLIGHT_RECORD,
			.index = (uint32_t)i,
			.header_pages = header_pages,
			.slots = slots,
			.bytes = sizeof(struct flight_record),
		};
		if (page->kind == FLIGHT_RECORD)
			page->check = flight_page_check(page, page->bytes);
	}
	flight_pages_set_header(pages, header, len);
}
