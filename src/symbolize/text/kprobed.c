// SPDX-License-Identifier: GPL-2.0
#include "symbolize/text/kprobed.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "symbolize/btf_member.h"
#include "util/address.h"
#include "util/cleanup.h"
#include "util/vector.h"

/* kernel/kprobes.c: KPROBE_TABLE_SIZE */
#define TABLE_SIZE 64
/* include/linux/kprobes.h: KPROBE_FLAG_OPTIMIZED, KPROBE_FLAG_FTRACE */
#define FLAG_OPTIMIZED 4
#define FLAG_FTRACE    8
/* arch/x86/include/asm/text-patching.h: INT3_INSN_OPCODE, JMP32_INSN_OPCODE, JMP32_INSN_SIZE */
#define INT3	   0xcc
#define JUMP	   0xe9
#define JUMP_BYTES 5
/* The list is read while the kernel changes it: it may lead anywhere. */
#define CHAIN_MAX 65536

/**
 * struct kprobed_item - a kprobe at @addr; @bytes: what stood there before
 * @optimized: nothing else can be patched in these bytes (copy_optimized_instructions() of
 *             arch/x86/kernel/kprobes/opt.c)
 */
struct kprobed_item {
	uint64_t addr;
	uint8_t bytes[JUMP_BYTES];
	bool optimized;
};

/**
 * struct kprobed - all kprobes that were seen, by address; those that are gone are still right
 * @heads: of the table's lists; a new kprobe is always the first of its list
 * @head_addrs: where these are, as one may be freed and another have its place in memory
 * @at_addr, @at_opcode, @at_flags: in struct kprobe, which is the first member of
 *                                  struct optimized_kprobe
 * @at_copied, @at_detour: in struct optimized_kprobe, of the bytes behind the first, and of where
 *                         the jump leads; @optimizes: they are there
 */
struct kprobed {
	struct text_source memory;
	uint64_t table;
	uint64_t heads[TABLE_SIZE], head_addrs[TABLE_SIZE];
	struct kprobed_item *items;
	size_t count;
	uint32_t at_node, at_addr, at_opcode, at_flags, at_copied, at_detour;
	bool optimizes;
};

static int read_memory(const struct kprobed *kprobed, uint64_t addr, void *buf, size_t len)
{
	return kprobed->memory.read(kprobed->memory.ctx, addr, buf, len);
}

int kprobed_open(const struct text_source *memory, uint64_t table, const struct btf *btf,
		 struct kprobed **ret)
{
	struct kprobed *kprobed = calloc(1, sizeof(*kprobed));
	uint32_t optinsn, copied, detour;

	if (!kprobed)
		return -ENOMEM;
	const struct btf_member_row rows[] = {
		{"kprobe", "hlist", &kprobed->at_node},
		{"kprobe", "addr", &kprobed->at_addr},
		{"kprobe", "opcode", &kprobed->at_opcode},
		{"kprobe", "flags", &kprobed->at_flags},
	};
	const struct btf_member_row optimized[] = {
		{"optimized_kprobe", "optinsn", &optinsn},
		{"arch_optimized_insn", "copied_insn", &copied},
		{"arch_optimized_insn", "insn", &detour},
	};

	if (!table || !btf || btf_members_at(btf, rows, ARRAY_SIZE(rows))) {
		free(kprobed);
		return -ENODATA;
	}
	kprobed->optimizes = !btf_members_at(btf, optimized, ARRAY_SIZE(optimized));
	if (kprobed->optimizes) {
		kprobed->at_copied = optinsn + copied;
		kprobed->at_detour = optinsn + detour;
	}
	kprobed->memory = *memory;
	kprobed->table = table;
	*ret = kprobed;
	return 0;
}

void kprobed_close(struct kprobed *kprobed)
{
	if (!kprobed)
		return;
	free(kprobed->items);
	free(kprobed);
}

static struct kprobed_item *find(const struct kprobed *kprobed, uint64_t addr)
{
	size_t at =
		address_upper_bound(kprobed->items, kprobed->count, sizeof(*kprobed->items), addr);

	return at && kprobed->items[at - 1].addr == addr ? &kprobed->items[at - 1] : NULL;
}

static int add_item(struct kprobed *kprobed, const struct kprobed_item *item)
{
	struct kprobed_item *known = find(kprobed, item->addr);
	size_t at;

	if (known) {
		*known = *item;
		return 0;
	}
	if (vector_grow(&kprobed->items, kprobed->count, sizeof(*kprobed->items)))
		return -ENOMEM;
	at = address_upper_bound(kprobed->items, kprobed->count, sizeof(*kprobed->items),
				 item->addr);
	memmove(kprobed->items + at + 1, kprobed->items + at,
		(kprobed->count - at) * sizeof(*kprobed->items));
	kprobed->items[at] = *item;
	kprobed->count++;
	return 0;
}

static uint64_t kprobe_addr(const struct kprobed *kprobed, uint64_t kprobe)
{
	uint64_t addr;

	return read_memory(kprobed, kprobe + kprobed->at_addr, &addr, sizeof(addr)) ? 0 : addr;
}

static uint32_t kprobe_flags(const struct kprobed *kprobed, uint64_t kprobe)
{
	uint32_t flags;

	return read_memory(kprobed, kprobe + kprobed->at_flags, &flags, sizeof(flags)) ? 0 : flags;
}

/*
 * The bytes behind the first, in @item->bytes, may be the rest of the jump: then what stood there
 * is in the kernel's copy. It makes that before it writes any of them.
 */
static int take_copy(const struct kprobed *kprobed, uint64_t kprobe, struct kprobed_item *item)
{
	uint64_t detour;
	uint32_t rest;

	if (read_memory(kprobed, kprobe + kprobed->at_detour, &detour, sizeof(detour)))
		return -EFAULT;
	memcpy(&rest, item->bytes + 1, sizeof(rest));
	if (rest != (uint32_t)(detour - (item->addr + JUMP_BYTES)))
		return 0;
	return read_memory(kprobed, kprobe + kprobed->at_copied, item->bytes + 1, JUMP_BYTES - 1);
}

/*
 * The one at @node of a list. A kprobe that is a jump, or becomes one in some jiffies, has
 * FLAG_OPTIMIZED from before the jump is written until it is taken away. One of the tracer's leaves
 * the text to it.
 */
static int add_kprobe(struct kprobed *kprobed, uint64_t node)
{
	uint64_t kprobe = node - kprobed->at_node;
	struct kprobed_item item = {.addr = kprobe_addr(kprobed, kprobe)};
	uint32_t flags = kprobe_flags(kprobed, kprobe);

	if (flags & FLAG_FTRACE)
		return 0;
	if (!item.addr || read_memory(kprobed, item.addr, item.bytes, JUMP_BYTES))
		return -EFAULT;
	/* It may have changed while the text was read. */
	flags |= kprobe_flags(kprobed, kprobe);
	item.optimized = flags & FLAG_OPTIMIZED && kprobed->optimizes;
	if (item.optimized ? take_copy(kprobed, kprobe, &item) : item.bytes[0] == JUMP)
		return -EFAULT;
	if (read_memory(kprobed, kprobe + kprobed->at_opcode, item.bytes, 1))
		return -EFAULT;
	return add_item(kprobed, &item);
}

/* A kprobe may stand in the bytes of another. */
static void mend_overlaps(struct kprobed *kprobed)
{
	for (size_t i = 0; i < kprobed->count; i++)
		for (size_t k = i + 1; k < kprobed->count; k++) {
			uint64_t at = kprobed->items[k].addr - kprobed->items[i].addr;

			if (at >= JUMP_BYTES)
				break;
			kprobed->items[i].bytes[at] = kprobed->items[k].bytes[0];
		}
}

/* All that are in the table, whose lists begin with @heads. */
static void read_lists(struct kprobed *kprobed, const uint64_t heads[TABLE_SIZE])
{
	int err = 0;

	for (size_t i = 0; err != -ENOMEM && i < TABLE_SIZE; i++) {
		uint64_t node = heads[i];

		/* The text of one may be gone, with its module: the others are there. */
		for (size_t k = 0; node && k < CHAIN_MAX; k++) {
			err = add_kprobe(kprobed, node);
			if (err == -ENOMEM || read_memory(kprobed, node, &node, sizeof(node)))
				break;
		}
	}
	mend_overlaps(kprobed);
	if (err == -ENOMEM)
		memset(kprobed->heads, 0, sizeof(kprobed->heads));
}

void kprobed_renew(struct kprobed *kprobed)
{
	uint64_t heads[TABLE_SIZE], head_addrs[TABLE_SIZE] = {0};

	if (read_memory(kprobed, kprobed->table, heads, sizeof(heads)))
		return;
	for (size_t i = 0; i < TABLE_SIZE; i++)
		if (heads[i])
			head_addrs[i] = kprobe_addr(kprobed, heads[i] - kprobed->at_node);
	if (!memcmp(heads, kprobed->heads, sizeof(heads)) &&
	    !memcmp(head_addrs, kprobed->head_addrs, sizeof(head_addrs)))
		return;
	memcpy(kprobed->heads, heads, sizeof(heads));
	memcpy(kprobed->head_addrs, head_addrs, sizeof(head_addrs));
	read_lists(kprobed, heads);
}

/*
 * Text has been read as @bytes at @item: an INT3. A kprobe that could not be a jump when it was
 * seen may become one later, and INT3 then stands before half of that jump. The head of its list
 * need not change, so all lists are read anew if the bytes behind the INT3 are not those that were
 * there.
 */
static struct kprobed_item *look_again(struct kprobed *kprobed, struct kprobed_item *item,
				       const uint8_t *bytes, size_t len)
{
	uint64_t addr = item->addr;

	if (item->optimized ||
	    !memcmp(bytes + 1, item->bytes + 1, (len < JUMP_BYTES ? len : JUMP_BYTES) - 1))
		return item;
	read_lists(kprobed, kprobed->heads);
	return find(kprobed, addr);
}

/* Is a jump at @item, whose first byte is before what was read, or half of one? */
static bool is_jump(const struct kprobed *kprobed, const struct kprobed_item *item)
{
	uint8_t first;

	return !read_memory(kprobed, item->addr, &first, sizeof(first)) &&
	       (first == JUMP || (first == INT3 && item->optimized));
}

void kprobed_put_back(struct kprobed *kprobed, uint64_t addr, void *bytes, size_t len)
{
	uint8_t *to = bytes;
	size_t at;

	kprobed_renew(kprobed);
	at = address_upper_bound(kprobed->items, kprobed->count, sizeof(*kprobed->items),
				 addr - JUMP_BYTES);
	for (; at < kprobed->count && kprobed->items[at].addr < addr + len; at++) {
		struct kprobed_item *item = &kprobed->items[at];
		bool before = item->addr < addr;
		uint8_t first = before ? 0 : to[item->addr - addr];
		size_t count;

		if (before ? !is_jump(kprobed, item) : first != INT3 && first != JUMP)
			continue;
		if (first == INT3)
			item = look_again(kprobed, item, to + (item->addr - addr),
					  len - (item->addr - addr));
		at = (size_t)(item - kprobed->items);
		count = first == INT3 && !item->optimized ? 1 : JUMP_BYTES;
		for (size_t i = 0; i < count; i++)
			if (item->addr + i >= addr && item->addr + i - addr < len)
				to[item->addr + i - addr] = item->bytes[i];
	}
}
