// SPDX-License-Identifier: GPL-2.0
/*
 * printk.c - kernel/printk/printk_ringbuffer.h (Linux 5.10 and later), by the offsets that
 * VMCOREINFO tells
 *
 * Ids of descriptors count up and wrap at a power of two; the state is in the two highest bits of
 * a descriptor's state_var. A text block begins with its descriptor's id; where it would reach
 * over the end of the buffer it begins at the buffer's start instead.
 */
#include "vmcore/printk.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/cleanup.h"

#define COUNT_BITS_MAX 24
#define TEXT_BITS_MAX  30
#define TEXT_MAX       8192

/* enum desc_state */
#define STATE_SHIFT	62
#define STATE_COMMITTED 1
#define STATE_FINALIZED 2
#define ID_MASK		(~(3ULL << STATE_SHIFT))

/* Where the text of a message without text is (NO_LPOS, FAILED_LPOS): lowest bit set. */
#define LPOS_DATALESS 1

struct ring {
	struct dump *dump;
	uint64_t count_bits, text_bits;
	uint64_t descs, infos, text;
	uint64_t head_id, tail_id;
	uint64_t desc_size, info_size;
	uint64_t state_at, begin_at, next_at; /* in a descriptor */
	uint64_t ts_at, len_at, seq_at;	      /* in an info */
};

static int offset_of(const struct dump *dump, const char *kind, const char *what,
		     uint64_t *ret_offset)
{
	char key[128];

	snprintf(key, sizeof(key), "%s(%s)", kind, what);
	/* No struct of the ring is larger than some hundred bytes. */
	return dump_info_number(dump, key, 10, ret_offset) || *ret_offset > 65536 ? -ENODATA : 0;
}

/* Offsets that are added up, as in offsetof() of a member of a member. */
static int sum_of(const struct dump *dump, const char *const *what, size_t count,
		  uint64_t *ret_offset)
{
	*ret_offset = 0;
	for (size_t i = 0; i < count; i++) {
		uint64_t part;

		if (offset_of(dump, "OFFSET", what[i], &part))
			return -ENODATA;
		*ret_offset += part;
	}
	return 0;
}

#define SUM(dump, ret, ...)                                                                        \
	sum_of(dump, (const char *const[]){__VA_ARGS__},                                           \
	       sizeof((const char *const[]){__VA_ARGS__}) / sizeof(char *), ret)

static int find_ring(struct ring *ring, uint64_t *ret_rb, uint64_t offsets[7])
{
	struct dump *dump = ring->dump;
	uint64_t prb;

	if (dump_symbol(dump, "prb", &prb) ||
	    SUM(dump, &offsets[0], "printk_ringbuffer.desc_ring", "prb_desc_ring.count_bits") ||
	    SUM(dump, &offsets[1], "printk_ringbuffer.desc_ring", "prb_desc_ring.descs") ||
	    SUM(dump, &offsets[2], "printk_ringbuffer.desc_ring", "prb_desc_ring.infos") ||
	    SUM(dump, &offsets[3], "printk_ringbuffer.desc_ring", "prb_desc_ring.head_id") ||
	    SUM(dump, &offsets[4], "printk_ringbuffer.desc_ring", "prb_desc_ring.tail_id") ||
	    SUM(dump, &offsets[5], "printk_ringbuffer.text_data_ring", "prb_data_ring.size_bits") ||
	    SUM(dump, &offsets[6], "printk_ringbuffer.text_data_ring", "prb_data_ring.data") ||
	    SUM(dump, &ring->state_at, "prb_desc.state_var", "atomic_long_t.counter") ||
	    SUM(dump, &ring->begin_at, "prb_desc.text_blk_lpos", "prb_data_blk_lpos.begin") ||
	    SUM(dump, &ring->next_at, "prb_desc.text_blk_lpos", "prb_data_blk_lpos.next") ||
	    SUM(dump, &ring->seq_at, "printk_info.seq") ||
	    SUM(dump, &ring->ts_at, "printk_info.ts_nsec") ||
	    SUM(dump, &ring->len_at, "printk_info.text_len") ||
	    offset_of(dump, "SIZE", "prb_desc", &ring->desc_size) ||
	    offset_of(dump, "SIZE", "printk_info", &ring->info_size))
		return -ENODATA;
	return dump_read_u64(dump, prb, ret_rb);
}

static int open_ring(struct ring *ring)
{
	uint64_t rb, offsets[7];
	uint32_t bits[2];
	int err = find_ring(ring, &rb, offsets);

	if (err)
		return err;
	if (dump_read_u32(ring->dump, rb + offsets[0], &bits[0]) ||
	    dump_read_u64(ring->dump, rb + offsets[1], &ring->descs) ||
	    dump_read_u64(ring->dump, rb + offsets[2], &ring->infos) ||
	    dump_read_u64(ring->dump, rb + offsets[3], &ring->head_id) ||
	    dump_read_u64(ring->dump, rb + offsets[4], &ring->tail_id) ||
	    dump_read_u32(ring->dump, rb + offsets[5], &bits[1]) ||
	    dump_read_u64(ring->dump, rb + offsets[6], &ring->text))
		return -EFAULT;
	ring->count_bits = bits[0];
	ring->text_bits = bits[1];
	if (!bits[0] || bits[0] > COUNT_BITS_MAX || !bits[1] || bits[1] > TEXT_BITS_MAX)
		return -EBADMSG;
	return 0;
}

/* The text of a block, into @text; false if it is not to be had. */
static bool read_text(struct ring *ring, uint64_t begin, uint64_t next, uint32_t len, char *text)
{
	uint64_t size = 1ULL << ring->text_bits, at = begin & (size - 1), end = next & (size - 1);

	if (begin & LPOS_DATALESS || next & LPOS_DATALESS)
		return false;
	/* Wraps around: then it stands at the start. */
	if (begin >> ring->text_bits != next >> ring->text_bits && end)
		at = 0;
	at += sizeof(uint64_t); /* the descriptor's id */
	if (len >= TEXT_MAX || at > size || len > size - at)
		return false;
	text[len] = '\0';
	return !dump_read(ring->dump, ring->text + at, text, len);
}

static int tell(struct ring *ring, uint64_t id, char *text, printk_fn *fn, void *ctx)
{
	uint64_t index = id & ((1ULL << ring->count_bits) - 1);
	uint64_t desc = ring->descs + index * ring->desc_size;
	uint64_t info = ring->infos + index * ring->info_size;
	uint64_t state, begin, next, ts_ns = 0, seq = 0;
	uint16_t len = 0;

	if (dump_read_u64(ring->dump, desc + ring->state_at, &state) ||
	    dump_read_u64(ring->dump, desc + ring->begin_at, &begin) ||
	    dump_read_u64(ring->dump, desc + ring->next_at, &next) ||
	    dump_read_u64(ring->dump, info + ring->seq_at, &seq) ||
	    dump_read_u64(ring->dump, info + ring->ts_at, &ts_ns) ||
	    dump_read(ring->dump, info + ring->len_at, &len, sizeof(len)))
		return fn(seq, ts_ns, NULL, ctx);
	/* Reserved, or of another turn: nothing has been said here yet. */
	if ((state & ID_MASK) != id ||
	    (state >> STATE_SHIFT != STATE_COMMITTED && state >> STATE_SHIFT != STATE_FINALIZED))
		return 0;
	/* A message of no words has no block. */
	if (begin & LPOS_DATALESS && begin == next)
		return fn(seq, ts_ns, len ? NULL : "", ctx);
	return fn(seq, ts_ns, read_text(ring, begin, next, len, text) ? text : NULL, ctx);
}

int printk_tail(struct dump *dump, uint32_t max, printk_fn *fn, void *ctx)
{
	struct ring ring = {.dump = dump};
	_cleanup_free_ char *text = malloc(TEXT_MAX);
	int err = text ? open_ring(&ring) : -ENOMEM;
	uint64_t count, id;

	if (err || !max)
		return err;
	count = ((ring.head_id - ring.tail_id) & ID_MASK) + 1;
	if (count > 1ULL << ring.count_bits)
		return -EBADMSG;
	if (count > max)
		count = max;
	id = (ring.head_id - (count - 1)) & ID_MASK;
	for (uint64_t i = 0; i < count && !err; i++)
		err = tell(&ring, (id + i) & ID_MASK, text, fn, ctx);
	return err;
}
