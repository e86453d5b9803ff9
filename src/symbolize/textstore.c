// SPDX-License-Identifier: GPL-2.0
#include "symbolize/textstore.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define PAGE_BYTES TEXTSTORE_PAGE_BYTES

/** struct text_page - @known: bit n: byte n was told */
struct text_page {
	uint64_t addr;
	uint64_t known[PAGE_BYTES / 64];
	uint8_t bytes[PAGE_BYTES];
};

/**
 * struct textstore
 * @slots: hash by address; room is a power of two, and never full
 * @last: page that was asked for last, most likely asked for next
 * @user_hidden: see textstore_hide_user()
 */
struct textstore {
	struct text_page **slots;
	size_t room;
	size_t count;
	struct text_page *last;
	bool user_hidden;
};

struct textstore *textstore_create(void)
{
	struct textstore *store = calloc(1, sizeof(*store));

	if (!store)
		return NULL;
	store->room = 64;
	store->slots = calloc(store->room, sizeof(struct text_page *));
	if (!store->slots) {
		free(store);
		return NULL;
	}
	return store;
}

void textstore_destroy(struct textstore *store)
{
	if (!store)
		return;
	for (size_t i = 0; i < store->room; i++)
		free(store->slots[i]);
	free(store->slots);
	free(store);
}

static struct text_page **find_slot(struct text_page **slots, size_t room, uint64_t addr)
{
	size_t i = (addr / PAGE_BYTES * 0x9e3779b97f4a7c15u >> 32) & (room - 1);

	while (slots[i] && slots[i]->addr != addr)
		i = (i + 1) & (room - 1);
	return &slots[i];
}

static int grow(struct textstore *store)
{
	size_t room = store->room * 2;
	struct text_page **slots = calloc(room, sizeof(struct text_page *));

	if (!slots)
		return -ENOMEM;
	for (size_t i = 0; i < store->room; i++)
		if (store->slots[i])
			*find_slot(slots, room, store->slots[i]->addr) = store->slots[i];
	free(store->slots);
	store->slots = slots;
	store->room = room;
	return 0;
}

static int get_page(struct textstore *store, uint64_t addr, struct text_page **ret_page)
{
	struct text_page **slot = find_slot(store->slots, store->room, addr);

	if (!*slot) {
		if (store->count >= TEXTSTORE_PAGES_MAX)
			return -E2BIG;
		if ((store->count + 1) * 2 > store->room) {
			if (grow(store))
				return -ENOMEM;
			slot = find_slot(store->slots, store->room, addr);
		}
		*slot = calloc(1, sizeof(**slot));
		if (!*slot)
			return -ENOMEM;
		(*slot)->addr = addr;
		store->count++;
	}
	*ret_page = *slot;
	return 0;
}

/* Bits @from to @from + @count of a word, @count from 1 to 64. */
static uint64_t mask_of(size_t from, size_t count)
{
	return (count == 64 ? UINT64_MAX : (UINT64_C(1) << count) - 1) << from;
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

/* Pages that have nothing outside [@addr, @addr + @len) are given back, if there is memory to. */
static void drop_pages(struct textstore *store, uint64_t addr, uint64_t len)
{
	struct text_page **slots = calloc(store->room, sizeof(struct text_page *));

	if (!slots)
		return;
	store->last = NULL;
	for (size_t i = 0; i < store->room; i++) {
		struct text_page *page = store->slots[i];

		if (!page)
			continue;
		if (page->addr >= addr && page->addr - addr <= len - PAGE_BYTES) {
			free(page);
			store->count--;
			continue;
		}
		*find_slot(slots, store->room, page->addr) = page;
	}
	free(store->slots);
	store->slots = slots;
}

/* Of much more than there is, page by page of what there is. */
static void forget_much(struct textstore *store, uint64_t addr, uint64_t len)
{
	drop_pages(store, addr, len);
	for (size_t i = 0; i < store->room; i++) {
		struct text_page *page = store->slots[i];
		uint64_t first, last;

		if (!page || page->addr + (PAGE_BYTES - 1) < addr ||
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
	if (len / PAGE_BYTES > store->room) {
		forget_much(store, addr, len);
		return;
	}
	while (len) {
		uint64_t in_page = addr % PAGE_BYTES, part = PAGE_BYTES - in_page;
		struct text_page *page = *find_slot(store->slots, store->room, addr - in_page);

		part = part < len ? part : len;
		if (page)
			page_known(page, in_page, part, KNOWN_CLEAR);
		if (addr > UINT64_MAX - part)
			break;
		addr += part;
		len -= part;
	}
}

void textstore_hide_user(struct textstore *store, bool hidden)
{
	store->user_hidden = hidden;
}

static int store_read(void *ctx, uint64_t addr, void *buf, size_t len)
{
	struct textstore *store = ctx;
	uint8_t *to = buf;

	if (store->user_hidden && !(addr >> 63))
		return -EFAULT;
	while (len) {
		size_t in_page = addr % PAGE_BYTES, part = PAGE_BYTES - in_page;

		if (!store->last || store->last->addr != addr - in_page)
			store->last = *find_slot(store->slots, store->room, addr - in_page);
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
	struct text_page **pages = calloc(store->count + 1, sizeof(struct text_page *));
	size_t count = 0;
	int stop = 0;

	if (!pages)
		return -ENOMEM;
	for (size_t i = 0; i < store->room; i++)
		if (store->slots[i])
			pages[count++] = store->slots[i];
	qsort(pages, count, sizeof(struct text_page *), compare_pages);
	for (size_t i = 0; i < count && !stop; i++)
		stop = visit_page(pages[i], visit, ctx);
	free(pages);
	return stop;
}
