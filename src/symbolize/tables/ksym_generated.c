// SPDX-License-Identifier: GPL-2.0
/* ksym_generated.c - code that the kernel makes while it runs: BPF, ftrace and kprobes */
#include <errno.h>
#include <string.h>

#include "symbolize/tables/ksym_read.h"
#include "symbolize/tables/ksymtable.h"
#include "util/address.h"

/* More elements no list has. */
#define LIST_MAX 65536

struct walk {
	const struct text_source *memory;
	const struct ksym_layout *layout;
	ksym_visit_fn *visit;
	void *ctx;
	int stop; /* what @visit said */
};

/* struct list_head of the kernel */
struct node {
	uint64_t next, prev;
};

/* kernel/trace/ftrace.c, kernel/kprobes.c, kernel/kallsyms.c: FTRACE_TRAMPOLINE_SYM, ... */
static const char bpf_module[] = "bpf", ftrace_module[] = "__builtin__ftrace",
		  kprobes_module[] = "__builtin__kprobes";

static int tell(struct walk *walk, uint64_t addr, const char *name, size_t len, const char *module)
{
	if (!address_is_kernel(addr))
		return -EBADMSG;
	walk->stop = walk->visit(addr, 't', name, len, module, walk->ctx);
	return walk->stop;
}

static int tell_bpf(struct walk *walk, uint64_t node, const char *unused)
{
	uint64_t ksym = node - walk->layout->bpf_node, start;
	char name[KSYM_NAME_BYTES];
	size_t len;
	int err = ksym_read(walk->memory, ksym + walk->layout->bpf_start, &start, sizeof(start));

	(void)unused;
	err = err
		      ?: ksym_read_name(walk->memory, ksym + walk->layout->bpf_name, name,
					sizeof(name), &len);
	return err ?: tell(walk, start, name, len, bpf_module);
}

static int tell_ftrace(struct walk *walk, uint64_t node, const char *name)
{
	uint64_t start;
	int err = ksym_read(walk->memory,
			    node - walk->layout->ops_list + walk->layout->ops_trampoline, &start,
			    sizeof(start));

	return err ?: tell(walk, start, name, strlen(name), ftrace_module);
}

static int tell_kprobes(struct walk *walk, uint64_t node, const char *name)
{
	uint64_t start;
	int err = ksym_read(walk->memory, node - walk->layout->page_list + walk->layout->page_insns,
			    &start, sizeof(start));

	return err ?: tell(walk, start, name, strlen(name), kprobes_module);
}

/*
 * Each element of the list @head. No lock is held: an element that was taken out, or put in, while
 * it was read has not the one before it as its predecessor.
 */
static int for_each(struct walk *walk, uint64_t head,
		    int (*tell_one)(struct walk *walk, uint64_t node, const char *name),
		    const char *name)
{
	uint64_t at = head;

	for (uint32_t i = 0; i < LIST_MAX; i++) {
		struct node node, next;
		int err = ksym_read(walk->memory, at, &node, sizeof(node));

		err = err ?: ksym_read(walk->memory, node.next, &next, sizeof(next));
		if (!err && next.prev != at)
			err = -EBADMSG;
		if (err || node.next == head)
			return err;
		at = node.next;
		err = tell_one(walk, at, name);
		if (err)
			return err;
	}
	return -EBADMSG;
}

int ksym_generated_for_each(struct text_source memory, const struct ksym_generated *at,
			    const struct ksym_layout *layout, ksym_visit_fn *visit, void *ctx)
{
	struct walk walk = {.memory = &memory, .layout = layout, .visit = visit, .ctx = ctx};
	const struct {
		uint64_t list;
		bool known;
		int (*tell)(struct walk *walk, uint64_t node, const char *name);
		const char *name;
	} kinds[] = {
		{at->bpf_kallsyms, layout->bpf, tell_bpf, NULL},
		{at->ftrace_ops_trampoline_list, layout->ftrace, tell_ftrace, "ftrace_trampoline"},
		{at->kprobe_insn_slots ? at->kprobe_insn_slots + layout->cache_pages : 0,
		 layout->kprobes, tell_kprobes, "kprobe_insn_page"},
		{at->kprobe_optinsn_slots ? at->kprobe_optinsn_slots + layout->cache_pages : 0,
		 layout->kprobes, tell_kprobes, "kprobe_optinsn_page"},
	};
	/* A variable that is not found where its struct is known has another name here. */
	int err = !at->bpf_kallsyms || (layout->ftrace && !at->ftrace_ops_trampoline_list) ||
				  (layout->kprobes && !at->kprobe_insn_slots)
			  ? -ENODATA
			  : 0;

	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds) && !err; i++) {
		if (!kinds[i].list)
			continue;
		err = kinds[i].known ? for_each(&walk, kinds[i].list, kinds[i].tell, kinds[i].name)
				     : -ENODATA;
	}
	return err;
}
