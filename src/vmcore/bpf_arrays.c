// SPDX-License-Identifier: GPL-2.0
/*
 * bpf_arrays.c - kernel/bpf/syscall.c's map_idr: a tree of struct xa_node (include/linux/xarray.h)
 * whose leaves are struct bpf_map
 *
 * A slot with 2 in its lowest bits and of more than 4096 is a node, 2 behind its start; one with
 * none of these bits set is an entry. kernel/bpf/arraymap.c places struct bpf_array of a map that
 * can be mapped so that its values begin on the next page.
 */
#include "vmcore/bpf_arrays.h"

#include <errno.h>
#include <string.h>

#include <linux/bpf.h>

#include "symbolize/btf_member.h"
#include "util/cleanup.h"
#include "vmcore/kernel_btf.h"
#include "vmcore/ksyms.h"

#define SLOTS	    64 /* XA_CHUNK_SIZE, but of kernels built with BASE_SMALL */
#define SLOT_BITS   6
#define NODES_MAX   65536
#define NODE_AT_MIN 4096

/* Bytes from the start of the struct */
struct layout {
	uint32_t tree, head;			    /* struct idr, struct xarray */
	uint32_t shift, slots;			    /* struct xa_node */
	uint32_t type, value, entries, flags, name; /* struct bpf_map */
};

struct walk {
	struct dump *dump;
	struct layout layout;
	const char *name;
	uint32_t value_bytes;
	bpf_array_fn *fn;
	void *ctx;
	uint32_t nodes;
};

static int read_layout(const struct btf *btf, struct layout *layout)
{
	static const char node[] = "xa_node", map[] = "bpf_map";

	return btf_member_at(btf, "idr", "idr_rt", &layout->tree)
		       ?: btf_member_at(btf, "xarray", "xa_head", &layout->head)
		       ?: btf_member_at(btf, node, "shift", &layout->shift)
		       ?: btf_member_at(btf, node, "slots", &layout->slots)
		       ?: btf_member_at(btf, map, "map_type", &layout->type)
		       ?: btf_member_at(btf, map, "value_size", &layout->value)
		       ?: btf_member_at(btf, map, "max_entries", &layout->entries)
		       ?: btf_member_at(btf, map, "map_flags", &layout->flags)
		       ?: btf_member_at(btf, map, "name", &layout->name);
}

static int visit_map(struct walk *walk, uint64_t map)
{
	const struct layout *layout = &walk->layout;
	uint32_t type, value_bytes, entries, flags;
	char name[BPF_OBJ_NAME_LEN];

	if (dump_read_u32(walk->dump, map + layout->type, &type) ||
	    dump_read_u32(walk->dump, map + layout->value, &value_bytes) ||
	    dump_read_u32(walk->dump, map + layout->entries, &entries) ||
	    dump_read_u32(walk->dump, map + layout->flags, &flags) ||
	    dump_read(walk->dump, map + layout->name, name, sizeof(name)))
		return -EFAULT;
	if (type != BPF_MAP_TYPE_ARRAY || !(flags & BPF_F_MMAPABLE) ||
	    value_bytes != walk->value_bytes || strncmp(name, walk->name, sizeof(name)))
		return 0;
	return walk->fn(map - map % DUMP_PAGE_BYTES + DUMP_PAGE_BYTES, entries, walk->ctx);
}

/* @shift: of the node's parent; that of the node has to be lower, or the tree had no end. */
static int visit_entry(struct walk *walk, uint64_t entry, uint8_t shift)
{
	uint64_t node = entry - 2, slots[SLOTS];
	uint8_t own;
	int err = 0;

	if (!(entry & 3))
		return entry ? visit_map(walk, entry) : 0;
	if ((entry & 3) != 2 || entry <= NODE_AT_MIN)
		return 0;
	if (++walk->nodes > NODES_MAX)
		return -EBADMSG;
	if (dump_read(walk->dump, node + walk->layout.shift, &own, sizeof(own)) ||
	    dump_read(walk->dump, node + walk->layout.slots, slots, sizeof(slots)))
		return -EFAULT;
	if (own >= shift || own % SLOT_BITS)
		return -EBADMSG;
	for (int i = 0; i < SLOTS && !err; i++)
		err = visit_entry(walk, slots[i], own);
	return err;
}

int bpf_arrays_visit(struct dump *dump, const char *name, uint32_t value_bytes, bpf_array_fn *fn,
		     void *ctx)
{
	struct ksym wanted[] = {
		{.name = "map_idr"}, {.name = "__start_BTF"}, {.name = "__stop_BTF"}};
	struct walk walk = {
		.dump = dump, .name = name, .value_bytes = value_bytes, .fn = fn, .ctx = ctx};
	_cleanup_(kernel_btf_free) struct btf *btf = NULL;
	uint64_t head;
	int err;

	err = ksyms_find(dump, wanted, 3);
	if (err)
		return err;
	if (!wanted[0].addr)
		return -ENODATA;
	err = kernel_btf_read(dump, wanted[1].addr, wanted[2].addr, &btf);
	err = err ?: read_layout(btf, &walk.layout);
	if (err)
		return err;
	if (dump_read_u64(dump, wanted[0].addr + walk.layout.tree + walk.layout.head, &head))
		return -EFAULT;
	return visit_entry(&walk, head, 64);
}
