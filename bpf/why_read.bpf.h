/* SPDX-License-Identifier: GPL-2.0 */
/*
 * why_read.bpf.h - values at a hit: kernel memory that the table of its site says
 *
 * src/why/values/plan.c makes the table. What it says is data: each address is checked here before
 * it is read.
 */
#ifndef LBRSNOOP_BPF_WHY_READ_H
#define LBRSNOOP_BPF_WHY_READ_H

#include "snapshot.bpf.h"
#include "why_event.h"

const volatile bool why_reads_values;  /* what the tables of why_tables say */
const volatile __u64 why_vmalloc_base; /* address of the kernel's variable; 0: it has none */

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, WHY_TABLES_MAX);
	__type(key, __u32); /* site */
	__type(value, struct why_read_table);
} why_tables SEC(".maps");

/* The registers of the system call, as its entry saved them. */
static __always_inline const struct pt_regs *user_regs(void)
{
	return (const struct pt_regs *)bpf_task_pt_regs(bpf_get_current_task_btf());
}

static __always_inline bool on_own_stack(__u64 addr)
{
	const struct task_struct *task = bpf_get_current_task_btf();

	return addr >= (__u64)task->stack && addr < (__u64)user_regs();
}

/*
 * Devices are mapped above vmalloc_base, and in the fixmap behind the modules, and reading one may
 * change it: so the direct map, the kernel's image, its modules, and the task's stack alone.
 * Documentation/arch/x86/x86_64/mm.rst
 */
static __always_inline bool may_read(__u64 addr)
{
	__u64 first = 0xff11000000000000, end = 0;

	if (addr >= 0xffffffff80000000)
		return addr < 0xffffffffff000000;
	if (on_own_stack(addr))
		return true;
	if (!why_vmalloc_base) {
		first = 0xffff888000000000;
		end = 0xffffc90000000000;
	} else if (bpf_probe_read_kernel(&end, sizeof(end), (void *)why_vmalloc_base)) {
		return false;
	}
	return addr >= first && addr < end;
}

/* A pointer is followed only by a read behind the one that gave it. */
static __always_inline __u64 read_from(const __u64 *regs, const struct why_hit *hit,
				       const struct why_read *read, bool *ret_known)
{
	__u32 from = read->from, index = (from - WHY_FROM_READ) & (WHY_READS_MAX - 1);

	*ret_known = from < WHY_FROM_READ || hit->read & 1u << index;
	if (from == WHY_FROM_NOWHERE)
		return 0;
	return from < WHY_FROM_READ ? regs[from & 31] : hit->values[index];
}

static __always_inline bool read_one(struct why_hit *hit, const struct why_read *read, __u32 i,
				     __u64 addr)
{
	__u32 string = read->string, bytes = read->bytes;

	if (!may_read(addr))
		return false;
	if (string)
		return bpf_probe_read_kernel_str(hit->strings[(string - 1) & (WHY_STRINGS_MAX - 1)],
						 WHY_STRING_MAX, (void *)addr) > 0;
	barrier_var(bytes);
	if (!bytes || bytes > sizeof(hit->values[0]))
		return false;
	return !bpf_probe_read_kernel(&hit->values[i & (WHY_READS_MAX - 1)], bytes, (void *)addr);
}

/* struct why_regs - as struct pt_regs has them, and room for any index */
struct why_regs {
	__u64 at[32];
};

/*
 * Read number @i of @table. A function that the verifier looks at once, whoever calls it; what has
 * been read is kept in @hit, where the verifier does not follow each combination of reads that
 * fail. Such a function is verified even if it is not called: under lockdown nothing of it may be
 * left.
 */
__noinline int why_read_value(struct why_hit *hit, const struct why_read_table *table,
			      const struct why_regs *regs, __u32 i)
{
	const struct why_read *read;
	__u64 from;
	bool known;

	if (!why_reads_values || !hit || !table || !regs)
		return 0;
	i &= WHY_READS_MAX - 1;
	read = &table->reads[i];
	from = read_from(regs->at, hit, read, &known);
	hit->values[i] = 0;
	if (known && read_one(hit, read, i, from + read->offset))
		hit->read |= 1u << i;
	return 0;
}

/* @hit has its site */
static __always_inline void read_values(const struct why_regs *regs, struct why_hit *hit)
{
	const struct why_read_table *table;
	__u32 site = hit->site;

	hit->read = 0;
	if (!why_reads_values)
		return;
	table = bpf_map_lookup_elem(&why_tables, &site);
	if (!table)
		return;
	for (__u32 i = 0; i < WHY_READS_MAX && i < table->count; i++)
		why_read_value(hit, table, regs, i);
}

#endif
