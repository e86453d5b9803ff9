// SPDX-License-Identifier: GPL-2.0
#include "why/run/unpatched.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "util/vector.h"

static void put_back(const struct unpatched_bytes *item, uint64_t addr, uint8_t *buf, size_t len)
{
	for (uint8_t i = 0; i < item->len; i++)
		if (item->addr + i >= addr && item->addr + i - addr < len)
			buf[item->addr + i - addr] = item->bytes[i];
}

/* The oldest last: where two overlap, it was there before the other was armed. */
static int read_unpatched(void *ctx, uint64_t addr, void *buf, size_t len)
{
	const struct unpatched *unpatched = ctx;
	int err = unpatched->text.read(unpatched->text.ctx, addr, buf, len);

	for (size_t i = unpatched->count; !err && i-- > 0;)
		put_back(&unpatched->items[i], addr, buf, len);
	return err;
}

int unpatched_keep(struct unpatched *unpatched, uint64_t addr)
{
	struct unpatched_bytes item = {.addr = addr, .len = UNPATCHED_BYTES};

	/* The text may end within them. */
	while (item.len && read_unpatched(unpatched, addr, item.bytes, item.len))
		item.len--;
	if (!item.len)
		return 0;
	if (vector_grow(&unpatched->items, unpatched->count, sizeof(item)))
		return -ENOMEM;
	unpatched->items[unpatched->count++] = item;
	return 0;
}

void unpatched_forget(struct unpatched *unpatched)
{
	free(unpatched->items);
	unpatched->items = NULL;
	unpatched->count = 0;
}

struct text_source unpatched_source(struct unpatched *unpatched)
{
	return (struct text_source){.read = read_unpatched, .ctx = unpatched};
}
