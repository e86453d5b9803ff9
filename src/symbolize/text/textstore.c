// SPDX-License-Identifier: GPL-2.0
#include "symbolize/text/textstore.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "util/address.h"
#include "util/hash_table.h"

#define PAGE_BYTES TEXTSTORE_PAGE_BYTES

/** struct text_page - @known: bit n: byte n was told */
struct text_page {
	uint64_t addr;
	uint64_t known[PAGE_BYTES / 64];
	uint8_t bytes[PAGE_BYTES];
};

/**
 * struct textstore
 * @pages: of pointers to struct text_page, by address: a page stays where it is
 * @last: page that was asked for last, most likely asked for next
 * @user_hidden: see textstore_hide_user()
 */
struct textstore {
	struct hash_table pages;
	struct text_page *last;
	bool user_hidden;
};

struct textstore *textstore_create(void)
{
	return calloc(1, sizeof(struct textstore));
}

void textstore_destroy(struct textstore *store)
{
	struct text_page **pages;

	if (!store)
		return;
	pages = store->pages.items;
	for (size_t i = 0; i < store->pages.count; i++)
		free(pages[i]);
	hash_table_deinit(&store->pages);
	free(store);
}

static bool is_page(const void *element, const void *key)
{
	return (*(struct text_page *const *)element)->addr == *(const uint64_t *)key;
}

static struct text_page *find_page(const struct hash_table *pages, uint64_t addr)
{
	struct text_page **found = hash_table_find(pages, sizeof(struct text_page *),
						   hash_number(addr / PAGE_BYTES), is_page, &addr);

	return found ? *found : NULL;
}

static bool add_page(struct hash_table *pages, struct text_page *page)
{
	return hash_table_add(pages, sizeof(struct text_page *),
			      hash_number(page->addr / PAGE_BYTES), &page);
}

static int get_page(struct textstore *store, uint64_t addr, struct text_page **ret_page)
{
	struct text_page *page = find_page(&store->pages, addr);

	if (!page) {
		if (store->pages.count >= TEXTSTORE_PAGES_MAX)
			return -E2BIG;
		page = calloc(1, sizeof(*page));
		if (!page)
			return -ENOMEM;
		page->addr = addr;
		if (!add_page(&store->pages, page)) {
			free(page);
			return -ENOMEM;
		}
	}
	*ret_page = page;
	return 0;
}

/* Bits @from to @from + @count of a word, @count from 1 to 64. */
static uint64_t mask_of(size_t from, size_t count)
{
	return (count == 64 ? UINT64_MAX : (UINT64_C(1) << count) - 1) << from;
}

static bool page_knows_any(const struct text_page *page, size_t from, size_t len)
{
	while (len) {
		size_t bit = from % 64, part = 64 - bit < len ? 64 - bit : len;

		if (page->known[from / 64] & mask_of(bit, part))
			return true;
		from += part;
		len -= part;
	}
	return false;
}

enum known { KNOWN_ASK, KNOWN_SET, KNOWN_CLEAR };

/* Asks whether all of some bytes are known, or says so, or that they are not. */
static bool page_known(struct text_page *page, size_t from, size_t len, enum known what)
{
	while (len) {
		size_t bit = from % 64, part = 64 - bit < len ? 64 - bit : len;
		uint64_t mask = mask_of(bit, part), *word = &page->known[from / 64];

		if (what == KNOWN_SET)
			*word |= mask;
		else if (what == KNOWN_CLEAR)
			*word &= ~mask;
		else if ((*word & mask) != mask)
			return false;
		from += part;
		len -= part;
	}
	return true;
}

int textstore_write(struct textstore *store, uint64_t addr, const void *bytes, size_t len)
{
	const uint8_t *from = bytes;

	if (len && addr > UINT64_MAX - (len - 1))
		return -EINVAL;
	while (len) {
		size_t in_page = addr % PAGE_BYTES, part = PAGE_BYTES - in_page;
		struct text_page *page;
		int err = get_page(store, addr - in_page, &page);

		if (err)
			return err;
		part = part < len ? part : len;
		memcpy(page->bytes + in_page, from, part);
		page_known(page, in_page, part, KNOWN_SET);
		from += part;
		addr += part;
		len -= part;
	}
	return 0;
}

/* Has a page nothing outside [@addr, @addr + @len)? */
static bool is_inside(const struct text_page *page, uint64_t addr, uint64_t len)
{
	return page->addr >= addr && page->addr - addr <= len - PAGE_BYTES;
}

/* Pages that have nothing outside [@addr, @addr + @len) are given back, if there is memory to. */
static void drop_pages(struct textstore *store, uint64_t addr, uint64_t len)
{
	struct text_page **pages = store->pages.items;
	struct hash_table kept = {};

	for (size_t i = 0; i < store->pages.count; i++)
		if (!is_inside(pages[i], addr, len) && !add_page(&kept, pages[i])) {
			hash_table_deinit(&kept);
			return;
		}
	for (size_t i = 0; i < store->pages.count; i++)
		if (is_inside(pages[i], addr, len))
			free(pages[i]);
	store->last = NULL;
	hash_table_deinit(&store->pages);
	store->pages = kept;
}

/* Of much more than there is, page by page of what there is. */
static void forget_much(struct textstore *store, uint64_t addr, uint64_t len)
{
	struct text_page **pages;

	drop_pages(store, addr, len);
	pages = store->pages.items;
	for (size_t i = 0; i < store->pages.count; i++) {
		struct text_page *page = pages[i];
		uint64_t first, last;

		if (page->addr + (PAGE_BYTES - 1) < addr ||
		    (page->addr > addr && page->addr - addr >= len))
			continue;
		first = page->addr < addr ? addr - page->addr : 0;
		last = page->addr + (PAGE_BYTES - 1) - addr >= len ? addr + (len - 1) - page->addr
								   : PAGE_BYTES - 1;
		page_known(page, first, last - first + 1, KNOWN_CLEAR);
	}
}

void textstore_forget(struct textstore *store, uint64_t addr, uint64_t len)
{
	if (len / PAGE_BYTES > store->pages.count) {
		forget_much(store, addr, len);
		return;
	}
	while (len) {
		uint64_t in_page = addr % PAGE_BYTES, part = PAGE_BYTES - in_page;
		struct text_page *page = find_page(&store->pages, addr - in_page);

		part = part < len ? part : len;
		if (page)
			page_known(page, in_page, part, KNOWN_CLEAR);
		if (addr > UINT64_MAX - part)
			break;
		addr += part;
		len -= part;
	}
}

bool textstore_has(const struct textstore *store, uint64_t addr, const void *bytes, size_t len)
{
	const uint8_t *want = bytes;

	while (len) {
		size_t in_page = addr % PAGE_BYTES, part = PAGE_BYTES - in_page;
		struct text_page *page = find_page(&store->pages, addr - in_page);

		part = part < len ? part : len;
		if (!page || !page_known(page, in_page, part, KNOWN_ASK) ||
		    memcmp(page->bytes + in_page, want, part))
			return false;
		want += part;
		addr += part;
		len -= part;
	}
	return true;
}

bool textstore_has_any(const struct textstore *store, uint64_t addr, uint64_t len)
{
	while (len) {
		size_t in_page = addr % PAGE_BYTES, part = PAGE_BYTES - in_page;
		const struct text_page *page = find_page(&store->pages, addr - in_page);

		part = part < len ? part : len;
		if (page && page_knows_any(page, in_page, part))
			return true;
		addr += part;
		len -= part;
	}
	return false;
}

void textstore_hide_user(struct textstore *store, bool hidden)
{
	store->user_hidden = hidden;
}

static int store_read(void *ctx, uint64_t addr, void *buf, size_t len)
{
	struct textstore *store = ctx;
	uint8_t *to = buf;

	if (store->user_hidden && !address_is_kernel(addr))
		return -EFAULT;
	while (len) {
		size_t in_page = addr % PAGE_BYTES, part = PAGE_BYTES - in_page;

		if (!store->last || store->last->addr != addr - in_page)
			store->last = find_page(&store->pages, addr - in_page);
		part = part < len ? part : len;
		if (!store->last || !page_known(store->last, in_page, part, KNOWN_ASK))
			return -EFAULT;
		memcpy(to, store->last->bytes + in_page, part);
		to += part;
		addr += part;
		len -= part;
	}
	return 0;
}

struct text_source textstore_source(struct textstore *store)
{
	return (struct text_source){.read = store_read, .ctx = store};
}

static int compare_pages(const void *a, const void *b)
{
	const struct text_page *const *x = a, *const *y = b;

	return (*x)->addr < (*y)->addr ? -1 : (*x)->addr > (*y)->addr;
}

static int visit_page(const struct text_page *page, textstore_visit_fn *visit, void *ctx)
{
	for (size_t from = 0, end; from < PAGE_BYTES; from = end) {
		int stop;

		while (from < PAGE_BYTES && !(page->known[from / 64] >> from % 64 & 1))
			from++;
		for (end = from; end < PAGE_BYTES && page->known[end / 64] >> end % 64 & 1;)
			end++;
		stop = end > from ? visit(page->addr + from, page->bytes + from, end - from, ctx)
				  : 0;
		if (stop)
			return stop;
	}
	return 0;
}

int textstore_for_each(struct textstore *store, textstore_visit_fn *visit, void *ctx)
{
	size_t count = store->pages.count;
	struct text_page **pages = calloc(count + 1, sizeof(struct text_page *));
	int stop = 0;

	if (!pages)
		return -ENOMEM;
	if (count)
		memcpy(pages, store->pages.items, count * sizeof(struct text_page *));
	qsort(pages, count, sizeof(struct text_page *), compare_pages);
	for (size_t i = 0; i < count && !stop; i++)
		stop = visit_page(pages[i], visit, ctx);
	free(pages);
	return stop;
}
